"""The fields an answer's schema wants, and the places of a reply where each may stand.

A field is one scalar of the schema. What a field cannot be found by (free text beside other fields, lists, unions) is not
guessed at: it makes the whole schema one that rules do not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from types import MappingProxyType
from typing import cast

from ...actors.asks import JsonValue
from ...actors.patterns import Effort
from ..json_schemas import fault_in
from .amount_slots import alternatives
from .amounts import read_number
from .dates import Day
from .text import TokenKind, folded, is_spoken_in, tokens_of

_WORD = re.compile(r"[^\s,;]+")
_EDGE_MARKS = ".:!()[]\"'“”„‘’"
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_FORMATS: Mapping[str, re.Pattern[str]] = MappingProxyType({"email": _EMAIL, "uuid": _UUID})
_DASHES = frozenset("-–—‐‑‒−")
"""Right beside a number, perhaps a minus or a range."""
_SAYS_NOTHING = frozenset(("title", "description", "default", "examples", "$comment", "deprecated"))
_LENGTHS = frozenset(("minLength", "maxLength"))


class FieldKind(Enum):
    TEXT = "text"
    """Any text: only the whole reply can be its value."""
    PATTERN = "pattern"
    FORMAT = "format"
    DATE = "date"
    OPTION = "option"
    INTEGER = "integer"
    NUMBER = "number"
    DECIMAL = "decimal"
    """A number that is written as text in JSON, so that nothing of it is lost."""
    BOOLEAN = "boolean"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One scalar that a schema wants. ``name`` is empty where the answer itself is the scalar."""

    name: str
    kind: FieldKind
    schema: dict[str, JsonValue]
    is_required: bool

    @property
    def label(self) -> tuple[str, ...]:
        """The words of its name: ``cost_centre`` is spoken of as "cost centre"."""
        spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_-]", " ", self.name)
        return tuple(folded(word) for word in spaced.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A value found in a reply, and where. ``value`` is None for what can be read in two ways."""

    value: JsonValue
    begin: int
    end: int
    text: str


def fields_of(schema: dict[str, JsonValue]) -> tuple[Field, ...] | None:
    """The fields of a schema: itself, if it is a scalar, or an object's properties. None if rules cannot read it."""
    options = _without_null(alternatives(schema, schema))
    if len(options) == 1 and isinstance(properties := options[0].get("properties"), dict):
        required = options[0].get("required", [])
        fields = [
            _field(name, cast("dict[str, JsonValue]", each), schema, is_required=name in required)
            for name, each in cast("dict[str, JsonValue]", properties).items()
            if isinstance(each, dict)
        ]
        known = tuple(field for field in fields if field is not None)
        return known if len(known) == len(cast("dict[str, JsonValue]", properties)) else None
    only = _field("", schema, schema, is_required=True)
    return None if only is None else (only,)


def places_of(field: Field, text: str, days: Sequence[Day], *, locale: str | None, effort: Effort) -> Iterator[Place]:
    """Every place of ``text`` that may be this field's value. What is part of a day is nothing else.

    Raises:
        PatternSlowError, PatternInvalidError: as ``json_schemas.fault_in``; not all places are known then.
    """
    match field.kind:
        case FieldKind.DATE:
            for day in days:
                value = None if day.day is None else day.day.isoformat()
                yield Place(value=value, begin=day.begin, end=day.end, text=day.text)
        case FieldKind.PATTERN:
            yield from _words_that_fit(field, text, days, effort)
        case FieldKind.FORMAT:
            for match in _FORMATS[cast("str", field.schema["format"])].finditer(text):
                yield Place(value=match.group(), begin=match.start(), end=match.end(), text=match.group())
        case FieldKind.OPTION:
            yield from _options(field, text, days)
        case FieldKind.INTEGER | FieldKind.NUMBER | FieldKind.DECIMAL:
            yield from _numbers(field, text, days, locale)
        case FieldKind.TEXT | FieldKind.BOOLEAN:
            return


def _without_null(options: tuple[dict[str, JsonValue], ...]) -> tuple[dict[str, JsonValue], ...]:
    return tuple(option for option in options if option.get("type") != "null")


def _field(name: str, schema: dict[str, JsonValue], root: dict[str, JsonValue], *, is_required: bool) -> Field | None:
    options = _without_null(alternatives(schema, root))
    types = sorted(str(option.get("type")) for option in options)
    if types == ["number", "string"]:
        number = next(option for option in options if option.get("type") == "number")
        return Field(name=name, kind=FieldKind.DECIMAL, schema=number, is_required=is_required)
    if len(options) != 1 or (kind := _kind(options[0])) is None:
        return None
    return Field(name=name, kind=kind, schema=options[0], is_required=is_required)


def _kind(schema: dict[str, JsonValue]) -> FieldKind | None:
    words = schema.keys() - _SAYS_NOTHING
    if "enum" in schema or "const" in schema:
        return FieldKind.OPTION
    match schema.get("type"):
        case None if not words:
            return FieldKind.TEXT
        case "string" if words <= {"type"} | _LENGTHS:
            return FieldKind.TEXT
        case "string" if schema.get("format") == "date":
            return FieldKind.DATE
        case "string" if schema.get("format") in _FORMATS:
            return FieldKind.FORMAT
        case "string" if "pattern" in schema and "format" not in schema:
            return FieldKind.PATTERN
        case "integer":
            return FieldKind.INTEGER
        case "number":
            return FieldKind.NUMBER
        case "boolean":
            return FieldKind.BOOLEAN
        case _:
            return None


def _words_that_fit(field: Field, text: str, days: Sequence[Day], effort: Effort) -> Iterator[Place]:
    for match in _WORD.finditer(text):
        word = match.group().strip(_EDGE_MARKS)
        begin = match.start() + match.group().find(word)
        end = begin + len(word)
        if word and not _is_in_a_day(begin, end, days) and fault_in(field.schema, word, effort=effort) is None:
            yield Place(value=word, begin=begin, end=end, text=word)


def _options(field: Field, text: str, days: Sequence[Day]) -> Iterator[Place]:
    options = [field.schema["const"]] if "const" in field.schema else cast("list[JsonValue]", field.schema["enum"])
    spoken = [
        (str(option), option) for option in options if isinstance(option, str | int) and not isinstance(option, bool)
    ]
    spoken.sort(key=lambda each: -len(each[0]))
    taken: list[tuple[int, int]] = []
    for words, option in spoken:
        for match in re.finditer(rf"(?<![\w-]){re.escape(words)}(?![\w-])", text, re.IGNORECASE):
            begin, end = match.span()
            overlaps = any(begin < other_end and other_begin < end for other_begin, other_end in taken)
            if not overlaps and not _is_in_a_day(begin, end, days) and is_spoken_in(words, match.group()):
                taken.append((begin, end))
                yield Place(value=option, begin=begin, end=end, text=match.group())


def _numbers(field: Field, text: str, days: Sequence[Day], locale: str | None) -> Iterator[Place]:
    at = 0
    for token in tokens_of(text):
        begin = text.index(token.raw, at)
        end = at = begin + len(token.raw)
        if token.kind is not TokenKind.NUMBER or _is_in_a_day(begin, end, days):
            continue
        number = read_number(token.text, locale=locale)
        is_glued = text[begin - 1 : begin] in _DASHES or text[end : end + 1] in _DASHES
        value = _as_json(number, field.kind) if isinstance(number, Decimal) and not is_glued else None
        yield Place(value=value, begin=begin, end=end, text=token.raw)


def _as_json(number: Decimal, kind: FieldKind) -> JsonValue:
    """The number as the schema wants it; None if it would not be the same number."""
    is_whole = number == number.to_integral_value()
    if kind is FieldKind.DECIMAL:
        return str(number)
    if kind is FieldKind.INTEGER or is_whole:
        return int(number) if is_whole else None
    return float(number) if Decimal(repr(float(number))) == number else None


def _is_in_a_day(begin: int, end: int, days: Sequence[Day]) -> bool:
    return any(begin < day.end and day.begin < end for day in days)
