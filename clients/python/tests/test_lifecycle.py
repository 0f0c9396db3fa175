"""Gateways that come, go and come back."""

import asyncio
import threading
import time

import pytest
from rig import Gateway, free_port, running

from inference_gateway import AsyncClient, Client, DeadlineExceededError, InferenceClient

SOON = ("--drain-pause", "0s", "--drain-grace", "0s")


def test_health_is_a_word(either):
    assert either.health() == "SERVING"
    assert either.health("liveness") == "SERVING"
    assert either.health("llm.v1.LLMService") == "SERVING"
    assert either.health("nobody") == "SERVICE_UNKNOWN"


def test_waiting_in_vain_tells_what_was_last_seen(folder):
    with Client("localhost:1") as client:
        with pytest.raises(DeadlineExceededError) as late:
            client.wait_until_ready(0.3)
    assert late.value.message == (
        "localhost:1 was not ready within 0.3 s; last seen: localhost:1 cannot be reached: nobody "
        "listens there. Is the gateway running, and is the port right?"
    )
    assert isinstance(late.value, TimeoutError)


def test_a_gateway_that_starts_and_comes_back_is_found_again(folder, simulator):
    port = free_port()
    with Client(f"127.0.0.1:{port}") as client:
        with running(Gateway(folder, "http://127.0.0.1:1/v1", *SOON, port=port)) as gateway:
            with pytest.raises(DeadlineExceededError, match="last seen: NOT_SERVING"):
                client.wait_until_ready(1)
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

    with pytest.raises(DeadlineExceededError, match="nobody listens"):
        asyncio.run(main())


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
