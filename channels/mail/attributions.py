"""The line, or two to four, by which a client introduces a quote: "On ... wrote:", in any language.

What tells such a line from a person's own is what it names: a date, an address, a verb of writing, us. A wrong guess would
drop what somebody wrote, so one sign alone is never enough, and no more lines are taken than it needs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .header_blocks import Surroundings
from .lines import Kind, Line
from .phrases import any_of, folded
from .words_quotes import OPENERS, QUOTING, WROTE

_MOST_LINES = 4
_LONGEST = 600
_WROTE = any_of(WROTE)
_ADDRESS = re.compile(r"[^\s<>@]@[^\s<>@]+\.\w")
_DAY = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|(?<!\d)\d{1,2}[./-]\d{1,2}[./-]\d{2,4}(?!\d)")
_TIME = re.compile(r"(?<!\d)\d{1,2}[:٫h.]\d{2}(?!\d)")
_AND_ORIGINAL = re.compile(r"(.{10,400}?[:：])[ \xa0]{2,}(?=\S)")
_END = re.compile(r"[\s*_\-<>\u200e\u200f\u202a-\u202e\u2066-\u2069]+$")


def end_of_attribution(lines: Sequence[Line], at: int, around: Surroundings) -> int | None:
    """Where the attribution that begins with line ``at`` ends; None if none begins there."""
    for end in range(at + 1, min(len(lines), at + _MOST_LINES) + 1):
        line = lines[end - 1]
        if line.kind is not Kind.TEXT or line.is_blank or len(line.text) > _LONGEST:
            return None
        if _END.sub("", line.bare).endswith((":", "：", "﹕")):
            return end if _start(lines, at, end, around) == at else None
    return None


def parted_from_original(lines: Sequence[Line], around: Surroundings) -> Sequence[Line]:
    """The lines, with an attribution on a line of its own where a client lets the original begin right behind it."""
    for at, line in enumerate(lines):
        match = _AND_ORIGINAL.match(line.text[:_LONGEST]) if line.kind is Kind.TEXT else None
        if match is not None and _is_attribution(folded(match[1]), around, is_marked=False):
            rest = line.text[match.end(1) :].strip()
            return (*lines[:at], Line(text=match[1]), Line(text=rest), *lines[at + 1 :])
    return lines


def names_writer(text: str, around: Surroundings) -> bool:
    """Whether folded text says that somebody wrote, and who."""
    return _WROTE.search(text) is not None and (_ADDRESS.search(text) is not None or around.names_us(text))


def is_dated(text: str) -> bool:
    """Whether a text has a date or a time of day."""
    return _DAY.search(text) is not None or _TIME.search(text) is not None


def _start(lines: Sequence[Line], lowest: int, end: int, around: Surroundings) -> int | None:
    """Where the attribution that ends before ``end`` begins, no earlier than ``lowest``."""
    is_marked = _is_quote_below(lines, end)
    for start in range(end - 1, lowest - 1, -1):
        text = folded(" ".join(line.text for line in lines[start:end]))
        if len(text) <= _LONGEST and _is_attribution(text, around, is_marked=is_marked):
            above = start - 1
            is_whole = text.startswith(OPENERS)
            return above if above >= lowest and not is_whole and _opens(lines[above]) else start
    return None


def _is_attribution(text: str, around: Surroundings, *, is_marked: bool) -> bool:
    has_address = _ADDRESS.search(text) is not None
    has_verb = _WROTE.search(text) is not None
    has_time = _TIME.search(text) is not None
    has_date = is_dated(text)
    is_us = around.names_us(text)
    if not is_marked:
        return has_date and ((is_us and (has_verb or has_time)) or (has_address and has_verb))
    if has_date:
        return has_verb or is_us or (has_address and has_time)
    return (has_verb and (has_address or is_us)) or (text.startswith(QUOTING) and (has_address or is_us))


def _opens(line: Line) -> bool:
    """Whether a line is the beginning of an attribution whose end alone would do."""
    text = folded(line.text)
    if text.endswith("<"):
        return True
    has_date = is_dated(text) or text.endswith(",")
    return text.startswith(OPENERS) and has_date and not text.endswith((".", "!", "?", ":")) and len(text.split()) <= 14


def _is_quote_below(lines: Sequence[Line], at: int) -> bool:
    for line in lines[at : at + 4]:
        if line.kind is Kind.QUOTED:
            return True
        if not line.is_blank:
            return False
    return False
