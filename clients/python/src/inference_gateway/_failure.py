"""Turns what grpc knows of a failed call into one of our errors. The only place that does."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from typing import Any, NamedTuple, Optional

from google.protobuf.message import DecodeError

from inference_gateway import errors
from inference_gateway.proto import error_details_pb2, status_pb2

_BY_CODE: dict[str, type[errors.InferenceError]] = {
    "CANCELLED": errors.CancelledError,
    "INVALID_ARGUMENT": errors.InvalidRequestError,
    "OUT_OF_RANGE": errors.InvalidRequestError,
    "FAILED_PRECONDITION": errors.InvalidRequestError,
    "DEADLINE_EXCEEDED": errors.DeadlineExceededError,
    "NOT_FOUND": errors.ModelNotFoundError,
    "PERMISSION_DENIED": errors.PermissionDeniedError,
    "UNAUTHENTICATED": errors.AuthenticationError,
    "RESOURCE_EXHAUSTED": errors.OverloadedError,
    "UNIMPLEMENTED": errors.UnimplementedError,
    "UNAVAILABLE": errors.UnavailableError,
}

_BY_REASON: dict[str, type[errors.InferenceError]] = {
    "CONTEXT_LENGTH": errors.ContextLengthError,
    "REQUEST_TOO_LARGE": errors.RequestTooLargeError,
    "RESPONSE_TOO_LARGE": errors.ResponseTooLargeError,
    "UPSTREAM_EVENT_TOO_LARGE": errors.ResponseTooLargeError,
}

Trailers = dict[str, Any]


class Ended(NamedTuple):
    """A call that ended badly, in grpc's words."""

    code: str
    details: str
    trailers: Trailers
    connected: Optional[bool] = None
    """Whether there was a connection when it ended, where that is known."""

    unreached: str = ""
    """In grpc's words, why there was none; empty where that is not known."""


class Asked(NamedTuple):
    """What this side knows of the call."""

    target: str
    request_id: str
    timeout: Optional[float]
    until: Optional[float] = None
    """The deadline, by `time.monotonic`."""


def ended(error: Any, connected: Optional[bool]) -> Ended:
    """Read a grpc error; sync and asyncio name the same things alike."""
    trailers = trailers_of(error.trailing_metadata())
    return Ended(error.code().name, error.details() or "", trailers, connected)


def trailers_of(trailers: Optional[Iterable[Any]]) -> Trailers:
    """By name; of several with one name the first."""
    found: Trailers = {}
    for name, value in trailers or ():
        found.setdefault(name, value)
    return found


def error_of(end: Ended, asked: Asked) -> errors.InferenceError:
    """Say what happened: in the gateway's words where there are some, else in our own."""
    status = _parsed(status_pb2.Status, end.trailers.get("grpc-status-details-bin"))
    info = _detail(status, error_details_pb2.ErrorInfo)
    if info is None:
        return _of_library(end, asked, status)
    said = info.metadata
    return _BY_REASON.get(info.reason, _class_of(end.code))(
        _told(end, asked, info.reason),
        code=end.code,
        reason=info.reason or None,
        request_id=said.get("request_id") or _request_id(end, asked),
        phase=said.get("phase"),
        tokens_sent=_whole_number(said.get("tokens_sent")),
        upstream_type=said.get("upstream_type"),
        upstream_param=said.get("upstream_param"),
        upstream_code=said.get("upstream_code"),
        **_advice(end, status),
    )


def _told(end: Ended, asked: Asked, reason: str) -> str:
    """The same words for a deadline, whoever saw it first."""
    if reason == "CLIENT_DEADLINE":
        return _late(end, asked)
    return end.details or f"the call ended with {end.code}"


def _of_library(end: Ended, asked: Asked, status: Any) -> errors.InferenceError:
    """Without the gateway's details: made by a library, a proxy, or a server that is no gateway."""
    if end.code == "CANCELLED" and _is_over(end, asked):
        end = end._replace(code="DEADLINE_EXCEEDED")
    kind = _class_of(end.code)
    if end.code == "RESOURCE_EXHAUSTED" and re.search("larger than max|exceeds max", end.details):
        received = re.search("received message", end.details, re.IGNORECASE)
        kind = errors.ResponseTooLargeError if received else errors.RequestTooLargeError
    return kind(
        _words(end, asked),
        code=end.code,
        request_id=_request_id(end, asked),
        **_advice(end, status),
    )


