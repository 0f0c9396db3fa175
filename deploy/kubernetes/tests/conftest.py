from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

# Before gRPC is imported: containers are begun by fork and exec, which needs none of its care.
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "false"
sys.path.insert(0, str(Path(os.environ["WORK"]) / "stubs"))


@pytest.fixture(scope="session")
def secrets(tmp_path_factory) -> dict[str, dict[str, bytes]]:
    """The Secrets that the components' first lines tell how to make."""
    folder = tmp_path_factory.mktemp("secrets")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=inference-gateway"]
        + ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", folder / "tls.key", "-out", folder / "tls.crt"],
        check=True,
        capture_output=True,
    )
    certificate = (folder / "tls.crt").read_bytes()
    callers = b'callers:\n  - {name: shop, keys: ["sha256:' + b"ab" * 32 + b'"]}\n'
    return {
        "inference-gateway-tls": {
            "tls.crt": certificate,
            "tls.key": (folder / "tls.key").read_bytes(),
            "ca.crt": certificate,
        },
        "inference-gateway-callers": {"callers.yaml": callers},
    }
