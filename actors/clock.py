"""The one place that reads the time and waits for it.

Everything durable is UTC epoch milliseconds (``now_ms``), so that it means the same in any process. Spans inside one
process are measured with ``monotonic_s``, which no clock change can turn back.
"""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta
from typing import Protocol

LONGEST = timedelta(days=365_000)
"""Nothing is put off by more: its time could be told by no calendar."""
_LONGEST_SLEEP_S = 5.0


class Clock(Protocol):
    """Time, as a parameter."""

    def now_ms(self) -> int:
        """UTC epoch milliseconds."""
        ...

    def monotonic_s(self) -> float:
        """Seconds that never go back; only differences mean anything."""
        ...

    async def sleep_until_ms(self, due_ms: int) -> None:
        """Return once ``now_ms() >= due_ms``, or as much time has passed as there was to it when it was called.

        So a clock that is set back meanwhile delays nobody; whoever needs the time itself looks at it again.
        """
        ...


def processor_s() -> float:
    """Seconds that this thread has kept a processor busy: how much work something was, never when it was."""
    return time.thread_time()


class SystemClock:
    """The machine's own clock."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic_s(self) -> float:
        return time.monotonic()

    async def sleep_until_ms(self, due_ms: int) -> None:
        ends_s = self.monotonic_s() + (due_ms - self.now_ms()) / 1000
        while (left_s := min((due_ms - self.now_ms()) / 1000, ends_s - self.monotonic_s())) > 0:  # noqa: ASYNC110  nothing but time ends this wait
            # A few seconds at a time: what comes due while a machine sleeps, or as its clock is set forward, is noticed soon.
            await asyncio.sleep(min(left_s, _LONGEST_SLEEP_S))


async def wait_until(event: asyncio.Event, *, clock: Clock, until_ms: int) -> None:
    """Return when ``event`` is set, or at ``until_ms`` by the clock."""
    if event.is_set():
        return
    told, late = asyncio.create_task(event.wait()), asyncio.create_task(clock.sleep_until_ms(until_ms))
    try:
        await asyncio.wait({told, late}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        told.cancel()
        late.cancel()


class ManualClock:
    """A clock moved by hand; nobody waits for real.

    ``advance`` moves it and lets those whose time has come run; it is async because they run before it returns. It may be set back,
    by a negative time: nothing passes by that.
    """

    def __init__(self, now_ms: int = 1_767_225_600_000) -> None:
        self._now_ms = now_ms
        self._passed_ms = now_ms
        self._sleepers: list[tuple[int, int, asyncio.Future[None]]] = []
        """Until when each sleeps, and until when at most by the time that has passed."""

    def now_ms(self) -> int:
        return self._now_ms

    def monotonic_s(self) -> float:
        return self._passed_ms / 1000

    async def sleep_until_ms(self, due_ms: int) -> None:
        if due_ms <= self._now_ms:
            await asyncio.sleep(0)
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (due_ms, self._passed_ms + due_ms - self._now_ms, future)
        self._sleepers.append(entry)
        try:
            await future
        finally:
            if entry in self._sleepers:
                self._sleepers.remove(entry)

    async def advance(self, *, ms: int) -> None:
        """Move the clock by ``ms`` and wake everyone who is due, in order of their time."""
        self._now_ms += ms
        self._passed_ms += max(0, ms)
        for due_ms, ends_ms, future in sorted(self._sleepers, key=lambda entry: entry[:2]):
            if (due_ms <= self._now_ms or ends_ms <= self._passed_ms) and not future.done():
                future.set_result(None)
        await asyncio.sleep(0)
