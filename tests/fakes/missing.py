"""What becomes of a test whose peer, which others wrote, is not on this machine."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def refuse(missing: str) -> NoReturn:
    """Skip the test, saying what is missing; in CI, which fetches all of it, fail unless it could not be fetched."""
    is_expected = bool(os.environ.get("CI")) and not os.environ.get("TESTS_MAY_SKIP")  # noqa: TID251  CI says of itself what it is
    if is_expected:
        pytest.fail(missing)
    pytest.skip(missing)
