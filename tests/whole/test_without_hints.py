"""A supervisor that hears of nothing another process writes finds all of it when it looks: a hint is only a hint."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from overwinter.actors.answers import OwnerCredential, Reply
from overwinter.actors.asks import JsonValue
from overwinter.actors.clock import ManualClock
from overwinter.actors.ids import RandomIds
from overwinter.actors.run import Run
from overwinter.actors.supervisor_settings import SupervisorSettings
from overwinter.actors.trigger_kinds import Delay, Trigger
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.runtime import Runtime
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.workflows import workflow
from overwinter.channels.roles import Answerer, QuestionRole
from overwinter.store.store import Store

DIRECTOR = QuestionRole(name="director", answer=str, answered_by=Answerer.CHANNEL)


@dataclass
class Deaf:
    """A supervisor at work whose store is told of nothing; ``other`` is a process that supervises nothing."""

    runtime: Runtime
    other: Runtime
    channel: RecordingChannel
    clock: ManualClock

    async def rests(self) -> None:
        async with asyncio.timeout(20):
            while self.runtime.supervisor.is_busy:
                await self.runtime.store.due()

    async def start(self, bot: str) -> str:
        message: JsonValue = {} if bot == "ask" else "go"
        session_id = await self.runtime.sessions.start(program=bot, owner="olga", message=message, surface="workspace")
        await self.rests()
        return session_id

    async def until_found(self, session_id: str, status: str) -> None:
        await self.rests()
        before = await self.other.store.session(session_id)
        assert before is not None
        assert before.status != status or status == "cancelled", "it has been heard of"
        await self.clock.advance(ms=int(SupervisorSettings().poll_s * 1000))
        async with asyncio.timeout(20):
            while True:
                session = await self.runtime.store.session(session_id)
                if session is not None and session.status == status and not self.runtime.supervisor.is_busy:
                    return

    async def pause_of(self, session_id: str) -> str:
        (pause,) = await self.other.store.pending_pauses(tenant=None, session_id=session_id, limit=9)
        return pause.pause_id


@asynccontextmanager
async def deaf(path: Path) -> AsyncGenerator[Deaf]:
    channel, clock = RecordingChannel(), ManualClock()
    by_bot = {"talker": [says("Hello."), says("Hello again.")]}
    by_bot["asker"] = [calls("ask_user", {"prompt": "Which?"}), says("Thanks.")]
    by_bot["sleeper"] = [calls("subscribe_to_trigger", {"trigger": "go"}), says("Gone.")]

    def app() -> App:
        @workflow(version="1")
        async def ask(run: Run) -> str:
            return await run.ask(DIRECTOR, "May I?")

        agents = [
            Agent(name=name, toolsets=["system", "workspace_ext"], model=ScriptedModel.by_turn(replies))
            for name, replies in by_bot.items()
        ]
        trigger = Trigger(slug="go", when=Delay(after=timedelta(days=9)))
        return App(name="w", agents=agents, workflows=[ask], channels={DIRECTOR: channel}, triggers=[trigger])

    store = await Store.open(path, poll_s=3_600)
    runtime = Runtime(app=app(), store=store, clock=clock, ids=RandomIds())
    work = asyncio.create_task(runtime.supervisor.run())
    other = await Store.open(path)
    try:
        yield Deaf(runtime, Runtime(app=app(), store=other, clock=clock, ids=RandomIds()), channel, clock)
    finally:
        runtime.supervisor.stop()
        await work
        await other.aclose()
        await store.aclose()


async def a_message(at: Deaf) -> tuple[str, str]:
    session_id = await at.start("talker")
    await at.other.sessions.say(tenant="default", session_id=session_id, text="still there?")
    loaded = await at.other.store.session(session_id)
    assert loaded is not None
    assert loaded.status == "ready"
    return session_id, "idle"


async def a_new_session(at: Deaf) -> tuple[str, str]:
    return await at.other.sessions.start(program="ask", owner="olga", message={}), "waiting"


async def an_owners_answer(at: Deaf) -> tuple[str, str]:
    session_id = await at.start("asker")
    await at.other.answering.answer(
        tenant="default",
        pause_id=await at.pause_of(session_id),
        answer=Reply(text="the blue one"),
        credential=OwnerCredential(owner="olga"),
    )
    return session_id, "idle"


async def a_cancelled_question(at: Deaf) -> tuple[str, str]:
    session_id = await at.start("ask")
    pause_id = await at.pause_of(session_id)
    await at.other.answering.cancel(tenant="default", pause_id=pause_id, by="ops", reason="obsolete")
    return session_id, "failed"


async def a_cancelled_session(at: Deaf) -> tuple[str, str]:
    session_id = await at.start("ask")
    await at.other.sessions.cancel(tenant="default", session_id=session_id, by="ops", reason="obsolete")
    return session_id, "cancelled"


async def a_fire(at: Deaf) -> tuple[str, str]:
    session_id = await at.start("sleeper")
    await at.other.triggers.fire(await at.other.triggers.get("default", "go"))
    return session_id, "idle"


@pytest.mark.behaviour("W25")
@pytest.mark.parametrize(
    "written", [a_message, a_new_session, an_owners_answer, a_cancelled_question, a_cancelled_session, a_fire]
)
async def test_what_another_process_has_written_is_found_by_looking(
    tmp_path: Path, written: Callable[[Deaf], Awaitable[tuple[str, str]]]
) -> None:
    async with deaf(tmp_path / "w.db") as at:
        session_id, status = await written(at)
        await at.until_found(session_id, status)
        async with asyncio.timeout(20):
            while (await at.other.store.due()).delivery_ms is not None:
                pass
        if status == "waiting":
            assert len(at.channel.asks) == 1, "people have been asked"
        assert len(at.channel.withdrawals) == (status in ("failed", "cancelled")), "and told of the end"
