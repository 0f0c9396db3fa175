"""The clients for asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import weakref
from collections.abc import AsyncIterator, Coroutine, Mapping
from typing import TYPE_CHECKING, Any, Callable, Generic, Optional, TypeVar

import grpc
import grpc.aio

from inference_gateway._answer import Answer, HealthReport, StreamedAnswer
from inference_gateway._contract import INFERENCE, LLM, REPORT, ChunkT
from inference_gateway._failure import Asked, details_of_unavailable, trailers_of
from inference_gateway._params import InferenceParams, InferencePrompt, Params, Prompt
from inference_gateway._settings import (
    HEALTH,
    PROBE_TIMEOUT,
    ClientSettings,
    Prepared,
    Readiness,
    health_word,
    unknown_service,
    with_settings,
)
from inference_gateway.errors import InferenceError
from inference_gateway.proto import inference_pb2, llm_pb2

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

AsyncT = TypeVar("AsyncT", bound="_AsyncClient[Any]")
ItemT = TypeVar("ItemT")


class AsyncStream(StreamedAnswer, Generic[ChunkT]):
    """An answer as it is generated: ``async for``, or ``anext``, gives the pieces of its text.

    The call has begun when this is made. It is cancelled, and with it the generation at the GPU,
    when the loop is left by ``break`` or an exception, when the task is cancelled, by `close`, by
    leaving an ``async with``, and when the stream is forgotten. It can be looped over once.
    """

    def __init__(self, client: _AsyncClient[ChunkT], prepared: Prepared, call: Any) -> None:
        super().__init__(prepared.asked.request_id)
        self._client = client
        self._asked = prepared.asked
        self._call = call
        self._taken = False
        self._closed = False

    def __aiter__(self) -> AsyncIterator[str]:
        """Iterate the pieces of text, none of them empty.

        Raises:
            InferenceError: The answer is not whole.
        """
        return self._each(self._client._contract.add)

    async def __anext__(self) -> str:
        """Wait for the next piece of text; a loop goes on where this leaves off."""
        while True:
            chunk = await self._next()
            if chunk is grpc.aio.EOF:
                raise StopAsyncIteration
            text = self._client._contract.add(self, chunk)
            if text:
                return text

    def chunks(self) -> AsyncIterator[ChunkT]:
        """Iterate the contract's own messages instead: reasoning too, and the last one."""
        add = self._client._contract.add

        def whole(answer: StreamedAnswer, chunk: ChunkT) -> ChunkT:
            add(answer, chunk)
            return chunk

        return self._each(whole)

    def _each(self, take: Callable[[StreamedAnswer, ChunkT], ItemT]) -> AsyncIterator[ItemT]:
        if self._taken:
            raise RuntimeError("a stream can be iterated once; its text is in .text")
        self._taken = True
        return _Reader(self, take)

    async def _next(self) -> Any:
        """Read the next message, or grpc's EOF."""
        self._client._refuse_forked()
        async with _told(self._client, self._asked, lambda: self._closed, self._counted):
            self._closed = self._closed or self._call.cancelled()  # with a read before this one
            chunk = await self._call.read()
            if chunk is grpc.aio.EOF:
                trailers = trailers_of(await self._call.trailing_metadata())
                self.request_id = trailers.get("x-request-id", self.request_id)
            return chunk

    def close(self) -> None:
        """Cancel what is left of the call. At once, any number of times."""
        if self._client._is_forked():  # it is its parent's
            return
        if not self._call.done():
            self._closed = True
            self._call.cancel()

    async def aclose(self) -> None:
        """Do the same, for ``contextlib.aclosing``."""
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        self.close()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # half made, or its loop is gone
            self.close()


class _Reader(Generic[ItemT]):
    """Held by the ``async for`` alone, so that leaving the loop ends it.

    A generator would not do: asyncio closes one that is left in a task of its own, later.
    """

    def __init__(self, stream: AsyncStream[Any], take: Callable[[Any, Any], ItemT]) -> None:
        self._stream = stream
        self._take = take

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> ItemT:
        while True:
            chunk = await self._stream._next()
            if chunk is grpc.aio.EOF:
                raise StopAsyncIteration
            taken = self._take(self._stream, chunk)
            if taken != "":
                return taken

    async def aclose(self) -> None:
        self._stream.close()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # its loop is gone
            self._stream.close()


class _Awaited:
    """A call that begins when its token is there; has of grpc's what a stream needs."""

    def __init__(self, token: asyncio.Future[Any], beginning: Coroutine[Any, Any, Any]) -> None:
        self._token = token
        self._beginning = asyncio.ensure_future(beginning)
        for future in (token, self._beginning):
            future.add_done_callback(_heard)

    def _call(self) -> Any:
        begun = self._beginning.done() and not self._beginning.cancelled()
        return self._beginning.result() if begun and not self._beginning.exception() else None

    async def read(self) -> Any:
        return await (await self._beginning).read()

    async def trailing_metadata(self) -> Any:
        return await (await self._beginning).trailing_metadata()

    def done(self) -> bool:
        call = self._call()
        return self._beginning.done() if call is None else call.done()

    def cancelled(self) -> bool:
        call = self._call()
        return self._beginning.cancelled() if call is None else call.cancelled()

    def cancel(self) -> bool:
        self._token.cancel()
        return (self._call() or self._beginning).cancel()


