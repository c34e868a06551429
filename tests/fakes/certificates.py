"""Certificates that nobody vouches for but whoever is given them."""

from __future__ import annotations

import ssl
import subprocess
from pathlib import Path


def make_certificate(folder: Path) -> None:
    """Make ``certificate`` and ``key`` for 127.0.0.1 in ``folder``; takes the command openssl."""
    subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    files = ["-keyout", str(folder / "key"), "-out", str(folder / "certificate"), "-days", "2"]
    subprocess.run([*command, *files, *subject], check=True, capture_output=True)


def offered(folder: Path) -> ssl.SSLContext:
    """For a server that shows the certificate."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(folder / "certificate", folder / "key")
    return context


def trusting(folder: Path) -> ssl.SSLContext:
    """For a client that trusts it."""
    return ssl.create_default_context(cafile=str(folder / "certificate"))
