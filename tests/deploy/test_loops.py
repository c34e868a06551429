"""What runs for long runs on uvloop, and otherwise as under ``asyncio.run``."""

from __future__ import annotations

import asyncio
import signal
import sys

import pytest

from overwinter.deploy.loops import run
from overwinter.deploy.service import interruptible


async def loop_under_it() -> str:
    return type(asyncio.get_running_loop()).__module__


@pytest.mark.skipif(sys.platform == "win32", reason="there is no uvloop for Windows")
def test_a_long_run_has_the_quicker_loop() -> None:
    assert run(loop_under_it()).partition(".")[0] == "uvloop"


def test_what_it_raises_is_raised() -> None:
    async def fails() -> None:
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        run(fails())


def test_a_sigterm_ends_it_as_ctrl_c_does_and_lets_it_clean_up() -> None:
    cleaned: list[str] = []

    async def waits() -> None:
        signal.raise_signal(signal.SIGTERM)
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            cleaned.append("up")

    with pytest.raises(KeyboardInterrupt):
        run(interruptible(waits()))
    assert cleaned == ["up"]
