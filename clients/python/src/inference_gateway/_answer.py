"""What comes back: a whole answer, or one that grows. No IO."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Union

from inference_gateway.errors import InferenceError


@dataclass(frozen=True)
class Message:
    """One turn of a conversation. A plain dict with the same keys does as well."""

    role: str
    """``system``, ``developer``, ``user`` or ``assistant``."""

    content: str
    """The text; may be empty."""


@dataclass(frozen=True)
class Usage:
    """Tokens of one call."""

    input_tokens: int
    """Of the prompt."""

    output_tokens: int
    """Generated, reasoning included."""

    total_tokens: int
    """Both together."""

    cached_input_tokens: Optional[int] = None
    """Of the input, those found in the backend's prefix cache; None: the backend did not say."""

    reasoning_tokens: Optional[int] = None
    """Of the output, those spent on reasoning; None: the backend did not say."""

    exact: Optional[bool] = None
    """True: the backend's count; False: the gateway counted; None: the contract does not say."""


@dataclass(frozen=True)
class Timing:
    """Where the time went, in seconds, by the gateway's clock."""

    queue: float
    """Waiting in the gateway for a free place at the backend."""

    first_token: Optional[float]
    """From the call's arrival to the first text or reasoning; None where nobody could tell."""

    total: float
    """From the call's arrival to its end."""


@dataclass(frozen=True)
class Answer:
    """One whole answer. Printing it prints its text."""

    text: str
    """What was generated."""

    model: str = ""
    """The model that answered, as the backend names it; empty where the contract does not say."""

    finish_reason: Optional[str] = None
    """Why generation ended: ``stop``, ``length``, ``tool_calls``, ``content_filter``,
    ``time_limit`` (a partial answer), or another word of the backend's."""

    usage: Optional[Usage] = None
    """Tokens of the call."""

    reasoning: str = ""
    """What the model thought before it answered, where the backend separates it."""

    timing: Optional[Timing] = None
    """Where the time went; None in the small contract."""

    request_id: Optional[str] = None
    """The call's name in the gateway's log."""

    id: str = ""
    """The backend's name for this completion; empty in the small contract."""

    stopped_by: Union[str, int, None] = None
    """The stop text or token id that ended it, where the backend tells."""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class HealthReport:
    """What the small contract's own ``Health`` says."""

    status: str
    """``healthy`` or ``unhealthy``."""

    model: str
    """The default model; empty until there is one."""


class StreamedAnswer:
    """The part of an answer that has come so far, and after the end what it came to."""

    def __init__(self, request_id: str) -> None:
        self.request_id: str = request_id
        """The call's name in the gateway's log."""
        self.model: str = ""
        """The model that answers; known from the first chunk on (small contract: never)."""
        self.id: str = ""
        """The backend's name for this completion (small contract: empty)."""
        self.finish_reason: Optional[str] = None
        """Why generation ended, as ``Answer.finish_reason``; None before the end."""
        self.usage: Optional[Usage] = None
        """Tokens of the call; None before the end."""
        self.timing: Optional[Timing] = None
        """Where the time went; None before the end and in the small contract."""
        self.stopped_by: Union[str, int, None] = None
        """The stop text or token id that ended it, where the backend tells."""
        self._pieces = 0
        self._text: list[str] = []
        self._reasoning: list[str] = []

    @property
    def text(self) -> str:
        """All text so far."""
        return _joined(self._text)

    @property
    def reasoning(self) -> str:
        """All reasoning so far."""
        return _joined(self._reasoning)

    @property
    def answer(self) -> Answer:
        """What has come so far as an `Answer`; a whole one after the end."""
        return Answer(
            text=self.text,
            model=self.model,
            finish_reason=self.finish_reason,
            usage=self.usage,
            reasoning=self.reasoning,
            timing=self.timing,
            request_id=self.request_id,
            id=self.id,
            stopped_by=self.stopped_by,
        )

    def _add(self, text: str, reasoning: str = "") -> None:
        if text:
            self._pieces += 1
            self._text.append(text)
        if reasoning:
            self._reasoning.append(reasoning)

    def _counted(self, error: InferenceError) -> InferenceError:
        """Tell how much had come, where the gateway could not tell it any more."""
        if error.tokens_sent is None:
            error.tokens_sent = self._pieces
        return error


def _joined(pieces: list[str]) -> str:
    if len(pieces) > 1:
        pieces[:] = ["".join(pieces)]
    return pieces[0] if pieces else ""
