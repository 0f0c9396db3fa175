"""The two contracts: where their methods are, and what their messages mean. No IO."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Callable, Generic, Optional, TypeVar

from inference_gateway._answer import Answer, StreamedAnswer, Timing, Usage
from inference_gateway._params import INFERENCE_FIELDS, LLM_FIELDS, Field
from inference_gateway.proto import inference_pb2, llm_pb2

ChunkT = TypeVar("ChunkT")


@dataclass(frozen=True)
class Method(Generic[ChunkT]):
    """One method of a service."""

    service: str
    name: str
    request: Any
    answer: type[ChunkT]
    streams: bool = False

    @property
    def path(self) -> str:
        """As it is on the wire."""
        return f"/{self.service}/{self.name}"

    def on(self, channel: Any) -> Any:
        """Bind it to a channel, sync or asyncio."""
        make = channel.unary_stream if self.streams else channel.unary_unary
        return make(
            self.path,
            request_serializer=self.request.SerializeToString,
            response_deserializer=self.answer.FromString,  # type: ignore[attr-defined]
        )


@dataclass(frozen=True)
class Contract(Generic[ChunkT]):
    """What a client needs to know of the service it speaks to."""

    fields: Mapping[str, Field]
    unary: Method[Any]
    stream: Method[ChunkT]
    read: Callable[[Any, str], Answer]
    add: Callable[[StreamedAnswer, ChunkT], str]
    """Puts a chunk to the answer; returns its text, which may be empty."""


def _llm_answer(response: llm_pb2.CompleteResponse, request_id: str) -> Answer:
    return Answer(
        text=response.text,
        model=response.model,
        finish_reason=_reason(response.finish),
        usage=_usage(response.usage),
        reasoning=response.reasoning,
        timing=_timing(response),
        request_id=request_id,
        id=response.id,
        stopped_by=_stopped_by(response.finish),
    )


def _llm_chunk(answer: StreamedAnswer, chunk: llm_pb2.TokenChunk) -> str:
    answer._add(chunk.token, chunk.reasoning)
    answer.id = chunk.id or answer.id
    answer.model = chunk.model or answer.model
    if chunk.done:
        answer.finish_reason = _reason(chunk.finish)
        answer.stopped_by = _stopped_by(chunk.finish)
        answer.usage = _usage(chunk.usage)
        answer.timing = _timing(chunk)
    return chunk.token


_REASONS = {
    value: name[len("FINISH_REASON_") :].lower()
    for name, value in llm_pb2.FinishReason.items()
    if value != llm_pb2.FINISH_REASON_UNSPECIFIED
}


def _reason(finish: llm_pb2.Finish) -> Optional[str]:
    return _REASONS.get(finish.reason, finish.raw) or None


def _stopped_by(finish: llm_pb2.Finish) -> Any:
    matched = finish.WhichOneof("matched")
    return getattr(finish, matched) if matched else None


def _usage(usage: llm_pb2.Usage) -> Usage:
    return Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        total_tokens=usage.total_tokens,
        cached_input_tokens=_said(usage, "cached_input_tokens"),
        reasoning_tokens=_said(usage, "reasoning_tokens"),
        exact=usage.exact,
    )


def _said(message: Any, field: str) -> Any:
    return getattr(message, field) if message.HasField(field) else None


def _timing(message: Any) -> Optional[Timing]:
    timing = _said(message, "timing")
    if timing is None:
        return None
    first = _said(timing, "first_token")
    return Timing(
        queue=_seconds(timing.queue),
        first_token=None if first is None else _seconds(first),
        total=_seconds(timing.total),
    )


def _seconds(duration: Any) -> float:
    return float(duration.seconds + duration.nanos / 1e9)


def _inference_answer(response: inference_pb2.GenerateResponse, request_id: str) -> Answer:
    return Answer(
        text=response.content,
        model=response.model,
        finish_reason=response.finish_reason or None,
        usage=Usage(response.input_tokens, response.output_tokens, response.tokens_used),
        request_id=request_id,
    )


def _inference_chunk(answer: StreamedAnswer, chunk: inference_pb2.TokenResponse) -> str:
    answer._add(chunk.token)
    if chunk.done:
        answer.finish_reason = chunk.finish_reason or None
        tokens = chunk.input_tokens, chunk.output_tokens
        answer.usage = Usage(*tokens, sum(tokens))
    return chunk.token


_LLM = "llm.v1.LLMService"
_INFERENCE = "inference.InferenceService"

LLM: Contract[llm_pb2.TokenChunk] = Contract(
    fields=LLM_FIELDS,
    unary=Method(_LLM, "Complete", llm_pb2.CompleteRequest, llm_pb2.CompleteResponse),
    stream=Method(_LLM, "CompleteStream", llm_pb2.CompleteRequest, llm_pb2.TokenChunk, True),
    read=_llm_answer,
    add=_llm_chunk,
)

INFERENCE: Contract[inference_pb2.TokenResponse] = Contract(
    fields=INFERENCE_FIELDS,
    unary=Method(
        _INFERENCE, "Generate", inference_pb2.GenerateRequest, inference_pb2.GenerateResponse
    ),
    stream=Method(
        _INFERENCE,
        "GenerateStream",
        inference_pb2.GenerateRequest,
        inference_pb2.TokenResponse,
        True,
    ),
    read=_inference_answer,
    add=_inference_chunk,
)

REPORT: Method[inference_pb2.HealthResponse] = Method(
    _INFERENCE, "Health", inference_pb2.HealthRequest, inference_pb2.HealthResponse
)
