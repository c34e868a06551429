"""Hides sensitive values: where they stand in JSON, and wherever else their text turns up.

``Masks`` cannot be undone; ``Tokens`` can: each stands for one value, and ``revealed(hidden(x)) == x``. Both find a value in
text whatever its case, its width (``４１`` is ``41``), accents, invisible characters within it, and separators between its digits
(``4111-1111``, ``4,111.50``), as it stands in JSON and as Python quotes it. Texts of two and three characters are hidden as
words of their own only, those of one where they stand and nowhere else: they are everywhere.

Pure. Which values are sensitive is said by ``marks``, who is given what by ``privacy``.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import cast

from .asks import JsonValue
from .jsontext import to_json
from .marks import Path, Secret, scalars_of

MASK = "•••"

TOKEN = re.compile(r"‹[a-z0-9_-]{1,40}:[0-9]{1,6}›")
"""What stands for a value: the name of its field and a number."""

_SHORTEST_IN_TEXT = 2
_SHORTEST_IN_WORDS = 4
_BETWEEN_DIGITS = r"[\s.,'’_/-]{0,2}"
_NAME = re.compile(r"[^a-z0-9_-]+")
_DROPPED = frozenset(("Mn", "Cf"))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Span:
    """A part of a text that gives a sensitive value away, by its field's name."""

    start: int
    end: int
    name: str


class _Finder:
    """Finds the texts of secrets in a text."""

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

    def spans(self, text: str, beside: re.Pattern[str] | None = None) -> list[_Span]:
        """What to hide, from left to right; spans that overlap are one.

        Args:
            beside: matches of this are spans too, as they are written.
        """
        if not self._patterns and beside is None:
            return []
        letters, origins = _folded(text)
        folded = "".join(letters)
        found = [
            _Span(start=origins[match.start(1)], end=origins[match.end(1) - 1] + 1, name=name)
            for pattern, name in self._patterns.values()
            for match in pattern.finditer(folded)
        ]
        # Folding may leave nothing of a text, as of one that is all accents.
        found += [
            _Span(start=start, end=start + len(literal), name=name)
            for literal, name in self._literals.items()
            for start in _starts_of(literal, text)
        ]
        if beside is not None:
            found += [_Span(start=match.start(), end=match.end(), name="text") for match in beside.finditer(text)]
        found.sort(key=lambda span: (span.start, -span.end))
        merged: list[_Span] = []
        for span in found:
            if merged and span.start < merged[-1].end:
                last = merged.pop()
                span = _Span(start=last.start, end=max(last.end, span.end), name=last.name)
            merged.append(span)
        return merged


class Masks:
    """Hides secrets for good."""

    def __init__(self, secrets: Sequence[Secret]) -> None:
        self._finder = _Finder(secrets)

    def text(self, text: str) -> str:
        return _replaced(text, self._finder.spans(text), lambda _span, _found: MASK)

    def json(self, found: JsonValue, secrets: Sequence[Secret] = ()) -> JsonValue:
        """``found`` with masks: for ``secrets`` at their places, and for the texts of all secrets anywhere."""
        return rebuilt(found, secrets=secrets, cover=lambda _secret, _found: MASK, text=self.text)


