"""What a person wrote anew in a message: its body without quotes, signatures and whatever cannot be seen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..interpreters.text import hidden_characters
from .bodies import Body
from .header_blocks import Surroundings
from .lines import Line, joined
from .phrases import words_of
from .quotes import NewText, without_quotes
from .results import Doubt
from .settings import Limits
from .signatures import marked_signature, without_signature

_LIST_MARK = re.compile(r"^\s*(?:\d{1,3}|[a-z])[.)]\s+", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The new text of a message; empty if there is none, and with every doubt about it."""

    text: str
    doubts: tuple[Doubt, ...]
    is_forward: bool
    hidden_text_found: bool
    left_out: str


def read_answer(body: Body, around: Surroundings, names: frozenset[str], limits: Limits) -> Answer:
    """The new text of a body, read from its plain and its HTML part, which have to agree.

    Args:
        names: the words of the sender's name, folded.
    """
    marked = marked_signature(body.rich, names)
    plain, text, is_scattered = _read(body.plain, around, names, marked)
    is_long = len(text) > limits.reply_characters
    text = text[: limits.reply_characters]
    doubts: dict[Doubt, None] = {}
    is_forward = plain.is_forward
    left_out = [line.text for line in plain.left_out]
    if body.rich is not body.plain:
        rich, rich_text, rich_scattered = _read(body.rich, around, names, marked)
        is_scattered = is_scattered or rich_scattered
        is_forward = is_forward or rich.is_forward
        left_out += [line.text for line in rich.left_out]
        if _said(text) != _said(rich_text[: limits.reply_characters]):
            doubts[Doubt.PARTS_DIFFER] = None
    if is_scattered:
        doubts[Doubt.ANSWERS_BETWEEN_QUOTES] = None
    if body.hidden_text_found or hidden_characters(text):
        doubts[Doubt.HIDDEN_TEXT] = None
    if body.is_restyled:
        doubts[Doubt.RESTYLED_TEXT] = None
    if is_long:
        doubts[Doubt.TOO_LONG] = None
    return Answer(
        text=text,
        doubts=tuple(doubts),
        is_forward=is_forward,
        hidden_text_found=Doubt.HIDDEN_TEXT in doubts,
        left_out="\n".join(dict.fromkeys(left_out)),
    )


def _said(text: str) -> list[str]:
    """The words of a text, without the marks of its lists, which not every client writes into both parts."""
    return words_of(_LIST_MARK.sub("", text))


def _read(
    lines: Sequence[Line], around: Surroundings, names: frozenset[str], marked: frozenset[tuple[str, ...]]
) -> tuple[NewText, str, bool]:
    """The new text of some lines; and whether there are several answers below quotes, each to what stands above it."""
    new = without_quotes(lines, around)
    texts = [(joined(without_signature(block.lines, names, marked)), block.is_below) for block in new.blocks]
    written = [(text, is_below) for text, is_below in texts if text]
    return new, "\n\n".join(text for text, _ in written), sum(is_below for _, is_below in written) > 1