def _heard(beginning: asyncio.Future[Any]) -> None:
    """Keep asyncio from logging what a reader that never came would have been told."""
    if not beginning.cancelled():
        beginning.exception()


class _told:  # noqa: N801
    """Around a wait for grpc: what goes wrong in it is told as one of our errors."""

    def __init__(
        self,
        client: _AsyncClient[Any],
        asked: Asked,
        ended_here: Callable[[], bool],
        counted: Callable[[InferenceError], InferenceError] = lambda error: error,
    ) -> None:
        self._client = client
        self._asked = asked
        self._ended_here = ended_here
        self._counted = counted
        self._cancellations = 0

    async def __aenter__(self) -> None:
        self._cancellations = _cancellations()

    async def __aexit__(self, kind: object, error: Optional[BaseException], trace: object) -> None:
        if isinstance(error, grpc.aio.AioRpcError):
            raise self._counted(await self._client._failed(error, self._asked)) from error
        # grpc says it like that, too, when not the task was cancelled but the call.
        ended_here = self._client._closed or self._ended_here()
        cancelled = _cancellations() > self._cancellations
        if isinstance(error, asyncio.CancelledError) and ended_here and not cancelled:
            raise self._counted(self._client._cut(self._asked)) from None


def _cancellations() -> int:
    """How often this task was asked to end; an earlier time may have been survived."""
    task = asyncio.current_task()
    cancelling = getattr(task, "cancelling", None)  # from Python 3.11 on
    return cancelling() if cancelling else 0


class _AsyncClient(ClientSettings[ChunkT]):
    """Connects at the first call."""

    _awaits_tokens = True
    _channel: Optional[grpc.aio.Channel] = None
    _loop: Optional[asyncio.AbstractEventLoop] = None
    _running: weakref.WeakSet[Any]
    _over: asyncio.Event

    def _start(self, method: Any, prepared: Prepared) -> Any:
        self._refuse_closed()
        loop = asyncio.get_running_loop()
        if self._loop not in (None, loop):
            raise RuntimeError(
                "this client was used in another event loop, where its connections are: make "
                "one in each loop"
            )
        make = self._calls.get(method.path) or self._bind(method, loop)
        call = make(prepared.request, **prepared.options)
        self._running.add(call)
        return call

    def _bind(self, method: Any, loop: asyncio.AbstractEventLoop) -> Any:
        if self._channel is None:
            self._channel = self._connect()
            self._pid = os.getpid()
            self._loop = loop
            self._running = weakref.WeakSet()
            self._over = asyncio.Event()  # in its loop: Python 3.9 binds it there
        call = self._calls[method.path] = method.on(self._channel)
        return call

    def _connect(self) -> grpc.aio.Channel:
        if self._credentials is None:
            return grpc.aio.insecure_channel(self._target.address, self._options)
        return grpc.aio.secure_channel(self._target.address, self._credentials, self._options)

    def _state(self) -> Optional[grpc.ChannelConnectivity]:
        try:
            return None if self._channel is None else self._channel.get_state()
        except grpc.aio.UsageError:  # closed
            return None

    async def _failed(self, error: Any, asked: Asked) -> InferenceError:
        """Say what a grpc error means."""
        end = self._end_of(error)
        if end.code == "DEADLINE_EXCEEDED" and self._is_failing():
            end = end._replace(unreached=await self._unreached())
        return self._error(end, asked)

    async def _unreached(self) -> str:
        """Why there is no connection: a call that does not wait for one is told at once."""
        if self._channel is None:
            return ""
        try:
            call = HEALTH.on(self._channel)
            await call(HEALTH.request(), timeout=PROBE_TIMEOUT, wait_for_ready=False)
        except grpc.aio.AioRpcError as e:
            return details_of_unavailable(e)
        except grpc.aio.UsageError:  # closed meanwhile
            pass
        return ""

    async def _generate(self, prompt: Any, params: Mapping[str, Any]) -> Answer:
        method = self._contract.unary
        prepared = await self._known(self._prepare("generate", method, prompt, params))
        response, request_id = await self._ask_again(method, prepared)
        return self._contract.read(response, request_id)

    async def _ask_again(self, method: Any, prepared: Prepared) -> tuple[Any, str]:
        """Ask, and ask once more where the gateway says when."""
        for tries in itertools.count(1):
            try:
                return await self._ask(method, prepared)
            except InferenceError as e:
                pause = self._pause_after(e, tries, prepared.asked)
                if pause is None:
                    raise
            await self._rest(pause, prepared.asked)
            prepared = prepared.again()
        raise AssertionError("counting has no end")

    async def _rest(self, pause: float, asked: Asked) -> None:
        """Wait before asking again; closing the client ends it."""
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._over.wait(), pause)
        if self._closed:
            raise self._cut(asked)

    async def _ask(self, method: Any, prepared: Prepared) -> tuple[Any, str]:
        call = self._start(method, prepared)
        async with _told(self, prepared.asked, lambda: False):
            response = await call
            trailers = trailers_of(await call.trailing_metadata())
        return response, trailers.get("x-request-id", prepared.asked.request_id)

    def _stream(self, prompt: Any, params: Mapping[str, Any]) -> AsyncStream[ChunkT]:
        method = self._contract.stream
        prepared = self._prepare("stream", method, prompt, params)
        if prepared.token is None:
            return AsyncStream(self, prepared, self._start(method, prepared))
        token = asyncio.ensure_future(prepared.token)
        beginning = self._start_known(method, prepared._replace(token=token))
        return AsyncStream(self, prepared, _Awaited(token, beginning))

    async def _start_known(self, method: Any, prepared: Prepared) -> Any:
        return self._start(method, await self._known(prepared))

    async def _known(self, prepared: Prepared) -> Prepared:
        """Wait for the token, no longer than for the answer."""
        if prepared.token is None:
            return prepared
        try:
            token = await asyncio.wait_for(prepared.token, prepared.again().options["timeout"])
        except Exception as e:
            raise self._unknown(prepared.asked, e) from e
        return self._with_asked(prepared, token)

    async def health(self, service: str = "", *, timeout: Optional[float] = 5.0) -> str:
        """Ask ``grpc.health.v1`` whether the gateway serves, as `Client.health`."""
        return await self._check(self._health_call(service, timeout))

    async def _check(self, prepared: Prepared) -> str:
        prepared = await self._known(prepared)
        async with _told(self, prepared.asked, lambda: False):
            try:
                return health_word(await self._start(HEALTH, prepared))
            except grpc.aio.AioRpcError as e:
                if unknown_service(e):
                    return "SERVICE_UNKNOWN"
                raise

    async def wait_until_ready(self, timeout: Optional[float] = 30.0, *, service: str = "") -> None:
        """Wait until there is a connection and the gateway serves.

        As `Client.wait_until_ready`.
        """
        wait = Readiness(self._target.address, timeout)
        while True:
            try:
                seen: Any = await self._check(self._health_call(service, wait.left(), waits=False))
            except InferenceError as e:
                seen = e
            if seen == "SERVING":
                return
            await asyncio.sleep(wait.pause(seen))

    async def close(self) -> None:
        """Close the connections. Calls still running end with `ClientClosedError`."""
        self._closed = True
        if self._is_forked():  # the connections are the parent's
            return
        channel, self._channel = self._channel, None
        self._calls.clear()
        if channel is not None:
            self._over.set()
            for call in list(self._running):  # grpc does not find them all
                call.cancel()
            await channel.close()

    async def __aenter__(self: AsyncT) -> AsyncT:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()


