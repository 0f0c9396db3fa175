"""HAProxy and nginx with the samples of other/: their own check of the file, and calls through them."""

import re

import grpc
import pytest
from calling import Caller
from proxies import Proxy
from rig import Gateway, eventually, running

@pytest.fixture(scope="module", params=["haproxy", "nginx"])
def proxy(request, folder, gateways):
    with running(Proxy(folder, request.param, *(gateway.port for gateway in gateways))) as proxy:
        yield proxy


@pytest.fixture(scope="module")
def caller(proxy):
    with Caller(proxy.target) as caller:
        yield caller


def test_the_file_is_taken_without_a_warning(proxy):
    said = proxy.check.stdout + proxy.check.stderr
    assert not re.search("warn|alert|deprecated", said, re.IGNORECASE), said


def test_calls_pass_with_their_errors(caller):
    assert caller.complete("Hi")
    assert caller.complete("word " * 100_000)
    error = caller.failure("[[sim:context-length]] Hi")
    assert error.code() == grpc.StatusCode.INVALID_ARGUMENT
    unknown = caller.channel.unary_unary("/grpc.channelz.v1.Channelz/GetServers", lambda request: request, lambda answer: answer)
    with pytest.raises(grpc.RpcError) as failed:
        unknown(b"", timeout=10)
    assert failed.value.code() == grpc.StatusCode.UNIMPLEMENTED


def test_tokens_arrive_one_by_one(caller):
    stream = caller.stream("[[sim:inter-token=100ms]] Hi", tokens=8).whole()
    assert len(stream.arrivals) >= 8
    assert stream.arrivals[-1] - stream.arrivals[0] > 0.4


def test_cancel_stops_at_the_backend(caller, simulators):
    before = sum(simulator.left() for simulator in simulators)
    stream = caller.stream("[[sim:inter-token=200ms]] Hi", tokens=1000)
    eventually(lambda: stream.first)
    stream.cancel()
    eventually(lambda: sum(simulator.left() for simulator in simulators) == before + 1, 3)


def test_cancel_before_the_first_token_stops_at_the_backend(caller, simulators):
    before = sum(simulator.left() for simulator in simulators)
    busy = sum(simulator.running() for simulator in simulators)
    stream = caller.stream("[[sim:stall-before-headers]] Hi")
    eventually(lambda: sum(simulator.running() for simulator in simulators) > busy)
    stream.cancel()
    eventually(lambda: sum(simulator.left() for simulator in simulators) == before + 1, 3)


def test_the_deadline_is_kept(caller, simulators):
    before = sum(simulator.left() for simulator in simulators)
    stream = caller.stream("[[sim:inter-token=200ms]] Hi", tokens=1000, timeout=1).ended()
    assert stream.code != grpc.StatusCode.OK
    assert stream.took < 5
    eventually(lambda: sum(simulator.left() for simulator in simulators) == before + 1, 3)


@pytest.fixture(scope="module")
def unready(folder):
    """A gateway without a backend."""
    with running(Gateway(folder, "http://127.0.0.1:9/v1")) as gateway:
        yield gateway


def answered(caller):
    try:
        return caller.complete("Hi")
    except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.UNAVAILABLE
        return None


def test_haproxy_sends_nothing_to_a_gateway_that_is_not_ready(folder, gateways, unready):
    with running(Proxy(folder, "haproxy", unready.port, gateways[0].port)) as proxy, Caller(proxy.target) as caller:
        # Until it has checked for the first time it takes every gateway for good.
        eventually(lambda: "gateway0 is DOWN" in proxy.log())
        before = len(unready.calls())
        assert all([answered(caller) for _ in range(20)])
        assert len(unready.calls()) == before


def test_nginx_does_as_its_file_says(folder, gateways, unready):
    with running(Proxy(folder, "nginx", unready.port, gateways[0].port)) as proxy, Caller(proxy.target) as caller:
        assert not all([answered(caller) for _ in range(20)])
