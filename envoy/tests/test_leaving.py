"""Who leaves stops the generation, with Envoy between as without it."""

import grpc
import pytest
from calling import Caller, Page, asked
from rig import eventually

STREAM = "/llm.v1.LLMService/CompleteStream"
SLOW = "[[sim:inter-token=200ms]] Hi"


@pytest.fixture
def lefts(simulators):
    """How many clients of the simulators have left since the test began."""
    before = sum(simulator.left() for simulator in simulators)
    return lambda: sum(simulator.left() for simulator in simulators) - before


def test_cancelled_stream_stops_at_the_backend(caller, lefts):
    stream = caller.stream(SLOW, tokens=1000)
    eventually(lambda: stream.first)
    assert lefts() == 0
    stream.cancel()
    eventually(lambda: lefts() == 1, 3)
    assert stream.ended().code == grpc.StatusCode.CANCELLED


def test_cancelled_unary_call_stops_at_the_backend(caller, lefts, simulators):
    running = sum(simulator.running() for simulator in simulators)
    call = caller.llm.Complete.future(asked(SLOW, 1000), timeout=60)
    eventually(lambda: sum(simulator.running() for simulator in simulators) > running)
    call.cancel()
    eventually(lambda: lefts() == 1, 3)


def test_cancel_before_the_first_token_stops_at_the_backend(caller, lefts, simulators):
    running = sum(simulator.running() for simulator in simulators)
    stream = caller.stream("[[sim:stall-before-headers]] Hi")
    eventually(lambda: sum(simulator.running() for simulator in simulators) > running)
    stream.cancel()
    eventually(lambda: lefts() == 1, 3)


def test_a_connection_that_is_gone_stops_all_its_calls(envoy, lefts):
    with Caller(envoy.target) as caller:
        streams = [caller.stream(SLOW, tokens=1000) for _ in range(5)]
        eventually(lambda: all(stream.first for stream in streams))
    eventually(lambda: lefts() == 5, 3)


def test_a_page_that_is_closed_stops_its_call(envoy, lefts):
    page = Page(envoy.target, STREAM, asked(SLOW, 1000))
    assert page.answer().read(5)
    page.leave()
    eventually(lambda: lefts() == 1, 3)
