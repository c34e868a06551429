"""Turns the tokens in a call's arguments, as an agent's own model wrote them, into the values that they stand for.

In sensitive fields alone: nowhere else would the value stay hidden from those who may not see it. Pure.
"""

from __future__ import annotations

from typing import cast

from ..actors.asks import JsonValue
from ..actors.jsontext import from_json, to_json
from ..actors.marks import Schema, secrets_in
from ..actors.redaction import rebuilt, revealed, tokens_in
from ..actors.stand_ins import StandIns
from .errors import ToolArgumentsError
from .tool_arguments import ExactNumber, read_arguments

_BEGINS = ("‹", "\\u2039")
"""How a token begins, as it is and as JSON may write it."""


def tokens_written(arguments: str) -> set[str]:
    """The tokens in the arguments of a call, which JSON may write in several ways."""
    if not any(begins in arguments for begins in _BEGINS):
        return set()  # as most have none, they are not read for it
    return {*tokens_in(arguments), *tokens_in(_read(arguments))}


def put_back(arguments: str, marks: Schema | None, stand_ins: StandIns) -> str:
    """The arguments of a call, as a model wrote them, with values in the place of the tokens in its sensitive fields.

    Every number stays as it was written. What is no JSON object is left for those who tell the model so.
    """
    if marks is None or _read(arguments) is None:
        return arguments
    try:
        written: JsonValue = read_arguments(arguments, tool="").values
    except ToolArgumentsError:
        return arguments
    meant = rebuilt(
        written,
        secrets=secrets_in(marks, written),
        cover=lambda secret, found: found if secret is None else revealed(found, stand_ins),
        text=str,
    )
    return arguments if meant == written else _text_of(meant)


def _read(arguments: str) -> JsonValue:
    try:
        return from_json(arguments)
    except ValueError:
        return None


def _text_of(value: JsonValue) -> str:
    match value:
        case ExactNumber():
            return str(value)
        case list():
            return f"[{','.join(map(_text_of, cast('list[JsonValue]', value)))}]"
        case dict():
            members = cast("dict[str, JsonValue]", value)
            return f"{{{','.join(f'{to_json(key)}:{_text_of(part)}' for key, part in members.items())}}}"
        case _:
            return to_json(value)
