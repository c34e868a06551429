"""Who answers what, in which form, and what is kept of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from overwinter.actors.answers import ChannelCredential, Decision, OwnerCredential, Received, Reply
from overwinter.actors.asks import ApprovalForm, Decided
from overwinter.actors.errors import (
    ChannelRejectedError,
    EffectConflictError,
    PauseInvalidAnswerError,
    PauseInvalidDecisionError,
    PauseNotOwnerError,
    PauseNotPendingError,
    PauseUnknownError,
    PauseWrongAnswererError,
    SessionEndedError,
)
from overwinter.actors.joins import FailFast
from overwinter.actors.run import Run
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.errors import AssemblyError, ToolDefinitionError
from overwinter.bots.scripted_model import ScriptedModel, calls, calls_all, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import ToolCall, tool
from overwinter.bots.toolsets.system import ask_user
from overwinter.bots.workflows import workflow
from overwinter.channels.roles import Answerer, ApprovalRole, QuestionRole
from overwinter.store.rows import PauseRow

from .shop import Shop

REFUND = {"order_id": "4471", "amount": "80.00"}
HALF = {"order_id": "4471", "amount": "40.00"}
YES = {"approved": True}
MARA = ChannelCredential(answered_by="mara")


def script() -> ScriptedModel:
    return ScriptedModel.by_turn([calls("refund_card", REFUND, call_id="c1"), says("Done.")])


async def row_of(kit: Kit, pause_id: str) -> PauseRow:
    row = await kit.store.pause(pause_id)
    assert row is not None
    return row


# -- by its id alone ---------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("G6")
async def test_an_answer_needs_no_session_and_names_it(tmp_path: Path) -> None:
    shop = Shop()
    async with Kit(build=lambda: shop.app(script()), path=tmp_path / "w.db").running() as kit:
        sessions = [await kit.start("support", "refund") for _ in range(3)]
        questions = {(await kit.question(session_id=each)).pause_id: each for each in sessions}
        for pause_id, session_id in reversed(questions.items()):
            answered = await kit.runtime.answering.answer(
                tenant="default", pause_id=pause_id, answer=Decision(value=YES), credential=MARA
            )
            assert answered.session_id == session_id
            (execution,) = (await kit.timeline(session_id)).executions
            assert answered.execution_id == execution.execution_id
        await kit.settle()
    assert len(shop.ran) == 3


@pytest.mark.behaviour("G7")
@pytest.mark.parametrize("pause_id", ["0" * 32, "not even an id"])
@pytest.mark.parametrize("answer", [Reply(text=""), Reply(text=" \n\t"), Reply(text="x" * 20_001)])
async def test_the_shape_of_an_answer_is_checked_before_anything_is_looked_up(
    tmp_path: Path, pause_id: str, answer: Reply
) -> None:
    shop = Shop()
    async with Kit(build=lambda: shop.app(script()), path=tmp_path / "w.db").running() as kit:
        answering = kit.runtime.answering
        with pytest.raises(PauseInvalidAnswerError):
            await answering.answer(tenant="default", pause_id=pause_id, answer=answer, credential=MARA)
        with pytest.raises(PauseUnknownError):
            await answering.answer(tenant="default", pause_id=pause_id, answer=Reply(text="yes"), credential=MARA)


@pytest.mark.behaviour("A8")
@pytest.mark.parametrize("second", [Decision(value={"approved": False}), Reply(text="yes"), Decision(value="nonsense")])
async def test_the_first_answer_stands_and_the_second_changes_nothing(tmp_path: Path, second: Decision | Reply) -> None:
    shop = Shop()
    async with Kit(build=lambda: shop.app(script()), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("support", "refund")
        question = await kit.question("refund_card")
        await kit.answer(question, decision=YES)
        before = await row_of(kit, question.pause_id), await kit.timeline(session_id)
        with pytest.raises(PauseNotPendingError, match="mara"):
            await kit.runtime.answering.answer(
                tenant="default",
                pause_id=question.pause_id,
                answer=second,
                credential=ChannelCredential(answered_by="tom"),
            )
        await kit.settle()
        assert (await row_of(kit, question.pause_id), await kit.timeline(session_id)) == before
    assert shop.ran == [("4471", "80.00")]


# -- approvals ---------------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("G9")
@pytest.mark.parametrize(
    ("decision", "ran", "read"),
    [
        (YES, [("4471", "80.00")], ["refunded 80.00"]),
        ({"approved": True, "override_arguments": HALF}, [("4471", "40.00")], ["refunded 40.00", "mara", "40.00"]),
        ({"approved": False}, [], ["Rejected by mara", "no reason given", "did not run"]),
        ({"approved": False, "reason": "already paid"}, [], ["Rejected by mara", "already paid", "did not run"]),
    ],
)
async def test_a_call_runs_once_as_decided_or_the_model_reads_who_said_no_and_why(
    tmp_path: Path, decision: dict[str, Any], ran: list[tuple[str, str]], read: list[str]
) -> None:
    shop, lines = Shop(), script()
    kit = Kit(build=lambda: shop.app(lines), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("support", "refund")
        await kit.restart()
        await kit.answer("refund_card", decision=decision)
        for _ in range(2):
            await kit.restart()
            await kit.settle()
        text = (await kit.tool_results(session_id))["c1"]
    assert shop.ran == ran
    assert all(part in text for part in read)
    assert lines.requests[-1].messages[-1].content == text


@pytest.mark.behaviour("G8")
async def test_edited_arguments_must_be_whole_and_valid_and_the_next_try_counts(tmp_path: Path) -> None:
    shop = Shop()
    async with Kit(build=lambda: shop.app(script()), path=tmp_path / "w.db").running() as kit:
        await kit.start("support", "refund")
        unfit: list[Any] = [{"amount": "40.00"}, {**HALF, "amount": "0"}, {**HALF, "to": "me"}, [], "all"]
        for override in unfit:
            with pytest.raises(PauseInvalidDecisionError, match=r"override_arguments|amount"):
                await kit.answer("refund_card", decision={"approved": True, "override_arguments": override})
        assert shop.ran == []
        await kit.answer("refund_card", decision={"approved": True, "override_arguments": HALF})
    assert shop.ran == [("4471", "40.00")]


@pytest.mark.behaviour("G10")
async def test_cancelling_a_session_closes_all_it_waits_for_at_once(tmp_path: Path) -> None:
    shop = Shop()
    three = calls_all(
        calls("refund_card", REFUND, call_id="c1"),
        calls("refund_card", HALF, call_id="c2"),
        calls("ask_user", {"prompt": "Which?"}, call_id="c3"),
    )
    lines = ScriptedModel.by_turn([three, says("Done.")])
    async with Kit(build=lambda: shop.app(lines, tools=[ask_user]), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("support", "refund", surface="workspace")
        other = await kit.start("support", "refund", surface="workspace")
        mine = await kit.pending(session_id)
        assert len(mine) == 3
        await kit.runtime.sessions.cancel(tenant="default", session_id=session_id, by="ops", reason="no need")
        await kit.settle()
        assert [(await row_of(kit, pause.pause_id)).status for pause in mine] == ["cancelled"] * 3
        assert len(await kit.pending(other)) == 3
        for pause in mine:
            with pytest.raises(PauseNotPendingError, match="cancelled"):
                await kit.answer(pause, text="yes")
        with pytest.raises(SessionEndedError):
            await kit.runtime.sessions.cancel(tenant="default", session_id=session_id, by="ops", reason="again")
    asked = {pause.pause_id for pause in mine if pause.role == "refund-approval"}
    withdrawn = [(withdrawal.ask.pause_id, withdrawal.why) for withdrawal in shop.channel.withdrawals]
    assert sorted(withdrawn) == sorted((pause_id, "cancelled") for pause_id in asked)
    assert shop.ran == []


# -- who ---------------------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("G15")
@pytest.mark.parametrize("name", ["mara", "Mara Ødegård <mara@office.example>", "U07ABC|slack", "  two  words "])
async def test_the_name_that_a_channel_vouches_for_is_required_and_recorded_as_given(tmp_path: Path, name: str) -> None:
    shop = Shop()
    async with Kit(build=lambda: shop.app(script()), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("support", "refund")
        question = await kit.question("refund_card")
        for nobody in ("", "  "):
            with pytest.raises(PauseInvalidAnswerError):
                await kit.answer(question, decision=YES, by=nobody)
        assert (await row_of(kit, question.pause_id)).status == "pending"
        await kit.answer(question, decision=YES, by=name)
        assert (await row_of(kit, question.pause_id)).responder == name
        (entry,) = (await kit.timeline(session_id)).audit
        assert entry.responder == name
    assert [withdrawal.answered_by for withdrawal in shop.channel.withdrawals] == [name]


@pytest.mark.behaviour("G16")
async def test_the_session_goes_on_as_its_owner_whoever_answered(tmp_path: Path) -> None:
    seen: list[tuple[str, str, str | None]] = []
    gate = ApprovalRole(name="gate", answered_by=Answerer.CHANNEL)

    @tool(asks=gate)
    async def pay(call: ToolCall[Any]) -> str:
        """Pay."""
        seen.append((call.tenant, call.owner, call.approved_by))
        return "paid"

    @tool
    async def look(call: ToolCall[Any]) -> str:
        """Look."""
        seen.append((call.tenant, call.owner, call.approved_by))
        return "looked"

    lines = ScriptedModel.by_turn([calls("pay"), calls("look"), says("Done.")])
    agent = Agent(name="b", tools=[pay, look], model=lines)
    app = App(name="a", agents=[agent], channels={gate: RecordingChannel()})
    kit = Kit(build=lambda: app, path=tmp_path / "w.db", tenant="acme")
    async with kit.running():
        session_id = await kit.start("b", "go", owner="olga")
        await kit.restart()
        await kit.answer("gate", decision=YES, by="mara")
        assert (await kit.session(session_id)).owner == "olga"
    assert seen == [("acme", "olga", "mara"), ("acme", "olga", None)]


@pytest.mark.behaviour("G17")
async def test_a_channel_named_on_a_tool_asks_the_sessions_owner_alone(tmp_path: Path) -> None:
    ran: list[str] = []
    channel = RecordingChannel(name="console")
    lines = ScriptedModel.by_turn([calls("pay", {"to": "A"}), calls("pay", {"to": "B"}), says("Done.")])

    def build() -> App:
        @tool(asks=channel)
        async def pay(to: str) -> str:
            """Pay."""
            ran.append(to)
            return "paid"

        return App(name="a", agents=[Agent(name="b", tools=[pay], model=lines)])

    kit = Kit(build=build, path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("b", "go", owner="olga")
        [ask] = channel.asks
        assert isinstance(ask.form, ApprovalForm)
        assert (ask.owner, ask.form.tool, ask.form.arguments) == ("olga", "pay", {"to": "A"})
        question = await kit.question("pay")
        assert (question.channel, question.answerer) == ("console", "owner")
        for credential, error in ((MARA, PauseWrongAnswererError), (OwnerCredential(owner="eve"), PauseNotOwnerError)):
            with pytest.raises(error):
                await kit.runtime.answering.answer(
                    tenant="default", pause_id=question.pause_id, answer=Decision(value=YES), credential=credential
                )
        assert ran == []
        await kit.restart()
        await kit.answer("pay", decision=YES)
        assert ran == ["A"]
        # What its owner says to the bot meanwhile is a message, not the answer to a question asked elsewhere.
        assert (await kit.runtime.sessions.say(tenant="default", session_id=session_id, text="yes")).to == "inbox"
        await kit.answer("pay", text="no")
        assert (await row_of(kit, question.pause_id)).responder == "olga"
    assert ran == ["A"]
    assert [withdrawal.why for withdrawal in channel.withdrawals] == ["decided", "replied"]


@pytest.mark.behaviour("G17")
def test_what_a_tool_asks_is_a_role_or_a_channel_and_two_channels_need_two_names() -> None:
    async def pay(to: str) -> str:
        """Pay."""
        return to

    async def book(to: str) -> str:
        """Book."""
        return to

    wrong: Any = "finance"
    with pytest.raises(ToolDefinitionError, match="neither an ApprovalRole nor a channel"):
        tool(asks=wrong)(pay)
    tools = [tool(asks=RecordingChannel(name="same"))(each) for each in (pay, book)]
    with pytest.raises(AssemblyError, match="two channels are called same"):
        App(name="a", agents=[Agent(name="b", tools=tools)]).check()


# -- what is kept of it ------------------------------------------------------------------------------------------------
DIRECTOR = QuestionRole(name="director", answer=str, answered_by=Answerer.CHANNEL)


@pytest.mark.behaviour("G27")
@pytest.mark.parametrize(
    ("how", "status", "resolution", "responder"),
    [
        ("decided at once", "taken", "decided", "robot"),
        ("decided", "taken", "decided", "mara"),
        ("time", "taken", "timed_out", None),
        ("cancel", "cancelled", "cancelled", "ops"),
        ("session", "cancelled", "cancelled", "ops"),
        ("refused", "cancelled", "undeliverable", None),
        ("sibling", "cancelled", "withdrawn", None),
    ],
)
async def test_how_and_when_a_question_ended_is_kept_with_it(
    tmp_path: Path, how: str, status: str, resolution: str, responder: str | None
) -> None:
    channel = RecordingChannel()

    async def first(run: Run) -> str:
        return await run.ask(DIRECTOR, "first", deadline=timedelta(hours=2))

    async def second(run: Run) -> str:
        if await run.ask(DIRECTOR, "second") == "fail":
            raise ValueError("no")
        return "fine"

    @workflow(version="1")
    async def both(run: Run) -> list[str]:
        return await run.gather(first, second, join=FailFast())

    if how == "decided at once":
        channel.outcomes.append(Decided(decision="yes", answered_by="robot"))
    if how == "refused":
        channel.outcomes.append(ChannelRejectedError("no such room"))
    app = App(name="w", workflows=[both], channels={DIRECTOR: channel})
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        start_ms = kit.clock.now_ms()
        session_id = await kit.start("both", {})
        pauses = {pause.key: pause for pause in (await kit.timeline(session_id)).pauses}
        pause_id = pauses["/gather#0[0]/ask#0"].pause_id
        waited = timedelta()
        if how not in ("decided at once", "refused"):
            assert (await row_of(kit, pause_id)).resolved_at_ms is None
            waited = timedelta(hours=2 if how == "time" else 1)
            await kit.advance(waited)
        await _end(kit, how, session_id, pause_id)
        row = await row_of(kit, pause_id)
    assert (row.status, row.resolution, row.responder) == (status, resolution, responder)
    assert (row.asked_at_ms, row.resolved_at_ms) == (start_ms, start_ms + int(waited.total_seconds() * 1000))


async def _end(kit: Kit, how: str, session_id: str, pause_id: str) -> None:
    match how:
        case "decided":
            await kit.answer(await kit.question(key="/gather#0[0]/ask#0"), decision="yes")
        case "cancel":
            await kit.runtime.answering.cancel(tenant="default", pause_id=pause_id, by="ops", reason="no need")
        case "session":
            await kit.runtime.sessions.cancel(tenant="default", session_id=session_id, by="ops", reason="no need")
        case "sibling":
            await kit.answer(await kit.question(key="/gather#0[1]/ask#0"), decision="fail")
        case _:
            pass
    await kit.settle()


@pytest.mark.behaviour("G27")
async def test_an_answer_in_words_is_kept_as_replied_and_taken_by_its_step_once(tmp_path: Path) -> None:
    shop = Shop()
    async with Kit(build=lambda: shop.app(script()), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("support", "refund")
        question = await kit.question("refund_card")
        kit.runtime.supervisor.stop()
        await kit.runtime.answering.answer(
            tenant="default", pause_id=question.pause_id, answer=Reply(text="yes"), credential=MARA
        )
        row = await row_of(kit, question.pause_id)
        assert (row.status, row.resolution) == ("resolved", "replied")
        assert shop.ran == []
        await kit.restart()
        await kit.settle()
        row = await row_of(kit, question.pause_id)
        assert (row.status, row.resolution) == ("taken", "replied")
        assert (await kit.session(session_id)).status == "idle"
    assert shop.ran == [("4471", "80.00")]


# -- the same again ----------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("G42")
async def test_the_same_message_again_is_done_once_and_another_under_its_id_is_a_conflict(tmp_path: Path) -> None:
    lines = ScriptedModel.by_turn([says("Hello."), says("Refunding."), says("Never.")])
    app = App(name="a", agents=[Agent(name="b", model=lines)])
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("b", "hi")
        other = await kit.start("b", "hi")
        event = Received(channel="slack", external_id="Ev07")

        async def say(text: str, to: str = session_id) -> str:
            said = await kit.runtime.sessions.say(tenant="default", session_id=to, text=text, received=event)
            await kit.settle()
            return said.to

        assert await say("refund 1") == "inbox"
        events = (await kit.timeline(session_id)).events
        assert await say("refund 1") == "duplicate"
        for text, to in (("refund 1000", session_id), ("refund 1", other)):
            with pytest.raises(EffectConflictError):
                await say(text, to)
        assert (await kit.timeline(session_id)).events == events
        assert await kit.outcome(session_id) == {"result": {"reply": "Refunding."}}
        assert await kit.outcome(other) == {"result": {"reply": "Hello."}}


@pytest.mark.behaviour("G42")
async def test_a_session_started_again_under_its_id_is_started_once(tmp_path: Path) -> None:
    ran: list[str] = []
    release = asyncio.Event()

    async def fetch(month: str) -> str:
        ran.append(month)
        await release.wait()
        return month

    @workflow(version="1")
    async def close(run: Run, month: str) -> str:
        return await run.step(fetch, month)

    app = App(name="w", workflows=[close])
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:

        def start(month: str, owner: str = "olga") -> Any:
            return kit.runtime.sessions.start(program="close", owner=owner, message=month, session_id="close 2026-11")

        assert await start("2026-11") == "close 2026-11"
        attempts: list[Callable[[], Any]] = [lambda: start("2026-12"), lambda: start("2026-11", owner="eve")]
        for attempt in attempts:
            with pytest.raises(EffectConflictError):
                await attempt()
        release.set()
        await kit.settle()
        assert await kit.outcome("close 2026-11") == {"result": "2026-11"}
    assert ran == ["2026-11"]


@pytest.mark.behaviour("G42")
async def test_a_message_delivered_again_is_never_taken_for_another_answer(tmp_path: Path) -> None:
    def ask(number: int) -> Any:
        return calls("ask_user", {"prompt": f"{number}?"}, call_id=f"c{number}")

    lines = ScriptedModel.by_turn([says("Hello."), ask(1), ask(2), says("Done.")])
    app = App(name="a", agents=[Agent(name="b", tools=[ask_user], model=lines)])
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("b", "hi", surface="workspace")

        async def say(text: str, event: str) -> str:
            received = Received(channel="slack", external_id=event)
            said = await kit.runtime.sessions.say(tenant="default", session_id=session_id, text=text, received=received)
            await kit.settle()
            return said.to

        assert await say("go on", "Ev1") == "inbox"
        assert await say("go on", "Ev1") == "duplicate"
        assert await say("first", "Ev2") == "question"
        for again in (("go on", "Ev1"), ("first", "Ev2")):
            assert await say(*again) == "duplicate"
            assert (await kit.question("ask_user")).key.startswith("/gather#1")
        assert await say("second", "Ev3") == "question"
        assert await say("first", "Ev2") == "duplicate"
        assert await kit.tool_results(session_id) == {"c1": "first", "c2": "second"}
        assert len((await kit.timeline(session_id)).executions) == 2
