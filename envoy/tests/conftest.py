from __future__ import annotations

from contextlib import ExitStack

import pytest
from calling import Caller
from rig import Envoy, Gateway, Simulator, eventually, running
from shipped import Config


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("logs")


@pytest.fixture(scope="session")
def simulators(folder):
    with running(Simulator(folder), Simulator(folder)) as both:
        yield both


@pytest.fixture(scope="session")
def simulator(simulators):
    return simulators[0]


@pytest.fixture(scope="session")
def gateways(folder, simulators):
    """Two, each with a backend of its own."""
    with running(*(Gateway(folder, simulator.url) for simulator in simulators)) as both:
        yield both


@pytest.fixture(scope="session")
def envoy(folder, gateways):
    """As shipped, before the two."""
    with running(Envoy(folder, Config().made(*gateways))) as envoy:
        eventually(lambda: all(map(envoy.healthy, gateways)))
        yield envoy


@pytest.fixture
def caller(envoy):
    with Caller(envoy.target) as caller:
        yield caller


@pytest.fixture(scope="module")
def ends():
    """What is to be done after a file's tests."""
    with ExitStack() as stack:
        yield stack
