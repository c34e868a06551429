"""Looks into a payload of any shape: what is not there, or is something else, is None."""

from __future__ import annotations

import re
from typing import cast

from ...actors.asks import JsonValue

_ID = re.compile(r"[A-Za-z0-9]{1,40}")
_TS = re.compile(r"[0-9]{1,12}\.[0-9]{1,9}")
_LONGEST_TEXT = 100_000
_HALF_A_PAIR = re.compile("[\ud800-\udfff]")


class Payload:
    """A part of what Slack sent."""

    def __init__(self, found: object) -> None:
        self._found = cast("dict[object, JsonValue]", found) if isinstance(found, dict) else {}

    def whole(self) -> dict[str, JsonValue]:
        """All of it, as it came."""
        return {name: each for name, each in self._found.items() if isinstance(name, str)}

    def value(self, name: str) -> JsonValue:
        return self._found.get(name)

    def text(self, name: str) -> str | None:
        """A text, of a length that can be kept; halves of characters, which no database takes, are replaced."""
        found = self._found.get(name)
        return _whole(found[:_LONGEST_TEXT]) if isinstance(found, str) else None

    def id(self, name: str) -> str | None:
        """An id in Slack's form: letters and digits."""
        return self._matching(name, _ID)

    def ts(self, name: str) -> str | None:
        """The name of a message: seconds and a fraction, as text."""
        return self._matching(name, _TS)

    def part(self, name: str) -> Payload:
        """An object, empty if there is none."""
        return Payload(self._found.get(name))

    def parts(self, name: str) -> tuple[Payload, ...]:
        """The objects of a list."""
        found = self._found.get(name)
        return tuple(map(Payload, cast("list[object]", found))) if isinstance(found, list) else ()

    def texts(self, name: str) -> tuple[str, ...]:
        """The texts of a list."""
        found = self._found.get(name)
        if not isinstance(found, list):
            return ()
        return tuple(_whole(each) for each in cast("list[object]", found) if isinstance(each, str))

    def members(self) -> list[tuple[str, Payload]]:
        """The names in an object, with the objects they stand for."""
        named = ((_whole(name), found) for name, found in self._found.items() if isinstance(name, str))
        return [(name, Payload(found)) for name, found in named]

    def _matching(self, name: str, form: re.Pattern[str]) -> str | None:
        found = self._found.get(name)
        return found if isinstance(found, str) and form.fullmatch(found) else None


def _whole(text: str) -> str:
    return _HALF_A_PAIR.sub("\ufffd", text)
