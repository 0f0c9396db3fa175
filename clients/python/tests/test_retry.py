"""Which calls are sent again, and how often: counted by the gateway's log, a line an attempt."""

import asyncio
import threading
import time
import uuid

import pytest
from rig import Gateway, Simulator, eventually, running

from inference_gateway import (
    AsyncClient,
    Client,
    ClientClosedError,
    InferenceClient,
    InferenceError,
    OverloadedError,
    UnavailableError,
)

AGAIN = "status=502"
AFTER = "status=429;retry-after=0"
NEVER = "status=500"


def attempts(gateway, call, fault, size=0):
    request_id = uuid.uuid4().hex
    with pytest.raises(InferenceError):
        call(f"{'x ' * size}[[sim:{fault}]]", request_id=request_id, timeout=20)
    last = uuid.uuid4().hex  # the log may be a little behind, but in order
    with pytest.raises(InferenceError):
        call(f"[[sim:{NEVER}]]", request_id=last, timeout=20)
    eventually(lambda: gateway.calls(last))
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


@pytest.mark.parametrize("retries", [-1, 5, "2", None, True, 1.0])
def test_an_impossible_number_of_retries_is_refused(retries):
    kind = ValueError if type(retries) is int else TypeError
    with pytest.raises(kind, match="retries: takes 0 to 4"):
        Client("localhost", retries=retries)


LATER = "[[sim:status=429;retry-after=120]]"


@pytest.mark.parametrize("kind", [Client, InferenceClient])
def test_a_pause_that_does_not_fit_into_the_deadline_is_not_waited_for(gateway, kind):
    begun = time.monotonic()
    with pytest.raises(OverloadedError) as told, kind(gateway.target) as client:
        client.generate(LATER, timeout=10)
    assert told.value.retry_after == pytest.approx(120, abs=1)
    assert time.monotonic() - begun < 5


def test_nor_is_it_in_asyncio(gateway):
    async def ask():
        async with AsyncClient(gateway.target, timeout=10) as client:
            await client.generate(LATER)

    begun = time.monotonic()
    with pytest.raises(OverloadedError):
        asyncio.run(ask())
    assert time.monotonic() - begun < 5


def test_closing_the_client_ends_a_pause(gateway):
    errors, request_id = [], uuid.uuid4().hex

    def ask(client):
        try:
            client.generate(LATER, request_id=request_id, timeout=None)
        except InferenceError as e:
            errors.append(e)

    with Client(gateway.target) as client:
        asking = threading.Thread(target=ask, args=(client,))
        asking.start()
        eventually(lambda: gateway.calls(request_id))
    asking.join(5)
    assert [type(error) for error in errors] == [ClientClosedError]


@pytest.mark.parametrize("closes", [True, False])
def test_a_pause_in_asyncio_ends_with_the_client_and_with_the_task(gateway, closes):
    async def main():
        request_id = uuid.uuid4().hex
        async with AsyncClient(gateway.target) as client:
            asking = asyncio.ensure_future(
                client.generate(LATER, request_id=request_id, timeout=None)
            )
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(None, eventually, lambda: gateway.calls(request_id))
            if closes:
                await client.close()
            else:
                asking.cancel()
            await asyncio.wait_for(asking, 5)

    with pytest.raises(ClientClosedError if closes else asyncio.CancelledError):
        asyncio.run(main())


def test_a_call_whose_gateway_dies_is_not_sent_again(folder):
    errors = []

    def ask(client):
        try:
            client.generate("[[sim:stall-before-headers]]", timeout=20)
        except InferenceError as e:
            errors.append(e)

    with running(Simulator(folder)) as simulator:
        two = [Gateway(folder, simulator.url) for _ in range(2)]
        with running(*two), Client(f"ipv4:{two[0].target},{two[1].target}") as client:
            client.wait_until_ready()
            asking = threading.Thread(target=ask, args=(client,))
            asking.start()
            eventually(lambda: simulator.running() == 1)
            two[0].kill()
            asking.join(2)
            if not errors:
                two[1].kill()  # it was this one's
                asking.join(10)
            assert [type(error) for error in errors] == [UnavailableError]
            assert simulator.left() + simulator.running() == 1
