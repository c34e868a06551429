"""Anchors: what a channel has out there, bound to what it is here.

The root message of a session, the thread that a conversation lives in, the token in a mail's address: a channel finds its
way back by them after any restart, and of two that bind one anchor at once both learn which of the two stands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

import sqlalchemy as sa

from .alone import Alone, ReadAlone, WriteAlone
from .engine import Dialect
from .freezing import maker, names_of
from .rows import AnchorRow
from .schema import anchors

T = TypeVar("T")

_row = maker(AnchorRow)
_COLUMNS = names_of(AnchorRow)


class Anchors:
    """The anchors of one store."""

    def __init__(self, *, dialect: Dialect, write: WriteAlone, read: ReadAlone) -> None:
        self._dialect = dialect
        self._write_alone = write
        self._read = read
        self._insert = dialect.insert_if_absent(anchors)

    async def bind(self, row: AnchorRow) -> AnchorRow:
        """Insert the anchor if it is new; returns the one that stands, which may be another's."""
        return await self._write(partial(self._bind, row=row))

    async def replace_if(self, row: AnchorRow, body_json: str) -> bool:
        """Give an anchor another body if it still has the one in ``row``."""
        return await self._write(partial(_replace_if, row=row, body_json=body_json))

    async def release_if(self, row: AnchorRow) -> bool:
        """Delete an anchor if it still has the body in ``row``."""
        return await self._write(partial(_release_if, row=row))

    async def find(self, channel: str, anchor: str) -> AnchorRow | None:
        found = await self._read(partial(_select, where=_is(channel, anchor)))
        return found[0] if found else None

    async def of_session(self, channel: str, session_id: str) -> tuple[AnchorRow, ...]:
        """Oldest first."""
        return await self._read(
            partial(_select, where=sa.and_(anchors.c.session_id == session_id, anchors.c.channel == channel))
        )

    async def of_pause(self, channel: str, pause_id: str) -> tuple[AnchorRow, ...]:
        """Oldest first."""
        return await self._read(
            partial(_select, where=sa.and_(anchors.c.pause_id == pause_id, anchors.c.channel == channel))
        )

    async def sweep(self, channel: str, *, prefix: str, before_ms: int, limit: int) -> int:
        """Delete up to ``limit`` anchors of a channel that begin with ``prefix`` and were bound before then; returns how many.

        Nothing takes the store's lock where there are none.
        """
        old = sa.and_(
            anchors.c.channel == channel,
            anchors.c.anchor.startswith(prefix, autoescape=True),
            anchors.c.created_at_ms < before_ms,
        )
        found = await self._read(partial(_names, where=old, limit=limit))
        if not found:
            return 0
        return await self._write(partial(self._delete, channel=channel, names=found))

    async def _write(self, work: Callable[[sa.Connection], T]) -> T:
        return await self._write_alone(Alone(work=work))

    def _delete(self, connection: sa.Connection, *, channel: str, names: Sequence[str]) -> int:
        these = sa.and_(anchors.c.channel == channel, anchors.c.anchor.in_(self._dialect.keys("names")))
        return connection.execute(sa.delete(anchors).where(these), {"names": self._dialect.bound(names)}).rowcount

    def _bind(self, connection: sa.Connection, *, row: AnchorRow) -> AnchorRow:
        connection.execute(self._insert, {name: getattr(row, name) for name in _COLUMNS})
        return _select(connection, where=_is(row.channel, row.anchor))[0]


def _is(channel: str, anchor: str) -> sa.ColumnElement[bool]:
    return sa.and_(anchors.c.channel == channel, anchors.c.anchor == anchor)


def _select(connection: sa.Connection, *, where: sa.ColumnElement[bool]) -> tuple[AnchorRow, ...]:
    found = connection.execute(sa.select(anchors).where(where).order_by(anchors.c.created_at_ms, anchors.c.anchor))
    return tuple(map(_row, found.all()))


def _names(connection: sa.Connection, *, where: sa.ColumnElement[bool], limit: int) -> Sequence[str]:
    return connection.scalars(sa.select(anchors.c.anchor).where(where).limit(limit)).all()


def _replace_if(connection: sa.Connection, *, row: AnchorRow, body_json: str) -> bool:
    same = sa.and_(_is(row.channel, row.anchor), anchors.c.body_json == row.body_json)
    return connection.execute(sa.update(anchors).where(same).values(body_json=body_json)).rowcount == 1


def _release_if(connection: sa.Connection, *, row: AnchorRow) -> bool:
    same = sa.and_(_is(row.channel, row.anchor), anchors.c.body_json == row.body_json)
    return connection.execute(sa.delete(anchors).where(same)).rowcount == 1
