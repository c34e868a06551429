"""What stands below an answer and is none: signatures, sign-offs, client footers, disclaimers.

Only what is known for certain is left out; a line too many makes the reader ask again, a line too few could turn "yes, but"
into "yes".
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..interpreters.languages import VOCABULARY
from ..interpreters.text import tokens_of
from .lines import Kind, Line
from .phrases import any_of, folded, words_of
from .turns import ANSWERING, turns, turns_back
from .words_footers import (
    BANNERS,
    COMPANY,
    CONFIDENTIAL,
    DEVICES,
    EXCUSES,
    FILLERS,
    MAIL,
    SCANNED,
    SENT_WITH,
    SIGN_OFFS,
    SMALL_WORDS,
    WARNINGS,
)

_SENT_WITH = any_of(SENT_WITH)
_DEVICES = any_of(DEVICES)
_CONFIDENTIAL = any_of(CONFIDENTIAL)
_MAIL = any_of(MAIL)
_COMPANY = any_of(COMPANY)
_BANNERS = any_of(BANNERS)
_WORD = re.compile(r"\w+")
_FOOTER_WORD = re.compile(r"[^\s,;:!?()\[\]<>*'\"–—\-]+")
_LINK = re.compile(r"[<(\[]{0,2}(?:https?://|www\.|mailto:)[^\s<>]*[>)\]]{0,2}")
_PICTURE = re.compile(r"\[(?:image|cid|bild|imagen|immagine)[^\]]{0,100}\]|<cid:[^\s<>]*>", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!](?=\s|$)")
_APOLOGY = re.compile(r"[.!](?=\s|$)|[,;](?=\s)|\s[-–—]\s")
"""Where an apology may begin behind what a client says of itself."""
_MARKDOWN_LINK = re.compile(r"\[([^\]]{1,80})\]\([^)]{1,300}\)")
_CONTACT = re.compile(r"\+?\d[\d\s()/.\-]{6,}|[^\s@]@[^\s@]+\.\w|\bwww\.|https?://|\S \| \S|\S • \S", re.IGNORECASE)
_LONGEST_FOOTER = 160
_MOST_FOOTER_WORDS = 12
_MOST_PARAGRAPHS = 8
_SHORTEST_DISCLAIMER = 100
_LONGEST_SIGNATURE = 40
"""Lines below a sign-off, empty ones and all."""


def without_signature(
    lines: Sequence[Line], names: frozenset[str], marked: frozenset[tuple[str, ...]] = frozenset()
) -> tuple[Line, ...]:
    """Leave out what stands below the answer in one block of new text.

    Args:
        names: the words of the sender's own name, folded.
        marked: see ``marked_signature``.
    """
    kept = list(_without_banner(_without_marked(lines, names)))
    cut = next((at for at in range(len(kept)) if _is_delimiter(kept, at, names)), None)
    if cut is not None:
        kept = kept[:cut]
    while True:
        before = len(kept)
        while kept and (kept[-1].is_blank or is_footer(kept[-1]) or tuple(words_of(kept[-1].text)) in marked):
            kept.pop()
        del kept[_disclaimer(kept) :]
        if len(kept) == before:
            break
    return tuple(kept[: _sign_off(kept, names)])


def marked_signature(lines: Sequence[Line], names: frozenset[str]) -> frozenset[tuple[str, ...]]:
    """The lines, as words, that the client marked as a signature in its HTML: below the plain text they are one too."""
    kept = {id(line) for line in _without_marked(lines, names)}
    left_out = (line for line in lines if line.kind is Kind.SIGNATURE and id(line) not in kept)
    return frozenset(words for line in left_out if (words := tuple(words_of(line.text))))


def is_footer(line: Line) -> bool:
    """Whether a line is what a client or a scanner adds below what people write; every word of it has to be known."""
    if len(line.text) > 2 * _LONGEST_FOOTER:
        return False
    shown = _PICTURE.sub("", line.text)
    if not shown.strip("-_=*—–.· "):
        return True
    text = folded(_LINK.sub("", _MARKDOWN_LINK.sub(r"\1", shown))).replace("’", "'").strip("<>[]()*_ ")
    if not text or len(text) > _LONGEST_FOOTER:
        return False
    if text.startswith(SCANNED) and len(text.split()) <= _MOST_FOOTER_WORDS:
        return True
    return any(_is_client_line(*parts.split(text, maxsplit=1)) for parts in (_SENTENCE_END, _APOLOGY))


def _is_client_line(main: str, apology: str = "") -> bool:
    """Whether a text says what a mail was sent with, and what follows asks to be excused for it."""
    if _SENT_WITH.search(main) is None or _DEVICES.search(main) is None:
        return False
    others = _FOOTER_WORD.findall(_DEVICES.sub(" ", _SENT_WITH.sub(" ", main)))
    is_known = all(word in FILLERS or any(char.isdigit() for char in word) for word in others)
    return is_known and all(word in EXCUSES for word in _WORD.findall(apology))


def _is_delimiter(lines: Sequence[Line], at: int, names: frozenset[str]) -> bool:
    """``-- `` alone on a line, or without its blank, and what follows neither ends the sentence above nor takes it back."""
    is_one = lines[at].text == "-- " or lines[at].bare in ("--", "—", "- --")
    if not is_one or not _begins_signature(lines[at + 1 :], names):
        return False
    below = lines[at + 1 :]
    return not any(turns(line.text) and not _is_name(line, names) for line in below[: _disclaimer(below)])


def _without_marked(lines: Sequence[Line], names: frozenset[str]) -> Sequence[Line]:
    """Leave out what the client marked as a signature, unless somebody seems to have gone on writing in it."""
    kept: list[Line] = []
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end].kind is Kind.SIGNATURE:
            end += 1
        if end == at:
            kept.append(lines[at])
        elif not _is_marked_signature(lines[at:end], names):
            kept.extend(lines[at:end])
        at = max(end, at + 1)
    return kept


def _is_marked_signature(lines: Sequence[Line], names: frozenset[str]) -> bool:
    """Whether what a client marked is a signature, and nobody went on writing in it."""
    if not _begins_signature(lines, names):
        return False
    rest = (line for line in lines[: _disclaimer(lines)] if not (line.is_blank or is_footer(line)))
    return not any(_may_answer(line, names) for line in rest)


def _may_answer(line: Line, names: frozenset[str]) -> bool:
    """Whether a line of a signature has a word that answers, or takes back."""
    if _is_name(line, names) or _is_contact(line) or folded(line.text).strip(" ,.!;。、，-–") in SIGN_OFFS:
        return False
    return any(token.text in VOCABULARY and token.text not in SMALL_WORDS for token in tokens_of(line.text[:500]))


def _begins_signature(lines: Sequence[Line], names: frozenset[str]) -> bool:
    """Whether lines may be a signature: they do not begin as the rest of a sentence, or a number, would."""
    first = next((line for line in lines if not line.is_blank), None)
    if first is None or _is_name(first, names) or is_footer(first) or _CONTACT.search(first.text[:300]) is not None:
        return True
    return not (first.bare[:1].islower() or first.bare[:1].isdigit())


def _without_banner(lines: Sequence[Line]) -> Sequence[Line]:
    """Leave out a border server's warning that stands on top."""
    first = next((at for at, line in enumerate(lines) if not line.is_blank), len(lines))
    end = next((at for at in range(first, len(lines)) if lines[at].is_blank), len(lines))
    text = folded(" ".join(line.text for line in lines[first : min(end, first + 6)])[:1_000])
    is_warning = text.startswith(WARNINGS) and _BANNERS.search(text) is not None
    return lines[end:] if is_warning and end < len(lines) else lines


