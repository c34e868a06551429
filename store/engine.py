"""What differs between databases, as Protocols. ``sqlite`` implements them; nothing else in this folder knows which one runs.

Queries are written once, in SQLAlchemy Core, against a plain ``sqlalchemy.Connection``, as functions that neither begin nor
commit. How such a function gets to its connection is the database's affair: on SQLite it runs in the one thread that owns
the connection, on an async driver by ``AsyncConnection.run_sync``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeVar

import sqlalchemy as sa
from sqlalchemy.sql.dml import Insert

from .errors import StoreError

T = TypeVar("T")

UNREADABLE = "\0"
"""What a text begins with that is damaged in its row. No id begins so, nor any JSON: whoever needs the text cannot take it for
another, and all others are not concerned."""


def is_key_lost(*key: str) -> bool:
    """Whether a row's key is damaged: nobody can write to it any more, nor go on behind it where rows are read page by page."""
    return any(each.startswith(UNREADABLE) for each in key)


class Dialect(Protocol):
    """How to say what Core has no common word for."""

    def compiled(self, statement: sa.UpdateBase, column_keys: list[str]) -> tuple[str, tuple[str, ...]]:
        """The statement's text, and the names of its parameters in their order."""
        ...

    def for_rows(self, text: str, count: int) -> str:
        """The compiled INSERT or UPDATE of one row as one of ``count`` rows, whose parameters follow each other."""
        ...

    def keys(self, name: str, *, arity: int = 1) -> sa.Select[Any]:
        """The keys bound to ``name``, as rows with the columns ``k0``, ``k1``, ...: one parameter, however many keys."""
        ...

    def bound(self, keys: Iterable[object]) -> object:
        """The value to bind to ``name``: of texts, or of tuples of texts where ``arity`` is more than 1."""
        ...

    def insert_if_absent(self, table: sa.Table) -> Insert:
        """Insert a row; where its primary key is there already, do nothing."""
        ...

    def version(self, connection: sa.Connection) -> int | None:
        """A number that changes whenever another connection, of any process, has committed; None where there is none.

        Inside a transaction that may write, it is still true at its end.
        """
        ...

    def upsert(self, table: sa.Table, *, updated: tuple[str, ...]) -> Insert:
        """Insert a row; where its primary key is there already, set the columns ``updated`` to the new values."""
        ...


class Lane(Protocol):
    """One connection and whatever carries work to it. Jobs run one at a time, in the order they were submitted."""

    @property
    def failures(self) -> tuple[type[Exception], ...]:
        """What the driver raises; ``explained`` has a word for each."""
        ...

    def submit(self, work: Callable[[sa.Connection], T]) -> asyncio.Future[T]:
        """Run ``work`` on the connection; it begins and ends its own transactions.

        A job that has begun runs to its end even if nobody waits for it any more, so it is never left inside a transaction.

        Raises:
            StoreClosedError: ``store.closed``.
        """
        ...

    async def run(self, work: Callable[[sa.Connection], T], *, is_exact: bool = False) -> T:
        """Run ``work`` in one transaction of its own and wait for it.

        Args:
            is_exact: a row with a damaged text is an error, where that text would otherwise be read as ``UNREADABLE``.

        Raises:
            StoreError: whatever the database could not do, in Overwinter's words.
        """
        ...

    def explained(self, error: Exception) -> StoreError:
        """One of ``failures`` in Overwinter's words; ``StoreRefusedError`` where the data was at fault."""
        ...
