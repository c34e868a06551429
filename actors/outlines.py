"""Outlines of questions: what an answer may look like, so that one given to another question is not taken for it.

An outline is of the choices, or of the fields of an answer and their types. Texts, limits, patterns, defaults and the names of
types have no part in it: they may change while a question waits, and what an answer must fulfil beyond its outline is checked
when it is read.
"""

from __future__ import annotations

import hashlib
from typing import Any, Final, cast

from .asks import AnswerForm, ApprovalForm, ChoiceForm, Form, JsonValue
from .jsontext import to_json

NO_OUTLINE: Final = ""
"""Of approvals and timers, whose answers always look the same."""

_ONE = ("items", "additionalProperties", "propertyNames", "not")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_NAMED = ("properties", "patternProperties")
_REFERENCE = "#/$defs/"


def outline_of(form: Form | None) -> str:
    """A digest of what answers the form takes; never changed, since ledgers hold it."""
    match form:
        case None | ApprovalForm():
            return NO_OUTLINE
        case ChoiceForm(choices=choices):
            return _digest(["choice", sorted(choices)])
        case AnswerForm(schema=schema):
            return _digest(["answer", _bones(schema, schema.get("$defs", {}), ())])


def _digest(outline: JsonValue) -> str:
    return hashlib.sha256(to_json(outline).encode()).hexdigest()[:16]


def _bones(schema: JsonValue, definitions: dict[str, JsonValue], inside: tuple[str, ...]) -> JsonValue:
    """The schema's fields and types alone, in one order.

    Args:
        inside: the definitions that this is a part of: one that leads back to itself ends there.
    """
    if not isinstance(schema, dict):
        return schema
    plain = cast("dict[str, Any]", schema)
    bones: dict[str, JsonValue] = {}
    if isinstance(reference := plain.get("$ref"), str):
        name = reference.removeprefix(_REFERENCE)
        if name in inside:
            return {"again": len(inside) - inside.index(name)}
        referred = _bones(definitions.get(name, {}), definitions, (*inside, name))
        bones.update(cast("dict[str, JsonValue]", referred) if isinstance(referred, dict) else {})
    for keyword in ("type", "const"):
        if keyword in plain:
            bones[keyword] = plain[keyword]
    for keyword in ("enum", "required"):
        if keyword in plain:
            bones[keyword] = sorted(plain[keyword], key=to_json)
    for keyword in _ONE:
        if isinstance(plain.get(keyword), dict):
            bones[keyword] = _bones(plain[keyword], definitions, inside)
    for keyword in _LISTS:
        if keyword in plain:
            parts = [_bones(part, definitions, inside) for part in plain[keyword]]
            bones[keyword] = parts if keyword == "prefixItems" else sorted(parts, key=to_json)
    for keyword in _NAMED:
        if keyword in plain:
            named = cast("dict[str, JsonValue]", plain[keyword])
            bones[keyword] = {name: _bones(named[name], definitions, inside) for name in sorted(named)}
    return {keyword: bones[keyword] for keyword in sorted(bones)}
