"""deploy/systemd: what systemd says of the units, and the gateway's ExecStart run under what the unit asks for."""

import os
import re
import shlex
import signal
import socket
import subprocess
from pathlib import Path

import pyseccomp
import pytest
from container import running
from dockerfile import REPO

UNITS = REPO / "deploy/systemd"
UNIT = UNITS / "inference-gateway.service"
# As DynamicUser would take, and a group as `inference` would be.
USER, GROUP = 61184, 4242


def settings(unit):
    text = re.sub(r"\\\n", " ", unit.read_text())
    found = {}
    for name, value in re.findall(r"^(\w+)=(.*)$", text, re.M):
        found.setdefault(name, []).append(value)
    return found


def test_systemd_takes_the_units(tmp_path):
    for unit in UNITS.glob("*.service"):
        # It wants the programs to be there.
        (tmp_path / unit.name).write_text(unit.read_text().replace("/opt/vllm/bin/vllm", "/bin/true").replace("/usr/bin/java", "/bin/true"))
    units = [str(unit) for unit in tmp_path.glob("*.service")]
    said = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True)
    assert (said.returncode, said.stderr) == (0, "")


def test_systemd_would_refuse_a_wrong_one(tmp_path):
    wrong = tmp_path / "inference-gateway.service"
    wrong.write_text(UNIT.read_text().replace("/usr/bin/java", "/bin/true").replace("ProtectClock=", "ProtectClocks="))
    said = subprocess.run(["systemd-analyze", "verify", str(wrong)], capture_output=True, text=True)
    assert "ProtectClocks" in said.stderr


def test_unit_is_exposed_to_little():
    said = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", str(UNIT)], capture_output=True, text=True).stdout
    level = float(re.search(r"Overall exposure level for \S+: ([\d.]+)", said)[1])
    assert level <= 2.0, said


def group(name):
    """The system calls of one of systemd's groups, as the systemd here has it."""
    if not name.startswith("@"):
        return {name}
    said = subprocess.run(["systemd-analyze", "syscall-filter", name], capture_output=True, text=True, check=True).stdout
    words = [line.strip() for line in said.splitlines()[1:] if line.strip() and not line.strip().startswith("#")]
    return set().union(*(group(word) for word in words))


def seccomp(unit, file):
    """SystemCallFilter and RestrictAddressFamilies as the kernel takes them."""
    allowed = set()
    for line in unit["SystemCallFilter"]:
        calls = set().union(*(group(word) for word in line.lstrip("~").split()))
        allowed = allowed - calls if line.startswith("~") else allowed | calls
    # systemd itself needs these to start a program, whatever the filter says.
    allowed |= group("@default") | {"execve", "exit", "exit_group"}
    denied = pyseccomp.ERRNO(getattr(__import__("errno"), unit["SystemCallErrorNumber"][0]))
    rules = pyseccomp.SyscallFilter(denied)
    for call in sorted(allowed - {"socket"}):
        try:
            rules.add_rule(pyseccomp.ALLOW, call)
        except (ValueError, OSError):
            pass  # a call of another machine, or one too new for the library here
    for family in unit["RestrictAddressFamilies"][0].split():
        rules.add_rule(pyseccomp.ALLOW, "socket", pyseccomp.Arg(0, pyseccomp.EQ, int(getattr(socket, family))))
    with file.open("wb") as out:
        rules.export_bpf(out)


@pytest.fixture
def vllm(jdk, jar, tmp_path):
    """The simulator on a socket that only the group may use, as vllm.service leaves it."""
    folder = Path(os.environ["IMAGE_ROOT"]).parent / "vllm"
    folder.mkdir(mode=0o750)
    path = folder / "vllm.sock"
    command = [f"{jdk}/bin/java", "-Xmx256m", "-jar", jar, "simulate", "--port", "0", "--uds", str(path), "--api-key", "secret-key"]
    with running(command, tmp_path / "simulator") as simulator:
        simulator.await_words("simulating vLLM on")
        if os.environ["REALLY_ROOT"] == "true":
            path.chmod(0o770)
            os.chown(path, 0, GROUP)
            os.chown(folder, 0, GROUP)
        yield folder


