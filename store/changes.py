"""What may be written: one frozen value per verb, each guarded, and what the writer says of it.

A ``Change`` is all or nothing. The writer applies many at once in one transaction, in the order they were submitted; each is
judged against the rows as the changes before it left them, so two of them in one transaction behave as they would in two.

    change            guard                                          what the caller gets
    ----------------- ---------------------------------------------- -------------------------------------------
    StartSession      no such session, inbound message is new        StartResult
    PostMessage       session takes messages, inbound is new         PostResult
    Claim             ready, due, or running past its lease          ClaimResult
    RenewLeases       holder and epoch                               RenewResult
    Advance           epoch held, its closed pauses still pending    AdvanceResult
    ResolvePause      pause pending                                  ResolveResult
    CancelPause       pause pending                                  ResolveResult
    CastVote          pause pending, votes as counted, voter is new  ResolveResult
    CancelSession     session not terminal                           CancelResult
    UnblockSession    blocked for that code, executions as believed  UnblockResult
    ClaimDeliveries   due, and not held by a living holder           ClaimDeliveriesResult
    SettleDelivery    held by this holder                            SettleResult
    Sweep             closed longer ago than the retention           SweepResult
    CountCall         its budget is not used up                      CountCallResult
    CountTokens       not said before                                CountTokensResult

No clock and no ids here: both come in with the change.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from .blocks import UnblockSession
from .costs import CountCall, CountTokens
from .resolutions import CancelPause, CastVote, ResolvePause
from .rows import DeliveryKey, DeliveryRow, ExecutionRow, InboundRow, LedgerRow, PauseRow, SessionRow
from .values import value


# -- sessions ----------------------------------------------------------------------------------------------------------
@value
class StartSession:
    """Insert a session with its first message: ready to be claimed, or running already under a lease of the caller's."""

    session: SessionRow
    message: InboundRow | None


class StartResult(StrEnum):
    STARTED = "started"
    DUPLICATE = "duplicate"
    """That session, or that message, is there already; nothing was written."""


@value
class PostMessage:
    """Give a session a message: insert it, count a wake, and make a resting session ready at RESUME priority.

    A RUNNING or BLOCKED session keeps its status. Resting means WAITING or IDLE; a READY one stays ready, and its priority
    becomes the more urgent of the two.
    """

    message: InboundRow
    now_ms: int


class PostResult(StrEnum):
    POSTED = "posted"
    DUPLICATE = "duplicate"
    """It has been received already; nothing was written."""
    CONFLICT = "conflict"
    """Another one of that id has been received; nothing was written."""
    UNKNOWN_SESSION = "unknown_session"
    """None there, or another tenant's."""
    ENDED_SESSION = "ended_session"


@value
class Claim:
    """Take the lease of up to ``limit`` sessions: by priority, then due time, then id.

    Claimable: READY with ``due_at_ms <= now_ms``, or that was due when it was last written, whatever the clock says since; and
    RUNNING with ``lease_until_ms <= now_ms`` (its holder died). Each claim adds one to ``lease_epoch`` and to ``attempts``.
    """

    holder: str
    limit: int
    now_ms: int
    until_ms: int


@value
class ClaimResult:
    """The claimed sessions as they are now, most urgent first."""

    sessions: tuple[SessionRow, ...]


@value
class RenewLeases:
    """Prolong leases to ``until_ms``: those of ``epochs`` (session id -> epoch) that ``holder`` still has.

    A lease past its time but not yet taken by anybody else is still held and is renewed.
    """

    holder: str
    epochs: Mapping[str, int]
    now_ms: int
    until_ms: int


@value
class RenewResult:
    """Which leases are lost, how many wakes each held session has counted, and which are asked to cancel.

    A cancelled session's lease is lost, and it is asked to cancel as well: the holder learns why.
    """

    lost: frozenset[str]
    wakes: Mapping[str, int]
    cancel_requested: frozenset[str]


@value
class ClosePause:
    """Close a pending pause without an answer: PENDING -> CANCELLED, with its audit entry and its withdrawal if sent."""

    pause_id: str
    resolution: Literal["withdrawn", "cancelled"]


@value
class Rest:
    """Give the lease back.

    With ``wakes`` not the session's present count, something arrived meanwhile: everything else of the change is written,
    but the lease is kept and ``AdvanceResult.rested`` is False, so that the actor looks again. ``attempts`` becomes 0.
    """

    status: str
    """``waiting``, ``idle``, ``blocked``, ``ended``, ``failed``, ``cancelled``; or ``ready`` to be claimed again."""
    reason: str | None
    wakes: int
    due_at_ms: int


@value
class Advance:
    """What one actor has to write. Guard: the session is RUNNING under ``holder`` and ``epoch``, and (where ``now_ms`` is
    past ``lease_until_ms``) nobody else has claimed it; and every pause of ``close`` is pending, every one of ``end``
    resolved, every one of ``take`` resolved (or cancelled: a pause closed from outside is read by its step, and keeps its
    status).

    Attributes:
        ledger: consecutive rows from the session's ``next_seq`` on.
        executions: new ones, or ended ones; by id, the whole row is written.
        open: new pauses. One whose (session_id, execution_id, key) exists already is an error of the caller.
        take: RESOLVED -> TAKEN.
        close: PENDING -> CANCELLED.
        end: RESOLVED -> CANCELLED: the session is over, and no step takes what was answered.
        deliveries: inserted as they are (their holder may be set already, so that no one else picks them up).
        consume: (channel, external_id) of the messages that the actor has taken in.
    """

    session_id: str
    holder: str
    epoch: int
    now_ms: int
    ledger: tuple[LedgerRow, ...] = ()
    executions: tuple[ExecutionRow, ...] = ()
    open: tuple[PauseRow, ...] = ()
    take: tuple[str, ...] = ()
    close: tuple[ClosePause, ...] = ()
    end: tuple[str, ...] = ()
    deliveries: tuple[DeliveryRow, ...] = ()
    consume: tuple[tuple[str, str], ...] = ()
    rest: Rest | None = None


