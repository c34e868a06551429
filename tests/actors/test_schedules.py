"""When schedules come round: daylight saving, rare and impossible dates, zones; and a year against a slow oracle."""

from __future__ import annotations

import random
import sys
import time
import zoneinfo
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from overwinter.actors.errors import TriggerInvalidError
from overwinter.actors.schedules import MOST_COUNTED, ON_TIME_MS, Schedule, plan, zone_of


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1000)


def utc(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def runs(expression: str, zone: str, begin: str, count: int) -> list[str]:
    times = Schedule(expression=expression, zone=zone).times(ms(begin))
    return [utc(at_ms) for at_ms in islice(times, count)]


@pytest.mark.case("ti01")
def test_a_daily_time_that_is_skipped_runs_once_as_soon_as_the_clocks_are_set() -> None:
    assert runs("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00+01:00", 3) == [
        "2026-03-29T01:00:00Z",
        "2026-03-30T00:30:00Z",
        "2026-03-31T00:30:00Z",
    ]


@pytest.mark.case("ti02")
def test_a_daily_time_that_comes_twice_runs_at_the_first() -> None:
    assert runs("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00+02:00", 2) == [
        "2026-10-25T00:30:00Z",
        "2026-10-26T01:30:00Z",
    ]


def test_a_time_of_every_half_hour_follows_the_hands_through_a_double_hour() -> None:
    assert runs("*/30 2 * * *", "Europe/Berlin", "2026-10-25T01:59:00+02:00", 4) == [
        "2026-10-25T00:00:00Z",
        "2026-10-25T00:30:00Z",
        "2026-10-25T01:00:00Z",
        "2026-10-25T01:30:00Z",
    ]


@pytest.mark.case("ti06")
@pytest.mark.parametrize("expression", ["0 9 30 2 *", "0 9 31 4 *", "0 9 31 2,4,6,9,11 *"])
def test_a_date_that_never_comes_is_refused(expression: str) -> None:
    with pytest.raises(TriggerInvalidError) as raised:
        Schedule(expression=expression, zone="UTC").check()
    assert raised.value.code == "trigger.invalid"


@pytest.mark.case("ti06")
def test_rare_dates_are_found_soon() -> None:
    begun_s = time.perf_counter()
    begin = "2026-03-01T00:00:00+00:00"
    assert runs("0 9 29 2 *", "UTC", begin, 2) == ["2028-02-29T09:00:00Z", "2032-02-29T09:00:00Z"]
    assert [run[:10] for run in runs("0 9 31 * *", "UTC", begin, 3)] == ["2026-03-31", "2026-05-31", "2026-07-31"]
    assert [run[:10] for run in runs("0 0 L * *", "UTC", begin, 3)] == ["2026-03-31", "2026-04-30", "2026-05-31"]
    assert time.perf_counter() - begun_s < 1.0


@pytest.mark.case("ti08")
def test_every_tenth_day_begins_anew_with_each_month() -> None:
    assert runs("0 0 */10 * *", "UTC", "2026-02-21T00:00:01+00:00", 2) == [
        "2026-03-01T00:00:00Z",
        "2026-03-11T00:00:00Z",
    ]


@pytest.mark.case("ti12")
@pytest.mark.parametrize("name", ["Mars/Base", "", "CET ", " UTC", "../UTC", "/etc/localtime", "Europe"])
def test_a_zone_that_is_not_there_is_refused_and_never_utc(name: str) -> None:
    with pytest.raises(TriggerInvalidError, match="there is no time zone"):
        Schedule(expression="0 9 * * *", zone=name).check()


RARE_ZONES = ("Pacific/Chatham", "US/Aleutian")
"""Zones that no other test holds: what is made of a zone before it is forgotten and after are two."""


@pytest.mark.case("ti12")
def test_without_a_database_of_zones_each_zone_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    tzpath = zoneinfo.TZPATH
    for name in ["tzdata", *(name for name in sys.modules if name.startswith("tzdata."))]:
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "tzdata", None)
    try:
        zoneinfo.reset_tzpath(to=[])
        ZoneInfo.clear_cache(only_keys=RARE_ZONES)
        for name in RARE_ZONES:
            with pytest.raises(TriggerInvalidError, match="install the package tzdata"):
                zone_of(name)
    finally:
        zoneinfo.reset_tzpath(to=tzpath)
        ZoneInfo.clear_cache(only_keys=RARE_ZONES)


