"""Triggers: what makes sessions begin, or go on, when something happens in the world; and who is told of each fire.

An app declares its own at every start, operators add others. What was declared before may keep its place in time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

import sqlalchemy as sa

from . import trigger_statements as of
from .alone import Alone, ReadAlone, WriteAlone
from .changes import PostMessage
from .engine import Dialect, is_key_lost
from .farewells import Concerned, Farewells, concerned, farewells
from .freezing import maker, names_of
from .resolutions import CancelPause
from .trigger_rows import SubscriptionRow, TriggerRow, TriggerStatus
from .trigger_schema import subscriptions
from .values import value

T = TypeVar("T")

Kept = Callable[[TriggerRow, TriggerRow], TriggerRow]
"""Of a trigger as it is and as it is declared now: how it is to be, with the place in time that it keeps. Pure."""

_trigger_row = maker(TriggerRow)
_subscription_row = maker(SubscriptionRow)
_TRIGGER, _SUBSCRIPTION = map(names_of, (TriggerRow, SubscriptionRow))


@value
class Declared:
    """What came of an app's declaring its triggers.

    Attributes:
        taken: the slugs that somebody else has: nothing was done for these.
        removed: those that it declared before and does not any more, each with whom that concerned.
    """

    taken: tuple[str, ...]
    removed: tuple[tuple[TriggerRow, Concerned], ...]


@value
class _Told:
    """What some work has found, and what those are told whom it concerns."""

    found: Any
    told: Sequence[CancelPause | PostMessage] = ()


class Triggers:
    """The triggers of one store."""

    def __init__(self, *, dialect: Dialect, write: WriteAlone, read: ReadAlone) -> None:
        self._write_alone = write
        self._read = read
        self._insert_subscription = dialect.insert_if_absent(subscriptions)

    # -- triggers ------------------------------------------------------------------------------------------------------
    async def declare(
        self, source: str, rows: Sequence[TriggerRow], *, kept: Kept, farewell: Farewells, now_ms: int
    ) -> Declared:
        """See to it that what an app declares is there as declared, and that what it does not declare any more is removed.

        One that was there keeps whether an operator has disabled it. Who waits for what is removed is told so, as by ``remove``.
        """
        declaring = partial(self._declare, source=source, rows=rows, kept=kept, farewell=farewell, now_ms=now_ms)
        return (await self._tell(declaring)).found

    async def add(self, row: TriggerRow) -> bool:
        """Add a trigger; False if its slug is taken."""
        return await self._write(partial(self._add, row=row), is_news=True)

    async def set_status(
        self, trigger_id: str, status: TriggerStatus, *, next_due_at_ms: int | None, now_ms: int
    ) -> Concerned | None:
        """Enable or disable one that is not removed; whom it concerns. None if there is none."""
        setting = partial(
            _set_status, trigger_id=trigger_id, status=status, next_due_at_ms=next_due_at_ms, now_ms=now_ms
        )
        return await self._write(setting, is_news=True)

    async def remove(self, trigger_id: str, *, farewell: Farewells, now_ms: int) -> Concerned | None:
        """Remove one, and tell those whom it concerns that nothing is to be waited for any more; None if there is none."""
        removing = partial(_remove, trigger_id=trigger_id, farewell=farewell, now_ms=now_ms)
        return (await self._tell(removing)).found

    async def awaited_in_vain(self, *, limit: int) -> tuple[TriggerRow, ...]:
        """Removed ones for which somebody still waits: there were very many, or they were written down a moment too late."""
        return await self._read(partial(_select, query=of.AWAITED_IN_VAIN, limit=limit))

    async def bid_farewell(self, trigger_id: str, *, farewell: Farewells, now_ms: int) -> int:
        """Tell some of those who still wait for a removed one; how many. None is told if it is there again."""
        bidding = partial(_bid_farewell, trigger_id=trigger_id, farewell=farewell, now_ms=now_ms)
        return (await self._tell(bidding)).found

    async def find(self, trigger_id: str) -> TriggerRow | None:
        return await self._read(partial(_find, trigger_id=trigger_id))

    async def all(self, tenant: str) -> tuple[TriggerRow, ...]:
        """Those of a tenant that are not removed, by slug."""
        return await self._read(partial(_select, query=of.TRIGGERS_OF_TENANT, of_tenant=tenant))

    async def of_kind(self, kind: str) -> tuple[TriggerRow, ...]:
        """The enabled ones of a kind, of every tenant."""
        return await self._read(partial(_select, query=of.TRIGGERS_OF_KIND, of_kind=kind))

    async def due(self, *, now_ms: int, limit: int) -> tuple[TriggerRow, ...]:
        """Enabled triggers whose time has come, earliest first."""
        return await self._read(partial(_select, query=of.DUE_TRIGGERS, now_ms=now_ms, limit=limit))

    async def due_ms(self) -> int | None:
        """When the next trigger is due; None if none ever is."""
        return await self._read(_due_ms)

    async def set_state(self, trigger_id: str, *, was: str | None, state_json: str) -> bool:
        """Change what a trigger compares the world with, without firing it."""
        return await self._write(partial(change_state, trigger_id=trigger_id, was=was, state_json=state_json))

    # -- who waits -----------------------------------------------------------------------------------------------------
    async def subscribe(self, row: SubscriptionRow) -> bool:
        """False if it is there already."""
        return await self._write(
            lambda connection: connection.execute(self._insert_subscription, _values(row, _SUBSCRIPTION)).rowcount == 1
        )

    async def unsubscribe(self, trigger_id: str, session_id: str) -> bool:
        return await self._write(partial(_unsubscribe, trigger_id=trigger_id, session_id=session_id))

    async def subscribed(
        self, trigger_id: str, *, limit: int, after_session_id: str = ""
    ) -> tuple[SubscriptionRow, ...]:
        """Sessions that are told of each fire, by id."""
        return await self._read(
            partial(_subscribed, trigger_id=trigger_id, limit=limit, after_session_id=after_session_id)
        )

    async def _tell(self, work: Callable[[sa.Connection], _Told]) -> _Told:
        return await self._write_alone(Alone(work=work, is_news=True, then=lambda result: result.told))

    async def _write(self, work: Callable[[sa.Connection], T], *, is_news: bool = False) -> T:
        return await self._write_alone(Alone(work=work, is_news=is_news))

    def _declare(
        self,
        connection: sa.Connection,
        *,
        source: str,
        rows: Sequence[TriggerRow],
        kept: Kept,
        farewell: Farewells,
        now_ms: int,
    ) -> _Told:
        taken: list[str] = []
        mine: set[str] = set()
        for row in rows:
            old = _find(connection, trigger_id=row.trigger_id)
            if old is not None and old.source != source and old.status != TriggerStatus.REMOVED:
                taken.append(row.slug)
                continue
            mine.add(row.trigger_id)
            if old is None:
                connection.execute(of.INSERT_TRIGGER, _values(row, _TRIGGER))
                continue
            changed = replace(row, created_at_ms=old.created_at_ms)
            if old.status != TriggerStatus.REMOVED:
                changed = kept(old, replace(changed, status=old.status))
            if changed != replace(old, updated_at_ms=changed.updated_at_ms):
                _change(connection, changed)
        removed: list[tuple[TriggerRow, Concerned]] = []
        told: list[CancelPause | PostMessage] = []
        for old in _select(connection, query=of.TRIGGERS_OF_SOURCE, of_source=source):
            if old.trigger_id not in mine:
                gone = _remove(connection, trigger_id=old.trigger_id, farewell=farewell, now_ms=now_ms)
                removed.append((old, gone.found))
                told += gone.told
        return _Told(found=Declared(taken=tuple(taken), removed=tuple(removed)), told=told)

    def _add(self, connection: sa.Connection, *, row: TriggerRow) -> bool:
        old = _find(connection, trigger_id=row.trigger_id)
        if old is None:
            connection.execute(of.INSERT_TRIGGER, _values(row, _TRIGGER))
        elif old.status == TriggerStatus.REMOVED:
            _change(connection, row)
        return old is None or old.status == TriggerStatus.REMOVED


def _values(row: object, names: Iterable[str]) -> dict[str, object]:
    return {name: getattr(row, name) for name in names}


def _select(
    connection: sa.Connection, *, query: sa.Select[*tuple[Any, ...]], **parameters: object
) -> tuple[TriggerRow, ...]:
    return tuple(map(_trigger_row, connection.execute(query, parameters).all()))


def _find(connection: sa.Connection, *, trigger_id: str) -> TriggerRow | None:
    found = _select(connection, query=of.FIND_TRIGGER, of_trigger=trigger_id)
    return found[0] if found else None


def _due_ms(connection: sa.Connection) -> int | None:
    return connection.scalar(of.NEXT_DUE_MS)


def _change(connection: sa.Connection, row: TriggerRow) -> None:
    connection.execute(of.CHANGE_TRIGGER, {"of_trigger": row.trigger_id, **_values(row, _TRIGGER)})


def _set_status(
    connection: sa.Connection, *, trigger_id: str, status: TriggerStatus, next_due_at_ms: int | None, now_ms: int
) -> Concerned | None:
    row = _find(connection, trigger_id=trigger_id)
    values = {"new_status": status.value, "new_due_at_ms": next_due_at_ms, "new_updated_at_ms": now_ms}
    is_set = connection.execute(of.SET_STATUS, {"of_trigger": trigger_id, **values}).rowcount == 1
    return concerned(connection, row) if is_set and row is not None else None


def _remove(connection: sa.Connection, *, trigger_id: str, farewell: Farewells, now_ms: int) -> _Told:
    found = _set_status(
        connection, trigger_id=trigger_id, status=TriggerStatus.REMOVED, next_due_at_ms=None, now_ms=now_ms
    )
    if found is None:
        return _Told(found=None)
    return _Told(found=found, told=_farewells(connection, trigger_id=trigger_id, farewell=farewell, now_ms=now_ms))


def _bid_farewell(connection: sa.Connection, *, trigger_id: str, farewell: Farewells, now_ms: int) -> _Told:
    told = _farewells(connection, trigger_id=trigger_id, farewell=farewell, now_ms=now_ms)
    return _Told(found=len(told), told=told)


def _farewells(
    connection: sa.Connection, *, trigger_id: str, farewell: Farewells, now_ms: int
) -> Sequence[CancelPause | PostMessage]:
    row = _find(connection, trigger_id=trigger_id)
    if row is None or row.status != TriggerStatus.REMOVED:
        return ()
    return farewells(connection, row, farewell(row), now_ms=now_ms)


def change_state(connection: sa.Connection, *, trigger_id: str, was: str | None, state_json: str) -> bool:
    values = {"of_trigger": trigger_id, "of_state": was, "new_state": state_json}
    return connection.execute(of.CHANGE_STATE, values).rowcount == 1


def _subscribed(
    connection: sa.Connection, *, trigger_id: str, limit: int, after_session_id: str
) -> tuple[SubscriptionRow, ...]:
    parameters = {"of_trigger": trigger_id, "limit": limit, "after_session": after_session_id}
    found = connection.execute(of.SUBSCRIBED, parameters)
    return tuple(_subscription_row(row) for row in found if not is_key_lost(row.session_id))


def _unsubscribe(connection: sa.Connection, *, trigger_id: str, session_id: str) -> bool:
    parameters = {"of_trigger": trigger_id, "of_session": session_id}
    return connection.execute(of.UNSUBSCRIBE, parameters).rowcount == 1
