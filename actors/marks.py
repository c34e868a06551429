"""Where sensitive values stand: the marks in a JSON Schema, and the values they mark.

A field is marked by one keyword of its schema, ``x-sensitive``. ``marks_of`` reduces a schema to its marks and the keywords that
lead to them; this is what questions and ledger events carry, so that whoever reads them months later, without the app,
knows what to hide. Pure; how values are hidden is ``redaction``'s, who sees which of them ``privacy``'s.

A mark stands for everything below it. Where a union leaves open which branch a value came by, every branch that may fit counts,
and the strictest mark wins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, cast

from ..store.values import value
from .asks import JsonValue
from .pattern_errors import PatternError
from .patterns import Effort

KEYWORD = "x-sensitive"
"""In a schema: ``{"level": "mask" | "token" | "block", "shown": bool}``."""

Level = Literal["mask", "token", "block"]
Path = tuple[str | int, ...]

_COMPARED_WITHIN_S = 0.05
"""Work for all patterns on the keys of one value; a session may look at several values in a row."""
_STRICTNESS: tuple[Level, ...] = ("mask", "token", "block")
_ONE = ("items", "additionalProperties", "propertyNames", "not")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")
_NAMED = ("properties", "patternProperties", "$defs")
_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int, float),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}

Schema = dict[str, JsonValue]


@value
class Secret:
    """A sensitive value, with where it stands.

    Attributes:
        name: of the field, for people and for tokens.
        is_shown: those who are asked may see it.
        value: what stands there: a scalar, or all of a list or an object. None is never a secret.
        path: from the value that was searched; for a key, the path of what it leads to.
        is_key: the secret is the last key of the path, not what it leads to.
    """

    name: str
    level: Level
    is_shown: bool
    value: JsonValue
    path: Path = ()
    is_key: bool = False


def mark(level: Level, *, is_shown: bool) -> JsonValue:
    """What stands behind the keyword."""
    return {"level": level, "shown": is_shown}


def marks_of(schema: JsonValue) -> Schema | None:
    """The schema without everything that neither marks nor leads to a mark; None if it marks nothing."""
    return cast("Schema", _skeleton(schema)) if _is_marked(schema) else None


def unmarked(schema: Schema) -> Schema:
    """The schema without its marks: what models and forms are given."""
    return cast("Schema", _unmarked(schema)) if _is_marked(schema) else schema


def secrets_in(marks: Schema | None, found: JsonValue, *, name: str = "value") -> tuple[Secret, ...]:
    """Every sensitive value in ``found``, in the order in which they stand.

    ``found`` need not be valid. An object that is sensitive as a whole counts by its members, so that it stays an object.
    What is found by a pattern of its key (``patternProperties``) that takes too long to compare counts as found.

    Args:
        name: what a value is called that has no name of its own.
    """
    if marks is None:
        return ()
    if isinstance(found, dict) and (own := _mark_of(_applying(marks, marks, found))) is not None:
        members = cast("dict[str, JsonValue]", found)
        return tuple(
            Secret(name=key, level=own[0], is_shown=own[1], value=member, path=(key,))
            for key, member in members.items()
            if member is not None
        )
    return tuple(_secrets(marks, [marks], found, (), name, Effort(within_s=_COMPARED_WITHIN_S)))


def scalars_of(found: JsonValue) -> Iterator[str | int | float]:
    """The texts and numbers in a value, at any depth; truths are none: they tell nothing without their place."""
    match found:
        case bool() | None:
            return
        case str() | int() | float():
            yield found
        case list():
            for part in cast("list[JsonValue]", found):
                yield from scalars_of(part)
        case dict():
            for part in cast("dict[str, JsonValue]", found).values():
                yield from scalars_of(part)
        case _:
            return


def _secrets(
    root: Schema, schemas: Sequence[JsonValue], found: JsonValue, path: Path, name: str, effort: Effort
) -> Iterator[Secret]:
    if found is None:
        return
    applying = [each for schema in schemas for each in _applying(root, schema, found)]
    if not applying:
        return
    if (own := _mark_of(applying)) is not None:
        inner = list(_members(root, applying, found, path, name, effort))
        levels: list[Level] = [own[0], *(secret.level for secret in inner)]
        level = max(levels, key=_STRICTNESS.index)
        is_shown = own[1] and all(secret.is_shown for secret in inner)
        yield Secret(name=name, level=level, is_shown=is_shown, value=found, path=path)
        return
    yield from _members(root, applying, found, path, name, effort)


def _members(
    root: Schema, applying: Sequence[Schema], found: JsonValue, path: Path, name: str, effort: Effort
) -> Iterator[Secret]:
    match found:
        case dict():
            for key, member in cast("dict[str, JsonValue]", found).items():
                names = [
                    each
                    for schema in applying
                    if "propertyNames" in schema
                    for each in _applying(root, schema["propertyNames"], key)
                ]
                if (own := _mark_of(names)) is not None:
                    yield Secret(name=name, level=own[0], is_shown=own[1], value=key, path=(*path, key), is_key=True)
                schemas = [each for schema in applying for each in _for_key(schema, key, effort)]
                is_named = any(key in schema.get("properties", {}) for schema in applying)
                yield from _secrets(root, schemas, member, (*path, key), key if is_named else name, effort)
        case list():
            for index, member in enumerate(cast("list[JsonValue]", found)):
                schemas = [each for schema in applying for each in _for_index(schema, index)]
                yield from _secrets(root, schemas, member, (*path, index), name, effort)
        case _:
            return


def _for_key(schema: Schema, key: str, effort: Effort) -> Iterator[JsonValue]:
    properties: dict[str, JsonValue] = schema.get("properties", {})
    patterns: dict[str, JsonValue] = schema.get("patternProperties", {})
    if key in properties:
        yield properties[key]
    for pattern, each in patterns.items():
        if _may_be_found(pattern, key, effort):
            yield each
    if key not in properties and "additionalProperties" in schema:
        yield schema["additionalProperties"]


def _may_be_found(pattern: str, key: str, effort: Effort) -> bool:
    """Whether a pattern fits a key; also where nobody can tell, so that rather too much is hidden."""
    try:
        return effort.is_found(pattern, key)
    except PatternError:
        return True


def _for_index(schema: Schema, index: int) -> Iterator[JsonValue]:
    first: list[JsonValue] = schema.get("prefixItems", [])
    if index < len(first):
        yield first[index]
    elif "items" in schema:
        yield schema["items"]


def _applying(root: Schema, schema: JsonValue, found: JsonValue, depth: int = 32) -> list[Schema]:
    """The schema with all that it refers to, as far as ``found`` may fit it."""
    if not isinstance(schema, dict) or depth == 0:
        return []
    plain = cast("Schema", schema)
    applying = [plain]
    reference = plain.get("$ref")
    if isinstance(reference, str):
        definitions: dict[str, JsonValue] = root.get("$defs", {})
        applying += _applying(root, definitions.get(reference.removeprefix("#/$defs/")), found, depth - 1)
    for part in cast("list[JsonValue]", plain.get("allOf", [])):
        applying += _applying(root, part, found, depth - 1)
    for keyword in ("anyOf", "oneOf"):
        branches: list[JsonValue] = plain.get(keyword, [])
        fitting = [branch for branch in branches if _may_fit(root, branch, found)]
        for branch in fitting or branches:
            applying += _applying(root, branch, found, depth - 1)
    return applying


def _may_fit(root: Schema, schema: JsonValue, found: JsonValue) -> bool:
    """Whether a value may have come by this branch: False only where its type or a constant in it says otherwise."""
    if not isinstance(schema, dict):
        return True
    branch = cast("Schema", schema)
    reference = branch.get("$ref")
    if isinstance(reference, str):
        definitions: dict[str, JsonValue] = root.get("$defs", {})
        return _may_fit(root, definitions.get(reference.removeprefix("#/$defs/"), {}), found)
    wanted = branch.get("type")
    if isinstance(wanted, str) and wanted in _TYPES:
        is_truth = isinstance(found, bool)
        if not isinstance(found, _TYPES[wanted]) or (is_truth and wanted != "boolean"):
            return False
    if "const" in branch and branch["const"] != found:
        return False
    if isinstance(found, dict):
        members = cast("dict[str, JsonValue]", found)
        properties: dict[str, JsonValue] = branch.get("properties", {})
        constants = [(key, cast("Schema", each)) for key, each in properties.items() if isinstance(each, dict)]
        return all(members[key] == each["const"] for key, each in constants if "const" in each and key in members)
    return True


def _mark_of(applying: Sequence[Schema]) -> tuple[Level, bool] | None:
    found = [schema[KEYWORD] for schema in applying if KEYWORD in schema]
    if not found:
        return None
    level: Level = max((each["level"] for each in found), key=_STRICTNESS.index)
    return level, all(each["shown"] for each in found)


def _is_marked(schema: JsonValue) -> bool:
    return any(KEYWORD in part for part in _parts(schema))


def _parts(schema: JsonValue) -> Iterator[Schema]:
    """The schema and every schema in it, by keywords alone: what stands in a default or an example is data."""
    if not isinstance(schema, dict):
        return
    plain = cast("Schema", schema)
    yield plain
    for keyword in _ONE:
        yield from _parts(plain.get(keyword))
    for keyword in _LISTS:
        for part in cast("list[JsonValue]", plain.get(keyword, [])):
            yield from _parts(part)
    for keyword in _NAMED:
        for part in cast("dict[str, JsonValue]", plain.get(keyword, {})).values():
            yield from _parts(part)


def _mapped(schema: Schema, change: Any) -> Schema:
    """The schemas in a schema, changed; keywords that hold none are left out."""
    changed: Schema = {}
    for keyword in _ONE:
        if keyword in schema:
            changed[keyword] = change(schema[keyword])
    for keyword in _LISTS:
        if keyword in schema:
            changed[keyword] = [change(part) for part in schema[keyword]]
    for keyword in _NAMED:
        if keyword in schema:
            changed[keyword] = {name: change(part) for name, part in schema[keyword].items()}
    return changed


def _skeleton(schema: JsonValue) -> JsonValue:
    if not isinstance(schema, dict):
        return schema
    plain = cast("Schema", schema)
    kept = {keyword: plain[keyword] for keyword in ("$ref", "type", "const", KEYWORD) if keyword in plain}
    return {**kept, **_mapped(plain, _skeleton)}


def _unmarked(schema: JsonValue) -> JsonValue:
    if not isinstance(schema, dict):
        return schema
    plain = cast("Schema", schema)
    kept = {keyword: part for keyword, part in plain.items() if keyword != KEYWORD}
    return {**kept, **_mapped(plain, _unmarked)}