@pytest.mark.case("ti12")
def test_with_the_package_of_zones_alone_old_names_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    tzpath = zoneinfo.TZPATH
    try:
        zoneinfo.reset_tzpath(to=[])
        ZoneInfo.clear_cache(only_keys=RARE_ZONES)
        assert zone_of("US/Aleutian").utcoffset(datetime(2026, 7, 1)) == timedelta(hours=-9)  # noqa: DTZ001
    finally:
        zoneinfo.reset_tzpath(to=tzpath)
        ZoneInfo.clear_cache(only_keys=RARE_ZONES)


@pytest.mark.parametrize(
    ("expression", "zone", "after", "expected"),
    [
        # The last hour of a Sunday comes twice, and no other hour of a Sunday for a week.
        ("*/30 * * * 0", "Africa/Juba", "2021-01-31T20:45:00Z", ["2021-01-31T21:00:00Z", "2021-01-31T21:30:00Z"]),
        # The clocks are set more than half a day after the time from which it is looked.
        ("*/30 23 31 1 *", "Africa/Juba", "2021-01-31T08:00:00Z", ["2021-01-31T20:00:00Z", "2021-01-31T20:30:00Z"]),
        (
            "*/20 0 29 10 *",
            "America/St_Johns",
            "2006-10-29T02:20:00Z",
            ["2006-10-29T02:30:00Z", "2006-10-29T03:30:00Z"],
        ),
    ],
)
def test_a_time_that_the_hands_show_again_as_its_day_ends_is_not_jumped_over(
    expression: str, zone: str, after: str, expected: list[str]
) -> None:
    assert runs(expression, zone, after, len(expected)) == expected


@pytest.mark.parametrize(
    "expression", ["", "* * * *", "61 * * * *", "@daily", "a b c d e", "* * * * * * *", "*/0 * * * *"]
)
def test_what_is_no_expression_is_refused(expression: str) -> None:
    with pytest.raises(TriggerInvalidError, match="minute, hour, day of month"):
        Schedule(expression=expression, zone="UTC").check()


# -- what was missed ---------------------------------------------------------------------------------------------------
MINUTELY = Schedule(expression="* * * * *", zone="UTC")


def test_a_time_that_is_fired_a_little_late_is_not_missed() -> None:
    due_ms = ms("2026-03-02T12:00:00+00:00")
    for catch_up in ("one", "all", "none"):
        planned = plan(MINUTELY, due_ms=due_ms, now_ms=due_ms + ON_TIME_MS, catch_up=catch_up, at_most=10)
        assert planned.runs == ((due_ms, 0),)
        assert planned.next_ms == due_ms + 60_000
    late = plan(MINUTELY, due_ms=due_ms, now_ms=due_ms + ON_TIME_MS + 1, catch_up="none", at_most=10)
    assert late.runs == ()


def test_years_of_missed_minutes_are_planned_at_once() -> None:
    due_ms, now_ms = ms("2016-03-02T12:00:00+00:00"), ms("2026-03-02T12:00:30+00:00")
    begun_s = time.perf_counter()
    planned = plan(MINUTELY, due_ms=due_ms, now_ms=now_ms, catch_up="one", at_most=10)
    assert planned.runs == ((ms("2026-03-02T12:00:00+00:00"), MOST_COUNTED - 1),)
    assert planned.next_ms == ms("2026-03-02T12:01:00+00:00")
    assert time.perf_counter() - begun_s < 1.0


