"""Values against JSON Schemas: as jsonschema has it, but never for longer than patterns may be compared."""

from __future__ import annotations

import time
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from overwinter.actors.asks import AnswerForm, ApprovalForm, Ask, Form
from overwinter.actors.errors import PauseInvalidDecisionError
from overwinter.actors.pattern_errors import PatternInvalidError, PatternSlowError
from overwinter.actors.patterns import Effort
from overwinter.channels.decisions import schema_fault, validate_decision
from overwinter.channels.json_schemas import COMPARED_WITHIN_S, fault_in, pattern_faults

OPEN: dict[str, Any] = {}
SLOW = "^(a|a)*$"
HOSTILE = "a" * 60 + "!"
TEXT = {"type": "string", "pattern": SLOW}
PATIENCE_S = 2.0
"""Work for one value, with all that is not comparing, on a machine that has other things to do."""


def ask(form: Form) -> Ask:
    return Ask(
        pause_id="0" * 32,
        role="r",
        prompt="p",
        form=form,
        session_id="s",
        tenant="default",
        owner="o",
        bot="b",
        asked_at_ms=0,
    )


def fault(schema: dict[str, Any], value: Any) -> tuple[str, str] | None:
    return fault_in(schema, value, effort=Effort(within_s=COMPARED_WITHIN_S))


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (TEXT, HOSTILE),
        ({"not": TEXT}, HOSTILE),
        ({"anyOf": [TEXT, {"type": "string"}]}, HOSTILE),
        ({"oneOf": [TEXT, {"type": "string"}]}, HOSTILE),
        ({"if": TEXT, "then": False}, HOSTILE),
        ({"type": "array", "items": TEXT}, [HOSTILE] * 1000),
        ({"type": "array", "contains": TEXT}, [HOSTILE]),
        ({"type": "object", "propertyNames": TEXT}, {HOSTILE: 1}),
        ({"type": "object", "patternProperties": {SLOW: {"type": "integer"}}}, {HOSTILE: "x"}),
        ({"type": "object", "patternProperties": {SLOW: OPEN}, "additionalProperties": False}, {HOSTILE: 1}),
        ({"$defs": {"t": TEXT}, "properties": {"a": {"$ref": "#/$defs/t"}}}, {"a": HOSTILE}),
        (
            {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "properties": {"more": {"$ref": "#"}, "a": TEXT},
            },
            {"more": {"a": HOSTILE}},
        ),
        (
            {"properties": {"a": {"$schema": "http://json-schema.org/draft-07/schema#", "items": TEXT}}},
            {"a": [HOSTILE]},
        ),
    ],
)
def test_a_value_that_is_slow_to_compare_is_neither_valid_nor_invalid(schema: dict[str, Any], value: Any) -> None:
    begun_s = time.thread_time()
    with pytest.raises(PatternSlowError):
        fault(schema, value)
    told = schema_fault(schema, value, at="$.here")
    assert time.thread_time() - begun_s < PATIENCE_S
    assert told is not None
    assert told.startswith("$.here: a text of 61 characters could not be compared with '^(a|a)*$' in 0.25 s")
    assert told.endswith("so it is not taken")


def test_what_is_slow_is_no_answer_and_changes_no_approval() -> None:
    arguments = {"type": "object", "properties": {"note": TEXT}}
    approval = ApprovalForm(tool="refund", arguments={"note": "a"}, schema=arguments)
    for form, decision in (
        (AnswerForm(schema=TEXT), HOSTILE),
        (AnswerForm(schema={"not": TEXT}), HOSTILE),
        (approval, {"approved": True, "override_arguments": {"note": HOSTILE}}),
    ):
        with pytest.raises(PauseInvalidDecisionError, match="could not be compared"):
            validate_decision(ask(form), decision)
    assert validate_decision(ask(AnswerForm(schema=TEXT)), "aaa") == "aaa"


