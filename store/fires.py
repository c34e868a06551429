"""Fires: that a trigger has fired, and who waits for it.

A trigger fires once for each key: the row of the fire is the proof, and where a scheduled time is the key, the trigger's
``next_due_at_ms`` is moved on in the same transaction. A fire stays ``open`` until everybody who waits for it has been told. It is
done only if at that moment nobody waits for it any more who began to wait before; and a wait that is written later, but began
before the fire, opens it again (``tell_again``, in the transaction of the wait). So nobody misses a fire, whichever was first;
nor where a clock was set back in between: who is written down as waiting when a trigger fires does wait for that fire.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, TypeVar

import sqlalchemy as sa

from .alone import Alone, ReadAlone, WriteAlone
from .engine import Dialect
from .freezing import maker, names_of
from .rows import PauseKind, PauseRow, PauseStatus, SessionStatus
from .schema import pauses, sessions
from .statements import literal
from .trigger_rows import FireRow, FireStatus, TriggerRow, TriggerStatus
from .trigger_schema import fires, subscriptions, triggers
from .triggers import change_state, is_trigger
from .values import value

T = TypeVar("T")
Fired = Literal["fired", "duplicate", "conflict", "limited", "refused"]

_trigger_row = maker(TriggerRow)
_fire_row = maker(FireRow)
_pause_row = maker(PauseRow)
_FIRE = names_of(FireRow)
_ORDER = (fires.c.fired_at_ms, fires.c.scheduled_at_ms, fires.c.fire_id)

Place = tuple[int, int, str]
"""Of a fire among others: when it fired, for when, its id."""

BEGINNING: Place = (-1, -1, "")

_UNDER_WAY = (SessionStatus.READY, SessionStatus.RUNNING, SessionStatus.WAITING, SessionStatus.BLOCKED)
"""A run that a trigger has started is over when its session is in none of these."""


@value
class DueFires:
    """What a trigger fires now that its time has come. Guard: it is enabled, and was due when it was believed to be.

    Attributes:
        next_due_at_ms: when it is due next; None if never again.
        fires: none where all that it has missed is passed over.
    """

    trigger_id: str
    was_due_at_ms: int
    next_due_at_ms: int | None
    fires: tuple[FireRow, ...]


class Fires:
    """The fires of one store."""

    def __init__(self, *, dialect: Dialect, write: WriteAlone, read: ReadAlone) -> None:
        self._write_alone = write
        self._read = read
        self._insert_fire = dialect.insert_if_absent(fires)

    async def fire_due(self, changes: Sequence[DueFires]) -> int:
        """Fire what is due, each trigger for itself; returns how many fires there are that were not there before."""
        return await self._write(partial(self._fire_due, changes=changes))

    async def fire(
        self,
        row: FireRow,
        *,
        per_minute: int | None = None,
        state: tuple[str | None, str] | None = None,
    ) -> Fired:
        """Fire a trigger for what has come from outside.

        Args:
            per_minute: it is ``limited`` once so many fires were in the minute before.
            state: what the trigger compares the world with, as it is believed to be and as it is to be.

        Returns:
            ``duplicate``: it was fired for that key before, for the same; ``conflict``: for something else. ``refused``: it is not
            enabled, or compares the world with something else by now.
        """
        return await self._write(partial(self._fire, row=row, per_minute=per_minute, state=state), is_news=True)

    async def untold(self, *, limit: int, after: Place = BEGINNING) -> tuple[tuple[FireRow, TriggerRow], ...]:
        """Fires that are not done, with their triggers, in the order in which they fired.

        Args:
            after: the place of the last one seen.
        """
        return await self._read(partial(_untold, limit=limit, after=after))

    async def of(self, trigger_id: str, *, limit: int) -> tuple[FireRow, ...]:
        """Newest first."""
        where = fires.c.trigger_id == trigger_id
        newest = sa.select(fires).where(where).order_by(*(column.desc() for column in _ORDER)).limit(limit)
        return await self._read(partial(_fires, query=newest))

    async def begin(self, fire: FireRow, *, session_id: str, at_once: int) -> bool:
        """Take a place for what the fire starts; False while ``at_once`` runs of its trigger are under way."""
        return await self._write(partial(_begin, fire=fire, session_id=session_id, at_once=at_once))

    async def settle(
        self, fire: FireRow, trigger: TriggerRow, *, status: FireStatus, is_over: bool, outcome_json: str, now_ms: int
    ) -> bool:
        """Say what became of a fire; False if somebody waits for it who has not been told, and then it stays as it is."""
        settling = partial(
            _settle,
            fire=fire,
            trigger=trigger,
            status=status,
            is_over=is_over,
            outcome_json=outcome_json,
            now_ms=now_ms,
        )
        return await self._write(settling)

    async def sweep(self, *, fired_before_ms: int, limit: int) -> int:
        """Forget fires that are done and over."""
        return await self._write(partial(_sweep, fired_before_ms=fired_before_ms, limit=limit))

    async def waiting(self, fire: FireRow, trigger: TriggerRow, *, limit: int) -> tuple[PauseRow, ...]:
        """Open pauses that wait for the trigger since before the fire, the oldest first."""
        return await self._read(partial(_waiting, fire=fire, trigger=trigger, limit=limit))

    async def watching(self, *, limit: int, after_pause_id: str = "") -> tuple[PauseRow, ...]:
        """Open pauses that wait for files, by id."""
        return await self._read(partial(_watching, limit=limit, after_pause_id=after_pause_id))

    async def _write(self, work: Callable[[sa.Connection], T], *, is_news: bool = False) -> T:
        return await self._write_alone(Alone(work=work, is_news=is_news))

    def _fire_due(self, connection: sa.Connection, *, changes: Sequence[DueFires]) -> int:
        count = 0
        for change in changes:
            moved = (
                sa.update(triggers)
                .where(
                    is_trigger(change.trigger_id),
                    triggers.c.status == literal(TriggerStatus.ENABLED),
                    triggers.c.next_due_at_ms == change.was_due_at_ms,
                )
                .values(next_due_at_ms=change.next_due_at_ms)
            )
            if connection.execute(moved).rowcount == 1:
                for row in change.fires:
                    _are_waiting(connection, row)
                    count += connection.execute(self._insert_fire, _values(row)).rowcount
        return count

    def _fire(
        self, connection: sa.Connection, *, row: FireRow, per_minute: int | None, state: tuple[str | None, str] | None
    ) -> Fired:
        same = sa.and_(fires.c.trigger_id == row.trigger_id, fires.c.key == row.key)
        found = connection.execute(sa.select(fires.c.payload_json).where(same)).all()
        if found:
            return "duplicate" if found[0].payload_json == row.payload_json else "conflict"
        is_enabled = sa.and_(is_trigger(row.trigger_id), triggers.c.status == literal(TriggerStatus.ENABLED))
        if not connection.execute(sa.select(triggers.c.trigger_id).where(is_enabled)).all():
            return "refused"
        if per_minute is not None:
            lately = sa.and_(fires.c.trigger_id == row.trigger_id, fires.c.fired_at_ms > row.fired_at_ms - 60_000)
            if connection.scalar(sa.select(sa.func.count()).where(lately)) >= per_minute:  # type: ignore[operator]
                return "limited"
        if state is not None and not change_state(
            connection, trigger_id=row.trigger_id, was=state[0], state_json=state[1]
        ):
            return "refused"
        _are_waiting(connection, row)
        connection.execute(self._insert_fire, _values(row))
        return "fired"


def _are_waiting(connection: sa.Connection, fire: FireRow) -> None:
    """Whoever waits for the trigger by a clock that is ahead of the one that fires it has done so since now at the latest."""
    at_ms = fire.fired_at_ms
    connection.execute(
        sa.update(pauses)
        .where(
            pauses.c.status == literal(PauseStatus.PENDING),
            pauses.c.kind == literal(PauseKind.TRIGGER),
            pauses.c.tenant == _of_trigger(triggers.c.tenant, fire),
            pauses.c.role == _of_trigger(triggers.c.slug, fire),
            pauses.c.asked_at_ms > at_ms,
        )
        .values(asked_at_ms=at_ms)
    )
    connection.execute(
        sa.update(subscriptions)
        .where(subscriptions.c.trigger_id == fire.trigger_id, subscriptions.c.created_at_ms > at_ms)
        .values(created_at_ms=at_ms)
    )


def tell_again(connection: sa.Connection, *, tenant: str, slug: str, since_ms: int) -> None:
    """Somebody waits for a trigger since then: what it has fired meanwhile has not been told to everybody."""
    trigger_id = sa.select(triggers.c.trigger_id).where(triggers.c.tenant == tenant, triggers.c.slug == slug)
    connection.execute(
        sa.update(fires)
        .where(
            fires.c.trigger_id == trigger_id.scalar_subquery(),
            fires.c.fired_at_ms >= since_ms,
            fires.c.status == literal(FireStatus.DONE),
        )
        .values(status=FireStatus.OPEN.value, settled_at_ms=None)
    )


def _of_trigger(column: sa.Column[str], fire: FireRow) -> sa.ScalarSelect[str]:
    return sa.select(column).where(is_trigger(fire.trigger_id)).scalar_subquery()


# -- statements --------------------------------------------------------------------------------------------------------
def _values(row: FireRow) -> dict[str, object]:
    return {name: getattr(row, name) for name in _FIRE}


def _fires(connection: sa.Connection, *, query: sa.Select[*tuple[object, ...]]) -> tuple[FireRow, ...]:
    return tuple(map(_fire_row, connection.execute(query).all()))


def _untold(connection: sa.Connection, *, limit: int, after: Place) -> tuple[tuple[FireRow, TriggerRow], ...]:
    query = (
        sa.select(fires, triggers)
        .join(triggers, triggers.c.trigger_id == fires.c.trigger_id)
        .where(
            fires.c.status != literal(FireStatus.DONE),
            sa.tuple_(*_ORDER) > sa.tuple_(*after),
        )
        .order_by(*_ORDER)
        .limit(limit)
    )
    width = len(_FIRE)
    return tuple((_fire_row(row[:width]), _trigger_row(row[width:])) for row in connection.execute(query).all())


def _begin(connection: sa.Connection, *, fire: FireRow, session_id: str, at_once: int) -> bool:
    of_trigger = fires.c.trigger_id == fire.trigger_id
    is_running = sa.and_(of_trigger, fires.c.session_id.is_not(None), fires.c.is_over == sa.literal_column("0"))
    is_at_rest = sa.exists().where(
        sessions.c.session_id == fires.c.session_id, sessions.c.status.not_in([each.value for each in _UNDER_WAY])
    )
    connection.execute(sa.update(fires).where(is_running, is_at_rest).values(is_over=1))
    others = sa.select(sa.func.count()).where(is_running, fires.c.fire_id != fire.fire_id)
    if (connection.scalar(others) or 0) >= at_once:
        return False
    mine = sa.and_(fires.c.fire_id == fire.fire_id, fires.c.status != literal(FireStatus.DONE))
    return connection.execute(sa.update(fires).where(mine).values(session_id=session_id)).rowcount == 1


def _settle(
    connection: sa.Connection,
    *,
    fire: FireRow,
    trigger: TriggerRow,
    status: FireStatus,
    is_over: bool,
    outcome_json: str,
    now_ms: int,
) -> bool:
    is_mine = sa.and_(fires.c.fire_id == fire.fire_id, fires.c.status != literal(FireStatus.DONE))
    values: dict[str, object] = {"status": status.value, "is_over": int(is_over), "outcome_json": outcome_json}
    if status is FireStatus.DONE:
        is_mine = sa.and_(is_mine, ~sa.exists().where(_waits_for(fire, trigger)))
        values["settled_at_ms"] = now_ms
    return connection.execute(sa.update(fires).where(is_mine).values(values)).rowcount == 1


def _sweep(connection: sa.Connection, *, fired_before_ms: int, limit: int) -> int:
    is_forgettable = sa.and_(fires.c.status == literal(FireStatus.DONE), fires.c.fired_at_ms < fired_before_ms)
    old = sa.select(fires.c.fire_id).where(is_forgettable).limit(limit)
    return connection.execute(sa.delete(fires).where(fires.c.fire_id.in_(old))).rowcount


def _waits_for(fire: FireRow, trigger: TriggerRow) -> sa.ColumnElement[bool]:
    return sa.and_(
        pauses.c.status == literal(PauseStatus.PENDING),
        pauses.c.kind == literal(PauseKind.TRIGGER),
        pauses.c.tenant == trigger.tenant,
        pauses.c.role == trigger.slug,
        pauses.c.asked_at_ms <= fire.fired_at_ms,
    )


def _waiting(connection: sa.Connection, *, fire: FireRow, trigger: TriggerRow, limit: int) -> tuple[PauseRow, ...]:
    query = sa.select(pauses).where(_waits_for(fire, trigger)).order_by(pauses.c.asked_at_ms).limit(limit)
    return tuple(map(_pause_row, connection.execute(query).all()))


def _watching(connection: sa.Connection, *, limit: int, after_pause_id: str) -> tuple[PauseRow, ...]:
    is_open = sa.and_(
        pauses.c.status == literal(PauseStatus.PENDING),
        pauses.c.kind == literal(PauseKind.FILES),
        pauses.c.pause_id > after_pause_id,
    )
    query = sa.select(pauses).where(is_open).order_by(pauses.c.pause_id).limit(limit)
    return tuple(map(_pause_row, connection.execute(query).all()))
