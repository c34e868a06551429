"""The triggers of one store: what operators and sessions ask of them, and what comes in from outside.

added, declared -> enabled <-> disabled -> removed, and who waits for it is told (``farewells``)
something happens -> a fire, once for each key -> told (``firing``)
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal, Protocol

import structlog

from ..store.farewells import AT_ONCE, NOBODY, Concerned, Farewells
from ..store.fires import Fired
from ..store.trigger_rows import FireRow, FireStatus, SubscriptionRow, TriggerRow, TriggerStatus
from ..store.triggers import Declared
from ..store.values import value
from .asks import JsonValue
from .clock import Clock
from .errors import TriggerDeclaredError, TriggerInvalidError, TriggerTakenError, TriggerUnknownError
from .farewells import OPERATOR, farewell_of
from .fire_outcomes import FireOutcome
from .ids import Ids
from .jsontext import MOST_LEVELS, from_json, is_flat_enough, to_json
from .message_patterns import is_set_off
from .moments import iso
from .trigger_kinds import (
    ChannelMessage,
    Trigger,
    check,
    fire_id_of,
    first_due_ms,
    kind_of,
    spec_to_json,
    trigger_id_of,
    trigger_of,
)

_log = structlog.get_logger("overwinter.triggers")

_SHOWN = 20
"""So many sessions are named in a log."""


class TriggerStore(Protocol):
    """What is asked of the store about triggers."""

    async def declare(
        self,
        source: str,
        rows: Sequence[TriggerRow],
        *,
        kept: Callable[[TriggerRow, TriggerRow], TriggerRow],
        farewell: Farewells,
        now_ms: int,
    ) -> Declared: ...

    async def add(self, row: TriggerRow) -> bool: ...

    async def set_status(
        self, trigger_id: str, status: TriggerStatus, *, next_due_at_ms: int | None, now_ms: int
    ) -> Concerned | None: ...

    async def remove(self, trigger_id: str, *, farewell: Farewells, now_ms: int) -> Concerned | None: ...

    async def awaited_in_vain(self, *, limit: int) -> tuple[TriggerRow, ...]: ...

    async def bid_farewell(self, trigger_id: str, *, farewell: Farewells, now_ms: int) -> int: ...

    async def find(self, trigger_id: str) -> TriggerRow | None: ...

    async def all(self, tenant: str) -> tuple[TriggerRow, ...]: ...

    async def of_kind(self, kind: str) -> tuple[TriggerRow, ...]: ...

    async def subscribe(self, row: SubscriptionRow) -> bool: ...

    async def unsubscribe(self, trigger_id: str, session_id: str) -> bool: ...


class FireStore(Protocol):
    """What is asked of the store about fires from outside."""

    async def fire(
        self,
        row: FireRow,
        *,
        per_minute: int | None = None,
        state: tuple[str | None, str] | None = None,
        unheard_json: str | None = None,
    ) -> Fired: ...

    async def of(self, trigger_id: str, *, limit: int) -> tuple[FireRow, ...]: ...


@value
class FiredNow:
    """What became of something that came in for a trigger."""

    fire_id: str
    outcome: Fired


class Triggers:
    """Adds, declares, lists and fires.

    Args:
        fired: called when a fire was written, or a trigger that may be due: whoever fires and tells in this process looks at once.
    """

    def __init__(
        self, *, triggers: TriggerStore, fires: FireStore, clock: Clock, ids: Ids, fired: Callable[[], None]
    ) -> None:
        self._triggers = triggers
        self._fires = fires
        self._clock = clock
        self._ids = ids
        self._fired = fired
        self._searching = asyncio.Lock()

    # -- operators -----------------------------------------------------------------------------------------------------
    async def add(self, tenant: str, trigger: Trigger) -> TriggerRow:
        """Add a trigger, enabled.

        Raises:
            TriggerInvalidError: (trigger.invalid) it can never fire.
            TriggerTakenError: (trigger.taken)
        """
        row = self._row(tenant, trigger, source=None)
        if not await self._triggers.add(row):
            raise TriggerTakenError(f"there is a trigger {trigger.slug} already; give another name, or remove that one")
        self._fired()
        return row

    async def remove(self, tenant: str, slug: str, *, by: str = OPERATOR) -> Concerned:
        """Take a trigger away; its fires are kept. Who waits for it, or is subscribed, is told so.

        Args:
            by: who does it; kept in the audit of those who waited.

        Raises:
            TriggerUnknownError: (trigger.unknown)
            TriggerDeclaredError: (trigger.declared)
        """
        row = await self.get(tenant, slug)
        if row.source is not None:
            raise TriggerDeclaredError(
                f"app {row.source} declares {slug} and would add it again; disable it, or take it out of the app"
            )
        now_ms = self._clock.now_ms()
        farewell = partial(farewell_of, by=by, now_ms=now_ms)
        found = await self._triggers.remove(row.trigger_id, farewell=farewell, now_ms=now_ms)
        self._fired()
        return found or NOBODY

    async def disable(self, tenant: str, slug: str) -> Concerned:
        """Let it fire no more until it is enabled. Who waits for it goes on waiting: it may be enabled again.

        Raises ``TriggerUnknownError`` (trigger.unknown).
        """
        row = await self.get(tenant, slug)
        return await self._set(row, TriggerStatus.DISABLED, row.next_due_at_ms)

    async def enable(self, tenant: str, slug: str) -> None:
        """Let it fire again, from now on: what passed while it was disabled is not caught up. Raises as ``disable``.

        One that fires once, and has not, does so as soon as its time has come, or at once.
        """
        row = await self.get(tenant, slug)
        if row.status == TriggerStatus.ENABLED:
            return
        due_ms = row.next_due_at_ms
        if row.kind == "cron":
            due_ms = first_due_ms(read(row).when, added_at_ms=self._clock.now_ms())
        await self._set(row, TriggerStatus.ENABLED, due_ms)

    async def get(self, tenant: str, slug: str) -> TriggerRow:
        """Raises ``TriggerUnknownError`` (trigger.unknown)."""
        row = await self._triggers.find(trigger_id_of(tenant, slug))
        if row is None or row.status == TriggerStatus.REMOVED:
            raise TriggerUnknownError(f"there is no trigger {slug!r}")
        return row

    async def all(self, tenant: str) -> tuple[TriggerRow, ...]:
        return await self._triggers.all(tenant)

    async def fires_of(self, tenant: str, slug: str, *, limit: int) -> tuple[FireRow, ...]:
        """Newest first. Raises ``TriggerUnknownError`` (trigger.unknown)."""
        return await self._fires.of((await self.get(tenant, slug)).trigger_id, limit=limit)

    async def declare(self, source: str, tenant: str, triggers: Sequence[Trigger]) -> tuple[str, ...]:
        """See to it that an app's triggers are as it declares them; returns the names that others have taken."""
        rows = [self._row(tenant, trigger, source=source) for trigger in triggers]
        now_ms = self._clock.now_ms()
        farewell = partial(farewell_of, now_ms=now_ms)
        declared = await self._triggers.declare(source, rows, kept=in_its_place, farewell=farewell, now_ms=now_ms)
        for row, whom in declared.removed:
            told = {"waited": len(whom.waiting), "subscribed": len(whom.subscribed)}
            _log.warning("trigger.removed", trigger=row.slug, app=source, sessions=_some(whom), **told)
        return declared.taken

    async def bid_farewell(self) -> None:
        """Tell those who still wait for what is removed: where very many did, or somebody began to in that moment."""
        for row in await self._triggers.awaited_in_vain(limit=AT_ONCE):
            told = AT_ONCE
            while told >= AT_ONCE:
                now_ms = self._clock.now_ms()
                farewell = partial(farewell_of, now_ms=now_ms)
                told = await self._triggers.bid_farewell(row.trigger_id, farewell=farewell, now_ms=now_ms)

    # -- what comes in -------------------------------------------------------------------------------------------------
    async def fire(
        self,
        row: TriggerRow,
        *,
        key: str | None = None,
        payload: JsonValue = None,
        per_minute: int | None = None,
        state: tuple[str | None, str] | None = None,
    ) -> FiredNow:
        """Fire a trigger now.

        Args:
            key: what it fires for; the same again fires nothing. None for something of its own.

        Raises:
            TriggerInvalidError: (trigger.invalid) the payload is nested so deeply that those who are told could not read it.
        """
        if not is_flat_enough(payload):
            raise TriggerInvalidError(
                f"more than {MOST_LEVELS} lists and objects are in each other; give them as a text"
            )
        now_ms = self._clock.now_ms()
        key = key or self._ids.message_id(now_ms)
        fire = fire_of(row, key=key, at_ms=now_ms, now_ms=now_ms, missed=0, payload=payload)
        try:
            unheard = unheard_json(read(row))
        except TriggerInvalidError:
            unheard = None  # it is told of where it would be started
        outcome = await self._fires.fire(fire, per_minute=per_minute, state=state, unheard_json=unheard)
        if outcome == "fired":
            self._fired()
        return FiredNow(fire_id=fire.fire_id, outcome=outcome)

    async def message(
        self, *, tenant: str, channel: str, external_id: str, text: str, sender: str, place: str = ""
    ) -> tuple[FiredNow, ...]:
        """A message has come in on a channel: fire what waits for such a one. The same message again fires nothing.

        Args:
            channel: the connection's name.
            place: where on it, in the vendor's words; ``channel:place`` may be waited for as well.

        Returns:
            One for each trigger that waits for such a message, whether it has fired now or before.
        """
        waiting: list[tuple[TriggerRow, str | None]] = []
        for row in await self._triggers.of_kind("message"):
            try:
                when = read(row).when
            except TriggerInvalidError as error:  # which is no reason to keep the message from the others
                _log.error(error.code, trigger=row.slug, error=str(error))
                continue
            if (
                row.tenant != tenant
                or not isinstance(when, ChannelMessage)
                or when.channel not in (channel, f"{channel}:{place}")
            ):
                continue
            waiting.append((row, when.pattern))
        payload = {"channel": channel, "place": place, "text": text, "from": sender}
        key = f"{channel}/{external_id}"
        return tuple([await self.fire(row, key=key, payload=payload) for row in await self._set_off(waiting, text)])

    # -- sessions ------------------------------------------------------------------------------------------------------
    async def subscribe(self, tenant: str, slug: str, session_id: str) -> Literal["subscribed", "duplicate"]:
        """Give a session a message at each fire from now on. Raises ``TriggerUnknownError`` (trigger.unknown)."""
        row = await self.get(tenant, slug)
        now_ms = self._clock.now_ms()
        subscription = SubscriptionRow(
            trigger_id=row.trigger_id, session_id=session_id, tenant=tenant, created_at_ms=now_ms
        )
        return "subscribed" if await self._triggers.subscribe(subscription) else "duplicate"

    async def unsubscribe(self, tenant: str, slug: str, session_id: str) -> bool:
        return await self._triggers.unsubscribe(trigger_id_of(tenant, slug), session_id)

    async def _set_off(self, waiting: Sequence[tuple[TriggerRow, str | None]], text: str) -> list[TriggerRow]:
        """Those whose pattern is found in the text, or that have none.

        What is searched is a stranger's, and may have been written to be slow: so it is searched in a thread, beside which all
        else goes on, and one text at a time, so that many of them do not take all threads and all processors.
        """
        if all(pattern is None for _, pattern in waiting):
            return [row for row, _ in waiting]
        async with self._searching:
            return await asyncio.to_thread(lambda: [row for row, pattern in waiting if is_set_off(row, pattern, text)])

    async def _set(self, row: TriggerRow, status: TriggerStatus, due_ms: int | None) -> Concerned:
        now_ms = self._clock.now_ms()
        found = await self._triggers.set_status(row.trigger_id, status, next_due_at_ms=due_ms, now_ms=now_ms)
        self._fired()
        return found or NOBODY

    def _row(self, tenant: str, trigger: Trigger, *, source: str | None) -> TriggerRow:
        check(trigger)
        now_ms = self._clock.now_ms()
        return TriggerRow(
            trigger_id=trigger_id_of(tenant, trigger.slug),
            tenant=tenant,
            slug=trigger.slug,
            kind=kind_of(trigger.when),
            spec_json=to_json(spec_to_json(trigger)),
            source=source,
            status=TriggerStatus.ENABLED,
            next_due_at_ms=first_due_ms(trigger.when, added_at_ms=now_ms),
            state_json=None,
            created_at_ms=now_ms,
            updated_at_ms=now_ms,
        )