class AsyncClient(_AsyncClient[llm_pb2.TokenChunk]):
    """Speaks the full contract, ``llm.v1.LLMService``, for asyncio. Use one for many calls.

    It may be made anywhere. It connects at the first call, and belongs to the event loop of that
    call. What it takes:
    """

    _contract = LLM

    async def generate(self, prompt: Prompt, **params: Unpack[Params]) -> Answer:
        """Wait for one whole answer, as `Client.generate`. Cancelling the task cancels the call."""
        return await self._generate(prompt, params)

    def stream(self, prompt: Prompt, **params: Unpack[Params]) -> AsyncStream[llm_pb2.TokenChunk]:
        """Begin an answer, as `Client.stream`: ``async for token in client.stream(...)``."""
        return self._stream(prompt, params)


class AsyncInferenceClient(_AsyncClient[inference_pb2.TokenResponse]):
    """Speaks the small contract, ``inference.InferenceService``; else as `AsyncClient`."""

    _contract = INFERENCE

    async def generate(self, prompt: InferencePrompt, **params: Unpack[InferenceParams]) -> Answer:
        """Wait for one whole answer, as `Client.generate`; for params see `InferenceParams`."""
        return await self._generate(prompt, params)

    def stream(
        self, prompt: InferencePrompt, **params: Unpack[InferenceParams]
    ) -> AsyncStream[inference_pb2.TokenResponse]:
        """Begin an answer, as `AsyncClient.stream`; for params see `InferenceParams`."""
        return self._stream(prompt, params)

    async def health_report(self, *, timeout: Optional[float] = 5.0) -> HealthReport:
        """Ask the contract's own ``Health``: whether it would answer now, and with which model."""
        response, _ = await self._ask(REPORT, await self._known(self._report_call(timeout)))
        return HealthReport(response.status, response.model)


for _client in (AsyncClient, AsyncInferenceClient):
    _client.__doc__ = with_settings(_client)
