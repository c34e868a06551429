"""Reads a tool's docstring: what the model is told of the tool, and of each argument."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass

_HEADINGS = frozenset({"Args:", "Arguments:", "Parameters:"})
_ITEM = re.compile(r"\*{0,2}(?P<name>\w+)\s*(?:\([^)]*\))?\s*:\s*(?P<text>.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Docstring:
    """A docstring in Google's form, taken apart.

    Attributes:
        description: all of it but the section on the arguments; empty without a docstring.
        arguments: what the section ``Args:`` says of each, on one line, by name.
    """

    description: str
    arguments: dict[str, str]

    @classmethod
    def of(cls, text: str | None) -> Docstring:
        kept: list[str] = []
        arguments: dict[str, str] = {}
        section: list[str] | None = None
        for line in inspect.cleandoc(text or "").splitlines():
            if line in _HEADINGS:
                section = []
            elif section is not None and (not line or line.startswith(" ")):
                section.append(line)
            else:
                arguments |= _items(section or [])
                section = None
                kept.append(line)
        arguments |= _items(section or [])
        return cls(description=re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip(), arguments=arguments)


def _items(section: list[str]) -> dict[str, str]:
    """Each name with its text: a line at the section's own indent begins one, deeper lines go on with it."""
    lines = inspect.cleandoc("\n".join(["", *section])).splitlines()
    items: dict[str, str] = {}
    name = None
    for line in lines:
        begun = _ITEM.fullmatch(line)
        if begun is not None:
            name = begun["name"]
            items[name] = begun["text"]
        elif name is not None and line.startswith(" "):
            items[name] = f"{items[name]} {line.strip()}".strip()
    return items
