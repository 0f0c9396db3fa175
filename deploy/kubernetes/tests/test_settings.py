"""What the jar takes each rendered gateway's files, variables and flags for."""

from __future__ import annotations

import re

import pytest
from product import Laid, port, seconds
from renders import NAMES, container, gateway, has_gateway, quantity, render

# Until the last statuses are out, connections closed and the JVM gone.
ENDING = 5
WITH_GATEWAY = [name for name in NAMES if has_gateway(name)]


@pytest.fixture(params=WITH_GATEWAY)
def laid(request, tmp_path, secrets):
    objects = render(request.param)
    return Laid(objects, gateway(objects), tmp_path, secrets), gateway(objects)


def test_the_jar_takes_them_and_ports_memory_and_grace_fit_each_other(laid):
    files, pod = laid
    settings, said = files.printed()
    warnings = [line for line in said.splitlines() if not line.startswith("NOTE: Picked up JDK_JAVA_OPTIONS")]
    # Of keys without TLS components/callers warns in its first lines.
    without_tls = [line for line in warnings if "tls.cert: is not set" in line]
    assert warnings == without_tls
    assert not without_tls or "GATEWAY_CALLERS_FILE" in str(pod)

    box = container(pod, "gateway")
    ports = {each["name"]: each["containerPort"] for each in box["ports"]}
    assert port(settings["listen"]) == ports["grpc"]
    assert port(settings["health-listen"]) == ports["health"]
    assert port(settings["metrics-listen"]) == ports["metrics"]
    for name in ("startupProbe", "readinessProbe", "livenessProbe"):
        assert box[name]["grpc"]["port"] == ports["health"]

    sleep = box.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
    gateways = sleep + seconds(settings["drain.pause"]) + seconds(settings["drain.grace"]) + ENDING
    beside = 20 if pod["spec"].get("initContainers") else 0
    grace = pod["spec"]["terminationGracePeriodSeconds"]
    # The component for long answers has one number for both.
    assert grace == gateways + beside or (grace == gateways + 20 and "GATEWAY_DRAIN_GRACE" in str(box))

    flags = next(each["value"] for each in box["env"] if each["name"] == "JDK_JAVA_OPTIONS")
    heap = int(re.search(r"-Xmx(\d+)g", flags)[1]) << 30
    direct = int(re.search(r"maxDirectMemory=(\d+)", flags)[1])
    tmp = next(quantity(v["emptyDir"]["sizeLimit"]) for v in pod["spec"]["volumes"] if v["name"] == "tmp")
    rest = quantity(box["resources"]["limits"]["memory"]) - heap - direct - tmp
    assert rest >= 256 << 20, "classes, code, threads, collector"
    assert box["resources"]["requests"]["memory"] == box["resources"]["limits"]["memory"]
    assert "cpu" not in box["resources"]["limits"]


def test_connections_to_vllm_are_let_go_before_it_closes_them(tmp_path, secrets):
    for name in ("sidecar", "vllm"):
        pod = gateway(render("sidecar")) if name == "sidecar" else render("vllm")[1]["spec"]["template"]
        keeps = next(e["value"] for e in container(pod, "vllm")["env"] if e["name"] == "VLLM_HTTP_TIMEOUT_KEEP_ALIVE")
        objects = render("sidecar" if name == "sidecar" else "base")
        idle = Laid(objects, gateway(objects), tmp_path / name, secrets).settings()["upstream.idle"]
        assert seconds(idle) < int(keeps)


def test_a_sidecars_backend_is_the_vllm_beside_it(tmp_path, secrets):
    objects = render("sidecar")
    pod = gateway(objects)
    args = container(pod, "vllm")["args"]
    host = next(a for a in args if a.startswith("--host=")).split("=")[1]
    number = next(a for a in args if a.startswith("--port=")).split("=")[1]
    assert host == "127.0.0.1", "reached by nobody but its gateway"
    assert Laid(objects, pod, tmp_path, secrets).settings()["backend"] == f"http://{host}:{number}/v1"
    assert f"http://{host}:{number}/health" in container(pod, "vllm")["startupProbe"]["exec"]["command"][2]


def test_vllm_alone_has_time_for_its_longest_call(tmp_path, secrets):
    """preStop + --shutdown-timeout + its own end; and no call is longer than max-call-time."""
    pod = next(d for d in render("vllm") if d["kind"] == "Deployment")["spec"]["template"]
    box = container(pod, "vllm")
    timeout = int(next(a for a in box["args"] if a.startswith("--shutdown-timeout=")).split("=")[1])
    assert pod["spec"]["terminationGracePeriodSeconds"] == box["lifecycle"]["preStop"]["sleep"]["seconds"] + timeout + 20
    objects = render("base")
    assert timeout >= seconds(Laid(objects, gateway(objects), tmp_path, secrets).settings()["max-call-time"])