def _is_over(end: Ended, asked: Asked) -> bool:
    """Whether the deadline ended a call that the gateway was the first to reset for it.

    Both sides watch the deadline. A reset says no more than "cancelled", and grpc may look at a
    clock that it read before the deadline.
    """
    return asked.until is not None and not _is_local(end) and time.monotonic() > asked.until - 0.01


def _is_local(end: Ended) -> bool:
    return not end.details or "Locally cancelled" in end.details


def _class_of(code: str) -> type[errors.InferenceError]:
    return _BY_CODE.get(code, errors.InternalError)


def _request_id(end: Ended, asked: Asked) -> str:
    said = end.trailers.get("x-request-id")
    return said if isinstance(said, str) and said else asked.request_id


def _advice(end: Ended, status: Any) -> dict[str, Any]:
    retry = _detail(status, error_details_pb2.RetryInfo)
    pushback = _whole_number(end.trailers.get("grpc-retry-pushback-ms"))
    bad = _detail(status, error_details_pb2.BadRequest)
    after: Optional[float] = None
    if retry is not None:
        after = max(0.0, retry.retry_delay.seconds + retry.retry_delay.nanos / 1e9)
    elif pushback is not None and pushback >= 0:
        after = pushback / 1e3
    return {
        "retry_after": after,
        "retryable": after is not None or end.trailers.get("x-gateway-retry") == "safe",
        "violations": [
            errors.Violation(violation.field, violation.description)
            for violation in (bad.field_violations if bad is not None else ())
        ],
    }


def _detail(status: Any, kind: Any) -> Any:
    for packed in status.details if status is not None else ():
        if packed.type_url.rpartition("/")[2] == kind.DESCRIPTOR.full_name:
            return _parsed(kind, packed.value)
    return None


def _parsed(kind: Any, data: Any) -> Any:
    """None for bytes that are no such message: whatever a peer sends must not raise here."""
    if not isinstance(data, bytes):
        return None
    try:
        return kind.FromString(data)
    except DecodeError:
        return None


def _whole_number(text: Any) -> Optional[int]:
    return int(text) if isinstance(text, str) and re.fullmatch(r"-?[0-9]{1,15}", text) else None


_UNREACHED = re.compile(
    "last error:|[Ff]ailed to connect|connections to all|resolving|resolution|not resolve"
    "|[Nn]o address|[Ee]mpty address"
)
"""In what grpc says before it has found a connection for a call."""

_BROKEN = re.compile(
    "[Ss]ocket closed|[Ss]tream removed|[Cc]onnection reset|[Bb]roken pipe|recvmsg|sendmsg|Endpoint"
    "|[Tt]ransport closed|GOAWAY|RST_STREAM|[Pp]ing timeout|[Kk]eepalive|[Tt]imed out"
)
"""In what it says when a call had one, which broke."""

_HINTS = (
    (
        "Connection refused|connect failed: .*111|No such file or directory",
        "nobody listened there when it was last tried. Is the gateway running, and is the port "
        "right?",
    ),
    ("certificate has expired", "its certificate has expired"),
    ("certificate is not yet valid", "its certificate is not valid yet. Is the clock right?"),
    (
        "CERTIFICATE_VERIFY_FAILED|certificate verify failed",
        "its certificate is not signed by an authority that this client trusts. See tls= and ca=",
    ),
    (
        "Hostname Verification|Peer name .* is not in peer certificate",
        "its certificate is for another name. See server_name=",
    ),
    (
        # With TLS 1.3 the client has shaken hands before it is refused.
        "CERTIFICATE_REQUIRED|certificate required|BAD_CERTIFICATE|UNKNOWN_CA|Unwrap failed",
        "it does not accept this client's certificate, or there was none. See cert= and key=",
    ),
    (
        "Failed to create security handshaker",
        "this client's TLS files cannot be used. Are they whole, and do cert= and key= belong "
        "together?",
    ),
    (
        "WRONG_VERSION_NUMBER|wrong version number|SSL_ERROR|[Hh]andshake (?:read )?failed",
        "the TLS handshake failed. Does the gateway speak TLS there, and take this client?",
    ),
    (
        "DNS resolution failed|[Nn]ame resolution|Domain name not found|not resolve",
        "its name has no address. Is it spelled right?",
    ),
    (
        "[Ss]ocket closed|[Cc]onnection reset|recvmsg|[Bb]roken pipe|HTTP/2|SETTINGS|http1",
        "somebody listens there who does not take this connection. If it is a gateway that speaks "
        "TLS, see tls=",
    ),
)


