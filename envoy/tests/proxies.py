"""HAProxy and nginx with the samples of other/."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import grpc
from calling import Caller
from rig import Process, free_port
from shipped import HOME

GATEWAY = {"haproxy": r"^ *server-template gateway 8 gateway:50051.*$", "nginx": r"^( *)server gateway:50051(.*)$"}


class Proxy(Process):
    """Of the shipped file only addresses and ports are others."""

    def __init__(self, folder, name, *gateways):
        folder = Path(folder)
        self.port = free_port()
        shipped = (HOME / "other" / {"haproxy": "haproxy.cfg", "nginx": "nginx.conf"}[name]).read_text()
        if name == "haproxy":
            servers = "\n".join(f"    server gateway{number} 127.0.0.1:{port}" for number, port in enumerate(gateways))
            text, listens = re.subn(r"bind :::8080 v4v6 ", f"bind 127.0.0.1:{self.port} ", shipped)
            command, check = ("haproxy", "-db", "-f"), ("-c",)
        else:
            servers = "\n".join(rf"\1server 127.0.0.1:{port}\2" for port in gateways)
            text, listens = re.subn(r"listen 8080 ", f"listen 127.0.0.1:{self.port} ", shipped)
            text = text.replace("/dev/stdout", str(folder / f"nginx-{self.port}.access"))
            command, check = ("nginx", "-e", "stderr", "-p", folder, "-g", f"daemon off; pid {folder}/nginx-{self.port}.pid;", "-c"), ("-t",)
        text, replaced = re.subn(GATEWAY[name], servers, text, flags=re.MULTILINE)
        assert (listens, replaced) == (1, 1)
        path = folder / f"{name}-{self.port}.conf"
        path.write_text(text)
        self.check = subprocess.run([*map(str, command), str(path), *check], capture_output=True, text=True)
        assert self.check.returncode == 0, self.check.stderr
        super().__init__(folder, name, *map(str, command), str(path))

    def listening(self):
        with Caller(self.target) as caller:
            try:
                return caller.complete("Hi", timeout=2)
            except grpc.RpcError:
                return False

    def kill(self):
        # Also nginx' workers, which outlive a master that is killed.
        if self._process.poll() is None:
            self.terminate()
            try:
                self.wait(5)
            except subprocess.TimeoutExpired:
                super().kill()

    @property
    def target(self):
        return f"127.0.0.1:{self.port}"