def read(row: TriggerRow) -> Trigger:
    """The trigger in a row.

    Raises:
        TriggerInvalidError: (trigger.invalid) this version cannot read it.
    """
    try:
        return trigger_of(row.slug, row.kind, from_json(row.spec_json))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TriggerInvalidError(f"trigger {row.slug} cannot be read: {error}") from error


def _some(whom: Concerned) -> str:
    return ", ".join(sorted({*whom.waiting, *whom.subscribed})[:_SHOWN])


def in_its_place(old: TriggerRow, new: TriggerRow) -> TriggerRow:
    """A trigger as it is declared now, at the place in time where it was: what passed while nothing ran is not forgotten.

    One that is set off otherwise now begins anew. A schedule never waits longer than from now: one that could not be read, or was
    fired by a clock that was wrong, comes round again; and what it has fired for is not fired for twice.
    """
    if old.kind != new.kind or _when_in(old) != _when_in(new):
        return new
    due_ms = old.next_due_at_ms
    if new.kind == "cron" and new.next_due_at_ms is not None:
        due_ms = new.next_due_at_ms if due_ms is None else min(due_ms, new.next_due_at_ms)
    return replace(new, next_due_at_ms=due_ms, state_json=old.state_json)


def _when_in(row: TriggerRow) -> JsonValue:
    """What sets the trigger off; None where it cannot be read, and then it is declared anew."""
    try:
        return from_json(row.spec_json)["when"]
    except (ValueError, KeyError, TypeError):
        return None


