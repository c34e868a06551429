"""Lossless JSON of pydantic's types: its serializers and validators, changed where they lose something.

Three things differ from pydantic's defaults, at every depth and whatever the configuration of a model:

- bytes are base64, and ``inf`` and ``nan`` are the constants ``Infinity`` and ``NaN`` (pydantic writes null);
- fields go by their names, never by their aliases, and computed fields are left out;
- a datetime keeps its zone and its fold (pydantic keeps the offset alone), in the manner of RFC 9557:
  ``2026-03-29T02:30:00+02:00[Europe/Berlin][fold=1]``, and ``[+02:00]`` for a ``datetime.timezone``. One without
  brackets is read as pydantic reads it.

Whether a value is lossless all the same is for others to compare: an author's own serializer may lose anything.
"""

from __future__ import annotations

import functools
import re
import typing
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any, Final
from zoneinfo import ZoneInfo

from pydantic import TypeAdapter
from pydantic_core import SchemaSerializer, SchemaValidator, core_schema

_KEEP_ALL: Final[dict[str, Any]] = {
    "ser_json_bytes": "base64",
    "val_json_bytes": "base64",
    "ser_json_inf_nan": "constants",
    "ser_json_timedelta": "iso8601",
    "ser_json_temporal": "iso8601",
}
_CONFIG: Final[core_schema.CoreConfig] = typing.cast("core_schema.CoreConfig", _KEEP_ALL)
_OPAQUE: Final = frozenset({"cls", "default", "expected", "members", "metadata", "serialization"})
_DATETIME: Final = SchemaValidator(core_schema.datetime_schema())
_ZONED: Final = re.compile(r"(?P<clock>[^\[]*)(?:\[(?P<zone>[^\]=]+)\])?(?:\[fold=(?P<fold>1)\])?")


def lossless(annotation: object) -> tuple[Callable[[Any], bytes], Callable[[str | bytes], Any]]:
    """Return what writes values of the annotation as JSON and what reads them.

    Raises what pydantic raises for a type it has no schema for.
    """
    schema = _keep_all(TypeAdapter[Any](typing.cast("type[Any]", annotation)).core_schema)
    # Not prebuilt: the parts that pydantic built for nested models follow the models' own configuration.
    serializer = SchemaSerializer(schema, _CONFIG, _use_prebuilt=False)
    validator = SchemaValidator(schema, _CONFIG, _use_prebuilt=False)
    return (
        functools.partial(serializer.to_json, by_alias=False, round_trip=True, warnings=False),
        functools.partial(validator.validate_json, by_alias=False, by_name=True),
    )


def _keep_all(node: Any) -> Any:
    """Return a core schema with every configuration in it overridden and every datetime written with its zone."""
    match node:
        case {"type": str() as kind}:
            kept = {key: value if key in _OPAQUE else _keep_all(value) for key, value in node.items()}
            if isinstance(node.get("config"), dict):
                kept["config"] = {**node["config"], **_KEEP_ALL}
            return _zoned(kept) if kind == "datetime" and "serialization" not in kept else kept
        case dict():
            return {key: _keep_all(value) for key, value in typing.cast("dict[Any, Any]", node).items()}
        case list():
            return [_keep_all(part) for part in typing.cast("list[Any]", node)]
        case tuple():
            return tuple(_keep_all(part) for part in typing.cast("tuple[Any, ...]", node))
        case _:
            return node


def _zoned(schema: Any) -> Any:
    ref = schema.pop("ref", None)
    return core_schema.no_info_before_validator_function(
        _read_datetime,
        schema,
        ref=ref,
        serialization=core_schema.plain_serializer_function_ser_schema(_write_datetime, when_used="json"),
    )


def _write_datetime(value: Any) -> Any:
    """Return the datetime as text; what is none is returned as it is, and refused once it is compared."""
    if type(value) is not datetime:
        return value
    text = value.isoformat()
    match value.tzinfo:
        case ZoneInfo(key=str() as zone):
            zone = f"[{zone}]"
        case timezone():
            zone = f"[{text.removeprefix(value.replace(tzinfo=None).isoformat())}]"
        case _:
            zone = ""
    return f"{text}{zone}{'[fold=1]' if value.fold else ''}"


def _read_datetime(text: Any) -> Any:
    if not isinstance(text, str) or (parts := _ZONED.fullmatch(text)) is None:
        return text
    clock, zone, fold = parts["clock"], parts["zone"], 1 if parts["fold"] else 0
    if zone is None:
        return _DATETIME.validate_python(clock).replace(fold=fold)
    value = datetime.fromisoformat(clock)
    if zone[0] in "+-":
        return value.replace(fold=fold)
    try:
        # The clock's reading is what is kept, should the rules of the zone have changed meanwhile.
        return value.replace(tzinfo=ZoneInfo(zone), fold=fold)
    except (KeyError, OSError) as err:  # OSError for the name of a folder of zones
        raise ValueError(f"this machine has no time zone {zone}") from err
