"""The rows of the database as frozen values, and the words their state columns may hold.

The words are stored lower-case and never renamed. Times are UTC epoch milliseconds. Columns called ``*_json`` hold JSON
text that the store never looks into.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from .values import value


class SessionStatus(StrEnum):
    READY = "ready"
    """May be claimed: something is there to do."""
    RUNNING = "running"
    """Claimed: one supervisor holds its lease."""
    WAITING = "waiting"
    """Hibernated: every branch of its open execution waits for a pause or a message."""
    IDLE = "idle"
    """No open execution; a message starts the next one."""
    BLOCKED = "blocked"
    """Cannot go on until an operator acts; ``reason`` says why. Answers are still recorded."""
    ENDED = "ended"
    FAILED = "failed"
    CANCELLED = "cancelled"


TERMINAL_SESSION_STATUSES = frozenset({SessionStatus.ENDED, SessionStatus.FAILED, SessionStatus.CANCELLED})


class Priority:
    """Claim order, smaller first: answered sessions come before a flood of new ones."""

    OPERATOR = 10
    RESUME = 50
    FRESH = 100


class ExecutionStatus(StrEnum):
    RUNNING = "running"
    ENDED = "ended"
    FAILED = "failed"
    CANCELLED = "cancelled"


class PauseStatus(StrEnum):
    PENDING = "pending"
    RESOLVED = "resolved"
    TAKEN = "taken"
    CANCELLED = "cancelled"


class Resolution(StrEnum):
    DECIDED = "decided"
    """The channel, or an API caller, gave a typed decision."""
    REPLIED = "replied"
    """A person's own words were read."""
    FIRED = "fired"
    """A timer, trigger, schedule or file change."""
    TIMED_OUT = "timed_out"
    WITHDRAWN = "withdrawn"
    CANCELLED = "cancelled"
    UNDELIVERABLE = "undeliverable"
    """The question could not be delivered for good; its step fails."""


class PauseKind(StrEnum):
    ASK = "ask"
    TIMER = "timer"
    MESSAGE = "message"
    """Waits for the next message of the session's owner."""
    TRIGGER = "trigger"
    """Waits for a trigger to fire; its role is the trigger's slug. The open pause is the subscription."""
    FILES = "files"
    """Waits for files of its session's workspace to change."""
    ACTION = "action"
    """A call that runs later, when it is due or somebody performs it; its role is the kind of action."""
    SETTLE = "settle"
    """Waits for an operator to say what became of a step that was started and left no result."""


class AnswererKind(StrEnum):
    OWNER = "owner"
    CHANNEL = "channel"
    NOBODY = "nobody"
    """No person of the app answers this: a timer, a trigger, a change of files, an action, what an operator settles."""


class DeliveryKind(StrEnum):
    POST = "post"
    UPDATE = "update"
    """Show on a posted question how far it is: one of two has approved."""
    REMIND = "remind"
    """Say once more to those who were asked that their answer is waited for."""
    RELIEVE = "relieve"
    """Take a question that still waits from those who were asked first: others are asked in their place."""
    WITHDRAW = "withdraw"


class DeliveryStatus(StrEnum):
    DUE = "due"
    SENT = "sent"
    DECIDED = "decided"
    """Of a post: the channel had the answer at once, so there is nothing to be taken back."""
    FAILED = "failed"
    """Given up: the vendor's answer is final."""
    DROPPED = "dropped"
    """Not needed any more: its question closed before it was sent."""


class NoteStatus(StrEnum):
    DUE = "due"
    SENT = "sent"
    FAILED = "failed"
    """Given up: the vendor's answer is final."""


class DeliveryKey(NamedTuple):
    """Names a delivery: there is one of a kind for each channel that a question goes to."""

    pause_id: str
    kind: str
    channel: str


class InboundKind(StrEnum):
    MESSAGE = "message"
    ANSWER = "answer"


@value
class SessionRow:
    session_id: str
    tenant: str
    owner: str
    surface: str
    """``chat`` or ``workspace``."""
    program: str
    """Name of the agent or workflow it runs."""
    status: str
    reason: str | None
    """Why it is blocked, failed or cancelled: a code and a sentence."""
    priority: int
    due_at_ms: int
    """A ready session may be claimed from this time on (a back-off after a crash)."""
    lease_holder: str | None
    lease_epoch: int
    """Counts claims; every write of an actor carries the epoch of its claim."""
    lease_until_ms: int
    wakes: int
    """Counts what arrived for it from outside (answers, messages, fired timers, cancels)."""
    attempts: int
    """Claims since it last came to rest; counts crashes."""
    next_seq: int
    """The ``seq`` of the next ledger row."""
    is_cancel_requested: bool
    created_at_ms: int
    updated_at_ms: int


