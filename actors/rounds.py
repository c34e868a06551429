"""What triggers that are due by the clock fire, and when they come round next: from a row to what is to be written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import structlog

from ..store.fires import DueFires
from ..store.trigger_rows import TriggerRow
from .errors import TriggerInvalidError
from .schedules import plan
from .trigger_kinds import Cron, Delay, Trigger
from .triggers import fire_of, read, unheard_json

_log = structlog.get_logger("overwinter.triggers")


def due_fires(row: TriggerRow, *, now_ms: int) -> DueFires:
    """What a trigger that is due fires. One that cannot be read fires nothing any more, and says so."""
    due_ms = row.next_due_at_ms or 0
    unheard: str | None = None
    try:
        trigger: Trigger = read(row)
        unheard = unheard_json(trigger)
        match trigger.when:
            case Cron() as cron:
                planned = plan(
                    cron.schedule, due_ms=due_ms, now_ms=now_ms, catch_up=cron.catch_up, at_most=cron.at_most
                )
                runs, next_ms = planned.runs, planned.next_ms
            case Delay():
                runs, next_ms = ((due_ms, 0),), None
            case _:
                runs, next_ms = (), None
    except TriggerInvalidError as error:
        _log.error(error.code, trigger=row.slug, error=str(error))
        runs, next_ms = (), None
    fires = tuple(fire_of(row, key=str(at_ms), at_ms=at_ms, now_ms=now_ms, missed=missed) for at_ms, missed in runs)
    return DueFires(
        trigger_id=row.trigger_id,
        was_due_at_ms=due_ms,
        next_due_at_ms=next_ms,
        fires=fires,
        unheard_json=unheard,
    )


def coming_round(row: TriggerRow, *, now_ms: int) -> DueFires | None:
    """Of a schedule that waits longer than from now, when it is due; None if it does not, or cannot be read.

    A clock that was wrong has fired it, or it could not be read when it was due. What it has fired for it does not fire for again.
    """
    try:
        when = read(row).when
        next_ms = when.schedule.next_ms(now_ms) if isinstance(when, Cron) else None
    except TriggerInvalidError as error:
        _log.error(error.code, trigger=row.slug, error=str(error))
        return None
    due_ms = row.next_due_at_ms
    if next_ms is None or (due_ms is not None and due_ms <= next_ms):
        return None
    return DueFires(trigger_id=row.trigger_id, was_due_at_ms=due_ms, next_due_at_ms=next_ms, fires=())


def shares(changes: Sequence[DueFires], *, most: int) -> Iterator[Sequence[DueFires]]:
    """The changes in parts, in their order, of which each fires no more than so many times and those of its last trigger."""
    share: list[DueFires] = []
    count = 0
    for change in changes:
        share.append(change)
        count += len(change.fires)
        if count >= most:
            yield share
            share, count = [], 0
    if share:
        yield share
