"""A JSON Schema as a form needs it."""

from __future__ import annotations

from typing import Any

import pytest

from overwinter.channels.slack.fields import FieldKind, argument_fields
from overwinter.channels.slack.schemas import resolved, without_null

from .asking import approval

Schema = dict[str, Any]
ROOT: Schema = {
    "$defs": {
        "Word": {"type": "string"},
        "Again": {"$ref": "#/$defs/Word", "description": "a word"},
        "a/b~c": {"type": "integer"},
        "Round": {"$ref": "#/$defs/Trip"},
        "Trip": {"$ref": "#/$defs/Round"},
    }
}


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        ({"$ref": "#/$defs/Again", "default": "x"}, {"type": "string", "description": "a word", "default": "x"}),
        ({"allOf": [{"$ref": "#/$defs/Word"}], "title": "T"}, {"type": "string", "title": "T"}),
        ({"$ref": "#/$defs/a~1b~0c"}, {"type": "integer"}),
        ({"$ref": "#/$defs/Round"}, {}),
        ({"$ref": "#/$defs/Nobody"}, {}),
        ({"$ref": "https://schemas.example/word"}, {}),
        ({"$ref": "#/$defs/Word/type"}, {}),
        (True, {}),
    ],
)
def test_a_reference_is_followed_with_what_stands_beside_it(schema: Any, found: Schema) -> None:
    assert resolved(schema, ROOT) == found


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        (
            {"anyOf": [{"$ref": "#/$defs/Word"}, {"type": "null"}], "default": None},
            ({"type": "string", "default": None}, True),
        ),
        ({"oneOf": [{"type": "null"}, {"type": "string"}]}, ({"type": "string"}, True)),
        ({"type": ["string", "null"]}, ({"type": "string"}, True)),
        ({"type": ["string", "integer", "null"]}, ({"type": ["string", "integer"]}, True)),
        ({"type": "null"}, ({"type": "null"}, True)),
        ({"type": "string"}, ({"type": "string"}, False)),
        (
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, False),
        ),
    ],
)
def test_null_is_taken_out_of_a_union(schema: Schema, found: tuple[Schema, bool]) -> None:
    assert without_null(schema, ROOT) == found


@pytest.mark.parametrize(
    ("schema", "now", "kind"),
    [
        ({"type": "string"}, "a", FieldKind.TEXT),
        ({"type": "string"}, 3, FieldKind.NUMBER),
        ({"type": "string", "format": "date"}, "2026-03-03", FieldKind.DATE),
        ({"type": "string", "format": "date"}, "‹day:1›", FieldKind.TEXT),
        ({"type": "string", "format": "date"}, "2026-02-30", FieldKind.TEXT),
        ({"type": "integer"}, 3, FieldKind.NUMBER),
        ({"type": "integer"}, [3], FieldKind.JSON),
        ({"type": "boolean"}, True, FieldKind.CHOICE),
        ({"type": "boolean"}, "‹flag:1›", FieldKind.JSON),
        ({"enum": ["a", 1]}, 1, FieldKind.CHOICE),
        ({"enum": ["a", 1]}, True, FieldKind.JSON),
        ({"enum": [[1], [2]]}, [1], FieldKind.JSON),
        ({"type": "string", "enum": [str(at) for at in range(101)]}, "7", FieldKind.TEXT),
        ({"anyOf": [{"type": "number"}, {"type": "string"}]}, "3.50", FieldKind.NUMBER),
        ({"anyOf": [{"type": "number"}, {"anyOf": [{"type": "string"}]}]}, 3, FieldKind.JSON),
        ({"anyOf": [{"type": "number"}, {}]}, 3, FieldKind.JSON),
        ({"type": "array"}, [], FieldKind.JSON),
        ({}, None, FieldKind.JSON),
    ],
)
def test_the_input_is_one_in_which_the_value_of_now_can_stand(schema: Schema, now: Any, kind: FieldKind) -> None:
    (field,) = argument_fields(approval({"a": now}, schema={"type": "object", "properties": {"a": schema}}))
    assert field.kind is kind
