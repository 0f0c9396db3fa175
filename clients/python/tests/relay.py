"""Leads from one socket to another."""

import contextlib
import socket
import threading


class Relay:
    """Passes every connection to a listening socket on, until closed."""

    def __init__(self, family, address, dial):
        self._dial = dial
        self._sockets = []
        self._listener = socket.socket(family)
        self._listener.bind(address)
        self._listener.listen()
        self._threads = [threading.Thread(target=self._accept, daemon=True)]
        self._threads[0].start()

    def _accept(self):
        with contextlib.suppress(OSError):  # closed
            while True:
                near, far = self._listener.accept()[0], self._dial()
                self._sockets += [near, far]
                for pair in ((near, far), (far, near)):
                    pump = threading.Thread(target=_pump, args=pair, daemon=True)
                    self._threads.append(pump)
                    pump.start()

    def close(self):
        _end(self._listener)
        self._threads[0].join()
        for end in self._sockets:
            _end(end)
        for thread in self._threads:
            thread.join()
        for end in (*self._sockets, self._listener):
            end.close()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()


def _pump(source, sink):
    with contextlib.suppress(OSError):
        while True:
            data = source.recv(1 << 16)
            if not data:
                break
            sink.sendall(data)
    _end(source)
    _end(sink)


def _end(any_socket):
    with contextlib.suppress(OSError):
        any_socket.shutdown(socket.SHUT_RDWR)


def door_to_port(door, port):
    """From a Unix socket to a port of this machine."""
    return Relay(socket.AF_UNIX, str(door), lambda: socket.create_connection(("127.0.0.1", port)))


def port_to_door(port, door):
    """From a port of this machine to a Unix socket."""

    def dial():
        far = socket.socket(socket.AF_UNIX)
        far.connect(str(door))
        return far

    return Relay(socket.AF_INET, ("127.0.0.1", port), dial)
