"""What a channel is given and what it answers: the values that cross the port between actors and people.

A channel never sees a session, a pause row or a database; it sees an ``Ask`` and says an ``Outcome``. All values here are
plain data that survive a round trip through JSON, because an ask waits in the database, perhaps for months.
"""

from __future__ import annotations

from typing import Any, Literal

from ..store.values import value

JsonValue = Any
"""A value of JSON: None, bool, int, float, str, list or dict with string keys."""


@value
class AskedCall:
    """The tool call that a question is about."""

    call_id: str
    """The model's id of the call."""
    tool: str
    arguments: dict[str, JsonValue]
    marks: dict[str, JsonValue] | None = None
    """Which of the arguments are sensitive (``marks.py``); None if none are."""
    timeout_s: float | None = None
    """How long the tool says that it may take; its question is taken back within that, too."""


@value
class ApprovalForm:
    """Asks whether one tool call may run. The decision is an ``Approval`` as JSON.

    ``{"approved": bool, "reason": str | None, "override_arguments": dict | None}``; overrides only with approval, and
    valid for ``schema``. They replace the arguments whole: every argument is in there, changed or not.
    """

    tool: str
    arguments: dict[str, JsonValue]
    schema: dict[str, JsonValue]
    """JSON Schema (2020-12) of the arguments."""
    call_id: str = ""
    """The model's id of the call; empty in a question that was asked before calls were named."""
    marks: dict[str, JsonValue] | None = None
    """Which of the arguments are sensitive (``marks.py``); None if none are."""
    timeout_s: float | None = None
    """As in an ``AskedCall``."""


@value
class ChoiceForm:
    """Asks for one of a few words. The decision is one of ``choices``, letter for letter."""

    choices: tuple[str, ...]
    call: AskedCall | None = None
    """The call that waits for the answer; None where a workflow asks."""
    takes_any: bool = False
    """A decision that does not fit is recorded all the same: whoever asks deals with it."""
    private: JsonValue = None
    """What stands in the prompt that is sensitive (``secrecy``); None if nothing does. No channel and no model is given it."""


@value
class AnswerForm:
    """Asks for data. The decision is a JSON value valid for ``schema`` (JSON Schema 2020-12).

    ``call``, ``takes_any`` and ``private`` are as in a ``ChoiceForm``.
    """

    schema: dict[str, JsonValue]
    call: AskedCall | None = None
    takes_any: bool = False
    private: JsonValue = None
    marks: dict[str, JsonValue] | None = None
    """What of the answer is sensitive (``marks.py``); None if nothing is."""


Form = ApprovalForm | ChoiceForm | AnswerForm


def call_of(form: Form | None) -> AskedCall | None:
    """The tool call that waits for the answer; None where no call does."""
    match form:
        case None:
            return None
        case ApprovalForm():
            return AskedCall(
                call_id=form.call_id,
                tool=form.tool,
                arguments=form.arguments,
                marks=form.marks,
                timeout_s=form.timeout_s,
            )
        case ChoiceForm(call=call) | AnswerForm(call=call):
            return call


@value
class Ask:
    """One question, as a channel and an interpreter see it."""

    pause_id: str
    """128 random bits, lower-case hex: the right to answer, and the idempotency key towards the vendor."""
    role: str
    prompt: str
    form: Form
    session_id: str
    tenant: str
    owner: str
    bot: str
    asked_at_ms: int
    deadline_at_ms: int | None = None
    execution_id: str = ""
    """With the step, where the wait belongs; both empty in a trial, where nothing waits."""
    step: str = ""
    needs: int = 1
    """How many people have to approve, each for themselves."""
    escalated_from: tuple[str, ...] = ()
    """The channels, by name, whose people were asked first and gave no answer in time; empty for those asked first."""


@value
class Decided:
    """The channel has the answer at once; nobody has to wait. Validated like any other answer."""

    decision: JsonValue
    answered_by: str


@value
class AwaitReply:
    """The question is out; the answer comes later through ``Answering``.

    Attributes:
        ref: what the channel needs to find its message again (a Slack ts, a Message-ID); None if it needs nothing.
    """

    ref: str | None = None


Outcome = Decided | AwaitReply


@value
class Progress:
    """Tells a channel how far a question is that it has sent and that still waits: one of two people has approved.

    Attributes:
        summary: one sentence for people: ``1 of 2 approved (mara)``.
    """

    ask: Ask
    ref: str | None
    approved_by: tuple[str, ...]
    rejected_by: tuple[str, ...]
    summary: str


@value
class Reminder:
    """Tells a channel to say once more to the people of a question it has sent that it waits for them.

    Attributes:
        number: which reminder in this channel, the first being 1: with the pause's id, the key towards the vendor. None is
            wanted twice.
        at_ms: now, UTC epoch milliseconds.
        summary: one sentence for people: ``Still waiting for an answer, for 4 hours now``.
    """

    ask: Ask
    ref: str | None
    number: int
    at_ms: int
    summary: str