def sandbox(unit, jdk, jar, vllm, filter_fd):
    """What the unit says, in bubblewrap's words; ExecStart itself is only told where this machine has Java."""
    keys = Path(os.environ["IMAGE_ROOT"]).parent / "credentials"
    keys.mkdir()
    keys.chmod(0o755)
    (keys / "backend.key").write_text("secret-key\n")
    (keys / "backend.key").chmod(0o644)
    assert unit["LoadCredential"] == ["backend.key:/etc/inference-gateway/backend.key"]
    command = []
    if os.environ["REALLY_ROOT"] == "true":
        command += ["setpriv", f"--reuid={USER}", f"--regid={USER}", f"--groups={GROUP}", "--no-new-privs", "--bounding-set=-all"]
    command += ["bwrap", "--unshare-user", "--unshare-pid", "--cap-drop", "ALL", "--die-with-parent", "--clearenv"]
    command += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    for empty in ("/tmp", "/etc", "/opt", "/run", "/root", "/home"):
        command += ["--tmpfs", empty]
    for kept in ("/etc/ssl", "/etc/hosts", "/etc/nsswitch.conf"):
        command += ["--ro-bind-try", kept, kept]
    command += ["--ro-bind", jdk, "/opt/jdk", "--ro-bind", jar, "/opt/inference-gateway/inference-gateway.jar"]
    command += ["--ro-bind", str(UNITS / "gateway.yaml"), "/etc/inference-gateway/gateway.yaml"]
    command += ["--ro-bind", str(vllm), "/run/vllm", "--ro-bind", str(keys), "/run/credentials/inference-gateway.service"]
    command += ["--setenv", "CREDENTIALS_DIRECTORY", "/run/credentials/inference-gateway.service"]
    # As a line of gateway.env would.
    command += ["--setenv", "GATEWAY_DRAIN_PAUSE", "100ms"]
    for read_only in ("/etc", "/opt", "/run", "/root", "/home"):
        command += ["--remount-ro", read_only]
    (start,) = unit["ExecStart"]
    start = start.replace("${CREDENTIALS_DIRECTORY}", "/run/credentials/inference-gateway.service")
    java, *args = shlex.split(start)
    assert java == "/usr/bin/java"
    return [*command, "--seccomp", str(filter_fd), "/opt/jdk/bin/java", *args]


def test_exec_start_serves_under_what_the_unit_allows(jdk, jar, vllm, tmp_path):
    unit = settings(UNIT)
    seccomp(unit, tmp_path / "filter")
    with (tmp_path / "filter").open("rb") as allowed:
        command = sandbox(unit, jdk, jar, vllm, allowed.fileno())
        with running(command, tmp_path / "gateway", pass_fds=[allowed.fileno()]) as gateway:
            gateway.await_words("Ready: health says SERVING")
            status = Path(f"/proc/{gateway.java}/status").read_text()
            assert re.search(r"^Seccomp:\t2$", status, re.M), status
            assert "epoll" in Path(f"/proc/{gateway.java}/maps").read_text()
            call = [f"{jdk}/bin/java", "-jar", jar, "generate", "Say something"]
            said = subprocess.run(call, capture_output=True, text=True, timeout=30)
            assert said.returncode == 0 and len(said.stdout) > 50, said
            assert unit["ExecReload"] == ["/bin/kill -HUP $MAINPID"]
            gateway.signal(signal.SIGHUP)
            assert subprocess.run(call, capture_output=True, timeout=30).returncode == 0
            gateway.signal(signal.SIGTERM)
            assert gateway.wait(int(unit["TimeoutStopSec"][0])) == 0, gateway.said()
            said = "".join(line for line in gateway.said().splitlines(True) if "hardware address" not in line)
            assert "WARN" not in said and "outcome=ok" in said, said
