"""Calls pass as if Envoy were not there."""

import contextlib
import re
import uuid

import grpc
import inference_pb2
import pytest
from calling import Caller, Stream, asked, asked_small, trailers
from rig import eventually, fetch
from shipped import HOME


def test_every_method_of_both_contracts_is_answered(caller):
    assert caller.complete("Hi")
    assert caller.stream("Hi").whole()
    assert caller.inference.Generate(asked_small("Hi", 3), timeout=20).content
    assert Stream(caller.inference.GenerateStream, asked_small("Hi", 3), 20).whole()
    assert caller.inference.Health(inference_pb2.HealthRequest(), timeout=20).status == "healthy"


def test_tokens_arrive_one_by_one(caller):
    stream = caller.stream("[[sim:inter-token=100ms]] Hi", tokens=6).whole()
    assert len(stream.arrivals) >= 6
    assert stream.arrivals[-1] - stream.arrivals[0] > 0.3


def test_calls_of_one_connection_go_to_both_gateways_by_turns(caller, envoy, gateways):
    before = [envoy.sent(gateway) for gateway in gateways]
    for _ in range(10):
        caller.complete("Hi")
    assert [envoy.sent(gateway) - sent for gateway, sent in zip(gateways, before)] == [5, 5]


def test_failures_keep_their_details(caller):
    error = caller.failure("[[sim:context-length]] Hi")
    assert error.code() == grpc.StatusCode.INVALID_ARGUMENT
    told = trailers(error)
    assert b"CONTEXT_LENGTH" in told["grpc-status-details-bin"]
    assert told["grpc-retry-pushback-ms"] == "-1"
    assert told["x-request-id"]


def test_the_callers_request_id_is_the_gateways_and_the_access_logs(caller, envoy, gateways):
    # A UUID of version 4, into which Envoy would write its reason to trace, were it not told otherwise.
    request_id = str(uuid.uuid4())
    caller.complete("Hi", metadata=(("x-request-id", request_id),))
    eventually(lambda: any(gateway.calls(request_id) for gateway in gateways))
    line = envoy.access(request_id)
    assert line["path"] == "/llm.v1.LLMService/Complete"
    assert line["grpc_status"] == "OK"
    assert line["grpc_timeout"]
    assert line["messages"] == {"request_message_count": "1", "response_message_count": "1"}
    assert line["gateway"] in [f"127.0.0.1:{gateway.port}" for gateway in gateways]


def test_access_log_tells_no_secret(caller, envoy):
    secret, word = uuid.uuid4().hex, uuid.uuid4().hex
    request_id = uuid.uuid4().hex
    caller.complete(word, metadata=(("x-request-id", request_id), ("authorization", f"Bearer {secret}")))
    envoy.access(request_id)
    assert secret not in envoy.log()
    assert word not in envoy.log()


def test_what_there_is_not_is_unimplemented_and_makes_no_metric(caller, envoy, gateways):
    before = sum(envoy.sent(gateway) for gateway in gateways)
    name = f"Made{uuid.uuid4().hex}"
    for path in (f"/llm.v1.LLMService/{name}", f"/{name}/Complete", "/xds.service.orca.v3.OpenRcaService/StreamCoreMetrics"):
        call = caller.channel.unary_unary(path, lambda request: request, lambda answer: answer)
        with pytest.raises(grpc.RpcError) as failed:
            call(b"", timeout=10)
        assert failed.value.code() == grpc.StatusCode.UNIMPLEMENTED
    assert sum(envoy.sent(gateway) for gateway in gateways) == before
    assert name not in envoy.get("/stats")


def test_metadata_that_is_too_large_harms_no_other_caller(caller, envoy):
    running = caller.stream("[[sim:inter-token=20ms]] Hi", tokens=100)
    eventually(lambda: running.first)
    with Caller(envoy.target) as other:
        # The gateway refuses it, always or by chance; above 60 KiB Envoy does, and ends this caller's connection.
        for size in (20_000, 50_000, 60_000, 65_000, 100_000, 200_000):
            with contextlib.suppress(grpc.RpcError):
                other.complete("Hi", metadata=(("x-large", "x" * size),))
        assert other.failure("Hi", metadata=(("x-large", "x" * 200_000),))
    assert running.whole()


def test_prompts_of_megabytes_pass(caller):
    assert caller.complete("word " * 100_000)


def test_metrics_are_by_method_and_are_all_that_the_second_port_has(caller, envoy):
    caller.stream("Hi").whole()
    url = f"http://127.0.0.1:{envoy.port('metrics')}"
    metrics = fetch(f"{url}/stats/prometheus")
    assert "envoy_cluster_grpc_LLMService_CompleteStream_success{" in metrics
    assert fetch(f"{url}/ready") == "LIVE\n"
    for path in ("/", "/stats", "/config_dump", "/quitquitquit", "/stats/prometheus/../../config_dump"):
        with pytest.raises(OSError, match="404"):
            fetch(url + path)


@pytest.mark.parametrize("page", ["envoy.md", "envoy.zh-CN.md"])
def test_metrics_that_the_pages_name_are_there(caller, envoy, page):
    caller.stream("Hi").whole()
    named = set(re.findall(r"`(envoy_\w+)`", (HOME.parent / "docs" / page).read_text(encoding="utf-8")))
    assert len(named) > 8
    metrics = envoy.get("/stats/prometheus")
    assert [name for name in named if f"\n{name}{{" not in metrics] == []


def test_reflection_and_health_are_there(caller):
    check = caller.channel.unary_unary("/grpc.health.v1.Health/Check", lambda request: request, lambda answer: answer)
    assert check(b"", timeout=10) == b"\x08\x01"
    reflect = caller.channel.stream_stream(
        "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", lambda request: request, lambda answer: answer
    )
    (answer,) = reflect(iter([b"\x3a\x00"]), timeout=10)  # list_services
    assert b"llm.v1.LLMService" in answer


def test_many_calls_share_few_connections(envoy, gateways):
    with Caller(envoy.target) as caller:
        streams = [caller.stream("[[sim:inter-token=20ms]] Hi", tokens=50) for _ in range(50)]
        for stream in streams:
            stream.whole()
    for gateway in gateways:
        stats = {stat["name"]: int(stat.get("value", 0)) for stat in envoy.host(gateway)["stats"]}
        assert stats["cx_active"] <= 2
