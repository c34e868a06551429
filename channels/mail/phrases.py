"""Lists of what mail clients and servers write, and how they are found in a line."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORD = re.compile(r"\w+")
_NO_WORDS = re.compile(
    r"\[(?:image|cid|bild|imagen|immagine)[^\]]{0,200}\]|<?(?:https?://|mailto:|cid:)[^\s<>]*>?", re.IGNORECASE
)
_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""Letters of scripts in which words stand together, or take endings that are words elsewhere: no edge is looked for."""


def phrases(text: str) -> frozenset[str]:
    """The phrases of a list that is written down as one text, with bars between them."""
    return frozenset(filter(None, (" ".join(each.split()) for each in text.split("|"))))


def any_of(words: Iterable[str]) -> re.Pattern[str]:
    """A pattern that finds any of the words in folded text, whole where their script parts words by blanks."""
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    spaced = "|".join(re.escape(word) for word in longest_first if not _is_unspaced(word))
    unspaced = "|".join(re.escape(word) for word in longest_first if _is_unspaced(word))
    letter = f"[^\\W\\d_{_UNSPACED}]"
    kinds = (f"(?<!{letter})(?:{spaced})(?!{letter})" if spaced else "", f"(?:{unspaced})" if unspaced else "")
    return re.compile("|".join(filter(None, kinds)) or r"(?!)")


def folded(text: str) -> str:
    """Text as phrases are written: lower case, one blank between words, no direction marks."""
    return " ".join(re.sub("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u200b]", "", text).lower().split())


def words_of(text: str) -> list[str]:
    """The words of a text, for comparing two renderings of it: marks, links and pictures differ between them."""
    return _WORD.findall(folded(_NO_WORDS.sub(" ", text)).replace("_", " "))


def _is_unspaced(word: str) -> bool:
    return re.search(f"[{_UNSPACED}]", word) is not None
