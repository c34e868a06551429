"""What a model that reads replies is sent, and what becomes of its answer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from overwinter.actors.asks import AnswerForm, ApprovalForm, Ask, JsonValue, NotUnderstood, Reading, Understood
from overwinter.actors.errors import BudgetExceededError, PauseInvalidDecisionError, PiiRefusedError
from overwinter.actors.jsontext import to_json
from overwinter.actors.marks import KEYWORD, mark, marks_of, secrets_in
from overwinter.actors.messages import ModelReply, ToolCallRequest
from overwinter.channels.decisions import schema_fault
from overwinter.channels.interpreters.asking import question_of
from overwinter.channels.privacy import DiscreetReader, HiddenQuestion, discreet, taking_tokens

from ..actors.sensitive_values import CALLS, Marked, leaks_in, unhurried
from ..actors.test_privacy import ARGUMENTS, CARD, FORM, SCHEMA, approval_of, ask_of


def said(arguments: JsonValue) -> ModelReply:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return ModelReply(tool_calls=(ToolCallRequest(call_id="c", tool="record_answer", arguments=text),))


@pytest.mark.behaviour("G23")
@unhurried
@given(CALLS)
def test_a_model_is_sent_no_value_and_its_answer_has_all_of_them(call: Marked) -> None:
    schema, arguments = call
    form = approval_of(arguments, schema)
    secrets = secrets_in(form.marks, arguments)
    everything = to_json(arguments)
    hidden = HiddenQuestion.of(ask_of(form, f"run t({everything})?"), f"yes to {everything}")
    assert isinstance(hidden.ask.form, ApprovalForm)
    assert leaks_in([hidden.ask.prompt, hidden.reply, hidden.ask.form.arguments], secrets) == []
    answer = {"override_arguments": hidden.ask.form.arguments, "evidence": hidden.reply}
    [revealed] = hidden.revealed(said(answer)).tool_calls
    assert json.loads(revealed.arguments) == json.loads(
        json.dumps({"override_arguments": arguments, "evidence": f"yes to {everything}"})
    )


def test_the_invisible_cannot_carry_a_value_past_the_search() -> None:
    sent = question_of(ask_of(FORM, f"run t({CARD})?"), "no, 41\u00ad11 1\x08111 is stolen")
    assert "1111" not in sent
    assert "11 1" not in sent


@pytest.mark.behaviour("G23")
def test_a_token_that_stands_for_nothing_makes_the_model_say_nothing() -> None:
    hidden = HiddenQuestion.of(ask_of(FORM), "yes")
    reply = hidden.revealed(said({"evidence": "‹card:9›"}))
    assert reply.tool_calls == ()
    assert "‹card:9›" in (reply.refusal or "")


def test_what_is_no_sound_call_is_left_for_the_reader_to_refuse() -> None:
    hidden = HiddenQuestion.of(ask_of(FORM), "yes")
    for text in ("{", '{"a": "‹card:1›", "a": 2}', '{"a": 1.10}'):
        assert hidden.revealed(said(text)) == said(text)


def test_a_token_fits_where_the_value_does() -> None:
    form = approval_of(
        {"amount": 80},
        {"type": "object", "properties": {"amount": {"type": "number", KEYWORD: mark("token", is_shown=False)}}},
    )
    schema = taking_tokens(form).schema
    assert schema_fault(schema, {"amount": "‹amount:1›"}) is None
    assert schema_fault(schema, {"amount": 80}) is None
    assert schema_fault(schema, {"amount": "80"}) is not None
    whole = approval_of(
        {"amount": 80},
        {"type": "object", "properties": {"amount": {"type": "number"}}, KEYWORD: mark("token", is_shown=False)},
    )
    assert schema_fault(taking_tokens(whole).schema, {"amount": "‹amount:1›"}) is None


@pytest.mark.behaviour("G23")
def test_what_may_not_leave_goes_to_no_model() -> None:
    schema: dict[str, JsonValue] = {"properties": {"pin": {"type": "string", KEYWORD: mark("block", is_shown=False)}}}
    with pytest.raises(PiiRefusedError):
        HiddenQuestion.of(ask_of(approval_of({"pin": "9317"}, schema)), "yes")
    HiddenQuestion.of(ask_of(approval_of({"pin": None}, schema)), "yes")


@pytest.mark.parametrize("level", ["mask", "token", "block"])
def test_a_sensitive_answer_goes_to_no_model(level: str) -> None:
    marks = {KEYWORD: {"level": level, "shown": False}}
    with pytest.raises(PiiRefusedError):
        question_of(ask_of(AnswerForm(schema={"type": "string"}, marks=marks)), "078-05-1120")


# -- what readers and validators say ----------------------------------------------------------------------------------
class Says:
    """A reader that gives or raises what it is told to."""

    def __init__(self, what: Reading | Exception) -> None:
        self.what = what

    async def read(self, ask: Ask, reply: str) -> Reading:
        if isinstance(self.what, Exception):
            raise self.what
        return self.what


async def test_reasons_and_causes_name_no_value() -> None:
    reader = DiscreetReader(Says(NotUnderstood(reason=f"What of {CARD}?", by="rules", cause=f"{CARD}, DE89 3704")))
    reading = await reader.read(ask_of(FORM), "what?")
    assert reading == NotUnderstood(reason="What of •••?", by="rules", cause="•••, •••")


async def test_a_crash_is_told_without_the_values() -> None:
    reading = await DiscreetReader(Says(ValueError(f"no {CARD}"))).read(ask_of(FORM), "what?")
    assert isinstance(reading, NotUnderstood)
    assert reading.cause == "builtins.ValueError: no •••"


async def test_a_reader_of_a_sensitive_answer_quotes_none_of_it() -> None:
    form = AnswerForm(schema={"type": "string"}, marks={KEYWORD: mark("mask", is_shown=False)})
    reader = DiscreetReader(Says(NotUnderstood(reason="What is 078-05-1120?", by="rules", cause="078-05-11")))
    reading = await reader.read(ask_of(form), "it is 078-05-1120")
    assert isinstance(reading, NotUnderstood)
    assert reading.reason == "What is •••?"
    assert "078" not in (reading.cause or "")


@pytest.mark.parametrize("error", [BudgetExceededError(), PiiRefusedError()])
async def test_what_is_no_fault_of_the_reply_is_raised_on(error: Exception) -> None:
    with pytest.raises(type(error)):
        await DiscreetReader(Says(error)).read(ask_of(FORM), "yes")


async def test_what_is_understood_goes_through_as_it_is() -> None:
    understood = Understood(decision={"approved": True}, by="rules", evidence=f"yes to {CARD}")
    assert await DiscreetReader(Says(understood)).read(ask_of(FORM), "yes") is understood
    plain = ask_of(ApprovalForm(tool="t", arguments={}, schema={}))
    with pytest.raises(ValueError, match="4111"):
        await DiscreetReader(Says(ValueError(CARD))).read(plain, "yes")


def test_a_validator_sees_values_and_names_none() -> None:
    seen: list[JsonValue] = []

    def validate(ask: Ask, decision: JsonValue) -> JsonValue:
        seen.append(decision)
        raise PauseInvalidDecisionError(f"$: {decision} does not fit")

    with pytest.raises(PauseInvalidDecisionError) as caught:
        discreet(validate)(ask_of(FORM), {"override_arguments": {**ARGUMENTS, "card": "‹card:1›", "iban": "FR14 2004"}})
    assert seen == [{"override_arguments": {**ARGUMENTS, "iban": "FR14 2004"}}]
    assert leaks_in(str(caught.value), [*secrets_in(marks_of(SCHEMA), ARGUMENTS)]) == []
    assert "FR14" not in str(caught.value)
