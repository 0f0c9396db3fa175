"""The image, built and run without an engine: docker/Dockerfile's last stages, as bubblewrap can do them.

These run in a network of their own (verify.sh), so that the image's own ports are free."""

import os
import re
import signal
import statistics
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest
from container import NOEXEC_TMP, image_command, running

BACKEND = {"GATEWAY_BACKEND": "http://127.0.0.1:8000/v1", "GATEWAY_ALLOW_ANY_CALLER": "true"}
READY = "Ready: health says SERVING"


@pytest.fixture(scope="module")
def simulator(image, tmp_path_factory):
    command = image_command(image, [*image.entrypoint, "simulate", "--port", "8000"])
    with running(command, tmp_path_factory.mktemp("simulator") / "log") as container:
        container.await_words("simulating vLLM on")
        yield container


def gateway(image, log, env=(), **more):
    return running(image_command(image, [*image.entrypoint, *image.cmd], {**BACKEND, **dict(env)}, **more), log)


@pytest.fixture(scope="class")
def served(image, simulator, tmp_path_factory):
    with gateway(image, tmp_path_factory.mktemp("gateway") / "log") as container:
        container.await_words(READY)
        yield container


def once(image, args, seconds=60):
    return subprocess.run(image_command(image, args), capture_output=True, text=True, timeout=seconds)


def exec_in(image, *args):
    """docker exec NAME java -jar inference-gateway.jar ARGS"""
    return once(image, [image.entrypoint[0], "-jar", "inference-gateway.jar", *args])


@pytest.mark.usefixtures("served")
class TestServed:
    """One gateway, started as the image starts it."""

    def test_runs_as_nobody_in_particular_and_as_the_first_process(self, image, served):
        status = Path(f"/proc/{served.java}/status").read_text()
        assert os.readlink(f"/proc/{served.java}/exe").endswith("/opt/java/bin/java")
        if os.environ["REALLY_ROOT"] == "true":
            assert re.search(rf"^Uid:\t{image.uid}\t{image.uid}\t", status, re.M), status
        assert re.search(r"^NSpid:.*\t1$", status, re.M), status
        assert re.search(r"^CapEff:\t0+$", status, re.M) and re.search(r"^NoNewPrivs:\t1$", status, re.M), status

    def test_root_is_read_only_and_nothing_is_written_to_tmp(self, served):
        mounts = {line.split()[1]: line.split()[3].split(",") for line in Path(f"/proc/{served.java}/mounts").read_text().splitlines()}
        assert "ro" in mounts["/"] and "ro" in mounts["/app"] and "ro" in mounts["/opt/java"]
        assert "noexec" in mounts["/tmp"]
        assert os.listdir(NOEXEC_TMP) == []

    def test_native_library_and_class_cache_are_those_of_the_image(self, image, served):
        maps = Path(f"/proc/{served.java}/maps").read_text()
        assert re.search(r"/app/native/\S+epoll\S+\.so", maps), "epoll"
        assert "/app/gateway.aot" in maps
        # Netty's word that this network has no hardware address is about this network.
        said = "".join(line for line in served.said().splitlines(True) if "hardware address" not in line)
        assert "[warning]" not in said and "WARN" not in said, said

    def test_a_call_comes_through(self, image, served):
        said = exec_in(image, "generate", "Say something")
        assert said.returncode == 0 and len(said.stdout) > 50, said

    def test_healthcheck_of_the_image_says_yes(self, image, served):
        said = once(image, image.healthcheck, seconds=5)
        assert (said.returncode, said.stdout) == (0, "SERVING\n"), said
        assert said.stderr == ""

    def test_readiness_and_status_are_told_inside(self, image, served):
        assert exec_in(image, "health", "--service", "readiness", "--target", "127.0.0.1:50052").returncode == 0
        said = exec_in(image, "status")
        assert said.returncode == 0 and "READY" in said.stdout, said

    def test_prometheus_reads_metrics(self, served):
        with urllib.request.urlopen("http://127.0.0.1:9464/metrics", timeout=10) as page:
            text = page.read().decode()
        assert "inference_gateway_state" in text
        limit = float(re.search(r"^inference_gateway_memory_direct_limit_bytes (\S+)", text, re.M)[1])
        assert 0 < limit <= 1 << 30


