"""Looking again and again at what the store says is to be done: when told that something has changed, and when it is due.

Whoever works beside the supervisor does so in one of these. A hint that comes during a look is not lost: another look follows. One
that may wait a moment, so that many make one look, is not lost either: the look comes when the moment is over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import structlog

from ..store.errors import StoreError
from .clock import Clock, wait_until

_log = structlog.get_logger("overwinter.looking")


class Looking:
    """One worker's looks.

    Args:
        look: does what is to be done, and says when to look again; None leaves that to the poll. It is retried where the
            store may come back by itself.
        poll_ms: how long to wait at most.
    """

    def __init__(self, *, clock: Clock, look: Callable[[], Awaitable[int | None]], poll_ms: Callable[[], int]) -> None:
        self._clock = clock
        self._look = look
        self._poll_ms = poll_ms
        self._is_told = True  # nobody is to take it for at rest before its first look
        self._told_for_ms: int | None = None
        self._stirred = asyncio.Event()
        self._is_at_work = False

    @property
    def is_busy(self) -> bool:
        return self._is_at_work or self._is_told

    def tell(self) -> None:
        """Something may be there to do."""
        self._is_told = True
        self._stirred.set()

    def tell_for(self, at_ms: int) -> None:
        """Something may be there to do, and is not looked for before then unless there is a look in between."""
        if self._told_for_ms is None or at_ms < self._told_for_ms:
            self._told_for_ms = at_ms
            self._stirred.set()

    async def run(self) -> None:
        """Look until it is cancelled.

        Raises:
            StoreError: the store failed for good.
        """
        while True:
            self._is_at_work = True
            self._is_told = False
            self._told_for_ms = None
            # Taken before looking: what comes due during a look is not left to the one after.
            next_ms = self._clock.now_ms() + self._poll_ms()
            try:
                next_ms = min(next_ms, await self._look() or next_ms)
            except StoreError as error:
                if not error.retryable:
                    raise
                _log.warning(error.code, error=str(error))
            finally:
                self._is_at_work = False
            await self._rest(next_ms)

    async def _rest(self, until_ms: int) -> None:
        """Return when it is told, or when the time has come: by the clock, or by what had to pass until then."""
        while not self._is_told:
            self._stirred.clear()
            at_ms = until_ms if self._told_for_ms is None else min(until_ms, self._told_for_ms)
            await wait_until(self._stirred, clock=self._clock, until_ms=at_ms)
            if not self._stirred.is_set():
                return
