"""Fires what is due by the clock: timers, and questions that nobody has answered in time.

There is no timer for a pause: the next deadline of all of them is one query, and one wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

import structlog

from ..store.errors import StoreError
from ..store.rows import PauseKind, PauseRow
from ..store.snapshots import Overdue
from .answering import Answering
from .clock import Clock, wait_until

_AT_ONCE = 500
_SHARE = 125
"""Of those that are due, so many are written together. An answer that comes meanwhile waits for no more than that, however many
timers are due in one second."""

_log = structlog.get_logger("overwinter.deadlines")


class DeadlineStore(Protocol):
    """What deadlines need of the store."""

    async def overdue(self, *, now_ms: int, limit: int, after: PauseRow | None = None) -> Overdue: ...


class Deadlines:
    """The deadlines of all sessions of one store.

    Args:
        poll_s: how long a deadline that another process has set may go unnoticed.
        survive: takes an error of the store, or raises it.
        tell_before: tells a wait for a trigger of a fire from before its deadline; False if there is none.
    """

    def __init__(
        self,
        *,
        store: DeadlineStore,
        clock: Clock,
        answering: Answering,
        poll_s: float,
        survive: Callable[[StoreError], None],
        tell_before: Callable[[PauseRow], Awaitable[bool]],
    ) -> None:
        self._store = store
        self._clock = clock
        self._answering = answering
        self._poll_ms = int(poll_s * 1000)
        self._survive = survive
        self._tell_before = tell_before
        self._next_ms: int | None = None
        self._look = asyncio.Event()

    def note(self, deadline_ms: int) -> None:
        """A pause was opened that has a deadline."""
        if self._next_ms is None or deadline_ms < self._next_ms:
            self._next_ms = deadline_ms
            self._look.set()

    async def run(self) -> None:
        """Fire what comes due, until it is cancelled."""
        while True:
            # Taken before looking: what comes due during a look is not left to the one after.
            next_ms = self._clock.now_ms() + self._poll_ms
            self._next_ms = None
            try:
                next_ms = min(next_ms, await self._fire_overdue() or next_ms)
            except StoreError as error:
                self._survive(error)
            # What was noted during the look counts as well: its row may have been written behind the look's back.
            self._next_ms = min(next_ms, self._next_ms or next_ms)
            self._look.clear()
            await wait_until(self._look, clock=self._clock, until_ms=self._next_ms)

    async def _fire_overdue(self) -> int | None:
        """Fire all that has come due; when more will. One that cannot be fired is tried again when it is looked next."""
        after: PauseRow | None = None
        while True:
            overdue = await self._store.overdue(now_ms=self._clock.now_ms(), limit=_AT_ONCE, after=after)
            for at in range(0, len(overdue.pauses), _SHARE):
                await asyncio.gather(*(self._fire(pause) for pause in overdue.pauses[at : at + _SHARE]))
            if len(overdue.pauses) < _AT_ONCE:
                return overdue.next_ms
            after = overdue.pauses[-1]

    async def _fire(self, pause: PauseRow) -> None:
        """Fire one; what is wrong with it concerns its session alone."""
        try:
            # It may have fired while nothing ran, or have been fired by a process that told nobody.
            if pause.kind == PauseKind.TRIGGER and await self._tell_before(pause):
                return
            await self._answering.pass_deadline(pause)
        except Exception as error:
            if isinstance(error, StoreError) and error.retryable:
                raise
            _log.exception("deadline.failed", session_id=pause.session_id, step=pause.key)
