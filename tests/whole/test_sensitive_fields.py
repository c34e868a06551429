"""Sensitive values from the model's call to the tool's body and back: who is given them, and who never is."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import pytest
import structlog
from pydantic import BaseModel, Field

from overwinter.actors.answers import Received
from overwinter.actors.asks import AnswerForm, ApprovalForm, Ask, NotUnderstood, Reading
from overwinter.actors.errors import (
    PauseInvalidDecisionError,
    PauseUninterpretableReplyError,
    PiiRefusedError,
)
from overwinter.actors.events import EventKind
from overwinter.actors.jsontext import from_json, to_json
from overwinter.actors.messages import ModelReply, ModelRequest
from overwinter.actors.opening import prompt_of
from overwinter.actors.ports import Model, ReplyReader
from overwinter.actors.run import Run
from overwinter.bots.agents import Agent, fingerprint_of
from overwinter.bots.app import App
from overwinter.bots.privacy import Sensitive
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import Tool, ToolCall, tool
from overwinter.bots.workflows import workflow
from overwinter.channels.interpreters.code import CodeInterpreter
from overwinter.channels.interpreters.model import ModelInterpreter
from overwinter.channels.interpreters.rules import RulesInterpreter
from overwinter.channels.roles import Answerer, ApprovalRole, QuestionRole
from overwinter.deploy.timeline import entries_of

CARD = "4111 1111 1111 1111"
OTHER_CARD = "5500 0000 0000 0004"
IBAN = "DE89370400440532013000"
PIN = "9317"


class Payee(BaseModel):
    name: str
    iban: Annotated[str, Sensitive("token", show_to_asked=True)]


class Refund(BaseModel):
    order_id: str
    amount: Decimal = Field(gt=0)
    card: Annotated[str, Sensitive("mask")]
    payees: list[Payee] = []
    is_ill: Annotated[bool, Sensitive("mask")] = False
    pin: Annotated[str | None, Sensitive("block")] = None
    note: str = ""


REFUND = {
    "order_id": "4471",
    "amount": "80.00",
    "card": CARD,
    "payees": [{"name": "olga", "iban": IBAN}],
    "is_ill": True,
    "note": f"card 4111-1111-1111-1111 belongs to olga, who banks at {IBAN}",
}


class Desk:
    """An app with one tool that has sensitive fields; what really ran outlives every restart."""

    def __init__(self, model: Model, *, interpreter: ReplyReader | None = None, answers: str = "") -> None:
        self.ran: list[Refund] = []
        self.channel = RecordingChannel()
        self._model = model
        self._interpreter = interpreter or RulesInterpreter()
        self._answers = answers

    def app(self) -> App:
        role = ApprovalRole(name="approval", answered_by=Answerer.CHANNEL, interpreter=self._interpreter)

        @tool(asks=role)
        async def refund_card(refund: Refund, call: ToolCall[Any]) -> str:
            """Refund a card payment."""
            self.ran.append(refund)
            return f"refunded to {refund.card}{self._answers}"

        agent = Agent(name="support", tools=[refund_card], model=self._model)
        return App(name="desk", agents=[agent], channels={role: self.channel})


@contextmanager
def everything_logged() -> Generator[list[Any]]:
    """All that is logged while the block runs, with nothing filtered."""
    with structlog.testing.capture_logs() as logs:
        yield logs


async def everything_listed(kit: Kit, session_id: str) -> str:
    """What listings of the session say: its timeline, its audit, its open questions."""
    timeline = await kit.timeline(session_id)
    entries = [entry.to_json() for entry in entries_of(timeline)]
    audit = [row.decision_json for row in timeline.audit]
    questions = [prompt_of(row) for row in await kit.pending() if row.kind == "ask"]
    return to_json([entries, audit, questions])


def given_to(model: ScriptedModel) -> str:
    return "\n".join(message.content for request in model.requests for message in request.messages)


def assert_hidden(text: str, *values: str) -> None:
    flat = text.replace("-", " ")
    assert [value for value in values if value in text or value in flat] == []


@pytest.mark.behaviour("G2")
@pytest.mark.behaviour("G23")
@pytest.mark.behaviour("G29")
async def test_a_sensitive_value_reaches_the_tool_and_no_listing_log_or_other_person(tmp_path: Path) -> None:
    model = ScriptedModel.by_turn([calls("refund_card", REFUND), says("Done.")])
    desk = Desk(model)
    with everything_logged() as logs:
        async with Kit(build=desk.app, path=tmp_path / "w.db").running() as kit:
            session_id = await kit.start("support", "refund 4471")
            asked = await everything_listed(kit, session_id)
            await kit.restart()
            await kit.answer("refund_card", text="yes")
            listed = await everything_listed(kit, session_id)
            stored = [event.body_json for event in (await kit.timeline(session_id)).events]
    assert [(refund.card, refund.is_ill) for refund in desk.ran] == [(CARD, True)]
    assert desk.ran[0].note == REFUND["note"]
    assert_hidden(asked, CARD, IBAN, "is_ill=true")
    assert_hidden(listed, CARD, IBAN)
    assert_hidden(repr(logs), CARD, IBAN)
    assert any(CARD in body for body in stored), "a replay needs the value"
    [ask] = desk.channel.asks
    assert isinstance(ask.form, ApprovalForm)
    assert_hidden(to_json([ask.prompt, ask.form.arguments]), CARD)
    assert IBAN in ask.prompt, "this field is shown to those who are asked"
    assert ask.form.arguments["card"] == "‹card:1›"
    assert ask.form.arguments["payees"] == [{"name": "olga", "iban": IBAN}]
    assert ask.form.arguments["is_ill"] not in (True, False)
    assert "is_ill=true" not in ask.prompt
    [withdrawn] = desk.channel.withdrawals
    assert withdrawn.ask == ask


@pytest.mark.behaviour("G8")
@pytest.mark.behaviour("G23")
async def test_who_edits_a_call_without_seeing_its_values_leaves_them_as_they_were(tmp_path: Path) -> None:
    two = [{"name": "olga", "iban": IBAN}, {"name": "tom", "iban": "FR1420041010050500013M02606"}]
    model = ScriptedModel.by_turn([calls("refund_card", {**REFUND, "payees": two}), says("Done.")])
    desk = Desk(model)
    async with Kit(build=desk.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("support", "refund 4471")
        [ask] = desk.channel.asks
        assert isinstance(ask.form, ApprovalForm)
        edited = {**ask.form.arguments, "amount": "40.00", "payees": ask.form.arguments["payees"][1:]}
        answered = await kit.answer(
            "refund_card", decision={"approved": True, "override_arguments": edited, "reason": f"not {CARD}!"}
        )
        listed = await everything_listed(kit, session_id)
        taken = next(event for event in (await kit.timeline(session_id)).events if event.kind == EventKind.PAUSE_TAKEN)
    [ran] = desk.ran
    assert (ran.card, ran.amount, ran.is_ill, ran.note) == (CARD, Decimal("40.00"), True, REFUND["note"])
    assert [(payee.name, payee.iban) for payee in ran.payees] == [("tom", two[1]["iban"])]
    assert from_json(taken.body_json)["answer"]["override_arguments"]["card"] == CARD
    assert_hidden(listed, CARD, IBAN, two[1]["iban"])
    assert_hidden(to_json(answered.decision), CARD, IBAN, two[1]["iban"])
    assert_hidden(model.requests[-1].messages[-1].content, CARD, two[1]["iban"])
    assert "amount=40.00" in model.requests[-1].messages[-1].content


@pytest.mark.behaviour("G23")
@pytest.mark.parametrize(
    "override",
    [
        {**REFUND, "card": "‹card:9›"},
        {**REFUND, "card": "•••"},
        {**REFUND, "order_id": "‹card:1›"},
        {**REFUND, "payees": [{"name": "‹card:1›", "iban": IBAN}]},
    ],
    ids=["unknown token", "mask", "token where nothing is hidden", "token in a neighbour"],
)
async def test_a_token_that_says_nothing_is_refused_and_the_question_stays(
    tmp_path: Path, override: dict[str, Any]
) -> None:
    desk = Desk(ScriptedModel.by_turn([calls("refund_card", REFUND), says("Done.")]))
    async with Kit(build=desk.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("support", "refund 4471")
        with pytest.raises(PauseInvalidDecisionError):
            await kit.answer("refund_card", decision={"approved": True, "override_arguments": override})
        assert (await kit.session(session_id)).status == "waiting"
        assert desk.ran == []


async def test_what_is_wrong_with_an_edit_is_said_without_the_values(tmp_path: Path) -> None:
    desk = Desk(ScriptedModel.by_turn([calls("refund_card", REFUND), says("Done.")]))
    async with Kit(build=desk.app, path=tmp_path / "w.db").running() as kit:
        await kit.start("support", "refund 4471")
        [ask] = desk.channel.asks
        assert isinstance(ask.form, ApprovalForm)
        broken = {**ask.form.arguments, "payees": "all of them", "amount": [ask.form.arguments["card"]]}
        with pytest.raises(PauseInvalidDecisionError) as caught:
            await kit.answer("refund_card", decision={"approved": True, "override_arguments": broken})
    assert_hidden(str(caught.value), CARD, IBAN)
    assert caught.value.__cause__ is None


@pytest.mark.behaviour("G23")
async def test_what_may_not_leave_fails_the_execution_before_anybody_is_asked(tmp_path: Path) -> None:
    model = ScriptedModel.by_turn([calls("refund_card", {**REFUND, "pin": PIN}), says("Done.")])
    desk = Desk(model)
    with everything_logged() as logs:
        async with Kit(build=desk.app, path=tmp_path / "w.db").running() as kit:
            session_id = await kit.start("support", "refund 4471")
            outcome = await kit.outcome(session_id)
            listed = await everything_listed(kit, session_id)
            assert await kit.pending() == ()
    assert outcome["code"] == "pii.refused"
    assert "pin" in outcome["detail"]
    assert (desk.ran, desk.channel.asks) == ([], [])
    assert_hidden(listed + repr(logs), PIN, CARD, IBAN)


# -- replies ----------------------------------------------------------------------------------------------------------
def reads(answer: Callable[[ModelRequest], dict[str, Any]]) -> ScriptedModel:
    """A model that reads replies: it calls the answer tool with what ``answer`` makes of the request."""

    def reply(request: ModelRequest) -> ModelReply:
        return calls("record_answer", answer(request))

    return ScriptedModel(reply)


def approves_with(override: dict[str, Any] | None, evidence: str) -> Callable[[ModelRequest], dict[str, Any]]:
    return lambda _request: {"verdict": "approve", "override_arguments": override, "evidence": evidence}


def data_in(request: ModelRequest) -> Any:
    return from_json(request.messages[-1].content)


@pytest.mark.behaviour("G20")
@pytest.mark.behaviour("G23")
async def test_a_model_reads_tokens_and_its_answer_is_the_values_again(tmp_path: Path) -> None:
    reading = reads(
        lambda request: {
            "verdict": "approve",
            "override_arguments": {**data_in(request)["question"]["arguments"], "amount": "40.00"},
            "evidence": data_in(request)["reply"],
        }
    )
    desk = Desk(
        ScriptedModel.by_turn([calls("refund_card", REFUND), says("Done.")]),
        interpreter=ModelInterpreter("A manager answers.", model=reading),
    )
    with everything_logged() as logs:
        async with Kit(build=desk.app, path=tmp_path / "w.db").running() as kit:
            session_id = await kit.start("support", "refund 4471")
            answered = await kit.answer("refund_card", text="approved, but only 40.00")
            listed = await everything_listed(kit, session_id)
    assert answered.by == "model"
    [ran] = desk.ran
    assert (ran.card, ran.amount, ran.note) == (CARD, Decimal("40.00"), REFUND["note"])
    assert ran.payees == [Payee(name="olga", iban=IBAN)]
    assert "‹card:1›" in given_to(reading)
    assert_hidden(given_to(reading) + to_json([spec.parameters for spec in reading.requests[0].tools]), CARD, IBAN)
    assert_hidden(listed + repr(logs), CARD, IBAN)


@pytest.mark.behaviour("G23")
async def test_a_reply_that_quotes_a_value_in_other_letters_is_read_with_tokens_and_listed_masked(
    tmp_path: Path,
) -> None:
    quoted = "４１１１ 1111\u200b 1111-1111"
    reading = reads(
        lambda request: {
            "verdict": "reject",
            "evidence": data_in(request)["reply"],
            "reason": data_in(request)["reply"],
        }
    )
    agents = ScriptedModel.by_turn([calls("refund_card", REFUND), says("Done.")])
    desk = Desk(agents, interpreter=ModelInterpreter("A manager answers.", model=reading))
    with everything_logged() as logs:
        async with Kit(build=desk.app, path=tmp_path / "w.db").running() as kit:
            session_id = await kit.start("support", "refund 4471")
            await kit.answer("refund_card", text=f"No, {quoted} is stolen")
            taken = next(
                event for event in (await kit.timeline(session_id)).events if event.kind == EventKind.PAUSE_TAKEN
            )
            listed = await everything_listed(kit, session_id)
    reason = from_json(taken.body_json)["answer"]["reason"]
    assert "４１１１" in reason, "what was said is stored as it was said"
    everywhere = given_to(reading) + listed + repr(logs) + agents.requests[-1].messages[-1].content
    assert "４１１１" not in everywhere
    assert "1111-1111" not in everywhere
    assert "is stolen" in agents.requests[-1].messages[-1].content


@pytest.mark.behaviour("G21")
@pytest.mark.behaviour("G23")
async def test_a_token_that_the_model_made_up_is_not_understood_and_the_question_stays(tmp_path: Path) -> None:
    reading = reads(approves_with({**REFUND, "card": "‹card:77›"}, "yes please, for 40.00"))
    desk = Desk(
        ScriptedModel.by_turn([calls("refund_card", REFUND), says("Done.")]),
        interpreter=ModelInterpreter("A manager answers.", model=reading),
    )
    async with Kit(build=desk.app, path=tmp_path / "w.db").running() as kit:
        await kit.start("support", "refund 4471")
        before = await kit.question("refund_card")
        with pytest.raises(PauseUninterpretableReplyError) as caught:
            await kit.answer("refund_card", text="yes please, for 40.00")
        assert "‹card:77›" in str(caught.value.cause)
        assert (await kit.question("refund_card")).pause_id == before.pause_id
        assert desk.ran == []
        await kit.answer("refund_card", decision={"approved": True})
    assert [refund.card for refund in desk.ran] == [CARD]


@pytest.mark.behaviour("G19")
@pytest.mark.behaviour("G23")
async def test_what_a_reader_says_of_a_reply_is_told_and_logged_without_the_values(tmp_path: Path) -> None:
    def quotes(ask: Ask, reply: str) -> Reading:
        assert isinstance(ask.form, ApprovalForm)
        assert ask.form.arguments["card"] == CARD, "the author's own code reads the question as it is"
        if reply == "crash":
            raise ValueError(f"no idea about {CARD} of {IBAN}")
        return NotUnderstood(reason=f"What of card {CARD}?", by="code", cause=f"{reply} against {IBAN}")

    desk = Desk(
        ScriptedModel.by_turn([calls("refund_card", REFUND), says("Done.")]), interpreter=CodeInterpreter(quotes)
    )
    with everything_logged() as logs:
        async with Kit(build=desk.app, path=tmp_path / "w.db").running() as kit:
            await kit.start("support", "refund 4471")
            for reply in (f"is it {CARD}?", "crash"):
                with pytest.raises(PauseUninterpretableReplyError) as caught:
                    await kit.answer("refund_card", text=reply)
                assert_hidden(f"{caught.value} {caught.value.cause}", CARD, IBAN)
    assert any(entry["event"] == "reply.not-understood" for entry in logs)
    assert_hidden(repr(logs), CARD, IBAN)


class Person(BaseModel):
    name: str
    ssn: Annotated[str, Sensitive("mask")]


@pytest.mark.behaviour("G23")
@pytest.mark.behaviour("G29")
async def test_a_sensitive_answer_is_read_by_no_model_and_shown_in_no_listing(tmp_path: Path) -> None:
    reading = reads(lambda _request: {"is_clear": True, "answer": {"name": "olga", "ssn": "x"}, "evidence": "olga"})
    role = QuestionRole(
        name="clerk",
        answer=Person,
        answered_by=Answerer.CHANNEL,
        interpreter=ModelInterpreter("A clerk answers.", model=reading),
    )
    heard: list[Person] = []

    async def save(person: Person) -> str:
        return f"{person.name} is {person.ssn}"

    @workflow(version="1")
    async def enrol(run: Run) -> str:
        person = await run.ask(role, "Who is it?")
        heard.append(person)
        await run.step(save, person)
        return f"enrolled {person.name}"

    channel = RecordingChannel()
    app = App(name="a", workflows=[enrol], channels={role: channel})
    with everything_logged() as logs:
        async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
            session_id = await kit.start("enrol", "{}")
            with pytest.raises(PiiRefusedError):
                await kit.answer("clerk", text="olga, 078-05-1120")
            with pytest.raises(PauseInvalidDecisionError) as caught:
                await kit.answer("clerk", decision={"name": 7, "ssn": "078-05-1120"})
            assert (await kit.session(session_id)).status == "waiting"
            await kit.answer("clerk", decision={"name": "olga", "ssn": "078-05-1120"})
            listed = await everything_listed(kit, session_id)
    assert reading.requests == ()
    assert heard[-1] == Person(name="olga", ssn="078-05-1120")
    assert "078-05-1120" not in listed + repr(logs) + str(caught.value)
    assert "enrolled olga" in listed
    assert isinstance(channel.asks[0].form, AnswerForm)
    assert "x-sensitive" not in to_json(channel.asks[0].form.schema)


# -- what the agent's own model is told -------------------------------------------------------------------------------
class Customer(BaseModel):
    name: str
    card: Annotated[str, Sensitive("token")]
    twin: Annotated[str, Sensitive("token")]
    ssn: Annotated[str, Sensitive("mask")]
    pin: Annotated[str, Sensitive("block")]


def lookup_tool() -> Tool:
    @tool
    async def look_up(name: str) -> Customer:
        """Look a customer up."""
        return Customer(name=name, card=CARD, twin=CARD, ssn="078-05-1120", pin=PIN)

    return look_up


@pytest.mark.behaviour("G23")
async def test_a_result_is_told_to_the_model_as_its_fields_allow(tmp_path: Path) -> None:
    model = ScriptedModel.by_turn([calls("look_up", {"name": "olga"}), says("Done.")])
    app = App(name="a", agents=[Agent(name="b", tools=[lookup_tool()], model=model)])
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("b", "who is olga?")
        listed = await everything_listed(kit, session_id)
    told = from_json(model.requests[-1].messages[-1].content)
    assert told["name"] == "olga"
    assert told["card"].startswith("‹card:")
    assert told["card"] == told["twin"]
    assert (told["ssn"], told["pin"]) == ("•••", "•••")
    assert_hidden(listed, CARD, PIN, "078-05-1120")


@pytest.mark.behaviour("G23")
@pytest.mark.parametrize("card", ["‹card:1›", "•••", "x •••"])
async def test_a_call_with_a_token_for_a_value_does_not_run(tmp_path: Path, card: str) -> None:
    model = ScriptedModel.by_turn([calls("refund_card", {**REFUND, "card": card}), says("Sorry.")])
    desk = Desk(model)
    async with Kit(build=desk.app, path=tmp_path / "w.db").running() as kit:
        await kit.start("support", "refund 4471")
        assert await kit.pending() == ()
    assert (desk.ran, desk.channel.asks) == ([], [])
    assert "card" in model.requests[-1].messages[-1].content


@pytest.mark.parametrize(
    "arguments",
    [
        {**REFUND, "amount": "none"},
        {**REFUND, "card": [CARD]},
        f'{{"card": "{CARD}"',
        f'{{"card": "{CARD}", "card": 1}}',
    ],
    ids=["a field that does not fit", "a list for a text", "cut off", "a key twice"],
)
async def test_a_call_that_does_not_fit_is_listed_without_its_values(tmp_path: Path, arguments: Any) -> None:
    model = ScriptedModel.by_turn([calls("refund_card", arguments), says("Sorry.")])
    desk = Desk(model)
    async with Kit(build=desk.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("support", "refund 4471")
        listed = await everything_listed(kit, session_id)
    assert desk.ran == []
    assert_hidden(listed, CARD, IBAN)


async def test_a_call_written_in_escapes_is_listed_without_its_values(tmp_path: Path) -> None:
    written = to_json(REFUND).replace("4111", "\\u00341\\u00311")
    assert from_json(written) == REFUND
    desk = Desk(ScriptedModel.by_turn([calls("refund_card", written), says("Done.")]))
    async with Kit(build=desk.app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("support", "refund 4471")
        await kit.answer("refund_card", text="yes")
        listed = await everything_listed(kit, session_id)
    assert [refund.card for refund in desk.ran] == [CARD]
    assert "u00341" not in listed
    assert_hidden(listed, CARD, IBAN)


async def test_a_value_that_a_person_gave_comes_back_to_the_model_hidden_even_in_an_error(tmp_path: Path) -> None:
    role = ApprovalRole(name="approval", answered_by=Answerer.CHANNEL)
    ran: list[str] = []

    @tool(asks=role)
    async def charge(card: Annotated[str, Sensitive("token")]) -> str:
        """Charge a card."""
        ran.append(card)
        raise ValueError(f"{card} was declined")

    model = ScriptedModel.by_turn([calls("charge", {"card": CARD}), says("Sorry.")])
    channel = RecordingChannel()
    app = App(name="a", agents=[Agent(name="b", tools=[charge], model=model)], channels={role: channel})
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("b", "charge it")
        await kit.answer("charge", decision={"approved": True, "override_arguments": {"card": OTHER_CARD}})
        listed = await everything_listed(kit, session_id)
    assert ran == [OTHER_CARD]
    told = model.requests[-1].messages[-1].content
    assert "was declined" in told
    assert_hidden(told + listed, OTHER_CARD)


@pytest.mark.behaviour("G2")
async def test_the_question_of_a_waiting_tool_hides_what_its_arguments_do(tmp_path: Path) -> None:
    role = QuestionRole(name="manager", answer=str, answered_by=Answerer.CHANNEL, interpreter=RulesInterpreter())

    @tool(answer=role)
    async def consult(
        card: Annotated[str, Sensitive("mask")], salary: Annotated[int, Sensitive("mask", show_to_asked=True)], why: str
    ) -> str:  # pyright: ignore[reportReturnType]  no body: the answer is the result
        """Ask the manager."""

    model = ScriptedModel.by_turn([calls("consult", {"card": CARD, "salary": 71234, "why": f"for {CARD}"}), says("ok")])
    channel = RecordingChannel()
    app = App(name="a", agents=[Agent(name="b", tools=[consult], model=model)], channels={role: channel})
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("b", "ask")
        asked = await everything_listed(kit, session_id)
        [ask] = channel.asks
        await kit.answer("manager", text=f"charge it to {CARD}")
        listed = await everything_listed(kit, session_id)
        opened = next(
            event for event in (await kit.timeline(session_id)).events if event.kind == EventKind.PAUSE_OPENED
        )
    assert_hidden(asked + listed + opened.body_json, CARD, "71234")
    assert "71234" in ask.prompt
    assert isinstance(ask.form, AnswerForm)
    assert ask.form.call is not None
    assert ask.form.call.arguments == {"card": "‹card:1›", "salary": 71234, "why": "for ‹card:1›"}
    assert_hidden(ask.prompt, CARD)
    assert_hidden(model.requests[-1].messages[-1].content, CARD)


async def test_the_message_an_answer_came_in_is_kept_without_its_values_and_known_again(tmp_path: Path) -> None:
    desk = Desk(ScriptedModel.by_turn([calls("refund_card", REFUND), says("Done.")]))
    async with Kit(build=desk.app, path=tmp_path / "w.db").running() as kit:
        await kit.start("support", "refund 4471")
        question = await kit.question("refund_card")
        decision = {"approved": True, "override_arguments": {**REFUND, "card": OTHER_CARD}}
        message = Received(channel="test", external_id="m1")
        await kit.answer(question, decision=decision, received=message)
        again = await kit.answer(question, decision=decision, received=message)
    assert again.is_duplicate
    assert [refund.card for refund in desk.ran] == [OTHER_CARD]
    with closing(sqlite3.connect(tmp_path / "w.db")) as database:
        bodies = database.execute("SELECT body_json FROM inbound WHERE external_id = 'm1'").fetchall()
    assert len(bodies) == 1
    assert_hidden(str(bodies), CARD, OTHER_CARD, IBAN)


async def test_marks_change_neither_what_a_model_is_told_of_a_tool_nor_which_definition_it_is() -> None:
    def plain() -> Tool:
        @tool
        async def charge(card: str) -> str:
            """Charge a card."""
            return card

        return charge

    def marked() -> Tool:
        @tool
        async def charge(card: Annotated[str, Sensitive("mask")]) -> str:
            """Charge a card."""
            return card

        return charge

    assert plain().signature.spec == marked().signature.spec
    assert marked().signature.marks is not None
    agents = [Agent(name="b", tools=[each]) for each in (plain(), marked())]
    assert fingerprint_of(agents[0]) == fingerprint_of(agents[1])
