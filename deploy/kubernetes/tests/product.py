"""A rendered gateway container as a process on this machine: its files in a folder, its variables, its settings in force."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from renders import JAR, container, of_kind

MOUNT = "/etc/inference-gateway"


class Laid:
    """The files that the kubelet would mount, below a folder that stands for the root."""

    def __init__(self, objects: list[dict], pod: dict, root: Path, secrets: dict[str, dict[str, bytes]]):
        self.root = root
        self.container = container(pod, "gateway")
        volumes = {each["name"]: each for each in pod["spec"]["volumes"]}
        for mount in self.container["volumeMounts"]:
            volume = volumes[mount["name"]]
            if "configMap" in volume:
                maps = [m for m in of_kind(objects, "ConfigMap") if m["metadata"]["name"] == volume["configMap"]["name"]]
                assert len(maps) == 1, volume
                files = {name: text.encode() for name, text in maps[0]["data"].items()}
            elif "secret" in volume:
                files = secrets[volume["secret"]["secretName"]]
            else:
                continue
            self._lay(mount, files)

    def _lay(self, mount: dict, files: dict[str, bytes]) -> None:
        place = self.root / mount["mountPath"].lstrip("/")
        wanted = {place: files[mount["subPath"]]} if "subPath" in mount else {place / n: b for n, b in files.items()}
        for path, content in wanted.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.replace(MOUNT.encode(), self._here.encode()))

    @property
    def _here(self) -> str:
        return str(self.root) + MOUNT

    def command(self, *flags: str) -> list[str]:
        """Like the image's entry point: java -jar and the container's args."""
        args = [each.replace(MOUNT, self._here) for each in self.container["args"]]
        return ["java", "-jar", JAR, *args, *flags]

    def environment(self) -> dict[str, str]:
        own = {each["name"]: each["value"].replace(MOUNT, self._here) for each in self.container["env"]}
        outer = {name: value for name, value in os.environ.items() if not name.startswith(("GATEWAY_", "OTEL_", "JAVA", "JDK"))}
        # It runs for seconds only.
        own["JDK_JAVA_OPTIONS"] += " -XX:TieredStopAtLevel=1"
        return {**outer, **own}

    def run(self, *flags: str) -> subprocess.CompletedProcess:
        return subprocess.run(self.command(*flags), env=self.environment(), capture_output=True, text=True, timeout=60)

    def settings(self) -> dict[str, str]:
        """What is in force, by key."""
        return self.printed()[0]

    def printed(self) -> tuple[dict[str, str], str]:
        """What is in force, and what is said of it."""
        printed = self.run("--print-config")
        assert printed.returncode == 0, printed.stderr
        return dict(re.findall(r"^([a-z][a-z.-]*): (.*?) *#", printed.stdout, re.M)), printed.stderr


def seconds(duration: str) -> float:
    number, unit = re.fullmatch(r"(\d+)(ms|s|m|h)", duration).groups()
    return int(number) * {"ms": 0.001, "s": 1, "m": 60, "h": 3600}[unit]


def port(address: str) -> int:
    return int(address.strip('"').rsplit(":", 1)[1])
