"""No time limit of Envoy cuts what the gateway would go on with, and each check is shown to notice one that does.

Minutes are made seconds: a gap of six minutes lasts six seconds, and every time that could end it is divided by sixty as well: Envoy's
idle_timeout, and the gateway's gap-timeout (set to eight minutes for it: GAP_TIMEOUT in rig.py).
"""

import time
from contextlib import ExitStack

import grpc
import llm_pb2
import pytest
from calling import Caller, Page, asked
from rig import Envoy, eventually, running
from shipped import Config

STREAM = "/llm.v1.LLMService/CompleteStream"
UNARY = "/llm.v1.LLMService/Complete"
LONG = 17  # seconds; Envoy's default for a route is 15
GAP = 6


def scaled(seconds):
    """A minute is a second."""
    return f"{seconds / 60:g}s"


@pytest.fixture(scope="module")
def long_stream(envoy):
    """Begun before the other tests of this file, looked at after them."""
    with Caller(envoy.target) as caller:
        yield caller.stream(f"[[sim:inter-token={LONG * 1000 // 8}ms]] Hi", tokens=9)


@pytest.fixture(scope="module")
def cut_stream(folder, gateways):
    """The same through an Envoy whose route has the default."""
    config = Config()
    del config.route(STREAM)["timeout"]
    del config.route(STREAM)["max_stream_duration"]
    with running(Envoy(folder, config.broken(*gateways))) as envoy, Caller(envoy.target) as caller:
        yield caller.stream(f"[[sim:inter-token={LONG * 1000 // 8}ms]] Hi", tokens=9)


@pytest.fixture(scope="module")
def gapped(folder, gateways):
    """Streams with a gap of six minutes, scaled: through Envoy as shipped, and through one that allows five minutes of silence, its default."""
    with ExitStack() as ends:

        def begun(idle):
            config = Config()
            shipped = config.route(STREAM)["idle_timeout"]
            config.route(STREAM)["idle_timeout"] = scaled(float((idle or shipped).rstrip("s")))
            envoy = ends.enter_context(running(Envoy(folder, config.made(gateways[0]))))
            caller = ends.enter_context(Caller(envoy.target))
            return caller.stream(f"[[sim:inter-token={GAP}s]] Hi", tokens=2)

        yield {"shipped": begun(None), "default": begun("300s")}


@pytest.fixture(scope="module", autouse=True)
def _begun(long_stream, cut_stream, gapped, simulators):
    """All that take long, before the other tests of this file."""
    eventually(lambda: sum(simulator.running() for simulator in simulators) >= 4)


def test_the_callers_deadline_is_kept_and_stops_the_generation(caller, envoy, simulators):
    before = sum(simulator.left() for simulator in simulators)
    running = sum(simulator.running() for simulator in simulators)
    stream = caller.stream("[[sim:inter-token=200ms]] Hi", tokens=1000, timeout=1).ended()
    # INTERNAL: the caller's clock was late, and Envoy's came first.
    assert stream.code in (grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.INTERNAL)
    assert 0.9 < stream.took < 5
    eventually(lambda: sum(simulator.left() for simulator in simulators) == before + 1)
    assert sum(simulator.running() for simulator in simulators) <= running


def test_a_deadline_before_any_answer_is_told_as_such(caller, envoy):
    error = caller.failure("[[sim:stall-before-headers]] Hi", timeout=0.5)
    assert error.code() == grpc.StatusCode.DEADLINE_EXCEEDED


def page(envoy, path, prompt, request_id):
    """It says grpc-timeout, one second, and does nothing about it itself."""
    return Page(envoy.target, path, asked(prompt, 1000), {"grpc-timeout": "1S", "x-request-id": request_id}.items())


def test_the_deadline_of_a_caller_that_hangs_is_kept(envoy, simulators):
    """By Envoy or by the gateway, whichever clock is first."""
    before = sum(simulator.left() for simulator in simulators)
    began = time.monotonic()
    hanging = page(envoy, STREAM, "[[sim:inter-token=200ms]] Hi", "hanging")
    assert hanging.answer().status == 200
    eventually(lambda: sum(simulator.left() for simulator in simulators) == before + 1)
    assert 0.8 < time.monotonic() - began < 5
    hanging.leave()


@pytest.mark.parametrize("path", [STREAM, UNARY])
def test_envoy_keeps_it_by_itself(folder, gateways, path):
    """Seen by an offset that is large enough for a busy machine; as shipped, it is 20 ms for unary calls and none for streams."""
    config = Config()
    shipped = config.route(path)["max_stream_duration"]
    assert shipped.pop("grpc_timeout_header_offset", None) == (None if path == STREAM else "0.02s")
    shipped["grpc_timeout_header_offset"] = "0.5s"
    with running(Envoy(folder, config.broken(*gateways))) as envoy:
        hanging = page(envoy, path, "[[sim:stall-before-headers]] Hi", "own")
        assert hanging.answer().headers["grpc-status"]
        line = envoy.access("own")
        assert line["details"] == "max_duration_timeout"
        assert 400 < line["duration_ms"] < 1000
        hanging.leave()


@pytest.mark.parametrize("given", [300, None])
def test_the_cap_holds_whatever_the_caller_asks(folder, gateways, given):
    config = Config()
    for path in (STREAM, UNARY):
        config.route(path)["max_stream_duration"].update(max_stream_duration="1s", grpc_timeout_header_max="1s")
    with running(Envoy(folder, config.made(*gateways))) as envoy, Caller(envoy.target) as caller:
        stream = caller.stream("[[sim:inter-token=200ms]] Hi", tokens=1000, timeout=given).ended()
        assert stream.code != grpc.StatusCode.OK
        assert envoy.access(stream.request_id)["details"] == "max_duration_timeout"
        assert 0.8 < stream.took < 5
        error = caller.failure("[[sim:inter-token=200ms]] Hi", tokens=1000, timeout=given)
        assert error.code() == grpc.StatusCode.DEADLINE_EXCEEDED


def test_a_stream_outlives_the_age_of_its_connection(folder, gateways):
    config = Config()
    config.connections["common_http_protocol_options"]["max_connection_duration"] = "0.5s"
    config.connections["drain_timeout"] = "0.5s"
    with running(Envoy(folder, config.made(*gateways))) as envoy, Caller(envoy.target) as caller:
        caller.stream("[[sim:inter-token=300ms]] Hi", tokens=8).whole()
        assert caller.complete("Hi")
        assert envoy.stat("http.calls.downstream_cx_max_duration_reached") >= 1


def test_a_gap_of_six_minutes_is_waited_for(gapped):
    stream = gapped["shipped"].whole()
    assert stream.arrivals[-1] - stream.arrivals[0] > GAP * 0.9


def test_the_gap_is_cut_where_silence_is_limited_as_by_default(gapped):
    stream = gapped["default"].ended()
    assert stream.code != grpc.StatusCode.OK
    assert stream.took < GAP


def test_a_stream_of_more_than_15_seconds_is_whole(long_stream):
    stream = long_stream.whole()
    assert stream.took > 15


def test_it_would_be_cut_by_envoys_default(cut_stream):
    stream = cut_stream.ended()
    assert stream.code != grpc.StatusCode.OK
    assert stream.took < LONG
