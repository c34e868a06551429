"""When a cron expression comes round, in a time zone whose clocks are changed. Pure.

A job of a fixed time of day (neither its hours nor its minutes begin with a star) runs once on every day that it is for. Where its
time is skipped, it runs at the first moment after; where its time comes twice, at the first of the two. A job of every minute or
hour follows the hands of the clock: it does not run in a skipped hour, and does in both halves of a double one. So does Debian's
cron.

cronsim says what the hands show when a job is due, on a clock that is never set; which moment that is, is found here. (Its own
handling of zones misses runs where clocks are set by half an hour, and runs jobs of every hour in hours that are skipped.)
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Literal
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from ..store.values import value
from .errors import TriggerInvalidError

CatchUp = Literal["one", "all", "none"]

MOST_COUNTED = 1000
"""Of the times that were missed, so many are counted; of more it is only known that there were as many."""

ON_TIME_MS = 10_000
"""What is fired so much later is still on time: the process was busy, not away."""


@value
class Schedule:
    """A cron expression in a zone.

    Attributes:
        expression: five fields, or six with seconds in front; names of days and months, ``L``, ``#`` and steps as in cronsim.
        zone: an IANA name.
    """

    expression: str
    zone: str

    def check(self) -> None:
        """Raises ``TriggerInvalidError`` (trigger.invalid) for what is no expression, no zone, or never comes round."""
        if self.next_ms(0) is None:
            raise TriggerInvalidError(f"the schedule {self.expression!r} never comes round; give one that does")

    def next_ms(self, after_ms: int) -> int | None:
        """The first time after a moment; None if there is none.

        Raises:
            TriggerInvalidError: (trigger.invalid)
        """
        return next(self.times(after_ms), None)

    def times(self, after_ms: int) -> Iterator[int]:
        """All times after a moment, in order; raises as ``next_ms`` does."""
        zone = zone_of(self.zone)
        after = _moment(after_ms)
        found = self._on_days(zone, after) if self._is_of_day else self._on_hands(zone, after)
        last_ms = after_ms
        for each in found:
            at_ms = round(each.timestamp() * 1000)
            # Two times of the hands may be one moment, where both are skipped.
            if at_ms > last_ms:
                last_ms = at_ms
                yield at_ms

    @property
    def _is_of_day(self) -> bool:
        """Whether it is for a fixed time of the day."""
        return not any(field.startswith("*") for field in self.expression.split()[:-3])

    def _hands(self, after: datetime) -> Iterator[datetime]:
        """What the hands of a clock that is never set show at each time after that, without a zone."""
        try:
            return CronSim(self.expression, after.replace(tzinfo=None))
        except CronSimError as error:
            raise TriggerInvalidError(
                f"{self.expression!r} is no cron expression that ever comes round: {error}. Five fields are expected: minute, "
                "hour, day of month, month, day of week"
            ) from error

    def _on_days(self, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
        for hands in self._hands(after.astimezone(zone) - _LONGEST_JUMP):
            first, second = (hands.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
            is_skipped = second < first
            yield _change(zone, second, first) if is_skipped else first

    def _on_hands(self, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
        """Between two settings of the clocks the hands go as those of any clock."""
        before = timedelta()
        shown_again_until = after + _LONGEST_JUMP
        while True:
            offset = _offset(zone, after)
            until = _change(zone, after, after + _PART)
            due = None
            for hands in self._hands(after + offset - before):
                due = hands.replace(tzinfo=UTC) - offset
                if due >= until:
                    break
                shown_again_until = due + _LONGEST_JUMP
                yield due
            if due is None or due < until:
                return
            # What the hands have just shown they may show again, wherever they go from there.
            after = until if until < shown_again_until else max(until, due - _LONGEST_JUMP)
            before = timedelta(seconds=1)  # from now on the moment where the part begins counts as well


_PART = timedelta(hours=12)
_LONGEST_JUMP = timedelta(hours=26)
"""No clocks are ever set by more: Samoa once left out a day."""


def _offset(zone: ZoneInfo, moment: datetime) -> timedelta:
    return moment.astimezone(zone).utcoffset() or timedelta()


def _change(zone: ZoneInfo, begin: datetime, end: datetime) -> datetime:
    """The first moment, to the second, at which the clocks go otherwise than at the beginning; the end if they do not."""
    offset = _offset(zone, begin)
    if _offset(zone, end) == offset:
        return end
    while end - begin > timedelta(seconds=1):
        middle = (begin + (end - begin) / 2).replace(microsecond=0)
        if middle <= begin:
            break
        if _offset(zone, middle) == offset:
            begin = middle
        else:
            end = middle
    return end


def _moment(at_ms: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at_ms)


@value
class Plan:
    """What a schedule asks for now.

    Attributes:
        runs: the times to fire for, each with how many before it were passed over.
        next_ms: when to look again; None if never.
    """

    runs: tuple[tuple[int, int], ...]
    next_ms: int | None


def plan(schedule: Schedule, *, due_ms: int, now_ms: int, catch_up: CatchUp, at_most: int) -> Plan:
    """What to fire of all times from ``due_ms``, the first that was not fired for, until now.

    ``one`` fires for the last of them. ``all`` fires for each, but for the last ``at_most`` if there are more. ``none`` fires for
    the last if it is not longer ago than ``ON_TIME_MS``. The times to come are not moved by any of them.
    """
    times = [due_ms, *islice(_until(schedule.times(due_ms), now_ms), MOST_COUNTED)]
    if len(times) > MOST_COUNTED:
        times = _last_times(schedule, now_ms=now_ms, count=MOST_COUNTED)
    next_ms = schedule.next_ms(max(now_ms, due_ms))
    count = len(times)
    match catch_up:
        case "one":
            runs = ((times[-1], count - 1),)
        case "all":
            runs = tuple(
                (at_ms, max(0, count - at_most) if at == 0 else 0) for at, at_ms in enumerate(times[-at_most:])
            )
        case "none":
            runs = ((times[-1], count - 1),) if now_ms - times[-1] <= ON_TIME_MS else ()
    return Plan(runs=runs, next_ms=next_ms)


def _until(times: Iterator[int], until_ms: int) -> Iterator[int]:
    for at_ms in times:
        if at_ms > until_ms:
            return
        yield at_ms


def _last_times(schedule: Schedule, *, now_ms: int, count: int) -> list[int]:
    """The last times before now, ``count`` of them: looked for from further and further back."""
    back_ms = 1000 * count
    while True:
        times = list(_until(schedule.times(now_ms - back_ms), now_ms))
        if len(times) >= count:
            return times[-count:]
        back_ms *= 4


def zone_of(name: str) -> ZoneInfo:
    """A time zone by its IANA name. An unknown one is an error, never UTC.

    Raises:
        TriggerInvalidError: (trigger.invalid)
    """
    try:
        if name != name.strip() or not name:
            raise ValueError("it is empty, or has spaces around it")
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise TriggerInvalidError(
            f"there is no time zone {name!r} here ({error}). Give an IANA name such as Europe/Berlin; if that is one, "
            "install the package tzdata"
        ) from error