def fire_of(row: TriggerRow, *, key: str, at_ms: int, now_ms: int, missed: int, payload: JsonValue = None) -> FireRow:
    return FireRow(
        fire_id=fire_id_of(row.trigger_id, key),
        trigger_id=row.trigger_id,
        key=key,
        scheduled_at_ms=at_ms,
        fired_at_ms=now_ms,
        missed=missed,
        payload_json=None if payload is None else to_json(payload),
        status=FireStatus.OPEN,
        session_id=None,
        is_over=False,
        outcome_json=None,
        settled_at_ms=None,
    )


def unheard_json(trigger: Trigger) -> str | None:
    """What is kept with a fire of the trigger that nobody is there to hear; None if it has something to start in any case."""
    return FireOutcome().to_json() if trigger.starts is None else None


def told_of(fire: FireRow, row: TriggerRow) -> dict[str, JsonValue]:
    """A fire as those read it who waited for it."""
    return {
        "trigger_id": row.trigger_id,
        "slug": row.slug,
        "kind": row.kind,
        "fire_id": fire.fire_id,
        "fired_at": iso(fire.fired_at_ms),
        "scheduled_at": iso(fire.scheduled_at_ms),
        "missed": fire.missed,
        "payload": None if fire.payload_json is None else from_json(fire.payload_json),
    }
