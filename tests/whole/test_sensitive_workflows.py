"""Sensitive values that workflows are given, find and return: hidden in what they ask, and wherever a session is listed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel
from structlog.testing import capture_logs

from overwinter.actors.asks import AnswerForm
from overwinter.actors.errors import PiiRefusedError
from overwinter.actors.hook_notices import EndNotice
from overwinter.actors.jsontext import to_json
from overwinter.actors.opening import prompt_of
from overwinter.actors.run import Run
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.privacy import Sensitive
from overwinter.bots.scripted_model import ScriptedModel, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.workflows import workflow
from overwinter.channels.interpreters.model import ModelInterpreter
from overwinter.channels.roles import Answerer, QuestionRole
from overwinter.deploy.timeline import entries_of

CARD = "4111 1111 1111 1111"
IBAN = "DE89370400440532013000"
SALARY = 48211
PIN = "931755"


class Payment(BaseModel):
    order_id: str
    card: Annotated[str, Sensitive("mask")]
    pin: Annotated[str | None, Sensitive("block")] = None


class Account(BaseModel):
    owner: str
    iban: Annotated[str, Sensitive("token", show_to_asked=True)]


async def find_account(order_id: str) -> Account:
    return Account(owner="olga", iban=IBAN)


async def find_salary(_owner: str) -> Annotated[int, Sensitive("mask")]:
    return SALARY


class Office:
    """A workflow that asks about what it must not show."""

    def __init__(
        self, prompt: str, *, reader: ScriptedModel | None = None, writer: ScriptedModel | None = None
    ) -> None:
        self.channel = RecordingChannel()
        self.ended: list[EndNotice] = []
        self.raised: list[Exception] = []
        self.saw: list[Any] = []
        self._prompt = prompt
        self._reader = reader
        self._writer = writer

    def app(self) -> App:
        interpreter = None if self._reader is None else ModelInterpreter(instructions="Read it.", model=self._reader)
        boss = QuestionRole(name="boss", answer=str, answered_by=Answerer.CHANNEL, interpreter=interpreter)
        agents = [] if self._writer is None else [Agent(name="writer", model=self._writer)]

        @workflow(version="1")
        async def settle(run: Run, payment: Payment) -> Payment:
            account = await run.step(find_account, payment.order_id)
            salary = await run.step(find_salary, account.owner)
            self.saw.append((payment.card, account.iban, salary))
            prompt = self._prompt.format(card=payment.card, iban=account.iban, salary=salary, pin=payment.pin)
            if agents:
                await run.agent(agents[0], prompt)
            try:
                answer = await run.ask(boss, prompt)
            except PiiRefusedError as error:
                self.raised.append(error)
                answer = "refused"
            if answer == "fail":
                raise RuntimeError(f"the bank refused {account.iban} for {payment.card}")
            return payment.model_copy(update={"order_id": answer})

        async def on_end(notice: EndNotice) -> None:
            self.ended.append(notice)

        return App(name="office", workflows=[settle], agents=agents, channels={boss: self.channel}, on_end=on_end)


GIVEN = {"order_id": "4471", "card": CARD, "pin": PIN}


async def listed(kit: Kit, session_id: str) -> str:
    timeline = await kit.timeline(session_id)
    entries = [entry.to_json() for entry in entries_of(timeline)]
    audit = [row.decision_json for row in timeline.audit]
    questions = [prompt_of(row) for row in await kit.pending()]
    return to_json([entries, audit, questions])


def assert_hidden(text: str) -> None:
    flat = text.replace("-", " ")
    assert [value for value in (CARD, IBAN, str(SALARY), PIN) if value in text or value in flat] == []


@pytest.mark.behaviour("G2")
@pytest.mark.behaviour("G23")
@pytest.mark.behaviour("G29")
async def test_what_a_workflow_is_given_finds_and_returns_is_in_no_listing(tmp_path: Path) -> None:
    office = Office("May I pay from {iban} to card {card} of one who earns {salary}?")
    with capture_logs() as logs:
        async with Kit(build=office.app, path=tmp_path / "w.db").running() as kit:
            session_id = await kit.start("settle", GIVEN)
            assert_hidden(await listed(kit, session_id))
            await kit.restart()
            await kit.answer("boss", decision=f"yes, but never from {IBAN} to {CARD}")
            assert_hidden(await listed(kit, session_id))
            outcome = await kit.outcome(session_id)
    assert_hidden(repr(logs))
    assert set(office.saw) == {(CARD, IBAN, SALARY)}, "the workflow has the values, on each replay"
    assert outcome == {"result": {**GIVEN, "order_id": f"yes, but never from {IBAN} to {CARD}"}}
    [ask] = office.channel.asks
    asked = rf"May I pay from {IBAN} to card ‹card:\d› of one who earns ‹result:\d›\?"
    assert re.fullmatch(asked, ask.prompt), "the account is shown to those who are asked"
    assert isinstance(ask.form, AnswerForm)
    assert ask.form.private is None
    assert CARD not in repr(ask)
    [withdrawn] = office.channel.withdrawals
    assert withdrawn.ask == ask


@pytest.mark.behaviour("G23")
async def test_a_model_that_reads_a_reply_is_given_tokens(tmp_path: Path) -> None:
    reader = ScriptedModel.by_turn([says("I cannot read that.")])
    office = Office("Pay from {iban} to {card}?", reader=reader)
    async with Kit(build=office.app, path=tmp_path / "w.db").running() as kit:
        await kit.start("settle", GIVEN)
        with pytest.raises(Exception, match="answer"):
            await kit.answer("boss", text=f"{CARD} is fine, {IBAN} is not")
    assert reader.requests
    given = repr(reader.requests)
    assert_hidden(given)
    assert "‹card:" in given
    assert "‹iban:" in given


@pytest.mark.behaviour("G23")
async def test_a_value_that_may_not_leave_stands_in_no_question(tmp_path: Path) -> None:
    office = Office("Is {pin} the pin?")
    async with Kit(build=office.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("settle", GIVEN)
        assert (await kit.outcome(session_id) or {})["result"]["order_id"] == "refused"
        assert_hidden(await listed(kit, session_id))
    assert office.channel.asks == []
    assert [PIN in str(error) or "pin" not in str(error) for error in office.raised] == [False]


async def test_a_question_with_nothing_sensitive_in_it_is_asked_as_it_is(tmp_path: Path) -> None:
    office = Office("May I pay?")
    async with Kit(build=office.app, path=tmp_path / "w.db").running() as kit:
        await kit.start("settle", GIVEN)
        [pause] = await kit.pending()
    assert "private" not in pause.ask_json
    assert [ask.prompt for ask in office.channel.asks] == ["May I pay?"]


@pytest.mark.behaviour("G23")
async def test_an_agent_that_a_workflow_asks_is_given_masks_and_tokens(tmp_path: Path) -> None:
    writer = ScriptedModel.by_turn([says("Done.")])
    office = Office("Write to the owner of {iban} and {card}.", writer=writer)
    async with Kit(build=office.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("settle", GIVEN)
        assert_hidden(await listed(kit, session_id))
    [request] = writer.requests
    assert request.messages[-1].content == "Write to the owner of ‹iban:1› and •••."


@pytest.mark.parametrize("given", [{"card": CARD}, {"order_id": 4, "card": CARD, "pin": PIN}])
async def test_arguments_that_do_not_fit_are_listed_no_better(tmp_path: Path, given: Any) -> None:
    office = Office("?")
    async with Kit(build=office.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("settle", given)
        session = await kit.session(session_id)
        assert session.status == "failed"
        assert_hidden((session.reason or "") + await listed(kit, session_id))


@pytest.mark.parametrize("answer", ["paid", "fail"])
async def test_the_end_of_a_workflow_is_noticed_with_masks_alone(tmp_path: Path, answer: str) -> None:
    office = Office("May I?")
    async with Kit(build=office.app, path=tmp_path / "w.db").running() as kit:
        await kit.start("settle", GIVEN)
        await kit.restart()
        await kit.answer("boss", decision=answer)
    [notice] = office.ended
    told = to_json([notice.result, notice.error])
    assert_hidden(told)
    assert "•••" in told
    if answer == "fail":
        assert notice.error == "execution.failed: the bank refused ••• for •••"