# -- a year against an oracle ------------------------------------------------------------------------------------------
ZONES = (
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",  # set by half an hour
    "America/Sao_Paulo",  # no changes any more
    "Asia/Kathmandu",  # a quarter of an hour off
    "Africa/Casablanca",  # set back for a month, by the moon
    "Pacific/Apia",
    "America/Santiago",  # set at midnight: the day begins at one
    "Antarctica/Troll",  # set by two hours
    "Asia/Gaza",
    "UTC",
)


def oracle(fields: list[set[int]], zone: str, begin: datetime, end: datetime, *, is_fixed: bool) -> list[int]:
    """Slow and obvious: walk every minute of real time, and look at the hands of the clock.

    A job of a fixed time is done once a day: at its time or, where the hands jump over that, at the minute they land on.
    """
    tz = ZoneInfo(zone)
    minutes, hours, days, months, weekdays = fields
    found: list[int] = []
    done: set[Any] = set()
    now = begin
    before: datetime | None = None
    while now < end:
        hands = now.astimezone(tz).replace(tzinfo=None)
        shown = [hands]
        if is_fixed and before is not None and hands - before > timedelta(minutes=1):
            skipped = int((hands - before) / timedelta(minutes=1)) - 1
            shown = [before + timedelta(minutes=1 + each) for each in range(skipped)] + [hands]
        for each in shown:
            fits = each.minute in minutes and each.hour in hours and each.month in months
            fits = fits and each.day in days and each.isoweekday() % 7 in weekdays
            if fits and not (is_fixed and each in done):
                done.add(each)
                at_ms = int(now.timestamp() * 1000)
                if not found or found[-1] != at_ms:
                    found.append(at_ms)
        before = hands
        now += timedelta(minutes=1)
    return found


def expressions(seed: int) -> list[tuple[str, list[set[int]], bool]]:
    """Expressions of fixed times near where clocks are set, and of times that come round, with what they mean."""
    chance = random.Random(seed)
    every = [set(range(60)), set(range(24)), set(range(1, 32)), set(range(1, 13)), set(range(7))]
    found: list[tuple[str, list[set[int]], bool]] = []
    hour = 2
    for _ in range(2):
        minute, hour = chance.randrange(60), chance.choice([0, 0, 1, 1, 2, 2, 3, 23])
        found.append((f"{minute} {hour} * * *", [{minute}, {hour}, *every[2:]], True))
    minute, step = chance.choice([0, 15, 30]), chance.choice([2, 3, 6])
    found.append((f"{minute} */{step} * * *", [{minute}, set(range(0, 24, step)), *every[2:]], False))
    found.append((f"*/20 {hour} * * 0", [{0, 20, 40}, {hour}, every[2], every[3], {0}], False))
    return found


def changes_of(zone: str, year: int) -> list[datetime]:
    """The hours around which the zone's clocks are set in a year."""
    tz, found = ZoneInfo(zone), list[datetime]()
    hour = datetime(year, 1, 1, tzinfo=UTC)
    while hour.year == year:
        if hour.astimezone(tz).utcoffset() != (hour + timedelta(hours=1)).astimezone(tz).utcoffset():
            found.append(hour)
        hour += timedelta(hours=1)
    return found


@pytest.mark.parametrize("zone", ZONES)
def test_around_every_change_of_clocks_the_times_are_those_of_the_oracle(zone: str) -> None:
    moments = [*changes_of(zone, 2026), datetime(2026, 6, 15, tzinfo=UTC)]
    for at, change in enumerate(moments):
        begin, end = change - timedelta(hours=30), change + timedelta(hours=30)
        for expression, fields, is_fixed in expressions(seed=at):
            expected = oracle(fields, zone, begin, end, is_fixed=is_fixed)
            begin_ms, end_ms = int(begin.timestamp() * 1000), int(end.timestamp() * 1000)
            times = Schedule(expression=expression, zone=zone).times(begin_ms - 1000)
            found = [at_ms for at_ms in islice(times, 500) if at_ms < end_ms]
            assert [*map(utc, found)] == [*map(utc, expected)], (expression, zone, change)
