"""What kinds of words there are, and how a language's words are written down and looked up.

A language is a set of phrases, each of one kind. A reading of a reply in a language must account for every token of it;
what no phrase covers is foreign, and nothing foreign is ever part of an approval. The words themselves stand in the
``words_*`` files; what a reply means by them is decided in ``stance.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

from .text import normalised, tokens_of


class Kind(Enum):
    """What a phrase does in a reply."""

    YES = "yes"
    """A bare yes. Where the question is put in the negative it may mean no."""
    APPROVE = "approve"
    """Says in so many words that it may happen."""
    NO = "no"
    """A bare no; in some languages also what negates the word after it."""
    REJECT = "reject"
    """Says in so many words that it must not happen."""
    NEGATION = "negation"
    ACT = "act"
    """Names the approving, and says nothing until it is negated: ``never allow``, ``no approval``."""
    FILL = "fill"
    """Greetings, thanks, articles: changes nothing."""
    SURE = "sure"
    """``sure``, ``great``: with a bare yes it may be mockery, beside an approving verb it is filling."""
    EMPHASIS = "emphasis"
    AUXILIARY = "auxiliary"
    """``would``, ``can``, ``will``: harmless in a refusal, a doubt in an approval."""
    REGRET = "regret"
    """``unfortunately``, ``rather``: makes a refusal of a mere ``not``, and an approval a doubt."""
    BUT = "but"
    """Turns what was said: ``but``, ``if``, ``unless``, ``except``."""
    LIMIT = "limit"
    """``only``, ``at most``: less than what was asked."""
    HALF = "half"
    CONDITION = "condition"
    """Not now, not sure: ``later``, ``after``, ``maybe``, ``tomorrow``."""
    BECAUSE = "because"
    """Begins the grounds of a refusal: ``because``, ``until``, ``without``."""
    EACH = "each"
    """``to both``, ``all of them``: for replies to several questions."""
    FIRST = "first"
    SECOND = "second"
    THIRD = "third"


_DECIDING = frozenset((Kind.YES, Kind.APPROVE, Kind.NO, Kind.REJECT, Kind.NEGATION))

Phrase = tuple[tuple[str, ...], Kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """The words of one language.

    Attributes:
        phrases: by first token, longest first.
        words: every token that stands in some phrase.
        deciding: the first tokens of phrases that say yes or no, or negate.
        nouns: names of things asked about; filling where the question names them too, else foreign.
        lone: negations that are a refusal when they stand alone.
        denials: the refusals that negate whatever follows them: "under no circumstances reject it" is none.
        sign_offs: what may stand on a line of its own above the writer's name.
        has_negating_no: the bare no also negates what follows it, as in ``no apruebo``.
        has_counting_no: the bare no also says that there is none of what follows it, as in ``no veto``.
        negates_backwards: a negation may stand after what it negates, as in ``genehmige ich nicht``. Elsewhere "ok for
            this one, not that one" is no refusal.
    """

    code: str
    phrases: Mapping[str, tuple[Phrase, ...]]
    words: frozenset[str]
    deciding: frozenset[str]
    nouns: frozenset[str]
    lone: frozenset[str]
    denials: frozenset[tuple[str, ...]]
    sign_offs: frozenset[tuple[str, ...]]
    has_negating_no: bool
    has_counting_no: bool
    negates_backwards: bool


NEUTRAL: Mapping[Kind, str] = MappingProxyType(
    {
        Kind.YES: "ok | okay | 👍 | ✅ | ✔ | ☑ | +1 | :+1: | :thumbsup: | :white_check_mark: | :heavy_check_mark:",
        Kind.NO: "👎 | ❌ | ✖ | 🚫 | ⛔ | -1 | :-1: | :thumbsdown: | :x: | :no_entry: | :no_entry_sign:",
        Kind.SURE: "👌 | 💯 | :ok_hand: | :100:",
        Kind.FILL: "🙏 | 🙂 | 😊 | :pray: | :slightly_smiling_face: | :blush:",
    }
)
"""What means the same in every language."""


def language(
    code: str,
    words: Mapping[Kind, str],
    *,
    nouns: str = "",
    lone: str = "",
    denials: str = "",
    sign_offs: str = "",
    has_negating_no: bool = False,
    has_counting_no: bool = False,
    negates_backwards: bool = False,
) -> Language:
    """Compile a language from phrases written with ``|`` between them.

    Sign-offs are filling too, and denials refusals. Raises ValueError if one phrase is written down as two kinds: the
    reading would hang on their order.
    """
    kinds: dict[tuple[str, ...], Kind] = {}
    for kind, text in (*NEUTRAL.items(), *words.items(), (Kind.FILL, sign_offs), (Kind.REJECT, denials)):
        for phrase in _phrases(text):
            if kinds.setdefault(phrase, kind) is not kind:
                raise ValueError(f"{code}: {' '.join(phrase)!r} is both {kinds[phrase].value} and {kind.value}")
    by_first: dict[str, list[Phrase]] = {}
    for phrase, kind in kinds.items():
        by_first.setdefault(phrase[0], []).append((phrase, kind))
    return Language(
        code=code,
        phrases=MappingProxyType(
            {first: tuple(sorted(found, key=lambda item: -len(item[0]))) for first, found in by_first.items()}
        ),
        words=frozenset(word for phrase in kinds for word in phrase),
        deciding=frozenset(phrase[0] for phrase, kind in kinds.items() if kind in _DECIDING),
        nouns=frozenset(word for phrase in _phrases(nouns) for word in phrase),
        lone=frozenset(word for phrase in _phrases(lone) for word in phrase),
        denials=frozenset(_phrases(denials)),
        sign_offs=frozenset(_phrases(sign_offs)),
        has_negating_no=has_negating_no,
        has_counting_no=has_counting_no,
        negates_backwards=negates_backwards,
    )


def single_words(languages: Iterable[Language], kinds: frozenset[Kind], *, shortest: int = 1) -> frozenset[str]:
    """The one-token phrases of these kinds in all of these languages.

    Args:
        shortest: letters; shorter words are left out, because they mean too many things in too many languages.
    """
    return frozenset(
        first
        for each in languages
        for first, found in each.phrases.items()
        for phrase, kind in found
        if kind in kinds and len(phrase) == 1 and (len(first) >= shortest or not first.isascii())
    )


def _phrases(text: str) -> list[tuple[str, ...]]:
    parts = (tuple(token.text for token in tokens_of(normalised(part))) for part in text.split("|"))
    return [part for part in parts if part]
