"""Every error that the gateway can give, as an exception."""

import asyncio
import pickle
import time

import pytest

import inference_gateway
from inference_gateway import AsyncClient, Client, errors
from inference_gateway._failure import Asked, Ended, error_of
from inference_gateway.proto import error_details_pb2, status_pb2

# fault of the simulator, class, code, reason, whether it may be sent again
MAPPED = [
    ("context-length", errors.ContextLengthError, "INVALID_ARGUMENT", "CONTEXT_LENGTH", False),
    ("status=400", errors.InvalidRequestError, "INVALID_ARGUMENT", "INVALID_REQUEST", False),
    ("status=404", errors.ModelNotFoundError, "NOT_FOUND", "MODEL_NOT_FOUND", False),
    ("status=429", errors.OverloadedError, "RESOURCE_EXHAUSTED", "UPSTREAM_RATE_LIMIT", True),
    ("status=503-queue", errors.OverloadedError, "RESOURCE_EXHAUSTED", "UPSTREAM_QUEUE_FULL", True),
    ("status=503-starting", errors.UnavailableError, "UNAVAILABLE", "UPSTREAM_STARTING", True),
    ("status=502", errors.UnavailableError, "UNAVAILABLE", "UPSTREAM_GATEWAY", True),
    ("close-before-response", errors.UnavailableError, "UNAVAILABLE", "UPSTREAM_RESET", True),
    ("status=500", errors.UnavailableError, "UNAVAILABLE", "UPSTREAM_ERROR", False),
    ("eof-after=0", errors.UnavailableError, "UNAVAILABLE", "UPSTREAM_EMPTY", False),
    ("eof-after=3", errors.UnavailableError, "UNAVAILABLE", "UPSTREAM_TRUNCATED", False),
    ("finish=abort", errors.UnavailableError, "UNAVAILABLE", "UPSTREAM_ABORTED", False),
    ("status=501", errors.UnimplementedError, "UNIMPLEMENTED", "UNIMPLEMENTED_UPSTREAM", False),
    ("status=401", errors.InternalError, "INTERNAL", "UPSTREAM_AUTH", False),
    ("status=302", errors.InternalError, "INTERNAL", "UPSTREAM_REDIRECT", False),
    ("status=404-route", errors.InternalError, "INTERNAL", "UPSTREAM_NOT_FOUND", False),
    ("html", errors.InternalError, "INTERNAL", "UPSTREAM_PROTOCOL", False),
]


@pytest.mark.parametrize("case", MAPPED, ids=lambda case: case[0])
def test_what_the_backend_does_is_an_error_of_its_kind(gateway, case):
    fault, kind, code, reason, retryable = case
    with Client(gateway.target, retries=0) as client, pytest.raises(kind) as raised:
        for _ in client.stream(f"Hi [[sim:{fault}]]"):
            pass
    error = raised.value
    assert type(error) is kind
    assert (error.code, error.reason, error.retryable) == (code, reason, retryable)
    assert (error.retry_after is not None) == retryable
    assert error.phase in ("connect", "prefill", "decode")
    assert isinstance(error.tokens_sent, int)
    assert error.message
    assert error.message in str(error)
    assert f"{reason}, request {error.request_id}" in str(error)
    assert error.__cause__ is not None
    assert "Hi [[" not in str(error)


def test_asyncio_raises_the_same(gateway):
    async def main():
        async with AsyncClient(gateway.target, retries=0) as client:
            await client.generate("Hi [[sim:status=429;retry-after=7]]")

    with pytest.raises(errors.OverloadedError) as raised:
        asyncio.run(main())
    assert (raised.value.reason, raised.value.retry_after) == ("UPSTREAM_RATE_LIMIT", 7.0)


def test_the_backends_own_words_are_kept(client):
    with pytest.raises(errors.InvalidRequestError) as raised:
        client.generate("Hi [[sim:status=400;error-type=BadThing;error-message=no such luck]]")
    assert raised.value.upstream_type == "BadThing"
    assert "no such luck" in raised.value.message


def test_an_unknown_model_is_not_found(client):
    with pytest.raises(errors.ModelNotFoundError):
        client.generate("Hi", model="nobody")


