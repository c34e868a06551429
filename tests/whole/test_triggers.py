"""Triggers: what fires when, who is woken, told and started by it, and what becomes of what was missed."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from overwinter.actors.clock import ManualClock
from overwinter.actors.errors import TriggerDeclaredError, TriggerInvalidError, TriggerTakenError, TriggerUnknownError
from overwinter.actors.firing import AT_ONCE, LOOK_EVERY_S
from overwinter.actors.ids import RandomIds
from overwinter.actors.jsontext import from_json, to_json
from overwinter.actors.rounds import due_fires, shares
from overwinter.actors.run import Run
from overwinter.actors.supervisor_settings import SupervisorSettings
from overwinter.actors.trigger_kinds import (
    ChannelMessage,
    Cron,
    Delay,
    FileChange,
    Starts,
    Trigger,
    Webhook,
    digest_of,
    fire_id_of,
    spec_to_json,
    trigger_id_of,
)
from overwinter.actors.triggers import Triggers
from overwinter.actors.webhooks import Webhooks
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.errors import AssemblyError
from overwinter.bots.runtime import Runtime
from overwinter.bots.scripted_model import ScriptedModel, calls, calls_all, says
from overwinter.bots.testing.kit import Kit
from overwinter.bots.workflows import workflow
from overwinter.store.fires import DueFires
from overwinter.store.rows import PauseRow
from overwinter.store.store import Store
from overwinter.store.trigger_rows import FireRow, TriggerRow

NOON_MS = int(datetime(2026, 3, 2, 12, 0, 30, tzinfo=UTC).timestamp() * 1000)
EVERY_MINUTE = Cron(expression="* * * * *")


class World:
    """An app that keeps what its workflow was started with; runs of ``slow`` last three seconds."""

    def __init__(self, *triggers: Trigger, script: ScriptedModel | None = None) -> None:
        self.triggers = triggers
        self.started: list[Any] = []
        self.running = 0
        self.most_running = 0
        self.script = script or ScriptedModel.by_turn([calls("subscribe_to_trigger", {"trigger": "go"}), says("Gone.")])

    def app(self) -> App:
        async def keep(fire: dict[str, Any]) -> None:
            self.started.append(fire)

        async def count(by: int) -> None:
            self.running += by
            self.most_running = max(self.running, self.most_running)

        @workflow(version="1")
        async def report(run: Run, fire: dict[str, Any], title: str = "") -> None:
            await run.step(keep, {**fire, "title": title})

        @workflow(version="1")
        async def slow(run: Run, fire: dict[str, Any]) -> None:
            await run.step(count, 1)
            await run.step(keep, fire)
            await run.sleep(timedelta(seconds=3))
            await run.step(count, -1)

        @workflow(version="1")
        async def close_books(run: Run) -> None:
            await run.step(keep, {})

        @workflow(version="1")
        async def remind(run: Run, title: str, at_most: int = 1) -> None:
            await run.step(keep, {"title": title, "at_most": at_most})

        agent = Agent(name="b", toolsets=["workspace_ext"], model=self.script)
        return App(name="a", agents=[agent], workflows=[report, slow, close_books, remind], triggers=self.triggers)


def kit_of(world: World, tmp_path: Path) -> Kit:
    return Kit(build=world.app, path=tmp_path / "w.db", clock=ManualClock(NOON_MS))


async def fires(kit: Kit, slug: str) -> list[FireRow]:
    """Oldest first."""
    return [*reversed(await kit.runtime.triggers.fires_of("default", slug, limit=1000))]


def times(found: list[FireRow]) -> list[str]:
    return [datetime.fromtimestamp(fire.scheduled_at_ms / 1000, UTC).strftime("%H:%M:%S") for fire in found]


async def result_of(kit: Kit, session_id: str) -> Any:
    return from_json((await kit.tool_results(session_id))["call_1"])


# -- starting ----------------------------------------------------------------------------------------------------------
async def test_a_cron_trigger_starts_a_session_at_each_of_its_times(tmp_path: Path) -> None:
    world = World(Trigger(slug="go", when=EVERY_MINUTE, starts=Starts(bot="report", message={"title": "daily"})))
    async with kit_of(world, tmp_path).running() as kit:
        await kit.settle()
        assert await fires(kit, "go") == []
        for _ in range(3):
            await kit.advance(timedelta(seconds=60))
        assert times(await fires(kit, "go")) == ["12:01:00", "12:02:00", "12:03:00"]
        assert [fire["title"] for fire in world.started] == ["daily"] * 3
        assert world.started[0]["scheduled_at"] == "2026-03-02T12:01:00.000Z"
        assert [fire.outcome_json and from_json(fire.outcome_json)["started"] for fire in await fires(kit, "go")] == [
            fire.session_id for fire in await fires(kit, "go")
        ]


@pytest.mark.parametrize(
    ("starts", "kept"),
    [
        (Starts(bot="close_books"), {}),
        (Starts(bot="remind", message={"title": "rent"}), {"title": "rent", "at_most": 1}),
        (Starts(bot="remind", message='{"title": "rent", "at_most": 2}'), {"title": "rent", "at_most": 2}),
    ],
)
async def test_a_workflow_without_an_argument_for_the_fire_is_started_without_it(
    tmp_path: Path, starts: Starts, kept: dict[str, Any]
) -> None:
    world = World(Trigger(slug="go", when=Delay(after=timedelta(seconds=1)), starts=starts))
    async with kit_of(world, tmp_path).running() as kit:
        await kit.settle()
        await kit.advance(timedelta(seconds=1))
        assert world.started == [kept]


async def test_what_a_workflow_cannot_begin_with_starts_no_session_and_the_fire_says_why(tmp_path: Path) -> None:
    starts = Starts(bot="remind", message={"titel": "rent"})
    world = World(Trigger(slug="go", when=Delay(after=timedelta(seconds=1)), starts=starts))
    async with kit_of(world, tmp_path).running() as kit:
        await kit.settle()
        await kit.advance(timedelta(seconds=1))
        (fire,) = await fires(kit, "go")
        assert fire.outcome_json is not None
        outcome = from_json(fire.outcome_json)
        assert outcome["started"] is None
        assert outcome["not_started"].startswith(
            "tool.invalid-arguments: The arguments of remind do not fit: title: is required"
        )
        assert await kit.store.sessions(tenant=None, statuses=None, limit=10) == ()
        assert world.started == []


async def test_a_delay_fires_once_and_never_again(tmp_path: Path) -> None:
    world = World(Trigger(slug="go", when=Delay(after=timedelta(hours=2)), starts=Starts(bot="report")))
    kit = kit_of(world, tmp_path)
    async with kit.running():
        await kit.settle()
        await kit.advance(timedelta(minutes=119))
        assert world.started == []
        await kit.restart()  # declared again, it keeps its place in time
        await kit.advance(timedelta(minutes=1))
        assert len(world.started) == 1
        await kit.restart()
        await kit.advance(timedelta(days=3))
        assert len(world.started) == 1


async def test_two_supervisors_fire_each_time_once(tmp_path: Path) -> None:
    world = World(Trigger(slug="go", when=EVERY_MINUTE, starts=Starts(bot="report")))
    async with kit_of(world, tmp_path).running() as kit, kit.beside() as other:
        for _ in range(5):
            await kit.clock.advance(ms=60_000)
            await kit.settle(other)
        assert len(await fires(kit, "go")) == 5
        assert len(world.started) == 5


async def test_a_fire_that_was_not_told_before_the_process_died_is_told_by_the_next(tmp_path: Path) -> None:
    world = World(Trigger(slug="go", when=Delay(after=timedelta(seconds=5)), starts=Starts(bot="report")))
    kit = kit_of(world, tmp_path)
    async with kit.running():
        await kit.settle()
        row = await kit.runtime.triggers.get("default", "go")
        await kit.runtime.store.fires.fire_due([due_fires(row, now_ms=kit.clock.now_ms())])
        await kit.restart()
        await kit.settle()
        await kit.advance(timedelta(seconds=10))
        assert len(world.started) == 1


# -- what was missed ---------------------------------------------------------------------------------------------------
@pytest.mark.case("ti04")
@pytest.mark.parametrize(
    ("cron", "expected", "missed"),
    [
        (Cron(expression="* * * * *", catch_up="one"), ["15:00:00"], [179]),
        (Cron(expression="* * * * *", catch_up="none"), [], []),
        (
            Cron(expression="* * * * *", catch_up="all", at_most=10),
            [f"14:{minute}:00" for minute in range(51, 60)] + ["15:00:00"],
            [170] + [0] * 9,
        ),
    ],
)
async def test_times_missed_while_nothing_ran_are_caught_up_as_the_trigger_says(
    tmp_path: Path, cron: Cron, expected: list[str], missed: list[int]
) -> None:
    world = World(Trigger(slug="go", when=cron, starts=Starts(bot="report", at_once=100)))
    kit = kit_of(world, tmp_path)
    async with kit.running():
        await kit.settle()
    await kit.clock.advance(ms=10_800_000)
    async with kit.running():
        await kit.settle()
        assert times(await fires(kit, "go")) == expected
        assert [fire.missed for fire in await fires(kit, "go")] == missed
        assert [fire["missed"] for fire in world.started] == missed
        # The next one comes at its own time.
        await kit.advance(timedelta(seconds=29))
        assert len(await fires(kit, "go")) == len(expected)
        await kit.advance(timedelta(seconds=1))
        assert times(await fires(kit, "go"))[len(expected) :] == ["15:01:00"]


@pytest.mark.case("ti19")
@pytest.mark.parametrize(
    ("overlap", "at_once", "most", "starts_at_least"), [("skip", 1, 1, 4), ("queue", 1, 1, 6), ("skip", 2, 2, 9)]
)
async def test_a_run_longer_than_its_interval_is_never_more_often_at_work_than_it_may(
    tmp_path: Path, overlap: Any, at_once: int, most: int, starts_at_least: int
) -> None:
    """Skipped, the next run starts at the next time after the one before has ended; queued, as soon as it has."""
    every_2_s = Cron(expression="*/2 * * * * *")
    world = World(Trigger(slug="go", when=every_2_s, starts=Starts(bot="slow", overlap=overlap, at_once=at_once)))
    async with kit_of(world, tmp_path).running() as kit:
        await kit.settle()
        for _ in range(40):
            await kit.advance(timedelta(seconds=0.5))
        found = await fires(kit, "go")
        assert len(found) == 10
        assert world.most_running == most
        assert len(world.started) >= starts_at_least
        outcomes = [from_json(fire.outcome_json)["not_started"] for fire in found if fire.outcome_json]
        assert ("overlap" in outcomes) == (overlap == "skip" and at_once == 1)
        if overlap == "queue":
            for _ in range(60):
                await kit.advance(timedelta(seconds=0.5))
            assert world.most_running == 1
            first_ten = {fire["fire_id"] for fire in world.started}
            assert {fire.fire_id for fire in found[:9]} <= first_ten


@pytest.mark.case("ti04")
@pytest.mark.case("ti19")
@pytest.mark.parametrize("at_once", [1, 2])
async def test_what_is_caught_up_and_queued_runs_once_each_in_its_order_through_a_restart_and_beside_another(
    tmp_path: Path, at_once: int
) -> None:
    every = Cron(expression="* * * * *", catch_up="all", at_most=5)
    starts = Starts(bot="slow", overlap="queue", at_once=at_once)
    world = World(Trigger(slug="go", when=every, starts=starts))
    kit = kit_of(world, tmp_path)
    async with kit.running():
        await kit.settle()
        await deployed_anew(kit, world, *world.triggers, after=timedelta(hours=1))
        await kit.advance(timedelta(seconds=2))
        await kit.restart()
        async with kit.beside() as other:
            for _ in range(40):
                await kit.clock.advance(ms=500)
                await kit.settle(other)
        found = await fires(kit, "go")
        assert times(found) == ["12:56:00", "12:57:00", "12:58:00", "12:59:00", "13:00:00"]
        assert [fire["fire_id"] for fire in world.started] == [fire.fire_id for fire in found]
        assert world.most_running == at_once


# -- waking ------------------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("P22")
async def test_a_session_that_waits_for_a_trigger_is_woken_once_and_told_what_fired(tmp_path: Path) -> None:
    world = World(Trigger(slug="go", when=Cron(expression="0 13 * * *", zone="Europe/Berlin")))
    kit = kit_of(world, tmp_path)
    async with kit.running():
        session_id = await kit.start("b", "wait", surface="workspace")
        [pause] = await kit.pending(session_id)
        assert (pause.kind, pause.role) == ("trigger", "go")
        await kit.advance(timedelta(minutes=30))
        await kit.restart()
        await kit.runtime.triggers.fire(await kit.runtime.triggers.get("default", "go"), key="k1", payload={"n": 1})
        await kit.settle()
        trigger_id = trigger_id_of("default", "go")
        assert await result_of(kit, session_id) == {
            "status": "done",
            "elapsed_s": 1800.0,
            "trigger_id": trigger_id,
            "slug": "go",
            "kind": "cron",
            "fire_id": fire_id_of(trigger_id, "k1"),
            "fired_at": "2026-03-02T12:30:30.000Z",
            "scheduled_at": "2026-03-02T12:30:30.000Z",
            "missed": 0,
            "payload": {"n": 1},
        }
        assert await kit.pending() == ()
        [fire] = await fires(kit, "go")
        assert (fire.status, from_json(fire.outcome_json or "")["woken"]) == ("done", 1)
        # One wait, one fire: the next fire finds nobody.
        await kit.advance(timedelta(milliseconds=1))
        await kit.runtime.triggers.fire(await kit.runtime.triggers.get("default", "go"), key="k2")
        await kit.settle()
        assert from_json((await fires(kit, "go"))[1].outcome_json or "")["woken"] == 0


async def test_a_fire_of_another_process_is_told_within_a_moment_however_lately_it_was_looked(tmp_path: Path) -> None:
    """The poll would take an hour: what tells is the hint, which comes right after a look."""
    world = World(Trigger(slug="go", when=Delay(after=timedelta(days=9))))
    rarely = SupervisorSettings(poll_s=3_600)
    kit = Kit(build=world.app, path=tmp_path / "w.db", clock=ManualClock(NOON_MS), supervising=rarely)
    async with kit.running():
        session_id = await kit.start("b", "wait", surface="workspace")
        await kit.settle()
        other = await Store.open(tmp_path / "w.db")
        command = Triggers(triggers=other.triggers, fires=other.fires, clock=kit.clock, ids=RandomIds(), fired=nothing)
        heard = kit.store.subscribe()
        await heard.wait()
        fired = await command.fire(await command.get("default", "go"))
        await heard.wait()
        heard.close()
        await other.aclose()
        await kit.settle()
        assert await kit.pending(session_id) != (), "it has just been looked"
        await kit.advance(timedelta(seconds=LOOK_EVERY_S))
        assert (await result_of(kit, session_id))["fire_id"] == fired.fire_id


def nothing() -> None:
    pass


@pytest.mark.behaviour("P17")
async def test_everybody_who_waits_for_a_trigger_is_woken_by_one_fire(tmp_path: Path) -> None:
    world = World(Trigger(slug="go", when=Delay(after=timedelta(minutes=5))))
    async with kit_of(world, tmp_path).running() as kit:
        sessions = [await kit.start("b", "wait", surface="workspace") for _ in range(7)]
        await kit.advance(timedelta(minutes=5))
        results = [await result_of(kit, session_id) for session_id in sessions]
        assert len({result["fire_id"] for result in results}) == 1
        assert [(await kit.session(session_id)).status for session_id in sessions] == ["idle"] * 7


@pytest.mark.behaviour("P22")
async def test_a_fire_that_comes_while_the_session_goes_to_sleep_wakes_it(tmp_path: Path) -> None:
    """The fire is told to everybody and done before the wait is in the store, but after the call began."""
    world = World(Trigger(slug="go", when=Delay(after=timedelta(days=9))))
    async with kit_of(world, tmp_path).running() as kit:
        await kit.settle()
        triggers = kit.runtime.triggers
        look_up = triggers.get

        async def fired_meanwhile(tenant: str, slug: str) -> Any:
            row = await look_up(tenant, slug)
            assert await kit.pending() == ()
            await triggers.fire(row, key="racing")
            while (await fires_without(row, kit))[0].status != "done":
                pass
            return row

        async def fires_without(row: Any, kit: Kit) -> list[FireRow]:
            return [*await kit.store.fires.of(row.trigger_id, limit=9)]

        triggers.get = fired_meanwhile  # type: ignore[method-assign]
        session_id = await kit.start("b", "wait", surface="workspace")
        triggers.get = look_up  # type: ignore[method-assign]
        assert (await result_of(kit, session_id))["fire_id"] == fire_id_of(trigger_id_of("default", "go"), "racing")


@pytest.mark.behaviour("P22")
async def test_a_fire_before_the_wait_began_does_not_wake_it(tmp_path: Path) -> None:
    world = World(Trigger(slug="go", when=Delay(after=timedelta(days=9))))
    async with kit_of(world, tmp_path).running() as kit:
        await kit.settle()
        await kit.runtime.triggers.fire(await kit.runtime.triggers.get("default", "go"))
        await kit.settle()
        await kit.advance(timedelta(milliseconds=1))
        await kit.start("b", "wait", surface="workspace")
        assert [pause.kind for pause in await kit.pending()] == ["trigger"]


@pytest.mark.case("ti10")
@pytest.mark.behaviour("P22")
@pytest.mark.parametrize("set_back", [timedelta(), timedelta(hours=1)])
async def test_who_waits_again_is_told_of_no_fire_twice_even_in_the_same_moment_or_by_a_clock_set_back(
    tmp_path: Path, set_back: timedelta
) -> None:
    twice = calls_all(*[calls("subscribe_to_trigger", {"trigger": "go"})] * 2)
    world = World(
        Trigger(slug="go", when=Delay(after=timedelta(days=9))),
        script=ScriptedModel.by_turn([twice] * 3 + [says("ok")]),
    )
    kit = kit_of(world, tmp_path)
    async with kit.running():
        session_id = await kit.start("b", "wait", surface="workspace")
        row = await kit.runtime.triggers.get("default", "go")
        fired = [await kit.runtime.triggers.fire(row, key="first")]
        if set_back:
            await kit.close()
            kit.clock = ManualClock(NOON_MS - set_back // timedelta(milliseconds=1))
            await kit.open()
        await kit.settle()
        assert len(world.script.requests) == 2, "it waits"
        await kit.restart()
        await kit.settle()
        assert [pause.deadline_at_ms for pause in await kit.pending()] == [kit.clock.now_ms() + 3_600_000] * 2
        await kit.advance(timedelta(seconds=5))
        fired.append(await kit.runtime.triggers.fire(row, key="second"))
        await kit.settle()
        found = [from_json(result)["fire_id"] for result in (await kit.tool_results(session_id)).values()]
        assert found == [fired[1].fire_id] * 2, "and in every branch of it"
        assert len(world.script.requests) == 3
        assert [from_json(fire.outcome_json or "")["woken"] for fire in await fires(kit, "go")] == [2, 2]


@pytest.mark.behaviour("P22")
@pytest.mark.parametrize(("fired_after_s", "status"), [(600, "done"), (900, "done"), (901, "timed_out")])
async def test_what_fired_in_time_is_told_though_nobody_was_there_until_the_wait_was_over(
    tmp_path: Path, fired_after_s: int, status: str
) -> None:
    script = ScriptedModel.by_turn([calls("subscribe_to_trigger", {"trigger": "go", "timeout_s": 900}), says("Gone.")])
    world = World(Trigger(slug="go", when=Webhook(token_digest=digest_of("a token"))), script=script)
    kit = kit_of(world, tmp_path)
    async with kit.running():
        session_id = await kit.start("b", "wait", surface="workspace")
    await kit.clock.advance(ms=fired_after_s * 1000)
    store = await Store.open(tmp_path / "w.db")
    elsewhere = Runtime(app=world.app(), store=store, clock=kit.clock, ids=RandomIds())
    await elsewhere.triggers.fire(await elsewhere.triggers.get("default", "go"), payload={"n": 1})
    await store.aclose()
    await kit.clock.advance(ms=(1200 - fired_after_s) * 1000)
    async with kit.running():
        await kit.settle()
        assert (await result_of(kit, session_id))["status"] == status
        (fire,) = await fires(kit, "go")
        assert fire.status == "done"


@pytest.mark.behaviour("P39")
async def test_a_wait_for_a_trigger_ends_at_its_time_at_the_cap_or_by_an_operator(tmp_path: Path) -> None:
    waits = calls_all(
        calls("subscribe_to_trigger", {"trigger": "go", "timeout_s": 90}),
        calls("subscribe_to_trigger", {"trigger": "go"}),
        calls("subscribe_to_trigger", {"trigger": "go", "timeout_s": 3000}),
        calls("subscribe_to_trigger", {"trigger": "stop"}),
    )
    world = World(
        Trigger(slug="go", when=Delay(after=timedelta(days=9))), script=ScriptedModel.by_turn([waits, says("ok")])
    )
    async with kit_of(world, tmp_path).running() as kit:
        session_id = await kit.start("b", "wait", surface="workspace")
        await kit.advance(timedelta(seconds=90))
        third = next(pause for pause in await kit.pending() if pause.key.startswith("/gather#0[2]"))
        await kit.runtime.answering.cancel(tenant="default", pause_id=third.pause_id, by="ops", reason="no more")
        await kit.advance(timedelta(hours=1))
        results = await kit.tool_results(session_id)
        assert from_json(results["call_1"]) == {"status": "timed_out", "elapsed_s": 90.0}
        assert from_json(results["call_1_2"])["status"] == "capped"
        assert from_json(results["call_1_3"]) == {"status": "cancelled", "elapsed_s": 90.0, "reason": "no more"}
        assert results["call_1_4"] == "There is no trigger 'stop'. Available: go."


# -- subscribed --------------------------------------------------------------------------------------------------------
async def test_a_standing_subscription_is_a_message_at_each_fire(tmp_path: Path) -> None:
    script = ScriptedModel.by_turn(
        [
            calls("subscribe_to_trigger", {"trigger": "go", "standing": True}),
            says("I keep an eye on it."),
            says("First."),
            says("Second."),
        ]
    )
    world = World(Trigger(slug="go", when=Cron(expression="0 * * * *")), script=script)
    kit = kit_of(world, tmp_path)
    async with kit.running():
        session_id = await kit.start("b", "watch", surface="workspace")
        assert await kit.pending() == ()
        await kit.advance(timedelta(hours=1))
        await kit.restart()
        await kit.advance(timedelta(hours=1))
        assert await kit.outcome(session_id) == {"result": {"reply": "Second."}}
        told = from_json(script.requests[-1].messages[-1].content)["fire"]
        assert (told["slug"], told["scheduled_at"]) == ("go", "2026-03-02T14:00:00.000Z")


async def test_one_subscriber_that_cannot_be_told_harms_no_other(tmp_path: Path) -> None:
    script = ScriptedModel([says("Hello.")] * 10)
    world = World(Trigger(slug="go", when=EVERY_MINUTE, starts=Starts(bot="report", at_once=9)), script=script)
    async with kit_of(world, tmp_path).running() as kit:
        await kit.settle()
        ended = await kit.start("report", {"fire": {}})
        alive = await kit.start("b", "hi")
        for session_id in ("a-session-that-never-was", ended, alive):
            await kit.runtime.triggers.subscribe("default", "go", session_id)
        await kit.advance(timedelta(minutes=1))
        [fire] = await fires(kit, "go")
        outcome = from_json(fire.outcome_json or "")
        assert (outcome["told"], outcome["started"]) == (1, fire.session_id)
        assert outcome["skipped"] == {"unknown_session": 1, "ended_session": 1}
        assert len((await kit.timeline(alive)).executions) == 2
        await kit.advance(timedelta(minutes=1))
        assert from_json((await fires(kit, "go"))[1].outcome_json or "")["skipped"] == {}  # they are not asked again


async def test_whoever_cannot_be_woken_keeps_nobody_busy_and_is_tried_again_and_the_others_are_woken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient = SupervisorSettings(poll_s=600)
    world = World(Trigger(slug="go", when=Delay(after=timedelta(days=9))))
    kit = Kit(build=world.app, path=tmp_path / "w.db", clock=ManualClock(NOON_MS), supervising=patient)
    async with kit.running():
        sessions = [await kit.start("b", "wait", surface="workspace") for _ in range(AT_ONCE + 2)]
        broken = {sessions.index(session_id): session_id for session_id in sessions[:AT_ONCE]}
        tried = 0
        fire_wait = kit.runtime.answering.fire

        async def fire(pause: PauseRow, *, answer: Any, by: str | None = None) -> bool:
            nonlocal tried
            tried += 1
            if pause.session_id in broken.values():
                raise ValueError("its row cannot be read")
            return await fire_wait(pause, answer=answer, by=by)

        monkeypatch.setattr(kit.runtime.answering, "fire", fire)
        await kit.runtime.triggers.fire(await kit.runtime.triggers.get("default", "go"), key="k")
        await kit.settle()
        assert tried == len(sessions)
        assert [(await kit.session(session_id)).status for session_id in sessions[AT_ONCE:]] == ["idle"] * 2
        assert [row.status for row in await fires(kit, "go")] == ["open"]
        broken.clear()
        await kit.advance(timedelta(seconds=600))
        assert {(await kit.session(session_id)).status for session_id in sessions} == {"idle"}
        assert [row.status for row in await fires(kit, "go")] == ["done"]


@pytest.mark.case("ti10")
@pytest.mark.behaviour("P22")
async def test_a_clock_that_is_set_back_keeps_nobody_waiting_for_what_has_fired(tmp_path: Path) -> None:
    world = World(Trigger(slug="go", when=EVERY_MINUTE))
    kit = kit_of(world, tmp_path)
    async with kit.running():
        await kit.settle()
        session_id = await kit.start("b", "wait", surface="workspace")
        await kit.close()
        kit.clock = ManualClock(NOON_MS - 3_600_000)
        await kit.open()
        await kit.settle()
        assert (await kit.session(session_id)).status == "waiting"
        fired = await kit.runtime.triggers.fire(await kit.runtime.triggers.get("default", "go"))
        await kit.settle()
        told = await result_of(kit, session_id)
        assert (told["status"], told["fire_id"], told["elapsed_s"]) == ("done", fired.fire_id, 0.0)


# -- messages ----------------------------------------------------------------------------------------------------------
async def test_a_message_on_a_channel_fires_what_waits_for_such_a_one_once(tmp_path: Path) -> None:
    world = World(
        Trigger(slug="orders", when=ChannelMessage(channel="slack", pattern=r"order \d+"), starts=Starts(bot="report"))
    )
    async with kit_of(world, tmp_path).running() as kit:
        await kit.settle()
        for external_id, channel, text in [
            ("1", "slack", "Order 4471 is late"),
            ("1", "slack", "Order 4471 is late"),
            ("2", "slack", "good morning"),
            ("3", "mail", "order 5"),
        ]:
            await kit.runtime.triggers.message(
                tenant="default", channel=channel, external_id=external_id, text=text, sender="mara"
            )
            await kit.settle()
        assert [fire["payload"]["text"] for fire in world.started] == ["Order 4471 is late"]


async def test_a_trigger_that_cannot_be_read_keeps_nothing_from_the_others(tmp_path: Path) -> None:
    waits = ChannelMessage(channel="slack")
    world = World(
        Trigger(slug="broken", when=waits, starts=Starts(bot="report")),
        Trigger(slug="hook", when=Webhook(token_digest=digest_of("t" * 43)), starts=Starts(bot="report")),
        Trigger(slug="orders", when=waits, starts=Starts(bot="report")),
    )
    async with kit_of(world, tmp_path).running() as kit:
        await kit.settle()
        broken = await kit.runtime.triggers.get("default", "broken")
        kit.freeze()
        firing = asyncio.create_task(kit.runtime.triggers.fire(broken, key="before it was broken"))
        await asyncio.wait({firing}, timeout=0.01)
        with closing(sqlite3.connect(tmp_path / "w.db")) as db:
            db.execute("UPDATE triggers SET spec_json = '{\"when\": {}, \"starts\": 1}' WHERE slug <> 'orders'")
            db.commit()
        kit.thaw()
        await firing
        await kit.settle()
        [fire] = await fires(kit, "broken")
        assert fire.status == "done"
        assert "trigger.invalid" in from_json(fire.outcome_json or "")["not_started"]
        await kit.runtime.triggers.message(
            tenant="default", channel="slack", external_id="1", text="order 4471", sender="mara"
        )
        assert await Webhooks(triggers=kit.runtime.triggers, tenant="default").called("hook", "t" * 43) is None
        await kit.settle()
        assert [fire["payload"]["text"] for fire in world.started] == ["order 4471"]


# -- operators ---------------------------------------------------------------------------------------------------------
async def test_a_disabled_trigger_fires_nothing_and_does_not_catch_up(tmp_path: Path) -> None:
    world = World(Trigger(slug="go", when=EVERY_MINUTE, starts=Starts(bot="report")))
    kit = kit_of(world, tmp_path)
    async with kit.running():
        await kit.settle()
        await kit.runtime.triggers.disable("default", "go")
        await kit.advance(timedelta(minutes=5))
        await kit.restart()
        await kit.advance(timedelta(minutes=5))
        assert (await kit.runtime.triggers.fire(await kit.runtime.triggers.get("default", "go"))).outcome == "refused"
        await kit.runtime.triggers.enable("default", "go")
        await kit.advance(timedelta(minutes=1))
        assert times(await fires(kit, "go")) == ["12:11:00"]


async def test_what_an_operator_adds_or_enables_that_is_due_fires_at_once(tmp_path: Path) -> None:
    async with kit_of(World(), tmp_path).running() as kit:
        await kit.settle()
        triggers = kit.runtime.triggers
        await triggers.add("default", Trigger(slug="now", when=Delay(after=timedelta()), starts=Starts(bot="report")))
        await triggers.add("default", Trigger(slug="later", when=Delay(after=timedelta(minutes=1))))
        await kit.settle()
        assert times(await fires(kit, "now")) == ["12:00:30"]
        await triggers.disable("default", "later")
        await kit.advance(timedelta(hours=1))
        await triggers.enable("default", "later")
        await kit.settle()
        assert times(await fires(kit, "later")) == ["12:01:30"]


def test_what_is_due_is_written_in_shares() -> None:
    def due(name: str, count: int) -> DueFires:
        row = TriggerRow(
            trigger_id=name,
            tenant="default",
            slug=name,
            kind="cron",
            spec_json=to_json(spec_to_json(Trigger(slug=name, when=Cron(expression="* * * * *", catch_up="all")))),
            source=None,
            status="enabled",
            next_due_at_ms=NOON_MS,
            state_json=None,
            created_at_ms=NOON_MS,
            updated_at_ms=NOON_MS,
        )
        found = due_fires(row, now_ms=NOON_MS + (count - 1) * 60_000)
        assert len(found.fires) == count
        return found

    changes = [due(str(number), count) for number, count in enumerate([1, 3, 5, 1, 1, 10, 1])]
    found = [[change.trigger_id for change in share] for share in shares(changes, most=6)]
    assert found == [["0", "1", "2"], ["3", "4", "5"], ["6"]]
    assert list(shares([], most=6)) == []


async def test_a_trigger_that_its_app_declares_no_more_is_removed_and_comes_back_with_it(tmp_path: Path) -> None:
    world = World(Trigger(slug="go", when=EVERY_MINUTE), Trigger(slug="stay", when=EVERY_MINUTE))
    kit = kit_of(world, tmp_path)
    async with kit.running():
        await kit.settle()
        await kit.runtime.triggers.add("default", Trigger(slug="mine", when=EVERY_MINUTE))
        with pytest.raises(TriggerTakenError):
            await kit.runtime.triggers.add("default", Trigger(slug="go", when=EVERY_MINUTE))
        with pytest.raises(TriggerDeclaredError):
            await kit.runtime.triggers.remove("default", "go")
        declared, world.triggers = world.triggers, world.triggers[1:]
        await kit.restart()
        await kit.advance(timedelta(minutes=1))
        assert [row.slug for row in await kit.runtime.triggers.all("default")] == ["mine", "stay"]
        with pytest.raises(TriggerUnknownError):
            await kit.runtime.triggers.get("default", "go")
        await kit.runtime.triggers.remove("default", "mine")
        world.triggers = declared
        await kit.restart()
        await kit.settle()
        await kit.advance(timedelta(minutes=1))
        assert [row.slug for row in await kit.runtime.triggers.all("default")] == ["go", "stay"]
        assert times(await fires(kit, "go")) == ["12:02:00"]


async def test_a_changed_schedule_takes_effect_from_the_start_that_changes_it(tmp_path: Path) -> None:
    world = World(Trigger(slug="go", when=Cron(expression="0 * * * *")))
    kit = kit_of(world, tmp_path)
    async with kit.running():
        await kit.settle()
        world.triggers = (Trigger(slug="go", when=Cron(expression="*/5 * * * *")),)
        await kit.restart()
        await kit.settle()
        await kit.advance(timedelta(minutes=5))
        assert times(await fires(kit, "go")) == ["12:05:00"]


async def deployed_anew(kit: Kit, world: World, *triggers: Trigger, after: timedelta) -> None:
    """The service goes down, and other code comes up after some time."""
    await kit.close()
    world.triggers = triggers
    await kit.clock.advance(ms=after // timedelta(milliseconds=1))
    await kit.open()
    await kit.settle()


@pytest.mark.case("ti04")
@pytest.mark.parametrize("words", ["daily", "the new words"])
async def test_what_was_missed_is_caught_up_by_code_that_starts_something_else(tmp_path: Path, words: str) -> None:
    hourly = Cron(expression="0 * * * *")
    world = World(Trigger(slug="go", when=hourly, starts=Starts(bot="report", message={"title": "daily"})))
    kit = kit_of(world, tmp_path)
    async with kit.running():
        await kit.settle()
        new = Trigger(slug="go", when=hourly, starts=Starts(bot="report", message={"title": words}, at_once=2))
        await deployed_anew(kit, world, new, after=timedelta(hours=3))
        assert times(await fires(kit, "go")) == ["15:00:00"]
        assert [(fire["title"], fire["missed"]) for fire in world.started] == [(words, 2)]


@pytest.mark.parametrize("delay", [Delay(after=timedelta(hours=1)), Delay(at=datetime(2026, 3, 2, 13, tzinfo=UTC))])
async def test_a_delay_is_over_once_whatever_it_starts_since(tmp_path: Path, delay: Delay) -> None:
    def told(title: str) -> Trigger:
        return Trigger(slug="go", when=delay, starts=Starts(bot="report", message={"title": title}))

    world = World(told("first"))
    kit = kit_of(world, tmp_path)
    async with kit.running():
        await kit.settle()
        await deployed_anew(kit, world, told("second"), after=timedelta(hours=2))
        await deployed_anew(kit, world, told("third"), after=timedelta(hours=2))
        await kit.advance(timedelta(days=2))
        assert [fire["title"] for fire in world.started] == ["second"]


async def test_one_that_an_operator_has_disabled_stays_so_when_its_code_changes(tmp_path: Path) -> None:
    world = World(Trigger(slug="go", when=EVERY_MINUTE, starts=Starts(bot="report")))
    kit = kit_of(world, tmp_path)
    async with kit.running():
        await kit.settle()
        await kit.runtime.triggers.disable("default", "go")
        changed = Trigger(slug="go", when=EVERY_MINUTE, starts=Starts(bot="report", at_once=7))
        await deployed_anew(kit, world, changed, after=timedelta(minutes=9))
        assert (await kit.runtime.triggers.get("default", "go")).status == "disabled"
        assert world.started == []


@pytest.mark.case("ti10")
async def test_a_schedule_that_a_wrong_clock_has_fired_comes_round_again_after_a_restart(tmp_path: Path) -> None:
    world = World(Trigger(slug="go", when=EVERY_MINUTE, starts=Starts(bot="report", at_once=9)))
    kit = kit_of(world, tmp_path)
    async with kit.running():
        await kit.settle()
        await kit.advance(timedelta(minutes=1))
        await kit.advance(timedelta(days=20))
        right_ms = NOON_MS + 120_000
        await kit.close()
        kit.clock = ManualClock(right_ms)
        await kit.open()
        await kit.settle()
        for _ in range(2):
            await kit.advance(timedelta(minutes=1))
        today = [fire for fire in await fires(kit, "go") if fire.scheduled_at_ms < right_ms + 3_600_000]
        assert times(today) == ["12:01:00", "12:03:00", "12:04:00"]


@pytest.mark.case("ti10")
async def test_a_schedule_comes_round_again_as_soon_as_a_clock_that_was_wrong_is_set_right(tmp_path: Path) -> None:
    world = World()
    async with kit_of(world, tmp_path).running() as kit:
        await kit.settle()
        report = Starts(bot="report", at_once=9)
        await kit.runtime.triggers.add("default", Trigger(slug="mine", when=EVERY_MINUTE, starts=report))
        await kit.advance(timedelta(minutes=1))
        await kit.advance(timedelta(days=365))
        await kit.advance(timedelta(days=-365))
        for _ in range(5):
            await kit.advance(timedelta(seconds=25))
        today = [fire for fire in await fires(kit, "mine") if fire.scheduled_at_ms < NOON_MS + 3_600_000]
        assert times(today) == ["12:02:00", "12:03:00"]


async def test_a_schedule_of_an_operator_that_could_not_be_read_comes_round_again(tmp_path: Path) -> None:
    world = World()
    async with kit_of(world, tmp_path).running() as kit:
        await kit.settle()
        await kit.runtime.triggers.add("default", Trigger(slug="mine", when=EVERY_MINUTE, starts=Starts(bot="report")))
        replaced = "UPDATE triggers SET spec_json = replace(spec_json, ?, ?)"
        with closing(sqlite3.connect(tmp_path / "w.db")) as db, db:
            db.execute(replaced, ('"one"', '"each on its own"'))
        await kit.advance(timedelta(minutes=1))
        assert (await kit.runtime.triggers.get("default", "mine")).next_due_at_ms is None
        with closing(sqlite3.connect(tmp_path / "w.db")) as db, db:
            db.execute(replaced, ('"each on its own"', '"one"'))
        await kit.restart()
        await kit.advance(timedelta(minutes=1))
        await kit.advance(timedelta(minutes=1))
        assert times(await fires(kit, "mine")) == ["12:03:00"]


@pytest.mark.parametrize(
    ("kind", "when", "starts"),
    [
        ("cron", {"expression": "* * * * *", "zone": "UTC", "catch_up": "each", "at_most": 1}, None),
        ("cron", {"expression": "* * * * *", "zone": "UTC", "catch_up": ["all"], "at_most": 1}, None),
        ("file", {"folder": "/in", "paths": ["."], "events": ["created", "moved"]}, None),
        ("delay", {"after_s": 1, "at": None}, {"bot": "report", "overlap": "replace"}),
        ("delay", {"after_s": 1, "at": None}, {"bot": "report", "surface": "phone"}),
    ],
)
async def test_a_trigger_that_says_what_this_version_does_not_know_fires_nothing_and_says_so(
    kind: str, when: dict[str, Any], starts: dict[str, Any] | None
) -> None:
    row = TriggerRow(
        trigger_id="t1",
        tenant="default",
        slug="go",
        kind=kind,
        spec_json=to_json({"when": when, "starts": starts}),
        source=None,
        status="enabled",
        next_due_at_ms=NOON_MS,
        state_json=None,
        created_at_ms=NOON_MS,
        updated_at_ms=NOON_MS,
    )
    with capture_logs() as logs:
        due = due_fires(row, now_ms=NOON_MS)
    assert (due.fires, due.next_due_at_ms) == ((), None)
    assert [(each["event"], each["trigger"]) for each in logs] == [("trigger.invalid", "go")]
    assert "cannot be read" in logs[0]["error"]


async def test_a_schedule_that_could_not_be_read_comes_round_again_with_code_that_can(tmp_path: Path) -> None:
    world = World(Trigger(slug="go", when=EVERY_MINUTE, starts=Starts(bot="report")))
    kit = kit_of(world, tmp_path)
    async with kit.running():
        await kit.settle()
        row = await kit.runtime.triggers.get("default", "go")
        unread = due_fires(
            replace(row, spec_json='{"when": {"zone": "Mars/Base", "expression": "* * * * *"}, "starts": null}'),
            now_ms=0,
        )
        assert (unread.fires, unread.next_due_at_ms) == ((), None)
        await kit.runtime.store.fires.fire_due([unread])
        await kit.advance(timedelta(minutes=5))
        assert world.started == []
        await kit.restart()
        await kit.settle()
        await kit.advance(timedelta(minutes=1))
        assert times(await fires(kit, "go")) == ["12:06:00"]


@pytest.mark.parametrize(
    "trigger",
    [
        Trigger(slug="Go!", when=EVERY_MINUTE),
        Trigger(slug="go", when=Cron(expression="0 9 30 2 *")),
        Trigger(slug="go", when=Cron(expression="0 9 * * *", zone="Mars/Base")),
        Trigger(slug="go", when=Cron(expression="0 9 * * *", at_most=0)),
        Trigger(slug="go", when=Delay()),
        Trigger(slug="go", when=Delay(at=datetime(2026, 1, 1))),  # noqa: DTZ001
        Trigger(slug="go", when=Delay(after=timedelta(seconds=-1))),
        Trigger(slug="go", when=Delay(after=timedelta.max)),
        Trigger(slug="go", when=ChannelMessage(channel="slack", pattern="(")),
        Trigger(slug="go", when=ChannelMessage(channel="slack", pattern="refund{e<=1}")),
        Trigger(slug="go", when=EVERY_MINUTE, starts=Starts(bot="report", at_once=0)),
        Trigger(slug="go", when=FileChange(folder="in")),
        Trigger(slug="go", when=FileChange(folder="/in\0")),
        Trigger(slug="go", when=FileChange(folder="/in", paths=("../out",))),
        Trigger(slug="go", when=FileChange(folder="/in", paths=("/out",))),
        Trigger(slug="go", when=FileChange(folder="/in", paths=("a.txt", "*.csv"))),
        Trigger(slug="go", when=FileChange(folder="/in", paths=("a", "b\0"))),
        Trigger(slug="go", when=FileChange(folder="/in", events=())),
    ],
)
async def test_a_trigger_that_can_never_fire_as_meant_is_refused_when_it_is_made(
    tmp_path: Path, trigger: Trigger
) -> None:
    with pytest.raises(AssemblyError) as raised:
        World(trigger).app().check()
    assert [code for code, _ in raised.value.faults] == ["assembly.trigger"]
    async with kit_of(World(), tmp_path).running() as kit:
        with pytest.raises(TriggerInvalidError):
            await kit.runtime.triggers.add("default", trigger)
        assert await kit.runtime.triggers.all("default") == ()
