"""What closes a pause from outside its session, or counts towards closing it: three changes, and what is said of them.

No clock and no ids here: both come in with the change.
"""

from __future__ import annotations

from typing import Literal

from .rows import DeliveryRow, InboundRow, PauseRow, SessionRow
from .values import value


@value
class Grant:
    """A supervisor of this process has room for the session: its lease begins in the transaction that made it ready."""

    holder: str
    until_ms: int


@value
class Hold:
    """Whoever delivers at once what the change leaves to be delivered, without asking for what is due."""

    holder: str
    until_ms: int


@value
class ResolvePause:
    """Record an answer: PENDING -> RESOLVED. One conditional write; of two racing ones exactly one wins.

    In the same transaction: the audit entry (nobody has decided what fired), the inbound row, the withdrawal delivery of a
    question that was sent, the drop of one not yet sent, one more wake, and a WAITING session made READY at RESUME priority
    (OPERATOR priority where ``priority`` says so).

    Attributes:
        decision_json: the masked decision for the audit; None keeps none.
        inbound: the message that carried the answer; one that is known already makes the change a ``duplicate``.
        grant: if the answer makes the session ready, it is claimed at once; ``ResolveResult.claimed`` is the session then.
        hold: the withdrawals are born held; ``ResolveResult.withdrawals`` are those that are.
        vote: recorded with it: the one that decides where several people are needed.
        asked_in: ``PauseRow.channel`` when it was seen that this person may answer; if others are asked by now it is
            ``moved``. None where it does not matter who is asked.
    """

    pause_id: str
    resolution: Literal["decided", "replied", "fired", "timed_out"]
    answer_json: str
    responder: str | None
    decision_json: str | None
    inbound: InboundRow | None
    now_ms: int
    priority: int
    grant: Grant | None = None
    hold: Hold | None = None
    vote: Vote | None = None
    asked_in: str | None = None


@value
class Vote:
    """What one person decided where several are needed.

    Attributes:
        counted: how many votes it was judged beside; with more of them there it is ``stale``.
    """

    voter: str
    decision_json: str
    counted: int


@value
class CastVote:
    """Record a vote that does not decide; the pause stays pending.

    Attributes:
        posts: the question to those who are asked next.
        updates: channels that are to show how far the question is, by name: those that have it.
        asked_in: as in ``ResolvePause``.
    """

    pause_id: str
    vote: Vote
    inbound: InboundRow | None
    now_ms: int
    posts: tuple[DeliveryRow, ...] = ()
    updates: tuple[str, ...] = ()
    asked_in: str | None = None


@value
class CancelPause:
    """Close a pause from outside, its session going on: PENDING -> CANCELLED; else as ``ResolvePause``."""

    pause_id: str
    answer_json: str
    """What the step is to read: the reason."""
    responder: str | None
    now_ms: int


@value
class ResolveResult:
    """``resolved``: this one won. ``not_pending``: ``pause`` says how it stands. ``duplicate``: that inbound message has
    been received already as an answer to this pause. ``conflict``: it has been received as something else. ``unknown``: no
    such pause. ``voted``: the vote is recorded, and more are needed. ``voted_already``: that person has voted. ``stale``: other
    votes have come than those it was judged beside. ``moved``: other people are asked by now. Only ``resolved`` and ``voted``
    have written anything.
    """

    outcome: Literal[
        "resolved", "not_pending", "duplicate", "conflict", "unknown", "voted", "voted_already", "stale", "moved"
    ]
    pause: PauseRow | None
    """The pause as it is now; None if unknown."""
    claimed: SessionRow | None = None
    """Its session, if it has been claimed for the change's ``grant``."""
    withdrawals: tuple[DeliveryRow, ...] = ()
    """Those that the change's ``hold`` holds."""