@value
class Relief:
    """Tells a channel that others are asked in place of its people: the question still waits, and their answers count no more.

    That it is closed in the end is told to it by a ``Withdrawal`` as well.

    Attributes:
        asked_instead: the channel that is asked now, by name.
        summary: one sentence for people: ``Nobody answered within 4 hours, so board is asked now``.
    """

    ask: Ask
    ref: str | None
    asked_instead: str
    summary: str


@value
class Withdrawal:
    """Tells a channel that a question it has sent is closed, however that happened.

    Attributes:
        why: the pause's resolution: ``replied`` and ``decided`` (answered, perhaps elsewhere), ``timed_out``,
            ``withdrawn`` (a sibling failed or a join was decided), ``cancelled``.
        answered_by: who answered; None where nobody did.
        summary: one sentence for people: what was decided, or why it closed.
    """

    ask: Ask
    ref: str | None
    why: Literal["decided", "replied", "timed_out", "withdrawn", "cancelled"]
    answered_by: str | None
    summary: str


@value
class Understood:
    """The reply means exactly this decision. It is validated before it counts."""

    decision: JsonValue
    by: Literal["rules", "model", "code"]
    evidence: str | None = None
    """The words of the reply that carry the decision, letter for letter."""


@value
class NotUnderstood:
    """The reply does not settle the question; the person is asked again and the pause stays pending.

    Attributes:
        reason: one sentence that may be shown to the person who replied.
        cause: for logs: what went wrong inside the interpreter, None where nothing did.
        so_far: what of the reply was understood, for the person who replied: ``“approve”, which says yes, but not the rest.``
            None where that is nothing.
    """

    reason: str
    by: Literal["rules", "model", "code"]
    cause: str | None = None
    so_far: str | None = None


Reading = Understood | NotUnderstood


def form_to_json(form: Form | None) -> JsonValue:
    match form:
        case None:
            return None
        case ApprovalForm():
            return {
                "type": "approval",
                "tool": form.tool,
                "arguments": form.arguments,
                "schema": form.schema,
                "call_id": form.call_id,
                **_marks_to_json(form.marks),
                **_timeout_to_json(form.timeout_s),
            }
        case ChoiceForm():
            return {"type": "choice", "choices": list(form.choices), **_rest_to_json(form)}
        case AnswerForm():
            return {"type": "answer", "schema": form.schema, **_marks_to_json(form.marks), **_rest_to_json(form)}


def form_from_json(value: JsonValue) -> Form | None:
    """Raises ``KeyError`` or ``ValueError`` for what ``form_to_json`` did not write."""
    if value is None:
        return None
    match value["type"]:
        case "approval":
            return ApprovalForm(
                tool=value["tool"],
                arguments=value["arguments"],
                schema=value["schema"],
                call_id=value.get("call_id", ""),
                marks=value.get("marks"),
                timeout_s=value.get("timeout_s"),
            )
        case "choice":
            return ChoiceForm(
                choices=tuple(value["choices"]),
                call=_call_from_json(value.get("call")),
                takes_any=value.get("takes_any", False),
                private=value.get("private"),
            )
        case "answer":
            return AnswerForm(
                schema=value["schema"],
                call=_call_from_json(value.get("call")),
                takes_any=value.get("takes_any", False),
                private=value.get("private"),
                marks=value.get("marks"),
            )
        case other:
            raise ValueError(f"a form of type {other!r} was written by a newer Overwinter")


def _rest_to_json(form: ChoiceForm | AnswerForm) -> dict[str, JsonValue]:
    rest: dict[str, JsonValue] = {}
    if (call := form.call) is not None:
        rest["call"] = {
            "call_id": call.call_id,
            "tool": call.tool,
            "arguments": call.arguments,
            **_marks_to_json(call.marks),
            **_timeout_to_json(call.timeout_s),
        }
    if form.takes_any:
        rest["takes_any"] = True
    if form.private is not None:
        rest["private"] = form.private
    return rest


def _call_from_json(value: JsonValue) -> AskedCall | None:
    if value is None:
        return None
    return AskedCall(
        call_id=value["call_id"],
        tool=value["tool"],
        arguments=value["arguments"],
        marks=value.get("marks"),
        timeout_s=value.get("timeout_s"),
    )


def _marks_to_json(marks: dict[str, JsonValue] | None) -> dict[str, JsonValue]:
    return {} if marks is None else {"marks": marks}


def _timeout_to_json(timeout_s: float | None) -> dict[str, JsonValue]:
    return {} if timeout_s is None else {"timeout_s": timeout_s}
