"""Where secrets stand in a text, said slowly: one regular expression for each way in which one may be written.

What ``overwinter.actors.traces`` finds in one pass has to be what this finds.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation

from overwinter.actors.jsontext import to_json
from overwinter.actors.marks import Secret, scalars_of
from overwinter.actors.traces import Span

_SHORTEST_IN_TEXT = 2
_SHORTEST_IN_WORDS = 4
_BETWEEN_DIGITS = r"[\s.,'’_/-]{0,2}"
_DROPPED = frozenset(("Mn", "Cf"))


class SlowFinder:
    """Finds the texts of secrets in a text, in a time that goes with the length of both and with the number of secrets."""

    def __init__(self, secrets: Sequence[Secret]) -> None:
        self._patterns: dict[str, tuple[re.Pattern[str], str]] = {}
        self._literals: dict[str, str] = {}
        for secret in secrets:
            for scalar in scalars_of(secret.value):
                for text in _texts_of(scalar):
                    if len(text) >= _SHORTEST_IN_WORDS:
                        self._literals.setdefault(text, secret.name)
                    wanted = "".join(_folded(text)[0])
                    if len(wanted.strip()) >= _SHORTEST_IN_TEXT and wanted not in self._patterns:
                        self._patterns[wanted] = re.compile(f"(?=({_pattern_of(wanted)}))"), secret.name

    def spans(self, text: str, beside: re.Pattern[str] | None = None) -> list[Span]:
        """What to hide, from left to right; spans that overlap are one.

        Args:
            beside: matches of this are spans too, as they are written.
        """
        if not self._patterns and not self._literals and beside is None:
            return []
        letters, origins = _folded(text)
        folded = "".join(letters)
        found = [
            Span(start=origins[match.start(1)], end=origins[match.end(1) - 1] + 1, name=name)
            for pattern, name in self._patterns.values()
            for match in pattern.finditer(folded)
        ]
        # Folding may leave nothing of a text, as of one that is all accents.
        found += [
            Span(start=start, end=start + len(literal), name=name)
            for literal, name in self._literals.items()
            for start in _starts_of(literal, text)
        ]
        if beside is not None:
            found += [Span(start=match.start(), end=match.end(), name="text") for match in beside.finditer(text)]
        found.sort(key=lambda span: (span.start, -span.end))
        merged: list[Span] = []
        for span in found:
            if merged and span.start < merged[-1].end:
                last = merged.pop()
                span = Span(start=last.start, end=max(last.end, span.end), name=last.name)
            merged.append(span)
        return merged


def _texts_of(scalar: str | int | float) -> Iterator[str]:
    """The ways in which a value may be written in a text."""
    if isinstance(scalar, str):
        yield scalar
        yield json.dumps(scalar)[1:-1]
        yield json.dumps(scalar, ensure_ascii=False)[1:-1]
        yield repr(scalar)[1:-1]
        written = scalar.strip()
    else:
        written = to_json(scalar)
        yield written
        yield str(scalar)
    try:
        number = Decimal(written)
    except InvalidOperation:
        return
    if number.is_finite() and abs(number.adjusted()) < 50:
        yield format(number, "f")
        if number != 0:
            yield format(number.normalize(), "f")


def _folded(text: str) -> tuple[list[str], list[int]]:
    """The letters of a text as they are compared, each with where it comes from."""
    if text.isascii():
        return list(text.lower()), list(range(len(text)))
    letters: list[str] = []
    origins: list[int] = []
    for index, char in enumerate(text):
        for letter in unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold()):
            if unicodedata.category(letter) not in _DROPPED:
                letters.append(letter)
                origins.append(index)
    return letters, origins


def _starts_of(literal: str, text: str) -> Iterator[int]:
    start = text.find(literal)
    while start >= 0:
        yield start
        start = text.find(literal, start + 1)


def _pattern_of(wanted: str) -> str:
    """A pattern for a folded text."""
    is_word = len(wanted.strip()) < _SHORTEST_IN_WORDS
    pattern = ""
    for index, char in enumerate(wanted):
        follows_digit = index > 0 and wanted[index - 1].isdigit()
        before_digit = index + 1 < len(wanted) and wanted[index + 1].isdigit()
        if is_word:
            pattern += re.escape(char)
        elif char.isdigit() and follows_digit:
            pattern += _BETWEEN_DIGITS + char
        elif char in " -" and follows_digit and before_digit:
            pattern += _BETWEEN_DIGITS
        elif char in ".," and follows_digit and before_digit:
            pattern += "[.,]"
        elif char.isspace():
            pattern += r"\s"
        else:
            pattern += re.escape(char)
    return rf"(?<![^\W_]){pattern}(?![^\W_])" if is_word else pattern
