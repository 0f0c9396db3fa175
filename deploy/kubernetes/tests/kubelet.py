"""Plays what a kubelet does with a pod, by the pod's own words: order of start, probes, order of stop (KEP-753).

The gateway is the jar, vLLM its simulator. Ports are free ones and times are compressed by settings; numbers of tries, names of health
services and the order of things are the manifest's.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import grpc
import health_pb2
import health_pb2_grpc
from product import Laid
from renders import JAR, container

# Periods of probes are divided by it.
FASTER = 10
# Of the simulator; how long an answer is, the call says.
PACE = "--inter-token 20ms --answer-tokens 100000"
SERVING = health_pb2.HealthCheckResponse.SERVING


class Container:
    """One process, begun and ended like a container."""

    def __init__(self, name: str, command: list[str], environment: dict[str, str], log: Path):
        self.name = name
        self.log = log
        self._command, self._environment = command, environment
        self.process = None

    def start(self) -> None:
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                self._command, env=self._environment, stdout=out, stderr=out, stdin=subprocess.DEVNULL, start_new_session=True
            )

    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def kill(self, number: int = signal.SIGKILL) -> None:
        if self.is_running():
            os.killpg(self.process.pid, number)

    def said(self, word: str) -> dict:
        """The JSON line with that message."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            for line in self.log.read_text().splitlines():
                if word in line and line.startswith("{"):
                    return json.loads(line)
            assert self.is_running(), self.log.read_text()
            time.sleep(0.05)
        raise AssertionError(f"never said {word}: {self.log.read_text()}")


class Pod:
    """A gateway's pod; `events` is what happened, in order."""

    def __init__(self, objects: list[dict], template: dict, secrets: dict, folder: Path, backend: int, *flags: str):
        folder.mkdir(parents=True, exist_ok=True)
        self.template = template
        self.events: list[str] = []
        self.restarts: dict[str, int] = {}
        self.ready = threading.Event()
        self._stopping = threading.Event()
        laid = Laid(objects, template, folder / "root", secrets)
        for routes in folder.rglob("routes.yaml"):
            routes.write_text(routes.read_text().replace("http://vllm:8000/", f"http://127.0.0.1:{backend}/"))
        own = ["--listen=127.0.0.1:0", "--health-listen=127.0.0.1:0", "--metrics-listen=127.0.0.1:0", "--admin-listen=off", *flags]
        if "initContainers" in template["spec"]:
            own.append(f"--backend=http://127.0.0.1:{backend}/v1")
        self.gateway = Container("gateway", laid.command(*own), laid.environment(), folder / "gateway.log")
        self._backend = backend
        self.sidecars = [self._vllm(each, folder) for each in template["spec"].get("initContainers", [])]
        self._threads: list[threading.Thread] = []

    def _vllm(self, box: dict, folder: Path) -> Container:
        assert box["restartPolicy"] == "Always", "else it is run to its end before the gateway starts"
        # A model that takes its time.
        command = ["sh", "-c", f"sleep 1; exec java -Xmx128m -jar '{JAR}' simulate --port {self._backend} {PACE}"]
        return Container(box["name"], command, dict(os.environ), folder / "vllm.log")

    def start(self) -> None:
        for each in self.sidecars:
            each.start()
            self.events.append(f"{each.name} started")
            self._until_started(each)
            self.events.append(f"{each.name} up")
        self.gateway.start()
        self.events.append("gateway started")
        line = self.gateway.said("gateway started")
        self.port, self.health_port = line["port"], line["health_port"]
        self._until_started(self.gateway)
        self.events.append("gateway up")
        for probe in (self._readiness, self._liveness, self._keep_running):
            thread = threading.Thread(target=probe, daemon=True)
            thread.start()
            self._threads.append(thread)

    def _until_started(self, each: Container) -> None:
        probe = container(self.template, each.name)["startupProbe"]
        for _ in range(probe["failureThreshold"]):
            if self._answers(probe):
                return
            time.sleep(probe["periodSeconds"] / FASTER)
        raise AssertionError(f"{each.name} would be restarted: {each.log.read_text()}")

    def _answers(self, probe: dict) -> bool:
        if "exec" in probe:
            command = [part.replace(":8000/", f":{self._backend}/") for part in probe["exec"]["command"]]
            assert command[0] == "python3"
            return subprocess.run([sys.executable, *command[1:]], capture_output=True).returncode == 0
        return self.health(probe["grpc"]["service"], probe["timeoutSeconds"])

    def health(self, service: str, timeout: float = 5) -> bool:
        """Like the kubelet: a new connection each time."""
        with grpc.insecure_channel(f"127.0.0.1:{self.health_port}", options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
            try:
                stub = health_pb2_grpc.HealthStub(channel)
                return stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=timeout).status == SERVING
            except grpc.RpcError:
                return False

    def _readiness(self) -> None:
        failures = 0
        probe = container(self.template, "gateway")["readinessProbe"]
        while self.gateway.is_running():
            good = self._answers(probe)
            failures = 0 if good else failures + 1
            if good and not self.ready.is_set():
                self.events.append("ready")
                self.ready.set()
            elif failures >= probe["failureThreshold"] and self.ready.is_set():
                self.events.append("not ready")
                self.ready.clear()
            time.sleep(probe["periodSeconds"] / FASTER)

    def _liveness(self) -> None:
        failures = 0
        probe = container(self.template, "gateway")["livenessProbe"]
        while not self._stopping.is_set():
            failures = 0 if self._answers(probe) else failures + 1
            if failures >= probe["failureThreshold"]:
                self.events.append("gateway killed as dead")
                return
            self._stopping.wait(probe["periodSeconds"] / FASTER)

    def _keep_running(self) -> None:
        while not self._stopping.is_set():
            for each in self.sidecars:
                if not each.is_running():
                    self.restarts[each.name] = self.restarts.get(each.name, 0) + 1
                    each.start()
            self._stopping.wait(0.1)

    def stop(self) -> float:
        """As at a deletion; how long it took the gateway."""
        begun = time.monotonic()
        self._stopping.set()
        self.events.append("TERM to gateway")
        self.gateway.kill(signal.SIGTERM)
        self.gateway.process.wait(60)
        took = time.monotonic() - begun
        self.events.append("gateway ended")
        for each in reversed(self.sidecars):
            self.events.append(f"TERM to {each.name}")
            each.kill(signal.SIGTERM)
            each.process.wait(20)
        return took

    def close(self) -> None:
        self._stopping.set()
        for each in [self.gateway, *self.sidecars]:
            each.kill()
        for thread in self._threads:
            thread.join(30)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
