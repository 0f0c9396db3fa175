"""What a call can be told, and how it gets into a request. No IO."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable, Optional, TypedDict, Union

from google.protobuf.message import Message as ProtoMessage

from inference_gateway._answer import Message
from inference_gateway.proto import inference_pb2, llm_pb2

Metadata = Union[Mapping[str, Union[str, bytes]], Iterable[tuple[str, Union[str, bytes]]]]
Turn = Union[Message, Mapping[str, str], llm_pb2.Message, inference_pb2.ChatMessage]
"""One message of a conversation."""


class CallOptions(TypedDict, total=False):
    """How one call is made. None is the same as leaving it out, but for ``timeout``."""

    timeout: Optional[float]
    """Seconds until the call is given up, here and at the GPU; None: only the gateway's own
    longest time for a call (10 minutes by default) ends it. Left out: the client's, 60 s."""

    request_id: Optional[str]
    """The call's name in the gateway's log and at the backend: 1 to 128 of ``A-Za-z0-9._-``.
    Left out: a random one."""

    metadata: Optional[Metadata]
    """More gRPC metadata, after the client's own."""

    wait_for_ready: Optional[bool]
    """Whether to wait for a connection, up to the deadline, rather than fail at once."""


class InferenceParams(CallOptions, total=False):
    """What the small contract can be told. What is left out, or None, is not sent."""

    model: Optional[str]
    """Name of the model or LoRA adapter. Default: the client's, else the gateway's."""

    max_tokens: Optional[int]
    """Longest answer, 1 and up. Default: 1024 (small contract, not streamed: 256)."""

    temperature: Optional[float]
    """Randomness, 0 to 2; 0 is greedy. Default: the model's (small contract: 0.7)."""

    top_p: Optional[float]
    """Nucleus sampling, above 0 to 1."""

    stop: Union[str, Sequence[str], None]
    """Texts that end the answer; at most 16, each of 1 to 256 characters."""

    seed: Optional[int]
    """Makes sampling repeatable on the same backend."""


class Params(InferenceParams, total=False):
    """What the full contract can be told. What is left out, or None, is not sent."""

    top_k: Optional[int]
    """Draw from the k likeliest tokens; 0 means all."""

    min_p: Optional[float]
    """Leave out tokens less likely than this share of the likeliest, 0 to 1."""

    frequency_penalty: Optional[float]
    """Lower tokens by how often they came, -2 to 2."""

    presence_penalty: Optional[float]
    """Lower tokens that came at all, -2 to 2."""

    repetition_penalty: Optional[float]
    """Divide the odds of tokens seen in prompt or answer, above 0 to 2."""

    logit_bias: Optional[Mapping[int, float]]
    """Token id to a number added to its logit, each -100 to 100; at most 1024."""

    stop_token_ids: Optional[Sequence[int]]
    """Token ids that end the answer; at most 128."""

    include_stop_text: Optional[bool]
    """Whether the answer keeps the text that ended it."""

    min_tokens: Optional[int]
    """Generate at least so many tokens before any stop counts."""

    ignore_eos: Optional[bool]
    """Go on past the model's own end up to ``max_tokens``; for load tests."""

    first_token_limit: Optional[float]
    """Longest time to the first token, seconds."""

    gap_limit: Optional[float]
    """Longest time between two tokens, seconds."""

    total_limit: Optional[float]
    """Longest time for the whole answer, seconds."""

    partial: Optional[bool]
    """Whether a limit's passing gives the answer so far (``finish_reason`` ``time_limit``) rather
    than an error. The deadline counts as a limit too."""


class InferenceConversation(InferenceParams):
    """A whole request of the small contract as a plain dict: ``{"messages": [...], ...}``."""

    messages: Sequence[Turn]
    """The conversation."""


class Conversation(Params):
    """A whole request as a plain dict: ``{"messages": [...], "max_tokens": 5, ...}``."""

    messages: Sequence[Turn]
    """The conversation."""


InferencePrompt = Union[
    str, Turn, Sequence[Turn], InferenceConversation, inference_pb2.GenerateRequest
]
Prompt = Union[str, Turn, Sequence[Turn], Conversation, llm_pb2.CompleteRequest]

Writer = Callable[[Any, str, Any], None]


