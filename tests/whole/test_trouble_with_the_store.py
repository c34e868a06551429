"""What a database that is busy for a while must not do to a question, a session, or an answer."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from overwinter.actors.answers import ChannelCredential, Decision
from overwinter.actors.asks import Decided
from overwinter.actors.errors import PauseUndeliverableError
from overwinter.actors.run import Run
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import tool
from overwinter.bots.workflows import workflow
from overwinter.channels.roles import Answerer, ApprovalRole, QuestionRole
from overwinter.store.changes import Advance, Change, SettleDelivery
from overwinter.store.errors import StoreBusyError, StoreError, StoreFullError, StoreRefusedError
from overwinter.store.resolutions import ResolvePause

DIRECTOR = QuestionRole(name="director", answer=str, answered_by=Answerer.CHANNEL)


class Trouble:
    """Makes the store refuse some changes."""

    def __init__(self, kit: Kit) -> None:
        self._kit = kit
        self.refuse: Callable[[Change], StoreError | None] = lambda _: None

    def install(self) -> None:
        store: Any = self._kit.store
        write = store._write

        async def refusing(change: Change, kind: Any) -> Any:
            if (error := self.refuse(change)) is not None:
                raise error
            return await write(change, kind)

        store._write = refusing


def only(kind: type, error: type[StoreError], *, times: int) -> Callable[[Change], StoreError | None]:
    left = iter(range(times))

    def refuse(change: Change) -> StoreError | None:
        return error("not now") if isinstance(change, kind) and next(left, None) is not None else None

    return refuse


def office(path: Path, channel: RecordingChannel) -> tuple[Kit, Trouble]:
    @workflow(version="1")
    async def ask(run: Run) -> str:
        return await run.ask(DIRECTOR, "May I?")

    kit = Kit(build=lambda: App(name="w", workflows=[ask], channels={DIRECTOR: channel}), path=path / "w.db")
    return kit, Trouble(kit)


@pytest.mark.parametrize(
    ("error", "times"), [(StoreBusyError, 1), (StoreBusyError, 2), (StoreBusyError, 5), (StoreFullError, 4)]
)
async def test_a_question_that_is_out_stays_open_though_that_could_not_be_recorded(
    tmp_path: Path, error: type[StoreError], times: int
) -> None:
    channel = RecordingChannel()
    kit, trouble = office(tmp_path, channel)
    async with kit.running():
        trouble.install()
        trouble.refuse = only(SettleDelivery, error, times=times)
        session_id = await kit.start("ask", {})
        for _ in range(3):
            await kit.advance(timedelta(seconds=90))
        (pause,) = await kit.pending()
        assert pause.is_sent
        assert {ask.pause_id for ask in channel.asks} == {pause.pause_id}, "sent again, it is the same question"
        await kit.answer(decision="yes")
        assert await kit.outcome(session_id) == {"result": "yes"}
        assert len(channel.withdrawals) == 1


async def test_what_a_channel_decided_is_not_thrown_away_when_the_store_is_busy(tmp_path: Path) -> None:
    channel = RecordingChannel()
    channel.outcomes.extend(
        [Decided(decision="yes", answered_by="policy"), Decided(decision="yes", answered_by="policy")]
    )
    kit, trouble = office(tmp_path, channel)
    async with kit.running():
        trouble.install()
        trouble.refuse = only(ResolvePause, StoreBusyError, times=1)
        session_id = await kit.start("ask", {})
        await kit.advance(timedelta(seconds=90))
        assert await kit.outcome(session_id) == {"result": "yes"}


async def test_a_session_does_not_fail_for_a_store_that_was_busy_for_long(tmp_path: Path) -> None:
    kit, trouble = office(tmp_path, RecordingChannel())
    async with kit.running():
        trouble.install()
        trouble.refuse = only(Advance, StoreBusyError, times=10_000)
        session_id = await kit.start("ask", {})
        for _ in range(8):
            await kit.advance(timedelta(seconds=40))
        trouble.refuse = lambda _: None
        for _ in range(2):
            await kit.advance(timedelta(seconds=40))
        assert (await kit.session(session_id)).status == "waiting"
        await kit.answer(decision="yes")
        assert await kit.outcome(session_id) == {"result": "yes"}


@pytest.mark.parametrize("prompt", ["half a \ud800 character", "and \udfff another"])
async def test_a_question_that_cannot_be_stored_is_the_codes_to_handle(tmp_path: Path, prompt: str) -> None:
    ran: list[str] = []

    async def count() -> str:
        ran.append("x")
        return "x"

    @workflow(version="1")
    async def ask(run: Run) -> str:
        await run.step(count)
        try:
            return await run.ask(DIRECTOR, prompt)
        except PauseUndeliverableError as error:
            return error.cause_code or ""

    kit = Kit(
        build=lambda: App(name="w", workflows=[ask], channels={DIRECTOR: RecordingChannel()}), path=tmp_path / "w.db"
    )
    async with kit.running():
        session_id = await kit.start("ask", {})
        assert await kit.outcome(session_id) == {"result": "step.unserializable"}
        assert ran == ["x"]


def damage(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


async def test_a_session_whose_rows_cannot_be_read_fails_no_other(tmp_path: Path) -> None:
    kit, _ = office(tmp_path, RecordingChannel())
    async with kit.running():
        sessions = [await kit.start("ask", {}) for _ in range(4)]
        damage(
            tmp_path / "w.db", f"UPDATE ledger SET body_json = CAST(x'ff22' AS TEXT) WHERE session_id = '{sessions[1]}'"
        )
        await asyncio.gather(
            *(
                kit.runtime.answering.answer(
                    tenant=kit.tenant,
                    pause_id=pause.pause_id,
                    answer=Decision(value="yes"),
                    credential=ChannelCredential(answered_by="mara"),
                )
                for pause in await kit.pending()
            )
        )
        await kit.settle()
        statuses = [(await kit.session(session_id)).status for session_id in sessions]
        assert statuses == ["ended", "blocked", "ended", "ended"], "and that one says so"
        await kit.restart()
        await kit.settle()
        assert (await kit.session(sessions[1])).status == "blocked"


async def test_a_deadline_that_cannot_be_read_ends_no_service(tmp_path: Path) -> None:
    role = ApprovalRole(name="two", answered_by=Answerer.CHANNEL, needs=2, deadline=timedelta(hours=1))

    def build() -> App:
        @tool(asks=role)
        async def pay(amount: str) -> str:
            """Pay."""
            return "paid"

        model = ScriptedModel.by_turn([calls("pay", {"amount": "1"}), says("ok")])
        return App(name="a", agents=[Agent(name="b", tools=[pay], model=model)], channels={role: RecordingChannel()})

    kit = Kit(build=build, path=tmp_path / "w.db")
    async with kit.running():
        await kit.start("b", "go")
        (pause,) = await kit.pending()
        await kit.runtime.answering.answer(
            tenant=kit.tenant,
            pause_id=pause.pause_id,
            answer=Decision(value={"approved": True}),
            credential=ChannelCredential(answered_by="mara"),
        )
        damage(tmp_path / "w.db", "UPDATE pauses SET ask_json = '{}'")
        await kit.advance(timedelta(hours=2))
        assert not await kit.pending(), "it ends all the same"
        other = await kit.start("b", "go")
        assert (await kit.session(other)).status == "waiting", "and others go on"


@pytest.mark.parametrize("session_id", ["a\0b", "\0"])
async def test_an_id_that_could_not_be_found_again_is_refused(tmp_path: Path, session_id: str) -> None:
    kit, _ = office(tmp_path, RecordingChannel())
    async with kit.running():
        with pytest.raises(StoreRefusedError):
            await kit.runtime.sessions.start(program="ask", owner="olga", message={}, session_id=session_id)
        assert not await kit.pending()
