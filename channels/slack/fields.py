"""The inputs of a modal, made of a JSON Schema and the values of now; and what is typed into them, read back as JSON.

A value whose input was not touched stays what it is, letter for letter and digit for digit, whether or not it could be typed.
What cannot be edited in a modal (it is too long, there is no room, or a part of it would not be seen) has no input, and stays
as it is too.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from enum import Enum
from typing import cast

from ...actors.asks import AnswerForm, ApprovalForm, JsonValue
from ...store.values import value
from ..decisions import json_fault, schema_fault
from ..visible import visible
from .choices import Choice, choices_in
from .limits import INPUT_TEXT, MODAL_JSON, units
from .schemas import (
    Schema,
    properties_of,
    required_by,
    resolved,
    standing_alone,
    types_of,
    without_null,
)

MOST_FIELDS = 60
"""Inputs in one modal; more than any person fills in, and few enough for what stands around them."""

_ROOM = MODAL_JSON // 2
"""Bytes of JSON that prefilled values and descriptions may take."""
_LONGEST_NUMBER = 400
_LINE_BREAK = re.compile("\r\n?")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_PATH = re.compile(r"^(?P<name>\$(?:\.[^:]*|\[[^:]*\])?): ")
_SCALARS = frozenset(("string", "integer", "number"))


class FieldKind(Enum):
    TEXT = "text"
    NUMBER = "number"
    """A number, or text where the schema allows both, as for a decimal."""
    CHOICE = "choice"
    DATE = "date"
    JSON = "json"
    """Anything else, typed as JSON."""


class _Missing(Enum):
    MISSING = "missing"


MISSING = _Missing.MISSING
"""There is no value, not even null."""


@value
class InputField:
    """One input.

    Attributes:
        name: of the argument, or of the part of the answer; empty for an answer that is no object.
        block_id: of the input's block in the modal.
        schema: of the value if it is not null, standing alone.
        now: the value there is; ``MISSING`` for none.
        prefill: ``now`` as text; None for an empty input.
        choices: what there is to choose from; for ``CHOICE`` alone.
    """

    name: str
    block_id: str
    kind: FieldKind
    description: str
    is_required: bool
    is_nullable: bool
    schema: Schema
    types: frozenset[str]
    now: JsonValue
    prefill: str | None
    choices: tuple[Choice, ...] = ()

    @property
    def may_be_empty(self) -> bool:
        return not self.is_required or self.is_nullable or (isinstance(self.now, str) and not self.now.strip())


@value
class Fault:
    """What was typed is no value of the field; one sentence for whoever typed it."""

    text: str


def argument_fields(form: ApprovalForm) -> tuple[InputField, ...]:
    """The arguments that can be edited in a modal."""
    return _fields(form.schema, form.arguments)


def answer_fields(form: AnswerForm) -> tuple[InputField, ...]:
    """The parts of an answer that is an object; none for any other answer, or if they do not all fit into a modal."""
    fields = _fields(form.schema, {})
    return fields if len(fields) == len(properties_of(form.schema, form.schema)) else ()


def has_editable_fields(form: ApprovalForm) -> bool:
    return bool(argument_fields(form))


def has_answer_fields(form: AnswerForm) -> bool:
    return bool(answer_fields(form))


def read_field(field: InputField, typed: str | None) -> JsonValue | Fault:
    """The value that was typed; ``MISSING`` where the field is left out."""
    if field.now is not MISSING and _same(typed, field.prefill):
        return field.now
    if typed is None or not typed.strip():
        return _emptied(field)
    found: JsonValue | Fault
    match field.kind:
        case FieldKind.TEXT:
            found = typed
        case FieldKind.DATE:
            found = typed.strip()
        case FieldKind.CHOICE:
            found = _chosen(field, typed)
        case FieldKind.NUMBER:
            return _number_or_text(field, typed.strip())
        case FieldKind.JSON:
            found = _json(typed)
    return found if isinstance(found, Fault) else _checked(field, found)


def explained(fault: str) -> str:
    """A fault that ``schema_fault`` found, without its path, for a person."""
    text = visible(_PATH.sub("", fault, count=1))
    return text if units(text) <= 200 else f"{text[:150]} …"


def field_at(fault: str, fields: Iterable[InputField]) -> InputField | None:
    """The field whose path stands at the beginning of a fault; None if it is about none of them."""
    path = found["name"] if (found := _PATH.match(fault)) else ""
    named = [
        field
        for field in fields
        if path == f"$.{field.name}" or path.startswith((f"$.{field.name}.", f"$.{field.name}["))
    ]
    return max(named, key=lambda field: len(field.name), default=None)


def faults_by_field(text: str, fields: Sequence[InputField]) -> dict[str, str]:
    """What is wrong, by the block of the input that it is about; under the first input what is about none.

    Args:
        text: faults as ``schema_fault`` writes them, or as a tool does: several in one line, each with the argument's path.
        fields: at least one.
    """
    about = field_at(text.replace("$.override_arguments", "$", 1), fields)
    if about is not None:
        return {about.block_id: explained(text.replace("$.override_arguments", "$", 1))}
    found: dict[str, str] = {}
    for field in fields:
        told = re.search(rf"(?:^|[:;] |\n)(?:- )?{re.escape(field.name)}(?:[.\[][^:;]*)?: ([^;\n]+)", text)
        if field.name and told is not None:
            found[field.block_id] = explained(told[1].split(". Correct them")[0])
    return found or {fields[0].block_id: explained(text)}


def _fields(schema: Schema, now: Mapping[str, JsonValue]) -> tuple[InputField, ...]:
    required = required_by(schema, schema)
    fields: list[InputField] = []
    room = _ROOM
    for at, (name, part) in enumerate(properties_of(schema, schema).items()):
        field = _field(f"field:{at}", name, part, schema, now.get(name, MISSING), is_required=name in required)
        if field is None or len(fields) == MOST_FIELDS:
            continue
        room -= len(json.dumps([field.prefill, field.description, field.name, [each.label for each in field.choices]]))
        if room < 0:
            break
        fields.append(field)
    return tuple(fields)


def _field(
    block_id: str, name: str, part: Schema, root: Schema, now: JsonValue, *, is_required: bool
) -> InputField | None:
    """The input of one property; None if its value cannot be put into one."""
    plain, is_nullable = without_null(resolved(part, root), root)
    choices = choices_in(plain)
    types = types_of(plain, root)
    kind = _kind(plain, types, choices, now)
    prefill = _prefill(kind, choices, now)
    if prefill is not None and not _fits(prefill):
        return None
    return InputField(
        name=name,
        block_id=block_id,
        kind=kind,
        description=_description(part, plain),
        is_required=is_required,
        is_nullable=is_nullable,
        schema=standing_alone(plain, root),
        types=types,
        now=now,
        prefill=prefill,
        choices=choices if kind is FieldKind.CHOICE else (),
    )


def _kind(schema: Schema, types: frozenset[str], choices: tuple[Choice, ...], now: JsonValue) -> FieldKind:
    is_listed = now is MISSING or now is None or any(_is(choice.decision, now) for choice in choices)
    if choices and is_listed:
        return FieldKind.CHOICE
    if types == frozenset(("string",)) and (now is MISSING or now is None or isinstance(now, str)):
        is_date = schema.get("format") == "date" and (not isinstance(now, str) or _is_date(now))
        return FieldKind.DATE if is_date else FieldKind.TEXT
    is_scalar = now is MISSING or now is None or (isinstance(now, str | int | float) and not isinstance(now, bool))
    return FieldKind.NUMBER if types and types <= _SCALARS and is_scalar else FieldKind.JSON


def _prefill(kind: FieldKind, choices: tuple[Choice, ...], now: JsonValue) -> str | None:
    if now is MISSING or (now is None and kind is not FieldKind.JSON):
        return None
    match kind:
        case FieldKind.CHOICE:
            return next((str(at) for at, choice in enumerate(choices) if _is(choice.decision, now)), None)
        case FieldKind.JSON:
            return json.dumps(now, ensure_ascii=False, indent=2)
        case _:
            return now if isinstance(now, str) else json.dumps(now)


def _fits(prefill: str) -> bool:
    """Whether Slack can hold a text in an input and give it back, and the editor sees all of it."""
    return units(prefill) <= INPUT_TEXT and visible(prefill) == _LINE_BREAK.sub("\n", prefill)


def _description(part: Schema, plain: Schema) -> str:
    found = part.get("description", plain.get("description"))
    return found if isinstance(found, str) else ""


def _same(typed: str | None, prefill: str | None) -> bool:
    """Whether an input was left as it was; clients change line ends, and trim."""
    return _trimmed(typed) == _trimmed(prefill)


def _trimmed(text: str | None) -> str:
    return "" if text is None else _LINE_BREAK.sub("\n", text).strip()


def _emptied(field: InputField) -> JsonValue | Fault:
    if field.is_nullable and (field.is_required or field.now is not MISSING):
        return None
    if not field.is_required:
        return MISSING
    return Fault(text="A value is needed here.")


def _chosen(field: InputField, typed: str) -> JsonValue | Fault:
    at = int(typed) if typed.isascii() and typed.isdigit() and len(typed) <= 3 else len(field.choices)
    return field.choices[at].decision if at < len(field.choices) else Fault(text="Please choose from the list.")


def _number_or_text(field: InputField, typed: str) -> JsonValue | Fault:
    number = _number(typed)
    candidates: list[JsonValue] = [] if number is None else [number]
    if "string" in field.types:
        candidates.insert(0 if isinstance(field.now, str) else len(candidates), typed)
    if not candidates:
        return Fault(text="A number is wanted here, written like 1234.56.")
    found = [_checked(field, each) for each in candidates]
    return next((each for each in found if not isinstance(each, Fault)), found[0])


def _number(typed: str) -> int | float | None:
    written = _NUMBER.fullmatch(typed) if len(typed) <= _LONGEST_NUMBER else None
    if written is None:
        return None
    if written[1] is None and written[2] is None:
        return int(typed)
    number = float(typed)
    return number if math.isfinite(number) else None


def _json(typed: str) -> JsonValue | Fault:
    try:
        return json.loads(typed, parse_constant=_refused, object_pairs_hook=_distinct)
    except (ValueError, RecursionError) as error:
        why = str(error) if isinstance(error, json.JSONDecodeError) else "a name twice, or no number"
        return Fault(text=f"This is no JSON: {visible(why)[:100]}.")


def _refused(constant: str) -> JsonValue:
    raise ValueError(constant)


def _distinct(pairs: list[tuple[str, JsonValue]]) -> JsonValue:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands there twice")
    return found


def _checked(field: InputField, found: JsonValue) -> JsonValue | Fault:
    if found is None and field.is_nullable:
        return None
    fault = json_fault(found) or schema_fault(field.schema, found)
    return found if fault is None else Fault(text=explained(fault))


def _is(one: JsonValue, other: JsonValue) -> bool:
    """Whether two scalars are the same JSON; ``1`` is not ``true``."""
    return type(one) is type(other) and one == cast("object", other)


def _is_date(text: str) -> bool:
    """Whether a text is a day of the calendar, as a date picker takes it."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False
