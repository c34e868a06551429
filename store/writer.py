"""Group commit: the changes of all who are waiting become one transaction.

One bad change never fails its neighbours: where the database refuses something, or a row is not as any of ours would be, the
transaction is rolled back and its changes are tried again one by one, each in its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import sqlalchemy as sa

from .alone import Alone, AloneResult
from .batch import Applied, Result, apply
from .batching import Batching
from .changes import CancelSession, Change
from .engine import Lane
from .errors import StoreError, StoreRefusedError
from .known import Known
from .resolutions import CancelPause, CastVote, ResolvePause
from .statements import Statements

T = TypeVar("T")

BATCH_LIMIT = 256
"""The most changes of one transaction: enough to share a commit among all who wait, few enough to keep it short."""

BESIDE_PEOPLE = 64
"""The most others of a transaction that has what people said in it: they wait to hear that it was recorded."""


class Writer:
    """The only one that writes, on a connection of its own."""

    def __init__(self, *, lane: Lane, statements: Statements, on_news: Callable[[], None]) -> None:
        """
        Args:
            on_news: called after each commit that left something for a supervisor to do.
        """
        self._lane = lane
        self._statements = statements
        self._known = Known()
        self._on_news = on_news
        self._batching = Batching[Change | Alone[Any], Result](
            job=self._write, limit=BATCH_LIMIT, is_urgent=_is_by_a_person, beside_urgent=BESIDE_PEOPLE
        )

    async def write(self, change: Change | Alone[Any]) -> Result:
        """Return what came of the change, once it is on the disk.

        Raises:
            StoreError: the change was not written; ``retryable`` says whether the same may succeed later.
        """
        return await self._batching.ask(change)

    async def write_alone(self, change: Alone[T]) -> T:
        """As ``write``, for work that stands alone: what it returned."""
        result = await self.write(change)
        assert isinstance(result, AloneResult)
        return result.found

    async def aclose(self) -> None:
        """Write what is waiting, and take no more."""
        await self._batching.aclose()

    async def _write(self, changes: Sequence[Change | Alone[Any]]) -> Sequence[Result | Exception]:
        applied = await self._lane.submit(partial(_commit, self._lane, self._statements, self._known, changes))
        if applied.has_news:
            self._on_news()
        return applied.results


def _is_by_a_person(change: Change | Alone[Any]) -> bool:
    """Whether somebody answered or called it off: that goes before what sessions and clocks have to write, in its own order.

    All that waits at once is concurrent, so any order is a true one. This one lets an answer win over the deadline that falls
    due while the answer waits, and never over the cancellation that came before it.
    """
    match change:
        case CastVote() | CancelPause() | CancelSession() | ResolvePause(resolution="decided" | "replied"):
            return True
        case _:
            return False


def _commit(
    lane: Lane,
    statements: Statements,
    known: Known,
    changes: Sequence[Change | Alone[Any]],
    connection: sa.Connection,
) -> Applied:
    """In the lane: one transaction; if some change is at fault, one for each of them instead."""
    try:
        with connection.begin():
            applied = apply(connection, statements, known, changes)
        for view in applied.views:
            known.keep(view)
        return applied
    except lane.failures as error:
        explained = lane.explained(error)
        if not isinstance(explained, StoreRefusedError):
            return Applied(results=[_copy(explained, error) for _ in changes], has_news=False)
        fault: Exception = _copy(explained, error)
    except Exception as error:  # a row is not as any of ours would be
        fault = error
    if len(changes) == 1:
        return Applied(results=[fault], has_news=False)
    singles = [_commit(lane, statements, known, [change], connection) for change in changes]
    return Applied(
        results=[result for single in singles for result in single.results],
        has_news=any(single.has_news for single in singles),
    )


def _copy(explained: StoreError, error: Exception) -> StoreError:
    """Each caller raises an error of its own."""
    copied = type(explained)(str(explained))
    copied.__cause__ = error
    return copied
