"""The asyncio clients."""

import asyncio
import contextlib
import gc
import sys

import pytest
from rig import eventually

from inference_gateway import (
    AsyncClient,
    AsyncInferenceClient,
    CancelledError,
    ClientClosedError,
    DeadlineExceededError,
    InferenceError,
    UnavailableError,
)

STALLS = {"prefill": "Hi [[sim:stall-before-headers]]", "decode": "Hi [[sim:stall-after=2]]"}


async def soon(fact, timeout=5.0):
    """Poll in a thread, so that the loop goes on."""
    await asyncio.get_running_loop().run_in_executor(None, eventually, fact, timeout)


def test_answers_whole_and_streamed(either_async):
    async def main():
        async with either_async as client:
            answer = await client.generate("Hi", max_tokens=5)
            stream = client.stream("Hi", max_tokens=5)
            tokens = [token async for token in stream]
            return answer, stream, tokens

    answer, stream, tokens = asyncio.run(main())
    assert answer.usage.output_tokens == stream.usage.output_tokens == 5
    assert answer.finish_reason == stream.finish_reason == "length"
    assert "".join(tokens) == stream.text != ""


def test_chunks_and_health(gateway):
    async def main():
        async with AsyncClient(gateway.target) as client:
            stream = client.stream("Hi [[sim:reasoning=2]]", max_tokens=4)
            chunks = [chunk async for chunk in stream.chunks()]
            return chunks, stream.reasoning, await client.health(), await client.health("nix")

    chunks, reasoning, health, unknown = asyncio.run(main())
    assert chunks[-1].done
    assert reasoning != ""
    assert (health, unknown) == ("SERVING", "SERVICE_UNKNOWN")


def test_small_contract_reports_health(gateway):
    async def main():
        async with AsyncInferenceClient(gateway.target) as client:
            return await client.health_report()

    assert asyncio.run(main()).model == "simulated-model"


async def leave_by_break(stream):
    async for _ in stream:
        break


async def leave_by_exception(stream):
    with contextlib.suppress(ZeroDivisionError):
        async for _ in stream:
            raise ZeroDivisionError


async def leave_by_close(stream):
    await stream.__aiter__().__anext__()
    stream.close()
    await stream.aclose()


async def leave_by_with(stream):
    async with stream:
        await stream.__aiter__().__anext__()


@pytest.mark.parametrize(
    "leave", [leave_by_break, leave_by_exception, leave_by_close, leave_by_with]
)
def test_leaving_the_loop_stops_the_generation_at_once(either_async, simulator, leave):
    async def main():
        async with either_async as client:
            before = simulator.left()
            stream = client.stream(STALLS["decode"])  # held beyond the loop
            await leave(stream)
            assert stream._call.done() or stream._call.cancelled()
            await soon(lambda: simulator.left() == before + 1, 2)

    asyncio.run(main())


def test_forgetting_the_stream_stops_the_generation(either_async, simulator):
    async def main():
        async with either_async as client:
            before = simulator.left()
            stream = client.stream(STALLS["decode"])
            await soon(lambda: simulator.running() == 1)
            del stream
            gc.collect()
            await soon(lambda: simulator.left() == before + 1, 2)

    asyncio.run(main())


async def whole(client, prompt):
    await client.generate(prompt)


async def streamed(client, prompt):
    async for _ in client.stream(prompt):
        pass


@pytest.mark.parametrize("phase", STALLS)
@pytest.mark.parametrize("call", [whole, streamed])
def test_cancelling_the_task_stops_the_generation(either_async, simulator, call, phase):
    async def main():
        async with either_async as client:
            before = simulator.left()
            task = asyncio.create_task(call(client, STALLS[phase]))
            await soon(lambda: simulator.running() == 1)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await soon(lambda: simulator.left() == before + 1, 2)

    asyncio.run(main())


@pytest.mark.parametrize("call", [whole, streamed])
def test_a_timeout_around_the_call_stops_the_generation(either_async, simulator, call):
    async def main():
        async with either_async as client:
            before = simulator.left()
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(call(client, STALLS["decode"]), 0.3)
            await soon(lambda: simulator.left() == before + 1, 2)

    asyncio.run(main())


@pytest.mark.parametrize("call", [whole, streamed])
def test_the_deadline_is_an_error_of_its_own(gateway, simulator, call):
    async def main():
        async with AsyncClient(gateway.target, timeout=0.3) as client:
            before = simulator.left()
            with pytest.raises(DeadlineExceededError, match=r"deadline of 0\.3 s"):
                await call(client, STALLS["decode"])
            await soon(lambda: simulator.left() == before + 1, 2)

    asyncio.run(main())


def test_closing_the_stream_in_another_task_is_no_task_cancellation(either_async, simulator):
    async def main():
        async with either_async as client:
            stream = client.stream(STALLS["decode"])
            asyncio.get_running_loop().call_later(0.1, stream.close)
            with pytest.raises(CancelledError, match="on this side"):
                async for _ in stream:
                    pass

    asyncio.run(main())


@pytest.mark.parametrize("call", [whole, streamed])
def test_closing_the_client_ends_running_calls_with_an_error(either_async, simulator, call):
    async def main():
        client = either_async
        task = asyncio.create_task(call(client, STALLS["decode"]))
        await soon(lambda: simulator.running() == 1)
        await client.close()
        with pytest.raises(ClientClosedError, match="during the call"):
            await task
        with pytest.raises(ClientClosedError, match="is closed"):
            await call(client, "Hi")

    asyncio.run(main())


