"""TLS: whom to trust, and who to be."""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Optional, Union

import grpc

Pem = Union[str, "os.PathLike[str]", bytes]


@dataclass(frozen=True)
class TLS:
    """How to speak TLS. Each PEM is a file's path, or the PEM itself as text or bytes.

    ``TLS()`` trusts the authorities that the system trusts, and shows no certificate;
    ``tls=True`` says the same.
    """

    ca: Optional[Pem] = None
    """The authorities to trust in place of the system's."""

    cert: Optional[Pem] = None
    """The certificate chain to show; needs ``key``."""

    key: Optional[Pem] = field(default=None, repr=False)
    """Its private key."""

    server_name: Optional[str] = None
    """The name that the gateway's certificate is for, where it is not the target's."""

    def __post_init__(self) -> None:
        if (self.cert is None) != (self.key is None):
            raise ValueError("tls: cert and key need each other")
        if self.server_name is None:
            return
        if not isinstance(self.server_name, str):
            raise TypeError("tls server_name: takes a string")
        if not re.fullmatch(r"[A-Za-z0-9._:\[\]-]+", self.server_name):
            raise ValueError("tls server_name: takes the name of a host")

    def credentials(self) -> grpc.ChannelCredentials:
        """Read the files.

        Raises:
            ValueError: One of them cannot be read, is no PEM, or does not fit the other.
        """
        ca = _system_roots() if self.ca is None else _certificates("ca", self.ca)
        key = None if self.key is None else _key(self.key)
        cert = None if self.cert is None else _certificates("cert", self.cert)
        if self.ca is not None and ca is not None:
            _refuse_unreadable(ca)
        if cert is not None and key is not None:
            _refuse_no_pair(cert, key)
        return grpc.ssl_channel_credentials(
            root_certificates=ca, private_key=key, certificate_chain=cert
        )


def _certificates(name: str, pem: Pem) -> bytes:
    data = _pem(name, pem)
    if b"CERTIFICATE-----" not in data:
        raise ValueError(f"tls {name}: holds no certificate")
    return data


def _key(pem: Pem) -> bytes:
    data = _pem("key", pem)
    if b"PRIVATE KEY-----" not in data:
        raise ValueError("tls key: holds no private key")
    if b"ENCRYPTED" in data:
        raise ValueError("tls key: is encrypted, which gRPC cannot read")
    return data


def _refuse_unreadable(ca: bytes) -> None:
    """Of what Python's ssl cannot read, gRPC would say so at the first call only."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(
            cadata=ca.decode("ascii", "replace")
        )
    except ssl.SSLError:
        raise ValueError("tls ca: holds no certificate that can be read") from None


def _refuse_no_pair(cert: bytes, key: bytes) -> None:
    """The same for a pair; Python's ssl takes files only, and no key is to come onto a disk."""
    if not hasattr(os, "memfd_create"):
        return
    with _in_memory(cert) as cert_file, _in_memory(key) as key_file:
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain(
                cert_file, key_file, password=""
            )
        except ssl.SSLError as e:
            if e.reason in ("KEY_VALUES_MISMATCH", "KEY_TYPE_MISMATCH"):
                raise ValueError("tls: cert and key do not belong together") from None
            if e.reason is None or e.library == "PEM":  # else of a policy, which gRPC may not have
                raise ValueError("tls: cert or key cannot be read, or is not whole") from None
        except OSError:  # no /proc here
            pass


@contextmanager
def _in_memory(data: bytes) -> Iterator[str]:
    file = os.memfd_create("pem")
    try:
        os.write(file, data)
        yield f"/proc/self/fd/{file}"
    finally:
        os.close(file)


def _pem(name: str, pem: Pem) -> bytes:
    data = _bytes_of(name, pem)
    if b"-----BEGIN " not in data:
        raise ValueError(f"tls {name}: holds no PEM block")
    return data


def _bytes_of(name: str, pem: Pem) -> bytes:
    if isinstance(pem, bytes):
        return pem
    if not isinstance(pem, (str, os.PathLike)):
        raise TypeError(f"tls {name}: takes a path or a PEM, not this {type(pem).__name__}")
    if isinstance(pem, str) and pem.lstrip().startswith("-----BEGIN "):
        return pem.encode()
    try:
        return Path(pem).read_bytes()
    except (OSError, ValueError) as e:
        reason = getattr(e, "strerror", None) or "it is no path"
        raise ValueError(f"tls {name}: cannot read {_shown(pem)}: {reason}") from None


def _shown(path: Union[str, os.PathLike[str]]) -> str:
    """As it is, unless it may be a key that was given in place of a path."""
    text = os.fspath(path)
    plausible = len(text) < 256 and text.isprintable() and not re.search("[\\w+/=]{40}", text)
    return repr(text) if plausible else "what was given in place of a path"


_BUNDLES = (
    "/etc/ssl/certs/ca-certificates.crt",  # Debian, Ubuntu, Alpine
    "/etc/pki/tls/certs/ca-bundle.crt",  # Fedora, RHEL
    "/etc/ssl/ca-bundle.pem",  # SUSE
    "/etc/ssl/cert.pem",  # macOS, BSD
)


def _system_roots() -> Optional[bytes]:
    """As Python's ssl finds them; None leaves it to grpc, which brings a list of its own."""
    if os.environ.get("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"):
        return None
    for bundle in (ssl.get_default_verify_paths().cafile, *_BUNDLES):
        if bundle and Path(bundle).is_file():
            return Path(bundle).read_bytes()
    loaded = ssl.create_default_context().get_ca_certs(binary_form=True)  # Windows' store
    return "".join(map(ssl.DER_cert_to_PEM_cert, loaded)).encode() or None
