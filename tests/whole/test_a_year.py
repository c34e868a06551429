"""A year of simulated time: sleepers and schedules in zones whose clocks are set, each fire exactly where a slow oracle has it."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from overwinter.actors.clock import ManualClock
from overwinter.actors.run import Run
from overwinter.actors.supervisor_settings import SupervisorSettings
from overwinter.actors.trigger_kinds import Cron, Trigger, trigger_id_of
from overwinter.bots.app import App
from overwinter.bots.testing.kit import Kit
from overwinter.bots.workflows import workflow

pytestmark = pytest.mark.heavy

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


class Year:
    """What the hands of a zone's clocks show in a year, minute by minute: at which moment they show each time first.

    A time that they jump over is shown at the moment they land.
    """

    def __init__(self, zone: str) -> None:
        tz, one = ZoneInfo(zone), timedelta(minutes=1)
        self.shown: dict[datetime, int] = {}
        before: datetime | None = None
        for at_ms in range(BEGIN_MS, BEGIN_MS + YEAR_MS, 60_000):
            hands = datetime.fromtimestamp(at_ms // 1000, tz).replace(tzinfo=None)
            while before is not None and hands - before > one:
                before += one
                self.shown.setdefault(before, at_ms)
            self.shown.setdefault(hands, at_ms)
            before = hands

    def times(self, job: Weekly) -> list[int]:
        wanted = (job.minute, job.hour, job.weekday)
        found = {
            at_ms
            for hands, at_ms in self.shown.items()
            if hands.minute == job.minute and (hands.minute, hands.hour, hands.isoweekday() % 7) == wanted
        }
        return sorted(found - {BEGIN_MS})


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


async def live_a_year(tmp_path: Path, *, sleepers: int, wanted: list[Weekly]) -> None:
    woken: dict[int, int] = {}
    chance = random.Random(sleepers)
    sleeps_ms = [chance.randrange(1, YEAR_MS) for _ in range(sleepers)]
    clock = ManualClock(BEGIN_MS)

    async def note(number: int) -> None:
        woken[number] = clock.now_ms()

    @workflow(version="1")
    async def sleeper(run: Run, number: int) -> None:
        await run.sleep(timedelta(milliseconds=sleeps_ms[number]))
        await run.step(note, number)

    triggers = [Trigger(slug=f"job-{number}", when=job.cron) for number, job in enumerate(wanted)]
    app = App(name="a", workflows=[sleeper], triggers=triggers)
    begun_s = time.perf_counter()
    async with Kit(build=lambda: app, path=tmp_path / "w.db", clock=clock, supervising=PATIENT).running() as kit:
        await kit.settle()
        for number in range(sleepers):
            await kit.runtime.sessions.start(program="sleeper", owner="o", message={"number": number})
        await kit.settle()
        fired: list[set[tuple[int, int]]] = [set() for _ in wanted]
        seen_ms = BEGIN_MS
        while (next_ms := await due_ms(kit)) is not None and next_ms < BEGIN_MS + YEAR_MS:
            await kit.advance(timedelta(milliseconds=next_ms - clock.now_ms()))
            if next_ms - seen_ms > SEEN_EVERY_MS:
                seen_ms = next_ms
                await see_fires(kit, fired)
        await see_fires(kit, fired)
        lived_s = time.perf_counter() - begun_s
    years = {zone: Year(zone) for zone in {job.zone for job in wanted}}
    for job, found in zip(wanted, fired, strict=True):
        assert sorted(found) == [(at_ms, at_ms) for at_ms in years[job.zone].times(job)], job
    assert woken == {number: BEGIN_MS + sleep_ms for number, sleep_ms in enumerate(sleeps_ms)}
    print(f"a year of {sleepers} sleepers and {len(wanted)} schedules was lived in {lived_s:.1f} s")  # noqa: T201


async def see_fires(kit: Kit, fired: list[set[tuple[int, int]]]) -> None:
    """Note when each trigger fired, and for when, before that is forgotten."""
    for number, found in enumerate(fired):
        fires = await kit.store.fires.of(trigger_id_of("default", f"job-{number}"), limit=10_000)
        found.update((fire.scheduled_at_ms, fire.fired_at_ms) for fire in fires)


async def due_ms(kit: Kit) -> int | None:
    """When something is due next."""
    due: list[Any] = [(await kit.store.due()).deadline_ms, await kit.store.triggers.due_ms()]
    return min((each for each in due if each is not None), default=None)


async def test_a_year_of_sleepers_and_schedules_is_as_the_oracle_says(tmp_path: Path) -> None:
    await live_a_year(tmp_path, sleepers=50, wanted=jobs(3, ZONES[:3]))


@pytest.mark.bench
async def test_a_year_of_ten_thousand_sleepers_and_two_hundred_schedules(tmp_path: Path) -> None:
    await live_a_year(tmp_path, sleepers=10_000, wanted=jobs(200, ZONES))