def test_a_stream_is_iterated_once(either_async):
    async def main():
        async with either_async as client:
            stream = client.stream("Hi", max_tokens=2)
            async for _ in stream:
                pass
            with pytest.raises(RuntimeError, match="iterated once"):
                stream.__aiter__()

    asyncio.run(main())


def test_an_answer_that_breaks_off_is_an_error_after_its_tokens(either_async):
    async def main():
        async with either_async as client:
            tokens = []
            with pytest.raises(UnavailableError) as broken:
                async for token in client.stream("Hi [[sim:eof-after=3]]"):
                    tokens.append(token)
            return tokens, broken.value

    tokens, error = asyncio.run(main())
    assert len(tokens) >= 1
    assert (error.reason, error.tokens_sent) == ("UPSTREAM_TRUNCATED", 3)
    assert error.__cause__ is not None


def test_a_thousand_calls_at_once(gateway, simulator):
    async def count(client):
        stream = client.stream("Hi [[sim:inter-token=100ms]]", max_tokens=20)
        return len([token async for token in stream])

    async def main():
        async with AsyncClient(gateway.target) as client:
            counts = asyncio.gather(*(count(client) for _ in range(1000)))
            await soon(lambda: simulator.running() == 1000, 20)
            return await counts

    assert asyncio.run(main()) == [20] * 1000


def test_a_client_may_be_made_outside_a_loop_and_belongs_to_its_first(gateway):
    client = AsyncClient(gateway.target)

    async def use():
        await client.generate("Hi", max_tokens=1)

    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(use())
        with pytest.raises(RuntimeError, match="another event loop"):
            asyncio.run(use())
        loop.run_until_complete(client.close())
    finally:
        loop.close()


def test_a_stream_outside_a_loop_is_refused(gateway):
    with pytest.raises(RuntimeError, match="no running event loop"):
        AsyncClient(gateway.target).stream("Hi")


if sys.version_info >= (3, 11):

    def test_a_failed_call_in_a_task_group_cancels_its_siblings(gateway, simulator):
        async def main():
            before = simulator.left()
            async with AsyncClient(gateway.target) as client:
                with pytest.raises(BaseExceptionGroup) as failed:
                    async with asyncio.TaskGroup() as group:
                        group.create_task(streamed(client, STALLS["decode"]))
                        group.create_task(whole(client, "Hi [[sim:status=500]]"))
                await soon(lambda: simulator.left() == before + 1, 2)
            return failed.value

        (error,) = asyncio.run(main()).exceptions
        assert isinstance(error, InferenceError)


def test_nothing_is_left_behind_in_the_loops_log(either_async, simulator, caplog):
    async def main():
        async with either_async as client:
            client.stream("Hi [[sim:status=500]]")
            client.stream("Hi", max_tokens=2)
            async for _ in client.stream(STALLS["decode"]):
                break
            await soon(lambda: simulator.running() == 0)
        gc.collect()
        await asyncio.sleep(0)

    asyncio.run(main(), debug=True)
    logged = [record for record in caplog.records if "Executing" not in record.getMessage()]
    assert [record for record in logged if record.levelname in ("WARNING", "ERROR")] == []


def test_a_stream_that_an_earlier_read_was_cancelled_on_says_so(gateway):
    async def main():
        async with AsyncClient(gateway.target) as client:
            pieces = client.stream(STALLS["prefill"]).__aiter__()
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(pieces.__anext__(), 0.1)
            with pytest.raises(CancelledError):
                await pieces.__anext__()

    asyncio.run(main())


def test_one_who_survived_a_cancellation_is_told_of_a_closed_stream_and_client(gateway):
    async def reader(client, begun):
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        stream = client.stream(STALLS["prefill"])
        begun.set_result(stream)
        with pytest.raises(CancelledError):
            await stream.__aiter__().__anext__()
        with pytest.raises(ClientClosedError):
            await client.generate(STALLS["prefill"])

    async def main():
        client = AsyncClient(gateway.target)
        begun = asyncio.get_running_loop().create_future()
        reading = asyncio.ensure_future(reader(client, begun))
        await asyncio.sleep(0)
        reading.cancel()
        stream = await begun
        await asyncio.sleep(0)
        stream.close()
        await soon(lambda: len(client._running) == 2 or reading.done())
        await client.close()
        await reading

    asyncio.run(main())


def test_a_read_that_times_out_ends_the_stream_for_all_who_read_on(either_async):
    async def main():
        async with either_async as client:
            stream = client.stream(STALLS["decode"])
            pieces = stream.__aiter__()
            with pytest.raises(asyncio.TimeoutError):
                while True:
                    await asyncio.wait_for(pieces.__anext__(), 0.5)
            for _ in range(2):
                with pytest.raises(CancelledError):
                    await pieces.__anext__()
            assert stream.text

    asyncio.run(main())


def test_anext_gives_a_piece_and_a_loop_goes_on_from_there(either_async, simulator):
    async def main():
        async with either_async as client:
            stream = client.stream("Hi", max_tokens=5)
            first = await stream.__anext__()
            rest = [piece async for piece in stream]
            assert len(rest) == 4
            assert stream.text == "".join([first, *rest])
            with pytest.raises(StopAsyncIteration):
                await stream.__anext__()
            before = simulator.left()
            forgotten = client.stream("Hi [[sim:stall-after=1]]")
            await forgotten.__anext__()
            del forgotten
            await asyncio.sleep(0)
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(None, eventually, lambda: simulator.left() == before + 1, 5)

    asyncio.run(main())
