"""Gateways that come, go and come back."""

import asyncio
import threading
import time

import pytest
from rig import Gateway, eventually, free_port, running

from inference_gateway import (
    AsyncClient,
    Client,
    DeadlineExceededError,
    InferenceClient,
    UnavailableError,
)

SOON = ("--drain-pause", "0s", "--drain-grace", "0s")


def test_health_is_a_word(either):
    assert either.health() == "SERVING"
    assert either.health("liveness") == "SERVING"
    assert either.health("llm.v1.LLMService") == "SERVING"
    assert either.health("nobody") == "SERVICE_UNKNOWN"


def test_waiting_in_vain_tells_what_was_last_seen(folder):
    with Client("127.0.0.1:1") as client:
        with pytest.raises(DeadlineExceededError) as late:
            client.wait_until_ready(0.3)
    assert late.value.message == (
        "127.0.0.1:1 was not ready within 0.3 s; last seen: 127.0.0.1:1 cannot be reached: nobody "
        "listened at 127.0.0.1:1 when it was last tried. Is the gateway running, and is the port "
        "right?"
    )
    assert isinstance(late.value, TimeoutError)


def test_a_gateway_that_starts_and_comes_back_is_found_again(folder, simulator):
    port = free_port()
    with Client(f"127.0.0.1:{port}") as client:
        with running(Gateway(folder, "http://127.0.0.1:1/v1", *SOON, port=port)) as gateway:
            with pytest.raises(DeadlineExceededError, match="last seen: NOT_SERVING"):
                client.wait_until_ready(4)
            assert client.health("liveness") == "SERVING"
        gateway.wait()
        back = Gateway(folder, simulator.url, "--drain-pause", "1s", port=port)
        with running(back):
            client.wait_until_ready(20)
            assert client.generate("Hi", max_tokens=2).text


def test_asyncio_waits_the_same(gateway):
    async def main():
        async with AsyncClient(gateway.target) as client:
            await client.wait_until_ready()
        async with AsyncClient("localhost:1") as client:
            await client.wait_until_ready(0.2)

    with pytest.raises(DeadlineExceededError, match="nobody listened"):
        asyncio.run(main())


KINDS = [Client, InferenceClient]


def test_a_gateway_that_is_killed_is_not_said_to_be_out_of_reach(folder, simulator):
    def read(stream, gateway):
        for _ in stream:
            gateway.kill()

    ways = (
        (Client, lambda client, gateway: read(client.stream(SLOW), gateway)),
        (InferenceClient, lambda client, gateway: killed(client, gateway, simulator)),
    )
    gateways = [Gateway(folder, simulator.url) for _ in ways]
    with running(*gateways):
        for gateway, (kind, call) in zip(gateways, ways):
            with kind(gateway.target) as client:
                client.wait_until_ready()
                with pytest.raises(UnavailableError) as broken:
                    call(client, gateway)
            assert broken.value.message == (
                f"{gateway.target} was reached, but the connection broke off before the answer "
                "was whole"
            )


SLOW = "Hi [[sim:inter-token=50ms]]"


def killed(client, gateway, simulator):
    """Ask, and kill the gateway when the backend has the question."""
    before = simulator.running()

    def kill():
        eventually(lambda: simulator.running() > before)
        gateway.kill()

    killing = threading.Thread(target=kill)
    killing.start()
    try:
        client.generate("[[sim:stall-before-headers]]", timeout=20)
    finally:
        killing.join()


NOWHERE = r"was not whole within the deadline of 0\.2 s; there is no connection to localhost:1"


@pytest.mark.parametrize("kind", KINDS)
def test_a_deadline_without_a_connection_says_so(kind):
    with kind("localhost:1", wait_for_ready=True, timeout=0.2) as client:
        for call in (
            lambda: client.generate("Hi"),
            lambda: list(client.stream("Hi")),
            lambda: client.health(timeout=0.2),
        ):
            with pytest.raises(DeadlineExceededError, match=NOWHERE):
                call()


def test_a_deadline_without_a_connection_says_so_in_asyncio():
    async def main():
        async with AsyncClient("localhost:1", wait_for_ready=True, timeout=0.2) as client:
            with pytest.raises(DeadlineExceededError, match=NOWHERE):
                await client.generate("Hi")
            with pytest.raises(DeadlineExceededError, match=NOWHERE):
                await client.health(timeout=0.2)

    asyncio.run(main())


def test_a_deadline_says_nothing_of_connections_where_there_was_one(client):
    client.wait_until_ready()
    with pytest.raises(DeadlineExceededError) as late:
        client.generate("[[sim:stall-before-headers]]", timeout=0.2)
    assert "connection" not in late.value.message


@pytest.mark.parametrize(("waits", "time_given"), [(False, 1.2), (True, 0.3)])
def test_waiting_takes_all_of_its_time_and_knows_why(waits, time_given):
    async def main():
        async with AsyncClient("localhost:1", wait_for_ready=waits) as client:
            await client.wait_until_ready(time_given)

    with Client("localhost:1", wait_for_ready=waits) as client:
        for wait in (lambda: client.wait_until_ready(time_given), lambda: asyncio.run(main())):
            begun = time.monotonic()
            with pytest.raises(DeadlineExceededError, match="nobody listened at"):
                wait()
            assert time_given <= time.monotonic() - begun < time_given + 0.5


def test_one_of_two_gateways_drains_under_load_and_no_caller_sees_an_error(
    folder, simulator, gateway
):
    leaving = Gateway(folder, simulator.url, "--drain-pause", "1s")
    with running(leaving):
        with Client(leaving.target) as client:
            client.wait_until_ready()
        target = f"ipv4:{gateway.target},{leaving.target}"
        with Client(target) as full, InferenceClient(target) as small:
            load = Load(full, small)
            load.wait_for(40)
            leaving.terminate()
            leaving.wait()
            load.wait_for(40)
            load.stop()
    assert load.errors == []
    assert leaving.log().count(" call request_id=") > 10


class Load:
    """Calls of all kinds, one after another in each of a few threads."""

    def __init__(self, full, small):
        self.errors, self.done = [], 0
        self._over = threading.Event()
        calls = [full.generate, small.generate, self._streamed(full), self._streamed(small)]
        self._threads = [
            threading.Thread(target=self._run, args=(call,)) for call in (*calls, *calls)
        ]
        for thread in self._threads:
            thread.start()

    def _streamed(self, client):
        return lambda *arguments, **params: list(client.stream(*arguments, **params))

    def _run(self, call):
        while not self._over.is_set():
            try:
                call("Hi", max_tokens=5)
                self.done += 1
            except Exception as e:
                self.errors.append(e)
                return

    def wait_for(self, more):
        end, limit = self.done + more, time.monotonic() + 20
        while self.done < end and not self.errors:
            assert time.monotonic() < limit
            time.sleep(0.01)

    def stop(self):
        self._over.set()
        for thread in self._threads:
            thread.join()
