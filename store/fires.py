"""Fires: that a trigger has fired, and who waits for it.

A trigger fires once for each key: the row of the fire is the proof, and where a scheduled time is the key, the trigger's
``next_due_at_ms`` is moved on in the same transaction. A fire stays ``open`` until everybody who waits for it has been told. It is
done, or queued until it may start something, only if at that moment nobody waits for it any more who began to wait before; and a
wait that is written later, but began before the fire, opens it again (``tell_again``, in the transaction of the wait). So nobody
misses a fire, whichever was first; nor where a clock was set back in between: who is written down as waiting when a trigger fires
does wait for that fire.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Literal, TypeVar

import sqlalchemy as sa

from . import trigger_statements as of
from .alone import Alone, ReadAlone, WriteAlone
from .engine import Dialect, is_key_lost
from .freezing import maker, names_of
from .rows import PauseRow
from .statements import literal
from .trigger_rows import FireRow, FireStatus, TriggerRow
from .trigger_schema import fires
from .triggers import change_state
from .values import value

T = TypeVar("T")
Fired = Literal["fired", "duplicate", "conflict", "limited", "refused"]

_trigger_row = maker(TriggerRow)
_fire_row = maker(FireRow)
_pause_row = maker(PauseRow)
_FIRE = names_of(FireRow)
_TRIGGER = names_of(TriggerRow)

Place = tuple[int, int, str]
"""Of a fire among others: when it fired, for when, its id."""

BEGINNING: Place = (-1, -1, "")


@value
class DueFires:
    """What a trigger fires now that its time has come. Guard: it is enabled, and was due when it was believed to be.

    Attributes:
        was_due_at_ms: None if it never was to be due again.
        next_due_at_ms: when it is due next; None if never again.
        fires: none where all that it has missed is passed over.
        unheard_json: what is kept with a fire that nobody is there to hear, and that is done at once then; None where it starts
            something, which is to be done in any case.
    """

    trigger_id: str
    was_due_at_ms: int | None
    next_due_at_ms: int | None
    fires: tuple[FireRow, ...]
    unheard_json: str | None = None


@value
class UntoldFire:
    """A fire that is not done.

    Attributes:
        is_awaited: somebody waits for the trigger since before it fired.
        is_followed: sessions are subscribed to its trigger.
    """

    fire: FireRow
    trigger: TriggerRow
    is_awaited: bool
    is_followed: bool


class Fires:
    """The fires of one store."""

    def __init__(self, *, dialect: Dialect, write: WriteAlone, read: ReadAlone) -> None:
        self._write_alone = write
        self._read = read
        self._insert_fire = dialect.insert_if_absent(fires)
        self._bound = dialect.bound
        self._untold = of.UNTOLD.where(
            sa.or_(fires.c.status != literal(FireStatus.QUEUED), fires.c.trigger_id.not_in(dialect.keys("full")))
        )

    async def fire_due(self, changes: Sequence[DueFires]) -> int:
        """Fire what is due, each trigger for itself; returns how many fires there are that were not there before."""
        return await self._write(partial(self._fire_due, changes=changes))

    async def fire(
        self,
        row: FireRow,
        *,
        per_minute: int | None = None,
        state: tuple[str | None, str] | None = None,
        unheard_json: str | None = None,
    ) -> Fired:
        """Fire a trigger for what has come from outside.

        Args:
            per_minute: it is ``limited`` once so many fires were in the minute before.
            state: what the trigger compares the world with, as it is believed to be and as it is to be.
            unheard_json: as of ``DueFires``.

        Returns:
            ``duplicate``: it was fired for that key before, for the same; ``conflict``: for something else. ``refused``: it is not
            enabled, or compares the world with something else by now.
        """
        firing = partial(self._fire, row=row, per_minute=per_minute, state=state, unheard_json=unheard_json)
        return await self._write(firing, is_news=True)

    async def untold(
        self, *, limit: int, after: Place = BEGINNING, full: Collection[str] = ()
    ) -> tuple[UntoldFire, ...]:
        """Fires that are not done, in the order in which they fired.

        Args:
            after: the place of the last one seen.
            full: triggers that can start nothing more for now: those of their fires that are queued are passed over.
        """
        return await self._read(partial(self._find_untold, limit=limit, after=after, full=full))

    async def of(self, trigger_id: str, *, limit: int) -> tuple[FireRow, ...]:
        """Newest first."""
        return await self._read(partial(_fires, trigger_id=trigger_id, limit=limit))

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

    async def waiting(
        self, fire: FireRow, trigger: TriggerRow, *, limit: int, after: tuple[int, str] = (-1, "")
    ) -> tuple[PauseRow, ...]:
        """Open pauses that wait for the trigger since before the fire, the oldest first.

        Args:
            after: since when the last one seen has waited, and its id.
        """
        return await self._read(partial(_waiting, fire=fire, trigger=trigger, limit=limit, after=after))

    async def before_deadline(self, pause: PauseRow) -> tuple[FireRow, TriggerRow] | None:
        """The first fire within the time of a wait for its trigger that not everybody has been told of; None if there is none."""
        return await self._read(partial(_before_deadline, pause=pause))

    async def watching(self, *, limit: int, after_pause_id: str = "") -> tuple[PauseRow, ...]:
        """Open pauses that wait for files, by id."""
        return await self._read(partial(_watching, limit=limit, after_pause_id=after_pause_id))

    async def _write(self, work: Callable[[sa.Connection], T], *, is_news: bool = False) -> T:
        return await self._write_alone(Alone(work=work, is_news=is_news))

    def _fire_due(self, connection: sa.Connection, *, changes: Sequence[DueFires]) -> int:
        count = 0
        for change in changes:
            moved = {
                "of_trigger": change.trigger_id,
                "of_due_at_ms": change.was_due_at_ms,
                "new_due_at_ms": change.next_due_at_ms,
            }
            if connection.execute(of.MOVE_ON, moved).rowcount == 1:
                for row in change.fires:
                    count += self._insert(connection, row, unheard_json=change.unheard_json)
        return count

    def _fire(
        self,
        connection: sa.Connection,
        *,
        row: FireRow,
        per_minute: int | None,
        state: tuple[str | None, str] | None,
        unheard_json: str | None,
    ) -> Fired:
        of_trigger = {"of_trigger": row.trigger_id}
        found = connection.execute(of.PAYLOAD_FIRED, {**of_trigger, "of_key": row.key}).all()
        if found:
            return "duplicate" if found[0].payload_json == row.payload_json else "conflict"
        if not connection.execute(of.IS_ENABLED, of_trigger).all():
            return "refused"
        if per_minute is not None:
            # What was fired by a clock that has been set back since is no matter of this minute.
            minute = {"since_ms": row.fired_at_ms - 60_000, "now_ms": row.fired_at_ms}
            lately = connection.scalar(of.FIRED_BETWEEN, {**of_trigger, **minute})
            if (lately or 0) >= per_minute:
                return "limited"
        if state is not None and not change_state(
            connection, trigger_id=row.trigger_id, was=state[0], state_json=state[1]
        ):
            return "refused"
        self._insert(connection, row, unheard_json=unheard_json)
        return "fired"

    def _insert(self, connection: sa.Connection, row: FireRow, *, unheard_json: str | None) -> int:
        """How many fires are there that were not there before."""
        _are_waiting(connection, row)
        count = connection.execute(self._insert_fire, _values(row)).rowcount
        if count and unheard_json is not None:
            unheard = {"of_trigger": row.trigger_id, "of_fire": row.fire_id, "new_outcome": unheard_json}
            connection.execute(of.SETTLE_UNHEARD, {**unheard, "new_settled_at_ms": row.fired_at_ms})
        return count

    def _find_untold(
        self, connection: sa.Connection, *, limit: int, after: Place, full: Collection[str]
    ) -> tuple[UntoldFire, ...]:
        fired_at_ms, scheduled_at_ms, fire_id = after
        place = {"after_fired_at_ms": fired_at_ms, "after_scheduled_at_ms": scheduled_at_ms, "after_fire": fire_id}
        found = connection.execute(self._untold, {**place, "full": self._bound(full), "limit": limit})
        end = len(_FIRE) + len(_TRIGGER)
        return tuple(
            UntoldFire(
                fire=_fire_row(row[: len(_FIRE)]),
                trigger=_trigger_row(row[len(_FIRE) : end]),
                is_awaited=bool(row[end]),
                is_followed=bool(row[end + 1]),
            )
            for row in found
            if not is_key_lost(row.fire_id)
        )


def _are_waiting(connection: sa.Connection, fire: FireRow) -> None:
    """Whoever waits for the trigger by a clock that is ahead of the one that fires it has done so since now at the latest."""
    since = {"of_trigger": fire.trigger_id, "at_ms": fire.fired_at_ms}
    connection.execute(of.WAITS_SINCE, since)
    connection.execute(of.SUBSCRIBED_SINCE, since)


def tell_again(connection: sa.Connection, *, tenant: str, slug: str, since_ms: int) -> None:
    """Somebody waits for a trigger since then: the first fire since, which ends the wait, has not been told to everybody."""
    connection.execute(of.TELL_AGAIN, {"of_tenant": tenant, "of_slug": slug, "since_ms": since_ms})


def _values(row: FireRow) -> dict[str, object]:
    return {name: getattr(row, name) for name in _FIRE}


def _fires(connection: sa.Connection, *, trigger_id: str, limit: int) -> tuple[FireRow, ...]:
    found = connection.execute(of.FIRES_OF, {"of_trigger": trigger_id, "limit": limit})
    return tuple(map(_fire_row, found.all()))


def _begin(connection: sa.Connection, *, fire: FireRow, session_id: str, at_once: int) -> bool:
    of_trigger, of_fire = {"of_trigger": fire.trigger_id}, {"of_fire": fire.fire_id}
    connection.execute(of.RUNS_AT_REST, of_trigger)
    if (connection.scalar(of.OTHER_RUNS, {**of_trigger, **of_fire}) or 0) >= at_once:
        return False
    return connection.execute(of.BEGIN_RUN, {**of_fire, "new_session": session_id}).rowcount == 1


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
    settled: dict[str, object] = {
        "of_fire": fire.fire_id,
        "new_status": status.value,
        "new_is_over": int(is_over),
        "new_outcome": outcome_json,
        "new_settled_at_ms": now_ms if status is FireStatus.DONE else None,
    }
    return connection.execute(of.SETTLE_TOLD, {**settled, **_waits_for(fire, trigger)}).rowcount == 1


def _sweep(connection: sa.Connection, *, fired_before_ms: int, limit: int) -> int:
    return connection.execute(of.SWEEP, {"before_ms": fired_before_ms, "limit": limit}).rowcount


def _waits_for(fire: FireRow, trigger: TriggerRow) -> dict[str, object]:
    return {"of_tenant": trigger.tenant, "of_slug": trigger.slug, "of_fired_at_ms": fire.fired_at_ms}


def _waiting(
    connection: sa.Connection, *, fire: FireRow, trigger: TriggerRow, limit: int, after: tuple[int, str]
) -> tuple[PauseRow, ...]:
    place = {"after_asked_at_ms": after[0], "after_pause": after[1]}
    found = connection.execute(of.WAITING, {**_waits_for(fire, trigger), **place, "limit": limit})
    return tuple(_pause_row(row) for row in found if not is_key_lost(row.pause_id))


def _before_deadline(connection: sa.Connection, *, pause: PauseRow) -> tuple[FireRow, TriggerRow] | None:
    within = {"of_tenant": pause.tenant, "of_slug": pause.role, "since_ms": pause.asked_at_ms}
    row = connection.execute(of.BEFORE_DEADLINE, {**within, "until_ms": pause.deadline_at_ms}).first()
    return None if row is None else (_fire_row(row[: len(_FIRE)]), _trigger_row(row[len(_FIRE) :]))


def _watching(connection: sa.Connection, *, limit: int, after_pause_id: str) -> tuple[PauseRow, ...]:
    found = connection.execute(of.WATCHING, {"after_pause": after_pause_id, "limit": limit})
    return tuple(_pause_row(row) for row in found if not is_key_lost(row.pause_id))
