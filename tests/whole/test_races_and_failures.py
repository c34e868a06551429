"""Races between answers, sends, deadlines and cancels; channels that fail; code that changes."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Annotated, Any

import pytest
from pydantic import AfterValidator

from overwinter.actors.answers import ChannelCredential, Decision, Received
from overwinter.actors.asks import Ask, AwaitReply
from overwinter.actors.errors import (
    ChannelRejectedError,
    ChannelUnreachableError,
    EffectConflictError,
    PauseNotPendingError,
    SessionEndedError,
)
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import tool
from overwinter.channels.automatic import AutoApprove, AutoReject, AutoReply
from overwinter.channels.interpreters.rules import RulesInterpreter
from overwinter.channels.roles import Answerer, ApprovalRole

from .shop import Shop

REFUND = {"order_id": "4471", "amount": "80.00"}
YES = {"approved": True}


def refund_script() -> ScriptedModel:
    return ScriptedModel.by_turn([calls("refund_card", REFUND), says("Done."), says("Hello again.")])


@pytest.mark.case("du07")
async def test_of_two_answers_at_once_exactly_one_wins(tmp_path: Path) -> None:
    shop = Shop()
    script = refund_script()
    async with Kit(build=lambda: shop.app(script), path=tmp_path / "w.db").running() as kit:
        for _ in range(20):
            await kit.start("support", "refund 4471")
            question = await kit.question("refund_card")

            async def give(by: str, approved: bool, pause_id: str = question.pause_id) -> object:
                return await kit.runtime.answering.answer(
                    tenant="default",
                    pause_id=pause_id,
                    answer=Decision(value={"approved": approved}),
                    credential=ChannelCredential(answered_by=by),
                )

            ran_before = len(shop.ran)
            results = await asyncio.gather(give("mara", True), give("tom", False), return_exceptions=True)
            await kit.settle()
            refused = [result for result in results if isinstance(result, PauseNotPendingError)]
            assert len(refused) == 1
            approved_won = not isinstance(results[0], PauseNotPendingError)
            assert len(shop.ran) - ran_before == (1 if approved_won else 0)
            row = await kit.store.pause(question.pause_id)
            assert row is not None
            assert row.responder == ("mara" if approved_won else "tom")


@pytest.mark.behaviour("G30")
@pytest.mark.case("du09")
async def test_an_answer_that_comes_while_send_is_returning_is_taken(tmp_path: Path) -> None:
    shop = Shop()
    script = refund_script()
    async with Kit(build=lambda: shop.app(script), path=tmp_path / "w.db").running() as kit:
        given: list[asyncio.Task[Any]] = []

        class EagerChannel:
            name = "test"

            async def send(self, ask: Ask) -> AwaitReply:
                answer = kit.runtime.answering.answer(
                    tenant="default",
                    pause_id=ask.pause_id,
                    answer=Decision(value=YES),
                    credential=ChannelCredential(answered_by="mara"),
                )
                given.append(asyncio.create_task(answer))
                await given[-1]
                return AwaitReply(ref="r")

            async def update(self, progress: Any) -> None:
                raise AssertionError("one person decides here")

            async def withdraw(self, withdrawal: Any) -> None:
                withdrawn.append(withdrawal.why)

        withdrawn: list[str] = []
        await kit.close()
        kit._build = lambda: shop.app(script, channel=EagerChannel())  # pyright: ignore[reportPrivateUsage]
        await kit.open()
        session_id = await kit.start("support", "refund 4471")
        await kit.settle()
        assert (await kit.session(session_id)).status == "idle"
        assert shop.ran == [("4471", "80.00")]
        assert withdrawn == ["decided"]


@pytest.mark.behaviour("W19")
async def test_the_same_message_delivered_again_succeeds_without_effect(tmp_path: Path) -> None:
    shop = Shop()
    script = refund_script()
    async with Kit(build=lambda: shop.app(script), path=tmp_path / "w.db").running() as kit:
        await kit.start("support", "refund 4471")
        question = await kit.question("refund_card")
        event = Received(channel="slack", external_id="Ev01")
        assert not (await kit.answer(question, text="yes", received=event)).is_duplicate
        assert (await kit.answer(question, text="yes", received=event)).is_duplicate
        with pytest.raises(PauseNotPendingError):
            await kit.answer(question, text="no", received=Received(channel="slack", external_id="Ev02"))
    assert shop.ran == [("4471", "80.00")]


@pytest.mark.behaviour("W19")
@pytest.mark.parametrize("seed", range(6))
async def test_one_message_that_comes_to_two_instances_at_once_counts_once_as_answer_and_as_word(
    tmp_path: Path, seed: int
) -> None:
    random = Random(seed)
    shop = Shop()
    script = refund_script()
    kit = Kit(build=lambda: shop.app(script), path=tmp_path / "w.db")
    async with kit.running(), kit.beside() as other:
        session_id = await kit.start("support", "refund 4471")
        question = await kit.question("refund_card")
        kits = [kit, other, kit, other]

        async def answer(at: Kit) -> bool:
            for _ in range(random.randint(0, 4)):
                await at.store.due()
            answered = await at.runtime.answering.answer(
                tenant="default",
                pause_id=question.pause_id,
                answer=Decision(value=YES),
                credential=ChannelCredential(answered_by="mara"),
                received=Received(channel="slack", external_id="Ev01"),
            )
            return answered.is_duplicate

        async def say(at: Kit) -> str:
            for _ in range(random.randint(0, 4)):
                await at.store.due()
            event = Received(channel="slack", external_id="Ev02")
            said = await at.runtime.sessions.say(tenant="default", session_id=session_id, text="thanks", received=event)
            return said.to

        assert sorted(await asyncio.gather(*map(answer, kits))) == [False, True, True, True]
        await kit.settle(other)
        assert shop.ran == [("4471", "80.00")]
        assert len((await kit.timeline(session_id)).audit) == 1
        assert sorted(await asyncio.gather(*map(say, kits))) == ["duplicate", "duplicate", "duplicate", "inbox"]
        await kit.settle(other)
        heard = [each for each in (await kit.timeline(session_id)).events if each.kind == "message_received"]
        assert len(heard) == 2, "what began it, and the one word after"


@pytest.mark.behaviour("W19")
@pytest.mark.behaviour("P33")
@pytest.mark.parametrize("restarts", [False, True])
async def test_a_yes_that_is_delivered_again_approves_nothing_that_was_asked_after_it(
    tmp_path: Path, restarts: bool
) -> None:
    gate = ApprovalRole(name="gate", answered_by=Answerer.OWNER, interpreter=RulesInterpreter())
    ran: list[int] = []

    @tool(asks=gate)
    async def pay(amount: int) -> str:
        """Pay."""
        ran.append(amount)
        return "paid"

    script = ScriptedModel.by_turn([calls("pay", {"amount": 5}), calls("pay", {"amount": 7000}), says("Done.")])
    app = App(name="a", agents=[Agent(name="b", tools=[pay], model=script)], channels={gate: ()})
    kit = Kit(build=lambda: app, path=tmp_path / "w.db")
    async with kit.running():
        first = Received(channel="slack", external_id="Ev01")
        session_id = await kit.runtime.sessions.start(program="b", owner="olga", message="yes", received=first)
        await kit.settle()

        async def say(event: str, text: str = "yes") -> str:
            if restarts:
                await kit.restart()
            received = Received(channel="slack", external_id=event)
            say = kit.runtime.sessions.say
            said = await say(tenant="default", session_id=session_id, text=text, received=received)
            await kit.settle()
            return said.to

        assert await kit.question("gate")
        assert (await say("Ev01"), ran) == ("duplicate", [])
        assert (await say("Ev02"), ran) == ("question", [5])
        assert await kit.question("gate")
        assert (await say("Ev02"), await say("Ev01"), ran) == ("duplicate", "duplicate", [5])
        assert (await say("Ev03", "no"), ran) == ("question", [5])


@pytest.mark.behaviour("W20")
async def test_other_words_under_the_id_of_a_message_are_a_conflict_and_take_nothings_place(tmp_path: Path) -> None:
    shop = Shop()
    script = refund_script()
    async with Kit(build=lambda: shop.app(script), path=tmp_path / "w.db").running() as kit:
        event = Received(channel="slack", external_id="Ev01")
        session_id = await kit.start("support", "refund 4471")
        await kit.answer("refund_card", text="no")
        say = kit.runtime.sessions.say
        await say(tenant="default", session_id=session_id, text="thanks", received=event)
        with pytest.raises(EffectConflictError):
            await say(tenant="default", session_id=session_id, text="refund it after all", received=event)
        with pytest.raises(EffectConflictError):
            await kit.runtime.sessions.start(program="support", owner="eve", message="mine", received=event)
        await kit.settle()
        said = [message.content for message in script.requests[-1].messages if message.role == "user"]
        assert said == ["refund 4471", "thanks"]
        assert len(await kit.store.sessions(tenant=None, statuses=None, limit=10)) == 1
    assert shop.ran == []


@pytest.mark.case("du17")
async def test_a_cancelled_session_withdraws_its_question_and_never_resumes(tmp_path: Path) -> None:
    shop = Shop()
    script = refund_script()
    async with Kit(build=lambda: shop.app(script), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("support", "refund 4471")
        question = await kit.question("refund_card")
        await kit.runtime.sessions.cancel(tenant="default", session_id=session_id, by="ops", reason="wrong order")
        await kit.settle()
        assert [withdrawal.why for withdrawal in shop.channel.withdrawals] == ["cancelled"]
        with pytest.raises(PauseNotPendingError, match="cancelled"):
            await kit.answer(question, text="yes")
        with pytest.raises(SessionEndedError):
            await kit.say(session_id, "hello?")
        await kit.restart()
        await kit.settle()
        assert (await kit.session(session_id)).status == "cancelled"
    assert shop.ran == []


async def test_a_cancelled_question_lets_its_session_go_on(tmp_path: Path) -> None:
    shop = Shop()
    script = refund_script()
    async with Kit(build=lambda: shop.app(script), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("support", "refund 4471")
        question = await kit.question("refund_card")
        await kit.runtime.answering.cancel(tenant="default", pause_id=question.pause_id, by="ops", reason="obsolete")
        await kit.settle()
        assert (await kit.session(session_id)).status == "idle"
    assert shop.ran == []
    assert "obsolete" in script.requests[-1].messages[-1].content


@pytest.mark.behaviour("G31")
async def test_a_question_that_cannot_be_delivered_fails_its_execution_visibly(tmp_path: Path) -> None:
    shop = Shop()
    script = refund_script()
    shop.channel.outcomes.append(ChannelRejectedError("channel_not_found"))
    async with Kit(build=lambda: shop.app(script), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("support", "refund 4471")
        session = await kit.session(session_id)
        assert session.reason is not None
        assert "channel_not_found" in session.reason
        assert await kit.pending() == ()
        assert len(script.requests) == 1
        await kit.say(session_id, "and now?")
        assert (await kit.session(session_id)).status == "idle"
    assert shop.ran == []


async def test_a_channel_that_is_away_is_tried_again_until_it_is_back(tmp_path: Path) -> None:
    shop = Shop()
    script = refund_script()
    shop.channel.outcomes.extend([ChannelUnreachableError("503"), ChannelUnreachableError("429", retry_after_s=30)])
    async with Kit(build=lambda: shop.app(script), path=tmp_path / "w.db").running() as kit:
        await kit.start("support", "refund 4471")
        assert shop.channel.asks == []
        await kit.advance(timedelta(seconds=2))
        assert shop.channel.asks == []
        await kit.advance(timedelta(seconds=29))
        assert shop.channel.asks == []
        await kit.advance(timedelta(seconds=1))
        assert len(shop.channel.asks) == 1
        await kit.answer("refund_card", text="yes")
    assert shop.ran == [("4471", "80.00")]


@pytest.mark.behaviour("G39")
async def test_a_withdrawal_that_fails_changes_nothing_else(tmp_path: Path) -> None:
    shop = Shop()
    script = refund_script()
    shop.channel.withdraw_errors.append(ChannelRejectedError("message_not_found"))
    async with Kit(build=lambda: shop.app(script), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("support", "refund 4471")
        await kit.answer("refund_card", text="yes")
        assert (await kit.session(session_id)).status == "idle"
    assert shop.ran == [("4471", "80.00")]


@pytest.mark.behaviour("G11")
@pytest.mark.parametrize(("channel", "ran"), [(AutoApprove(), 1), (AutoReject(reason="policy"), 0)])
async def test_a_channel_may_decide_at_once_and_nothing_is_withdrawn(tmp_path: Path, channel: Any, ran: int) -> None:
    shop = Shop()
    script = refund_script()
    async with Kit(build=lambda: shop.app(script, channel=channel), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("support", "refund 4471")
        await kit.settle()
        assert (await kit.session(session_id)).status == "idle"
        timeline = await kit.timeline(session_id)
        assert [row.kind for row in timeline.deliveries] == ["post"]
    assert len(shop.ran) == ran


async def test_a_bad_decision_at_once_fails_the_step(tmp_path: Path) -> None:
    shop = Shop()
    script = refund_script()
    channel = AutoReply({"approved": "certainly"})
    async with Kit(build=lambda: shop.app(script, channel=channel), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("support", "refund 4471")
        await kit.settle()
        reason = (await kit.session(session_id)).reason
        assert reason is not None
        assert "pause.undeliverable" in reason
    assert shop.ran == []


@pytest.mark.case("du13")
async def test_changed_code_blocks_the_session_visibly_and_answers_are_still_recorded(tmp_path: Path) -> None:
    shop = Shop()
    script = refund_script()

    @tool
    async def extra(text: str) -> str:
        """Something new."""
        return text

    kit = Kit(build=lambda: shop.app(script), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("support", "refund 4471")
        question = await kit.question("refund_card")
        kit._build = lambda: shop.app(script, tools=[extra])  # pyright: ignore[reportPrivateUsage]
        await kit.restart()
        await kit.answer(question, text="yes")
        session = await kit.session(session_id)
        assert session.status == "blocked"
        assert session.reason is not None
        assert session.reason.startswith("session.definition-changed")
        row = await kit.store.pause(question.pause_id)
        assert row is not None
        assert row.status == "resolved"
    assert shop.ran == []


async def test_a_comment_or_a_prompt_may_change_while_a_session_sleeps(tmp_path: Path) -> None:
    ran: list[str] = []
    script = ScriptedModel.by_turn([calls("pay", {"to": "A"}), says("ok")])

    def build(instructions: str, description: str) -> App:
        gate = ApprovalRole(name="gate", answered_by=Answerer.CHANNEL, prompt=description + " {tool}")

        async def pay(to: str) -> str:
            ran.append(to)
            return "paid"

        pay.__doc__ = description
        agent = Agent(name="b", instructions=instructions, tools=[tool(asks=gate)(pay)], model=script)
        return App(name="a", agents=[agent], channels={gate: Shop().channel})

    kit = Kit(build=lambda: build("old", "Pay."), path=tmp_path / "w.db")
    async with kit.running():
        await kit.start("b", "go")
        kit._build = lambda: build("new", "Pay somebody.")  # pyright: ignore[reportPrivateUsage]
        await kit.restart()
        await kit.answer("gate", decision={"approved": True})
    assert ran == ["A"]


@pytest.mark.case("du16")
async def test_a_call_whose_arguments_read_otherwise_now_is_asked_again(tmp_path: Path) -> None:
    ran: list[str] = []
    script = ScriptedModel.by_turn([calls("pay", {"to": "A"}), says("ok")])
    suffix = ["", "!"]

    def build(index: int) -> App:
        gate = ApprovalRole(name="gate", answered_by=Answerer.CHANNEL)
        mark = suffix[index]

        def marked(value: str) -> str:
            return value if value.endswith(mark) else value + mark

        async def pay(to: Annotated[str, AfterValidator(marked)]) -> str:
            ran.append(to)
            return "paid"

        pay.__annotations__ = {"to": Annotated[str, AfterValidator(marked)], "return": str}
        agent = Agent(name="b", tools=[tool(asks=gate)(pay)], model=script)
        return App(name="a", agents=[agent], channels={gate: Shop().channel})

    kit = Kit(build=lambda: build(0), path=tmp_path / "w.db")
    async with kit.running():
        await kit.start("b", "go")
        kit._build = lambda: build(1)  # pyright: ignore[reportPrivateUsage]
        await kit.restart()
        await kit.answer("gate", decision={"approved": True})
        assert ran == []
        await kit.answer("gate", decision={"approved": True})
    assert ran == ["A!"]


async def test_a_yielding_agent_goes_on_in_the_same_execution(tmp_path: Path) -> None:
    shop = Shop()
    script = ScriptedModel.by_turn([says("Hello."), says("Hello again.")])
    kit = Kit(build=lambda: shop.app(script, yields=True), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("support", "hi")
        assert (await kit.session(session_id)).status == "waiting"
        await kit.restart()
        await kit.say(session_id, "still there?")
        timeline = await kit.timeline(session_id)
        assert len(timeline.executions) == 1
        assert timeline.executions[0].status == "running"
    contents = [message.content for message in script.requests[-1].messages if message.role != "system"]
    assert contents == ["hi", "Hello.", "still there?"]


async def test_a_later_execution_is_told_of_the_earlier_ones(tmp_path: Path) -> None:
    shop = Shop()
    script = refund_script()
    async with Kit(build=lambda: shop.app(script), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("support", "refund 4471")
        await kit.answer("refund_card", text="yes")
        await kit.say(session_id, "thanks")
        assert await kit.outcome(session_id) == {"result": {"reply": "Hello again."}}
    roles = [message.role for message in script.requests[-1].messages]
    assert roles == ["system", "user", "assistant", "tool", "assistant", "user"]


@pytest.mark.behaviour("W20")
async def test_the_id_of_another_questions_message_is_a_conflict_and_no_answer_is_lost(tmp_path: Path) -> None:
    shop = Shop()
    script = refund_script()
    async with Kit(build=lambda: shop.app(script), path=tmp_path / "w.db").running() as kit:
        event = Received(channel="slack", external_id="Ev01")
        await kit.start("support", "refund 4471")
        await kit.answer("refund_card", text="yes", received=event)
        await kit.start("support", "refund 4471")
        with pytest.raises(EffectConflictError):
            await kit.answer("refund_card", text="yes", received=event)
        assert len(shop.ran) == 1
        await kit.answer("refund_card", text="yes", received=Received(channel="slack", external_id="Ev02"))
    assert len(shop.ran) == 2
