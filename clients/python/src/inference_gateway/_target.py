"""Where a gateway is, as people write it and as grpc takes it. No IO."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address
from typing import Callable, NamedTuple

DEFAULT_PORT = 50051

_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_HOST = re.compile(
    r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*\.?|\[[0-9A-Fa-f:.]+(?:%[A-Za-z0-9._-]+)?\]"
)
_NAME_SERVER = re.compile(r"(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?")
_LOOPBACK = re.compile(r"localhost|127(?:\.\d{1,3}){3}|\[::1\]", re.IGNORECASE)
_PASSED_ON = ("unix:", "unix-abstract:", "vsock:", "xds:", "google-c2p:")


class Target(NamedTuple):
    """A checked target."""

    address: str
    """As grpc takes it."""

    local: bool
    """Whether it cannot leave this machine."""


def target_of(text: str) -> Target:
    """Read ``host``, ``host:port``, ``dns:///host:port``, ``ipv4:...``, ``unix:/path``, ...

    Raises:
        TypeError, ValueError: It is none of them; says what to write.
    """
    if not isinstance(text, str):
        raise TypeError(f"target: takes a string, not this {type(text).__name__}")
    text = text.strip()
    scheme, colon, rest = text.partition(":")
    if scheme == "unix" and re.match("//(?!/)", rest):
        raise ValueError("target: write unix:/path/to.sock, with one slash or three")
    if f"{scheme}:" in _PASSED_ON and rest:
        return Target(text, scheme.startswith("unix"))
    if scheme == "dns" and colon and not rest.isdecimal():
        return _dns(rest)
    if scheme in ("ipv4", "ipv6") and colon and not rest.isdecimal():
        addresses = [_number(scheme, _with_port(address)) for address in rest.split(",")]
        return Target(f"{scheme}:{','.join(addresses)}", all(map(_is_local, addresses)))
    _refuse_url(text)
    address = _with_port(text)
    return Target(address, _is_local(address))


def _dns(rest: str) -> Target:
    server, name = "", rest
    if rest.startswith("//"):
        server, slash, name = rest[2:].partition("/")
        if not slash:
            raise ValueError(f"target: write dns:///{server}, with three slashes")
        if server and not _NAME_SERVER.fullmatch(server):
            raise ValueError(
                f"target: write dns:///{name}, with three slashes; between the second and the "
                "third stands the number of a name server, if any"
            )
    address = _with_port(name)
    return Target(f"dns://{server}/{address}", _is_local(address))


def _number(scheme: str, address: str) -> str:
    """Refuse a name where gRPC looks for none."""
    host = address.rpartition(":")[0]
    if not _is_number(IPv4Address if scheme == "ipv4" else IPv6Address, host):
        raise ValueError(
            f"target: {scheme}: takes addresses in numbers, not {host!r}; write dns:///host:port"
        )
    return address


def _is_number(kind: Callable[[str], object], host: str) -> bool:
    try:
        kind(host.strip("[]").partition("%")[0])
    except ValueError:
        return False
    return True


def _refuse_url(text: str) -> None:
    scheme = _URL.match(text)
    if scheme:
        rest = re.split(r"[/?#]", text[scheme.end() :].rpartition("@")[2])[0] or "host:port"
        advice = ", and tls=True" if scheme[1].lower() in ("https", "grpcs") else ""
        raise ValueError(f"target: write {rest!r}{advice}; it is no URL")


def _with_port(address: str) -> str:
    if address.count(":") > 1 and not address.startswith("["):
        address = f"[{address}]"  # an IPv6 address without brackets has no port
    host = _HOST.match(address)
    rest = address[host.end() :] if host else ""
    if host and host[0].startswith("[") and not _is_number(IPv6Address, host[0]):
        host = None
    if host and not rest:
        return f"{address}:{DEFAULT_PORT}"
    if host and re.fullmatch(r":\d{1,5}", rest) and 0 < int(rest[1:]) < 65536:
        return address
    raise ValueError(
        "target: write host:port, as 'gpu-1:50051', or dns:///host:port, "
        "ipv4:10.0.0.1:50051,10.0.0.2:50051, unix:/path/to.sock"
    )


def _is_local(address: str) -> bool:
    return bool(_LOOPBACK.fullmatch(address.rpartition(":")[0]))