def _place(text: str) -> str:
    """Where nobody listened: a name may have other addresses, of which this says nothing."""
    address = _address(text)
    if address is None:
        return "there"
    number = address.partition(":")[2].replace("%5B", "[").replace("%5D", "]")
    return f"at {number}"


def _words(end: Ended, asked: Asked) -> str:
    if end.code == "DEADLINE_EXCEEDED":
        return _late(end, asked)
    if end.code == "CANCELLED":
        return _cancelled(end)
    text = " ".join(end.details.split())
    if end.code == "UNAVAILABLE":
        return f"{asked.target} {_unavailable(text)}"
    if end.code == "UNIMPLEMENTED":
        return f"{asked.target} has no such method: is it an inference gateway? ({text})"
    return text or f"the call ended with {end.code}"


def details_of_unavailable(error: Any) -> str:
    """Return grpc's words for why there was no connection; empty where that was not it."""
    details = error.details() or ""
    unreached = error.code().name == "UNAVAILABLE" and _UNREACHED.search(details)
    return details if unreached else ""


_AT = re.compile(r"\b(ipv4:[0-9.]+:\d+|ipv6:(?:%5B|\[)[0-9A-Fa-f:.%]+?(?:%5D|\]):\d+)")
_REFUSED = re.compile("Connection refused|connect failed: .*111")


def refused_at(seen: Any) -> Optional[str]:
    """The address where nobody listened, where that was all that went wrong."""
    details = _details(seen)
    return _address(details) if _REFUSED.search(details) else None


def reached_at(seen: Any) -> Optional[str]:
    """The address where somebody listened who let no connection be made."""
    details = _details(seen)
    return None if _REFUSED.search(details) else _address(details)


def _details(seen: Any) -> str:
    cause = getattr(seen, "__cause__", None)
    return details_of_unavailable(cause) if hasattr(cause, "details") else ""


def _address(details: str) -> Optional[str]:
    """Return where it happened, as grpc tells it of one address of several."""
    at = _AT.search(details)
    return at[1] if at else None


def _late(end: Ended, asked: Asked) -> str:
    limit = "" if asked.timeout is None else f" of {asked.timeout:g} s"
    why = f"; there is no connection to {asked.target}" if end.connected is False else ""
    if end.unreached:
        why += f": {_hint(' '.join(end.unreached.split()))}"
    return f"the answer was not whole within the deadline{limit}{why}"


def _cancelled(end: Ended) -> str:
    if _is_local(end):
        return "the call was cancelled on this side"
    return (
        "the gateway ended the call without a word, as it does when a caller takes nothing "
        "for too long"
    )


def _unavailable(text: str) -> str:
    if _UNREACHED.search(text):
        return f"cannot be reached: {_hint(text)}"
    if not text or _BROKEN.search(text):
        return "was reached, but the connection broke off before the answer was whole"
    return f"is not available: {text}"


def _hint(text: str) -> str:
    for pattern, hint in _HINTS:
        if re.search(pattern, text):
            return hint.replace("there", _place(text), 1) if hint.startswith("nobody") else hint
    plain = re.sub(r"^.*last error: ", "", text)
    return re.sub(r"^(?:[A-Z_]+): ", "", plain)
