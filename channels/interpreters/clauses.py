"""One clause in one language: which phrase each token belongs to, and what the clause says.

Nothing is guessed. A token that no phrase covers makes its clause foreign, and an odd mixture of phrases makes it a doubt.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum

from .amounts import CURRENCIES, read_number
from .languages import APPROVING, TURNING
from .lexicon import Kind, Language
from .subject import Subject
from .text import Clause, Token, TokenKind, words_in


class Other(Enum):
    """What a run of tokens is when it is no phrase of the language."""

    FOREIGN = "foreign"
    SAME = "same"
    """A number, id or thing that the question names too."""
    QUANTITY = "quantity"
    """Another amount than the question's."""
    PERCENT = "percent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One phrase, number or foreign token of a clause. ``value`` is set for quantities and percentages alone.

    ``is_deed``: it is what the call does, as "refund" where a refund is asked about.
    """

    kind: Kind | Other
    words: tuple[str, ...]
    value: Decimal | None = None
    currencies: frozenset[str] = frozenset()
    is_deed: bool = False


class Sense(Enum):
    """What one clause says by itself."""

    YES = "yes"
    NO = "no"
    NOTHING = "nothing"
    """Greetings, thanks and names of what was asked."""
    DOUBT = "doubt"
    """All of it is understood, and it is neither a plain yes nor a plain no."""
    FOREIGN = "foreign"


_SAYS_YES = frozenset((Kind.YES, Kind.APPROVE))
_APPROVES = frozenset((Kind.YES, Kind.APPROVE, Kind.ACT))
_TURNS = frozenset((Kind.BUT, Kind.LIMIT, Kind.HALF, Kind.EACH, Kind.FIRST, Kind.SECOND, Kind.THIRD))
_FORBIDDING = words_in("don't dont do")
"""First words of the English negations that begin an order: "couldn't refund" reports."""
_UNSETTLES = _TURNS | {Kind.CONDITION, Kind.BECAUSE, Other.QUANTITY, Other.PERCENT}


def items_of(clause: Clause, language: Language, subject: Subject, locale: str | None = None) -> tuple[Item, ...]:
    """Cut a clause into the phrases of a language, the longest first."""
    items: list[Item] = []
    tokens = clause.tokens
    at = 0
    while at < len(tokens):
        token = tokens[at]
        phrase = _phrase_at(tokens, at, language)
        if phrase is not None:
            items.append(phrase)
            at += len(phrase.words)
        elif (number := _number_at(tokens, at, subject, locale)) is not None:
            items.append(number)
            at += len(number.words)
        else:
            after = tokens[at + 1].text if at + 1 < len(tokens) else ""
            is_thing = not subject.is_undoing and token.text in language.nouns and token.text in subject.words
            is_named = (is_thing and (token.text not in subject.labels or after in subject.references)) or (
                token.kind is TokenKind.WORD and token.text in subject.references
            )
            is_deed = is_named and token.text in subject.deeds
            items.append(Item(kind=Other.SAME if is_named else Other.FOREIGN, words=(token.text,), is_deed=is_deed))
            at += 1
    return tuple(items)


def sense_of(clause: Clause, items: Sequence[Item], language: Language) -> Sense:
    """Say what a clause means by itself."""
    if clause.is_quoted:
        return Sense.FOREIGN
    grounds = next((at for at, item in enumerate(items) if item.kind is Kind.BECAUSE), None)
    if (
        grounds
        and items[grounds + 1 :]
        and _sense(items[:grounds], language) is Sense.NO
        and not undermines(items[grounds + 1 :], language)
    ):
        return Sense.NO
    return _sense(items, language)


def undermines(items: Sequence[Item], language: Language) -> bool:
    """Whether words beside a refusal could take it back: a yes that is not negated, a limit, a turn."""
    kinds = {item.kind for item in items}
    foreign = {word for item in items if item.kind is Other.FOREIGN for word in item.words}
    if kinds & _TURNS or Other.PERCENT in kinds or foreign & TURNING:
        return True
    if Kind.NEGATION in kinds or (Kind.NO in kinds and language.has_negating_no):
        return False
    return bool(kinds & _APPROVES or foreign & APPROVING)


def _sense(items: Sequence[Item], language: Language) -> Sense:
    kinds = [item.kind for item in items]
    if Other.FOREIGN in kinds:
        return Sense.FOREIGN
    if any(kind in _UNSETTLES for kind in kinds):
        return Sense.DOUBT
    yes = sum(kind in _SAYS_YES for kind in kinds)
    acts = sum(kind in _APPROVES for kind in kinds)
    plain_nos = kinds.count(Kind.NO)
    rejections = kinds.count(Kind.REJECT)
    negations = kinds.count(Kind.NEGATION)
    is_hedged = Kind.AUXILIARY in kinds
    if not (plain_nos or rejections or negations):
        if not acts:
            return Sense.DOUBT if is_hedged or Kind.REGRET in kinds else Sense.NOTHING
        is_plain = acts == yes and not is_hedged and Kind.REGRET not in kinds and not _repeats_itself(items)
        return Sense.YES if is_plain else Sense.DOUBT
    if rejections:
        is_double = negations > 0 or (plain_nos > 0 and language.has_negating_no)
        return Sense.NO if not is_double and _is_refused(items, language) else Sense.DOUBT
    if negations == 1:
        return _negated(items, acts, plain_nos, language)
    if negations == 0:
        if acts == 0:
            return Sense.DOUBT if is_hedged else Sense.NO
        is_negated = language.has_negating_no and plain_nos == 1 and _comes_first(items, {Kind.NO}, _APPROVES)
        return Sense.NO if is_negated else Sense.DOUBT
    return Sense.DOUBT


def _is_refused(items: Sequence[Item], language: Language) -> bool:
    """Whether an explicit refusal is one, and is not taken back by what stands beside it.

    "Under no circumstances reject it" and "no veto" are none; "under no circumstances approve it" is.
    """
    refusals = [at for at, item in enumerate(items) if item.kind is Kind.REJECT]
    first = refusals[0]
    denies = any(items[at].words in language.denials for at in refusals)
    before = items[first - 1] if first else None
    is_counted = (
        language.has_counting_no and before is not None and before.kind is Kind.NO and before.words[0].isalpha()
    )
    is_of_doubt = denies and any(item.kind is Kind.SURE for item in items[first:])
    if is_counted or is_of_doubt or (denies and len(refusals) > 1):
        return False
    approving = [at for at, item in enumerate(items) if item.kind in _SAYS_YES]
    return not approving or (denies and all(items[at].kind is Kind.APPROVE and at > first for at in approving))


def _negated(items: Sequence[Item], acts: int, plain_nos: int, language: Language) -> Sense:
    """A clause with one negation: a refusal if it negates an approval, or is one that stands alone."""
    if plain_nos and (language.has_negating_no or not _comes_first(items, {Kind.NO}, _APPROVES | {Kind.NEGATION})):
        return Sense.DOUBT
    if acts:
        reaches = language.negates_backwards or _comes_first(tuple(reversed(items)), _APPROVES, {Kind.NEGATION})
        return Sense.NO if reaches else Sense.DOUBT
    stands_alone = any(item.kind is Kind.NEGATION and set(item.words) & language.lone for item in items)
    is_emphatic = any(item.kind is Kind.EMPHASIS for item in items)
    return Sense.NO if stands_alone or is_emphatic or _regrets(items) or _forbids(items) else Sense.DOUBT


def _regrets(items: Sequence[Item]) -> bool:
    """``Unfortunately not``, and nothing more: "unfortunately I can't" may be about anything."""
    kinds = {item.kind for item in items}
    return Kind.REGRET in kinds and kinds <= {Kind.REGRET, Kind.NEGATION, Kind.FILL, Other.SAME}


def _forbids(items: Sequence[Item]) -> bool:
    """Whether a clause begins by forbidding the very deed that is asked about: "we do not refund" tells a habit."""
    at = next((at for at, item in enumerate(items) if item.kind is not Kind.FILL), 0)
    forbidding, *after = items[at : at + 2]
    is_forbidding = forbidding.kind is Kind.NEGATION and forbidding.words[0] in _FORBIDDING
    return is_forbidding and any(item.is_deed for item in after)


def _comes_first(items: Sequence[Item], first: Set[Kind], later: Set[Kind]) -> bool:
    for item in items:
        if item.kind in first:
            return True
        if item.kind in later:
            return False
    return False


def said_in_words(items: Sequence[Item]) -> list[tuple[str, ...]]:
    """The phrases that say yes, without emoji: three thumbs are one."""
    return [item.words for item in items if item.kind in _SAYS_YES and item.words[0][0].isalnum()]


def _repeats_itself(items: Sequence[Item]) -> bool:
    """``yeah yeah`` is no yes."""
    said = said_in_words(items)
    return len(said) != len(set(said))


def _phrase_at(tokens: Sequence[Token], at: int, language: Language) -> Item | None:
    for words, kind in language.phrases.get(tokens[at].text, ()):
        end = at + len(words)
        if end <= len(tokens) and all(token.text == word for token, word in zip(tokens[at:end], words, strict=True)):
            return Item(kind=kind, words=words)
    return None


def _number_at(tokens: Sequence[Token], at: int, subject: Subject, locale: str | None) -> Item | None:
    """A number with the currency or percent sign beside it; None if no number begins here."""
    if tokens[at].text == "#" and at + 1 < len(tokens) and tokens[at + 1].text in subject.references:
        return Item(kind=Other.SAME, words=("#", tokens[at + 1].text))
    before = CURRENCIES.get(tokens[at].text)
    place = at if before is None else at + 1
    if place >= len(tokens) or tokens[place].kind is not TokenKind.NUMBER:
        return None
    number = tokens[place].text
    after = tokens[place + 1].text if place + 1 < len(tokens) else ""
    currencies = before if before is not None else CURRENCIES.get(after, frozenset[str]())
    end = place + 2 if before is None and (currencies or after == "%") else place + 1
    words = tuple(token.text for token in tokens[at:end])
    value = read_number(number, locale=locale)
    if not currencies and after != "%" and number in subject.references:
        return Item(kind=Other.SAME, words=words)
    if not isinstance(value, Decimal) or (before is not None and after in CURRENCIES):
        return Item(kind=Other.FOREIGN, words=words)
    if after == "%" and not currencies:
        return Item(kind=Other.PERCENT, words=words, value=value)
    kind = Other.SAME if subject.is_same_amount(value, currencies) else Other.QUANTITY
    return Item(kind=kind, words=words, value=value, currencies=currencies)
