"""Lines of a mail's body: the one form in which plain text and HTML go through the removal of what is not new.

Also ``format=flowed`` (RFC 3676), where a line may be a piece of a longer one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

_BREAK = re.compile("\r\n|[\r\n\x0b\x0c\x85\u2028\u2029]")
_QUOTE = re.compile(r"^[ \t]{0,4}(?:[>＞›»][ \t]?)+")
_INITIALS = re.compile(r"^[ \t]{0,2}([A-Z][A-Za-z]{0,3})>+(?:[ \t]|$)")
_FEWEST_INITIALS = 2
"""Lines that begin with somebody's initials and ``>``; one alone may be anything."""
_INVISIBLE_EDGE = "\ufeff\u200b\u200e\u200f\u202a\u202b\u202c\u2066\u2067\u2069"


class Kind(Enum):
    TEXT = "text"
    QUOTED = "quoted"
    SIGNATURE = "signature"
    """Marked as one by the client that made the HTML."""
    INTRODUCTION = "introduction"
    """Marked by that client as what stands above a quote."""
    CUT = "cut"
    """Not a line but a place: the client put the original below it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line without its line break and without blanks at its end."""

    text: str
    kind: Kind = Kind.TEXT

    @property
    def is_blank(self) -> bool:
        return not self.text.strip() and self.kind is not Kind.CUT

    @property
    def bare(self) -> str:
        """The text as rules compare it: one kind of blank, none at the ends, and no direction marks there."""
        return " ".join(self.text.split()).strip(_INVISIBLE_EDGE).strip()


def lines_of_text(text: str, *, is_flowed: bool = False, is_delsp: bool = False) -> tuple[Line, ...]:
    """The lines of a plain text.

    Args:
        is_flowed: its ``Content-Type`` says ``format=flowed``.
        is_delsp: and ``delsp=yes``: the blank at a soft line break is not part of the text.
    """
    raw = _BREAK.split(text)
    lines = _unflowed(raw, is_delsp=is_delsp) if is_flowed else (_line(each) for each in raw)
    return _with_initials(tuple(lines))


def joined(lines: Sequence[Line]) -> str:
    """Lines as text: at most one empty line in a row, and none at the ends."""
    text = "\n".join(line.text.strip().strip(_INVISIBLE_EDGE).strip() for line in lines)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def _line(raw: str) -> Line:
    text = raw.replace("\xa0", " ").replace("&nbsp;", " ").rstrip()
    bare = text.lstrip(_INVISIBLE_EDGE)
    is_quoted = _QUOTE.match(bare) is not None
    return Line(text=text, kind=Kind.QUOTED if is_quoted else Kind.TEXT)


def _with_initials(lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """Mark what is quoted by its writer's initials, as ``MR> text``, where several lines have the same."""
    found = [match[1] if (match := _INITIALS.match(line.text)) else "" for line in lines]
    if not any(found):
        return lines
    counted = Counter(found)
    return tuple(
        replace(line, kind=Kind.QUOTED) if initials and counted[initials] >= _FEWEST_INITIALS else line
        for line, initials in zip(lines, found, strict=True)
    )


def _unflowed(raw: Sequence[str], *, is_delsp: bool) -> Iterator[Line]:
    """Join lines that end in a blank to the next of the same depth; ``"-- "`` is the signature's delimiter."""
    pending: list[str] = []
    depth = 0
    for each in raw:
        level = len(each) - len(each.lstrip(">"))
        content = each[level:]
        content = content[1:] if content.startswith(" ") else content
        is_delimiter = content == "-- "
        if pending and (level != depth or is_delimiter):
            yield _flowed("".join(pending), depth)
            pending = []
        depth = level
        if content.endswith(" ") and not is_delimiter:
            pending.append(content[:-1] if is_delsp else content)
            continue
        yield _flowed("".join(pending) + content, depth)
        pending = []
    if pending:
        yield _flowed("".join(pending), depth)


def _flowed(text: str, depth: int) -> Line:
    if depth:
        return Line(text=f"> {text}".rstrip(), kind=Kind.QUOTED)
    return Line(text="-- ") if text == "-- " else _line(text)


def marked(lines: Sequence[Line], kind: Kind) -> tuple[Line, ...]:
    """The same lines, all of one kind."""
    return tuple(replace(line, kind=kind) for line in lines)
