"""The clients for threads."""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, Optional, TypeVar

import grpc

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

SyncT = TypeVar("SyncT", bound="_SyncClient[Any]")


class Stream(StreamedAnswer, Generic[ChunkT]):
    """An answer as it is generated: iterate it, or ``next`` it, for the pieces of its text.

    The call has begun when this is made. It is cancelled, and with it the generation at the GPU,
    when the loop is left by ``break`` or an exception, by `close`, by leaving a ``with``, and when
    the stream is forgotten. It can be looped over once, by one thread; `close` may come from any.
    """

    def __init__(self, client: _SyncClient[ChunkT], prepared: Prepared, call: Any) -> None:
        super().__init__(prepared.asked.request_id)
        self._client = client
        self._asked = prepared.asked
        self._call = call
        self._taken = False

    def __iter__(self) -> Iterator[str]:
        """Iterate the pieces of text, none of them empty.

        Raises:
            InferenceError: The answer is not whole.
        """
        return self._each(self._text_of)

    def __next__(self) -> str:
        """Wait for the next piece of text; a loop goes on where this leaves off."""
        while True:
            text = self._text_of(self._chunk())
            if text:
                return text

    def _text_of(self, chunk: ChunkT) -> str:
        return self._client._contract.add(self, chunk)

    def chunks(self) -> Iterator[ChunkT]:
        """Iterate the contract's own messages instead: reasoning too, and the last one."""
        return self._each(self._whole)

    def _whole(self, chunk: ChunkT) -> ChunkT:
        self._client._contract.add(self, chunk)
        return chunk

    def _each(self, take: Any) -> Iterator[Any]:
        if self._taken:
            raise RuntimeError("a stream can be iterated once; its text is in .text")
        self._taken = True
        return self._read(take)

    def _read(self, take: Any) -> Iterator[Any]:
        try:
            while True:
                try:
                    chunk = self._chunk()
                except StopIteration:
                    return
                taken = take(chunk)
                if taken != "":
                    yield taken
        finally:
            self.close()

    def _chunk(self) -> ChunkT:
        """Wait for the next message."""
        self._client._refuse_forked()  # in the child grpc would wait for ever
        try:
            chunk: ChunkT = next(self._call)
            return chunk
        except StopIteration:
            trailers = trailers_of(self._call.trailing_metadata())
            self.request_id = trailers.get("x-request-id", self.request_id)
            raise
        except grpc.RpcError as e:
            raise self._counted(self._client._failed(e, self._asked)) from e

    def close(self) -> None:
        """Cancel what is left of the call. At once, from any thread, any number of times."""
        if not self._client._is_forked():  # else it is its parent's
            self._call.cancel()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __del__(self) -> None:
        with contextlib.suppress(Exception):  # half made, or the interpreter ends
            self.close()


