"""What can go wrong with a call, as a small tree of exceptions.

::

    InferenceError
    ├── InvalidRequestError          the request is wrong; the same one fails again
    │   └── ContextLengthError       prompt and max_tokens do not fit the model
    ├── ModelNotFoundError           there is no such model
    ├── AuthenticationError          who you are is not known
    ├── PermissionDeniedError        it is known, and not allowed
    ├── OverloadedError              too much at once; come back after ``retry_after`` seconds
    ├── TooLargeError                a message is larger than somebody takes
    │   ├── RequestTooLargeError
    │   └── ResponseTooLargeError
    ├── UnavailableError             no gateway, no backend, or an answer that broke off
    ├── DeadlineExceededError        the time was over; also a ``TimeoutError``
    ├── CancelledError               the call was ended by this side, or by the gateway
    ├── UnimplementedError           nobody there can do this
    ├── InternalError                anything else
    └── ClientClosedError            the client was closed

No text in here ever holds prompts, generated text or tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Optional

__all__ = [
    "AuthenticationError",
    "CancelledError",
    "ClientClosedError",
    "ContextLengthError",
    "DeadlineExceededError",
    "InferenceError",
    "InternalError",
    "InvalidRequestError",
    "ModelNotFoundError",
    "OverloadedError",
    "PermissionDeniedError",
    "RequestTooLargeError",
    "ResponseTooLargeError",
    "TooLargeError",
    "UnavailableError",
    "UnimplementedError",
    "Violation",
]


class Violation(NamedTuple):
    """One field of the request that is wrong."""

    field: str
    """Its name in the contract, as ``sampling.temperature``."""

    description: str
    """What is wrong with it."""


class InferenceError(Exception):
    """A call that did not go well. The grpc error behind it is ``__cause__``, where there is one.

    Attributes:
        message: One sentence that a person can act on.
        code: The gRPC status code's name, as ``"UNAVAILABLE"``.
        reason: The gateway's reason, as ``"UPSTREAM_STARTING"``; None where it gave none. The
            gateway's README lists them all; a newer gateway may have more.
        request_id: The call's name in the gateway's log and at the backend.
        phase: How far the call had come: ``admission``, ``queued``, ``connect``, ``prefill``,
            ``decode`` or ``backpressure``; None where the gateway did not say.
        tokens_sent: How many pieces of text the gateway had sent; where it did not say, how many
            of a stream had come, and None of a call that is not streamed.
        retry_after: Seconds to wait before the same request is sent again; None where the gateway
            does not call for that.
        retryable: Whether the gateway said that sending the same request again is safe. Unary
            calls have then been sent again already, as often as ``retries`` allows.
        violations: The fields at fault, for ``InvalidRequestError``.
        upstream_type, upstream_param, upstream_code: The backend's own words for its error; None
            where there are none.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "UNKNOWN",
        reason: Optional[str] = None,
        request_id: Optional[str] = None,
        phase: Optional[str] = None,
        tokens_sent: Optional[int] = None,
        retry_after: Optional[float] = None,
        retryable: bool = False,
        violations: Sequence[Violation] = (),
        upstream_type: Optional[str] = None,
        upstream_param: Optional[str] = None,
        upstream_code: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.reason = reason
        self.request_id = request_id
        self.phase = phase
        self.tokens_sent = tokens_sent
        self.retry_after = retry_after
        self.retryable = retryable
        self.violations = tuple(violations)
        self.upstream_type = upstream_type
        self.upstream_param = upstream_param
        self.upstream_code = upstream_code

    def __str__(self) -> str:
        facts = [self.reason or self.code]
        if self.request_id:
            facts.append(f"request {self.request_id}")
        return f"{self.message} [{', '.join(facts)}]"


class InvalidRequestError(InferenceError):
    """The request is wrong: ``violations`` names every field. The same request fails again."""


class ContextLengthError(InvalidRequestError):
    """Prompt and ``max_tokens`` together do not fit the model. Shorten one of them."""


class ModelNotFoundError(InferenceError):
    """There is no such model."""


class AuthenticationError(InferenceError):
    """The token is missing, wrong or expired."""


class PermissionDeniedError(InferenceError):
    """The caller is known, and may not do this."""


class OverloadedError(InferenceError):
    """Too much at once, here or at the backend. Come back after ``retry_after`` seconds."""


class TooLargeError(InferenceError):
    """A message is larger than somebody takes."""


class RequestTooLargeError(TooLargeError):
    """The request is too large for the gateway, or for this client's ``max_message_bytes``."""


class ResponseTooLargeError(TooLargeError):
    """The answer is too large for one message: stream it."""


class UnavailableError(InferenceError):
    """No gateway, no backend, or an answer that broke off or stalled."""


class DeadlineExceededError(InferenceError, TimeoutError):
    """The time was over: the call's deadline, or the gateway's longest time for a call."""


class CancelledError(InferenceError):
    """The call was ended: by this side's closing the stream, or by the gateway.

    A cancelled asyncio task sees ``asyncio.CancelledError``, never this.
    """


class UnimplementedError(InferenceError):
    """The gateway or the backend cannot do this."""


class InternalError(InferenceError):
    """Something that should not happen, or a code that has no class of its own."""


class ClientClosedError(InferenceError):
    """The client was closed before or during the call."""