class Tokens:
    """Puts a token in the place of each secret, and back.

    Equal values have equal tokens, and values that are written differently different ones, so that each is put back as it was
    written. A token-like text that stands in the original is itself put behind a token: whoever writes one gets it back as
    it was, and not somebody else's value.

    Args:
        in_text: those that are hidden in texts too; all by default. Tokens are numbered over all of them in any case.
        after: the number before that of the first token.
    """

    def __init__(self, secrets: Sequence[Secret], *, in_text: Sequence[Secret] | None = None, after: int = 0) -> None:
        self._finder = _Finder(secrets if in_text is None else in_text)
        self._after = after
        self._tokens: dict[tuple[str, str], str] = {}
        self._values: dict[str, JsonValue] = {}
        for secret in secrets:
            self._token(secret.name, secret.value)

    def text(self, text: str, *, keeps_tokens: bool = False) -> str:
        """The text with tokens. With ``keeps_tokens`` those that stand in it are taken for ours, and left."""
        spans = self._finder.spans(text, None if keeps_tokens else TOKEN)
        return _replaced(text, spans, lambda span, found: self._token(span.name, found))

    def json(self, found: JsonValue, secrets: Sequence[Secret] = ()) -> JsonValue:
        """``found`` with tokens: for ``secrets`` at their places, and for the texts of all of them anywhere."""
        return rebuilt(found, secrets=secrets, cover=self.cover, text=self.text)

    def cover(self, secret: Secret | None, found: JsonValue) -> str:
        """The token of a value; without a secret, one that only tells it away."""
        return self._token("value" if secret is None else secret.name, found)

    @property
    def values(self) -> Mapping[str, JsonValue]:
        """What each token stands for."""
        return self._values

    def revealed(self, hidden: JsonValue) -> JsonValue:
        """What was hidden. Tokens that are not ours are left; ``unknown_in`` finds them."""
        return revealed(hidden, self._values)

    def unknown_in(self, hidden: JsonValue) -> str | None:
        """A token that stands for nothing; None if there is none."""
        return next((token for token in tokens_in(hidden) if token not in self._values), None)

    def _token(self, name: str, found: JsonValue) -> str:
        key = type(found).__name__, to_json(found)
        token = self._tokens.get(key)
        if token is None:
            plain = _NAME.sub("-", name.lower())[:40].strip("-") or "value"
            token = f"‹{plain}:{self._after + len(self._tokens) + 1}›"
            self._tokens[key] = token
            self._values[token] = found
        return token


def revealed(hidden: JsonValue, values: Mapping[str, JsonValue]) -> JsonValue:
    """``hidden`` with values in the place of their tokens; a token that stands for none of them is left."""
    match hidden:
        case str():
            return values[hidden] if hidden in values else _revealed_text(hidden, values)
        case list():
            return [revealed(part, values) for part in cast("list[JsonValue]", hidden)]
        case dict():
            members = cast("dict[str, JsonValue]", hidden)
            return {_revealed_text(key, values): revealed(part, values) for key, part in members.items()}
        case _:
            return hidden


def _revealed_text(text: str, values: Mapping[str, JsonValue]) -> str:
    def text_of(match: re.Match[str]) -> str:
        value = values.get(match.group(), match.group())
        return value if isinstance(value, str) else to_json(value)

    return TOKEN.sub(text_of, text)


def tokens_in(found: JsonValue) -> Iterator[str]:
    """Every token-like text in a value, its keys included."""
    match found:
        case str():
            yield from TOKEN.findall(found)
        case list():
            for part in cast("list[JsonValue]", found):
                yield from tokens_in(part)
        case dict():
            for key, part in cast("dict[str, JsonValue]", found).items():
                yield from TOKEN.findall(key)
                yield from tokens_in(part)
        case _:
            return


def _replaced(text: str, spans: Sequence[_Span], cover: Callable[[_Span, str], str]) -> str:
    for span in reversed(spans):
        text = text[: span.start] + cover(span, text[span.start : span.end]) + text[span.end :]
    return text


def rebuilt(
    found: JsonValue,
    *,
    secrets: Sequence[Secret],
    cover: Callable[[Secret | None, JsonValue], str],
    text: Callable[[str], str],
) -> JsonValue:
    """``found`` anew: covered where it is sensitive, and every text, number and key elsewhere gone through.

    Args:
        cover: what stands for a secret; for None, for a number that has the text of one in it.
        text: goes through the texts.
    """
    places = {secret.path: secret for secret in secrets if not secret.is_key}
    keys = {secret.path: secret for secret in secrets if secret.is_key}

    def part_of(found: JsonValue, path: Path) -> JsonValue:
        if found is None:
            return None
        if (secret := places.get(path)) is not None:
            return cover(secret, found)
        match found:
            case str():
                return text(found)
            case int() | float() if not isinstance(found, bool):
                written = to_json(found)
                return found if text(written) == written else cover(None, found)
            case list():
                return [part_of(part, (*path, index)) for index, part in enumerate(cast("list[JsonValue]", found))]
            case dict():
                members: dict[str, JsonValue] = {}
                for key, part in cast("dict[str, JsonValue]", found).items():
                    at = (*path, key)
                    written = cover(keys[at], key) if at in keys else text(key)
                    members[_unused(written, members)] = part_of(part, at)
                return members
            case _:
                return found

    return part_of(found, ())


def _unused(key: str, members: Mapping[str, JsonValue]) -> str:
    """A key that is not taken: two that are masked look the same."""
    number, unused = 1, key
    while unused in members:
        number += 1
        unused = f"{key} ({number})"
    return unused


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