@value
class AdvanceResult:
    """``done``: all was written. ``lease_lost``, ``stale`` (a pause was not as the actor believed): nothing was.

    Attributes:
        rested: whether the lease was given back; False without a ``rest``.
        wakes: the session's count now.
    """

    outcome: Literal["done", "lease_lost", "stale"]
    rested: bool
    wakes: int


@value
class CancelSession:
    """End a session for good. All open pauses (pending and resolved) are CANCELLED with their audit entries and
    withdrawals, running executions CANCELLED, unsent deliveries dropped, in one transaction.

    A pause that was resolved and not taken keeps its answer and who gave it, and gets a second audit entry: it was never
    acted on. A post that is being sent is left to ``SettleDelivery``, and withdrawals still go out.

    A session that is RUNNING under a living lease gets ``is_cancel_requested`` and a wake as well; its epoch is raised, so
    nothing that its actor still wants to write is accepted.
    """

    tenant: str
    session_id: str
    reason: str
    responder: str | None
    ledger_json: str
    """Body of the ``session_cancelled`` event."""
    now_ms: int


class CancelResult(StrEnum):
    CANCELLED = "cancelled"
    UNKNOWN_SESSION = "unknown_session"
    ALREADY_ENDED = "already_ended"


# -- deliveries --------------------------------------------------------------------------------------------------------
@value
class ClaimDeliveries:
    """Take up to ``limit`` due deliveries: DUE, ``due_at_ms <= now_ms``, and no holder or one whose hold has run out.

    What has to wait for another delivery of the same question in the same channel (``precedence``) is not due before.
    """

    holder: str
    limit: int
    now_ms: int
    until_ms: int


@value
class ClaimDeliveriesResult:
    """Each delivery with its pause as it is now. What is not needed any more is DROPPED, not returned: all but withdrawals
    where the pause is closed, and what would be told of a question to those who do not have it, or not any more.

    Attributes:
        abandoned: those that somebody had taken before and not settled: whether they were sent, nobody knows.
    """

    deliveries: tuple[tuple[DeliveryRow, PauseRow], ...]
    abandoned: frozenset[DeliveryKey] = frozenset()


@value
class SettleDelivery:
    """Say how a delivery went. Guard: it is DUE and held by ``holder``.

    ``sent`` of a post keeps its ``ref`` and sets the pause's ``is_sent``; if its pause has closed meanwhile, a withdrawal
    delivery is inserted in the same transaction (closed while ``send`` was returning). That holds too where the hold had run
    out and the post was dropped with its pause: the people have seen it. ``sent`` of an update that was asked for again
    meanwhile makes it due again. ``retry`` makes it due again at ``due_at_ms``, counts an attempt and frees it; one that is not
    needed any more is dropped. ``passed_on`` is the same for others to carry, and counts nothing. ``failed`` ends it.
    ``decided`` of a post: the channel had the answer at once, which has been recorded already; it is never withdrawn.
    ``returned`` has a guard of its own: it is a post that is SENT, whoever sent it; it turns out to have failed.

    Attributes:
        created_at_ms: the delivery's when it was taken.
        stranded_json: with a post that has failed or is decided: what the step reads if the pause is still pending and no
            other post of it is out or on its way. Then the pause closes as ``undeliverable`` in the same transaction. An
            escalation that is to come later comes at once then.
        escalates: with a post that was sent: those of its channel are asked in place of all others, who are relieved of the
            question in the same transaction. ``PauseRow.channel`` names that channel alone from then on.
        remind_at_ms: with a post that was sent, or a reminder that has ended: when its people are to be reminded next.
    """

    delivery: DeliveryKey
    holder: str
    created_at_ms: int
    outcome: Literal["sent", "decided", "retry", "passed_on", "failed", "returned"]
    ref: str | None
    error: str | None
    due_at_ms: int
    now_ms: int
    stranded_json: str | None = None
    escalates: bool = False
    remind_at_ms: int | None = None


class SettleResult(StrEnum):
    SETTLED = "settled"
    STRANDED = "stranded"
    """Settled, and the pause has closed: nobody is left who is asked."""
    LOST = "lost"
    """Somebody else has taken it, or it is settled already."""


# -- upkeep ------------------------------------------------------------------------------------------------------------
@value
class Sweep:
    """Delete pauses TAKEN or CANCELLED before ``closed_before_ms`` with their settled deliveries, up to ``limit``.

    Never one of an execution that still runs (its step may not have read it yet); never audit entries or the ledger.
    """

    closed_before_ms: int
    limit: int


@value
class SweepResult:
    pauses: int


Change = (
    StartSession
    | PostMessage
    | Claim
    | RenewLeases
    | Advance
    | ResolvePause
    | CancelPause
    | CastVote
    | CancelSession
    | UnblockSession
    | ClaimDeliveries
    | SettleDelivery
    | Sweep
    | CountCall
    | CountTokens
)
