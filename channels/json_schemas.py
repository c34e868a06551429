"""JSON Schema (2020-12): whether a value that a person or a model gives is valid, in a bounded time.

``jsonschema`` compares with Python's ``re``, which some patterns keep at work for ever, with the event loop. Here every pattern is
compared by ``actors.patterns``, and all comparisons for one value share one effort. When it is spent the value is neither valid
nor invalid, and its caller takes it for no answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from jsonschema import Draft202012Validator, FormatChecker, ValidationError
from jsonschema.validators import extend  # pyright: ignore[reportUnknownVariableType]

from ..actors.asks import JsonValue
from ..actors.pattern_errors import PatternInvalidError
from ..actors.patterns import Effort, compiled

Schema = dict[str, JsonValue]

COMPARED_WITHIN_S = 0.25
"""Work for all patterns on one value; meanwhile nothing else goes on. Ordinary ones take some millionths."""

_NAMED: Final = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"})
_DATA: Final = frozenset({"const", "enum", "default", "examples"})
_UNCOUNTABLE: Final = "unevaluatedProperties cannot stand beside patternProperties; use additionalProperties"
_KEYWORDS: Final[Mapping[str, Any]] = Draft202012Validator.VALIDATORS


def fault_in(schema: Schema, value: JsonValue, *, effort: Effort) -> tuple[str, str] | None:
    """The first fault of a value: its path from ``$``, and what is wrong there; None if it is valid. Formats are checked.

    Raises:
        PatternSlowError: (pattern.slow) whether it is valid is not known.
        PatternInvalidError: (pattern.invalid) a pattern of the schema cannot be used, so neither is it then.
    """
    plain = _without_dialect(schema)
    validator = _Validator(plain, format_checker=_Checks(effort=effort, root=plain))
    errors = cast("Iterator[Any]", validator.iter_errors(value))  # pyright: ignore[reportUnknownMemberType]
    return min(((str(error.json_path), str(error.message)) for error in errors), default=None)


def pattern_faults(schema: Schema) -> Iterator[str]:
    """What keeps the patterns of a schema from being compared: for authors, when they declare it."""
    for part in _parts(schema):
        pattern, named = part.get("pattern"), part.get("patternProperties")
        for each in (pattern, *(cast("Schema", named) if isinstance(named, dict) else ())):
            if isinstance(each, str):
                try:
                    compiled(each)
                except PatternInvalidError as error:
                    yield str(error)
        if "unevaluatedProperties" in part and _has_named_patterns(schema):
            yield _UNCOUNTABLE


class _Checks(FormatChecker):
    """The formats that are checked; and what jsonschema has no place for, which it hands on with them to every part."""

    def __init__(self, *, effort: Effort, root: Schema) -> None:
        self.checkers = Draft202012Validator.FORMAT_CHECKER.checkers
        self.effort = effort
        self.root = root


def _pattern(validator: Any, pattern: str, found: JsonValue, _schema: Schema) -> Iterator[ValidationError]:
    if isinstance(found, str) and not _is_found(validator, pattern, found):
        yield ValidationError(f"{found!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, named: Schema, found: JsonValue, _schema: Schema) -> Iterator[ValidationError]:
    if isinstance(found, dict):
        for pattern, schema in named.items():
            for key, member in cast("Schema", found).items():
                if _is_found(validator, pattern, key):
                    yield from validator.descend(member, schema, path=key, schema_path=pattern)


def _additional_properties(
    validator: Any, wanted: JsonValue, found: JsonValue, schema: Schema
) -> Iterator[ValidationError]:
    """As jsonschema has it, of those members alone that neither a name nor a pattern of the schema fits."""
    if isinstance(found, dict):
        names, patterns = schema.get("properties", {}), schema.get("patternProperties", {})
        additional = {
            key: member
            for key, member in cast("Schema", found).items()
            if key not in names and not any(_is_found(validator, pattern, key) for pattern in patterns)
        }
        yield from _KEYWORDS["additionalProperties"](validator, wanted, additional, {}) or ()


def _unevaluated_properties(
    validator: Any, wanted: JsonValue, found: JsonValue, schema: Schema
) -> Iterator[ValidationError]:
    """As jsonschema has it, which finds out by itself what has been evaluated: with ``re``, where there are patterns."""
    if _has_named_patterns(validator.format_checker.root):
        raise PatternInvalidError(_UNCOUNTABLE)
    yield from _KEYWORDS["unevaluatedProperties"](validator, wanted, found, schema) or ()


_Validator: Final[Any] = cast("Any", extend)(
    Draft202012Validator,
    {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
        "unevaluatedProperties": _unevaluated_properties,
    },
)


def _is_found(validator: Any, pattern: str, text: str) -> bool:
    return cast("_Checks", validator.format_checker).effort.is_found(pattern, text)


def _has_named_patterns(schema: Schema) -> bool:
    return any("patternProperties" in part for part in _parts(schema))


def _parts(schema: JsonValue) -> Iterator[Schema]:
    """The schema and every schema in it: what stands in a constant, a default or an example is data."""
    match schema:
        case dict():
            plain = cast("Schema", schema)
            yield plain
            for keyword, part in plain.items():
                if keyword in _NAMED and isinstance(part, dict):
                    for each in cast("Schema", part).values():
                        yield from _parts(each)
                elif keyword not in _DATA:
                    yield from _parts(part)
        case list():
            for each in cast("list[JsonValue]", schema):
                yield from _parts(each)
        case _:
            return


def _without_dialect(schema: Any) -> Any:
    """The schema without ``$schema`` at any depth: there jsonschema would go on with its own comparisons."""
    match schema:
        case dict():
            return {
                keyword: {name: _without_dialect(each) for name, each in cast("Schema", part).items()}
                if keyword in _NAMED and isinstance(part, dict)
                else part
                if keyword in _DATA
                else _without_dialect(part)
                for keyword, part in cast("Schema", schema).items()
                if keyword != "$schema"
            }
        case list():
            return [_without_dialect(each) for each in cast("list[Any]", schema)]
        case _:
            return schema
