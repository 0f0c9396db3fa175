from __future__ import annotations

import pytest
from rig import Gateway, Recorder, Simulator, running

from inference_gateway import AsyncClient, AsyncInferenceClient, Client, InferenceClient


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("jars")


@pytest.fixture(scope="session")
def simulator(folder):
    with running(Simulator(folder)) as simulator:
        yield simulator


@pytest.fixture(scope="session")
def gateway(folder, simulator):
    with running(Gateway(folder, simulator.url)) as gateway:
        with Client(gateway.target) as client:
            client.wait_until_ready()
        yield gateway


@pytest.fixture(scope="session")
def recorder():
    recorder = Recorder()
    yield recorder
    recorder.close()


@pytest.fixture(scope="session")
def recording_gateway(folder, recorder):
    with running(Gateway(folder, recorder.url)) as gateway:
        with Client(gateway.target) as client:
            client.wait_until_ready()
        yield gateway


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch):
    for name in ("INFERENCE_GATEWAY_TARGET", "INFERENCE_GATEWAY_TOKEN"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def client(gateway):
    with Client(gateway.target) as client:
        yield client


@pytest.fixture(params=[Client, InferenceClient])
def either(request, gateway):
    """A client of each contract."""
    with request.param(gateway.target) as client:
        yield client


@pytest.fixture(params=[AsyncClient, AsyncInferenceClient])
def either_async(request, gateway):
    """An asyncio client of each contract; the test closes it, in its loop."""
    return request.param(gateway.target)