def _scalar(parent: Any, field: str, value: Any) -> None:
    _refuse_bool(value)
    setattr(parent, field, value)


def _yes(parent: Any, field: str, value: Any) -> None:
    _demand_bool(value)
    setattr(parent, field, value)


def _texts(parent: Any, field: str, value: Any) -> None:
    _several(parent, field, [value] if isinstance(value, str) else value)


def _several(parent: Any, field: str, value: Any) -> None:
    if isinstance(value, (str, bytes, Mapping)):  # each iterable, none of them what is meant
        raise TypeError
    values = list(value)
    _refuse_bool(*values)
    parent.ClearField(field)
    getattr(parent, field).extend(values)


def _map(parent: Any, field: str, value: Any) -> None:
    parent.ClearField(field)
    entries = getattr(parent, field)
    for key in value:
        _refuse_bool(key, value[key])
        entries[key] = value[key]


def _refuse_bool(*values: Any) -> None:
    """Python's True is a number, too; as one it is an oversight."""
    if any(isinstance(value, bool) for value in values):
        raise TypeError


def _demand_bool(value: Any) -> None:
    if not isinstance(value, bool):
        raise TypeError


def _seconds(parent: Any, field: str, value: Any) -> None:
    _refuse_bool(value)
    nanos = round(value * 1_000_000_000)
    sign = -1 if nanos < 0 else 1
    whole, rest = divmod(abs(nanos), 1_000_000_000)
    duration = getattr(parent, field)
    duration.seconds = sign * whole
    duration.nanos = sign * rest


def _partial(parent: Any, field: str, value: Any) -> None:
    _demand_bool(value)
    setattr(parent, field, 2 if value else 1)  # ON_TIME_LIMIT_PARTIAL_ANSWER, ON_TIME_LIMIT_ERROR


class Field:
    """Where a parameter goes in a request, and how."""

    def __init__(self, path: str, write: Writer = _scalar, takes: str = "") -> None:
        self._group, _, self._name = path.rpartition(".")
        self._write = write
        self._takes = takes

    def put(self, request: Any, parameter: str, value: Any) -> None:
        """Set it.

        Raises:
            TypeError, ValueError: It does not fit the field. Neither holds the value.
        """
        parent = getattr(request, self._group) if self._group else request
        try:
            self._write(parent, self._name, value)
        except (TypeError, AttributeError, LookupError):
            kind = type(value).__name__
            raise TypeError(f"{parameter}: takes {self._takes}, not this {kind}") from None
        except (ValueError, OverflowError):
            raise ValueError(f"{parameter}: takes {self._takes}; this is out of range") from None


_TEXT, _WHOLE, _NUMBER, _YES = "a string", "a whole number", "a number", "True or False"
_TIME = "a number of seconds"

INFERENCE_FIELDS = {
    "model": Field("model", takes=_TEXT),
    "max_tokens": Field("max_tokens", takes=_WHOLE),
    "temperature": Field("temperature", takes=_NUMBER),
    "top_p": Field("top_p", takes=_NUMBER),
    "stop": Field("stop", _texts, "a string or several"),
    "seed": Field("seed", takes=_WHOLE),
}

LLM_FIELDS = {
    "model": Field("model", takes=_TEXT),
    "max_tokens": Field("max_tokens", takes=_WHOLE),
    "temperature": Field("sampling.temperature", takes=_NUMBER),
    "top_p": Field("sampling.top_p", takes=_NUMBER),
    "top_k": Field("sampling.top_k", takes=_WHOLE),
    "min_p": Field("sampling.min_p", takes=_NUMBER),
    "frequency_penalty": Field("sampling.frequency_penalty", takes=_NUMBER),
    "presence_penalty": Field("sampling.presence_penalty", takes=_NUMBER),
    "repetition_penalty": Field("sampling.repetition_penalty", takes=_NUMBER),
    "seed": Field("sampling.seed", takes=_WHOLE),
    "logit_bias": Field("sampling.logit_bias", _map, "whole numbers to numbers"),
    "stop": Field("stopping.stop", _texts, "a string or several"),
    "stop_token_ids": Field("stopping.stop_token_ids", _several, "whole numbers"),
    "include_stop_text": Field("stopping.include_stop_text", _yes, _YES),
    "min_tokens": Field("stopping.min_tokens", takes=_WHOLE),
    "ignore_eos": Field("stopping.ignore_eos", _yes, _YES),
    "first_token_limit": Field("time_limits.first_token", _seconds, _TIME),
    "gap_limit": Field("time_limits.gap", _seconds, _TIME),
    "total_limit": Field("time_limits.total", _seconds, _TIME),
    "partial": Field("time_limits.on_time_limit", _partial, _YES),
}

