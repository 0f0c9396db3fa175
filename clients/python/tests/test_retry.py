"""Which calls are sent again, and how often: counted by the gateway's log, a line an attempt."""

import asyncio
import threading
import time
import uuid

import pytest
from rig import eventually

from inference_gateway import (
    AsyncClient,
    Client,
    ClientClosedError,
    InferenceClient,
    InferenceError,
    OverloadedError,
)

AGAIN = "status=502"
AFTER = "status=429;retry-after=0"
NEVER = "status=500"


def attempts(gateway, call, fault, size=0):
    request_id = uuid.uuid4().hex
    with pytest.raises(InferenceError):
        call(f"{'x ' * size}[[sim:{fault}]]", request_id=request_id, timeout=20)
    eventually(lambda: gateway.calls(request_id))
    return len(gateway.calls(request_id))


@pytest.mark.parametrize("kind", [Client, InferenceClient])
@pytest.mark.parametrize(
    ("fault", "count"), [(AGAIN, 3), (AFTER, 3), (NEVER, 1), ("context-length", 1)]
)
def test_unary_is_sent_again_when_the_gateway_says_so(gateway, kind, fault, count):
    with kind(gateway.target) as client:
        assert attempts(gateway, client.generate, fault) == count


@pytest.mark.parametrize("kind", [Client, InferenceClient])
def test_streams_are_never_sent_again(gateway, kind):
    def call(*arguments, **params):
        return list(client.stream(*arguments, **params))

    with kind(gateway.target) as client:
        assert attempts(gateway, call, AFTER) == 1


def test_asyncio_retries_the_same(gateway):
    async def call(prompt, params):
        async with AsyncClient(gateway.target, retries=1) as client:
            await client.generate(prompt, **params)

    assert attempts(gateway, lambda prompt, **params: asyncio.run(call(prompt, params)), AFTER) == 2


@pytest.mark.parametrize(("retries", "count"), [(0, 1), (1, 2), (4, 5)])
def test_retries_is_how_often(gateway, retries, count):
    with Client(gateway.target, retries=retries) as client:
        assert attempts(gateway, client.generate, AFTER) == count


def test_a_large_prompt_is_sent_again(gateway):
    with Client(gateway.target) as client:
        assert attempts(gateway, client.generate, AFTER, size=1 << 20) == 3


@pytest.mark.parametrize("make", [Client, InferenceClient])
def test_a_pause_that_does_not_fit_into_the_deadline_is_not_waited_for(gateway, make):
    with make(gateway.target) as client:
        begun = time.monotonic()
        with pytest.raises(OverloadedError) as told:
            client.generate("[[sim:status=429;retry-after=99]]", timeout=20)
        assert time.monotonic() - begun < 10
        assert told.value.retry_after == 99


def test_closing_the_client_ends_the_pause(gateway):
    client = Client(gateway.target)
    threading.Timer(0.3, client.close).start()
    with pytest.raises(ClientClosedError):
        client.generate("[[sim:status=429;retry-after=20]]", timeout=50)


@pytest.mark.parametrize("retries", [-1, 5, "2", None])
def test_an_impossible_number_of_retries_is_refused(retries):
    with pytest.raises(ValueError, match="retries: takes 0 to 4"):
        Client("localhost", retries=retries)
