"""Which of a few words a reply picks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .clauses import items_of
from .dates import is_weekday
from .languages import APPROVING, LANGUAGES
from .lexicon import Kind, single_words
from .stance import Approves, Rejects, Undecided, Why, gives_orders, refuses_somewhere, stance_of, without_signature
from .subject import NO_SUBJECT, Subject
from .text import LONGEST_READ, Clause, ReplyText, Token, TokenKind, read_text, words_in
from .words_choosing import AROUND, CHOOSING, CHOOSING_VERBS, NUMBER_WORDS, OTHER_ONE, PLACE_NOUNS

_FILLING = frozenset((Kind.FILL, Kind.SURE))
_CONFIRMING = frozenset((Kind.YES, Kind.APPROVE))
_ORDINALS = (Kind.FIRST, Kind.SECOND, Kind.THIRD)
_PLACES = {
    words: at
    for language in LANGUAGES
    for found in language.phrases.values()
    for words, kind in found
    if kind in _ORDINALS and OTHER_ONE.isdisjoint(words)
    for at in (_ORDINALS.index(kind),)
}
"""Ordinals of every language, with the place in a list that each names."""
_UNSETTLING = frozenset(
    word
    for word in single_words(
        LANGUAGES, frozenset((Kind.BUT, Kind.LIMIT, Kind.HALF, Kind.CONDITION, Kind.BECAUSE, Kind.EACH, Kind.NEGATION))
    )
    if not is_weekday(word)
)
_SMALL = (
    single_words(LANGUAGES, frozenset(Kind) - {Kind.CONDITION})
    | _UNSETTLING
    | words_in("out off over down away into onto about via through from with within for by at on")
)
"""Words that name nothing by themselves."""
_BESIDE_PARTS = AROUND | words_in("one at um")
_MOST_NAMING = 3
"""Words that name something; of a longer choice a part is no name, but perhaps a remark on it."""
_SHORTEST_NAME = 4
"""Letters; a shorter word names something only if it is an abbreviation in capitals."""
_FULL_STOP = re.compile(r"(?<=\w)[.!]$")
_NUMBERED = re.compile(r"(?:option|choice|nr|no|number|nummer|#)\W*(\d{1,2})[.)!]?|(\d{1,2})[.)!]?", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Picks:
    """The reply picks this choice, spelled as it was offered."""

    choice: str
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class YesAndNo:
    """The one choice of a list that says yes, and the one that says no."""

    yes: str
    no: str


def yes_and_no_of(choices: Sequence[str]) -> YesAndNo | None:
    """Find the approving and the refusing choice of a list.

    None unless exactly one choice is a plain yes, exactly one a plain no, and no other holds any approving or refusing
    word: beside "approve half", an "ok" for "approve" would be a guess.
    """
    texts = {choice: read_text(choice) for choice in choices}
    stances = {choice: stance_of(text) for choice, text in texts.items()}
    yes = [choice for choice, stance in stances.items() if isinstance(stance, Approves)]
    no = [choice for choice, stance in stances.items() if isinstance(stance, Rejects)]
    others = [text for choice, text in texts.items() if choice not in yes and choice not in no]
    if len(yes) != 1 or len(no) != 1 or any(_takes_sides(text) for text in others):
        return None
    return YesAndNo(yes=yes[0], no=no[0])


def choice_of(choices: Sequence[str], reply: ReplyText, subject: Subject) -> Picks | Undecided:
    """Read which choice a reply picks, beyond doubt or not at all.

    A choice is picked by its own words with nothing but filling beside them, by its number or place, by a part of its
    words that names it alone, or, in a list of one yes and one no, by any plain yes or no; but "don't approve" beside a
    third choice may mean that one. A number never picks the yes: it may be an amount.
    """
    if reply.has_question:
        return Undecided(why=Why.QUESTION)
    pair = yes_and_no_of(choices)
    if pair is not None and not reply.hidden and (whole := _spelled_exactly(choices, reply)) is not None:
        # Word for word what was offered, whatever the question is: nothing is left to be read into it.
        return Picks(choice=whole, evidence=reply.visible)
    if pair is not None:
        match stance_of(reply, subject):
            case Approves(evidence=evidence):
                return Picks(choice=pair.yes, evidence=evidence)
            case Rejects(evidence=evidence, is_named=is_named) if is_named or len(choices) == 2:
                return Picks(choice=pair.no, evidence=evidence)
            case Rejects():
                return Undecided(why=Why.UNKNOWN)
            case Undecided() as undecided if len(choices) == 2:
                return undecided
            case Undecided(why=why) as undecided if why in (Why.HIDDEN, Why.ORDERS, Why.CONTRADICTION):
                return undecided
            case Undecided():
                pass
    if reply.hidden:
        return Undecided(why=Why.HIDDEN)
    if gives_orders(reply.visible):
        return Undecided(why=Why.ORDERS)
    number = _NUMBERED.fullmatch(reply.visible)
    if (reply.odd_marks and number is None) or not reply.clauses or len(reply.visible) > LONGEST_READ:
        whole = _spelled_exactly(choices, reply)
        return Picks(choice=whole, evidence=reply.visible) if whole is not None else Undecided(why=Why.UNKNOWN)
    if number is not None:
        picked = _by_number(choices, int(number[1] or number[2]), subject, is_option=number[1] is not None)
    else:
        picked = _by_words(choices, reply) or _by_part(choices, reply) or _by_place(choices, reply, subject)
    if picked is None or (pair is not None and picked == pair.yes):
        return Undecided(why=Why.UNKNOWN)
    return Picks(choice=picked, evidence=reply.visible)


def _takes_sides(text: ReplyText) -> bool:
    has_yes = any(token.text in APPROVING for clause in text.clauses for token in clause.tokens)
    return has_yes or refuses_somewhere(text, NO_SUBJECT)


def _spelled_exactly(choices: Sequence[str], reply: ReplyText) -> str | None:
    """The choice that the reply is, and no more: marks of its own count, such as those of ``A/B``; a full stop behind does not."""
    said = {reply.visible.casefold(), _FULL_STOP.sub("", reply.visible).casefold()}
    same = [choice for choice in choices if read_text(choice).visible.casefold() in said]
    return same[0] if len(same) == 1 else None


def _by_words(choices: Sequence[str], reply: ReplyText) -> str | None:
    """The one choice whose words stand in the reply, the longest first, with only filling around."""
    tokens = [token.text for clause in without_signature(reply) for token in clause.tokens]
    rest: list[Token | None] = [token for clause in without_signature(reply) for token in clause.tokens]
    found: set[str] = set()
    spelled: dict[tuple[str, ...], set[str]] = {}
    for choice in choices:
        spelled.setdefault(_words(choice), set()).add(choice)
    for words, meant in sorted(spelled.items(), key=lambda each: -len(each[0])):
        width = len(words)
        for at in range(len(tokens) - width + 1) if width else ():
            if tuple(tokens[at : at + width]) == words and None not in rest[at : at + width]:
                found |= meant
                rest[at : at + width] = [None] * width
    left = _without_choosing(tuple(token for token in rest if token is not None))
    confirms = not any(_takes_sides(read_text(choice)) for choice in choices)
    return (
        found.pop() if len(found) == 1 and _is_filling(left, _FILLING | _CONFIRMING if confirms else _FILLING) else None
    )


def _by_number(choices: Sequence[str], number: int, subject: Subject, *, is_option: bool) -> str | None:
    """The choice meant by ``option 2``, or by a bare ``2`` if no other choice, and nothing in the question, is called 2.

    Of choices with numbers of their own, a bare number names only one that has it: of 1, 2 or 4 weeks, 3 is none.
    """
    meant = {choices[number - 1]} if 1 <= number <= len(choices) else set[str]()
    if not is_option:
        named = {choice for choice in choices if str(number) in _words(choice)}
        is_other = str(number) in subject.words or any(
            word.isdecimal() for choice in choices for word in _words(choice)
        )
        if not named and is_other:
            return None
        meant |= named
    return _unless_yes(meant.pop()) if len(meant) == 1 else None


def _unless_yes(choice: str) -> str | None:
    """A choice, if it is none that says yes: no number and no place approves."""
    return None if isinstance(stance_of(read_text(choice)), Approves) else choice


def _by_place(choices: Sequence[str], reply: ReplyText, subject: Subject) -> str | None:
    """The choice meant by ``the second one``, ``option two, please`` or ``2 please``.

    None if a choice or the question has an ordinal of its own, and if anything but courtesies stands beside it: "that one
    first" is an order of work.
    """
    tokens = tuple(
        token
        for token in _without_choosing(tuple(token for clause in without_signature(reply) for token in clause.tokens))
        if token.text not in AROUND
    )
    said = tuple(token.text for token in tokens)
    taken = subject.words.union(*(_words(choice) for choice in choices))
    rest = tuple(word for word in said if word not in PLACE_NOUNS and word != "#")
    if len(rest) == 1 and rest[0].isdecimal() and len(rest[0]) <= 2:
        return _by_number(choices, int(rest[0]), subject, is_option=said[0] != rest[0])
    at = _PLACES.get(rest if said[: len(rest)] == rest else said)
    if at is None and len(said) == 2 and said[0] in PLACE_NOUNS:
        at = NUMBER_WORDS.get(said[1], 0) - 1
    is_other = at is None or not 0 <= at < len(choices) or any(taken.issuperset(words) for words in _PLACES)
    return None if is_other else _unless_yes(choices[at or 0])


def _by_part(choices: Sequence[str], reply: ReplyText) -> str | None:
    """The choice meant by some of its words, in their order, of which one names it and no other: ``DHL, please``.

    None where a choice takes sides, or has a condition: there a part may be said against the whole.
    """
    spelled = {choice: _words(choice) for choice in choices}
    if any(_takes_sides(read_text(choice)) or not _UNSETTLING.isdisjoint(words) for choice, words in spelled.items()):
        return None
    every = frozenset[str]().union(*spelled.values())
    tokens = _without_choosing(tuple(token for clause in without_signature(reply) for token in clause.tokens), every)
    words = [token.text for token in tokens if token.text in every or token.text not in _BESIDE_PARTS]
    meant = [choice for choice, own in spelled.items() if _stand_in_order(words, own)]
    if len(meant) != 1 or CHOOSING_VERBS.issuperset(words):
        return None
    others = frozenset[str]().union(*(own for choice, own in spelled.items() if choice != meant[0]))
    naming = [token for clause in read_text(meant[0]).clauses for token in clause.tokens if _names(token)]
    is_named = any(token.text in words and token.text not in others for token in naming)
    is_time = len(words) > 1 and all(word.isdecimal() for word in words)
    return meant[0] if (is_named or is_time) and len(naming) <= _MOST_NAMING else None


def _names(token: Token) -> bool:
    if token.kind is not TokenKind.WORD or token.text in _SMALL:
        return False
    return (
        len(token.text) >= _SHORTEST_NAME or (token.raw.isupper() and len(token.text) > 1) or not token.text.isascii()
    )


def _stand_in_order(words: Sequence[str], own: Sequence[str]) -> bool:
    left = iter(own)
    return bool(words) and all(word in left for word in words)


def _without_choosing(tokens: tuple[Token, ...], kept: frozenset[str] = frozenset()) -> tuple[Token, ...]:
    """The tokens without phrases such as ``I'd go with``; a phrase with a word of ``kept`` stays."""
    left: list[Token] = []
    at = 0
    while at < len(tokens):
        words = next(
            (
                each
                for each in CHOOSING
                if tuple(token.text for token in tokens[at : at + len(each)]) == each and kept.isdisjoint(each)
            ),
            (),
        )
        if not words:
            left.append(tokens[at])
        at += len(words) or 1
    return tuple(left)


def _is_filling(tokens: tuple[Token, ...], kinds: frozenset[Kind]) -> bool:
    tokens = tuple(token for token in tokens if token.text != "one")
    if not tokens:
        return True
    clause = Clause(tokens=tokens, text="", is_quoted=False)
    return any(all(item.kind in kinds for item in items_of(clause, each, NO_SUBJECT)) for each in LANGUAGES)


def _words(choice: str) -> tuple[str, ...]:
    return tuple(token.text for clause in read_text(choice).clauses for token in clause.tokens)