_CALL_OPTIONS = frozenset(CallOptions.__annotations__)


def refuse_unknown(method: str, fields: Mapping[str, Field], params: Mapping[str, Any]) -> None:
    """Refuse a misspelt parameter before anything is sent.

    Raises:
        TypeError: Names it, and the one that was probably meant.
    """
    known = _CALL_OPTIONS.union(fields)
    for name in params:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {close[0]!r}?" if close else ""
            if name in LLM_FIELDS:
                hint = "; the small contract does not have it, Client does"
            raise TypeError(f"{method}() got an unexpected keyword argument {name!r}{hint}")


def fill(request: Any, fields: Mapping[str, Field], params: Mapping[str, Any]) -> None:
    """Set what was given. None is the same as nothing."""
    for name, field in fields.items():
        value = params.get(name)
        if value is not None:
            field.put(request, name, value)


def apart(prompt: Any, params: Mapping[str, Any]) -> tuple[Any, Mapping[str, Any]]:
    """Take messages and parameters out of a whole request that is a dict; those given win."""
    if not isinstance(prompt, Mapping) or "messages" not in prompt:
        return prompt, params
    inside = {name: prompt[name] for name in prompt if name != "messages"}
    messages = prompt["messages"]
    if isinstance(messages, (str, bytes, Mapping)) or not isinstance(messages, Iterable):
        raise TypeError(f"messages: takes a list of messages, not this {type(messages).__name__}")
    said = {
        name: params[name]
        for name in params
        if params[name] is not None or name not in inside or name == "timeout"
    }
    return messages, {**inside, **said}


def add_prompt(request: Any, prompt: Any) -> None:
    """Set the conversation.

    Raises:
        TypeError, ValueError: It is none. Neither holds any of its text.
    """
    if isinstance(prompt, type(request)):
        request.CopyFrom(prompt)
        return
    if isinstance(prompt, str):
        prompt = (Message("user", prompt),)
    if isinstance(prompt, Mapping) or (hasattr(prompt, "role") and hasattr(prompt, "content")):
        prompt = (prompt,)
    if isinstance(prompt, (bytes, ProtoMessage)) or not isinstance(prompt, Iterable):
        raise TypeError(
            "prompt: takes a string, one message or a list of them, or a whole "
            f"{request.DESCRIPTOR.name}, not this {type(prompt).__name__}"
        )
    for index, message in enumerate(prompt):
        role, content = _turn(index, message)
        try:
            request.messages.add(role=role, content=content)
        except ValueError:  # half a surrogate pair: there is no UTF-8 for it
            raise ValueError(f"messages[{index}]: is not text that can be sent") from None


def _turn(index: int, message: Any) -> tuple[str, str]:
    if isinstance(message, Mapping):
        if set(message) != {"role", "content"}:
            raise TypeError(f"messages[{index}]: needs 'role' and 'content', and nothing else")
        role, content = message["role"], message["content"]
    else:
        role, content = getattr(message, "role", None), getattr(message, "content", None)
    if not isinstance(role, str) or not isinstance(content, str):
        raise TypeError(
            f"messages[{index}]: takes a dict or Message whose role and content are strings"
        )
    return role, content


def seconds(name: str, value: Any) -> Optional[float]:
    """Check a time; None for no limit.

    Raises:
        TypeError, ValueError: It is no time.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"{name}: takes seconds or None, not this {type(value).__name__}")
    if not value >= 0:  # NaN is not either
        raise ValueError(f"{name}: takes 0 seconds or more, not {max(value, -_LONGEST)}")
    return float(value) if value <= _LONGEST else None


_LONGEST = 10 * 365 * 86_400
"""Ten years: beyond, grpc cannot add it to the time of day."""
