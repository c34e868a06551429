"""Where the texts of sensitive values stand in a text, however they are written there.

A value is found whatever its case, its width (``４１`` is ``41``), accents, invisible characters within it, and separators between
its digits (``4111-1111``, ``4,111.50``), as it stands in JSON and as Python quotes it. Texts of two and three characters are found
as words of their own only, those of one not at all: they are everywhere.

What is looked for, and what it is looked for in, are brought into one form. Then ``needles`` compares them in one pass:

    kind        what is compared                           which texts are looked for so
    ----------- ------------------------------------------ ------------------------------------------------------------
    core        folded, every blank a space, and without   those with digits side by side, from the first to the last
                one or two separators between digits       letter that is no separator
    tailed      as core                                    those of them that have separators at their end
    spaced      folded, every blank a space                all others
    word        folded                                     those of two and three letters
    written     as it is                                   those that folding leaves nothing of at an end, or too little

Of core and tailed it is looked at one by one what separates the digits, and what is around them. So much of that is done as
the length of the text is worth; behind that, what might be a value counts as one. It takes a text that is made for it.

Pure.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import Literal

from .jsontext import to_json
from .marks import Secret, scalars_of
from .needles import Needles

_SHORTEST_IN_TEXT = 2
_SHORTEST_IN_WORDS = 4
_MOST_BETWEEN_DIGITS = 2
_SEPARATORS = re.compile(r"[\s.,'’_/-]+")
_BLANK = re.compile(r"\s")
_POINTS = (".", ",")
_DROPPED = frozenset(("Mn", "Cf"))

_LOOKS_PER_LETTER = 8
"""What may be looked at beside the needles: a text that was not made for it needs less than one."""
_LEAST_LOOKS = 10_000

_Kind = Literal["core", "tailed", "spaced", "word", "written"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A part of a text that gives a sensitive value away, by its field's name."""

    start: int
    end: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """A text in the forms in which it is compared.

    Attributes:
        origins: where in the text the letters of ``folded`` and ``spaced`` come from.
        places: where in ``folded`` the letters of ``core`` stand.
        gaps: the separators that ``core`` is without, by the place of the letter behind them.
    """

    written: str
    folded: str
    origins: Sequence[int]
    spaced: str
    core: str
    places: Sequence[int]
    gaps: Mapping[int, str]

    @classmethod
    def of(cls, text: str) -> _Reading:
        folded, origins = _folded(text)
        spaced = _BLANK.sub(" ", folded)
        core, places, gaps = _without_gaps(folded, spaced)
        return cls(written=text, folded=folded, origins=origins, spaced=spaced, core=core, places=places, gaps=gaps)

    def form(self, kind: _Kind) -> tuple[str, Sequence[int], Sequence[int]]:
        """What is compared; where its letters stand in ``folded``; and where what stands there comes from."""
        match kind:
            case "core" | "tailed":
                return self.core, self.places, self.origins
            case "spaced" | "word":
                return self.folded if kind == "word" else self.spaced, range(len(self.folded)), self.origins
            case "written":
                every = range(len(self.written))
                return self.written, every, every


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sought:
    """A text that is looked for, beside its needle.

    Attributes:
        secrets: whose it is, by their places.
        before, after: what has to stand around the needle.
        gaps: what has to separate its digits, one of these each, by the place of the letter behind them.
        is_word: neither a letter nor a digit may stand around it.
    """

    secrets: list[int]
    before: str = ""
    after: str = ""
    gaps: Sequence[tuple[int, Sequence[str]]] = ()
    is_word: bool = False

    def stands_at(self, read: _Reading, start: int, first: int, last: int) -> bool:
        """Whether what is within the needle and around it is as it has to be.

        Args:
            start: where the needle begins in what was compared.
            first, last: from where to where it stands in what is folded.
        """
        if self.is_word:
            return not (read.folded[first - 1 : first].isalnum() or read.folded[last : last + 1].isalnum())
        return (
            all(read.gaps.get(start + place, "") in fitting for place, fitting in self.gaps)
            and read.spaced[max(0, first - len(self.before)) : first] == self.before
            and read.spaced[last : last + len(self.after)] == self.after
        )


class _SlowError(Exception):
    """More would have to be looked at than the text is worth."""


