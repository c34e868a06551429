"""A year of simulated time: sleepers and schedules in zones whose clocks are set, each fire exactly where a slow oracle has it."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from overwinter.actors.clock import ManualClock
from overwinter.actors.run import Run
from overwinter.actors.supervisor_settings import SupervisorSettings
from overwinter.actors.trigger_kinds import Cron, Trigger, trigger_id_of
from overwinter.bots.app import App
from overwinter.bots.testing.kit import Kit
from overwinter.bots.workflows import workflow

from .idle_loop import IdleLoop

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
END = datetime(2027, 1, 1, tzinfo=UTC)
YEAR_MS = int((END - BEGIN).total_seconds() * 1000)
BEGIN_MS = int(BEGIN.timestamp() * 1000)

ZONES = (
    "Europe/Berlin",
    "Australia/Lord_Howe",
    "America/Santiago",
    "Africa/Casablanca",
    "Antarctica/Troll",
    "America/New_York",
    "Asia/Kathmandu",
    "Pacific/Chatham",
)

SEEN_EVERY_MS = 20 * 86_400_000
AT_ONCE = 250

# Nothing but what is due makes this supervisor look: what it missed would show.
PATIENT = SupervisorSettings(poll_s=4e7, heartbeat_s=1e7, lease_s=4e7, sweep_s=4e7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Weekly:
    """At one time of the day of one weekday, Sunday being 0: clocks are set on Sundays."""

    zone: str
    minute: int
    hour: int
    weekday: int

    @property
    def cron(self) -> Cron:
        return Cron(expression=f"{self.minute} {self.hour} * * {self.weekday}", zone=self.zone, catch_up="all")


def times_of(zone: str, wanted: Iterable[Weekly]) -> dict[Weekly, list[int]]:
    """When some schedules of a zone are to fire in the year: at the first minute at which the hands of its clocks show their time.

    It watches the hands minute by minute. A time that they jump over is shown at the moment they land.
    """
    tz, one = ZoneInfo(zone), timedelta(minutes=1)
    found: dict[Weekly, dict[datetime, int]] = {job: {} for job in wanted}
    showing: dict[tuple[int, int, int], list[Weekly]] = {}
    for job in found:
        showing.setdefault((job.minute, job.hour, job.weekday), []).append(job)
    minutes = {job.minute for job in found}
    before = datetime.fromtimestamp(BEGIN_MS // 1000, tz).replace(tzinfo=None)
    for at_ms in range(BEGIN_MS + 60_000, BEGIN_MS + YEAR_MS, 60_000):
        hands = datetime.fromtimestamp(at_ms // 1000, tz).replace(tzinfo=None)
        shown = [hands]
        while hands - (before := before + one) > timedelta(0):
            shown.append(before)
        for each in shown:
            if each.minute in minutes:
                for job in showing.get((each.minute, each.hour, each.isoweekday() % 7), ()):
                    found[job].setdefault(each, at_ms)
        before = hands
    return {job: sorted({*times.values()}) for job, times in found.items()}


def jobs(count: int, zones: Sequence[str]) -> list[Weekly]:
    chance = random.Random(count)
    return [
        Weekly(
            zone=zones[number % len(zones)],
            minute=chance.choice([0, 5, 15, 30, 45, 59]),
            hour=chance.choice([0, 1, 2, 2, 3]),
            weekday=0 if number % 3 else chance.randrange(7),
        )
        for number in range(count)
    ]


def live_a_year(tmp_path: Path, *, sleepers: int, wanted: list[Weekly]) -> None:
    chance = random.Random(sleepers)
    sleeps_ms = [chance.randrange(1, YEAR_MS) for _ in range(sleepers)]
    by_zone = {zone: [job for job in wanted if job.zone == zone] for zone in {job.zone for job in wanted}}
    times: dict[Weekly, list[int]] = {}
    for zone, of_zone in by_zone.items():
        times |= times_of(zone, of_zone)
    moments = {at_ms for each in times.values() for at_ms in each} | {BEGIN_MS + sleep_ms for sleep_ms in sleeps_ms}
    begun_s = time.perf_counter()
    with asyncio.Runner(loop_factory=IdleLoop) as runner:
        woken, fired = runner.run(live(tmp_path, sorted(moments), sleeps_ms=sleeps_ms, wanted=wanted))
    lived_s = time.perf_counter() - begun_s
    for job, found in zip(wanted, fired, strict=True):
        assert sorted(found) == [(at_ms, at_ms) for at_ms in times[job]], job
    assert woken == {number: BEGIN_MS + sleep_ms for number, sleep_ms in enumerate(sleeps_ms)}
    print(f"a year of {sleepers} sleepers and {len(wanted)} schedules was lived in {lived_s:.1f} s")  # noqa: T201


async def live(
    tmp_path: Path, moments: Iterable[int], *, sleeps_ms: Sequence[int], wanted: list[Weekly]
) -> tuple[dict[int, int], list[set[tuple[int, int]]]]:
    """When each sleeper woke; and of each schedule for when and when it fired, if the clock stops at those moments alone."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, IdleLoop)
    woken: dict[int, int] = {}
    clock = ManualClock(BEGIN_MS)

    @workflow(version="1")
    async def sleeper(run: Run, number: int) -> None:
        await run.sleep(timedelta(milliseconds=sleeps_ms[number]))
        woken.setdefault(number, clock.now_ms())

    triggers = [Trigger(slug=f"job-{number}", when=job.cron) for number, job in enumerate(wanted)]
    app = App(name="a", workflows=[sleeper], triggers=triggers)
    async with Kit(build=lambda: app, path=tmp_path / "w.db", clock=clock, supervising=PATIENT).running() as kit:
        await loop.idle()
        sessions = kit.runtime.sessions
        for first in range(0, len(sleeps_ms), AT_ONCE):
            numbers = range(first, min(first + AT_ONCE, len(sleeps_ms)))
            await asyncio.gather(
                *(sessions.start(program="sleeper", owner="o", message={"number": number}) for number in numbers)
            )
        await loop.idle()
        fired: list[set[tuple[int, int]]] = [set() for _ in wanted]
        seen_ms = BEGIN_MS
        for at_ms in (*moments, BEGIN_MS + YEAR_MS - 1):
            await clock.advance(ms=at_ms - clock.now_ms())
            await loop.idle()
            if at_ms - seen_ms > SEEN_EVERY_MS:
                seen_ms = at_ms
                await see_fires(kit, fired)
        await see_fires(kit, fired)
    return woken, fired


async def see_fires(kit: Kit, fired: list[set[tuple[int, int]]]) -> None:
    """Note when each trigger fired, and for when, before that is forgotten."""
    for number, found in enumerate(fired):
        fires = await kit.store.fires.of(trigger_id_of("default", f"job-{number}"), limit=10_000)
        found.update((fire.scheduled_at_ms, fire.fired_at_ms) for fire in fires)


@pytest.mark.heavy
@pytest.mark.usefixtures("as_served")
def test_a_year_of_ten_thousand_sleepers_and_two_hundred_schedules(tmp_path: Path) -> None:
    live_a_year(tmp_path, sleepers=10_000, wanted=jobs(200, ZONES))
