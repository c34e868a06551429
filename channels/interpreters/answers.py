"""Data in a reply: the values that a schema wants, out of the words of a person.

Free text is taken as it stands. Anything else is read only if each wanted value stands in exactly one place of the reply
and nothing is left over beside it but filling, connecting words and the names of the values. "4711 or 4712" leaves an
"or" over; "47l1" fits nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType

from ...actors.asks import JsonValue
from ...actors.pattern_errors import PatternError
from ...actors.patterns import Effort
from ..decisions import schema_fault
from ..json_schemas import COMPARED_WITHIN_S
from .amounts import CURRENCIES
from .clauses import items_of
from .dates import days_in
from .fields import Field, FieldKind, Place, fields_of, places_of
from .languages import LANGUAGES
from .lexicon import Kind
from .stance import Approves, Rejects, Undecided, Why, gives_orders, is_qualified, stance_of, without_signature
from .subject import NO_SUBJECT, Subject
from .text import LONGEST_READ, Clause, ReplyText, folded, read_text, tokens_of, without_hidden, words_in

_FILLING = frozenset((Kind.FILL, Kind.SURE))
_AGREEING = words_in("ok okay okej oké vale ок tamam okです オーケー 오케이")
_TRUE_OR_FALSE = MappingProxyType({"true": True, "false": False})
_ECHO = re.compile(
    r"(?P<word>yes|no),? (?:it|they|he|she|there|we|i) (?:do|does|did|is|are|was|were|has|have)(?P<negation>n't| not)?"
)
_FULL_STOP = re.compile(r"[.!]$")
_CONNECTING = words_in("""is are it's its the as of and be should would ist und der die das soll est dem à de le la du et es el y a
    del è e sono é een is en och är og er jest we i need make でお願いします にします""")
_BEGINNING = words_in("""from on at in with starting starts start beginning begin ab vom am partir desde dal da vanaf op från fra
    od z w från から からお願いします に 부터 起 开始""")
"""Lead to a day from which something runs; before a number they make it a bound: "from 5"."""
_ENDING = words_in("to until till til do bis tot hasta até fino jusqu'à до kadar asti saakka")
"""Make a bound of what they lead to, in one language, though some are filling in another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    value: JsonValue
    evidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoAnswer:
    """``reason`` may be shown to the person who replied; ``why`` is set where a known reason stands behind it."""

    reason: str
    why: Why | None = None


def answer_of(
    schema: dict[str, JsonValue],
    raw: str,
    reply: ReplyText,
    subject: Subject,
    *,
    today: date | None,
    locale: str | None,
) -> Answers | NoAnswer:
    """Read the value that a schema wants out of a reply.

    Args:
        raw: the reply as it came, for free text.
        today: what relative days count from; None if it is not known.
    """
    fields = fields_of(schema)
    if fields is None:
        return NoAnswer(reason="This question takes an answer that only its form, or a model, can read.")
    if len(fields) == 1 and fields[0].kind is FieldKind.TEXT:
        return _free_text(schema, fields[0], raw)
    if (why := _unreadable(reply)) is not None:
        return NoAnswer(reason=why.value, why=why)
    if len(fields) == 1 and fields[0].kind is FieldKind.BOOLEAN:
        return _boolean(schema, fields[0], reply, subject)
    return _extracted(schema, fields, reply, subject, today=today, locale=locale)


def _free_text(schema: dict[str, JsonValue], field: Field, raw: str) -> Answers | NoAnswer:
    text = without_hidden(raw).strip()
    if not text:
        return NoAnswer(reason=Why.EMPTY.value, why=Why.EMPTY)
    return _checked(schema, {field.name: text} if field.name else text, text)


def _unreadable(reply: ReplyText) -> Why | None:
    if reply.hidden:
        return Why.HIDDEN
    if not reply.visible:
        return Why.EMPTY
    if len(reply.visible) > LONGEST_READ:
        return Why.TOO_LONG
    if gives_orders(reply.visible):
        return Why.ORDERS
    return Why.QUESTION if reply.has_question else None


def _boolean(schema: dict[str, JsonValue], field: Field, reply: ReplyText, subject: Subject) -> Answers | NoAnswer:
    if (said := _plainly_said(reply)) is not None:
        return _checked(schema, {field.name: said} if field.name else said, reply.visible)
    if not subject.takes_agreement and _only_agrees(reply, subject):
        return NoAnswer(reason=Why.UNKNOWN.value, why=Why.UNKNOWN)
    match stance_of(reply, subject):
        case Approves(evidence=evidence):
            return _checked(schema, {field.name: True} if field.name else True, evidence)
        case Rejects(evidence=evidence):
            return _checked(schema, {field.name: False} if field.name else False, evidence)
        case Undecided(why=why):
            return NoAnswer(reason=why.value, why=why)


def _plainly_said(reply: ReplyText) -> bool | None:
    """What "true" says, or "yes, it does"; None for anything else."""
    said = _FULL_STOP.sub("", folded(reply.visible))
    if (echo := _ECHO.fullmatch(said)) is not None:
        is_yes = echo["word"] == "yes"
        return is_yes if is_yes is (echo["negation"] is None) else None
    return _TRUE_OR_FALSE.get(said)


