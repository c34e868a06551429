"""Waiting for months, and on machines that sleep: a fake time under the real clock and the real event loop."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from overwinter.actors import clock as clock_module
from overwinter.actors.clock import SystemClock
from overwinter.actors.operations import milliseconds

DAY_S = 86_400


class FakeTime:
    """What the machine's clocks show, and how long the loop was asked to wait at once."""

    def __init__(self) -> None:
        self.wall_s = 1_767_225_600.0
        self.steady_s = 1000.0
        self.timeouts: list[float] = []
        self.until_suspended_s: float | None = None

    def time_ns(self) -> int:
        return round(self.wall_s * 1e9)

    def monotonic(self) -> float:
        return self.steady_s

    def pass_s(self, seconds: float) -> None:
        self.wall_s += seconds
        self.steady_s += seconds


class FakeSelector(selectors.DefaultSelector):
    """Waits in no time at all."""

    def __init__(self, time: FakeTime) -> None:
        super().__init__()
        self._time = time

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None and timeout > 0:
            self._time.timeouts.append(timeout)
            self._time.pass_s(timeout)
        return super().select(0)


def run(time: FakeTime, main: Callable[[], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock_module, "time", time)
    loop = asyncio.SelectorEventLoop(FakeSelector(time))
    loop.time = time.monotonic  # type: ignore[method-assign]
    try:
        loop.run_until_complete(main())
    finally:
        loop.close()


@pytest.mark.case("ti09")
@pytest.mark.parametrize("sleep_s", [DAY_S, 2_147_484, 90 * DAY_S, 10 * 365 * DAY_S, float("inf")])
def test_a_wait_of_any_length_is_made_of_short_ones_and_is_never_early(
    monkeypatch: pytest.MonkeyPatch, sleep_s: float
) -> None:
    time, clock = FakeTime(), SystemClock()

    async def main() -> None:
        due_ms = 2**63 - 1 if sleep_s == float("inf") else clock.now_ms() + int(sleep_s * 1000)
        waiting = asyncio.create_task(clock.sleep_until_ms(due_ms))
        for _ in range(200):
            await asyncio.sleep(1.0)  # noqa: TID251  the loop's own, in no time
        assert not waiting.done()
        if sleep_s == float("inf"):
            waiting.cancel()
            return
        time.wall_s += (due_ms - clock.now_ms()) / 1000 - 20.0
        while not waiting.done():
            assert clock.now_ms() < due_ms
            await asyncio.sleep(0.25)  # noqa: TID251
        assert due_ms <= clock.now_ms() <= due_ms + 1000

    run(time, main, monkeypatch)
    assert max(time.timeouts) <= 3600


@pytest.mark.case("ti09")
def test_no_length_of_a_wait_loses_a_millisecond_to_rounding() -> None:
    for number in range(0, 366 * DAY_S * 1000, 7_777_777):
        assert milliseconds(timedelta(milliseconds=number)) == max(1, number)
    assert milliseconds(timedelta(microseconds=1500)) == 2
    assert milliseconds(timedelta(days=-1)) == milliseconds(timedelta.min) == 1
    assert milliseconds(timedelta.max) == 86_400_000 * 1_000_000_000


@pytest.mark.case("ti10")
def test_what_comes_due_while_the_machine_sleeps_is_noticed_soon_after(monkeypatch: pytest.MonkeyPatch) -> None:
    time, clock = FakeTime(), SystemClock()

    async def main() -> None:
        waiting = asyncio.create_task(clock.sleep_until_ms(clock.now_ms() + 120_000))
        await asyncio.sleep(30.0)  # noqa: TID251
        time.wall_s += 3600.0  # the steady clock stands still meanwhile
        woken_s = time.wall_s
        await waiting
        assert time.wall_s - woken_s <= 5.0

    run(time, main, monkeypatch)
