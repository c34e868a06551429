"""What somebody typed into the original they quoted: below it where nothing marks it, or between its lines.

A client that does not mark what it quotes leaves no way to tell an answer below the original from the original itself,
and in one that does, people type inside the quote. Whoever knows what was sent can tell: what is quoted must have been in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from .header_blocks import is_header
from .phrases import any_of, folded
from .results import Doubt, MailReadingResult, Step
from .words_footers import BANNER_WORDS, BANNERS, WARNINGS
from .words_quotes import FORWARDED, ORIGINAL, WROTE

_WORD = re.compile(r"\w+")
_LINK = re.compile(r"<?(?:https?://|mailto:|cid:)[^\s<>]*>?|\[[^\]\n]{0,100}\]", re.IGNORECASE)
_INITIALS = re.compile(r"^\s{0,2}[A-Z][A-Za-z]{0,3}>+", re.MULTILINE)
"""Of whoever wrote a line, as some clients mark what they quote."""
_DATE = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)|(?<!\d)\d{1,2}[:h.]\d{2}(?!\d)")
_ADDRESS = re.compile(r"[^\s<>@]@[^\s<>@]+\.\w")
_WROTE = any_of(WROTE)
_ANNOUNCED = any_of(ORIGINAL | FORWARDED)
_BANNERS = any_of(BANNERS)
_LONGEST_LINE = 1_000
_LONGEST_BANNER = 4
"""Lines."""


def with_originals(result: MailReadingResult, originals: Sequence[str]) -> MailReadingResult:
    """The result, with its question left open if something was typed into what it quotes.

    Args:
        originals: the texts of the thread so far, plain and HTML renderings alike: our question first of all, and the
            answers to it that were read before.
    """
    added = added_to_originals(result.left_out, originals)
    if result.question_stays_open or not added:
        return result
    doubt = Doubt.WRITTEN_INTO_QUOTE
    step = Step(step="doubt", found=doubt.value, reason=f"not in what was sent: {added[0][:200]!r}")
    return replace(result, question_stays_open=True, doubts=(*result.doubts, doubt), why=(*result.why, step))


def added_to_originals(left_out: str, originals: Sequence[str]) -> tuple[str, ...]:
    """The lines of a quote that are in none of the originals, and are no client's words about one."""
    known = [f" {' '.join(_words(original))} " for original in originals]
    return tuple(
        line.strip()
        for line in _without_banners(left_out.split("\n"))
        if (words := _words(line))
        and not any(f" {' '.join(words)} " in text for text in known)
        and not _is_clients(line)
    )


def _without_banners(lines: Sequence[str]) -> list[str]:
    """The lines without warnings that a border server put on top of what it let in; every word of one is known."""
    kept: list[str] = []
    at = 0
    while at < len(lines):
        width = _width_of_banner(lines[at : at + _LONGEST_BANNER])
        kept += [] if width else [lines[at]]
        at += width or 1
    return kept


def _width_of_banner(lines: Sequence[str]) -> int:
    """How many of the lines are such a warning from the first of them on; 0 if it is none."""
    first = folded(lines[0][:_LONGEST_LINE]).lstrip("> *")
    if not first.startswith(WARNINGS):
        return 0
    for width in range(len(lines), 0, -1):
        words = [word for line in lines[:width] for word in _words(line[:_LONGEST_LINE])]
        is_known = all(_words(line) for line in lines[:width]) and BANNER_WORDS.issuperset(words)
        if is_known and _BANNERS.search(" ".join(folded(line).lstrip("> *") for line in lines[:width])) is not None:
            return width
    return 0


def _words(text: str) -> list[str]:
    return _WORD.findall(folded(_LINK.sub(" ", _INITIALS.sub("", text))).replace("_", " "))


def _is_clients(line: str) -> bool:
    """Whether a line is an attribution, a header or a separator inside the quote."""
    text = folded(line).lstrip("> ")
    if len(text) > _LONGEST_LINE:
        return False
    is_ruled = text[:2] in ("--", "==", "__")
    if is_header(text) or (is_ruled and _ANNOUNCED.search(text) is not None):
        return True
    text = text.strip("-=_*~ ") if is_ruled else text
    has_date, has_address = _DATE.search(text) is not None, _ADDRESS.search(text) is not None
    if (is_ruled or text.endswith((":", "："))) and _WROTE.search(text) is not None:
        return has_date or has_address or (not is_ruled and len(text.split()) <= 4)
    if has_address and text.endswith((":", "：")) and len(text.split()) == 1:
        return True  # the end of a wrapped one
    return has_date and (text.endswith("<") or (has_address and text.endswith((":", "：", ","))))
