"""Real gateways and simulators for the tests, and ways to look at them."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import threading
import time
import urllib.request
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

JAVA = (
    "java",
    "-Xmx256m",
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Xshare:auto",
    "-jar",
    os.environ.get("GATEWAY_JAR", ""),
)


def eventually(fact, timeout=10.0):
    """Poll until the fact holds, and return it."""
    end = time.monotonic() + timeout
    while True:
        value = fact()
        if value:
            return value
        assert time.monotonic() < end, f"did not come true within {timeout} s: {fact}"
        time.sleep(0.01)


class Process:
    """A running jar: its output in a file, its port read from there."""

    def __init__(self, folder, name, port_pattern, *arguments):
        self.output = Path(folder) / f"{name}-{time.monotonic_ns()}.log"
        with self.output.open("wb") as out:
            self._process = subprocess.Popen([*JAVA, *arguments], stdout=out, stderr=out)
        self._port_pattern = port_pattern

    def ready(self):
        """Wait until it listens."""
        self.port = int(eventually(self._port, 30)[1])
        return self

    def _port(self):
        assert self._process.poll() is None, self.log()
        return re.search(self._port_pattern, self.log())

    def log(self):
        return self.output.read_text(encoding="utf-8")

    def terminate(self):
        self._process.send_signal(signal.SIGTERM)

    def wait(self, timeout=20):
        return self._process.wait(timeout)

    def kill(self):
        self._process.kill()
        self._process.wait()


class Simulator(Process):
    def __init__(self, folder, *arguments):
        super().__init__(
            folder,
            "simulator",
            r"http://127\.0\.0\.1:(\d+)/v1",
            "simulate",
            *("--port", "0", "--ttft", "5ms", "--inter-token", "5ms", "--jitter", "0"),
            *("--slots", "4096", *arguments),
        )

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/v1"

    def metric(self, name):
        """The sum of a vLLM metric over its labels."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=5) as page:
            lines = page.read().decode().splitlines()
        return sum(float(line.split()[-1]) for line in lines if line.startswith(f"vllm:{name}{{"))

    def left(self):
        """Requests whose client left early, so far."""
        return self.metric("http_requests_client_disconnected_total")

    def running(self):
        return self.metric("num_requests_running")


class Gateway(Process):
    def __init__(self, folder, backend, *arguments, port=0):
        super().__init__(
            folder,
            "gateway",
            r"gateway started .* port=(\d+)",
            "serve",
            *("--listen", f"127.0.0.1:{port}", "--backend", backend),
            *("--model", "simulated-model", "--health-down-interval", "100ms"),
            *("--admission-running", "4096", "--admission-waiting", "4096"),
            *("--admission-adaptive", "false", *arguments),
        )

    @property
    def target(self):
        return f"127.0.0.1:{self.port}"

    def calls(self, request_id):
        """The log lines of a call's attempts."""
        return re.findall(rf"^.*call request_id={request_id} .*$", self.log(), re.MULTILINE)

    def call(self, request_id):
        """The one line of a call, once it is over."""
        lines = eventually(lambda: self.calls(request_id))
        assert len(lines) == 1
        return lines[0]


@contextmanager
def running(*processes):
    """Start them all at once, and end them all."""
    with ExitStack() as ends:
        for process in processes:
            ends.callback(process.kill)
        for process in processes:
            process.ready()
        yield processes[0] if len(processes) == 1 else processes


class Recorder:
    """A backend that keeps what it is sent. One token, or as many as ``tokens`` says."""

    def __init__(self):
        self.requests = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()

    def _handler(recorder):  # noqa: N805
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments):
                pass

            def do_GET(self):
                self._send("application/json", b'{"object":"list","data":[{"id":"recorded"}]}')

            def do_POST(self):
                length = int(self.headers["content-length"])
                body = json.loads(self.rfile.read(length))
                recorder.requests.append(body)
                if body.get("stream"):
                    self._send("text/event-stream", _events(body))
                else:
                    self._send("application/json", _whole(body))

            def _send(self, kind, data):
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        return Handler


_USAGE = {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}


def _whole(body):
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": "ok"},
        "finish_reason": "stop",
        "stop_reason": "END",
    }
    answer = {"id": "chatcmpl-1", "object": "chat.completion", "model": body["model"]}
    return json.dumps({**answer, "choices": [choice], "usage": _USAGE}).encode()


def _events(body):
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": body["model"]}
    choices = (
        [{"index": 0, "delta": {"role": "assistant", "content": "ok"}, "finish_reason": None}],
        [{"index": 0, "delta": {}, "finish_reason": "stop", "stop_reason": 7}],
    )
    events = [{**head, "choices": choice} for choice in choices]
    events.append({**head, "choices": [], "usage": _USAGE})
    lines = [*map(json.dumps, events), "[DONE]"]
    return "".join(f"data: {line}\n\n" for line in lines).encode()


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
