"""A store that can be made to stand still, as it does for a process that is stopped, or cut off from its database."""

from __future__ import annotations

import asyncio
from typing import Any

from ...store.alone import Alone
from ...store.changes import Change
from ...store.store import R, Store, T


class StallingStore(Store):
    """A store whose changes can be held up; what is only read still comes through."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._is_flowing = asyncio.Event()
        self._is_flowing.set()

    def stall(self) -> None:
        """Hold up every change that is not written yet."""
        self._is_flowing.clear()

    def flow(self) -> None:
        """Let what was held up be written now."""
        self._is_flowing.set()

    async def _write(self, change: Change, kind: type[R]) -> R:
        await self._is_flowing.wait()
        return await super()._write(change, kind)

    async def _write_alone(self, change: Alone[T]) -> T:
        await self._is_flowing.wait()
        return await super()._write_alone(change)
