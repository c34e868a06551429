"""Code that asks others now, while a question of before is open or answered: one person's answer never stands for another's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from overwinter.actors.answers import ChannelCredential, Decision, OwnerCredential
from overwinter.actors.run import Run
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import tool
from overwinter.bots.workflows import workflow
from overwinter.channels.roles import Answerer, ApprovalRole, QuestionRole

BOSS = QuestionRole(name="boss", answer=str, answered_by=Answerer.CHANNEL)
LEGAL = QuestionRole(name="legal", answer=str, answered_by=Answerer.CHANNEL)


class Contracts:
    """A workflow whose code is changed under one version."""

    def __init__(self, path: Path) -> None:
        self.asks = BOSS
        self.then = BOSS
        self.signed: list[str] = []
        self.kit = Kit(build=self.app, path=path / "w.db")

    def app(self) -> App:
        @workflow(version="1")
        async def contract(run: Run) -> str:
            answer = await run.ask(self.asks, "May I?")
            more = await run.ask(self.then, "Sure?")
            self.signed.append(answer + more)
            return answer

        return App(
            name="w", workflows=[contract], channels={BOSS: RecordingChannel(), LEGAL: RecordingChannel(name="l")}
        )

    async def answer(self, words: str) -> None:
        (pause,) = await self.kit.pending()
        await self.kit.runtime.answering.answer(
            tenant=self.kit.tenant,
            pause_id=pause.pause_id,
            answer=Decision(value=words),
            credential=ChannelCredential(answered_by="mara"),
        )
        await self.kit.settle()


@pytest.mark.parametrize("is_answered_before", [True, False])
async def test_the_answer_of_one_role_is_not_taken_for_that_of_another(
    tmp_path: Path, is_answered_before: bool
) -> None:
    contracts = Contracts(tmp_path)
    async with contracts.kit.running():
        session_id = await contracts.kit.start("contract", {})
        if is_answered_before:
            await contracts.answer("yes")
        contracts.asks = LEGAL
        await contracts.kit.restart()
        if not is_answered_before:
            await contracts.answer("yes")
        else:
            await contracts.answer("and yes")
        session = await contracts.kit.session(session_id)
        assert contracts.signed == []
        assert session.status == "blocked"
        assert "session.definition-changed" in (session.reason or "")
        assert "boss" in (session.reason or "")
        assert "legal" in (session.reason or "")
        contracts.asks = BOSS
        await contracts.kit.restart()
        await contracts.kit.settle()
        if not is_answered_before:
            await contracts.answer("and yes")
        assert contracts.signed == ["yesand yes"], "the code as it was goes on"


async def test_a_question_that_was_cancelled_may_be_put_to_others(tmp_path: Path) -> None:
    contracts = Contracts(tmp_path)
    async with contracts.kit.running():
        session_id = await contracts.kit.start("contract", {})
        (pause,) = await contracts.kit.pending()
        await contracts.kit.runtime.answering.cancel(
            tenant=contracts.kit.tenant, pause_id=pause.pause_id, by="op", reason="asked of the wrong people"
        )
        await contracts.kit.settle()
        assert (await contracts.kit.session(session_id)).status == "failed", "its code does not handle that"
        assert contracts.signed == []


async def test_an_owner_who_may_no_longer_approve_cannot_by_an_old_question(tmp_path: Path) -> None:
    paid: list[str] = []
    answerer = Answerer.OWNER

    def app() -> App:
        role = ApprovalRole(name="payment", answered_by=answerer)

        @tool(asks=role)
        async def pay(amount: str) -> str:
            """Pay."""
            paid.append(amount)
            return "paid"

        model = ScriptedModel.by_turn([calls("pay", {"amount": "80.00"}), says("done")])
        channels: dict[Any, Any] = {role: RecordingChannel()}
        return App(name="a", agents=[Agent(name="clerk", tools=[pay], model=model)], channels=channels)

    kit = Kit(build=app, path=tmp_path / "w.db")
    async with kit.running():
        session_id = await kit.start("clerk", "pay me", owner="olga")
        (pause,) = await kit.pending()
        answerer = Answerer.CHANNEL
        await kit.restart()
        await kit.runtime.answering.answer(
            tenant=kit.tenant,
            pause_id=pause.pause_id,
            answer=Decision(value={"approved": True}),
            credential=OwnerCredential(owner="olga"),
        )
        await kit.settle()
        assert paid == []
        assert (await kit.session(session_id)).status == "blocked"
