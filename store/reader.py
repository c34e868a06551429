"""Reads, on a connection that cannot write; revivals that wait together are loaded together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import sqlalchemy as sa

from .batching import Batching
from .engine import Lane
from .errors import StoreError
from .queries import Queries
from .rows import PauseRow
from .snapshots import LoadedSession

T = TypeVar("T")

BATCH_LIMIT = 256


class Reader:
    """The reading side of a store."""

    def __init__(self, *, lane: Lane, queries: Queries) -> None:
        self._lane = lane
        self._queries = queries
        self._loads = Batching[tuple[str, frozenset[str]], LoadedSession | None](job=self._load, limit=BATCH_LIMIT)
        self._pauses = Batching[str, PauseRow | None](job=self._read_pauses, limit=BATCH_LIMIT)

    async def load(self, session_id: str, *, without: frozenset[str]) -> LoadedSession | None:
        return await self._loads.ask((session_id, without))

    async def pause(self, pause_id: str) -> PauseRow | None:
        return await self._pauses.ask(pause_id)

    async def read(self, query: Callable[[sa.Connection], T]) -> T:
        """Run one query of ``Queries`` in a transaction of its own."""
        return await self._lane.run(query)

    async def aclose(self) -> None:
        await self._loads.aclose()
        await self._pauses.aclose()

    async def _load(self, wanted: Sequence[tuple[str, frozenset[str]]]) -> Sequence[LoadedSession | StoreError | None]:
        """Load together; where a row of one is damaged, each by itself, so that it fails nobody else."""
        try:
            return await self._lane.run(partial(self._load_alike, wanted), is_exact=True)
        except StoreError as error:
            if len(wanted) == 1 or error.retryable:
                raise
        found: list[LoadedSession | StoreError | None] = []
        for each in wanted:
            try:
                found += await self._lane.run(partial(self._load_alike, [each]), is_exact=True)
            except StoreError as error:
                found.append(error)
        return found

    def _load_alike(
        self, wanted: Sequence[tuple[str, frozenset[str]]], connection: sa.Connection
    ) -> Sequence[LoadedSession | None]:
        """Those that want the same kinds of events, which as a rule are all, are loaded together."""
        found: dict[tuple[str, frozenset[str]], LoadedSession | None] = {}
        for without in {each for _, each in wanted}:
            session_ids = [session_id for session_id, each in wanted if each == without]
            for session_id, loaded in zip(
                session_ids, self._queries.load(session_ids, connection, without=without), strict=True
            ):
                found[session_id, without] = loaded
        return [found[each] for each in wanted]

    async def _read_pauses(self, pause_ids: Sequence[str]) -> Sequence[PauseRow | None]:
        return await self._lane.run(partial(self._queries.pauses, pause_ids))
