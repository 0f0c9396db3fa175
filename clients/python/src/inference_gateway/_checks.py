"""Refuses what cannot be a setting, in words that never repeat a secret. No IO."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable, Mapping
from typing import Any, Optional, Union

from inference_gateway._params import Metadata

Pairs = tuple[tuple[str, Union[str, bytes]], ...]

_KEY = re.compile(r"[a-z0-9_.-]+")
_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")
_LARGEST_INT = (1 << 31) - 1
_RESERVED = re.compile(
    "grpc-.*|content-type|content-length|te|host|user-agent|connection|keep-alive|proxy-connection"
    "|transfer-encoding|upgrade|http2-settings"
)
LARGEST_METADATA = 64 << 10
"""Beyond, a gateway takes it for an attack, and may break the whole connection off."""

_OVERHEAD = 32  # of each header, as HTTP/2 counts
_OF_GRPC = 1 << 10  # the method, the deadline, the versions: what grpc adds itself


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
    if not 0 < given <= _LARGEST_INT:
        raise ValueError(f"max_message_bytes: takes 1 to {_LARGEST_INT}")
    return given


def retries(given: Any, most: int) -> None:
    """Check a number of tries."""
    takes = f"0 to {most}"
    if isinstance(given, bool) or not isinstance(given, int):
        raise TypeError(f"retries: takes {takes}, not this {type(given).__name__}")
    if not 0 <= given <= most:
        raise ValueError(f"retries: takes {takes}, not {given}")


def options(given: Any) -> tuple[tuple[str, Any], ...]:
    """Check gRPC's own channel arguments, of which it says nothing before the first call."""
    return tuple(
        (_option_name(name), _option(name, value)) for name, value in _pairs("options", given)
    )


def _option_name(name: Any) -> str:
    kind("options", name, (str,), "pairs whose first is a string")
    if not name or not _is_visible(name):
        raise ValueError("options: a name is visible ASCII")
    return str(name)


def _option(name: str, value: Any) -> Union[str, bytes, int]:
    kind(f"options {name}", value, (str, bytes, int), "a string, bytes or a whole number")
    if isinstance(value, int):
        if not -_LARGEST_INT - 1 <= value <= _LARGEST_INT:
            raise ValueError(f"options {name}: takes a whole number of 32 bits")
        return int(value)
    text = value if isinstance(value, bytes) else _utf8(name, value)
    if b"\0" in text:
        raise ValueError(f"options {name}: takes no NUL")
    if name == "grpc.service_config":
        _service_config(name, text)
    return value  # type: ignore[no-any-return]


def _utf8(name: str, text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"options {name}: is not text that can be sent") from None


def _service_config(name: str, text: bytes) -> None:
    try:
        config = json.loads(text)
    except ValueError:
        config = None
    if not isinstance(config, dict):
        raise ValueError(f"options {name}: takes a JSON object")


def request_id(given: Any) -> str:
    """Check a call's name, as the gateway would, which puts one of its own in its place."""
    if given is None or given == "":
        return uuid.uuid4().hex
    kind("request_id", given, (str,), "a string")
    if not _REQUEST_ID.fullmatch(given):
        raise ValueError("request_id: takes 1 to 128 of A-Z a-z 0-9 . _ -")
    return str(given)


def bearer(token: Any) -> Pairs:
    """Make metadata of a token."""
    kind("token", token, (str,), "a string or a function that returns one")
    token = token.strip()  # files end in a line break
    if not token or not _is_visible(token) or " " in token:
        raise ValueError("token: is empty, or holds characters that cannot be sent")
    return (("authorization", f"Bearer {token}"),)


def metadata(given: Optional[Metadata]) -> Pairs:
    """Check here what grpc would refuse with a text that repeats every value, tokens too."""
    pairs = given.items() if isinstance(given, Mapping) else () if given is None else given
    checked = tuple((_key(name), _value(name, value)) for name, value in _pairs("metadata", pairs))
    refuse_large("metadata", checked)
    return checked


def refuse_large(name: str, pairs: Iterable[tuple[str, Union[str, bytes]]], more: int = 0) -> None:
    """Refuse more metadata than a gateway takes: it ends the connection, and all its calls.

    Raises:
        ValueError: Says how much it is, and how much it may be.
    """
    size = more + _OF_GRPC + sum(map(_size, pairs))
    if size > LARGEST_METADATA:
        raise ValueError(
            f"{name}: {size} bytes of metadata with all that goes along; a gateway takes "
            f"{LARGEST_METADATA}"
        )


def _size(pair: tuple[str, Union[str, bytes]]) -> int:
    name, value = pair
    length = len(value) if isinstance(value, str) else (len(value) + 2) // 3 * 4  # base64
    return len(name) + length + _OVERHEAD


def _pairs(name: str, given: Any) -> tuple[tuple[Any, Any], ...]:
    if not isinstance(given, (str, bytes, Mapping)) and isinstance(given, Iterable):
        pairs = tuple(given)
        if all(isinstance(pair, (tuple, list)) and len(pair) == 2 for pair in pairs):
            return tuple((key, value) for key, value in pairs)
    raise TypeError(f"{name}: takes pairs of a name and a value")


def _key(name: Any) -> str:
    kind("metadata", name, (str,), "pairs whose first is a string")
    lower = str(name).lower()
    if not _KEY.fullmatch(lower):
        raise ValueError("metadata: a key holds a-z 0-9 _ . -")
    if _RESERVED.fullmatch(lower):
        raise ValueError(f"metadata {lower}: belongs to HTTP or gRPC itself")
    if lower == "x-request-id":
        raise ValueError(f"metadata {lower}: give request_id= to the call in its place")
    return lower


def _value(name: str, value: Any) -> Union[str, bytes]:
    takes = "visible ASCII, or bytes where it ends in -bin"
    binary = name.lower().endswith("-bin")
    kind(f"metadata {name}", value, (bytes,) if binary else (str,), takes)
    if not binary and not _is_visible(value):
        raise ValueError(f"metadata {name}: takes {takes}")
    return value  # type: ignore[no-any-return]


def _is_visible(text: str) -> bool:
    return text.isascii() and text.isprintable()