def test_term_lets_a_running_call_end_and_the_exit_code_is_0(image, simulator, tmp_path):
    env = {"GATEWAY_DRAIN_PAUSE": "200ms"}
    with gateway(image, tmp_path / "gateway", env) as container:
        container.await_words(READY)
        call = [image.entrypoint[0], "-jar", "inference-gateway.jar", "generate", "[[sim:inter-token=100ms]] Count"]
        with running(image_command(image, call), tmp_path / "call") as caller:
            caller.await_words(r"\w \w+ \w")
            container.signal(getattr(signal, image.stop_signal))
            container.await_words("no new calls")
            assert caller.process.poll() is None, "the call was over before the drain began"
            assert caller.wait() == 0, caller.said()
        assert container.wait() == 0, container.said()
        assert "Stopped" in container.said() and "outcome=ok" in container.said()


def test_healthcheck_says_no_when_nobody_serves(image, simulator):
    assert once(image, [word.replace("50052", "50059") for word in image.healthcheck], seconds=10).returncode == 1


def test_out_of_memory_ends_the_process(image, simulator, tmp_path):
    # Also: -Xmx in JAVA_TOOL_OPTIONS wins over the image's percentage.
    with gateway(image, tmp_path / "log", {"JAVA_TOOL_OPTIONS": "-Xmx9m"}) as container:
        assert container.wait() == 3, container.said()
        assert "OutOfMemoryError" in container.said()


def test_works_without_any_tmp(image, simulator, tmp_path):
    with gateway(image, tmp_path / "log", tmp=False) as container:
        container.await_words(READY)


def test_serves_tls_by_its_own_library(image, simulator, tmp_path):
    keys = image.root.parent / "keys"
    keys.mkdir()
    make = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost"
    subprocess.run([*make.split(), "-addext", "subjectAltName=DNS:localhost", "-keyout", keys / "tls.key", "-out", keys / "tls.crt"], check=True, capture_output=True)
    for file in (keys, *keys.iterdir()):
        file.chmod(0o755 if file.is_dir() else 0o644)
    env = {"GATEWAY_TLS_CERT": "/keys/tls.crt", "GATEWAY_TLS_KEY": "/keys/tls.key"}
    mount = ["--ro-bind", str(keys), "/keys"]
    command = image_command(image, [*image.entrypoint, *image.cmd], {**BACKEND, **env})
    command[command.index("--remount-ro") : command.index("--remount-ro")] = mount
    with running(command, tmp_path / "log") as container:
        container.await_words(READY)
        assert re.search(r"/app/native/\S+tcnative\S+\.so", Path(f"/proc/{container.java}/maps").read_text())
        # Its health check is in plaintext, whatever the calls are in.
        assert once(image, image.healthcheck, seconds=5).returncode == 0


def test_java_has_all_modules_that_the_jar_refers_to(image, jdk, jar):
    jdeps = [f"{jdk}/bin/jdeps", "--multi-release", "25", "--ignore-missing-deps", "--print-module-deps", jar]
    wanted = set(subprocess.run(jdeps, capture_output=True, text=True, check=True).stdout.strip().split(","))
    listed = once(image, [image.entrypoint[0], "--list-modules"]).stdout
    there = {line.split("@")[0] for line in listed.split()}
    # Beans, java.sql.Date and annotations of the compiler: of libraries that do without where these are not.
    assert wanted - there <= {"java.desktop", "java.sql", "java.compiler"}, wanted - there


def test_class_cache_makes_the_start_cheaper(image, simulator, tmp_path, capsys):
    """Compared by CPU time, which a busy machine changes less than the clock."""
    plain = [word for word in image.entrypoint]
    rounds = int(os.environ.get("START_ROUNDS", "1"))
    figures = {"with": [], "without": []}
    for number in range(rounds):
        for kind, flags in (("with", []), ("without", ["-XX:AOTMode=off"])):
            command = image_command(image, [plain[0], plain[1], *flags, *plain[2:], *image.cmd], BACKEND)
            with running(command, tmp_path / f"{kind}{number}") as container:
                container.await_words(READY)
                figures[kind].append((time.monotonic() - container.begun, container.cpu_seconds()))
    wall = {kind: statistics.median(wall for wall, _ in rows) for kind, rows in figures.items()}
    cpu = {kind: statistics.median(cpu for _, cpu in rows) for kind, rows in figures.items()}
    with capsys.disabled():
        print(
            f"\ndocker: start to SERVING, median of {rounds}: {wall['with']:.2f} s with the class cache ({cpu['with']:.1f} s of CPU),"
            f" {wall['without']:.2f} s without ({cpu['without']:.1f} s of CPU)"
        )
    assert cpu["with"] < 0.85 * cpu["without"]
