"""The arguments of a call in words for people: on one line, and nothing in them can pass for anything else."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from ..actors.asks import Form, JsonValue
from ..actors.privacy import arguments_in_prompt, secrets_of
from ..actors.redaction import MASK, TOKEN

_PLAIN = re.compile(r"[\w.:/@+-]{1,80}")
_LONGEST_SHOWN = 500


def readable_in_prompt(form: Form) -> str:
    """The arguments of a call as people are told them. Sensitive ones stand whole: half of one is found by no search."""
    longest = None if secrets_of(form) else _LONGEST_SHOWN
    return readable(arguments_in_prompt(form), longest=longest)


def readable(arguments: Mapping[str, JsonValue], *, longest: int | None = _LONGEST_SHOWN) -> str:
    """Arguments on one line for people. A text that could pass for more than one value stands in quotes, escaped."""
    return ", ".join(f"{name}={_quoted(value, longest=longest)}" for name, value in arguments.items())


def _quoted(value: JsonValue, *, longest: int | None) -> str:
    if isinstance(value, str) and (_PLAIN.fullmatch(value) or TOKEN.fullmatch(value) or value == MASK):
        return value
    text = json.dumps(value, ensure_ascii=False)
    text = "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)
    if longest is None or len(text) <= longest:
        return text
    return f"{text[:longest]}... ({len(text)} characters)"
