"""The configuration's example: every table and key that there is, commented, made of the settings themselves.

A line that begins with ``#`` and no blank is TOML: uncommented it sets a key, to its default where it has one, else to an
example. Secrets are no lines of it; the variable that takes each is named.
"""

from __future__ import annotations

import inspect
import json
import textwrap
from collections.abc import Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, cast

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from ..actors.asks import JsonValue
from ..store.values import value
from .sections import Section
from .settings import Config, KeyPath, field_at, is_secret, section_in, setting_paths, variable_of

_WIDTH = 110

_HEAD = (
    "The configuration of Overwinter: every key that there is. Save it as overwinter.toml in the folder of the service, or "
    "name it with --config or OVERWINTER_CONFIG.",
    "As it stands it sets nothing. Take the # away from what you change, and from the [table] that it is in.",
    "A variable goes before the file: lease_s in the table [supervising] is OVERWINTER_SUPERVISING_LEASE_S, and a list is one text "
    "with commas in it. Secrets belong in variables; their names stand below.",
)


@value
class Setting:
    """A single key.

    Attributes:
        expected: what it is for, and what it takes.
        default: None where it has none.
        example: of a key without a default; None for a secret.
        is_required: its table cannot be without it.
    """

    path: KeyPath
    expected: str
    default: JsonValue
    example: JsonValue
    is_secret: bool
    is_required: bool

    @property
    def variable(self) -> str:
        return variable_of(self.path)


def all_settings() -> list[Setting]:
    """Every key, in the order in which the tables have them."""
    return [_setting(path, field) for path in setting_paths() if (field := field_at(path)) is not None]


def example_toml() -> str:
    """The example."""
    known = {setting.path: setting for setting in all_settings()}
    lines = [line for text in _HEAD for line in _comment(text)]
    lines += _table((), Config, known)
    return "\n".join(lines) + "\n"


def _table(path: KeyPath, section: type[Section], known: dict[KeyPath, Setting]) -> Iterator[str]:
    """The keys of a table, then the tables in it."""
    inner = {name: found for name, field in section.model_fields.items() if (found := section_in(field.annotation))}
    if path:
        yield ""
        field = field_at(path)
        field = field_at(path)
        absent = "" if field is None or field.default is not None else f" Not there by default: {field.description}."
        yield from _comment(_words_of(section) + absent)
        yield f"#[{'.'.join(path)}]"
    for name in section.model_fields:
        if name not in inner:
            yield ""
            yield from _key(known[*path, name])
    for name, table in inner.items():
        yield from _table((*path, name), table, known)


def _key(setting: Setting) -> Iterator[str]:
    name = setting.path[-1]
    if setting.is_secret:
        needed = ", required" if setting.is_required else ""
        yield from _comment(f"{name}: {setting.expected}. A secret{needed}: set {setting.variable}.")
        return
    if setting.default is not None:
        given, state = setting.default, ""
    else:
        given, state = (
            setting.example,
            " Required; an example:" if setting.is_required else " Not set by default; an example:",
        )
    yield from _comment(f"{_capitalised(setting.expected)}.{state}")
    yield f"#{name} = {_toml(given)}"


def _setting(path: KeyPath, field: FieldInfo) -> Setting:
    default: Any = None if field.default is PydanticUndefined else field.default
    hidden = is_secret(field.annotation)
    meaning, expected = field.title, field.description or ""
    return Setting(
        path=path,
        expected=expected if meaning is None else f"{meaning}: {expected}",
        default=None if hidden else _plain(default),
        example=None if hidden or default is not None else _plain((field.examples or [None])[0]),
        is_secret=hidden,
        is_required=field.is_required(),
    )


def _plain(given: Any) -> JsonValue:
    match given:
        case Path():
            return str(given)
        case Enum():
            return _plain(given.value)
        case tuple() | list():
            return [_plain(each) for each in cast("Sequence[Any]", given)]
        case _:
            return given


def _toml(given: JsonValue) -> str:
    """A value as TOML writes it, which is as JSON does."""
    return json.dumps(given, ensure_ascii=False)


def _words_of(section: type[Section]) -> str:
    return " ".join((inspect.getdoc(section) or "").replace("``", "").split())


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _comment(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False)