def _disclaimer(lines: Sequence[Line]) -> int:
    """Where the disclaimer begins that is last, over all of its paragraphs; the end if there is none."""
    end = at = len(lines)
    found: set[str] = set()
    length = 0
    for _ in range(_MOST_PARAGRAPHS):
        while at > 0 and lines[at - 1].is_blank:
            at -= 1
        stop = at
        while at > 0 and not lines[at - 1].is_blank:
            at -= 1
        text = folded(" ".join(line.text for line in lines[at:stop])[:4_000])
        hits = set(_CONFIDENTIAL.findall(text))
        found |= hits
        length += len(text)
        if not hits or turns_back(text):
            break
        if len(hits) >= 2 and len(found) >= 3 and length >= _SHORTEST_DISCLAIMER and _MAIL.search(text) is not None:
            end = at
    return end


def _sign_off(lines: Sequence[Line], names: frozenset[str]) -> int:
    """Where the sign-off with the sender's name under it begins; the end if there is none."""
    lowest = max(1, len(lines) - _LONGEST_SIGNATURE)
    for at in range(lowest, len(lines)):
        below = [line for line in lines[at + 1 :] if not line.is_blank]
        if folded(lines[at].text).strip(" ,.!;。、，-–") in SIGN_OFFS and below and _is_signature(below, names):
            return at
    if len(lines) > 1 and _is_name(lines[-1], names):
        return len(lines) - 1
    return len(lines)


def _is_signature(below: Sequence[Line], names: frozenset[str]) -> bool:
    """Whether lines are the sender's name and then, up to a way to reach them, their post and company."""
    if not _is_name(below[0], names):
        return False
    contacts = [at for at, line in enumerate(below) if at and _is_contact(line)]
    last = contacts[-1] if contacts else 0
    return last == len(below) - 1 and all(_is_title(line) for line in below[1:])


def _is_name(line: Line, names: frozenset[str]) -> bool:
    words = [word.strip(".,-–—()\"'") for word in folded(line.text).split()]
    if len(words) == 1 and "@" in words[0]:
        words = re.split(r"[._\-0-9]+", words[0].partition("@")[0])
    elif words and ANSWERING.issuperset(words):
        return False  # some people are called No, or Si, but whoever writes that alone says it
    return 1 <= len(words) <= 5 and all(word in names for word in words if word)


def _is_contact(line: Line) -> bool:
    """Whether a line is a way to reach somebody, or what a company has to say about itself."""
    text = line.text[:300]
    return _CONTACT.search(text) is not None or _COMPANY.search(folded(text)) is not None


def _is_title(line: Line) -> bool:
    """Whether a line is a post, a company or a way to reach somebody, and no sentence."""
    text = line.bare
    if len(text) > 120 or _is_contact(line):
        return len(text) <= 120
    words = text.replace("/", " ").split()
    if any(token.text in VOCABULARY and token.text not in SMALL_WORDS for token in tokens_of(text)):
        return False  # a word that answers, or takes back, is nobody's post
    return not text.endswith((".", "!", "?")) and all(not word[0].islower() or word in SMALL_WORDS for word in words)
