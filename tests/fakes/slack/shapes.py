"""JSON as Slack sends it, and the few readings of it that every file needs."""

from __future__ import annotations

import json
from typing import Any, cast

JsonObject = dict[str, Any]


def objects(value: object) -> list[JsonObject]:
    """The objects of a JSON array; whatever else it holds, or is, gives nothing."""
    if not isinstance(value, list):
        return []
    return [cast("JsonObject", entry) for entry in cast("list[object]", value) if isinstance(entry, dict)]


def object_of(value: object) -> JsonObject:
    """The object, or an empty one where there is none."""
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def text_of(value: object) -> str:
    """The text of a text object, or of a string."""
    if isinstance(value, str):
        return value
    inner = object_of(value).get("text")
    return inner if isinstance(inner, str) else ""


def copied(value: JsonObject) -> JsonObject:
    """A copy that shares nothing, so that no caller can change what the fake keeps."""
    return json.loads(json.dumps(value))
