"""Watches one session and tells what it says and asks, as it happens in this process or another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress

from ..actors.errors import SessionUnknownError
from ..store.rows import SessionRow, SessionStatus
from ..store.store import Store
from .timeline import Entry, entries_of

_MOVING = frozenset({SessionStatus.READY, SessionStatus.RUNNING})


class Follower:
    """Follows a session from its first event on.

    Args:
        tell: given every entry of the session's timeline once, in the order in which they were seen.
    """

    def __init__(self, *, store: Store, session_id: str, tell: Callable[[Entry], None]) -> None:
        self._store = store
        self._session_id = session_id
        self._tell = tell
        self._told: set[str] = set()
        self._looking = asyncio.Lock()

    async def look(self) -> SessionRow:
        """Tell what is new; how the session stands now.

        Raises:
            SessionUnknownError: (session.unknown)
        """
        async with self._looking:
            timeline = await self._store.timeline(self._session_id)
            if timeline is None:
                raise SessionUnknownError(f"there is no session {self._session_id}")
            for entry in entries_of(timeline):
                if entry.ref not in self._told and not entry.kind.startswith("delivery_"):
                    self._told.add(entry.ref)
                    self._tell(entry)
            return timeline.session

    async def wait_rested(self, check: Callable[[], None]) -> SessionRow:
        """Tell what is new until the session rests: it waits, is idle, blocked or over.

        Args:
            check: called at each look; raises what has failed meanwhile.
        """
        hints = self._store.subscribe()
        try:
            while True:
                check()
                session = await self.look()
                if session.status not in _MOVING:
                    return session
                await hints.wait()
        finally:
            hints.close()

    @asynccontextmanager
    async def telling(self) -> AsyncGenerator[None]:
        """Tell what is new while the block runs, whoever it is that moves the session."""
        task = asyncio.create_task(self._tell_for_ever(), name="following")
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _tell_for_ever(self) -> None:
        hints = self._store.subscribe()
        try:
            while True:
                await hints.wait()
                await self.look()
        finally:
            hints.close()
