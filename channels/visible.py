"""Texts that others wrote, with nothing in them that a person would not see.

What a bot puts into a question, and what people answer, goes through here before it is shown anywhere; each channel then
escapes it for its own markup.
"""

from __future__ import annotations

import re
import unicodedata

from .interpreters.text import without_hidden

_EMOJI = "\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_EMOJI_SEQUENCE = re.compile(f"([{_EMOJI}](?:\ufe0f|[\U0001f3fb-\U0001f3ff]|\u200d[{_EMOJI}])*)")
_LINE_BREAK = re.compile("\r\n?")
_MARKS = ("Mn", "Me")
_MOST_MARKS = 4
"""Accents on one letter; more of them would be drawn over the lines around it."""


def visible(text: str) -> str:
    """The text with everything a person would not see written out, as ``\\u202e``: control characters, bidirectional
    controls, zero-width characters, tags, odd line separators, halves of characters, heaps of accents. Line breaks, tabs and
    what belongs to an emoji stay."""
    if text.isascii() and text.isprintable():
        return text
    parts = _EMOJI_SEQUENCE.split(_LINE_BREAK.sub("\n", text))
    return "".join(part if at % 2 else _written_out(part) for at, part in enumerate(parts))


def _written_out(text: str) -> str:
    unseen = {ord(char): f"\\u{ord(char):04x}" for char in set(text) if _is_unseen(char)}
    seen = text.translate(unseen) if unseen else text
    if not any(unicodedata.category(char) in _MARKS for char in set(seen)):
        return seen
    out: list[str] = []
    marks = 0
    for char in seen:
        marks = marks + 1 if unicodedata.category(char) in _MARKS else 0
        out.append(f"\\u{ord(char):04x}" if marks > _MOST_MARKS else char)
    return "".join(out)


def _is_unseen(char: str) -> bool:
    return not without_hidden(char) or unicodedata.category(char) in ("Zl", "Zp") or char == "\x85"
