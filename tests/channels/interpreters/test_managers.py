"""Replies of managers to questions of many kinds, read as the files of ``managers/`` say a careful clerk reads them."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from overwinter.actors.asks import AnswerForm, ApprovalForm, ChoiceForm, Form, Understood
from overwinter.channels.interpreters.open_questions import OpenQuestion, split_reply
from overwinter.channels.interpreters.rules import read_by_rules

from .asks import CHOICES, PROMPT, REFUND_SCHEMA, refund

FOLDER = Path(__file__).parent / "managers"
TODAY = date(2026, 3, 3)
CONTRACT: dict[str, Any] = {
    "cost_centre": {"type": "string", "pattern": "^[0-9]{4}$"},
    "start": {"type": "string", "format": "date"},
    "budget": {"type": "number", "exclusiveMinimum": 0},
}
QUESTIONS: dict[str, tuple[Form, str]] = {
    "refund": (refund("1234.56"), PROMPT),
    "limits": (
        ApprovalForm(tool="refund_card", arguments={"order_id": "8812", "amount": "600.00"}, schema=REFUND_SCHEMA),
        "Refund 600.00 EUR to Bergmann GmbH for order 8812?",
    ),
    "shipping": (
        ChoiceForm(choices=("DHL Express", "UPS Standard", "Pick up in store")),
        "How should we ship order 5120?",
    ),
    "colours": (ChoiceForm(choices=("blue", "dark blue", "light green")), "Which colour for the new van?"),
    "supplier": (
        ChoiceForm(choices=("keep the current supplier", "switch to Novatec", "put it out to tender")),
        "What shall we do about the packaging contract?",
    ),
    "slots": (
        ChoiceForm(choices=("Tuesday 10:00", "Thursday 15:00")),
        "Which slot suits you for the board call?",
    ),
    "start_day": (AnswerForm(schema=CONTRACT["start"]), "From which day should the new contract run?"),
    "laptops": (AnswerForm(schema={"type": "integer", "minimum": 1}), "How many laptops should we order?"),
    "budget": (AnswerForm(schema=CONTRACT["budget"]), "What is the budget for the summer party, in EUR?"),
    "vat": (AnswerForm(schema={"type": "boolean"}), "Does the supplier charge VAT?"),
    "contract": (
        AnswerForm(schema={"type": "object", "properties": CONTRACT, "required": list(CONTRACT)}),
        "Which cost centre, from which day, and what monthly budget in EUR?",
    ),
}
TWO = [
    OpenQuestion(id="a", label="Q1", form=CHOICES, prompt="Refund order 4471?"),
    OpenQuestion(id="b", label="Q2", form=CHOICES, prompt="Refund order 4472?"),
]


def rows() -> list[tuple[str, str, str]]:
    """Question, what is recorded, and the reply."""
    return [
        (question, wanted, reply)
        for name in ("first.yaml", "second.yaml")
        for question, groups in yaml.safe_load((FOLDER / name).read_text(encoding="utf-8")).items()
        for wanted, replies in groups.items()
        for reply in replies
    ]


def written(decision: Any) -> str:
    """A decision in the files' words."""
    match decision:
        case {"approved": True, "override_arguments": None}:
            return "approve"
        case {"approved": True, "override_arguments": changed}:
            return f"limit {changed['amount']}"
        case {"approved": False}:
            return "reject"
        case {"cost_centre": centre, "start": start, "budget": budget}:
            return f"cost_centre={centre} start={start} budget={budget}"
        case _:
            return str(decision)


def recorded(question: str, reply: str) -> str:
    if question == "two":
        readings = split_reply(TWO, reply, today=TODAY)
        letters = {"approve": "y", "reject": "n"}
        found = {key: letters[each.decision] for key, each in readings.items() if isinstance(each, Understood)}
        return " ".join(f"{key}={found[key]}" for key in sorted(found)) if len(found) == len(readings) else "ask"
    form, prompt = QUESTIONS[question]
    reading = read_by_rules(form, prompt, reply, today=TODAY)
    return written(reading.decision) if isinstance(reading, Understood) else "ask"


@pytest.mark.parametrize(("question", "wanted", "reply"), rows())
def test_a_reply_is_read_as_a_careful_clerk_reads_it(question: str, wanted: str, reply: str) -> None:
    found = recorded(question, reply)
    if wanted.endswith("~"):
        assert found in (wanted[:-1], "ask")
    else:
        assert found == ("ask" if wanted.endswith("!") else wanted)


def test_there_are_many_to_every_question_and_most_that_are_certain_are_read() -> None:
    found = rows()
    assert len(found) == len({(question, reply) for question, _, reply in found}) >= 1_400
    assert {question for question, _, _ in found} == {*QUESTIONS, "two"}
    certain = [wanted for _, wanted, _ in found if wanted != "ask" and not wanted.endswith("~")]
    assert sum(wanted.endswith("!") for wanted in certain) * 8 < len(certain)
