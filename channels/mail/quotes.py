"""What is new in a mail: lines without what was quoted, wherever the answer stands.

A quote is marked line by line (``>``, or ``blockquote`` in HTML), and then what follows it may be an answer again; or it is
announced by a header block, a separator or an attribution and not marked, and then it goes on to the end.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from ..interpreters.languages import VOCABULARY
from ..interpreters.text import tokens_of
from .attributions import end_of_attribution, is_dated, names_writer, parted_from_original
from .header_blocks import Surroundings, end_of_bare_block, end_of_block
from .lines import Kind, Line
from .phrases import folded
from .words_quotes import FORWARDED, ORIGINAL

_RULED = re.compile(r"[-_=*—–~#+<> ]{2,}(.{1,200}?)[-_=*—–~#+<>: ]{2,}")
_RULER = re.compile(r"_{8,}|-{15,}|={15,}|\*{15,}|—{5,}|(?:_ ){8,}_?")
_ELIDED = re.compile(r"[\[(<]?(?:\.{3}|…|snip|schnipp|coupé)[\])>]?", re.IGNORECASE)
"""What somebody writes in place of quoted lines that they took out."""
_ARROWS = re.compile(r">{2,4}\s(.{1,200}?)\s>{2,4}")
_LONGEST = 300
_MOST_WORDS = 5
"""Of a separator that no list has."""


class Opening(Enum):
    """What announces an original."""

    QUOTED = "quoted"
    FORWARDED = "forwarded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Lines of new text with no quote between them; ``is_below`` if a quote stands above."""

    lines: tuple[Line, ...]
    is_below: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class NewText:
    """The new blocks of a text, from the top down.

    Attributes:
        is_forward: it hands somebody else's mail on.
        left_out: what was taken for quoted, except what announces it.
    """

    blocks: tuple[Block, ...]
    is_forward: bool
    left_out: tuple[Line, ...]


def without_quotes(lines: Sequence[Line], around: Surroundings) -> NewText:
    """Leave out all that is quoted."""
    lines = parted_from_original(lines, around)
    blocks: list[Block] = []
    current: list[Line] = []
    left_out: list[Line] = []
    is_below = is_forward = False
    at = 0
    while at < len(lines):
        line = lines[at]
        opened = _original(lines, at, around) if line.kind is not Kind.QUOTED else _between_arrows(lines, at, around)
        if opened is None and line.kind is not Kind.QUOTED:
            current.append(line)
            at += 1
            continue
        blocks.append(Block(lines=tuple(current), is_below=is_below))
        current, is_below = [], True
        if opened is not None:
            at, opening = opened
            is_forward = is_forward or opening is Opening.FORWARDED
            if at < len(lines) and lines[at].kind is not Kind.QUOTED:
                left_out.extend(lines[at:])
                break  # not marked: it goes on to the end
        while at < len(lines) and (lines[at].kind is Kind.QUOTED or _ELIDED.fullmatch(lines[at].bare[:20])):
            left_out.append(lines[at])
            at += 1
    blocks.append(Block(lines=tuple(current), is_below=is_below))
    kept = tuple(block for block in blocks if any(not line.is_blank for line in block.lines))
    return NewText(blocks=kept, is_forward=is_forward, left_out=tuple(left_out))


def _original(lines: Sequence[Line], at: int, around: Surroundings) -> tuple[int, Opening] | None:
    """Where the original that is announced at ``at`` begins, and how; None if none is."""
    opening = Opening.QUOTED
    begin = at
    while at < len(lines):
        line = lines[at]
        if line.kind is Kind.CUT or (line.is_blank and at > begin):
            at += 1
        elif line.kind is Kind.INTRODUCTION:
            opening = _separator(line, around) or opening
            at += 1
        elif line.kind is not Kind.TEXT or line.is_blank:
            break
        elif (separator := _separator(line, around) or _unlisted_separator(lines, at, around)) is not None:
            opening = separator if at == begin or separator is Opening.FORWARDED else opening
            at += 1
        elif (end := _introduced(lines, at, around, is_separated=at > begin)) is not None:
            at = end
        elif _is_ruler(line) and _original_below(lines, at + 1, around):
            at += 1
        else:
            break
    return (at, opening) if at > begin else None


def _introduced(lines: Sequence[Line], at: int, around: Surroundings, *, is_separated: bool) -> int | None:
    """Where the headers or the attribution end that begin at ``at``; None if neither does."""
    end = end_of_block(lines, at, around)
    end = end_of_attribution(lines, at, around) if end is None else end
    return end_of_bare_block(lines, at, around) if end is None and is_separated else end


def _original_below(lines: Sequence[Line], at: int, around: Surroundings) -> bool:
    """Whether what a ruler parts from the text above is an original."""
    while at < len(lines) and lines[at].is_blank:
        at += 1
    if at == len(lines) or lines[at].kind is not Kind.TEXT:
        return at < len(lines) and lines[at].kind is Kind.CUT
    found = end_of_block(lines, at, around) or end_of_attribution(lines, at, around)
    return found is not None or _separator(lines[at], around) is not None


def _separator(line: Line, around: Surroundings) -> Opening | None:
    """What a line such as ``-----Original Message-----`` announces."""
    if len(line.text) > _LONGEST:
        return None
    text = folded(line.text)
    ruled = _RULED.fullmatch(text)
    inner = (ruled[1] if ruled else text).strip(" :：*")
    if inner in FORWARDED:
        return Opening.FORWARDED
    is_original = ruled is not None and (inner in ORIGINAL or names_writer(inner, around))
    return Opening.QUOTED if is_original else None


def _unlisted_separator(lines: Sequence[Line], at: int, around: Surroundings) -> Opening | None:
    """What a short line in dashes announces in words nobody listed: an original, if one begins right below it."""
    line = lines[at]
    ruled = _RULED.fullmatch(folded(line.text)) if len(line.text) <= _LONGEST else None
    if ruled is None or len(ruled[1].split()) > _MOST_WORDS or any(char.isdigit() for char in ruled[1]):
        return None
    says_something = any(token.text in VOCABULARY for token in tokens_of(ruled[1]))
    return Opening.QUOTED if not says_something and _original_below(lines, at + 1, around) else None


def _between_arrows(lines: Sequence[Line], at: int, around: Surroundings) -> tuple[int, Opening] | None:
    """The original that GroupWise puts below ``>>> Ops Agent <agent@...> 3/3/2026 10:12 AM >>>`` and does not mark."""
    line = lines[at]
    match = _ARROWS.fullmatch(line.bare) if len(line.text) <= _LONGEST else None
    if match is None or not (around.names_us(folded(match[1])) or is_dated(match[1])):
        return None
    return at + 1, Opening.QUOTED


def _is_ruler(line: Line) -> bool:
    return len(line.text) <= _LONGEST and _RULER.fullmatch(line.bare) is not None
