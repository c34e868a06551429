"""Roles: what is asked, who may answer, and how a reply is read.

A role is declared once, at the top of an author's module, and named by the tools and workflows that ask it. Where its
questions go is the app's business, so the same bot can ask on a terminal today and in Slack tomorrow.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from ..actors.asks import AnswerForm, ChoiceForm, JsonValue
from ..actors.errors import SessionCorruptError
from ..actors.marks import marks_of, secrets_in, unmarked
from ..actors.outlines import outline_of
from ..actors.ports import ReplyReader
from ..actors.reception import AnyChannel
from ..actors.redaction import Masks
from ..store.rows import AnswererKind
from .decisions import answer_fault

Answerer = AnswererKind
"""Who may answer: ``OWNER``, the session's own; or ``CHANNEL``, whoever the channel has authenticated."""

AnswerT = TypeVar("AnswerT")


class Approval(BaseModel):
    """A person's decision on one call.

    Attributes:
        reason: what the person gave as the reason; None if nothing.
        override_arguments: the arguments to run with instead, whole; only with approval.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    approved: bool
    reason: str | None = None
    override_arguments: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ApprovalRole:
    """People who are asked whether a tool call may run.

    Attributes:
        approves: the model of what is approved, for readers of the code; None for any tool's arguments.
        answered_by: who may answer. There is no default: an app that leaves it out is refused, so that nobody can approve
            their own refund by a forgotten line.
        interpreter: reads free text; None takes decisions only.
        deadline: after this the call counts as rejected; None waits for as long as it takes.
        prompt: the question; ``{tool}``, ``{arguments}`` and ``{bot}`` are filled in.
        needs: how many people have to approve, each for themselves and all for the same arguments.
        of: how many are asked: as soon as too few of them are left, the call is rejected. None is as many as are needed, so
            that the first rejection decides.
        in_order: with several channels, each is asked when somebody of the one before has answered and more answers are
            needed; else all at once.
        remind_after: when to remind those who were sent the question and have not answered: one time or several, each counted
            from when they were sent it.
        escalate_to: the channel that is asked in place of all others if the question still waits ``escalate_after`` it was
            asked. Those asked first are told so, and their answers are not taken any more.
    """

    name: str
    approves: type[BaseModel] | None = None
    answered_by: Answerer | None = None
    interpreter: ReplyReader | None = None
    deadline: timedelta | None = None
    prompt: str = "{bot} asks to run {tool}({arguments}). Approve?"
    needs: int = 1
    of: int | None = None
    in_order: bool = False
    remind_after: timedelta | Sequence[timedelta] = ()
    escalate_to: AnyChannel | None = None
    escalate_after: timedelta | None = None

    @property
    def reminders(self) -> tuple[timedelta, ...]:
        """When people are reminded, as it was given."""
        return _several(self.remind_after)


# Without slots: with them, ``QuestionRole[...](...)`` fails on Python 3.11, where typing notes the subscript on what was made.
@dataclass(frozen=True, kw_only=True, eq=False)
class QuestionRole(Generic[AnswerT]):
    """People who are asked for something other than a yes.

    Attributes:
        answer: the type of the answer; its JSON Schema is what interpreters and forms work with.
        choices: the words to choose from, for ``answer=str``; empty for any answer of the type.
        answered_by, interpreter, deadline, remind_after, escalate_to, escalate_after: as for ``ApprovalRole``.
    """

    name: str
    answer: type[AnswerT]
    choices: tuple[str, ...] = ()
    answered_by: Answerer | None = None
    interpreter: ReplyReader | None = None
    deadline: timedelta | None = None
    remind_after: timedelta | Sequence[timedelta] = ()
    escalate_to: AnyChannel | None = None
    escalate_after: timedelta | None = None

    @property
    def reminders(self) -> tuple[timedelta, ...]:
        """When people are reminded, as it was given."""
        return _several(self.remind_after)

    @property
    def answerer(self) -> AnswererKind:
        """Who may answer; an app without it was refused at assembly."""
        return self.answered_by or AnswererKind.CHANNEL

    @property
    def answer_schema(self) -> dict[str, JsonValue]:
        """JSON Schema (2020-12) of the answer."""
        return _answer_form_of(self).schema

    @property
    def form(self) -> ChoiceForm | AnswerForm:
        if self.choices:
            return ChoiceForm(choices=self.choices)
        return _answer_form_of(self)

    @property
    def outline(self) -> str:
        """Of the form: choices, or fields and types."""
        return _outline_of(self)

    def fault_of(self, decision: JsonValue) -> str | None:
        """Say why a decision is no answer: it does not fit the schema, or the type has more to say; None if it is one."""
        if (fault := answer_fault(self.form, decision)) is not None:
            return fault
        try:
            _adapter_of(self).validate_python(decision)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            return f"{'.'.join(('$', *map(str, first['loc'])))}: {first['msg']}"
        return None

    def decode(self, decision: JsonValue) -> AnswerT:
        """The recorded decision as the declared type; raises ``SessionCorruptError`` if it does not fit any more."""
        try:
            return _adapter_of(self).validate_python(decision)
        except ValidationError as error:
            # Without the answer itself: this text is logged.
            faults = error.errors(include_url=False, include_input=False, include_context=False)
            told = "; ".join(f"{'.'.join(('$', *map(str, fault['loc'])))}: {fault['msg']}" for fault in faults)
            masks = Masks(secrets_in(_answer_form_of(self).marks, decision))
            raise SessionCorruptError(
                f"a recorded answer of role {self.name} does not fit its type now: {masks.text(told)}"
            ) from None


def _several(times: timedelta | Sequence[timedelta]) -> tuple[timedelta, ...]:
    return tuple(times) if isinstance(times, Sequence) else (times,)


# A replay comes past every question of an execution and reads every recorded answer, and to make these costs far more than to
# use them. They are kept by role and not by type: two unions are equal whatever the order of their members, and read differently.
@functools.lru_cache(maxsize=256)
def _adapter_of(role: QuestionRole[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(role.answer)


@functools.lru_cache(maxsize=256)
def _outline_of(role: QuestionRole[Any]) -> str:
    return outline_of(role.form)


@functools.lru_cache(maxsize=256)
def _answer_form_of(role: QuestionRole[Any]) -> AnswerForm:
    schema = _adapter_of(role).json_schema()
    return AnswerForm(schema=unmarked(schema), marks=marks_of(schema))


Role = ApprovalRole | QuestionRole[Any]
