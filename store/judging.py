"""The one place where a change meets its verb: judged against the view, applied to it, answered with its result."""

from __future__ import annotations

from typing import assert_never

from . import advancing, deliveries, pauses, sessions, unblocking
from .blocks import UnblockResult, UnblockSession
from .changes import (
    Advance,
    AdvanceResult,
    CancelResult,
    CancelSession,
    Claim,
    ClaimDeliveries,
    ClaimDeliveriesResult,
    ClaimResult,
    PostMessage,
    PostResult,
    RenewLeases,
    RenewResult,
    SettleDelivery,
    SettleResult,
    StartResult,
    StartSession,
)
from .resolutions import CancelPause, CastVote, ResolvePause, ResolveResult
from .view import View

JudgedChange = (
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
)
JudgedResult = (
    StartResult
    | PostResult
    | ClaimResult
    | RenewResult
    | AdvanceResult
    | ResolveResult
    | CancelResult
    | UnblockResult
    | ClaimDeliveriesResult
    | SettleResult
)


def judge(view: View, change: JudgedChange) -> JudgedResult:
    """Apply one change to the view, or leave the view as it is.

    Raises:
        StoreRefusedError: ``store.refused``: the change contradicts itself or its session; the view is as it was.
    """
    match change:
        case Advance():
            return advancing.advance(view, change)
        case ResolvePause():
            return pauses.resolve(view, change)
        case Claim():
            return sessions.claim(view, change)
        case StartSession():
            return sessions.start(view, change)
        case ClaimDeliveries():
            return deliveries.claim(view, change)
        case SettleDelivery():
            return deliveries.settle(view, change)
        case PostMessage():
            return sessions.post(view, change)
        case CancelPause():
            return pauses.cancel(view, change)
        case CastVote():
            return pauses.cast(view, change)
        case RenewLeases():
            return sessions.renew(view, change)
        case CancelSession():
            return sessions.cancel(view, change)
        case UnblockSession():
            return unblocking.unblock(view, change)
        case _:
            assert_never(change)
