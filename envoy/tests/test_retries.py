"""Envoy repeats what the gateway calls safe, once and unary only; nothing else."""

from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from calling import Caller, trailers
from rig import Envoy, eventually, running
from shipped import Config

UNARY = "/llm.v1.LLMService/Complete"
SAFE = "[[sim:status=503-starting]] Hi"


@pytest.fixture
def watched(folder, gateways):
    """An Envoy of this test alone, since failures put gateways aside."""
    with running(Envoy(folder, Config().made(*gateways))) as envoy:
        eventually(lambda: all(map(envoy.healthy, gateways)))
        yield envoy


def attempts(envoy, caller, prompt, request_id):
    error = caller.failure(prompt, metadata=(("x-request-id", request_id),))
    return envoy.access(request_id)["attempts"], error


def test_what_is_safe_is_tried_once_more_and_elsewhere(watched, gateways):
    with Caller(watched.target) as caller:
        tried, error = attempts(watched, caller, SAFE, "safe")
    assert tried == 2
    assert trailers(error)["x-gateway-retry"] == "safe"
    assert error.code() == grpc.StatusCode.UNAVAILABLE
    for gateway in gateways:
        eventually(lambda: len(gateway.calls("request_id=safe ")) == 1)


@pytest.mark.parametrize(
    "prompt, code",
    [
        ("[[sim:status=500]] Hi", grpc.StatusCode.UNAVAILABLE),
        ("[[sim:error-event-after=0]] Hi", grpc.StatusCode.UNAVAILABLE),
        ("[[sim:context-length]] Hi", grpc.StatusCode.INVALID_ARGUMENT),
    ],
)
def test_what_is_not_is_not(watched, prompt, code):
    with Caller(watched.target) as caller:
        tried, error = attempts(watched, caller, prompt, "unsafe")
    assert error.code() == code
    assert "x-gateway-retry" not in trailers(error)
    assert tried == 1


def test_the_code_alone_is_no_reason(watched, folder, gateways):
    """The same status, safe or not: told apart by the header. And retries by code would be noticed here."""
    config = Config()
    config.route(UNARY)["retry_policy"]["retry_on"] = "unavailable"
    with running(Envoy(folder, config.broken(*gateways))) as envoy, Caller(envoy.target) as caller:
        assert attempts(envoy, caller, "[[sim:status=500]] Hi", "by-code")[0] == 2


def test_streams_are_never_repeated(watched):
    with Caller(watched.target) as caller:
        stream = caller.stream(SAFE).ended()
    assert trailers(stream.error)["x-gateway-retry"] == "safe"
    assert watched.access(stream.request_id)["attempts"] == 1


def test_a_caller_cannot_ask_for_more(watched):
    with Caller(watched.target) as caller:
        error = caller.failure(
            "[[sim:status=500]] Hi",
            metadata=(
                ("x-request-id", "greedy"),
                ("x-envoy-retry-on", "5xx,unavailable"),
                ("x-envoy-retry-grpc-on", "unavailable"),
                ("x-envoy-max-retries", "9"),
            ),
        )
    assert error.code() == grpc.StatusCode.UNAVAILABLE
    assert watched.access("greedy")["attempts"] == 1


def test_a_caller_without_any_gateway_is_told_that_it_may_repeat(folder):
    with running(Envoy(folder, Config().made(("127.0.0.1", 9)))) as envoy, Caller(envoy.target) as caller:
        error = caller.failure("Hi")
    assert error.code() == grpc.StatusCode.UNAVAILABLE
    assert trailers(error)["x-gateway-retry"] == "safe"
    assert trailers(error)["grpc-retry-pushback-ms"] == "1000"


def test_retries_are_a_share_of_what_runs(folder, gateways):
    """Sixty safe failures at once are not sixty retries more for gateways that have trouble already."""
    with running(Envoy(folder, Config().made(*gateways))) as envoy, Caller(envoy.target) as caller:
        stalled = [caller.stream("[[sim:stall-before-headers]] Hi") for _ in range(5)]
        eventually(lambda: int(envoy.stat("cluster.gateway.upstream_rq_active")) == 5)
        with ThreadPoolExecutor(60) as pool:
            list(pool.map(lambda _: caller.failure(SAFE), range(60)))
        assert envoy.stat("cluster.gateway.upstream_rq_retry") > 0
        assert envoy.stat("cluster.gateway.upstream_rq_retry_overflow") > 0
        for stream in stalled:
            stream.cancel()