class _SyncClient(ClientSettings[ChunkT]):
    """Connects at the first call. All methods may be called from any thread at the same time."""

    _channel: Optional[grpc.Channel] = None

    def _start(self, method: Any, prepared: Prepared, future: bool = False) -> Any:
        call = self._calls.get(method.path) or self._bind(method)
        try:
            start = call.future if future else call
            return start(prepared.request, **prepared.options)
        except ValueError:  # by grpc, where another thread has just closed the channel
            self._refuse_closed()
            raise

    def _bind(self, method: Any) -> Any:
        with self._lock:
            self._refuse_closed()
            if self._channel is None:
                self._channel = self._connect()
                self._pid = os.getpid()
            call = self._calls[method.path] = method.on(self._channel)
            return call

    def _connect(self) -> grpc.Channel:
        if self._credentials is None:
            return grpc.insecure_channel(self._target.address, self._options)
        return grpc.secure_channel(self._target.address, self._credentials, self._options)

    def _state(self) -> Optional[grpc.ChannelConnectivity]:
        try:
            # The public way is a thread that polls.
            state = self._channel._channel.check_connectivity_state(False)  # type: ignore
        except (AttributeError, ValueError):  # another grpc; closed
            return None
        return next((kind for kind in grpc.ChannelConnectivity if kind.value[0] == state), None)

    def _failed(self, error: Any, asked: Asked) -> InferenceError:
        """Say what a grpc error means."""
        end = self._end_of(error)
        if end.code == "DEADLINE_EXCEEDED" and self._is_failing():
            end = end._replace(unreached=self._unreached())
        return self._error(end, asked)

    def _unreached(self) -> str:
        """Why there is no connection: a call that does not wait for one is told at once."""
        try:
            call = self._calls.get(HEALTH.path) or self._bind(HEALTH)
            call(HEALTH.request(), timeout=PROBE_TIMEOUT, wait_for_ready=False)
        except grpc.RpcError as e:
            return details_of_unavailable(e)
        except (ValueError, InferenceError):  # closed meanwhile
            pass
        return ""

    def _generate(self, prompt: Any, params: Mapping[str, Any]) -> Answer:
        method = self._contract.unary
        prepared = self._prepare("generate", method, prompt, params)
        response, request_id = self._ask_again(method, prepared)
        return self._contract.read(response, request_id)

    def _ask_again(self, method: Any, prepared: Prepared) -> tuple[Any, str]:
        """Ask, and ask once more where the gateway says when."""
        for tries in itertools.count(1):
            try:
                return self._ask(method, prepared)
            except InferenceError as e:
                pause = self._pause_after(e, tries, prepared.asked)
                if pause is None:
                    raise
            if self._closing.wait(pause):
                raise self._cut(prepared.asked)
            prepared = prepared.again()
        raise AssertionError("counting has no end")

    def _ask(self, method: Any, prepared: Prepared) -> tuple[Any, str]:
        call = self._start(method, prepared, future=True)
        try:
            response = call.result()
            trailers = trailers_of(call.trailing_metadata())
            return response, trailers.get("x-request-id", prepared.asked.request_id)
        except grpc.RpcError as e:
            raise self._failed(e, prepared.asked) from e
        except grpc.FutureCancelledError:
            raise self._cut(prepared.asked) from None
        finally:
            call.cancel()  # nothing to do but where Ctrl-C ended the wait

    def _stream(self, prompt: Any, params: Mapping[str, Any]) -> Stream[ChunkT]:
        method = self._contract.stream
        prepared = self._prepare("stream", method, prompt, params)
        call = self._start(method, prepared)
        return Stream(self, prepared, call)

    def health(self, service: str = "", *, timeout: Optional[float] = 5.0) -> str:
        """Ask ``grpc.health.v1`` whether the gateway serves.

        Args:
            service: ``""`` the gateway as a whole, ``"readiness"``, ``"liveness"``,
                ``"llm.v1.LLMService"`` or ``"inference.InferenceService"``.
            timeout: Seconds to wait for the answer.

        Returns:
            ``"SERVING"``, ``"NOT_SERVING"``, ``"UNKNOWN"`` or ``"SERVICE_UNKNOWN"``.

        Raises:
            UnavailableError: There is no gateway.
        """
        return self._check(self._health_call(service, timeout))

    def _check(self, prepared: Prepared) -> str:
        try:
            return health_word(self._start(HEALTH, prepared))
        except grpc.RpcError as e:
            if unknown_service(e):
                return "SERVICE_UNKNOWN"
            raise self._failed(e, prepared.asked) from e

    def wait_until_ready(self, timeout: Optional[float] = 30.0, *, service: str = "") -> None:
        """Wait until there is a connection and the gateway serves.

        Args:
            timeout: Seconds to wait at the most; None: for ever.
            service: As for `health`.

        Raises:
            DeadlineExceededError: It was not; says what was last seen.
            AuthenticationError, PermissionDeniedError, UnimplementedError: It never will be.
        """
        wait = Readiness(self._target.address, timeout)
        while True:
            try:
                # Whether calls wait or not, here the reason why there is no connection counts.
                seen: Any = self._check(self._health_call(service, wait.left(), waits=False))
            except InferenceError as e:
                seen = e
            if seen == "SERVING":
                return
            time.sleep(wait.pause(seen))

    def close(self) -> None:
        """Close the connections. Calls still running end with `ClientClosedError`."""
        if self._is_forked():  # they are the parent's, and grpc would wait for ever
            self._closed = True
            return
        with self._lock:
            self._closed = True
            self._closing.set()
            channel, self._channel = self._channel, None
            self._calls.clear()
        if channel is not None:
            channel.close()

    def __enter__(self: SyncT) -> SyncT:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Client(_SyncClient[llm_pb2.TokenChunk]):
    """Speaks the full contract, ``llm.v1.LLMService``. Use one for many calls.

    It connects at the first call. All methods may be called from any thread, at the same time.
    Make it after ``fork()``, or at least do not use it before. What it takes:
    """

    _contract = LLM

    def generate(self, prompt: Prompt, **params: Unpack[Params]) -> Answer:
        """Wait for one whole answer.

        Args:
            prompt: A string, which the user says; or one message or several, each a dict with
                ``role`` and ``content`` or a `Message`; or a whole request, over which ``params``
                are put: a dict ``{"messages": [...], ...}`` of what `Params` has, or a
                ``CompleteRequest``.
            **params: See `Params`.

        Raises:
            InferenceError: One of its subclasses, see `inference_gateway.errors`.
            TypeError, ValueError: An argument cannot be sent.
        """
        return self._generate(prompt, params)

    def stream(self, prompt: Prompt, **params: Unpack[Params]) -> Stream[llm_pb2.TokenChunk]:
        """Begin an answer, and take it as it is generated.

        Args as for `generate`. Iterating raises what `generate` raises. Streams are never sent
        again by themselves.
        """
        return self._stream(prompt, params)


class InferenceClient(_SyncClient[inference_pb2.TokenResponse]):
    """Speaks the small contract, ``inference.InferenceService``; else as `Client`."""

    _contract = INFERENCE

    def generate(self, prompt: InferencePrompt, **params: Unpack[InferenceParams]) -> Answer:
        """Wait for one whole answer, as `Client.generate`; for params see `InferenceParams`."""
        return self._generate(prompt, params)

    def stream(
        self, prompt: InferencePrompt, **params: Unpack[InferenceParams]
    ) -> Stream[inference_pb2.TokenResponse]:
        """Begin an answer, as `Client.stream`; for params see `InferenceParams`."""
        return self._stream(prompt, params)

    def health_report(self, *, timeout: Optional[float] = 5.0) -> HealthReport:
        """Ask the contract's own ``Health``: whether it would answer now, and with which model."""
        response, _ = self._ask(REPORT, self._report_call(timeout))
        return HealthReport(response.status, response.model)


for _client in (Client, InferenceClient):
    _client.__doc__ = with_settings(_client)
