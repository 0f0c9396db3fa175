"""What linters and Docker Compose itself say of the files. Whether they fit the product is checked by src/test/java/inferencegateway/deploy."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from dockerfile import REPO

BIN = Path(sys.executable).parent
COMPOSE = ["compose.yaml", "compose.demo.yaml"]


def run(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)


def test_hadolint_has_nothing_to_say_of_the_dockerfile():
    said = run(BIN / "hadolint", "--no-color", REPO / "docker/Dockerfile")
    assert said.returncode == 0, said.stdout


def test_hadolint_would_say_it(tmp_path):
    worse = tmp_path / "Dockerfile"
    text = (REPO / "docker/Dockerfile").read_text()
    worse.write_text(text.replace("ARG MAVEN_IMAGE=maven:3", "ARG MAVEN_IMAGE=maven:3") + '\nENTRYPOINT java -jar it.jar\n')
    assert run(BIN / "hadolint", worse).returncode != 0


def resolved(file):
    # Without Docker's own configuration or a .env of whoever runs this.
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent"}
    said = run(BIN / "docker-compose", "-f", REPO / "docker" / file, "config", "--format", "json", env=env)
    assert said.returncode == 0, said.stderr
    return json.loads(said.stdout)


@pytest.mark.parametrize("file", COMPOSE)
def test_docker_compose_takes_the_file(file):
    services = resolved(file)["services"]
    assert set(services) == {"vllm", "gateway", "envoy", "prometheus", "grafana"}
    for name, service in services.items():
        for mount in service.get("volumes", []):
            assert mount["type"] == "volume" or Path(mount["source"]).exists(), (name, mount)
        for port in service.get("ports", []):
            assert port["host_ip"] == "127.0.0.1", f"{name} is published to the whole network by default"


def test_docker_compose_would_refuse_a_wrong_one(tmp_path):
    file = tmp_path / "compose.yaml"
    file.write_text("services: {gateway: {image: x, comand: [serve]}}")
    assert run(BIN / "docker-compose", "-f", file, "config").returncode != 0


def test_demo_differs_from_the_gpu_host_in_the_backend_only():
    real, demo = (resolved(file)["services"] for file in COMPOSE)
    for name in ("gateway", "envoy", "prometheus", "grafana"):
        assert demo[name] == real[name], name
    assert demo["vllm"]["image"] == demo["gateway"]["image"]
    assert "environment" not in demo["vllm"] and demo["vllm"]["healthcheck"] == {"disable": True}
