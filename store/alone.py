"""Work in the writer's transaction that touches no row which a judged change looks at: its guard is in its own statements.

An anchor, a note, a sweep: each is a few statements about a table of its own. It shares the transaction and its commit with
whatever else is waiting. What it wrote to a table of judged rows, the next judged change might not see (``known``): so what it
leads to there are changes, judged after it in the same transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import sqlalchemy as sa

from .changes import PostMessage
from .resolutions import CancelPause

R = TypeVar("R")


# Neither of the two has slots: with them, ``Alone[...](...)`` fails on Python 3.11, as for ``Joined``.
@dataclass(frozen=True, kw_only=True)
class Alone(Generic[R]):
    """One piece of such work.

    Attributes:
        work: neither begins nor commits; may run a second time if the transaction that it was in was rolled back.
        is_news: a supervisor of this process, and of others, may have to act on what it writes.
        then: of what the work has found: the changes that it leads to. None for none. What each comes to is of no interest.
    """

    work: Callable[[sa.Connection], R]
    is_news: bool = False
    then: Callable[[R], Sequence[CancelPause | PostMessage]] | None = None


@dataclass(frozen=True, kw_only=True)
class AloneResult(Generic[R]):
    """What came of it."""

    found: R


class WriteAlone(Protocol):
    """Has such work done; returns what it returned, once that is on the disk. Raises ``StoreError``."""

    async def __call__(self, change: Alone[R], /) -> R: ...


class ReadAlone(Protocol):
    """Runs one query in a transaction of its own. Raises ``StoreError``."""

    async def __call__(self, query: Callable[[sa.Connection], R], /) -> R: ...
