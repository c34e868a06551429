"""Which of a few words a reply picks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .clauses import items_of
from .languages import APPROVING, LANGUAGES
from .lexicon import Kind
from .stance import Approves, Rejects, Undecided, Why, gives_orders, refuses_somewhere, stance_of, without_signature
from .subject import NO_SUBJECT, Subject
from .text import LONGEST_READ, Clause, ReplyText, Token, read_text

_FILLING = frozenset((Kind.FILL, Kind.SURE))
_FULL_STOP = re.compile(r"(?<=\w)[.!]$")
_NUMBERED = re.compile(r"(?:option|choice|nr|no|number|nummer|#)\W*(\d{1,2})|(\d{1,2})\W?", re.IGNORECASE)


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

    A choice is picked by its own words with nothing but filling beside them, by its number, or, in a list of one yes and
    one no, by any plain yes or no; but "don't approve" beside a third choice may mean that one. A number never picks the
    yes: it may be an amount.
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
    if reply.odd_marks or not reply.clauses or len(reply.visible) > LONGEST_READ:
        whole = _spelled_exactly(choices, reply)
        return Picks(choice=whole, evidence=reply.visible) if whole is not None else Undecided(why=Why.UNKNOWN)
    number = _NUMBERED.fullmatch(reply.visible)
    picked = _by_words(choices, reply) if number is None else _by_number(choices, number, subject)
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
    left = tuple(token for token in rest if token is not None)
    return found.pop() if len(found) == 1 and _is_filling(left) else None


def _by_number(choices: Sequence[str], match: re.Match[str], subject: Subject) -> str | None:
    """The choice meant by ``option 2``, or by a bare ``2`` if no other choice, and nothing in the question, is called 2."""
    number = match[1] or match[2]
    meant = {choices[int(number) - 1]} if 1 <= int(number) <= len(choices) else set[str]()
    if match[1] is None:
        named = {choice for choice in choices if number in _words(choice)}
        if not named and number in subject.words:
            return None
        meant |= named
    return meant.pop() if len(meant) == 1 else None


def _is_filling(tokens: tuple[Token, ...]) -> bool:
    if not tokens:
        return True
    clause = Clause(tokens=tokens, text="", is_quoted=False)
    return any(all(item.kind in _FILLING for item in items_of(clause, each, NO_SUBJECT)) for each in LANGUAGES)


def _words(choice: str) -> tuple[str, ...]:
    return tuple(token.text for clause in read_text(choice).clauses for token in clause.tokens)
