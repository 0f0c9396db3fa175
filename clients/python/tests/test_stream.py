"""Answers as they are generated, and leaving them."""

import gc
import threading
import time
import tracemalloc

import pytest
from rig import eventually

from inference_gateway import (
    CancelledError,
    Client,
    DeadlineExceededError,
    InferenceError,
    UnavailableError,
)
from inference_gateway.proto import llm_pb2

STALLS = {"prefill": "Hi [[sim:stall-before-headers]]", "decode": "Hi [[sim:stall-after=2]]"}


def test_tokens_arrive_as_they_are_generated(either):
    times = []
    for _ in either.stream("Hi [[sim:inter-token=50ms]]", max_tokens=6):
        times.append(time.monotonic())
    assert len(times) == 6
    assert times[-1] - times[0] > 0.2


def test_the_end_tells_usage_and_reason(either):
    stream = either.stream("Hi", max_tokens=5)
    assert (stream.finish_reason, stream.usage, stream.text) == (None, None, "")
    tokens = list(stream)
    assert "".join(tokens) == stream.text
    assert stream.finish_reason == "length"
    assert stream.usage.output_tokens == 5
    assert stream.answer.text == stream.text
    assert str(stream.answer) == stream.text
    assert len(stream.request_id) == 32


def test_the_full_contract_tells_timing_model_and_id(client):
    stream = client.stream("Hi", max_tokens=5)
    list(stream)
    assert 0 < stream.timing.first_token < stream.timing.total
    assert stream.model == "simulated-model"
    assert stream.id.startswith("chatcmpl-")


def test_chunks_hold_reasoning_and_the_last_message(client):
    stream = client.stream("Hi [[sim:reasoning=2]]", max_tokens=5)
    chunks = list(stream.chunks())
    assert all(isinstance(chunk, llm_pb2.TokenChunk) for chunk in chunks)
    assert "".join(chunk.reasoning for chunk in chunks) == stream.reasoning != ""
    assert [chunk.done for chunk in chunks].count(True) == 1


def test_a_stream_is_iterated_once(client):
    stream = client.stream("Hi", max_tokens=3)
    list(stream)
    with pytest.raises(RuntimeError, match="iterated once"):
        iter(stream)


def leave_by_break(stream):
    for _ in stream:
        break


def leave_by_exception(stream):
    with pytest.raises(ZeroDivisionError):
        for _ in stream:
            raise ZeroDivisionError


def leave_by_close(stream):
    next(iter(stream))
    stream.close()
    stream.close()


def leave_by_with(stream):
    with stream:
        next(iter(stream))


@pytest.mark.parametrize(
    "leave", [leave_by_break, leave_by_exception, leave_by_close, leave_by_with]
)
def test_leaving_the_loop_stops_the_generation(either, simulator, gateway, leave):
    before = simulator.left()
    stream = either.stream(STALLS["decode"])  # held beyond the loop
    leave(stream)
    eventually(lambda: simulator.left() == before + 1, 2)
    assert "outcome=client_cancel" in gateway.call(stream.request_id)


@pytest.mark.parametrize("phase", STALLS)
def test_forgetting_the_stream_stops_the_generation(either, simulator, phase):
    before = simulator.left()
    stream = either.stream(STALLS[phase])
    eventually(lambda: simulator.running() == 1)
    del stream
    gc.collect()
    eventually(lambda: simulator.left() == before + 1, 2)


@pytest.mark.parametrize("phase", STALLS)
@pytest.mark.parametrize("method", ["generate", "stream"])
def test_the_deadline_stops_the_generation(either, simulator, method, phase):
    before = simulator.left()
    with pytest.raises(DeadlineExceededError) as late:
        list(getattr(either, method)(STALLS[phase], timeout=0.3))
    assert isinstance(late.value, TimeoutError)
    assert late.value.message == "the answer was not whole within the deadline of 0.3 s"
    assert len(late.value.request_id) == 32
    eventually(lambda: simulator.left() == before + 1, 2)


@pytest.mark.parametrize("phase", STALLS)
def test_closing_from_another_thread_ends_the_loop(either, simulator, phase):
    before = simulator.left()
    stream = either.stream(STALLS[phase])
    closer = threading.Thread(
        target=lambda: (eventually(lambda: simulator.running() == 1), stream.close())
    )
    closer.start()
    with pytest.raises(CancelledError, match="cancelled on this side"):
        list(stream)
    closer.join()
    eventually(lambda: simulator.left() == before + 1, 2)


def test_an_answer_that_breaks_off_is_an_error_after_its_tokens(either):
    stream = either.stream("Hi [[sim:eof-after=3]]")
    with pytest.raises(UnavailableError) as broken:
        list(stream)
    assert broken.value.reason == "UPSTREAM_TRUNCATED"
    assert broken.value.tokens_sent == 3
    assert broken.value.retryable is False
    assert stream.text != ""
    assert stream.finish_reason is None


def test_a_slow_reader_gets_everything_and_holds_little(client, simulator):
    size = 8 << 20
    stream = client.stream(f"Hi [[sim:big-answer={size};inter-token=0]]", max_tokens=100_000)
    chunks = stream.chunks()
    first = next(chunks)
    tracemalloc.start()
    written = []
    # Unread, the simulator is held back: what it has written stops growing far below the whole.
    eventually(lambda: _settled(written, simulator))
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert held < 2 << 20
    total = len(first.token)
    for chunk in chunks:
        total += len(chunk.token)
    assert total == len(stream.text) == size


def _settled(written, simulator):
    written.append((simulator.metric("generation_tokens_total"), time.monotonic()))
    same = [at for count, at in written if count == written[-1][0]]
    return same[-1] - same[0] > 0.2


def test_a_thousand_streams_at_once_from_one_client(gateway, simulator):
    prompt = "Hi [[sim:inter-token=100ms]]"
    with Client(gateway.target) as client:
        streams = [client.stream(prompt, max_tokens=20) for _ in range(1000)]
        eventually(lambda: simulator.running() == 1000, 20)
        texts = [len(list(stream)) for stream in streams]
    assert texts == [20] * 1000


def test_many_threads_share_a_client(either):
    answers = []
    threads = [
        threading.Thread(target=lambda: answers.append(either.generate("Hi", max_tokens=4)))
        for _ in range(50)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.usage.output_tokens for answer in answers] == [4] * 50


def test_next_gives_a_piece_and_a_loop_goes_on_from_there(either):
    whole = either.generate("Hi", max_tokens=6, temperature=0, seed=1).text
    stream = either.stream("Hi", max_tokens=6, temperature=0, seed=1)
    first = [next(stream), next(stream)]
    assert all(first)
    rest = list(stream)
    assert "".join(first + rest) == stream.text == whole
    assert stream.finish_reason == "length"
    with pytest.raises(StopIteration):
        next(stream)


def test_next_alone_sees_the_end_and_the_errors(either):
    stream = either.stream("Hi", max_tokens=2)
    assert len([next(stream), next(stream)]) == 2
    assert next(stream, None) is None
    assert stream.usage.output_tokens == 2
    broken = either.stream("Hi [[sim:eof-after=1]]")
    next(broken)
    with pytest.raises(InferenceError):
        next(broken)


def test_a_stream_that_was_only_nexted_ends_when_forgotten(either, simulator):
    before = simulator.left()
    stream = either.stream("Hi [[sim:stall-after=1]]")
    next(stream)
    del stream
    eventually(lambda: simulator.left() == before + 1, 2)
