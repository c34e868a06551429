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
class ApprovalForm:
    """Asks whether one tool call may run. The decision is an ``Approval`` as JSON.

    ``{"approved": bool, "reason": str | None, "override_arguments": dict | None}``; overrides only with approval, and
    valid for ``schema``. They replace the arguments whole: every argument is in there, changed or not.
    """

    tool: str
    arguments: dict[str, JsonValue]
    schema: dict[str, JsonValue]
    """JSON Schema (2020-12) of the arguments."""


@value
class ChoiceForm:
    """Asks for one of a few words. The decision is one of ``choices``, letter for letter."""

    choices: tuple[str, ...]


@value
class AnswerForm:
    """Asks for data. The decision is a JSON value valid for ``schema`` (JSON Schema 2020-12)."""

    schema: dict[str, JsonValue]


Form = ApprovalForm | ChoiceForm | AnswerForm


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
    """

    reason: str
    by: Literal["rules", "model", "code"]
    cause: str | None = None


Reading = Understood | NotUnderstood


def form_to_json(form: Form | None) -> JsonValue:
    match form:
        case None:
            return None
        case ApprovalForm():
            return {"type": "approval", "tool": form.tool, "arguments": form.arguments, "schema": form.schema}
        case ChoiceForm():
            return {"type": "choice", "choices": list(form.choices)}
        case AnswerForm():
            return {"type": "answer", "schema": form.schema}


def form_from_json(value: JsonValue) -> Form | None:
    """Raises ``KeyError`` or ``ValueError`` for what ``form_to_json`` did not write."""
    if value is None:
        return None
    match value["type"]:
        case "approval":
            return ApprovalForm(tool=value["tool"], arguments=value["arguments"], schema=value["schema"])
        case "choice":
            return ChoiceForm(choices=tuple(value["choices"]))
        case "answer":
            return AnswerForm(schema=value["schema"])
        case other:
            raise ValueError(f"a form of type {other!r} was written by a newer Overwinter")
