"""Notes: what a channel has to tell that asks nothing, kept until it is told.

A word to somebody whose reply was not understood, a line to one who was late, what a bot says in a thread. A note has an
id made of what caused it, so that the same cause leaves one note. Notes of one lane are told one at a time in the order of
their positions; those without a lane in any order.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Literal

import sqlalchemy as sa

from .alone import Alone, ReadAlone, WriteAlone
from .engine import Dialect
from .freezing import maker, names_of
from .rows import NoteRow, NoteStatus
from .schema import notes
from .statements import literal

_row = maker(NoteRow)
_COLUMNS = names_of(NoteRow)
_IS_DUE = notes.c.status == literal(NoteStatus.DUE)
_IS_SETTLED = notes.c.status.in_((literal(NoteStatus.SENT), literal(NoteStatus.FAILED)))
_other = notes.alias("other")
_IS_NEXT = sa.or_(
    notes.c.lane.is_(None),
    ~sa.exists().where(
        _other.c.status == literal(NoteStatus.DUE),
        _other.c.channel == notes.c.channel,
        _other.c.lane == notes.c.lane,
        sa.tuple_(_other.c.position, _other.c.note_id) < sa.tuple_(notes.c.position, notes.c.note_id),
    ),
)


class Notes:
    """The notes of one store."""

    def __init__(self, *, dialect: Dialect, write: WriteAlone, read: ReadAlone) -> None:
        self._dialect = dialect
        self._write_alone = write
        self._read = read
        self._insert = dialect.insert_if_absent(notes)

    async def write(self, row: NoteRow) -> bool:
        """Insert the note; False if one of its id is there already."""
        return await self._write_alone(Alone(work=partial(self._write, row=row), is_news=True))

    async def claim(self, channel: str, *, holder: str, limit: int, now_ms: int, until_ms: int) -> tuple[NoteRow, ...]:
        """Take up to ``limit`` due notes of a channel that nobody holds, or whose hold has run out, which counts as an attempt.

        Of each lane the next one alone.
        """
        work = partial(self._claim, channel=channel, holder=holder, limit=limit, now_ms=now_ms, until_ms=until_ms)
        return await self._write_alone(Alone(work=work))

    async def settle(
        self,
        note_id: str,
        *,
        holder: str,
        outcome: Literal["sent", "retry", "failed"],
        error: str | None,
        due_at_ms: int,
        now_ms: int,
    ) -> bool:
        """Say how a note went; False if this holder has it no more.

        Args:
            due_at_ms: when to try again; with ``retry`` only.
        """
        work = partial(
            _settle, note_id=note_id, holder=holder, outcome=outcome, error=error, due_at_ms=due_at_ms, now_ms=now_ms
        )
        return await self._write_alone(Alone(work=work, is_news=True))

    async def due_ms(self, channel: str) -> int | None:
        """When the next note of a channel is due, or a hold runs out; None if it has nothing left to tell."""
        return await self._read(partial(_due_ms, channel=channel))

    async def count_to(self, channel: str, addressee: str, *, since_ms: int) -> int:
        """How many notes were written to somebody since then."""
        return await self._read(partial(_count_to, channel=channel, addressee=addressee, since_ms=since_ms))

    async def of_session(self, session_id: str) -> tuple[NoteRow, ...]:
        """Oldest first."""
        return await self._read(partial(_of_session, session_id=session_id))

    async def sweep(self, *, settled_before_ms: int, limit: int) -> int:
        """Delete up to ``limit`` notes that were told, or given up, before then; returns how many."""
        work = partial(self._sweep, settled_before_ms=settled_before_ms, limit=limit)
        return await self._write_alone(Alone(work=work))

    def _write(self, connection: sa.Connection, *, row: NoteRow) -> bool:
        return connection.execute(self._insert, {name: getattr(row, name) for name in _COLUMNS}).rowcount == 1

    def _claim(
        self, connection: sa.Connection, *, channel: str, holder: str, limit: int, now_ms: int, until_ms: int
    ) -> tuple[NoteRow, ...]:
        free = sa.or_(notes.c.holder.is_(None), notes.c.held_until_ms <= now_ms)
        claimable = (
            sa.select(notes)
            .where(_IS_DUE, notes.c.channel == channel, notes.c.due_at_ms <= now_ms, free, _IS_NEXT)
            .order_by(notes.c.due_at_ms, notes.c.position, notes.c.note_id)
            .limit(limit)
        )
        found = connection.execute(claimable).all()
        if found:
            taken = self._dialect.bound([row.note_id for row in found])
            update = sa.update(notes).where(notes.c.note_id.in_(self._dialect.keys("taken")), _IS_DUE)
            tried = notes.c.attempts + sa.case((notes.c.holder.is_(None), 0), else_=1)
            connection.execute(update.values(holder=holder, held_until_ms=until_ms, attempts=tried), {"taken": taken})
        return tuple(
            replace(row, holder=holder, held_until_ms=until_ms, attempts=row.attempts + (row.holder is not None))
            for row in map(_row, found)
        )

    def _sweep(self, connection: sa.Connection, *, settled_before_ms: int, limit: int) -> int:
        old = sa.select(notes.c.note_id).where(_IS_SETTLED, notes.c.settled_at_ms < settled_before_ms).limit(limit)
        return connection.execute(sa.delete(notes).where(notes.c.note_id.in_(old))).rowcount


def _settle(
    connection: sa.Connection,
    *,
    note_id: str,
    holder: str,
    outcome: Literal["sent", "retry", "failed"],
    error: str | None,
    due_at_ms: int,
    now_ms: int,
) -> bool:
    held = sa.and_(notes.c.note_id == note_id, _IS_DUE, notes.c.holder == holder)
    values: dict[str, Any] = {"holder": None, "held_until_ms": 0, "last_error": error}
    match outcome:
        case "retry":
            values |= {"due_at_ms": due_at_ms, "attempts": notes.c.attempts + 1}
        case "sent":
            values |= {"status": NoteStatus.SENT.value, "settled_at_ms": now_ms}
        case "failed":
            values |= {"status": NoteStatus.FAILED.value, "settled_at_ms": now_ms}
    return connection.execute(sa.update(notes).where(held).values(**values)).rowcount == 1


def _due_ms(connection: sa.Connection, *, channel: str) -> int | None:
    earliest = sa.case((notes.c.holder.is_(None), notes.c.due_at_ms), else_=notes.c.held_until_ms)
    return connection.scalar(sa.select(sa.func.min(earliest)).where(_IS_DUE, notes.c.channel == channel, _IS_NEXT))


def _count_to(connection: sa.Connection, *, channel: str, addressee: str, since_ms: int) -> int:
    told = sa.select(sa.func.count()).where(
        notes.c.channel == channel, notes.c.addressee == addressee, notes.c.created_at_ms >= since_ms
    )
    return connection.scalar(told) or 0


def _of_session(connection: sa.Connection, *, session_id: str) -> tuple[NoteRow, ...]:
    of_it = sa.select(notes).where(notes.c.session_id == session_id)
    found = connection.execute(of_it.order_by(notes.c.created_at_ms, notes.c.position, notes.c.note_id)).all()
    return tuple(map(_row, found))
