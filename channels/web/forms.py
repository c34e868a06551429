"""What can be filled in for a question, and the answer that comes of what was.

An answer goes from one form to the next as text (``Filled.text``), the same for the same answer, so that a ticket can be
bound to it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import cast

from ...actors.answers import MAX_REPLY_CHARS, Decision, Reply
from ...actors.asks import AnswerForm, ApprovalForm, ChoiceForm, Form, JsonValue
from ...actors.jsontext import from_json, to_json
from ...store.values import value

CHOSEN, WORDS, REASON = "chosen", "words", "reason"
"""The names of the fields."""

APPROVE, REJECT, IN_WORDS = "approve", "reject", "words"
MOST_CHOICES = 100
_LONGEST_REASON = 2_000
_LONGEST_NUMBER = 40


@value
class Option:
    """Something that can be chosen.

    Attributes:
        name: what the form sends.
        text: what people read; somebody else's words, unless ``is_ours``.
    """

    name: str
    text: str
    is_ours: bool = False


@value
class Filled:
    """An answer that was filled in.

    Attributes:
        text: the answer as it goes through a form.
        shown: what it is, in words for whoever is to confirm it.
    """

    answer: Decision | Reply
    text: str
    shown: str


def options_of(form: Form) -> tuple[Option, ...]:
    """What there is to choose from; the last is always to write something."""
    words = Option(name=IN_WORDS, text=_words_of(form), is_ours=True)
    match form:
        case ApprovalForm():
            yes = Option(name=APPROVE, text="Approve: it runs as it stands here", is_ours=True)
            return yes, Option(name=REJECT, text="Reject: it does not run", is_ours=True), words
        case ChoiceForm(choices=choices):
            return (*(Option(name=str(at), text=each) for at, each in enumerate(choices[:MOST_CHOICES])), words)
        case AnswerForm(schema=schema):
            return (*(Option(name=str(at), text=_plain(each)) for at, each in enumerate(_values(schema))), words)


def filled_in(form: Form, fields: Mapping[str, str]) -> Filled | str:
    """The answer that fields hold; a sentence for people if they hold none."""
    chosen, words, reason = (fields.get(name, "").strip() for name in (CHOSEN, WORDS, REASON))
    if chosen == IN_WORDS or (not chosen and words):
        return _in_words(form, words)
    if chosen not in {option.name for option in options_of(form)}:
        return "Nothing is chosen yet."
    if words:
        return "Something is chosen and something else is written. Please choose one of the two."
    match form:
        case ApprovalForm():
            if len(reason) > _LONGEST_REASON:
                return f"The reason is too long: at most {_LONGEST_REASON:,} characters."
            return _approved(chosen == APPROVE, reason or None)
        case ChoiceForm(choices=choices):
            return _decided(choices[int(chosen)])
        case AnswerForm(schema=schema):
            return _decided(_values(schema)[int(chosen)])


def filled_again(text: str) -> Filled | None:
    """The answer of a ``Filled.text``; None if it is none."""
    try:
        found = from_json(text)
    except ValueError:
        return None
    match found:
        case {"reply": str() as words}:
            return _replied(words)
        case {"decision": {"approved": bool() as approved, "reason": str() | None as reason}}:
            return _approved(approved, reason)
        case {"decision": decision}:
            return _decided(decision)
        case _:
            return None


def _in_words(form: Form, words: str) -> Filled | str:
    if not words:
        return "Nothing is written yet."
    if len(words) > MAX_REPLY_CHARS:
        return f"That is too long for an answer: {len(words):,} characters, of at most {MAX_REPLY_CHARS:,}."
    kind = form.schema.get("type") if isinstance(form, AnswerForm) else None
    match kind:
        case "string":
            return _decided(words)
        case "integer" | "number":
            number = _number(words, is_whole=kind == "integer")
            return "A number is wanted, as 12 or 12.50." if number is None else _decided(number)
        case _:
            return _replied(words)


def _replied(words: str) -> Filled:
    return Filled(answer=Reply(text=words), text=to_json({"reply": words}), shown=words)


def _approved(approved: bool, reason: str | None) -> Filled:
    decision: JsonValue = {"approved": approved, "reason": reason, "override_arguments": None}
    shown = ("Approve" if approved else "Reject") + (f", because: {reason}" if reason else "")
    return Filled(answer=Decision(value=decision), text=to_json({"decision": decision}), shown=shown)


def _decided(decision: JsonValue) -> Filled:
    return Filled(answer=Decision(value=decision), text=to_json({"decision": decision}), shown=_plain(decision))


def _values(schema: dict[str, JsonValue]) -> tuple[JsonValue, ...]:
    """What a schema lets one choose from, where it lists it."""
    listed = schema.get("enum")
    if isinstance(listed, list) and len(cast("list[JsonValue]", listed)) <= MOST_CHOICES:
        return tuple(cast("list[JsonValue]", listed))
    return (True, False) if schema.get("type") == "boolean" else ()


def _plain(found: JsonValue) -> str:
    match found:
        case bool():
            return "Yes" if found else "No"
        case str():
            return found
        case _:
            return json.dumps(found, ensure_ascii=False)


def _number(text: str, *, is_whole: bool) -> int | float | None:
    if len(text) > _LONGEST_NUMBER or not text.isascii():
        return None
    try:
        number = int(text) if is_whole else float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _words_of(form: Form) -> str:
    match form:
        case ApprovalForm():
            return "Something else, in your own words (such as a lower amount):"
        case ChoiceForm():
            return "Something else, in your own words:"
        case AnswerForm():
            return "Your answer:"
