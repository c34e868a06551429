"""Questions with what their channels have of them, for whoever finds a question by something that is out there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

import sqlalchemy as sa

from .alone import ReadAlone
from .freezing import maker
from .rows import DeliveryKind, DeliveryRow, DeliveryStatus, PauseKind, PauseRow, PauseStatus
from .schema import deliveries, pauses
from .statements import literal
from .values import value

R = TypeVar("R")

_pause_row = maker(PauseRow)
_delivery_row = maker(DeliveryRow)


@value
class AskedPause:
    """A question and its posts, one for each channel that it went to so far."""

    pause: PauseRow
    posts: tuple[DeliveryRow, ...]


class Asked:
    """The questions of one store."""

    def __init__(self, *, read: ReadAlone) -> None:
        self._read = read

    async def find(self, pause_id: str) -> AskedPause | None:
        """One question, open or closed; None if there is none, or none any more."""
        if not pause_id.isascii():
            return None
        found = await self._read(partial(_select, where=pauses.c.pause_id == pause_id))
        return found[0] if found else None

    async def open_in(self, session_id: str) -> tuple[AskedPause, ...]:
        """The open questions of a session, oldest first."""
        is_open = sa.and_(
            pauses.c.session_id == session_id,
            pauses.c.status == literal(PauseStatus.PENDING),
        )
        return await self._read(partial(_select, where=is_open))

    async def open_through(self, channel: str, *, limit: int) -> tuple[AskedPause, ...]:
        """The newest open questions that a channel has put to people, oldest first."""
        sent = sa.exists().where(
            deliveries.c.pause_id == pauses.c.pause_id,
            deliveries.c.kind == literal(DeliveryKind.POST),
            deliveries.c.channel == channel,
            deliveries.c.status == literal(DeliveryStatus.SENT),
        )
        is_open = sa.and_(pauses.c.status == literal(PauseStatus.PENDING), pauses.c.kind == literal(PauseKind.ASK))
        newest = sa.select(pauses.c.pause_id).where(is_open, sent).order_by(pauses.c.asked_at_ms.desc()).limit(limit)
        return await self._read(partial(_select, where=pauses.c.pause_id.in_(newest)))


def _select(connection: sa.Connection, *, where: sa.ColumnElement[bool]) -> tuple[AskedPause, ...]:
    asks = sa.and_(where, pauses.c.kind == literal(PauseKind.ASK))
    found = connection.execute(sa.select(pauses).where(asks).order_by(pauses.c.asked_at_ms, pauses.c.key)).all()
    posts = (
        sa.select(deliveries)
        .join(pauses, pauses.c.pause_id == deliveries.c.pause_id)
        .where(asks, deliveries.c.kind == literal(DeliveryKind.POST))
        .order_by(deliveries.c.created_at_ms, deliveries.c.channel)
    )
    by_pause: dict[str, list[DeliveryRow]] = {}
    for row in _made(_delivery_row, connection.execute(posts).all() if found else ()):
        by_pause.setdefault(row.pause_id, []).append(row)
    return tuple(
        AskedPause(pause=pause, posts=tuple(by_pause.get(pause.pause_id, ()))) for pause in _made(_pause_row, found)
    )


def _made(make: Callable[[Iterable[Any]], R], rows: Iterable[Any]) -> list[R]:
    return [make(row) for row in rows]
