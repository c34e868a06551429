"""Code that blocks the event loop is named while it does; a loop that goes on is left in peace."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
import uvloop
from structlog.testing import capture_logs

from overwinter.actors.clock import SystemClock
from overwinter.deploy.loop_watch import watched_loop

PATIENCE_S = 0.1
LOOPS = (asyncio.new_event_loop, uvloop.new_event_loop)


def stand_still(seconds: float) -> None:
    threading.Event().wait(seconds)


async def pause(seconds: float) -> None:
    await asyncio.wait({asyncio.get_running_loop().create_future()}, timeout=seconds)


async def carry_out(blocked_s: float, patience_s: float) -> None:
    async def careless() -> None:
        stand_still(blocked_s)

    with watched_loop(clock=SystemClock(), patience_s=patience_s, every_s=0.01):
        await pause(0.1)
        await asyncio.create_task(careless(), name="pass of s1")
        await pause(0.1)


def logs_of(
    new_loop: Callable[[], asyncio.AbstractEventLoop], *, blocked_s: float, patience_s: float = PATIENCE_S
) -> list[Any]:
    with capture_logs() as logs, asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(carry_out(blocked_s, patience_s))
    return logs


@pytest.mark.parametrize("new_loop", LOOPS)
def test_code_that_blocks_is_named_while_it_does_and_its_end_is_told(new_loop: Any) -> None:
    *blocked, unblocked = logs_of(new_loop, blocked_s=8 * PATIENCE_S)
    assert {each["event"] for each in blocked} == {"loop.blocked"}
    told_s = [each["seconds"] for each in blocked]
    assert len(told_s) >= 2
    for times, seconds in enumerate(told_s):
        assert seconds >= PATIENCE_S * 2**times, "again only when it has lasted twice as long"
    for each in blocked:
        assert each["task"] == "pass of s1"
        assert any(place.endswith(" in stand_still") and __file__ in place for place in each["stack"])
    assert unblocked["event"] == "loop.unblocked"
    assert unblocked["seconds"] >= told_s[-1]


@pytest.mark.parametrize("new_loop", LOOPS)
def test_nothing_is_said_of_a_loop_that_goes_on(new_loop: Any) -> None:
    assert logs_of(new_loop, blocked_s=0.0, patience_s=30.0) == []


class Suspended(SystemClock):
    """Of a process that is stopped for a while as soon as the loop has been asked for a sign of life."""

    def __init__(self) -> None:
        self.looks = 0

    def monotonic_s(self) -> float:
        self.looks += 1
        return super().monotonic_s() + (0.0 if self.looks == 1 else 3_600.0)


def test_of_a_process_that_was_suspended_it_is_told_for_how_long_and_no_code_is_blamed() -> None:
    async def wake_up() -> None:
        with watched_loop(clock=Suspended(), patience_s=PATIENCE_S, every_s=0.01):
            stand_still(PATIENCE_S / 2)
            await pause(0.1)

    with capture_logs() as logs:
        asyncio.run(wake_up())
    [told] = logs
    assert (told["event"], round(told["seconds"], -1)) == ("loop.unblocked", 3_600)


def test_the_watch_ends_with_its_block_even_while_the_loop_is_blocked() -> None:
    async def end_blocked() -> None:
        with watched_loop(clock=SystemClock(), patience_s=PATIENCE_S, every_s=0.01):
            await pause(0.05)
            stand_still(3 * PATIENCE_S)

    with capture_logs():
        asyncio.run(end_blocked())
    assert not any(thread.name == "overwinter-loop-watch" for thread in threading.enumerate())
