"""Runs a program as a container would: user, file system, capabilities and PID 1 by bubblewrap."""

import os
import re
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

# What distroless' `cc` has of glibc and libgcc; taken from this machine. No shell, nothing else.
LIBRARIES = """libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 librt.so.1 libresolv.so.2 libgcc_s.so.1
    libnss_dns.so.2 libnss_files.so.2""".split()


def _libraries():
    folders = [Path(folder) for folder in ("/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/lib64", "/usr/lib64")]
    binds = []
    for name in LIBRARIES:
        file = next((folder / name for folder in folders if (folder / name).exists()), None)
        if file:
            binds += ["--ro-bind", str(file.resolve()), f"{file.parent}/{name}"]
    for loader in ("/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"):
        if Path(loader).exists():
            binds += ["--ro-bind", str(Path(loader).resolve()), loader]
    return binds


def as_user(uid, gid):
    """Really that user where we are really root; else its number in a name space of users."""
    if os.environ["REALLY_ROOT"] != "true":
        return []
    return ["setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups", "--no-new-privs", "--bounding-set=-all"]


def rootless(uid, gid):
    return ["--unshare-user", "--uid", str(uid), "--gid", str(gid), "--unshare-pid", "--unshare-ipc", "--cap-drop", "ALL"]


# A tmpfs with the options of compose.yaml, made by verify.sh: noexec is nothing that bubblewrap can do.
NOEXEC_TMP = os.environ.get("NOEXEC_TMP", "")


def image_command(image, args, env=(), tmp=True):
    command = [*as_user(image.uid, image.gid), "bwrap", *rootless(image.uid, image.gid), "--as-pid-1", "--die-with-parent"]
    command += ["--new-session", "--clearenv", "--proc", "/proc", "--dev", "/dev", *_libraries()]
    for folder in image.kept:
        command += ["--ro-bind", str(image.root / folder.lstrip("/")), folder]
    for name, value in {**image.env, **dict(env)}.items():
        command += ["--setenv", name, value]
    command += ["--bind", NOEXEC_TMP, "/tmp"] if tmp else []
    return [*command, "--remount-ro", "/", "--chdir", image.workdir, *args]


class Container:
    def __init__(self, command, log, pass_fds=()):
        self.log = log
        self.begun = time.monotonic()
        with log.open("w") as out:
            self.process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, pass_fds=pass_fds)

    def said(self):
        return self.log.read_text(errors="replace")

    def await_words(self, pattern, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = re.search(pattern, self.said())
            if found:
                return found
            assert self.process.poll() is None, f"ended with {self.process.returncode}:\n{self.said()}"
            time.sleep(0.01)
        raise AssertionError(f"no {pattern} in\n{self.said()}")

    @property
    def java(self):
        """The process of java: bubblewrap's child."""
        pid = self.process.pid
        while True:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            if not children:
                return pid
            pid = int(children[0])

    def cpu_seconds(self):
        fields = Path(f"/proc/{self.java}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def signal(self, number):
        os.kill(self.java, number)

    def wait(self, seconds=60):
        return self.process.wait(seconds)

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


@contextmanager
def running(command, log, **more):
    container = Container(command, log, **more)
    try:
        yield container
    finally:
        container.stop()
