"""A session that goes to sleep: in one transaction, holding nothing, with its question told only after that."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from overwinter.actors.asks import Ask, AwaitReply, Outcome
from overwinter.actors.jsontext import from_json
from overwinter.actors.supervisor_settings import SupervisorSettings
from overwinter.actors.trigger_kinds import Delay, Trigger
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel, calls, calls_all, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import Tool, ToolCall, tool
from overwinter.channels.roles import Answerer, ApprovalRole, QuestionRole

from .shop import Shop

REFUND = {"order_id": "4471", "amount": "80.00"}

Moment = tuple[str, bool, int, int, str]
"""Of a session: its status, whether its lease is held, its open questions, the deliveries of them, its last event."""


@contextmanager
def moments_of(path: Path) -> Generator[list[Moment]]:
    """What another process could see of the one session in a database between any two commits, each once, in order."""
    seen: list[Moment] = []

    def look(*_: object) -> None:
        with closing(sqlite3.connect(path)) as connection:
            rows = connection.execute(
                "SELECT status, lease_holder IS NOT NULL AND lease_until_ms > 0,"
                " (SELECT count(*) FROM pauses WHERE pauses.session_id = sessions.session_id AND status = 'pending'),"
                " (SELECT count(*) FROM deliveries WHERE deliveries.session_id = sessions.session_id AND kind = 'post'),"
                " coalesce((SELECT kind FROM ledger WHERE ledger.session_id = sessions.session_id"
                " ORDER BY seq DESC LIMIT 1), '') FROM sessions"
            ).fetchall()
        for status, is_held, open_now, posts, last in rows:
            moment = (status, bool(is_held), open_now, posts, last)
            if not seen or seen[-1] != moment:
                seen.append(moment)

    event.listen(Engine, "commit", look)
    try:
        yield seen
        look()
    finally:
        event.remove(Engine, "commit", look)


@pytest.mark.behaviour("P1")
async def test_nobody_sees_a_wait_without_the_rest_or_the_rest_without_the_wait(tmp_path: Path) -> None:
    shop = Shop()
    script = ScriptedModel.by_turn([calls("refund_card", REFUND), says("Done.")])
    async with Kit(build=lambda: shop.app(script), path=tmp_path / "w.db").running() as kit:
        with moments_of(tmp_path / "w.db") as seen:
            await kit.start("support", "refund 4471")
            asleep = len(seen)
            await kit.answer("refund_card", text="yes")
    assert ("waiting", False, 1, 1, "pause_opened") in seen[:asleep]
    for status, is_held, open_now, posts, last in seen[:asleep]:
        assert (status == "running") == is_held
        assert (status == "waiting") == (open_now == 1) == (posts == 1) == (last == "pause_opened")
    assert seen[-1][:3] == ("idle", False, 0)


class SlowChannel(RecordingChannel):
    """Is told to send, and comes back when it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go = asyncio.Event()

    async def send(self, ask: Ask) -> Outcome:
        self.asks.append(ask)
        await self.go.wait()
        return AwaitReply(ref="r")


@pytest.mark.behaviour("P54")
@pytest.mark.behaviour("P3")
async def test_a_question_is_sent_when_its_session_sleeps_and_a_slow_channel_keeps_no_place(tmp_path: Path) -> None:
    shop, channel = Shop(), SlowChannel()
    script = ScriptedModel.by_turn([calls("refund_card", REFUND), says("Done.")])
    places = SupervisorSettings(concurrency=1)
    kit = Kit(build=lambda: shop.app(script, channel=channel), path=tmp_path / "w.db", supervising=places)
    async with kit.running():
        for asked in range(1, 4):
            session_id = await kit.runtime.sessions.start(program="support", owner="olga", message="refund 4471")
            async with asyncio.timeout(20):
                while len(channel.asks) < asked:
                    await kit.store.due()
            session = await kit.session(session_id)
            assert (session.status, session.lease_holder) == ("waiting", None)
            assert kit.runtime.supervisor.active_sessions == 0
        channel.go.set()
        await kit.settle()
        assert [pause.is_sent for pause in await kit.pending()] == [True] * 3


