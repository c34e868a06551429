"""A row that was damaged on the disk harms the session that it belongs to, and says so; all others go on."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from overwinter.actors.answers import ChannelCredential, Decision
from overwinter.actors.clock import ManualClock
from overwinter.actors.errors import SessionCorruptError
from overwinter.actors.ids import RandomIds
from overwinter.actors.run import Run
from overwinter.actors.trigger_kinds import Cron, Starts, Trigger
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.runtime import Runtime
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.workflows import workflow
from overwinter.channels.roles import Answerer, QuestionRole
from overwinter.store.rows import PauseRow
from overwinter.store.schema import metadata
from overwinter.store.store import Store

DIRECTOR = QuestionRole(name="director", answer=str, answered_by=Answerer.CHANNEL, remind_after=timedelta(minutes=20))
HURT, SOUND, FRESH = "hurt", "sound", "fresh"
"""Owners: of the sessions whose rows are damaged; of those beside them; of those that are started afterwards."""
QUIET_S, PATIENCE_S = 0.02, 10.0
OF_A_SESSION = ("sessions", "executions", "ledger", "pauses", "deliveries", "inbound")
DAMAGED = [
    pytest.param(table, column.name, text, id=f"{table}-{column.name}-{how}")
    for table in (*OF_A_SESSION, "triggers", "fires")
    for column in metadata.tables[table].columns
    if isinstance(column.type, sa.Text) and (table, column.name) != ("triggers", "trigger_id")
    for how, text in (("no-utf-8", f"CAST(X'ff' || {column.name} AS TEXT)"), ("no-json", "'{'"))
    if how == "no-utf-8" or column.name.endswith("_json")
]


def app() -> App:
    @workflow(version="1")
    async def ask(run: Run) -> str:
        return await run.ask(DIRECTOR, "May I?")

    @workflow(version="1")
    async def sleep(run: Run) -> str:
        await run.sleep(timedelta(hours=1))
        return "slept"

    @workflow(version="1")
    async def note(run: Run) -> None: ...

    script = ScriptedModel.by_turn([calls("subscribe_to_trigger", {"trigger": "hourly"}), says("Heard.")])
    return App(
        name="w",
        agents=[Agent(name="listener", toolsets=["workspace_ext"], model=script)],
        workflows=[ask, sleep, note],
        channels={DIRECTOR: RecordingChannel()},
        triggers=(
            Trigger(slug="hourly", when=Cron(expression="0 * * * *")),
            Trigger(slug="half", when=Cron(expression="30 * * * *"), starts=Starts(bot="note")),
        ),
    )


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database in which sessions of either owner wait in every way, some for what is due in a minute, and some are ready."""
    path = tmp_path_factory.mktemp("whole") / "w.db"

    async def fill() -> None:
        async with Kit(build=app, path=path).running() as kit:
            for owner in (HURT, SOUND):
                await kit.start("ask", {}, owner=owner)
                await kit.start("ask", {}, owner=owner)
                await kit.start("sleep", {}, owner=owner)
                await kit.start("listener", "go", owner=owner, surface="workspace")
            await kit.advance(timedelta(minutes=59))
        store = await Store.open(path)
        asleep = Runtime(app=app(), store=store, clock=kit.clock, ids=RandomIds())
        for owner in (HURT, SOUND):
            await asleep.sessions.start(program="sleep", owner=owner, message={}, tenant="default")
            await answer(asleep, owner)
        await store.aclose()

    asyncio.run(fill())
    return path


async def questions(runtime: Runtime, owner: str) -> list[PauseRow]:
    pauses = await runtime.store.pending_pauses(tenant=None, session_id=None, limit=100)
    return [pause for pause in pauses if pause.role == DIRECTOR.name and pause.owner == owner]


async def answer(runtime: Runtime, owner: str) -> None:
    """Answer the oldest question of the owner's sessions, as a person in its channel."""
    pause = (await questions(runtime, owner))[0]
    assert pause.channel is not None
    await runtime.answering.answer(
        tenant=pause.tenant,
        pause_id=pause.pause_id,
        answer=Decision(value="yes"),
        credential=ChannelCredential(answered_by="mara", channel=pause.channel),
    )


def damage(path: Path, table: str, column: str, text: str) -> None:
    """Damage rows as a fault of the disk would, those of the hurt sessions where the table has rows of sessions."""
    hurt = f"(SELECT session_id FROM sessions WHERE owner = '{HURT}')"
    where = "1"
    if table in OF_A_SESSION:
        where = f"session_id IN {hurt}"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints=ON")
        statement = f"UPDATE OR IGNORE {table} SET {column} = {text} WHERE {where} AND {column} IS NOT NULL"
        connection.execute(statement)


async def pass_time(kit: Kit, duration: timedelta) -> None:
    """Move the clock, and let happen what can: what is damaged may be due for ever."""
    await kit.clock.advance(ms=int(duration.total_seconds() * 1000))
    quiet_s = 0.0
    async with asyncio.timeout(PATIENCE_S):
        while quiet_s < QUIET_S:
            await asyncio.wait({asyncio.get_running_loop().create_future()}, timeout=QUIET_S / 4)
            quiet_s = 0.0 if kit.runtime.supervisor.is_busy else quiet_s + QUIET_S / 4


async def states(kit: Kit, owner: str) -> list[tuple[str, str]]:
    sessions = await kit.store.sessions(tenant=None, statuses=None, limit=1000)
    return sorted((each.program, each.status) for each in sessions if each.owner == owner)


@pytest.mark.behaviour("P6")
@pytest.mark.parametrize(("table", "column", "text"), DAMAGED)
async def test_others_go_on(whole: Path, tmp_path: Path, table: str, column: str, text: str) -> None:
    path = tmp_path / "w.db"
    shutil.copy(whole, path)
    damage(path, table, column, text)
    kit = Kit(build=app, path=path, clock=ManualClock(ManualClock().now_ms() + 59 * 60_000))
    async with kit.running():
        for _ in range(4):
            await pass_time(kit, timedelta(minutes=30))
        if (table, column) != ("sessions", "session_id"):  # which nobody can write to any more
            assert not {"ready", "running"} & {status for _, status in await states(kit, HURT)}, (
                "nobody waits in silence"
            )
        await kit.runtime.sessions.start(program="sleep", owner=FRESH, message={}, tenant=kit.tenant)
        await answer(kit.runtime, SOUND)
        await pass_time(kit, timedelta(seconds=1))
        await pass_time(kit, timedelta(hours=1))
        assert await states(kit, FRESH) == [("sleep", "ended")]
        ended = [("ask", "ended"), ("ask", "ended"), ("listener", "idle"), ("sleep", "ended"), ("sleep", "ended")]
        assert await states(kit, SOUND) == ended


@pytest.mark.parametrize("text", ["CAST(X'ff7b' AS TEXT)", "'{'", "'{}'"])
async def test_a_damaged_question_takes_no_answer_and_is_still_listed(whole: Path, tmp_path: Path, text: str) -> None:
    path = tmp_path / "w.db"
    shutil.copy(whole, path)
    damage(path, "pauses", "ask_json", text)
    async with Kit(build=app, path=path, clock=ManualClock(ManualClock().now_ms() + 59 * 60_000)).running() as kit:
        await kit.settle()
        with pytest.raises(SessionCorruptError, match="cannot be read"):
            await answer(kit.runtime, HURT)
        assert len(await questions(kit.runtime, HURT)) == len(await questions(kit.runtime, SOUND)) == 1
        await answer(kit.runtime, SOUND)
