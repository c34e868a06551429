"""What the tests of mail share."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ...fakes.certificates import make_certificate


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate; install it (Debian and Ubuntu: apt-get install openssl)")
    folder = tmp_path_factory.mktemp("tls")
    make_certificate(folder)
    return folder
