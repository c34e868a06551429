"""Whether a reply says yes or no, beyond doubt or not at all.

An approval is read only if *every* token of the reply is accounted for in one language: words that say yes, and filling
around them. A refusal may bring its grounds along in words nobody knows, as long as nothing beside it could take it back.
A question, a quotation, a bracket or an invisible character is never part of an approval.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from .clauses import Item, Sense, items_of, said_in_words, sense_of, undermines
from .languages import LANGUAGES, SIGN_OFFS
from .lexicon import Kind, Language
from .names import is_name
from .questions import names_approving
from .subject import NO_SUBJECT, Subject
from .text import LONGEST_READ, Clause, ReplyText, TokenKind, read_text, tokens_of

_ORDERS = re.compile(
    r"""</?[a-z_|!] | \[/?[a-z_]+\] | \{\s*["'] | ``` | <\| | \b(?:system|assistant|developer|user)\s*:
    | \b(?:ignore|disregard|forget|override|bypass|ignoriere?n?|vergiss|ignorez?|oubliez?|ignora|olvida|dimentica|ignore[mr]?
        |negeer|vergeet|ignorera|ignorer|zignoruj|игнорируй\w*|забудь\w*)\b .{0,40}
      \b(?:instruct\w*|rules?|prompts?|previous|above|anweisung\w*|regeln?|consignes?|instrucci\w*|istruzion\w*|instruç\w*
        |instructies|instruktion\w*|instrukc\w*|инструкц\w*|указани\w*)
    | \b(?:decision|verdict|approved?|answer|output|result)\s*[=] | \byou\s+are\s+(?:now\s+)?(?:an?|the)\b
    | \b(?:respond|reply|output|return|print|translate)\s+(?:only\s+)?(?:with|to|the|approve\w*|yes)\b
    | ignorieren\s+sie | 指示を無視 | 무시하고 | 忽略""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)

_NUMBER_SIGN = re.compile(r"(?<!\w)(?:no|nr)\.? ?#?\d", re.IGNORECASE)
"""``No. 4471``: perhaps its number, and no refusal."""


class Why(Enum):
    """Why a reply is neither a yes nor a no. The value may be shown to the person who wrote it."""

    EMPTY = "The reply is empty."
    TOO_LONG = "The reply is too long to be read as a yes or a no."
    HIDDEN = "The reply holds characters that cannot be seen. Please type it anew."
    ORDERS = "The reply tells its reader what to do instead of answering. Please answer in plain words."
    CONTRADICTION = "The reply says both yes and no."
    QUESTION = "The reply asks something, so it is not a definite answer."
    QUALIFIED = "The reply sets a condition or a limit that cannot be carried out exactly as it is written."
    OPEN = "The reply leaves it open, puts it off or makes it depend on something, so it is neither a yes nor a no."
    UNKNOWN = "The reply is not a plain yes or no."


FINAL = frozenset((Why.HIDDEN, Why.ORDERS, Why.CONTRADICTION))
"""Where these are seen, no other reader is asked: the person is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approves:
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejects:
    """A refusal.

    Attributes:
        is_bare: the reply says no and nothing else that would be worth telling.
        is_named: it says no or "rejected"; False where it only negates an approval, as "don't approve" does.
    """

    evidence: str
    is_bare: bool
    is_named: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """A part of a reply that says yes or no by itself, where the whole of it does not settle the question."""

    text: str
    is_yes: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided:
    """
    Attributes:
        heard: what was understood of it; None where that is nothing, or is not to be relied upon.
    """

    why: Why
    heard: Heard | None = None


Stance = Approves | Rejects | Undecided


def stance_of(reply: ReplyText, subject: Subject = NO_SUBJECT, *, locale: str | None = None) -> Stance:
    """Read a reply to a question that is answered by yes or no."""
    if not reply.clauses:
        return Undecided(why=Why.HIDDEN if reply.hidden else Why.EMPTY)
    if len(reply.visible) > LONGEST_READ:
        return Undecided(why=Why.TOO_LONG)
    clauses = without_signature(reply)
    readings = [_Reading.of(clauses, language, subject, locale) for language in languages_of(clauses)]
    whole = {reading.stance_if_whole(subject) for reading in readings if reading.is_whole}
    agreeing = {at for reading in readings for at, sense in enumerate(reading.senses) if sense is Sense.YES}
    rejecting = None if reply.has_question or agreeing else _first_rejection(readings)
    if rejecting is not None and rejecting.is_particle and _NUMBER_SIGN.search(reply.visible):
        rejecting = None
    has_orders = gives_orders(reply.visible)
    if whole == {Sense.YES} and rejecting is None and not has_orders:
        if reply.hidden:
            return Undecided(why=Why.HIDDEN)
        if reply.has_question:
            return Undecided(why=Why.QUESTION, heard=_heard(readings))
        return Undecided(why=Why.UNKNOWN) if reply.odd_marks else Approves(evidence=reply.visible)
    if rejecting is not None and Sense.YES not in whole and (subject.takes_bare_answer or not rejecting.is_particle):
        return Rejects(evidence=rejecting.evidence, is_bare=rejecting.is_bare, is_named=rejecting.is_named)
    why = _why(reply, readings, has_orders=has_orders)
    return Undecided(why=why, heard=None if why in FINAL else _heard(readings))


def gives_orders(text: str) -> bool:
    """Whether a text talks to a model rather than to whoever asked: markup of prompts, roles, "ignore your rules"."""
    return _ORDERS.search(text) is not None


def refuses_somewhere(reply: ReplyText, subject: Subject) -> bool:
    """Whether any clause, in any language, is a refusal by itself or holds an explicit one: a veto against approving."""
    for language in LANGUAGES:
        for clause in reply.clauses:
            items = items_of(clause, language, subject)
            if sense_of(clause, items, language) is Sense.NO or _holds_refusal(items):
                return True
    return False


def is_qualified(reply: ReplyText, subject: Subject, kinds: frozenset[Kind]) -> bool:
    """Whether any language knows a word of these kinds in the reply."""
    return any(
        item.kind in kinds
        for language in LANGUAGES
        for clause in reply.clauses
        for item in items_of(clause, language, subject)
    )


def without_signature(reply: ReplyText) -> tuple[Clause, ...]:
    """The clauses without a sign-off that stands on the last line, or on the one above a name alone.

    No word of any language's vocabulary is taken for a name, so nothing that means something is cut off.
    """
    lines = [line.strip() for line in reply.visible.split("\n") if line.strip()]
    if len(lines) >= 2 and _is_sign_off(lines[-1]):
        return read_text("\n".join(lines[:-1])).clauses
    if len(lines) >= 3 and is_name(lines[-1]) and _is_sign_off(lines[-2]):
        return read_text("\n".join(lines[:-2])).clauses
    return reply.clauses


def _is_sign_off(line: str) -> bool:
    return tuple(token.text for token in tokens_of(line.strip(" ,.!-–—"))) in SIGN_OFFS


def agrees_with(items: Sequence[Item], subject: Subject) -> bool:
    """Whether words that say yes say it to what is asked.

    A bare yes, and an agreement such as "no problem", lean on the question: they count only where it plainly asks for
    approval. Words that name the approving stand by themselves, except where the question asks to hold the thing back.
    """
    is_explicit = any(item.kind is Kind.APPROVE for item in items)
    is_mocking = any(item.kind is Kind.SURE for item in items) and not is_explicit
    is_bare = any(item.kind is Kind.YES for item in items)
    if subject.takes_bare_answer and (subject.takes_agreement or is_bare):
        return not is_mocking
    return not subject.is_adverse and any(item.kind is Kind.APPROVE and names_approving(item.words) for item in items)


def languages_of(clauses: Sequence[Clause]) -> list[Language]:
    """The languages in which these clauses can say anything: it knows all their words, or one that decides.

    One that knows all the words and no deciding one counts too: "tak" is a yes in Polish and only thanks in Danish.
    """
    words = {token.text for clause in clauses for token in clause.tokens if token.kind is TokenKind.WORD}
    return [each for each in LANGUAGES if not words.isdisjoint(each.deciding) or _knows_all(each, words)]


def _knows_all(language: Language, words: set[str]) -> bool:
    return all(word in language.words or word in language.nouns or any(map(str.isdigit, word)) for word in words)


def _holds_refusal(items: Sequence[Item]) -> bool:
    """An explicit refusal, or a negation no more than three phrases before the approving word it negates."""
    if any(item.kind is Kind.REJECT for item in items):
        return True
    approving = (Kind.YES, Kind.APPROVE, Kind.ACT)
    return any(
        item.kind is Kind.NEGATION and any(near.kind in approving for near in items[max(at - 3, 0) : at + 4])
        for at, item in enumerate(items)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rejection:
    evidence: str
    is_bare: bool
    is_named: bool
    is_particle: bool
    """Nothing but a bare no, which means yes to a question put in the negative."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """A reply in one language, clause by clause."""

    language: Language
    clauses: tuple[Clause, ...]
    items: tuple[tuple[Item, ...], ...]
    senses: tuple[Sense, ...]

    @classmethod
    def of(cls, clauses: Sequence[Clause], language: Language, subject: Subject, locale: str | None) -> _Reading:
        items = tuple(items_of(clause, language, subject, locale) for clause in clauses)
        senses = tuple(sense_of(clause, found, language) for clause, found in zip(clauses, items, strict=True))
        return cls(language=language, clauses=tuple(clauses), items=items, senses=senses)

    @property
    def is_whole(self) -> bool:
        return Sense.FOREIGN not in self.senses

    def stance_if_whole(self, subject: Subject) -> Sense:
        """What a reply that is all in this language says."""
        if Sense.YES not in self.senses or set(self.senses) - {Sense.YES, Sense.NOTHING}:
            return Sense.DOUBT if Sense.NO not in self.senses else Sense.NO
        all_items = [item for clause in self.items for item in clause]
        said = said_in_words(all_items)
        repeats = len(said) != len(set(said))
        return Sense.YES if not repeats and agrees_with(all_items, subject) else Sense.DOUBT

    def rejection(self) -> _Rejection | None:
        """The refusal in this language; None if there is none, or none beyond doubt."""
        if Sense.NO not in self.senses or Sense.YES in self.senses:
            return None
        spoken = [at for at, sense in enumerate(self.senses) if sense is not Sense.NOTHING]
        others = [at for at in spoken if self.senses[at] is not Sense.NO]
        if not others:
            pass
        elif self.senses[spoken[0]] is Sense.NO:
            if any(undermines(self.items[at], self.language) for at in others):
                return None
        elif self.senses[spoken[-1]] is not Sense.NO or not all(self._may_precede_no(at) for at in others):
            return None
        refusing = [at for at in spoken if self.senses[at] is Sense.NO]
        kinds = {item.kind for at in refusing for item in self.items[at]}
        return _Rejection(
            evidence=self.clauses[refusing[0]].text,
            is_bare=not others and kinds <= {Kind.NO, Kind.REJECT, Kind.FILL, Kind.EMPHASIS, Kind.REGRET},
            is_named=bool(kinds & {Kind.NO, Kind.REJECT}) and not kinds & {Kind.YES, Kind.APPROVE, Kind.ACT},
            is_particle=not kinds & {Kind.REJECT, Kind.NEGATION} and not kinds & {Kind.APPROVE, Kind.ACT},
        )

    def _may_precede_no(self, at: int) -> bool:
        """Before a no at the end anything may stand that nobody understands, but no condition and no limit."""
        turning = (Kind.BUT, Kind.LIMIT, Kind.HALF, Kind.CONDITION, Kind.EACH)
        if all(item.kind in (Kind.REGRET, Kind.FILL) for item in self.items[at]):
            return True
        return self.senses[at] is Sense.FOREIGN and not any(item.kind in turning for item in self.items[at])


def _first_rejection(readings: Sequence[_Reading]) -> _Rejection | None:
    return next((found for reading in readings if (found := reading.rejection()) is not None), None)


def _heard(readings: Sequence[_Reading]) -> Heard | None:
    """The first clause that says yes, if no word says no in any language; or the other way round."""
    found = {
        sense: clause.text
        for reading in reversed(readings)
        if len(reading.clauses) > 1
        for clause, sense in reversed(list(zip(reading.clauses, reading.senses, strict=True)))
        if sense in (Sense.YES, Sense.NO)
    }
    if len(found) != 1:
        return None
    ((sense, text),) = found.items()
    is_yes = sense is Sense.YES
    opposite = (Kind.NO, Kind.REJECT, Kind.NEGATION) if is_yes else (Kind.YES, Kind.APPROVE)
    if any(item.kind in opposite for reading in readings for clause in reading.items for item in clause):
        return None
    return Heard(text=text, is_yes=is_yes)


def _why(reply: ReplyText, readings: Sequence[_Reading], *, has_orders: bool) -> Why:
    """The most telling reason for not deciding."""
    senses = [set(reading.senses) for reading in readings]
    kinds = {item.kind for reading in readings if reading.is_whole for clause in reading.items for item in clause}
    if reply.hidden:
        return Why.HIDDEN
    if has_orders:
        return Why.ORDERS
    if any({Sense.YES, Sense.NO} <= sense for sense in senses):
        return Why.CONTRADICTION
    if reply.has_question:
        return Why.QUESTION
    if kinds & {Kind.BUT, Kind.LIMIT, Kind.HALF}:
        return Why.QUALIFIED
    if Kind.CONDITION in kinds:
        return Why.OPEN
    return Why.UNKNOWN
