"""What a gate is given and what it may say of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from ...actors.asks import JsonValue
from ...actors.marks import Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class GatedCall:
    """One tool call that is about to run, as a gate sees it.

    Attributes:
        arguments: in the canonical form that would run, every value in it.
        agent: name of the agent that calls.
        call_id: the model's id of the call; a correlation id must contain it.
        surface: ``chat`` or ``workspace``.
        requested_at: when the gate is asked (UTC).
        call_key: names this judgement, the same on every attempt of its step.
        marks: which of the arguments are sensitive (``actors/marks``); None if none are.
    """

    tool: str
    arguments: dict[str, JsonValue]
    agent: str
    session_id: str
    execution_id: str
    tenant: str
    owner: str
    surface: str
    call_id: str
    requested_at: datetime
    call_key: str = ""
    marks: Schema | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allow:
    """Nothing speaks against the call."""

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deny:
    """The call never runs. The reason is for the model."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """A person of the gate's role has to approve. The reason is for them."""

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """The call is committed as a ticket and runs later, by the supervisor or by a host.

    Attributes:
        correlation_id: what a host knows it by; contains the call's id, so that no two calls share one.
        due: when it runs, or how long after it has been committed; None leaves it to a host alone.
        deadline: how long after it has been committed it may run at the latest; None for ever.
        action_kind: one of those that the app's plugins declare; None for an ordinary call that is put off.
    """

    correlation_id: str
    due: datetime | timedelta | None = None
    deadline: timedelta | None = None
    action_kind: str | None = None
    reason: str = ""


Verdict = Allow | Deny | Ask | Schedule
