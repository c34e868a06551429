"""The ticket of a call that runs later: what was committed, and how a ticket that is handed in is compared with it.

A ticket is an open pause of kind ``action``: its identity, session, execution and step are the pause's, and what the call is
stands in the pause's details. Pure.
"""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from ..store.rows import PauseRow
from ..store.values import value
from .asks import JsonValue
from .errors import SessionCorruptError
from .jsontext import from_json


@value
class Ticket:
    """One call that was committed and has not run.

    Attributes:
        ticket_id: the pause's id: the right to have it performed.
        correlation_id: what the host knows it by; contains ``call_id``.
        action_kind: the kind that a plugin of the app declares; None for an ordinary call.
        step: the key of the wait in its execution.
        bot: the agent that calls.
        call_id: the model's id of the call.
        arguments: in the canonical form that will run.
        digest: of the tool and its arguments.
        fingerprint: of the code under which it was committed.
        due_at_ms: when the supervisor performs it, and nobody before; None if a host alone says when.
        deadline_at_ms: from then on it is not performed any more; None for never.
        marks: which of the arguments are sensitive (``marks``); None if none are.
    """

    ticket_id: str
    correlation_id: str
    action_kind: str | None
    tenant: str
    owner: str
    session_id: str
    execution_id: str
    step: str
    bot: str
    call_id: str
    tool: str
    arguments: dict[str, JsonValue]
    digest: str
    fingerprint: str
    committed_at_ms: int
    due_at_ms: int | None
    deadline_at_ms: int | None
    marks: dict[str, JsonValue] | None = None

    def may_run_at(self, now_ms: int) -> bool:
        """Whether a supervisor performs it now: its time has come, and its deadline has not."""
        return self.due_at_ms is not None and now_ms >= self.due_at_ms and not self.has_expired_at(now_ms)

    def has_expired_at(self, now_ms: int) -> bool:
        """Whether it is too late to perform it."""
        return self.deadline_at_ms is not None and now_ms >= self.deadline_at_ms


@value
class Order:
    """A call that is to run later, before it is committed: what its pause's details say.

    Attributes:
        is_due: its wait's end is when it runs; else its wait ends at its deadline, if at all.
        expires_in_ms: how long after its commit at the latest; None for ever.
    """

    correlation_id: str
    action_kind: str | None
    call_id: str
    tool: str
    arguments: dict[str, JsonValue]
    digest: str
    fingerprint: str
    is_due: bool
    expires_in_ms: int | None
    marks: dict[str, JsonValue] | None = None

    def to_json(self) -> dict[str, JsonValue]:
        return {each.name: getattr(self, each.name) for each in fields(self)}


def ticket_of(pause: PauseRow) -> Ticket:
    """The ticket that a pause of kind ``action`` holds.

    Raises:
        SessionCorruptError: (session.corrupt) it cannot be read back.
    """
    try:
        stored: Any = from_json(pause.ask_json)
        order = Order(**stored["details"])
        return Ticket(
            ticket_id=pause.pause_id,
            correlation_id=order.correlation_id,
            action_kind=order.action_kind,
            tenant=pause.tenant,
            owner=pause.owner,
            session_id=pause.session_id,
            execution_id=pause.execution_id,
            step=pause.key,
            bot=stored["bot"],
            call_id=order.call_id,
            tool=order.tool,
            arguments=order.arguments,
            digest=order.digest,
            fingerprint=order.fingerprint,
            committed_at_ms=pause.asked_at_ms,
            due_at_ms=pause.deadline_at_ms if order.is_due else None,
            deadline_at_ms=None if order.expires_in_ms is None else pause.asked_at_ms + order.expires_in_ms,
            marks=order.marks,
        )
    except (ValueError, KeyError, TypeError) as error:
        raise SessionCorruptError(
            f"the ticket of step {pause.key} of session {pause.session_id} cannot be read: {error}"
        ) from error


def differences(given: Ticket, committed: Ticket) -> tuple[str, ...]:
    """The names of what is not as it was committed. Values are compared as they are: ``1`` is not ``True``."""
    return tuple(
        each.name
        for each in fields(Ticket)
        if _written(getattr(given, each.name)) != _written(getattr(committed, each.name))
    )


def _written(part: JsonValue) -> str:
    """A part as JSON, in which what is not the same is not written the same; the order of keys says nothing."""
    return json.dumps(part, sort_keys=True, default=repr)
