"""How a process notices that there is something to do: a hint after its own commits, a poll for those of other processes.

Hints are only hints: one may come for nothing, and many come as one. What is true is in the database.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from .errors import StoreError


class Hints:
    """One subscriber's view: something may have changed since it last waited. Set from the start."""

    def __init__(self, *, on_close: Callable[[Hints], None]) -> None:
        self._event = asyncio.Event()
        self._event.set()
        self._on_close = on_close

    async def wait(self) -> None:
        """Return when something may have changed since the last return; at once if it has already."""
        await self._event.wait()
        self._event.clear()

    def give(self) -> None:
        self._event.set()

    def close(self) -> None:
        """Take no more hints. Whoever waits is let go."""
        self._on_close(self)
        self._event.set()


class Wakeups:
    """Gives hints to all who have subscribed."""

    def __init__(self, *, version: Callable[[], Awaitable[int]], poll_s: float) -> None:
        """
        Args:
            version: a number that differs after a commit of anybody; asked every ``poll_s`` seconds.
        """
        self._version = version
        self._poll_s = poll_s
        self._subscribers: set[Hints] = set()
        self._task: asyncio.Task[None] | None = None
        self._end: asyncio.Future[None] | None = None

    async def start(self) -> None:
        self._end = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._poll(self._end, await self._version()))

    def subscribe(self) -> Hints:
        hints = Hints(on_close=self._subscribers.discard)
        self._subscribers.add(hints)
        return hints

    def give(self) -> None:
        """Something was committed that a supervisor may have to act on."""
        for hints in self._subscribers:
            hints.give()

    async def aclose(self) -> None:
        if self._end is not None and not self._end.done():
            self._end.set_result(None)
        if self._task is not None:
            await asyncio.wait({self._task})

    async def _poll(self, end: asyncio.Future[None], known: int | None) -> None:
        while True:
            await asyncio.wait({end}, timeout=self._poll_s)
            if end.done():
                return
            try:
                version = await self._version()
            except StoreError:
                # Whoever reads meets the same error and has somebody to tell; a hint that fails must not stop hints.
                version = None
            if version is None or version != known:
                known = version
                self.give()