@value
class ExecutionRow:
    execution_id: str
    session_id: str
    parent_id: str | None
    program: str
    version: str
    fingerprint: str
    status: str
    input_json: str
    outcome_json: str | None
    started_at_ms: int
    ended_at_ms: int | None


@value
class LedgerRow:
    """One event. ``key`` is the step's key inside its execution, empty for events of the session itself."""

    session_id: str
    seq: int
    execution_id: str
    kind: str
    key: str
    body_json: str
    at_ms: int


@value
class PauseRow:
    pause_id: str
    tenant: str
    session_id: str
    execution_id: str
    key: str
    kind: str
    role: str
    channel: str
    """The channels that ask it now, by name, separated by commas; no channel has a comma in its name."""
    answerer: str
    owner: str
    status: str
    is_sent: bool
    """Some channel has put it to people."""
    ask_json: str
    asked_at_ms: int
    deadline_at_ms: int | None
    resolution: str | None
    answer_json: str | None
    responder: str | None
    """Who answered, as the channel authenticated them."""
    resolved_at_ms: int | None


def channels_in(names: str) -> list[str]:
    """The channels that ``PauseRow.channel`` names."""
    return names.split(",")


def joined_channels(channels: Iterable[str]) -> str:
    """Channels as ``PauseRow.channel`` has them."""
    return ",".join(channels)


@value
class DeliveryRow:
    """One thing to tell the outside: one of a kind for each channel that a question goes to."""

    pause_id: str
    kind: str
    channel: str
    session_id: str
    status: str
    ref: str | None
    """What the channel needs to find its message of this question again; None while there is none."""
    due_at_ms: int
    attempts: int
    last_error: str | None
    holder: str | None
    held_until_ms: int
    created_at_ms: int
    """When it was asked for; of an update the last time."""
    settled_at_ms: int | None

    @property
    def key(self) -> DeliveryKey:
        return DeliveryKey(self.pause_id, self.kind, self.channel)


@value
class VoteRow:
    """What one person decided where a question needs several."""

    pause_id: str
    voter: str
    decision_json: str
    cast_at_ms: int


@value
class AnchorRow:
    """What a channel has out there (a thread, a message, a token), bound to what it is here: unique by (channel, anchor).

    It goes with its pause when that is swept; without a pause it stays.
    """

    channel: str
    anchor: str
    session_id: str | None
    pause_id: str | None
    body_json: str
    created_at_ms: int


@value
class NoteRow:
    """One thing to tell that asks nothing."""

    note_id: str
    """Made of what caused it: the same cause leaves one note."""
    channel: str
    kind: str
    """The channel's own word."""
    addressee: str | None
    """Whom it is for, in the channel's words; None where that says itself."""
    lane: str | None
    """Notes of one lane are told one after another, by position; None where the order does not matter."""
    position: int
    tenant: str
    session_id: str | None
    pause_id: str | None
    body_json: str
    status: str
    due_at_ms: int
    attempts: int
    last_error: str | None
    holder: str | None
    held_until_ms: int
    created_at_ms: int
    settled_at_ms: int | None


@value
class QuarantineRow:
    """Something that arrived and led nowhere: nobody could tell what it answers, or its sender may not answer it.

    It is kept for operators, for a while.
    """

    quarantine_id: str
    """Made of what arrived: the same thing again is kept once."""
    channel: str
    reason: str
    """Why it led nowhere, in a few words."""
    kind: str
    """What it is, in the channel's own word."""
    sender: str | None
    subject: str
    session_id: str | None
    """Of the question that it belongs to; None where that is not known."""
    why_json: str
    """How the channel came to it, step by step."""
    envelope_json: str
    """What was known of it beside itself."""
    raw: bytes
    is_whole: bool
    """``raw`` is all of it, not only its beginning."""
    received_at_ms: int


@value
class InboundRow:
    """Something received: unique by (channel, external_id), so a redelivery has no effect."""

    channel: str
    external_id: str
    kind: str
    tenant: str
    session_id: str
    pause_id: str | None
    body_json: str
    received_at_ms: int
    consumed_at_ms: int | None


@value
class AuditRow:
    """One permanent entry per resolution, chained per tenant by hash."""

    tenant: str
    seq: int
    session_id: str
    execution_id: str
    key: str
    pause_id: str | None
    """None where the channel authenticates the answerer: there the id is a right and is shown nowhere."""
    role: str
    answerer: str
    responder: str | None
    resolution: str
    decision_json: str | None
    asked_at_ms: int
    resolved_at_ms: int
    previous_hash: str
    hash: str