class Finder:
    """Finds the texts of secrets in a text, in a time that goes with its length, and not with their number or length."""

    def __init__(self, secrets: Sequence[Secret]) -> None:
        self._secrets = secrets
        self._sought: dict[_Kind, dict[str, dict[object, _Sought]]] = {}
        for index, secret in enumerate(secrets):
            for scalar in scalars_of(secret.value):
                for text in dict.fromkeys(_texts_of(scalar)):
                    for kind, needle, sought in _sought_of(text):
                        alike = self._sought.setdefault(kind, {}).setdefault(needle, {})
                        key = sought.before, sought.after, sought.gaps
                        alike.setdefault(key, sought).secrets.append(index)
        every = [each for texts in self._sought.values() for alike in texts.values() for each in alike.values()]
        self._around = max((len(part) for each in every for part in (each.before, each.after)), default=0)
        self._needles: dict[_Kind, Needles] = {kind: Needles(sought) for kind, sought in self._sought.items()}

    def spans(self, text: str, beside: re.Pattern[str] | None = None) -> list[Span]:
        """What to hide, from left to right; spans that overlap are one.

        Args:
            beside: matches of this are spans too, as they are written.
        """
        found: list[tuple[int, int, int, str]] = []
        for start, end, kind, sought in self._found(text):
            index = sought.secrets[0]
            rank = index if kind != "written" else index + len(self._secrets)
            found.append((start, -end, rank, self._secrets[index].name))
        if beside is not None:
            last = 2 * len(self._secrets)
            found += [(match.start(), -match.end(), last, "text") for match in beside.finditer(text)]
        merged: list[Span] = []
        for start, negative, _, name in sorted(found):
            span = Span(start=start, end=-negative, name=name)
            if merged and span.start < merged[-1].end:
                before = merged.pop()
                span = Span(start=before.start, end=max(before.end, span.end), name=before.name)
            merged.append(span)
        return merged

    def secrets_in(self, text: str) -> list[Secret]:
        """The secrets that stand in a text, however they do; all of them where that takes too many looks."""
        found: set[int] = set()
        try:
            for *_, sought in self._found(text, is_each_wanted=True):
                found.update(sought.secrets)
        except _SlowError:
            return list(self._secrets)
        return [secret for index, secret in enumerate(self._secrets) if index in found]

    def _found(self, text: str, *, is_each_wanted: bool = False) -> Iterator[tuple[int, int, _Kind, _Sought]]:
        """From where to where in the text what stands.

        Args:
            is_each_wanted: also what stands within something else that was found.

        Raises:
            _SlowError: with ``is_each_wanted``, where it takes too many looks to tell.
        """
        if not self._sought:
            return
        read = _Reading.of(text)
        looks = _LEAST_LOOKS + _LOOKS_PER_LETTER * len(read.folded)
        for kind, needles in self._needles.items():
            compared, places, origins = read.form(kind)
            # Of those that end at one place each stands within the longest, but for what has to be around it.
            is_longest_enough = not is_each_wanted and kind not in ("tailed", "word")
            for end, texts in needles.found_in(compared):
                for needle in texts:
                    start, stands = end - len(needle), False
                    first, last = places[start], places[end - 1] + 1
                    for sought in self._sought[kind][needle].values():
                        if looks < 0:
                            if is_each_wanted:
                                raise _SlowError
                            stands = True
                            final = min(last + self._around, len(origins)) - 1
                            yield origins[max(0, first - self._around)], origins[final] + 1, kind, sought
                            break
                        looks -= 1 + len(sought.gaps)
                        if sought.stands_at(read, start, first, last):
                            stands = True
                            final = last + len(sought.after) - 1
                            yield origins[first - len(sought.before)], origins[final] + 1, kind, sought
                    if stands and (is_longest_enough or looks < 0):
                        break


def _sought_of(text: str) -> Iterator[tuple[_Kind, str, _Sought]]:
    """How a text is looked for, each time with its needle."""
    folded, origins = _folded(text)
    letters = len(folded.strip())
    is_word = letters < _SHORTEST_IN_WORDS
    if len(text) >= _SHORTEST_IN_WORDS and (is_word or origins[0] > 0 or origins[-1] < len(text) - 1):
        yield "written", text, _Sought(secrets=[])
    if letters < _SHORTEST_IN_TEXT:
        return
    if is_word:
        yield "word", folded, _Sought(secrets=[], is_word=True)
        return
    spaced = _BLANK.sub(" ", folded)
    core, places, left_out = _without_gaps(folded, spaced)
    gaps: list[tuple[int, Sequence[str]]] = []
    fixed = 0
    for place, gap in left_out.items():
        match folded[places[place] - len(gap) : places[place]]:
            case " " | "-":
                pass  # as good as none, which may be written with any
            case "." | ",":
                gaps.append((place, _POINTS))
            case _:
                gaps.append((place, (gap,)))
                fixed += 1
    if sum(left.isdigit() and right.isdigit() for left, right in pairwise(core)) == fixed:
        yield "spaced", spaced, _Sought(secrets=[])
        return
    begin = end = 0
    while _SEPARATORS.match(folded, begin):
        begin += 1
    while _SEPARATORS.match(folded, len(folded) - end - 1):
        end += 1
    sought = _Sought(
        secrets=[],
        before=spaced[:begin],
        after=spaced[len(spaced) - end :],
        gaps=tuple((place - begin, fitting) for place, fitting in gaps),
    )
    yield ("tailed" if end else "core"), core[begin : len(core) - end], sought


def _without_gaps(folded: str, spaced: str) -> tuple[str, Sequence[int], Mapping[int, str]]:
    """A text without the separators that may stand between two digits; where its letters come from; and what was left out."""
    parts: list[str] = []
    places: list[int] = []
    gaps: dict[int, str] = {}
    begin = 0
    for match in _SEPARATORS.finditer(folded):
        start, end = match.span()
        if end - start > _MOST_BETWEEN_DIGITS:
            continue
        if folded[start - 1 : start].isdigit() and folded[end : end + 1].isdigit():
            parts.append(spaced[begin:start])
            places.extend(range(begin, start))
            gaps[len(places)] = spaced[start:end]
            begin = end
    if not gaps:
        return spaced, range(len(spaced)), gaps
    parts.append(spaced[begin:])
    places.extend(range(begin, len(spaced)))
    return "".join(parts), places, gaps


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


def _folded(text: str) -> tuple[str, Sequence[int]]:
    """The letters of a text as they are compared, and where each comes from."""
    if text.isascii():
        return text.lower(), range(len(text))
    known = {char: _letters_of(char) for char in set(text)}
    origins = [index for index, char in enumerate(text) for _ in known[char]]
    return "".join([known[char] for char in text]), origins


def _letters_of(char: str) -> str:
    letters = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", char).casefold())
    return "".join(letter for letter in letters if unicodedata.category(letter) not in _DROPPED)
