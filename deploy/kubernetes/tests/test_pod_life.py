"""Start, probes and stop of the pods as they are written, played with the jar."""

from __future__ import annotations

import json
import os
import signal
import threading
import time

import grpc
import llm_pb2
import llm_pb2_grpc
import pytest
from kubelet import PACE, Container, Pod, free_port
from renders import JAR, gateway, render
from test_settings import ENDING

PAUSE, GRACE = 1, 5
STOP = (f"--drain-pause={PAUSE}s", f"--drain-grace={GRACE}s")
# What drain.pause and drain.grace are compressed to.
LONG_ENOUGH = PAUSE + GRACE + ENDING


@pytest.fixture
def started(secrets, tmp_path):
    """Pods of a rendering that are started and will be ended."""
    pods = []

    def start(name: str, backend: int, *flags: str) -> Pod:
        objects = render(name)
        pod = Pod(objects, gateway(objects), secrets, tmp_path / str(len(pods)), backend, *flags)
        pods.append(pod)
        pod.start()
        return pod

    yield start
    for each in pods:
        each.close()


@pytest.fixture
def vllm(tmp_path):
    """One that is there already, for gateways of their own; its port."""
    port = free_port()
    command = ["java", "-Xmx128m", "-jar", JAR, "simulate", "--port", str(port), *PACE.split()]
    box = Container("vllm", command, dict(os.environ), tmp_path / "vllm.log")
    box.start()
    yield port
    box.kill()


class Stream:
    """One answer, read by a thread of its own."""

    def __init__(self, channel: grpc.Channel, tokens: int):
        self.tokens = 0
        self.done = False
        self.error = None
        self._begun = threading.Event()
        request = llm_pb2.CompleteRequest(max_tokens=tokens, messages=[llm_pb2.Message(role="user", content="Tell me everything")])
        self._call = llm_pb2_grpc.LLMServiceStub(channel).CompleteStream(request, timeout=120)
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        try:
            for chunk in self._call:
                self.tokens = max(self.tokens, chunk.usage.output_tokens)
                self.done = chunk.done
                self._begun.set()
        except grpc.RpcError as e:
            self.error = e
        self._begun.set()

    def begun(self) -> Stream:
        assert self._begun.wait(30) and self.error is None, self.error
        return self

    def ended(self) -> Stream:
        self._thread.join(60)
        assert not self._thread.is_alive()
        return self


def channel_to(*pods: Pod) -> grpc.Channel:
    """As docs/kubernetes.md says: every pod's address, round robin, and each pod's own word on whether it is ready."""
    config = {"loadBalancingConfig": [{"round_robin": {}}], "healthCheckConfig": {"serviceName": "readiness"}}
    addresses = ",".join(f"127.0.0.1:{pod.port}" for pod in pods)
    options = [("grpc.service_config", json.dumps(config)), ("grpc.use_local_subchannel_pool", 1)]
    return grpc.insecure_channel(f"ipv4:{addresses}", options=options)


def test_vllm_is_up_before_the_gateway_and_outlives_it(started):
    pod = started("sidecar", free_port(), *STOP)
    assert pod.ready.wait(30)
    with channel_to(pod) as channel:
        # 2.4 s: longer than the pause.
        stream = Stream(channel, 120).begun()
        took = pod.stop()
        assert stream.ended().error is None and stream.done and stream.tokens == 120, vars(stream)
    assert took < LONG_ENOUGH
    assert pod.gateway.process.returncode == 0
    order = ["vllm started", "vllm up", "gateway started", "gateway up", "ready", "TERM to gateway", "gateway ended", "TERM to vllm"]
    assert [event for event in pod.events if event != "not ready"] == order
    assert pod.restarts == {}


def test_told_to_stop_together_the_answer_is_lost(started):
    """Why vLLM is the sidecar and not a container beside: the play shows the difference."""
    pod = started("sidecar", free_port(), *STOP)
    assert pod.ready.wait(30)
    with channel_to(pod) as channel:
        stream = Stream(channel, 120).begun()
        pod._stopping.set()
        pod.sidecars[0].kill(signal.SIGTERM)
        pod.stop()
        assert stream.ended().error is not None


def test_answers_longer_than_the_grace_are_told_and_the_pod_ends_in_time(started, vllm):
    pod = started("base", vllm, "--drain-pause=1s", "--drain-grace=1s")
    assert pod.ready.wait(30)
    alive = []
    with channel_to(pod) as channel:
        stream = Stream(channel, 4000).begun()
        stopping = threading.Thread(target=lambda: alive.append(pod.stop()))
        stopping.start()
        time.sleep(0.5)
        # Not ready, but no reason to be killed.
        assert not pod.health("readiness") and pod.health("liveness")
        time.sleep(1)
        assert pod.health("liveness")
        stopping.join()
        error = stream.ended().error
    assert error.code() == grpc.StatusCode.UNAVAILABLE
    assert "SHUTTING_DOWN" in str(error.trailing_metadata())
    assert 2 <= alive[0] < 1 + 1 + ENDING
    assert pod.gateway.process.returncode == 0


def test_one_of_two_goes_and_no_call_fails(started, vllm):
    first, second = (started("base", vllm, *STOP) for _ in range(2))
    assert first.ready.wait(30) and second.ready.wait(30)
    results: list[Stream] = []
    over = threading.Event()
    with channel_to(first, second) as channel:

        def call() -> None:
            while not over.is_set():
                results.append(Stream(channel, 10).begun().ended())

        callers = [threading.Thread(target=call, daemon=True) for _ in range(6)]
        for each in callers:
            each.start()
        end = time.monotonic() + 30
        while len(results) < 30 and time.monotonic() < end:
            time.sleep(0.05)
        before = len(results)
        assert first.stop() < LONG_ENOUGH
        while len(results) < before + 60 and time.monotonic() < end:
            time.sleep(0.05)
        over.set()
        for each in callers:
            each.join(30)
    assert len(results) >= before + 60
    assert [each.error for each in results if each.error or not each.done] == []


def test_a_vllm_that_dies_comes_back_and_the_gateway_is_left_alone(started):
    pod = started("sidecar", free_port(), "--health-interval=200ms", "--health-down-interval=200ms")
    assert pod.ready.wait(30)
    gateway_process = pod.gateway.process.pid
    pod.sidecars[0].kill()
    end = time.monotonic() + 30
    while "not ready" not in pod.events and time.monotonic() < end:
        time.sleep(0.05)
    assert "not ready" in pod.events
    assert pod.ready.wait(30)
    assert pod.restarts == {"vllm": 1}
    assert pod.gateway.process.pid == gateway_process and pod.gateway.is_running()
    assert "gateway killed as dead" not in pod.events
    with channel_to(pod) as channel:
        assert Stream(channel, 5).begun().ended().done
