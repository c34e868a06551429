"""Faults of the configuration in words: where the value came from, what is wrong with it, what is expected.

Values of secrets are never repeated, nor whatever stands where a table or an unknown key is: a secret may have got there.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic_core import ErrorDetails

from .settings import KeyPath, expected_at, section_at, setting_paths, variable_of

_UNSHOWN = frozenset(
    {"api_key", "api_url", "app_token", "base_url", "bot_token", "password", "signing_secrets", "token_keys"}
)
"""Keys whose value is not repeated: an address may hold a password."""


def fault_of(error: ErrorDetails, *, file: Path, variables: Mapping[str, str]) -> str:
    """One line for one error of validation.

    Args:
        file: where a value came from that no variable gave.
    """
    path = _known_part(tuple(str(part) for part in error["loc"]))
    is_variable = path in frozenset(setting_paths()) and bool(variables.get(variable_of(path)))
    where = variable_of(path) if is_variable else f"{file}, {'.'.join(path)}"
    match error["type"]:
        case "extra_forbidden":
            return f"{where}: there is no such key{did_you_mean(path[-1], _names_beside(path))}"
        case "missing":
            return f"{where} or {variable_of(path)}: it is missing; expected: {expected_at(path)}"
        case "value_error" if section_at(path) is not None:
            keys = [each for each in setting_paths() if each[:-1] == path and variables.get(variable_of(each))]
            return f"{', '.join([where, *map(variable_of, keys)])}: {_reason(error)}"
        case _:
            is_shown = section_at(path) is None and path[-1] not in _UNSHOWN
            shown = f", not {error['input']!r}" if is_shown else ""
            return f"{where}: {_reason(error)}{shown}; expected: {expected_at(path)}"


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """A hint after a wrong name: the one that is nearest; all of them, if they are few; else nothing."""
    if close := difflib.get_close_matches(name, names, n=1, cutoff=0.6):
        return f"; did you mean {close[0]}?"
    return f"; there are: {', '.join(names)}" if 0 < len(names) <= 12 else ""


def _reason(error: ErrorDetails) -> str:
    if error["type"] == "model_type":
        return "it is no table"
    text = error["msg"].removeprefix("Value error, ").replace("Input should", "it should")
    return text[:1].lower() + text[1:]


def _known_part(path: KeyPath) -> KeyPath:
    """The path without what validation adds below a setting, such as the branch of a union."""
    known = frozenset(setting_paths())
    return next((path[:length] for length in range(1, len(path)) if path[:length] in known), path)


def _names_beside(path: KeyPath) -> list[str]:
    section = section_at(path[:-1])
    return [] if section is None else list(section.model_fields)