@pytest.mark.parametrize("limit", ["first_token_limit", "gap_limit"])
def test_a_time_limit_of_the_call_is_an_error(client, limit):
    fault = {"first_token_limit": "stall-after=0", "gap_limit": "stall-after=2"}[limit]
    with pytest.raises(errors.UnavailableError) as raised:
        list(client.stream(f"Hi [[sim:{fault}]]", **{limit: 0.2}))
    reasons = {"first_token_limit": "FIRST_TOKEN_TIMEOUT", "gap_limit": "INTER_TOKEN_TIMEOUT"}
    assert raised.value.reason == reasons[limit]


def test_a_stream_that_is_cut_tells_how_much_had_come(gateway):
    async def main(client, prompt):
        async with client:
            async for _ in client.stream(prompt, timeout=1):
                pass

    prompt = "Hi [[sim:stall-after=3]]"
    with Client(gateway.target) as client, pytest.raises(errors.DeadlineExceededError) as raised:
        list(client.stream(prompt, timeout=1))
    with pytest.raises(errors.DeadlineExceededError) as raised_too:
        asyncio.run(main(AsyncClient(gateway.target), prompt))
    assert (raised.value.tokens_sent, raised_too.value.tokens_sent) == (3, 3)


def test_the_gateways_own_limit_is_a_deadline(client):
    with pytest.raises(errors.DeadlineExceededError) as raised:
        client.generate("Hi [[sim:stall-before-headers]]", total_limit=0.2)
    assert raised.value.reason == "MAX_CALL_TIME"


def test_an_answer_above_the_gateways_limit_is_too_large(client):
    with pytest.raises(errors.ResponseTooLargeError) as raised:
        client.generate("Hi [[sim:big-answer=5000000;inter-token=0]]", max_tokens=100_000)
    assert raised.value.reason == "RESPONSE_TOO_LARGE"


def test_an_answer_above_the_clients_limit_is_too_large(gateway):
    with Client(gateway.target, max_message_bytes=1 << 16) as client:
        with pytest.raises(errors.ResponseTooLargeError):
            client.generate("Hi [[sim:big-answer=500000;inter-token=0]]", max_tokens=100_000)
        with pytest.raises(errors.RequestTooLargeError):
            client.generate("Hi" * (1 << 16))


def test_a_request_above_the_gateways_limit_is_too_large(client):
    with pytest.raises(errors.RequestTooLargeError):
        client.generate("x" * (33 << 20))


def test_nobody_there_is_said_at_once_and_in_words():
    with Client("127.0.0.1:1") as client, pytest.raises(errors.UnavailableError) as raised:
        client.generate("Hi")
    assert raised.value.message == (
        "127.0.0.1:1 cannot be reached: nobody listened at 127.0.0.1:1 when it was last tried. Is "
        "the gateway running, and is the port right?"
    )
    assert (raised.value.reason, raised.value.retryable) == (None, False)


def test_a_name_without_address_is_said_in_words():
    with Client("no-such-host.invalid") as client, pytest.raises(errors.UnavailableError) as raised:
        client.generate("Hi", timeout=20)
    assert "its name has no address" in raised.value.message


def test_after_close_a_call_says_so(gateway):
    client = Client(gateway.target)
    client.generate("Hi", max_tokens=1)
    client.close()
    client.close()
    for call in (client.generate, client.stream):
        with pytest.raises(errors.ClientClosedError, match="the client is closed"):
            call("Hi")


def test_closing_the_client_ends_running_calls_with_an_error(gateway):
    client = Client(gateway.target)
    stream = client.stream("Hi [[sim:stall-after=2]]")
    tokens = iter(stream)
    next(tokens)
    client.close()
    with pytest.raises(errors.ClientClosedError, match="during the call"):
        list(tokens)


ASKED = Asked("gpu-1:50051", "asked-1", 60.0)


def packed(*details, message="said"):
    status = status_pb2.Status(code=14, message=message)
    for detail in details:
        status.details.add(
            type_url=f"type.googleapis.com/{detail.DESCRIPTOR.full_name}",
            value=detail.SerializeToString(),
        )
    return status.SerializeToString()


