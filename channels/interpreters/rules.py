"""Replies read by rules alone: it decides what is beyond doubt, and nothing else.

The pure core is ``read_by_rules``; the class around it fits the runtime's port. No clock of its own: days such as "next
Monday" count from the moment of the reply if the app gives its clock, else from the moment the question was asked.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, tzinfo
from typing import assert_never

from ...actors.asks import (
    AnswerForm,
    ApprovalForm,
    Ask,
    ChoiceForm,
    Form,
    JsonValue,
    NotUnderstood,
    Reading,
    Understood,
)
from ...actors.clock import Clock
from .answers import Answers, NoAnswer, answer_of
from .choices import Picks, choice_of
from .limits import limit_of, override_for
from .stance import FINAL, Approves, Heard, Rejects, Stance, Undecided, Why, stance_of
from .subject import Subject, subject_of
from .text import ReplyText, hidden_characters, is_spoken_in, read_text, without_hidden

FINAL_CAUSES: frozenset[str] = frozenset(f"reply.{why.name.lower()}" for why in FINAL)
"""Causes of a ``NotUnderstood`` after which no other interpreter may decide; see ``chain.py``."""


_SHORTEST_QUOTE = 3
"""Words; a shorter one may be the answer itself, as in ``> approve``."""


class RulesInterpreter:
    """Reads plain answers in many languages, emoji too.

    Args:
        tz: whose days "tomorrow" and "next Monday" are.
        locale: how the people write numbers, as ``de`` or ``en-US``; None if they are not all of one place, and then
            an ambiguous number is asked again.
        clock: the app's clock, to count days from the reply; None counts them from the question.
    """

    def __init__(self, *, tz: tzinfo = UTC, locale: str | None = None, clock: Clock | None = None) -> None:
        self._tz = tz
        self._locale = locale
        self._clock = clock

    async def read(self, ask: Ask, reply: str) -> Reading:
        now_ms = ask.asked_at_ms if self._clock is None else self._clock.now_ms()
        today = datetime.fromtimestamp(now_ms / 1000, self._tz).date()
        return read_by_rules(ask.form, ask.prompt, reply, today=today, locale=self._locale)


def read_by_rules(
    form: Form, prompt: str, reply: str, *, today: date | None = None, locale: str | None = None
) -> Reading:
    """Read a reply, beyond doubt or not at all.

    Args:
        today: what relative days count from; None if it is not known, and then none is read.
        locale: see ``RulesInterpreter``.
    """
    reply = _without_quoted_prompt(reply, prompt)
    text = read_text(reply)
    subject = subject_of(form, prompt)
    match form:
        case ApprovalForm():
            return _approval(form, reply, text, subject, locale)
        case ChoiceForm(choices=choices):
            match choice_of(choices, text, subject):
                case Picks(choice=choice, evidence=evidence):
                    return _understood(choice, evidence, reply)
                case Undecided(why=why):
                    return not_understood(why, form, text)
        case AnswerForm(schema=schema):
            match answer_of(schema, reply, text, subject, today=today, locale=locale):
                case Answers(value=value, evidence=evidence):
                    return _understood(value, evidence, reply)
                case NoAnswer(reason=reason, why=why):
                    reason = reason if why is None else reason_of(why, form, text)
                    return NotUnderstood(reason=reason, by="rules", cause=_cause(why))
        case _:
            assert_never(form)


def _without_quoted_prompt(reply: str, prompt: str) -> str:
    """The reply without lines that quote the question, word for word; the whole reply if nothing else is in it."""
    lines = reply.split("\n")
    kept = [
        line
        for line in lines
        if not (
            line.lstrip().startswith(">")
            and len(line.split()) >= _SHORTEST_QUOTE
            and is_spoken_in(line.lstrip("> "), prompt)
            and not hidden_characters(line)
        )
    ]
    return "\n".join(kept) if len(kept) < len(lines) and any(line.strip() for line in kept) else reply


def not_understood(why: Why, form: Form, reply: ReplyText) -> NotUnderstood:
    """The reading of a reply that decides nothing."""
    return NotUnderstood(reason=reason_of(why, form, reply), by="rules", cause=_cause(why))


def reason_of(why: Why, form: Form, reply: ReplyText) -> str:
    """Why a reply decides nothing, in words for the person who wrote it: about what they were asked for."""
    if why is Why.UNKNOWN and not reply.visible.strip():
        return Why.EMPTY.value
    if why is Why.ORDERS and reply.visible.lstrip().startswith(("{", "[")):
        return "The reply is written as data for a program. Please answer in plain words."
    match form:
        case ChoiceForm(choices=choices) if why is Why.UNKNOWN:
            return f"The reply is none of {', '.join(choices)}."
        case ChoiceForm(choices=choices) if why is Why.TOO_LONG:
            return f"The reply is too long to be read as one of {', '.join(choices)}."
        case AnswerForm() if why is Why.TOO_LONG:
            return "The reply is too long to be read."
        case AnswerForm() if why is Why.UNKNOWN and form.schema.get("type") != "boolean":
            return "The reply does not say plainly what is asked for."
        case _:
            return why.value


def _approval(form: ApprovalForm, reply: str, text: ReplyText, subject: Subject, locale: str | None) -> Reading:
    stance: Stance = stance_of(text, subject, locale=locale)
    match stance:
        case Approves(evidence=evidence):
            return _understood(approval(approved=True), evidence, reply)
        case Rejects(evidence=evidence, is_bare=is_bare):
            reason = None if is_bare else without_hidden(reply).strip()
            return _understood(approval(approved=False, reason=reason), evidence, reply)
        case Undecided(why=why, heard=heard):
            limit = limit_of(text, subject, locale=locale)
            override = None if limit is None else override_for(form, limit, subject)
            if override is None:
                return replace(not_understood(why, form, text), so_far=_so_far(heard))
            return _understood(approval(approved=True, override=override), text.visible, reply)
        case _:
            assert_never(stance)


def _so_far(heard: Heard | None) -> str | None:
    if heard is None:
        return None
    return f"“{heard.text.strip()}”, which says {'yes' if heard.is_yes else 'no'}, but not the rest."


def approval(
    *, approved: bool, reason: str | None = None, override: dict[str, JsonValue] | None = None
) -> dict[str, JsonValue]:
    """An approval's decision in its canonical form."""
    return {"approved": approved, "reason": reason, "override_arguments": override}


def _understood(decision: JsonValue, evidence: str, reply: str) -> Understood:
    """A decision with its evidence letter for letter: normalising may have changed a letter, then it is the reply."""
    return Understood(decision=decision, by="rules", evidence=evidence if evidence in reply else reply.strip())


def _cause(why: Why | None) -> str | None:
    """Only what points at an attempt, or at a fault in the reply, is a cause; a plain "maybe" is none."""
    return f"reply.{why.name.lower()}" if why in FINAL else None
