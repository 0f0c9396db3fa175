"""TLS: whom to trust, and who to be."""

from __future__ import annotations

import os
import ssl
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

    def credentials(self) -> grpc.ChannelCredentials:
        """Read the files.

        Raises:
            ValueError: One of them cannot be read, or is no PEM.
        """
        return grpc.ssl_channel_credentials(
            root_certificates=_system_roots() if self.ca is None else _pem("ca", self.ca),
            private_key=None if self.key is None else _pem("key", self.key),
            certificate_chain=None if self.cert is None else _pem("cert", self.cert),
        )


def _pem(name: str, pem: Pem) -> bytes:
    if isinstance(pem, str) and pem.lstrip().startswith("-----BEGIN "):
        pem = pem.encode()
    try:
        data = pem if isinstance(pem, bytes) else Path(pem).read_bytes()
    except (OSError, ValueError) as e:
        text = os.fspath(pem)
        if len(text) > 512 or "\n" in text:  # perhaps a key: not to be shown
            raise ValueError(f"tls {name}: is neither PEM nor a path") from None
        why = e.strerror if isinstance(e, OSError) else "no path"
        raise ValueError(f"tls {name}: cannot read {pem!r}: {why}") from None
    if b"-----BEGIN " not in data:
        raise ValueError(f"tls {name}: holds no PEM block")
    return data


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
