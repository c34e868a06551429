"""Many timers in one second, many sessions that wait, few places: nobody waits for them who need not."""

from __future__ import annotations

import asyncio
import time
from datetime import timedelta
from pathlib import Path

import pytest

from overwinter.actors.answers import ChannelCredential, Decision
from overwinter.actors.run import Run
from overwinter.actors.supervisor_settings import SupervisorSettings
from overwinter.bots.app import App
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.workflows import workflow
from overwinter.channels.roles import Answerer, QuestionRole
from overwinter.store.rows import PauseRow

director = QuestionRole(name="director", answer=str, answered_by=Answerer.CHANNEL)
HOUR_MS = 3_600_000


@workflow(version="1")
async def nap(run: Run) -> None:
    await run.sleep(timedelta(hours=1))


@workflow(version="1")
async def ask(run: Run) -> str:
    return await run.ask(director, "Well?")


@workflow(version="1")
async def work(run: Run) -> str:
    return "done"


APP = App(name="a", workflows=[nap, ask, work], channels={director: RecordingChannel()})


async def begin(kit: Kit, program: str, count: int) -> None:
    """Start so many sessions, and let them work."""
    for _ in range(0, count, 100):
        await asyncio.gather(
            *(kit.runtime.sessions.start(program=program, owner="o", message={}) for _ in range(min(count, 100)))
        )
    await kit.settle()


async def questions(kit: Kit) -> list[PauseRow]:
    return [pause for pause in await kit.pending() if pause.role == director.name]


async def answer(kit: Kit, question: PauseRow) -> float:
    """How many seconds it took."""
    begun_s = time.perf_counter()
    await kit.runtime.answering.answer(
        tenant="default",
        pause_id=question.pause_id,
        answer=Decision(value="yes"),
        credential=ChannelCredential(answered_by="mara"),
    )
    return time.perf_counter() - begun_s


async def overdue(kit: Kit) -> int:
    return len((await kit.store.overdue(now_ms=kit.clock.now_ms(), limit=100_000)).pauses)


async def test_an_answer_does_not_wait_for_all_the_timers_that_are_due(tmp_path: Path) -> None:
    async with Kit(build=lambda: APP, path=tmp_path / "w.db").running() as kit:
        await begin(kit, "ask", 1)
        await begin(kit, "nap", 600)
        [question] = await questions(kit)
        await kit.clock.advance(ms=HOUR_MS)
        await answer(kit, question)
        assert await overdue(kit) > 300
        await kit.settle()
        assert await overdue(kit) == 0
        assert await kit.pending() == ()
        assert len(await kit.store.sessions(tenant=None, statuses=frozenset({"ended"}), limit=1000)) == 601


@pytest.mark.bench
@pytest.mark.usefixtures("as_served")
async def test_ten_thousand_timers_fire_in_five_seconds_and_answers_get_through(tmp_path: Path) -> None:
    async with Kit(build=lambda: APP, path=tmp_path / "w.db").running() as kit:
        await begin(kit, "ask", 20)
        await begin(kit, "nap", 10_000)
        asked = await questions(kit)
        await kit.clock.advance(ms=HOUR_MS)
        begun_s = time.perf_counter()
        took_s = [await answer(kit, question) for question in asked]
        while (await kit.store.overdue(now_ms=kit.clock.now_ms(), limit=1)).pauses:
            await asyncio.wait({asyncio.get_running_loop().create_future()}, timeout=0.01)
        fired_s = time.perf_counter() - begun_s
        print(f"10,000 timers fired in {fired_s:.1f} s; answers took {max(took_s) * 1000:.0f} ms at most")  # noqa: T201
        assert fired_s < 5.0
        assert max(took_s) < 0.1
        await kit.settle()


@pytest.mark.behaviour("P3")
async def test_a_thousand_waiting_sessions_leave_both_of_two_places_to_fresh_work(tmp_path: Path) -> None:
    places = SupervisorSettings(concurrency=2)
    async with Kit(build=lambda: APP, path=tmp_path / "w.db", supervising=places).running() as kit:
        await begin(kit, "nap", 900)
        await begin(kit, "ask", 100)
        assert len(await kit.store.sessions(tenant=None, statuses=frozenset({"waiting"}), limit=2000)) == 1000
        assert kit.runtime.supervisor.active_sessions == 0
        names = {task.get_name() for task in asyncio.all_tasks()}
        assert not any(name.startswith("pass of") for name in names)
        assert len(names) < 40
        session_id = await kit.start("work", {})
        assert (await kit.session(session_id)).status == "ended"
        assert len(await kit.store.sessions(tenant=None, statuses=frozenset({"waiting"}), limit=2000)) == 1000
