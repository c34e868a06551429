"""What a log may say: never the values of variables, in whatever form it is written."""

from __future__ import annotations

import io
from collections.abc import Generator

import pytest
import structlog

from overwinter.deploy.logs import configure_logs
from overwinter.deploy.settings import LogFormat, LogLevel

SECRET = "".join(f"{number:02x}" for number in range(16))


@pytest.fixture(autouse=True)
def restored() -> Generator[None]:
    yield
    structlog.reset_defaults()


@pytest.mark.parametrize("form", list(LogFormat))
def test_a_crash_is_logged_without_the_values_of_its_variables(form: LogFormat) -> None:
    stream = io.StringIO()
    configure_logs(level=LogLevel.INFO, form=form, stream=stream)

    def crash(secret: str) -> None:
        raise RuntimeError(f"broken, {len(secret)}")

    try:
        crash(SECRET)
    except RuntimeError:
        structlog.get_logger("overwinter.test").exception("session.crashed")
    said = stream.getvalue()
    assert "broken, 32" in said
    assert SECRET not in said
