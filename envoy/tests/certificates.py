"""Certificates for the tests, by openssl."""

from __future__ import annotations

import subprocess
from pathlib import Path


class Authority:
    def __init__(self, folder, name="authority"):
        self._folder = Path(folder)
        self.certificate = self._folder / f"{name}.crt"
        self._key = self._folder / f"{name}.key"
        _openssl(
            *("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"),
            *("-subj", f"/CN={name}", "-keyout", self._key, "-out", self.certificate),
        )

    def issue(self, folder, name):
        """tls.crt, tls.key and ca.crt, as a Kubernetes secret has them."""
        folder.mkdir(parents=True, exist_ok=True)
        request = folder / "request"
        _openssl(
            *("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"),
            *("-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name},DNS:localhost"),
            *("-keyout", folder / "tls.key", "-out", request),
        )
        _openssl(
            *("x509", "-req", "-in", request, "-days", "2", "-copy_extensions", "copy"),
            *("-CA", self.certificate, "-CAkey", self._key, "-out", folder / "tls.crt"),
        )
        (folder / "ca.crt").write_bytes(self.certificate.read_bytes())
        return folder


def _openssl(*words):
    subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)
