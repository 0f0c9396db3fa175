"""Refuses what cannot be a setting, in words that never repeat a secret. No IO."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Mapping
from typing import Any, Optional, Union

from inference_gateway._params import Metadata

Pairs = tuple[tuple[str, Union[str, bytes]], ...]

_KEY = re.compile(r"[a-z0-9_.-]+")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
_LARGEST_MESSAGE = (1 << 31) - 1


def kind(name: str, value: Any, kinds: tuple[type, ...], takes: str) -> None:
    """Refuse a value of another kind.

    Raises:
        TypeError: Says what to write.
    """
    if not isinstance(value, kinds):
        raise TypeError(f"{name}: takes {takes}, not this {type(value).__name__}")


def user_agent(given: Any) -> str:
    """Check what is sent as part of a header."""
    kind("user_agent", given, (str,), "a string")
    if not _is_visible(given):
        raise ValueError("user_agent: takes visible ASCII")
    return str(given)


def message_bytes(given: Any) -> int:
    """Check a size."""
    if isinstance(given, bool) or not isinstance(given, int):
        raise TypeError(f"max_message_bytes: takes a whole number, not this {type(given).__name__}")
    if not 0 < given <= _LARGEST_MESSAGE:
        raise ValueError(f"max_message_bytes: takes 1 to {_LARGEST_MESSAGE}")
    return given


def options(given: Any) -> tuple[tuple[str, Any], ...]:
    """Check gRPC's own channel arguments as far as one can."""
    pairs = _pairs("options", given)
    for name, _ in pairs:
        kind("options", name, (str,), "pairs whose first is a string")
    return pairs


def request_id(given: Any) -> str:
    """Check a call's name, as the gateway would, which puts one of its own in its place."""
    if given is None or given == "":
        return uuid.uuid4().hex
    if not isinstance(given, str) or not _REQUEST_ID.fullmatch(given):
        raise ValueError("request_id: takes 1 to 128 of A-Z a-z 0-9 . _ -")
    return given


def bearer(token: Any) -> Pairs:
    """Make metadata of a token."""
    kind("token", token, (str,), "a string or a function that returns one")
    token = token.strip()  # files end in a line break
    if not token or not _is_visible(token):
        raise ValueError("token: is empty, or holds characters that cannot be sent")
    return (("authorization", f"Bearer {token}"),)


def metadata(given: Optional[Metadata]) -> Pairs:
    """Check here what grpc would refuse with a text that repeats every value, tokens too."""
    pairs = given.items() if isinstance(given, Mapping) else () if given is None else given
    return tuple((_key(name), _value(name, value)) for name, value in _pairs("metadata", pairs))


def _pairs(name: str, given: Any) -> tuple[tuple[Any, Any], ...]:
    if not isinstance(given, (str, bytes, Mapping)) and isinstance(given, Iterable):
        pairs = tuple(given)
        if all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in pairs):
            return tuple((key, value) for key, value in pairs)
    raise TypeError(f"{name}: takes pairs of a name and a value")


def _key(name: Any) -> str:
    lower = name.lower() if isinstance(name, str) else ""
    if not _KEY.fullmatch(lower) or lower.startswith("grpc-"):
        raise ValueError("metadata: a key holds a-z 0-9 _ . - and does not begin with grpc-")
    return lower


def _value(name: str, value: Any) -> Union[str, bytes]:
    if name.lower().endswith("-bin"):
        fits = isinstance(value, bytes)
    else:
        fits = isinstance(value, str) and _is_visible(value)
    if not fits:
        raise ValueError(f"metadata {name}: takes visible ASCII, or bytes where it ends in -bin")
    return value  # type: ignore[no-any-return]


def _is_visible(text: str) -> bool:
    return text.isascii() and text.isprintable()