@pytest.mark.behaviour("P10")
@pytest.mark.parametrize("approved", [0, 1])
async def test_of_two_calls_under_one_id_in_one_reply_the_approved_one_runs(tmp_path: Path, approved: int) -> None:
    shop = Shop()
    both = calls_all(
        calls("refund_card", {"order_id": "a", "amount": "5.00"}, call_id="call_0"),
        calls("refund_card", {"order_id": "b", "amount": "7000.00"}, call_id="call_0"),
    )
    script = ScriptedModel.by_turn([both, says("Done.")])
    async with Kit(build=lambda: shop.app(script), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("support", "refund both")
        questions = await kit.pending(session_id)
        asked = [from_json(pause.ask_json)["form"]["arguments"]["order_id"] for pause in questions]
        assert sorted(asked) == ["a", "b"]
        wanted = "ab"[approved]
        await kit.restart()
        await kit.answer(questions[asked.index(wanted)], text="yes")
        assert [order for order, _ in shop.ran] == [wanted]
        await kit.answer(questions[1 - asked.index(wanted)], text="no")
        results = await kit.tool_results(session_id)
        assert len(results) == 2, "each call has a result of its own"
        assert sum("Rejected by mara" in result for result in results.values()) == 1
    assert [order for order, _ in shop.ran] == [wanted]


@pytest.mark.behaviour("P37")
async def test_an_open_question_says_what_is_asked_what_fits_and_since_when(tmp_path: Path) -> None:
    places = QuestionRole(name="places", answer=int, answered_by=Answerer.OWNER)

    @tool(answer=places)
    async def choose(call: ToolCall[int], what: str) -> str:
        """Choose."""
        return f"{call.answer} for {what}"

    script = ScriptedModel.by_turn([calls("choose", {"what": "lunch"}, call_id="c1"), says("ok")])
    app = App(name="a", agents=[Agent(name="b", tools=[choose], model=script)], channels={places: ()})
    kit = Kit(build=lambda: app, path=tmp_path / "w.db")
    async with kit.running():
        assert await kit.pending() == ()
        begun_ms = kit.clock.now_ms()
        session_id = await kit.start("b", "go")
        await kit.advance(timedelta(hours=3))
        await kit.restart()
        assert await kit.pending("another") == ()
        (pause,) = await kit.pending(session_id)
        ask: dict[str, Any] = from_json(pause.ask_json)
        assert ("lunch" in ask["prompt"], pause.asked_at_ms) == (True, begun_ms)
        assert ask["form"]["schema"] == {"type": "integer"}
        assert ask["form"]["call"]["call_id"] == "c1"
        await kit.answer(pause, decision=3)
        assert await kit.pending(session_id) == ()


@pytest.mark.behaviour("P19")
@pytest.mark.behaviour("P20")
@pytest.mark.behaviour("P22")
@pytest.mark.parametrize(
    ("call", "resolution", "told"),
    [
        (calls("subscribe_to_trigger", {"trigger": "go"}), "fired", '"status":"done"'),
        (calls("sleep", {"seconds": 60}), "fired", '"status":"done"'),
        (calls("ask_user", {"prompt": "Which?", "timeout_s": 60}), "timed_out", "timed out after 61 seconds"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
async def test_what_happens_while_a_session_is_blocked_is_there_when_its_code_is_back(
    tmp_path: Path, call: Any, resolution: str, told: str
) -> None:
    @tool
    async def more() -> str:
        """Make it another definition."""
        return ""

    script = ScriptedModel.by_turn([call, says("ok")])
    extra: list[Tool] = []

    def build() -> App:
        agent = Agent(name="b", toolsets=["system", "workspace_ext"], tools=list(extra), model=script)
        return App(name="a", agents=[agent], triggers=[Trigger(slug="go", when=Delay(after=timedelta(days=9)))])

    kit = Kit(build=build, path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("b", "go", surface="workspace")
        extra.append(more)
        await kit.restart()
        await kit.advance(timedelta(seconds=1))
        await kit.runtime.triggers.fire(await kit.runtime.triggers.get("default", "go"))
        await kit.advance(timedelta(seconds=60))
        assert (await kit.session(session_id)).status == "blocked"
        assert [pause.resolution for pause in (await kit.timeline(session_id)).pauses] == [resolution]
        assert await kit.tool_results(session_id) == {}
        extra.clear()
        await kit.restart()
        await kit.settle()
        assert (await kit.session(session_id)).status == "idle"
        assert told in (await kit.tool_results(session_id))["call_1"]


@pytest.mark.behaviour("P29")
@pytest.mark.parametrize("end", ["rejected", "timed out", "cancelled"])
async def test_a_gated_tool_that_waits_and_is_not_approved_never_comes_to_its_own_wait(
    tmp_path: Path, end: str
) -> None:
    gate = ApprovalRole(name="gate", answered_by=Answerer.CHANNEL, deadline=timedelta(hours=1))
    places = QuestionRole(name="places", answer=str, answered_by=Answerer.CHANNEL)
    ran: list[str] = []

    @tool(asks=gate, answer=places)
    async def choose(call: ToolCall[str], what: str) -> str:
        """Choose."""
        ran.append(what)
        return what

    script = ScriptedModel.by_turn([calls("choose", {"what": "lunch"}), says("ok")])
    channel = RecordingChannel()
    agent = Agent(name="b", tools=[choose], model=script)
    app = App(name="a", agents=[agent], channels={gate: channel, places: channel})
    kit = Kit(build=lambda: app, path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("b", "go")
        question = await kit.question("gate")
        await kit.restart()
        match end:
            case "rejected":
                await kit.answer(question, decision={"approved": False})
            case "timed out":
                await kit.advance(timedelta(hours=1))
            case _:
                cancelling = kit.runtime.answering.cancel
                await cancelling(tenant="default", pause_id=question.pause_id, by="ops", reason="closed")
                await kit.settle()
        assert (await kit.session(session_id)).status == "idle"
        assert [ask.role for ask in channel.asks] == ["gate"]
        assert {pause.role for pause in (await kit.timeline(session_id)).pauses} == {"gate"}
    assert ran == []
