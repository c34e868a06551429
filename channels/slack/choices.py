"""What there is to choose from in a question, and whether buttons can hold it."""

from __future__ import annotations

import json

from ...actors.asks import AnswerForm, ApprovalForm, Form, JsonValue
from ...store.values import value
from .escaping import shown
from .limits import OPTION_TEXT, OPTIONS, units
from .schemas import members_of, resolved

_MOST_BUTTONS = 5


@value
class Choice:
    """One of several answers: what people read, and the decision it stands for."""

    label: str
    decision: JsonValue


def choices_of(form: Form) -> tuple[Choice, ...]:
    """All answers to a question, in their order; none where they cannot be told one by one."""
    match form:
        case ApprovalForm():
            return ()
        case AnswerForm(schema=schema):
            resolved_schema = resolved(schema, schema)
            return choices_in(resolved_schema)
        case _:
            return tuple(Choice(label=shown(each), decision=each) for each in form.choices)


def choices_in(schema: dict[str, JsonValue]) -> tuple[Choice, ...]:
    """All values that a resolved schema allows, if it lists them."""
    if schema.get("type") == "boolean":
        return (Choice(label="Yes", decision=True), Choice(label="No", decision=False))
    return tuple(Choice(label=_label(each), decision=each) for each in members_of(schema))


def are_buttons(choices: tuple[Choice, ...]) -> bool:
    """Whether each choice can be a button with its own words on it."""
    labels = [choice.label for choice in choices]
    return 0 < len(labels) <= _MOST_BUTTONS and _are_distinct_labels(labels)


def are_options(choices: tuple[Choice, ...]) -> bool:
    """Whether all choices can be in one list to select from."""
    return 0 < len(choices) <= OPTIONS


def option_labels(choices: tuple[Choice, ...]) -> tuple[str, ...]:
    """The labels of choices in a list: their own, or numbered where they are long or look alike."""
    labels = [choice.label for choice in choices]
    if _are_distinct_labels(labels):
        return tuple(labels)
    return tuple(f"{at}. {label}" for at, label in enumerate(labels, start=1))


def _are_distinct_labels(labels: list[str]) -> bool:
    fits = all(units(label) <= OPTION_TEXT and "\n" not in label for label in labels)
    return fits and len({" ".join(label.split()).casefold() for label in labels}) == len(labels)


def _label(found: JsonValue) -> str:
    match found:
        case None:
            return "None"
        case bool():
            return "Yes" if found else "No"
        case str():
            return shown(found)
        case _:
            return shown(json.dumps(found, ensure_ascii=False))
