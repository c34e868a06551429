"""What counts model calls against budgets, one row a call: two changes, and what is said of them.

A call is counted in the transaction that looks whether its budget has room, before it is made: of two that want the last
room one gets it, in one process or in two. What it has used is known only afterwards and is added once. Whoever dies in
between has counted a call whose tokens nobody knows.

No clock and no ids here: both come in with the change.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from .values import value


@value
class Spent:
    """What was counted under one budget for one subject; calls whose tokens are not known yet add none."""

    calls: int
    tokens: int


@value
class CountCall:
    """Count one call. Guard: no call of that key is counted yet, and less than the limits was spent since ``since_ms``.

    Attributes:
        cost_key: names the call; the same key again changes nothing.
        subject: whom the budget is for: a tenant, a session; empty where it is for all together.
        since_ms: calls before this do not count any more, and those twice as long ago are forgotten; 0 counts them all.
        max_calls, max_tokens: None is no limit.
    """

    cost_key: str
    budget: str
    subject: str
    tenant: str
    session_id: str
    since_ms: int
    max_calls: int | None
    max_tokens: int | None
    now_ms: int


@value
class CountCallResult:
    """``counted``: go on. ``duplicate``: it was counted before, so go on too. ``exhausted``: nothing was written.

    Attributes:
        spent: what stands against the limits; None unless exhausted.
    """

    outcome: Literal["counted", "duplicate", "exhausted"]
    spent: Spent | None = None


@value
class CountTokens:
    """Say what a counted call has used. Guard: nobody has said so before."""

    cost_key: str
    tokens: int


class CountTokensResult(StrEnum):
    COUNTED = "counted"
    IGNORED = "ignored"
    """They were counted before, or there is no such call; nothing was written."""
