"""The quarantine: what arrived and led nowhere, for operators to look at, to put through again or to throw away."""

from __future__ import annotations

from functools import partial

import sqlalchemy as sa

from .alone import Alone, ReadAlone, WriteAlone
from .engine import Dialect
from .freezing import maker, names_of
from .rows import QuarantineRow
from .schema import quarantine

_row = maker(QuarantineRow)
_COLUMNS = names_of(QuarantineRow)
_NEWEST_FIRST = (quarantine.c.received_at_ms.desc(), quarantine.c.quarantine_id)


class Quarantine:
    """The quarantine of one store."""

    def __init__(self, *, dialect: Dialect, write: WriteAlone, read: ReadAlone) -> None:
        self._write = write
        self._read = read
        self._insert = dialect.insert_if_absent(quarantine)

    async def keep(self, row: QuarantineRow) -> bool:
        """Put something aside; False if it is there already."""
        return await self._write(Alone(work=partial(self._keep, row=row)))

    async def find(self, quarantine_id: str) -> QuarantineRow | None:
        found = await self._read(partial(_select, quarantine_id=quarantine_id))
        return found[0] if found else None

    async def newest(self, channel: str, *, limit: int) -> tuple[QuarantineRow, ...]:
        """Those received last, the newest first, without what they are: ``raw`` is empty."""
        return await self._read(partial(_newest, channel=channel, limit=limit))

    async def drop(self, quarantine_id: str) -> bool:
        """Throw one away; False if it is not there."""
        return await self._write(Alone(work=partial(_drop, quarantine_id=quarantine_id)))

    async def sweep(self, channel: str, *, before_ms: int, most: int) -> int:
        """Throw away what was received before then, and all but the newest ``most``; returns how many."""
        return await self._write(Alone(work=partial(_sweep, channel=channel, before_ms=before_ms, most=most)))

    def _keep(self, connection: sa.Connection, *, row: QuarantineRow) -> bool:
        return connection.execute(self._insert, {name: getattr(row, name) for name in _COLUMNS}).rowcount == 1


def _select(connection: sa.Connection, *, quarantine_id: str) -> tuple[QuarantineRow, ...]:
    found = connection.execute(sa.select(quarantine).where(quarantine.c.quarantine_id == quarantine_id))
    return tuple(map(_row, found.all()))


def _newest(connection: sa.Connection, *, channel: str, limit: int) -> tuple[QuarantineRow, ...]:
    columns = (sa.literal(b"").label("raw") if name == "raw" else quarantine.c[name] for name in _COLUMNS)
    of_channel = sa.select(*columns).where(quarantine.c.channel == channel)
    return tuple(map(_row, connection.execute(of_channel.order_by(*_NEWEST_FIRST).limit(limit)).all()))


def _drop(connection: sa.Connection, *, quarantine_id: str) -> bool:
    gone = sa.delete(quarantine).where(quarantine.c.quarantine_id == quarantine_id)
    return connection.execute(gone).rowcount == 1


def _sweep(connection: sa.Connection, *, channel: str, before_ms: int, most: int) -> int:
    of_channel = quarantine.c.channel == channel
    beyond = (
        sa.select(quarantine.c.received_at_ms)
        .where(of_channel)
        .order_by(quarantine.c.received_at_ms.desc())
        .offset(most)
        .limit(1)
    )
    last_ms = connection.scalar(beyond)
    oldest_ms = before_ms if last_ms is None else max(before_ms, last_ms + 1)
    return connection.execute(sa.delete(quarantine).where(of_channel, quarantine.c.received_at_ms < oldest_ms)).rowcount