def _only_agrees(reply: ReplyText, subject: Subject) -> bool:
    """Whether a reply holds a word that agrees to a request, or turns it down, and does not say whether a thing is so."""
    words = {token.text for clause in reply.clauses for token in clause.tokens}
    return bool(words & _AGREEING) or is_qualified(reply, subject, frozenset((Kind.REJECT,)))


def _extracted(
    schema: dict[str, JsonValue],
    fields: Sequence[Field],
    reply: ReplyText,
    subject: Subject,
    *,
    today: date | None,
    locale: str | None,
) -> Answers | NoAnswer:
    text = reply.visible
    days = days_in(text, today)
    labelled: dict[str, list[Place]] = {}
    loose: dict[str, list[Place]] = {}
    effort = Effort(within_s=COMPARED_WITHIN_S)
    for field in fields:
        try:
            places = list(places_of(field, text, days, locale=locale, effort=effort))
        except PatternError as error:
            return NoAnswer(reason=f"Whether the reply gives {_name_of(field)} cannot be told: {error}.")
        labelled[field.name] = [place for place in places if _is_labelled(field, text, place)]
        loose[field.name] = places
    claimed = {(place.begin, place.end) for places in labelled.values() for place in places}
    found: dict[str, Place] = {}
    used: list[Place] = []
    for field in fields:
        places = labelled[field.name] or [
            place for place in loose[field.name] if field.is_required and (place.begin, place.end) not in claimed
        ]
        if not places and not field.is_required:
            continue
        values = {str(place.value) for place in places}
        if len(values) != 1 or places[0].value is None:
            return _not_one(field, places)
        if any(place.begin < other.end and other.begin < place.end for place in places for other in used):
            return NoAnswer(reason=f"“{places[0].text}” could be more than one of the values that are wanted.")
        found[field.name] = places[0]
        used += places
    if not found:
        return NoAnswer(reason="The reply names none of the values that are wanted.")
    if not _is_accounted_for(text, used, fields, subject):
        return NoAnswer(reason="The reply says more than the values that are wanted; what it means is not certain.")
    value = {name: place.value for name, place in found.items() if name} or found[""].value
    return _checked(schema, value, ", ".join(place.text for place in found.values()))


def _checked(schema: dict[str, JsonValue], value: JsonValue, evidence: str) -> Answers | NoAnswer:
    fault = schema_fault(schema, value)
    return (
        Answers(value=value, evidence=evidence)
        if fault is None
        else NoAnswer(reason=f"That does not fit: {fault.rstrip('.')}.")
    )


def _not_one(field: Field, places: Sequence[Place]) -> NoAnswer:
    for_it = f" for {' '.join(field.label)}" if field.label else ""
    for place in places:
        if place.value is None:
            return NoAnswer(reason=f"“{place.text}”{for_it} can be read in more than one way.")
    if places:
        return NoAnswer(reason=f"The reply gives more than one value{for_it}.")
    return NoAnswer(reason=f"The reply gives no value{for_it} that fits.")


def _is_labelled(field: Field, text: str, place: Place) -> bool:
    """Whether the field's name stands before the place with nothing but connecting words between."""
    before = [token.text for token in tokens_of(text[: place.begin])]
    while before and before[-1] in _CONNECTING | _BEGINNING and tuple(before[-len(field.label) :]) != field.label:
        before.pop()
    return bool(field.label) and (
        tuple(before[-len(field.label) :]) == field.label or before[-1:] == [folded(field.name)]
    )


def _is_accounted_for(text: str, used: Sequence[Place], fields: Sequence[Field], subject: Subject) -> bool:
    """Whether all that stands beside the values is filling, in one language, or names them."""
    rest = text
    for place in used:
        rest = rest[: place.begin] + " " * (place.end - place.begin) + rest[place.end :]
    left = read_text(rest)
    if left.odd_marks - {"="}:
        return False
    labels = {word for field in fields for word in (*field.label, folded(field.name))}
    known = labels | _CONNECTING | subject.counted
    has_day = any(field.kind is FieldKind.DATE for field in fields)
    bounding = (_ENDING if has_day else _ENDING | _BEGINNING) - labels
    known |= _BEGINNING if has_day else frozenset[str]()
    if subject.currencies is not None:
        known |= {word for word, codes in CURRENCIES.items() if subject.has_currency(codes)}
    beside = tuple(token for clause in without_signature(left) for token in clause.tokens)
    if any(token.text in bounding for token in beside):
        return False
    tokens = tuple(token for token in beside if token.text not in known)
    if not tokens:
        return True
    clause = Clause(tokens=tokens, text="", is_quoted=False)
    return any(all(item.kind in _FILLING for item in items_of(clause, each, NO_SUBJECT)) for each in LANGUAGES)


def _name_of(field: Field) -> str:
    return " ".join(field.label) or "the value"
