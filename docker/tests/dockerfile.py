"""Reads docker/Dockerfile and does, without an engine, what its last stages say."""

import json
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

REPO = Path(__file__).resolve().parents[2]


@dataclass
class Stage:
    name: str
    instructions: list = field(default_factory=list)  # (INSTRUCTION, rest)

    def all(self, instruction):
        return [rest for name, rest in self.instructions if name == instruction]

    def one(self, instruction):
        (rest,) = self.all(instruction)
        return rest


def stages(text):
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    logical = re.sub(r"\\\n", " ", "\n".join(lines)).splitlines()
    found = []
    for line in filter(str.strip, logical):
        instruction, rest = line.strip().split(None, 1)
        if instruction == "FROM":
            words = rest.split()
            found.append(Stage(words[words.index("AS") + 1] if "AS" in words else ""))
        elif found:
            found[-1].instructions.append((instruction, rest))
    return found


class Image:
    """The last stage: its files under `root`, and how it is run."""

    def __init__(self, root, jdk, jar):
        *_, runtime, final = stages((REPO / "docker/Dockerfile").read_text())
        self.root = root
        self._build(runtime, jdk, jar)
        for copy in final.all("COPY"):
            source, target = shlex.split(copy)[-2:]
            assert f"--from={runtime.name}" in copy and source == target, copy
        self.kept = [shlex.split(copy)[-1] for copy in final.all("COPY")]
        self.workdir = final.one("WORKDIR")
        self.env = dict(word.split("=", 1) for word in shlex.split(final.one("ENV")))
        self.uid, self.gid = (int(number) for number in final.one("USER").split(":"))
        self.stop_signal = final.one("STOPSIGNAL")
        self.entrypoint = json.loads(final.one("ENTRYPOINT"))
        self.cmd = json.loads(final.one("CMD"))
        self.healthcheck = json.loads(final.one("HEALTHCHECK").split("CMD", 1)[1])

    def _build(self, stage, jdk, jar):
        """Its COPY and RUN, one after the other, in a sandbox where / is this machine's and the JDK is first on the PATH."""
        workdir = "/"
        built = {"/src/target/inference-gateway.jar": jar, "/src/target/inference-gateway.sbom.json": None}
        for instruction, rest in stage.instructions:
            if instruction == "WORKDIR":
                workdir = rest
            elif instruction == "COPY":
                *sources, target = (word for word in shlex.split(rest) if not word.startswith("--"))
                to = self.root / (Path(workdir) / target).relative_to("/")
                to.mkdir(parents=True, exist_ok=True)
                for source in sources:
                    file = built[source] if "--from=" in rest else REPO / source
                    if file is not None:
                        shutil.copy2(file, to / Path(source).name)
            elif instruction == "RUN":
                self._run(rest, jdk)

    def _run(self, command, jdk):
        sandbox = ["bwrap", "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--ro-bind", jdk, "/jdk"]
        own = {"dev", "proc", "tmp", "jdk", "opt", *(folder.name for folder in self.root.iterdir())}
        for there in Path("/").iterdir():
            if there.is_symlink():
                sandbox += ["--symlink", str(there.readlink()), str(there)]
            elif there.is_dir() and there.name not in own:
                sandbox += ["--ro-bind", str(there), str(there)]
        (self.root / "opt").mkdir(exist_ok=True)
        for folder in self.root.iterdir():
            sandbox += ["--bind", str(folder), f"/{folder.name}"]
        sandbox += ["--setenv", "PATH", "/jdk/bin:/usr/bin:/bin", "--unshare-net", "--die-with-parent"]
        subprocess.run([*sandbox, "bash", "-c", command], check=True)
