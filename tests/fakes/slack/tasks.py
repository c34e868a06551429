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


class Changes:
    """Tells those who wait that something changed, so that they look again."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Callable[[], bool], asyncio.Future[None]]] = []

    def tell(self) -> None:
        for is_so, future in list(self._waiting):
            if not future.done() and is_so():
                future.set_result(None)

    async def wait_until(self, is_so: Callable[[], bool]) -> None:
        """Return once it is so; what makes it so must ``tell``."""
        if is_so():
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = (is_so, future)
        self._waiting.append(entry)
        try:
            await future
        finally:
            self._waiting.remove(entry)
