"""The fake's own tasks, none of which outlives it, and waiting for something to become true without polling."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine


class Tasks:
    """Tasks that end with the fake. What one of them raised comes out when it is closed."""

    def __init__(self) -> None:
        self._running: set[asyncio.Task[None]] = set()
        self._failed: list[BaseException] = []

    def spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._failed.append(error)

    async def close(self) -> None:
        running = list(self._running)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        if self._failed:
            raise self._failed[0]


PATIENCE_S = 60.0
"""So much real time without any change, and what a test waits for will not come: it says so instead of standing still."""


class Changes:
    """Tells those who wait that something changed, so that they look again."""

    def __init__(self, *, patience_s: float = PATIENCE_S) -> None:
        self._patience_s = patience_s
        self._waiting: list[tuple[Callable[[], bool], asyncio.Future[None]]] = []
        self._told = 0

    def tell(self) -> None:
        self._told += 1
        for is_so, future in list(self._waiting):
            if not future.done() and is_so():
                future.set_result(None)

    async def wait_until(self, is_so: Callable[[], bool], *, why_not: Callable[[], str] = lambda: "") -> None:
        """Return once it is so; what makes it so must ``tell``.

        Args:
            why_not: what keeps it from being so, for the failure of a test that waits in vain.
        """
        if not await self.wait_while_moving(is_so, quiet_s=self._patience_s):
            raise AssertionError(f"nothing has changed for {self._patience_s:g} s; {why_not() or 'it is not so yet'}")

    async def wait_while_moving(self, is_so: Callable[[], bool], *, quiet_s: float) -> bool:
        """Return True once it is so, or False when it is not, and nothing has changed for so long of real time."""
        if is_so():
            return True
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (is_so, future)
        self._waiting.append(entry)
        try:
            told = None
            while not future.done() and told != self._told:
                told = self._told
                await asyncio.wait({future}, timeout=quiet_s)
            return future.done()
        finally:
            self._waiting.remove(entry)
