"""Whether a line takes back or limits what stands above it, by how it begins, in any language that rules read.

Such a line is nobody's signature and no disclaimer, wherever it stands: left out, it would turn "yes, but" into "yes".
"""

from __future__ import annotations

from ..interpreters.languages import LANGUAGES
from ..interpreters.lexicon import Kind, single_words
from ..interpreters.text import normalised, tokens_of

_TURNING = frozenset((Kind.BUT, Kind.LIMIT, Kind.HALF))
_REFUSING = frozenset((Kind.NO, Kind.REJECT, Kind.NEGATION, Kind.CONDITION))
_CONDITIONAL = (
    *("if", "wenn", "falls", "als", "indien", "om", "hvis", "dersom", "si", "se", "caso", "jeśli", "jeżeli", "gdy"),
    *("если", "jos", "eğer", "もし", "如果", "만약", "only", "nur", "alleen", "endast", "kun", "仅", "僅", "只"),
)
"""Disclaimers begin so too: "If you are not the intended recipient", "Only the addressee"."""
_ASIDES = frozenset(
    [
        *("ps", "p", "s", "nb", "n", "b", "note", "remark", "hinweis", "nota"),
        *("and", "und", "et", "y", "e", "en", "och", "og", "i", "и", "ja", "ve"),
    ]
)
"""What may stand before it: "P.S. only until Friday"."""
_LONGEST = 300
_SHORTEST_IN_A_NAME = 4
"""Letters: "Max", "Nur" and "Ma" are people as well."""


def _phrases(kinds: frozenset[Kind]) -> frozenset[tuple[str, ...]]:
    return frozenset(
        words for each in LANGUAGES for found in each.phrases.values() for words, kind in found if kind in kinds
    )


_TURNS = _phrases(_TURNING)
_REFUSALS = _phrases(_REFUSING)
_UNSPACED = tuple(
    sorted({words[0] for each in LANGUAGES if each.code in ("ja", "zh") for words in _TURNS if words[0] in each.words})
)
"""Of languages that put no blank behind them."""
ANSWERING = single_words(LANGUAGES, frozenset((Kind.YES, Kind.NO, Kind.APPROVE, Kind.REJECT)))
"""Words that are an answer when they stand alone."""
_MOST_WORDS = max(map(len, _TURNS | _REFUSALS))


def turns(text: str) -> bool:
    """Whether a line begins as one does that limits, refuses, or sets a condition."""
    line = normalised(text[:_LONGEST])
    words = _words(line)
    if not words:
        return False
    if _is_titled(line):
        return len(words[0]) >= _SHORTEST_IN_A_NAME and _begins(words, _TURNS)
    return _begins(words, _TURNS) or _begins(words, _REFUSALS) or words[0].startswith(_UNSPACED)


def turns_back(text: str) -> bool:
    """The same, but for words with which disclaimers begin."""
    words = _words(normalised(text[:_LONGEST]))
    if not words or words[0].startswith(_UNSPACED):
        return bool(words) and not words[0].startswith(tuple(each for each in _CONDITIONAL if not each.isascii()))
    return words[0] not in _CONDITIONAL and _begins(words, _TURNS)


def _words(line: str) -> list[str]:
    words = [token.text for token in tokens_of(line)]
    while words and words[0] in _ASIDES:
        words.pop(0)
    return words


def _begins(words: list[str], phrases: frozenset[tuple[str, ...]]) -> bool:
    return any(tuple(words[:count]) in phrases for count in range(1, _MOST_WORDS + 1))


def _is_titled(line: str) -> bool:
    """Whether it is written as names and posts are: several words, all of them capital, and no number."""
    words = line.split()
    return len(words) > 1 and all(word[0].isupper() for word in words) and not line.endswith((".", "!", "?"))
