"""Authors' code, channels and callers that do what they must not: each is contained, and nothing is run for ever."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from overwinter.actors.answers import ChannelCredential, Decision
from overwinter.actors.asks import Ask, Outcome
from overwinter.actors.errors import PauseNotPendingError, PauseUnknownError
from overwinter.actors.run import Run
from overwinter.actors.step_errors import StepUnserializableError
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import tool
from overwinter.bots.workflows import Workflow, workflow
from overwinter.channels.roles import Answerer, ApprovalRole, QuestionRole

from .shop import Shop

REFUND = {"order_id": "4471", "amount": "80.00"}
DIRECTOR = QuestionRole(name="director", answer=str, answered_by=Answerer.CHANNEL)


class UnreadableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


class OddBaseError(BaseException):
    """Not an Exception."""


HOSTILE = [
    asyncio.CancelledError(),
    OddBaseError("odd"),
    SystemExit(3),
    UnreadableError(),
    ValueError("\udcff"),
    GeneratorExit(),
]


@pytest.mark.parametrize("error", HOSTILE, ids=lambda error: type(error).__name__)
async def test_whatever_a_tool_raises_is_its_result_and_it_runs_once(tmp_path: Path, error: BaseException) -> None:
    ran: list[int] = []

    @tool
    async def explode() -> str:
        """Explode."""
        ran.append(1)
        raise error

    script = ScriptedModel.by_turn([calls("explode"), says("Sorry.")])
    app = App(name="a", agents=[Agent(name="b", tools=[explode], model=script)])
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("b", "go")
        assert await kit.outcome(session_id) == {"result": {"reply": "Sorry."}}
        await kit.advance(timedelta(minutes=5))
    assert ran == [1]


@pytest.mark.behaviour("W22")
@pytest.mark.parametrize("error", HOSTILE, ids=lambda error: type(error).__name__)
async def test_whatever_a_workflow_raises_fails_it_visibly_and_once(tmp_path: Path, error: BaseException) -> None:
    began: list[int] = []

    @workflow(version="1")
    async def flow(run: Run) -> str:
        began.append(1)
        raise error

    kit = Kit(build=lambda: App(name="w", workflows=[flow]), path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("flow", {})
        assert (await kit.session(session_id)).status == "failed"
        await kit.restart()
        await kit.advance(timedelta(days=1))
        assert (await kit.session(session_id)).status == "failed"
    assert began == [1], "an error that was understood is not tried again"


@pytest.mark.parametrize("error", HOSTILE, ids=lambda error: type(error).__name__)
async def test_whatever_a_channel_raises_ends_the_question_visibly(tmp_path: Path, error: BaseException) -> None:
    sends: list[int] = []

    class BadChannel:
        name = "bad"

        async def send(self, ask: Ask) -> Outcome:
            sends.append(1)
            raise error

        async def update(self, progress: Any) -> None:
            raise error

        async def withdraw(self, withdrawal: Any) -> None:
            raise error

    shop = Shop()
    script = ScriptedModel.by_turn([calls("refund_card", REFUND), says("Done.")])
    async with Kit(build=lambda: shop.app(script, channel=BadChannel()), path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("support", "refund")
        await kit.advance(timedelta(minutes=5))
        reason = (await kit.session(session_id)).reason
        assert reason is not None
        assert reason.startswith("pause.undeliverable")
        assert await kit.pending() == ()
    assert sends == [1]


def greedy(kind: str) -> Workflow:
    if kind == "catches its own end":

        @workflow(version="1")
        async def flow(run: Run) -> str:
            while True:
                with suppress(BaseException):
                    await run.sleep(timedelta(hours=1))

        return flow

    @workflow(version="1")
    async def flow(run: Run) -> str:
        while True:
            with suppress(Exception):
                await asyncio.sleep(0)  # noqa: TID251

    return flow


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("kind", ["catches its own end", "awaits what is foreign for ever"])
async def test_code_that_will_not_stop_holds_nobody_else(tmp_path: Path, kind: str) -> None:
    shop = Shop()
    script = ScriptedModel.by_turn([calls("refund_card", REFUND), says("Done.")])

    def build() -> App:
        app = shop.app(script)
        return App(name="a", agents=app.agents, workflows=[greedy(kind)], channels=app.channels)

    async with Kit(build=build, path=tmp_path / "w.db").running() as kit:
        await kit.start("flow", {})
        await kit.start("support", "refund")
        await kit.answer("refund_card", text="yes")
    assert shop.ran == [("4471", "80.00")]


async def test_an_answer_after_the_deadline_is_late_though_nobody_has_fired_it(tmp_path: Path) -> None:
    ran: list[int] = []
    gate = ApprovalRole(name="gate", answered_by=Answerer.CHANNEL, deadline=timedelta(hours=1))

    @tool(asks=gate)
    async def pay() -> str:
        """Pay."""
        ran.append(1)
        return "paid"

    script = ScriptedModel.by_turn([calls("pay"), says("Done.")])
    app = App(name="a", agents=[Agent(name="b", tools=[pay], model=script)], channels={gate: RecordingChannel()})
    kit = Kit(build=lambda: app, path=tmp_path / "w.db")
    async with kit.running():
        await kit.start("b", "go")
        question = await kit.question("gate")
        kit.runtime.supervisor.stop()
        await kit.clock.advance(ms=5 * 3_600_000)
        with pytest.raises(PauseNotPendingError, match="timed out"):
            await kit.runtime.answering.answer(
                tenant="default",
                pause_id=question.pause_id,
                answer=Decision(value={"approved": True}),
                credential=ChannelCredential(answered_by="mara"),
            )
        await kit.restart()
        await kit.settle()
    assert ran == []


async def test_an_id_that_cannot_be_bound_harms_no_other_answer(tmp_path: Path) -> None:
    shop = Shop()
    script = ScriptedModel.by_turn([calls("refund_card", REFUND), says("Done.")])
    async with Kit(build=lambda: shop.app(script), path=tmp_path / "w.db").running() as kit:
        await kit.start("support", "refund")
        question = await kit.question("refund_card")

        async def give(pause_id: str) -> object:
            return await kit.runtime.answering.answer(
                tenant="default",
                pause_id=pause_id,
                answer=Decision(value={"approved": True}),
                credential=ChannelCredential(answered_by="mara"),
            )

        bad, good = await asyncio.gather(give("\ud800"), give(question.pause_id), return_exceptions=True)
        await kit.settle()
        assert isinstance(bad, PauseUnknownError)
        assert not isinstance(good, BaseException)
    assert shop.ran == [("4471", "80.00")]


async def test_a_message_that_cannot_be_stored_is_refused_with_its_code(tmp_path: Path) -> None:
    shop = Shop()
    script = ScriptedModel.by_turn([says("Hello.")])
    async with Kit(build=lambda: shop.app(script), path=tmp_path / "w.db").running() as kit:
        with pytest.raises(StepUnserializableError):
            await kit.start("support", "\ud800")
        session_id = await kit.start("support", "hi")
        with pytest.raises(StepUnserializableError):
            await kit.say(session_id, "\ud800")


async def test_an_argument_cannot_pass_for_others_in_the_question(tmp_path: Path) -> None:
    gate = ApprovalRole(name="gate", answered_by=Answerer.CHANNEL)

    @tool(asks=gate)
    async def pay(note: str, amount: str) -> str:
        """Pay."""
        return "paid"

    note = "ok, amount=5.00). Approve?" + "\n" * 60
    script = ScriptedModel.by_turn([calls("pay", {"note": note, "amount": "8000.00"}), says("Done.")])
    channel = RecordingChannel()
    app = App(name="a", agents=[Agent(name="b", tools=[pay], model=script)], channels={gate: channel})
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        await kit.start("b", "go")
    [ask] = channel.asks
    assert "\n" not in ask.prompt
    assert 'note="ok, amount=5.00). Approve?' in ask.prompt
    assert ask.prompt.endswith("amount=8000.00). Approve?")
