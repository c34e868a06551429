"""From what was pressed, chosen or filled in to a decision, or to what is wrong with it, input by input.

A decision made here is checked again, like any other, before it is recorded (``decisions``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never, cast

from ...actors.asks import AnswerForm, ApprovalForm, Form, JsonValue
from ...store.values import value
from ..decisions import schema_fault
from .carried import Action, ModalKind, Pressed
from .choices import choices_of
from .fields import MISSING, Fault, InputField, answer_fields, argument_fields, explained, field_at, read_field
from .modals import CHOICE, REASON


@value
class ToDecide:
    """What the person decided, as JSON."""

    decision: JsonValue


@value
class ToOpen:
    """The person is to be shown a modal; ``page`` is for the full text alone."""

    modal: ModalKind
    page: int = 0


@value
class FieldErrors:
    """Nothing is decided: what is wrong, by the block of the input.

    ``as_response`` is what acknowledges the submission; the modal stays open and shows it.
    """

    errors: dict[str, str]

    def as_response(self) -> dict[str, JsonValue]:
        """https://docs.slack.dev/surfaces/modals/#displaying_errors"""
        return {"response_action": "errors", "errors": dict(self.errors)}


def on_press(form: Form, press: Pressed) -> ToDecide | ToOpen | None:
    """What a button of a question does; None where the question has no such button."""
    match press.action:
        case Action.APPROVE:
            return ToDecide(decision=_approval(approved=True)) if isinstance(form, ApprovalForm) else None
        case Action.REJECT:
            return ToOpen(modal=ModalKind.REASON) if isinstance(form, ApprovalForm) else None
        case Action.CHANGE:
            is_editable = isinstance(form, ApprovalForm) and argument_fields(form)
            return ToOpen(modal=ModalKind.CHANGES) if is_editable else None
        case Action.CHOICE:
            return _chosen(form, press.number)
        case Action.CHOOSE:
            return ToOpen(modal=ModalKind.CHOICE) if choices_of(form) else None
        case Action.ANSWER:
            return ToOpen(modal=ModalKind.ANSWER) if isinstance(form, AnswerForm) and answer_fields(form) else None
        case Action.SHOW_ALL:
            return ToOpen(modal=ModalKind.FULL_TEXT)
        case Action.PAGE:
            return ToOpen(modal=ModalKind.FULL_TEXT, page=press.number or 0)
        case _:
            assert_never(press.action)


def on_submit(form: Form, kind: ModalKind, values: Mapping[str, str | None]) -> ToDecide | FieldErrors | None:
    """What was sent from a modal; None where the question has no such modal.

    Args:
        values: what stands in each input, by its block; None for an empty one.
    """
    match kind:
        case ModalKind.REASON:
            rejection = _approval(approved=False, reason=_reason(values))
            return ToDecide(decision=rejection) if isinstance(form, ApprovalForm) else None
        case ModalKind.CHANGES:
            return _changed(form, values) if isinstance(form, ApprovalForm) else None
        case ModalKind.CHOICE:
            return _picked(form, values.get(CHOICE)) if choices_of(form) else None
        case ModalKind.ANSWER:
            return _answered(form, values) if isinstance(form, AnswerForm) else None
        case ModalKind.FULL_TEXT:
            return None
        case _:
            assert_never(kind)


def _changed(form: ApprovalForm, values: Mapping[str, str | None]) -> ToDecide | FieldErrors:
    """An approval with the arguments as they were edited; without changes, if everything is as it was."""
    fields = argument_fields(form)
    found = _read(fields, values)
    if isinstance(found, FieldErrors):
        return found
    touched = {name: each for name, each in found.items() if each is not MISSING}
    left_out = {name for name, each in found.items() if each is MISSING}
    arguments = {name: each for name, each in form.arguments.items() if name not in left_out} | touched
    if not _is_touched(fields, found):
        return ToDecide(decision=_approval(approved=True, reason=_reason(values)))
    fault = schema_fault(form.schema, cast("JsonValue", arguments))
    # What was at fault before is not the editor's: a placeholder stands for a value that they may not see.
    if fault and fault != schema_fault(form.schema, cast("JsonValue", form.arguments)):
        about = field_at(fault, fields) or fields[0]
        return FieldErrors(errors={about.block_id: explained(fault)})
    return ToDecide(decision=_approval(approved=True, reason=_reason(values), override=arguments))


def _answered(form: AnswerForm, values: Mapping[str, str | None]) -> ToDecide | FieldErrors:
    fields = answer_fields(form)
    found = _read(fields, values)
    if isinstance(found, FieldErrors):
        return found
    answer: JsonValue = {name: each for name, each in found.items() if each is not MISSING}
    fault = schema_fault(form.schema, answer)
    if fault and fields:
        about = field_at(fault, fields) or fields[0]
        return FieldErrors(errors={about.block_id: explained(fault)})
    return ToDecide(decision=answer)


def _read(fields: tuple[InputField, ...], values: Mapping[str, str | None]) -> dict[str, JsonValue] | FieldErrors:
    found: dict[str, JsonValue] = {}
    errors: dict[str, str] = {}
    for field in fields:
        read = read_field(field, values.get(field.block_id))
        if isinstance(read, Fault):
            errors[field.block_id] = read.text
        else:
            found[field.name] = read
    return FieldErrors(errors=errors) if errors else found


def _is_touched(fields: tuple[InputField, ...], found: Mapping[str, JsonValue]) -> bool:
    return any(not _is_same(field.now, found[field.name]) for field in fields)


def _is_same(one: JsonValue, other: JsonValue) -> bool:
    """Whether two values are the same JSON; a value that was not touched is the same object."""
    return one is other or (type(one) is type(other) and not isinstance(one, dict | list) and one == other)


def _picked(form: Form, typed: str | None) -> ToDecide | FieldErrors:
    number = int(typed) if typed and len(typed) <= 3 and typed.isascii() and typed.isdigit() else None
    return _chosen(form, number) or FieldErrors(errors={CHOICE: "Please choose from the list."})


def _chosen(form: Form, number: int | None) -> ToDecide | None:
    choices = choices_of(form)
    if number is None or number >= len(choices):
        return None
    return ToDecide(decision=choices[number].decision)


def _reason(values: Mapping[str, str | None]) -> str | None:
    return (values.get(REASON) or "").strip() or None


def _approval(*, approved: bool, reason: str | None = None, override: JsonValue = None) -> JsonValue:
    return {"approved": approved, "reason": reason, "override_arguments": override}
