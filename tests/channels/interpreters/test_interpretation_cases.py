"""The cases of ``tests/cases/interpretation.yaml`` that rules answer by themselves, one test a reply."""

from __future__ import annotations

from datetime import UTC, date
from typing import Any

import pytest
import yaml

from overwinter.actors.asks import AnswerForm, ChoiceForm, NotUnderstood, Understood
from overwinter.channels.interpreters.open_questions import OpenQuestion, split_reply
from overwinter.channels.interpreters.rules import RulesInterpreter, read_by_rules
from overwinter.channels.interpreters.stance import gives_orders
from overwinter.channels.interpreters.text import read_text, without_hidden

from .asks import CASES, CHOICES, PROMPT, ask, case, refund

WORDS = ("approve", "reject", "ask_again")


def replies_of(name: str) -> list[Any]:
    """Each reply of a case with what it may be read as."""
    found = case(name)
    replies: list[str] = found["input"]["replies"]
    expect: dict[str, Any] = found["expect"]
    wanted: list[str] = expect["replies"] if "replies" in expect else [expect["all"]] * len(replies)
    return [
        pytest.param(reply, readings(want), id=f"{name}-{at}", marks=pytest.mark.case(name))
        for at, (reply, want) in enumerate(zip(replies, wanted, strict=True))
    ]


def readings(want: str) -> set[str]:
    if want == "no decision":
        return {"ask_again"}
    plain = want.partition(" unless")[0]
    found = set(plain.split(" or "))
    assert found <= set(WORDS)
    return found


ALL = [param for name in ("in01", "in02", "in03", "in04", "in08", "in09", "in11") for param in replies_of(name)]


@pytest.mark.parametrize(("reply", "allowed"), ALL)
async def test_a_choice_is_read_as_the_case_says(reply: str, allowed: set[str]) -> None:
    reading = await RulesInterpreter().read(ask(CHOICES), reply)
    found = reading.decision if isinstance(reading, Understood) else "ask_again"
    assert found in allowed


@pytest.mark.parametrize(("reply", "allowed"), ALL)
async def test_an_approval_is_read_as_the_case_says(reply: str, allowed: set[str]) -> None:
    reading = await RulesInterpreter().read(ask(refund("1234.56")), reply)
    if isinstance(reading, Understood):
        assert reading.decision["override_arguments"] is None
        assert ("approve" if reading.decision["approved"] else "reject") in allowed
    else:
        assert "ask_again" in allowed


@pytest.mark.parametrize("text", case("in02")["input"]["judge_outputs"])
@pytest.mark.case("in02")
def test_no_loose_word_of_a_judge_is_an_approval(text: str) -> None:
    reading = read_by_rules(CHOICES, PROMPT, text)
    assert not isinstance(reading, Understood) or reading.decision == "reject"


@pytest.mark.parametrize("reply", case("in11")["input"]["replies"])
@pytest.mark.case("in11")
def test_invisible_text_is_flagged_and_gone_before_a_model_sees_it(reply: str) -> None:
    assert read_text(reply).hidden
    assert not any(
        "\U000e0000" <= char <= "\U000e007f" or char in "\u200b\u00ad\u202e" for char in without_hidden(reply)
    )


@pytest.mark.parametrize("reply", case("in09")["input"]["replies"])
@pytest.mark.case("in09")
def test_a_reply_that_talks_to_the_reader_is_noticed(reply: str) -> None:
    assert gives_orders(read_text(reply).visible)


# One reply, several questions.

TWO = [
    OpenQuestion(id="a" * 32, label="Q1", form=CHOICES, prompt="refund 4471"),
    OpenQuestion(id="b" * 32, label="Q2", form=CHOICES, prompt="mail the customer"),
]


@pytest.mark.parametrize(
    ("reply", "expected"), list(zip(case("in06")["input"]["replies"], case("in06")["expect"]["replies"], strict=True))
)
@pytest.mark.case("in06")
def test_one_reply_answers_the_questions_it_speaks_of(reply: str, expected: dict[str, str]) -> None:
    assert case("in06")["input"]["open"] == [f"{each.label} {each.prompt}" for each in TWO]
    found = split_reply(TWO, reply)
    shown = {each.label: found.get(each.id) for each in TWO}
    words = {
        label: "open" if reading is None else reading.decision if isinstance(reading, Understood) else "ask_again"
        for label, reading in shown.items()
    }
    assert words == expected


@pytest.mark.case("in22")
def test_an_approve_with_nothing_open_answers_nothing() -> None:
    assert split_reply([], "approve") == {}


@pytest.mark.case("in22")
def test_an_approve_with_two_open_is_asked_which() -> None:
    found = split_reply(TWO, "approve")
    assert found.keys() == {each.id for each in TWO}
    for reading in found.values():
        assert isinstance(reading, NotUnderstood)
        assert "Q1, Q2" in reading.reason


# Data out of a reply.

WANTED = AnswerForm(
    schema={
        "type": "object",
        "properties": {
            "cost_centre": {"type": "string", "pattern": case("in21")["input"]["ask"]["schema"]["cost_centre"]},
            "start": {"type": "string", "format": case("in21")["input"]["ask"]["schema"]["start"]},
        },
        "required": ["cost_centre", "start"],
    }
)


@pytest.mark.parametrize(
    ("reply", "expected"), list(zip(case("in21")["input"]["replies"], case("in21")["expect"]["replies"], strict=True))
)
@pytest.mark.case("in21")
async def test_data_is_read_only_where_it_is_certain(reply: str, expected: dict[str, str] | str) -> None:
    asked = ask(WANTED, case("in21")["input"]["ask"]["prompt"])
    reading = await RulesInterpreter(tz=UTC).read(asked, reply)
    if isinstance(expected, dict):
        assert isinstance(reading, Understood)
        assert reading.decision == expected
    else:
        assert expected.startswith("ask_again")
        assert isinstance(reading, NotUnderstood)
        if "ambiguous" in expected:
            assert "03/04/2026" in reading.reason
            assert "more than one way" in reading.reason


@pytest.mark.case("in21")
def test_the_case_asks_on_the_day_the_tests_ask() -> None:
    assert date.fromisoformat(str(case("in21")["input"]["now"])) == date(2026, 3, 3)


MAILS = [
    pytest.param(each["expect"]["text"], each["expect"].get("decision", "none"), id=each["id"][:4])
    for each in yaml.safe_load(CASES.with_name("email_replies.yaml").read_text())
    if each.get("expect", {}).get("text") and each["expect"].get("sender_allowed", True)
]


@pytest.mark.parametrize(("text", "decision"), MAILS)
def test_what_people_mailed_is_read_as_a_careful_person_reads_it(text: str, decision: str) -> None:
    reading = read_by_rules(CHOICES, PROMPT, text)
    found = reading.decision if isinstance(reading, Understood) else "ask_again"
    if decision in ("approve", "reject"):
        assert found == decision
    else:
        assert found != "approve"


def test_every_case_of_these_kinds_is_still_in_the_file() -> None:
    ids = {each["id"][:4] for each in yaml.safe_load(CASES.read_text())}
    assert {f"in{n:02}" for n in (1, 2, 3, 4, 6, 8, 9, 11, 12, 13, 15, 18, 21, 22)} <= ids


def test_the_cases_ask_what_the_tests_ask() -> None:
    for name in ("in01", "in02", "in03", "in04", "in08", "in09", "in11"):
        asked = case(name)["input"]["ask"]
        assert (asked["prompt"], ChoiceForm(choices=tuple(asked["choices"]))) == (PROMPT, CHOICES)