DATED = {"^[0-9]{4}-[0-9]{2}$": {"type": "integer"}, "^note": {"type": "string"}}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"pattern": "^grü(ß|ss)e$"}, "grüße"),
        ({"pattern": "^grü(ß|ss)e$"}, "Grüße"),
        ({"pattern": "b"}, "abc"),
        ({"pattern": "b"}, 5),
        ({"pattern": "(?=.*[0-9])(?!.*x)"}, "a1x"),
        ({"type": "array", "items": {"pattern": "^a$"}}, ["a", "b", "c"]),
        ({"patternProperties": DATED}, {"2026-03": "x", "note 1": 5, "else": None}),
        ({"patternProperties": DATED}, ["note"]),
        ({"patternProperties": DATED, "additionalProperties": {"type": "null"}}, {"else": None, "more": 1}),
        ({"patternProperties": DATED, "additionalProperties": False, "properties": {"a": OPEN}}, {"a": 1, "note": "n"}),
        ({"additionalProperties": False, "properties": {"a": {"type": "null"}}}, {"a": 1, "b": 2, "c": 3}),
        ({"additionalProperties": {"type": "integer"}}, {"a": "x"}),
        ({"additionalProperties": True}, {"a": "x"}),
        ({"additionalProperties": False}, "text"),
        ({"allOf": [{"properties": {"a": OPEN}}], "unevaluatedProperties": False}, {"a": 1}),
        ({"allOf": [{"properties": {"a": OPEN}}], "unevaluatedProperties": False}, {"a": 1, "b": 1}),
        (
            {"properties": {"$schema": {"type": "integer"}, "default": {"pattern": "^a"}}},
            {"$schema": "x", "default": "b"},
        ),
        ({"const": {"$schema": "x", "pattern": "("}}, {"$schema": "x", "pattern": "("}),
        ({"format": "date"}, "2026-02-30"),
        ({"format": "email"}, "nobody"),
    ],
)
def test_values_are_as_valid_as_jsonschema_has_them(schema: dict[str, Any], value: Any) -> None:
    validator: Any = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    wanted = sorted((each.json_path, each.message) for each in validator.iter_errors(value))
    assert fault(schema, value) == (wanted[0] if wanted else None)


def test_members_that_neither_a_name_nor_a_pattern_fits_are_named() -> None:
    schema = {"patternProperties": DATED, "additionalProperties": False, "properties": {"a": OPEN}}
    assert fault(schema, {"a": 1, "note": "n", "b": 2}) == (
        "$",
        "Additional properties are not allowed ('b' was unexpected)",
    )


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"pattern": "("}, "x"),
        ({"not": {"pattern": "("}}, "x"),
        ({"patternProperties": {"a{e}": False}}, {"x": 1}),
        ({"properties": {"a": {"patternProperties": {"x": OPEN}}}, "unevaluatedProperties": False}, {"y": 1}),
    ],
)
def test_a_pattern_that_cannot_be_used_is_told_when_it_is_declared_and_lets_nothing_pass(
    schema: dict[str, Any], value: Any
) -> None:
    assert len(list(pattern_faults(schema))) == 1
    with pytest.raises(PatternInvalidError):
        fault(schema, value)
    told = schema_fault(schema, value)
    assert told is not None
    assert told.endswith("so it is not taken")


@pytest.mark.parametrize(
    "schema",
    [
        TEXT,
        {"properties": {"pattern": {"type": "string"}, "patternProperties": {"type": "string"}}},
        {"default": {"pattern": "("}, "const": {"pattern": "("}, "enum": [{"pattern": "("}]},
        {"pattern": r"^\p{Lu}(?<rest>\w+)$"},
        {"properties": {"a": OPEN}, "unevaluatedProperties": False},
        {"patternProperties": DATED, "additionalProperties": False},
        {"items": True, "properties": {"a": False}},
    ],
)
def test_other_schemas_have_no_fault(schema: dict[str, Any]) -> None:
    assert list(pattern_faults(schema)) == []


def test_a_property_of_characters_is_compared_though_python_knows_none() -> None:
    schema = {"pattern": r"^\p{Lu}\w+$"}
    assert (fault(schema, "Änne"), fault(schema, "änne")) == (None, ("$", r"'änne' does not match '^\\p{Lu}\\w+$'"))
