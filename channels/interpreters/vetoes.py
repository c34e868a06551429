"""What a model says about a reply, held against the reply itself.

A model may be wrong and may be talked round, so nothing it says counts before this: its evidence must stand in the reply,
and an approval is vetoed by anything in the reply that rules know to speak against one. A veto never decides; the person
is asked again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import assert_never, cast

from ...actors.asks import AnswerForm, ApprovalForm, ChoiceForm, Form, JsonValue, NotUnderstood, Reading, Understood
from ...actors.jsontext import is_same
from .amount_slots import AmountSlot, amount_slots
from .choices import yes_and_no_of
from .clauses import Item, Other, Sense, items_of, sense_of
from .languages import LANGUAGES
from .lexicon import Kind
from .rules import approval, reason_of
from .stance import Approves, Rejects, Why, gives_orders, refuses_somewhere, stance_of
from .subject import NO_SUBJECT, Subject, subject_of
from .text import ReplyText, is_spoken_in, read_text

_CONDITIONS = frozenset((Kind.CONDITION, Kind.FIRST, Kind.SECOND, Kind.THIRD))
_LIMITS = frozenset((Kind.BUT, Kind.LIMIT, Kind.HALF, Other.QUANTITY, Other.PERCENT))
_CJK_TURNS = tuple(
    words[0]
    for language in LANGUAGES
    if language.code in ("ja", "ko", "zh")
    for found in language.phrases.values()
    for words, kind in found
    if kind is Kind.BUT
)
_REFUSALS = frozenset((Kind.NO, Kind.REJECT, Kind.NEGATION))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """A reply as rules see it: in the languages that know most of its words."""

    text: ReplyText
    subject: Subject
    items: tuple[Item, ...]
    is_doubtful: bool
    """A clause is understood whole and is neither a yes nor a no ("I would approve"), or says both."""

    def has(self, kinds: frozenset[Kind | Other] | frozenset[Kind]) -> bool:
        return any(item.kind in kinds for item in self.items)


def checked_reading(form: Form, prompt: str, reply: str, arguments: dict[str, JsonValue]) -> Reading:
    """Turn the arguments of a sound answer-tool call into a reading, if the reply bears them out."""
    seen = _see(form, prompt, reply)
    reading = _checked(form, seen, reply, arguments)
    match reading:
        case NotUnderstood():
            return replace(reading, reason=reason_of(Why.UNKNOWN, form, seen.text))
        case Understood():
            return reading


def _checked(form: Form, seen: _Seen, reply: str, arguments: dict[str, JsonValue]) -> Reading:
    evidence = str(arguments["evidence"])
    if arguments.get("verdict") == "unclear" or arguments.get("is_clear") is False:
        return NotUnderstood(reason=Why.UNKNOWN.value, by="model")
    if not is_spoken_in(evidence, reply):
        return _vetoed("its evidence does not stand in the reply")
    match form:
        case ApprovalForm():
            return _approval(form, seen, arguments, evidence)
        case ChoiceForm(choices=choices):
            return _choice(choices, seen, arguments, evidence)
        case AnswerForm():
            if "answer" not in arguments:
                return _vetoed("it gave no answer")
            if (cause := _tampered(seen)) is not None:
                return _vetoed(cause)
            return Understood(decision=arguments["answer"], by="model", evidence=evidence)
        case _:
            assert_never(form)


def _approval(form: ApprovalForm, seen: _Seen, arguments: dict[str, JsonValue], evidence: str) -> Reading:
    reason = arguments.get("reason")
    reason = reason if isinstance(reason, str) and is_spoken_in(reason, seen.text.visible) else None
    override = cast("dict[str, JsonValue] | None", arguments.get("override_arguments"))
    if is_same(override, form.arguments):
        override = None
    if arguments["verdict"] == "reject":
        if override is not None or isinstance(stance_of(seen.text, seen.subject), Approves):
            return _vetoed("it reads a rejection where the reply approves")
        decision = approval(approved=False, reason=reason or seen.text.visible)
        return Understood(decision=decision, by="model", evidence=evidence)
    if (cause := _against_approving(seen, is_limited=override is not None)) is not None:
        return _vetoed(cause)
    if override is not None and not _is_grounded(form, override, seen):
        return _vetoed("the changed arguments do not stand in the reply")
    decision = approval(approved=True, reason=reason, override=override)
    return Understood(decision=decision, by="model", evidence=evidence)


def _choice(choices: Sequence[str], seen: _Seen, arguments: dict[str, JsonValue], evidence: str) -> Reading:
    choice = arguments.get("choice")
    if not isinstance(choice, str):
        return _vetoed("it made no choice")
    pair = yes_and_no_of(choices)
    stance = stance_of(seen.text, seen.subject)
    if pair is not None and choice == pair.no:
        cause = "it picks the no where the reply says yes" if isinstance(stance, Approves) else None
    elif pair is not None and choice == pair.yes:
        cause = _against_approving(seen, is_limited=False)
    elif seen.has(_REFUSALS) and not _see_text(read_text(choice), NO_SUBJECT).has(_REFUSALS):
        cause = "the reply negates something"
    else:
        cause = _tampered(seen)
    return _vetoed(cause) if cause is not None else Understood(decision=choice, by="model", evidence=evidence)


def _against_approving(seen: _Seen, *, is_limited: bool) -> str | None:
    """What in the reply speaks against approving; None if nothing does.

    Args:
        is_limited: the model has changed the arguments, so words that limit and other amounts are in their place.
    """
    if (cause := _tampered(seen)) is not None:
        return cause
    if isinstance(stance_of(seen.text, seen.subject), Rejects) or refuses_somewhere(seen.text, seen.subject):
        return "the reply refuses"
    if seen.text.has_question:
        return "the reply asks something"
    if seen.subject.is_adverse or not (seen.subject.takes_bare_answer or seen.has(frozenset((Kind.APPROVE,)))):
        return "the question does not plainly ask for approval, and the reply does not say which way it goes"
    if any(clause.is_quoted for clause in seen.text.clauses):
        return "the reply quotes somebody"
    if seen.has(_CONDITIONS) or _turns_without_a_space(seen):
        return "the reply sets a condition"
    if seen.is_doubtful and not is_limited:
        return "the reply is in doubt"
    if not is_limited and (seen.has(_LIMITS) or _names_something_else(seen)):
        return "the reply sets a limit, or names something else"
    return None


def _turns_without_a_space(seen: _Seen) -> bool:
    """A clause in Japanese, Korean or Chinese that begins with "but" and goes on in words nobody knows."""
    return any(
        item.kind is Other.FOREIGN and any(word.startswith(turn) for word in item.words for turn in _CJK_TURNS)
        for item in seen.items
    )


def _tampered(seen: _Seen) -> str | None:
    if seen.text.hidden:
        return f"the reply hides {', '.join(seen.text.hidden)}"
    return "the reply gives orders to its reader" if gives_orders(seen.text.visible) else None


def _names_something_else(seen: _Seen) -> bool:
    """A number or an id that the question does not name."""
    return any(
        item.kind is Other.FOREIGN and any(char.isdigit() for word in item.words for char in word)
        for item in seen.items
    )


def _is_grounded(form: ApprovalForm, override: dict[str, JsonValue], seen: _Seen) -> bool:
    """Whether each changed argument is what the reply says, the amount no more than was asked, and no key is new."""
    slots = {slot.path: slot for slot in amount_slots(form)}
    old = dict(_leaves(form.arguments, ()))
    new = dict(_leaves(override, ()))
    if old.keys() != new.keys():
        return False
    changed = [path for path in old if not is_same(old[path], new[path])]
    return all(
        _is_said_amount(slots[path], new[path], seen)
        if path in slots
        else is_spoken_in(str(new[path]), seen.text.visible)
        for path in changed
    )


def _is_said_amount(slot: AmountSlot, new: JsonValue, seen: _Seen) -> bool:
    """Whether an amount is lower than what was asked, and the reply names it: itself, as half, or in percent."""
    try:
        value = Decimal(str(new))
    except ArithmeticError:
        return False
    said = {
        item.value for item in seen.items if item.kind is Other.QUANTITY and seen.subject.has_currency(item.currencies)
    }
    said |= {
        slot.value * item.value / 100 for item in seen.items if item.kind is Other.PERCENT and item.value is not None
    }
    if seen.has(frozenset((Kind.HALF,))):
        said.add(slot.value / 2)
    return 0 < value < slot.value and said == {value}


def _leaves(value: JsonValue, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], JsonValue]]:
    if isinstance(value, dict):
        for key, each in cast("dict[str, JsonValue]", value).items():
            yield from _leaves(each, (*path, key))
    else:
        yield path, value


def _see(form: Form, prompt: str, reply: str) -> _Seen:
    return _see_text(read_text(reply), subject_of(form, prompt))


def _see_text(text: ReplyText, subject: Subject) -> _Seen:
    readings = [[items_of(clause, each, subject) for clause in text.clauses] for each in LANGUAGES]
    known = [sum(item.kind is not Other.FOREIGN for items in clauses for item in items) for clauses in readings]
    best = [
        (language, clauses)
        for language, clauses, count in zip(LANGUAGES, readings, known, strict=True)
        if count == max(known)
    ]
    return _Seen(
        text=text,
        subject=subject,
        items=tuple(item for _, clauses in best for items in clauses for item in items),
        is_doubtful=any(
            sense_of(clause, items, language) is Sense.DOUBT or _says_both(items)
            for language, clauses in best
            for clause, items in zip(text.clauses, clauses, strict=True)
        ),
    )


def _says_both(items: Sequence[Item]) -> bool:
    kinds = {item.kind for item in items}
    return bool(kinds & {Kind.YES, Kind.APPROVE} and kinds & {Kind.NO, Kind.REJECT})


def _vetoed(cause: str) -> NotUnderstood:
    return NotUnderstood(reason=Why.UNKNOWN.value, by="model", cause=f"the model's answer was not taken: {cause}")
