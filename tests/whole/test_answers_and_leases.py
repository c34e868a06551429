"""Every way an answer can be refused, and every way a session can be lost and found."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from overwinter.actors.answers import ChannelCredential, Decision, OwnerCredential, Received, Reply
from overwinter.actors.errors import (
    EffectConflictError,
    LeaseLostError,
    PauseInvalidAnswerError,
    PauseInvalidDecisionError,
    PauseNoReplyInterpreterError,
    PauseNotOwnerError,
    PauseNotPendingError,
    PauseUninterpretableReplyError,
    PauseUnknownError,
    PauseWrongAnswererError,
    SessionUnknownError,
)
from overwinter.actors.journal import Journal
from overwinter.actors.messages import ModelReply, ModelRequest
from overwinter.actors.run import Run
from overwinter.actors.supervisor_settings import SupervisorSettings
from overwinter.actors.surroundings import Lease
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import tool
from overwinter.bots.toolsets.system import ask_user
from overwinter.bots.workflows import workflow
from overwinter.channels.interpreters.chain import Chain
from overwinter.channels.interpreters.code import CodeInterpreter
from overwinter.channels.interpreters.model import ModelInterpreter
from overwinter.channels.interpreters.rules import RulesInterpreter
from overwinter.channels.roles import Answerer, ApprovalRole, QuestionRole
from overwinter.store.changes import Advance, Claim, Rest
from overwinter.store.rows import SessionStatus

from .shop import Shop

REFUND = {"order_id": "4471", "amount": "80.00"}
MARA = ChannelCredential(answered_by="mara")
QUESTION = QuestionRole(name="question", answer=str, answered_by=Answerer.CHANNEL)


def script() -> ScriptedModel:
    return ScriptedModel.by_turn([calls("refund_card", REFUND), says("Done.")])


@pytest.mark.behaviour("G7")
@pytest.mark.behaviour("G8")
@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Reply(text="  "), PauseInvalidAnswerError),
        (Reply(text="x" * 20_001), PauseInvalidAnswerError),
        (Decision(value={"approved": "yes"}), PauseInvalidDecisionError),
        (Decision(value={"approved": True, "surprise": 1}), PauseInvalidDecisionError),
        (Decision(value={"approved": False, "override_arguments": REFUND}), PauseInvalidDecisionError),
        (
            Decision(value={"approved": True, "override_arguments": {"order_id": "1", "amount": "-5"}}),
            PauseInvalidDecisionError,
        ),
        (Decision(value={"approved": True, "override_arguments": {"order_id": "1"}}), PauseInvalidDecisionError),
        (Reply(text="hm, let me think about it"), PauseUninterpretableReplyError),
    ],
)
async def test_a_bad_answer_is_refused_and_decides_nothing(tmp_path: Path, answer: Any, error: type[Exception]) -> None:
    shop = Shop()
    async with Kit(build=lambda: shop.app(script()), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("support", "refund")
        question = await kit.question("refund_card")
        with pytest.raises(error):
            await kit.runtime.answering.answer(
                tenant="default", pause_id=question.pause_id, answer=answer, credential=MARA
            )
        assert await kit.question("refund_card") == question
        assert (await kit.timeline(session_id)).audit == ()
    assert shop.ran == []


@pytest.mark.behaviour("G13")
async def test_an_owners_question_is_answered_by_its_owner_alone(tmp_path: Path) -> None:
    model = ScriptedModel.by_turn([calls("ask_user", {"prompt": "?"}), says("Done.")])
    app = App(name="a", agents=[Agent(name="b", tools=[ask_user], model=model)])
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        await kit.start("b", "go", owner="olga", surface="workspace")
        question = await kit.question("ask_user")
        for credential, error in ((MARA, PauseWrongAnswererError), (OwnerCredential(owner="eve"), PauseNotOwnerError)):
            with pytest.raises(error):
                await kit.runtime.answering.answer(
                    tenant="default", pause_id=question.pause_id, answer=Reply(text="yes"), credential=credential
                )
        assert (await kit.question("ask_user")).status == "pending"


async def test_a_role_without_an_interpreter_takes_decisions_only(tmp_path: Path) -> None:
    role = ApprovalRole(name="strict", answered_by=Answerer.CHANNEL)

    @tool(asks=role)
    async def pay() -> str:
        """Pay."""
        return "paid"

    model = ScriptedModel.by_turn([calls("pay"), says("Done.")])
    app = App(name="a", agents=[Agent(name="b", tools=[pay], model=model)], channels={role: RecordingChannel()})
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        await kit.start("b", "go")
        with pytest.raises(PauseNoReplyInterpreterError):
            await kit.answer("strict", text="yes")
        await kit.answer("strict", decision={"approved": True})


@pytest.mark.behaviour("G19")
async def test_an_interpreter_that_crashes_decides_nothing(tmp_path: Path) -> None:
    def crash(ask: Any, reply: str) -> Any:
        raise RuntimeError("bug")

    role = ApprovalRole(name="coded", answered_by=Answerer.CHANNEL, interpreter=CodeInterpreter(crash))
    ran: list[int] = []

    @tool(asks=role)
    async def pay() -> str:
        """Pay."""
        ran.append(1)
        return "paid"

    model = ScriptedModel.by_turn([calls("pay"), says("Done.")])
    app = App(name="a", agents=[Agent(name="b", tools=[pay], model=model)], channels={role: RecordingChannel()})
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        await kit.start("b", "go")
        with pytest.raises(PauseUninterpretableReplyError):
            await kit.answer("coded", text="yes")
        assert (await kit.question("coded")).status == "pending"
    assert ran == []


@pytest.mark.case("du02")
@pytest.mark.behaviour("P10")
async def test_a_call_id_used_again_in_a_later_turn_is_a_new_question(tmp_path: Path) -> None:
    shop = Shop()
    model = ScriptedModel.by_turn(
        [
            calls("refund_card", REFUND, call_id="call_0"),
            calls("refund_card", REFUND, call_id="call_0"),
            says("Done."),
        ]
    )
    async with Kit(build=lambda: shop.app(model), path=tmp_path / "w.db").running() as kit:
        await kit.start("support", "refund twice")
        first = await kit.question("refund_card")
        await kit.answer(first, text="yes")
        second = await kit.question("refund_card")
        assert second.pause_id != first.pause_id
        assert len(shop.ran) == 1
        await kit.answer(second, text="no")
    assert len(shop.ran) == 1


@pytest.mark.behaviour("P10")
@pytest.mark.behaviour("W32")
async def test_the_same_call_id_in_another_session_is_another_question(tmp_path: Path) -> None:
    shop = Shop()
    model = ScriptedModel.by_turn([calls("refund_card", REFUND, call_id="call_0"), says("Done.")])
    async with Kit(build=lambda: shop.app(model), path=tmp_path / "w.db").running() as kit:
        first, second = [await kit.start("support", "refund") for _ in range(2)]
        asked = {pause.session_id: pause for pause in await kit.pending()}
        assert asked[first].key == asked[second].key
        before = await kit.timeline(first)
        await kit.answer(asked[second], text="yes")
        assert ((await kit.session(first)).status, (await kit.session(second)).status) == ("waiting", "idle")
        assert await kit.timeline(first) == before
        assert len(shop.ran) == 1
        await kit.answer(asked[first], text="no")
    assert len(shop.ran) == 1


@pytest.mark.behaviour("G28")
async def test_a_closed_question_is_forgotten_after_its_retention_and_an_open_one_never(tmp_path: Path) -> None:
    shop = Shop()
    async with Kit(build=lambda: shop.app(script()), path=tmp_path / "w.db").running() as kit:
        await kit.start("support", "refund")
        question = await kit.question("refund_card")
        await kit.answer(question, text="yes")
        await kit.start("support", "refund")
        await kit.advance(timedelta(hours=23, minutes=59))
        with pytest.raises(PauseNotPendingError):
            await kit.answer(question, text="yes")
        await kit.advance(timedelta(minutes=2))
        for _ in range(50):  # nobody waits for the sweep, so the kit does not either
            if await kit.store.pause(question.pause_id) is None:
                break
            await kit.advance(timedelta(seconds=30))
        with pytest.raises(PauseUnknownError):
            await kit.answer(question, text="yes")
        await kit.advance(timedelta(days=365))
        await kit.answer("refund_card", text="yes")
    assert len(shop.ran) == 2


async def test_starting_the_same_session_twice_starts_one(tmp_path: Path) -> None:
    shop = Shop()
    async with Kit(build=lambda: shop.app(script()), path=tmp_path / "w.db").running() as kit:
        sessions = kit.runtime.sessions
        event = Received(channel="slack", external_id="Ev1")
        await sessions.start(program="support", owner="o", message="hi", session_id="s1", received=event)
        with pytest.raises(EffectConflictError):
            await sessions.start(program="support", owner="o", message="hi", session_id="s1")
        with pytest.raises(EffectConflictError):
            await sessions.start(program="support", owner="o", message="hi", received=event)
        await kit.settle()
        assert len(await kit.store.sessions(tenant=None, statuses=None, limit=10)) == 1
        with pytest.raises(SessionUnknownError):
            await sessions.start(program="nobody", owner="o", message="hi")
        with pytest.raises(SessionUnknownError):
            await sessions.say(tenant="other", session_id="s1", text="hi")


@pytest.mark.case("du22")
@pytest.mark.behaviour("G41")
async def test_a_supervisor_that_stalls_past_its_lease_can_write_nothing(tmp_path: Path) -> None:
    shop = Shop()
    kit = Kit(build=lambda: shop.app(script()), path=tmp_path / "w.db")
    async with kit.running():
        kit.runtime.supervisor.stop()
        await kit.runtime.sessions.start(program="support", owner="o", message="hi", session_id="s1")
        now_ms = kit.clock.now_ms()
        claim = Claim(holder="w1", limit=10, now_ms=now_ms, until_ms=now_ms + 30_000)
        [claimed] = (await kit.store.claim(claim)).sessions
        await kit.clock.advance(ms=60_000)
        await kit.restart()
        await kit.settle()
        assert (await kit.session("s1")).status == "waiting"
        events = len((await kit.timeline("s1")).events)
        rest = Rest(status="idle", reason=None, wakes=claimed.wakes, due_at_ms=0)
        late = Advance(session_id="s1", holder="w1", epoch=claimed.lease_epoch, now_ms=kit.clock.now_ms(), rest=rest)
        assert (await kit.store.advance(late)).outcome == "lease_lost"
        assert (await kit.session("s1")).status == "waiting"
        assert len((await kit.timeline("s1")).events) == events
        await kit.answer("refund_card", text="yes")
    assert shop.ran == [("4471", "80.00")]


@pytest.mark.behaviour("W22")
async def test_a_session_that_kills_its_process_again_and_again_is_failed(tmp_path: Path) -> None:
    shop = Shop()
    kit = Kit(build=lambda: shop.app(script()), path=tmp_path / "w.db")
    async with kit.running():
        kit.runtime.supervisor.stop()
        await kit.runtime.sessions.start(program="support", owner="o", message="hi", session_id="s1")
        for _ in range(5):
            now_ms = kit.clock.now_ms()
            claim = Claim(holder="dies", limit=10, now_ms=now_ms, until_ms=now_ms + 30_000)
            assert len((await kit.store.claim(claim)).sessions) == 1
            await kit.clock.advance(ms=30_000)
        await kit.restart()
        await kit.settle()
        session = await kit.session("s1")
        assert session.status == "failed"
        assert session.reason is not None
        assert session.reason.startswith("session.indeterminate")
    assert shop.ran == []


@pytest.mark.behaviour("P3")
async def test_waiting_sessions_take_no_place_from_fresh_ones(tmp_path: Path) -> None:
    shop = Shop()
    kit = Kit(build=lambda: shop.app(script()), path=tmp_path / "w.db", supervising=SupervisorSettings(concurrency=2))
    async with kit.running():
        for _ in range(3):
            await kit.start("support", "refund")
        assert len(await kit.pending()) == 3
        await kit.start("support", "fresh")
        assert len(await kit.pending()) == 4


async def test_a_place_kept_for_an_answer_that_came_to_nothing_goes_at_once_to_whoever_has_none(tmp_path: Path) -> None:
    @workflow(version="1")
    async def fresh(run: Run) -> None:
        pass

    patient = SupervisorSettings(concurrency=1, poll_s=1e6)
    kit = Kit(build=lambda: App(name="a", workflows=[fresh]), path=tmp_path / "w.db", supervising=patient)
    async with kit.running():
        await kit.settle()
        kept = kit.runtime.grant()
        assert kept is not None
        session_id = await kit.runtime.sessions.start(program="fresh", owner="olga", message={})
        for _ in range(50):
            await asyncio.sleep(0)  # noqa: TID251  no time passes: it is looked for a place, and there is none
        assert (await kit.session(session_id)).status == "ready"
        kit.runtime.settle(kept, None)
        await kit.settle()
        assert (await kit.session(session_id)).status == "ended"


@pytest.mark.behaviour("P44")
async def test_an_answered_session_goes_on_before_a_hundred_fresh_ones(tmp_path: Path) -> None:
    order: list[str] = []

    async def note(name: str) -> None:
        order.append(name)

    @workflow(version="1")
    async def asks(run: Run) -> None:
        await run.step(note, await run.ask(QUESTION, "Well?"))

    @workflow(version="1")
    async def fresh(run: Run) -> None:
        await run.step(note, "fresh")

    app = App(name="a", workflows=[asks, fresh], channels={QUESTION: RecordingChannel()})
    kit = Kit(build=lambda: app, path=tmp_path / "w.db", supervising=SupervisorSettings(concurrency=1))
    async with kit.running():
        await kit.start("asks", {})
        (pause,) = await kit.pending()
        kit.runtime.supervisor.stop()
        await kit.settle()
        for _ in range(100):
            await kit.runtime.sessions.start(program="fresh", owner="olga", message={})
        await kit.clock.advance(ms=1000)
        await kit.runtime.answering.answer(
            tenant="default", pause_id=pause.pause_id, answer=Decision(value="answered"), credential=MARA
        )
        assert order == []
        await kit.restart()
        await kit.settle()
    assert order == ["answered", *["fresh"] * 100]


@pytest.mark.behaviour("P6")
async def test_a_ledger_that_cannot_be_read_blocks_its_session_alone(tmp_path: Path) -> None:
    shop = Shop()
    kit = Kit(build=lambda: shop.app(script()), path=tmp_path / "w.db")
    async with kit.running():
        broken = await kit.start("support", "refund")
        first = await kit.question("refund_card")
        sound = await kit.start("support", "refund")
        with closing(sqlite3.connect(tmp_path / "w.db")) as db:
            db.execute("UPDATE ledger SET body_json = '{' WHERE session_id = ? AND kind = 'model_replied'", [broken])
            db.commit()
        await kit.answer(first, text="yes")
        session = await kit.session(broken)
        assert session.status == "blocked"
        assert session.reason is not None
        assert session.reason.startswith("session.corrupt")
        await kit.answer("refund_card", text="yes")
        assert (await kit.session(sound)).status == "idle"
    assert len(shop.ran) == 1


async def test_nothing_is_started_under_a_lease_that_has_run_out(tmp_path: Path) -> None:
    shop = Shop()
    kit = Kit(build=lambda: shop.app(script()), path=tmp_path / "w.db")
    async with kit.running():
        now_ms = kit.clock.now_ms()
        session = await kit.start("support", "refund")
        row = await kit.session(session)
        lease = Lease(holder="w1", epoch=row.lease_epoch, until_ms=now_ms)
        journal = Journal(session=row, lease=lease, around=kit.runtime.supervisor.surroundings)
        with pytest.raises(LeaseLostError):
            journal.check_lease()
        with pytest.raises(LeaseLostError):
            await journal.flush(journal.rest(SessionStatus.IDLE))
        assert (await kit.session(session)).status == "waiting"


@pytest.mark.behaviour("G18")
async def test_the_apps_model_reads_what_rules_do_not(tmp_path: Path) -> None:
    role = ApprovalRole(
        name="chained",
        answered_by=Answerer.CHANNEL,
        interpreter=Chain(RulesInterpreter(), ModelInterpreter("A manager answered.")),
    )
    ran: list[int] = []

    @tool(asks=role)
    async def pay() -> str:
        """Pay."""
        ran.append(1)
        return "paid"

    def speak(request: ModelRequest) -> ModelReply:
        if request.tools and request.tools[0].name != "pay":
            verdict = {"verdict": "approve", "evidence": "let it through", "reason": None, "override_arguments": None}
            return calls(request.tools[0].name, verdict)
        return says("Done.") if request.messages[-1].role == "tool" else calls("pay")

    app = App(name="a", agents=[Agent(name="b", tools=[pay])], channels={role: RecordingChannel()})
    kit = Kit(build=lambda: app, path=tmp_path / "w.db", model=ScriptedModel(speak))
    async with kit.running():
        await kit.start("b", "go")
        answered = await kit.answer("chained", text="let it through")
        assert answered.by == "model"
    assert ran == [1]
