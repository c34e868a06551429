"""A JSON Schema as a form needs it: references followed, "or null" taken apart, listed values found."""

from __future__ import annotations

from typing import cast

from ...actors.asks import JsonValue
from .limits import OPTIONS

Schema = dict[str, JsonValue]

_MOST_STEPS = 20
"""References that are followed one after the other; more of them go in a circle."""


def resolved(schema: JsonValue, root: Schema) -> Schema:
    """The schema that a ``$ref`` or an ``allOf`` of one leads to, with what stands beside the reference."""
    found = _object(schema)
    for _ in range(_MOST_STEPS):
        ref, parts = found.get("$ref"), _list_at(found, "allOf")
        if isinstance(ref, str):
            target = _at(ref, root)
            beside = {name: each for name, each in found.items() if name != "$ref"}
        elif parts is not None and len(parts) == 1:
            target = _object(parts[0])
            beside = {name: each for name, each in found.items() if name != "allOf"}
        else:
            return found
        if target is None:
            return {}
        found = {**target, **beside}
    return {}


def without_null(schema: Schema, root: Schema) -> tuple[Schema, bool]:
    """The schema without "or null", and whether null is allowed."""
    if (branches := _branches(schema, root)) is not None:
        kept = [branch for branch in branches if branch.get("type") != "null"]
        is_nullable = len(kept) < len(branches)
        if len(kept) != 1:
            return schema, is_nullable
        beside = {name: each for name, each in schema.items() if name not in ("anyOf", "oneOf")}
        return {**kept[0], **beside}, is_nullable
    names = _list_at(schema, "type")
    if names is not None and "null" in names:
        others = [name for name in names if name != "null"]
        return {**schema, "type": others[0] if len(others) == 1 else others}, True
    return schema, schema.get("type") == "null"


def types_of(schema: Schema, root: Schema) -> frozenset[str]:
    """The types that a schema's values may have; none if it does not say."""
    if (branches := _branches(schema, root)) is not None:
        found = [types_of(branch, root) for branch in branches if not _branches(branch, root)]
        return frozenset[str]().union(*found) if len(found) == len(branches) and all(found) else frozenset()
    name = schema.get("type")
    names = [name] if isinstance(name, str) else _list_at(schema, "type") or []
    return frozenset(each for each in names if isinstance(each, str))


def members_of(schema: Schema) -> tuple[JsonValue, ...]:
    """The values that a schema lists, at most as many as a list in Slack holds; none if it lists none, or more."""
    members = [schema["const"]] if "const" in schema else _list_at(schema, "enum") or []
    are_scalars = all(each is None or isinstance(each, str | int | float) for each in members)
    return tuple(members) if are_scalars and len(members) <= OPTIONS else ()


def properties_of(schema: Schema, root: Schema) -> dict[str, Schema]:
    """The properties of an object's schema, each as it is written; none if it is no object."""
    properties = _object(resolved(schema, root).get("properties"))
    return {name: cast("Schema", each) for name, each in properties.items() if isinstance(each, dict)}


def required_by(schema: Schema, root: Schema) -> frozenset[str]:
    """The names of the properties that an object must have."""
    names = _list_at(resolved(schema, root), "required") or []
    return frozenset(name for name in names if isinstance(name, str))


def standing_alone(schema: JsonValue, root: Schema) -> Schema:
    """A part of a schema with the definitions it may refer to."""
    return {**{key: root[key] for key in ("$defs", "definitions") if key in root}, **_object(schema)}


def _object(found: JsonValue) -> Schema:
    return cast("Schema", found) if isinstance(found, dict) else {}


def _list_at(schema: Schema, name: str) -> list[JsonValue] | None:
    found = schema.get(name)
    return cast("list[JsonValue]", found) if isinstance(found, list) else None


def _branches(schema: Schema, root: Schema) -> list[Schema] | None:
    """The schemas of a union; None if it is none."""
    found = _list_at(schema, "anyOf")
    found = _list_at(schema, "oneOf") if found is None else found
    return None if found is None else [resolved(branch, root) for branch in found]


def _at(ref: str, root: Schema) -> Schema | None:
    """What a reference within the root points to; None if it leads elsewhere or nowhere."""
    if not ref.startswith("#"):
        return None
    found: JsonValue = root
    for step in ref.removeprefix("#").split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(found, dict) or name not in found:
            return None
        found = cast("Schema", found)[name]
    return cast("Schema", found) if isinstance(found, dict) else None
