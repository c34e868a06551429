"""Hides sensitive values: where they stand in JSON, and wherever else their text turns up.

``Masks`` cannot be undone; ``Tokens`` can: each stands for one value, and ``revealed(hidden(x)) == x``. How both find a value in
text is said by ``traces``.

Pure. Which values are sensitive is said by ``marks``, who is given what by ``privacy``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import cast

from .asks import JsonValue
from .jsontext import to_json
from .marks import Path, Secret
from .traces import Finder, Span

MASK = "•••"

TOKEN = re.compile(r"‹[a-z0-9_-]{1,40}:[0-9]{1,6}›")
"""What stands for a value: the name of its field and a number."""

_NAME = re.compile(r"[^a-z0-9_-]+")


class Masks:
    """Hides secrets for good."""

    def __init__(self, secrets: Sequence[Secret]) -> None:
        self._finder = Finder(secrets)

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
        self._finder = Finder(secrets if in_text is None else in_text)
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


def _replaced(text: str, spans: Sequence[Span], cover: Callable[[Span, str], str]) -> str:
    """The text with covers; they are made from the last to the first, and tokens numbered so, in whatever version."""
    parts: list[str] = []
    end = len(text)
    for span in reversed(spans):
        parts += text[span.end : end], cover(span, text[span.start : span.end])
        end = span.start
    return text[:end] + "".join(reversed(parts))


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
                alike: dict[str, int] = {}
                for key, part in cast("dict[str, JsonValue]", found).items():
                    at = (*path, key)
                    written = cover(keys[at], key) if at in keys else text(key)
                    members[_unused(written, members, alike)] = part_of(part, at)
                return members
            case _:
                return found

    return part_of(found, ())


def _unused(key: str, members: Mapping[str, JsonValue], alike: dict[str, int]) -> str:
    """A key that is not taken: two that are masked look the same.

    Args:
        alike: the last number for each key, so that thousands are not counted anew for each of them.
    """
    number, unused = alike.get(key, 1), key
    while unused in members:
        number += 1
        unused = f"{key} ({number})"
    alike[key] = number
    return unused