CODES = {
    "INVALID_ARGUMENT": errors.InvalidRequestError,
    "NOT_FOUND": errors.ModelNotFoundError,
    "UNAUTHENTICATED": errors.AuthenticationError,
    "PERMISSION_DENIED": errors.PermissionDeniedError,
    "RESOURCE_EXHAUSTED": errors.OverloadedError,
    "UNAVAILABLE": errors.UnavailableError,
    "DEADLINE_EXCEEDED": errors.DeadlineExceededError,
    "CANCELLED": errors.CancelledError,
    "UNIMPLEMENTED": errors.UnimplementedError,
    "INTERNAL": errors.InternalError,
    "UNKNOWN": errors.InternalError,
    "DATA_LOSS": errors.InternalError,
    "ABORTED": errors.InternalError,
}


@pytest.mark.parametrize("code", CODES)
def test_a_reason_of_a_newer_gateway_is_told_by_its_code(code):
    info = error_details_pb2.ErrorInfo(reason="NEW_REASON", domain="inference-gateway")
    trailers = {"grpc-status-details-bin": packed(info)}
    error = error_of(Ended(code, "words", trailers), ASKED)
    assert type(error) is CODES[code]
    assert (error.reason, error.message, error.request_id) == ("NEW_REASON", "words", "asked-1")


@pytest.mark.parametrize("code", CODES)
def test_without_details_the_code_decides(code):
    error = error_of(Ended(code, "", {}), ASKED)
    assert type(error) is CODES[code]
    assert error.message
    assert (error.reason, error.request_id, error.retryable) == (None, "asked-1", False)


RESET = Ended("CANCELLED", "RST_STREAM with error code 8", {})


def test_a_reset_at_the_deadline_is_the_deadline():
    late = error_of(RESET, ASKED._replace(until=time.monotonic()))
    assert type(late) is errors.DeadlineExceededError
    assert (late.code, late.message) == (
        "DEADLINE_EXCEEDED",
        "the answer was not whole within the deadline of 60 s",
    )


def test_a_reset_before_the_deadline_is_the_gateways_giving_up():
    early = error_of(RESET, ASKED._replace(until=time.monotonic() + 9))
    assert type(early) is errors.CancelledError
    assert "takes nothing for too long" in early.message


def test_a_cancel_of_ones_own_stays_one_after_the_deadline():
    own = Ended("CANCELLED", "Locally cancelled by application!", {})
    assert type(error_of(own, ASKED._replace(until=0.0))) is errors.CancelledError


GARBAGE = [
    b"\xff\xff\xff",
    b"",
    "text",
    b"\x1a\x02\x0a\xff",
    packed()[:-2],
]


@pytest.mark.parametrize("garbage", GARBAGE, ids=repr)
def test_garbage_in_the_details_is_no_error_of_its_own(garbage):
    error = error_of(Ended("UNAVAILABLE", "x", {"grpc-status-details-bin": garbage}), ASKED)
    assert type(error) is errors.UnavailableError


def test_garbage_inside_the_details_is_no_error_of_its_own():
    status = status_pb2.Status()
    for kind in ("ErrorInfo", "RetryInfo", "BadRequest"):
        status.details.add(type_url=f"type.googleapis.com/google.rpc.{kind}", value=b"\xff\xff")
    status.details.add(type_url="", value=b"")
    trailers = {
        "grpc-status-details-bin": status.SerializeToString(),
        "grpc-retry-pushback-ms": "soon",
        "x-request-id": b"\xff",
    }
    error = error_of(Ended("INTERNAL", "x", trailers), ASKED)
    assert (type(error), error.retry_after) == (errors.InternalError, None)


def test_pushback_alone_tells_when_to_come_back():
    trailers = {"grpc-retry-pushback-ms": "1500"}
    assert error_of(Ended("UNAVAILABLE", "x", trailers), ASKED).retry_after == 1.5
    trailers = {"grpc-retry-pushback-ms": "-1"}
    refused = error_of(Ended("UNAVAILABLE", "x", trailers), ASKED)
    assert (refused.retry_after, refused.retryable) == (None, False)


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_can_be_pickled(name):
    kind = getattr(errors, name)
    if name == "Violation":
        return
    error = kind("m", code="UNAVAILABLE", reason="R", violations=[errors.Violation("a", "b")])
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert vars(again) == vars(error)
    assert str(again) == str(error)
    assert isinstance(again, errors.InferenceError)


def test_all_errors_are_exported():
    assert set(errors.__all__) <= set(inference_gateway.__all__)
