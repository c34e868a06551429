"""What becomes of those who wait for a trigger that is removed or disabled: nobody is left waiting in silence."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, closing
from datetime import timedelta
from pathlib import Path
from typing import Any

from structlog.testing import capture_logs

from overwinter.actors.firing import LOOK_EVERY_S
from overwinter.actors.ids import RandomIds
from overwinter.actors.jsontext import from_json
from overwinter.actors.trigger_kinds import Delay, Trigger
from overwinter.actors.triggers import Triggers
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.testing.kit import Kit
from overwinter.store.store import Store

from .test_triggers import World, fires, kit_of, nothing, result_of

NEVER = Delay(after=timedelta(days=9))
BY_MARA = "there is no trigger go any more: removed by mara; it will not fire"
BY_APP = "there is no trigger go any more: its app, a, declares it no more; it will not fire"


@asynccontextmanager
async def command(kit: Kit, tmp_path: Path) -> AsyncGenerator[Triggers]:
    """What a command of another process does."""
    store = await Store.open(tmp_path / "w.db")
    try:
        yield Triggers(triggers=store.triggers, fires=store.fires, clock=kit.clock, ids=RandomIds(), fired=nothing)
    finally:
        await store.aclose()


async def wait_for(kit: Kit) -> str:
    await kit.settle()
    return await kit.start("b", "wait", surface="workspace")


async def test_who_waits_for_a_trigger_that_a_command_removes_reads_so_and_goes_on(tmp_path: Path) -> None:
    world = World()
    kit = kit_of(world, tmp_path)
    async with kit.running():
        await kit.runtime.triggers.add("default", Trigger(slug="go", when=NEVER))
        session_id = await wait_for(kit)
        await kit.advance(timedelta(minutes=10))
        async with command(kit, tmp_path) as triggers:
            concerned = await triggers.remove("default", "go", by="mara")
        assert (concerned.waiting, concerned.subscribed) == ((session_id,), ())
        await kit.settle()
        assert await result_of(kit, session_id) == {"status": "removed", "elapsed_s": 600.0, "reason": BY_MARA}
        assert await kit.outcome(session_id) == {"result": {"reply": "Gone."}}
        (entry,) = await kit.store.audit(tenant="default", limit=10)
        assert (entry.role, entry.resolution, entry.responder) == ("go", "cancelled", "mara")


async def test_a_removal_while_nothing_runs_is_read_by_whoever_revives_the_session(tmp_path: Path) -> None:
    world = World()
    kit = kit_of(world, tmp_path)
    async with kit.running():
        await kit.runtime.triggers.add("default", Trigger(slug="go", when=NEVER))
        session_id = await wait_for(kit)
        await kit.close()
        async with command(kit, tmp_path) as triggers:
            await triggers.remove("default", "go", by="mara")
        with closing(sqlite3.connect(tmp_path / "w.db")) as db:
            assert db.execute("SELECT status FROM pauses").fetchall() == [("cancelled",)]
            assert db.execute("SELECT status FROM sessions").fetchall() == [("ready",)]
        await kit.clock.advance(ms=60_000)
        await kit.open()
        await kit.settle()
        assert (await result_of(kit, session_id))["status"] == "removed"


async def test_who_waits_for_a_trigger_that_its_app_declares_no_more_reads_so(tmp_path: Path) -> None:
    world = World(Trigger(slug="go", when=NEVER), Trigger(slug="stay", when=NEVER))
    kit = kit_of(world, tmp_path)
    async with kit.running():
        session_id = await wait_for(kit)
        await kit.close()
        world.triggers = world.triggers[1:]
        with capture_logs() as logs:
            await kit.open()
            await kit.settle()
        assert (await result_of(kit, session_id))["reason"] == BY_APP
        (told,) = [each for each in logs if each["event"] == "trigger.removed"]
        assert (told["trigger"], told["waited"], told["subscribed"], told["sessions"]) == ("go", 1, 0, session_id)
        (entry,) = await kit.store.audit(tenant="default", limit=10)
        assert (entry.resolution, entry.responder) == ("cancelled", "app a")


async def test_a_trigger_that_is_removed_while_the_session_goes_to_sleep_is_not_waited_for(tmp_path: Path) -> None:
    """The removal is over before the wait is in the store, but after the session looked whether the trigger is there."""
    world = World()
    async with kit_of(world, tmp_path).running() as kit:
        await kit.runtime.triggers.add("default", Trigger(slug="go", when=NEVER))
        await kit.settle()
        triggers = kit.runtime.triggers
        look_up = triggers.get

        async def removed_meanwhile(tenant: str, slug: str) -> Any:
            row = await look_up(tenant, slug)
            async with command(kit, tmp_path) as other:
                assert (await other.remove(tenant, slug, by="mara")).waiting == ()
            return row

        triggers.get = removed_meanwhile  # type: ignore[method-assign]
        session_id = await kit.start("b", "wait", surface="workspace")
        triggers.get = look_up  # type: ignore[method-assign]
        await kit.settle()
        assert (await result_of(kit, session_id))["status"] == "removed"
        assert await kit.pending() == ()


async def test_who_waits_for_a_disabled_trigger_waits_on_and_hears_it_when_it_is_enabled(tmp_path: Path) -> None:
    world = World(Trigger(slug="go", when=NEVER))
    kit = kit_of(world, tmp_path)
    async with kit.running():
        session_id = await wait_for(kit)
        concerned = await kit.runtime.triggers.disable("default", "go")
        assert concerned.waiting == (session_id,)
        await kit.advance(timedelta(minutes=5))
        await kit.restart()
        await kit.settle()
        assert [pause.kind for pause in await kit.pending()] == ["trigger"]
        await kit.runtime.triggers.enable("default", "go")
        await kit.runtime.triggers.fire(await kit.runtime.triggers.get("default", "go"), key="k")
        await kit.settle()
        assert (await result_of(kit, session_id))["status"] == "done"


async def test_what_has_fired_before_the_removal_is_told_and_not_the_removal(tmp_path: Path) -> None:
    world = World()
    kit = kit_of(world, tmp_path)
    async with kit.running():
        await kit.runtime.triggers.add("default", Trigger(slug="go", when=NEVER))
        session_id = await wait_for(kit)
        await kit.close()
        await kit.clock.advance(ms=1_000)
        async with command(kit, tmp_path) as triggers:
            fired = await triggers.fire(await triggers.get("default", "go"))
            await triggers.remove("default", "go", by="mara")
        await kit.open()
        await kit.settle()
        assert (await result_of(kit, session_id))["fire_id"] == fired.fire_id


async def test_a_session_that_is_subscribed_to_a_removed_trigger_gets_a_last_message(tmp_path: Path) -> None:
    script = ScriptedModel.by_turn(
        [
            calls("subscribe_to_trigger", {"trigger": "go", "standing": True}),
            says("Ready."),
            says("Once."),
            says("Bye."),
        ]
    )
    world = World(script=script)
    kit = kit_of(world, tmp_path)
    async with kit.running():
        await kit.runtime.triggers.add("default", Trigger(slug="go", when=NEVER))
        session_id = await wait_for(kit)
        async with command(kit, tmp_path) as triggers:
            await triggers.fire(await triggers.get("default", "go"))
            concerned = await triggers.remove("default", "go", by="mara")
        assert concerned.subscribed == (session_id,)
        await kit.settle()
        await kit.advance(timedelta(seconds=LOOK_EVERY_S))
        assert await kit.outcome(session_id) == {"result": {"reply": "Bye."}}
        fire, removed = [from_json(request.messages[-1].content) for request in script.requests[-2:]]
        assert fire["fire"]["slug"] == "go"
        assert removed["removed"]["reason"] == BY_MARA.replace("mara", "an operator"), (
            "it is told later, after the fire"
        )
        # Another one of that name is nothing that the session asked for.
        await kit.runtime.triggers.add("default", Trigger(slug="go", when=NEVER))
        await kit.runtime.triggers.fire(await kit.runtime.triggers.get("default", "go"))
        await kit.settle()
        assert len(script.requests) == 4
        assert [from_json(each.outcome_json or "")["told"] for each in await fires(kit, "go")] == [1, 0]
