"""What kustomize makes of the folders here, alone and with components."""

from __future__ import annotations

import json
import os
import subprocess
from functools import lru_cache
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent.parent
WORK = Path(os.environ["WORK"])
JAR = os.environ["GATEWAY_JAR"]

ALONE = ["base", "sidecar", "vllm", "example"]
# Name: resources, components in the order in which a user would write them.
WITH_COMPONENTS = {
    "named callers": (["base"], ["callers"]),
    "tls": (["base"], ["tls"]),
    "mtls": (["base"], ["tls", "mtls"]),
    "long answers": (["base"], ["long-answers"]),
    "all own": (
        ["base", "vllm"],
        ["monitoring", "callers", "tls", "mtls", "long-answers", "autoscaling", "autoscaling-keda", "grpcroute"],
    ),
    "sidecar, named callers": (["sidecar"], ["callers"]),
    "sidecar, long answers": (["sidecar"], ["long-answers"]),
    "all sidecar": (
        ["sidecar"],
        ["monitoring", "callers", "tls", "mtls", "long-answers", "autoscaling-gpu", "grpcroute"],
    ),
}
NAMES = ALONE + list(WITH_COMPONENTS)


@lru_cache(maxsize=None)
def render(name: str) -> list[dict]:
    """The objects, as the API server would be sent them."""
    folder = HERE / name if name in ALONE else _written(name)
    built = subprocess.run([WORK / "bin/kustomize", "build", folder], capture_output=True, text=True, timeout=60)
    assert built.returncode == 0, f"{name}: {built.stderr}"
    # Deprecated fields and the like.
    assert not built.stderr.strip(), f"{name}: {built.stderr}"
    return [each for each in yaml.safe_load_all(built.stdout) if each]


def _written(name: str) -> Path:
    resources, components = WITH_COMPONENTS[name]
    folder = WORK / "renders" / name.replace(" ", "-").replace(",", "")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kustomization.yaml").write_text(
        json.dumps(
            {
                "apiVersion": "kustomize.config.k8s.io/v1beta1",
                "kind": "Kustomization",
                "resources": [os.path.relpath(HERE / each, folder) for each in resources],
                "components": [os.path.relpath(HERE / "components" / each, folder) for each in components],
            }
        )
    )
    return folder


def of_kind(objects: list[dict], kind: str) -> list[dict]:
    return [each for each in objects if each["kind"] == kind]


def gateway(objects: list[dict]) -> dict:
    """The Deployment's pod."""
    found = [each for each in of_kind(objects, "Deployment") if each["metadata"]["name"] == "inference-gateway"]
    return found[0]["spec"]["template"]


def container(pod: dict, name: str) -> dict:
    every = pod["spec"]["containers"] + pod["spec"].get("initContainers", [])
    return next(each for each in every if each["name"] == name)


def has_gateway(name: str) -> bool:
    return name != "vllm"


def quantity(text: str) -> int:
    """Bytes of 2Gi, 64Mi."""
    units = {"Ki": 10, "Mi": 20, "Gi": 30}
    return int(text[:-2]) << units[text[-2:]] if text[-2:] in units else int(text)
