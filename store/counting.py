"""Counts model calls: plain functions of a connection that is inside a transaction; they neither begin nor commit.

The guards are in the statements themselves. A call is inserted out of what its own budget has left, so nothing can come
between looking and counting; its tokens are set where none are set yet.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from .costs import CountCall, CountCallResult, CountTokens, CountTokensResult, Spent
from .schema import costs
from .statements import number, text

_UNLIMITED = 2**62


_spent = (
    sa.select(sa.func.count().label("calls"), sa.func.coalesce(sa.func.sum(costs.c.tokens), 0).label("tokens"))
    .where(
        costs.c.budget == text("in_budget"),
        costs.c.subject == text("of_subject"),
        costs.c.at_ms >= number("since_ms"),
    )
    .subquery("spent")
)
_same = costs.alias("same")
_is_known = sa.exists().where(_same.c.cost_key == text("new_key"))

_INSERT = sa.insert(costs).from_select(
    ["cost_key", "budget", "subject", "tenant", "session_id", "at_ms"],
    sa.select(
        text("new_key"),
        text("in_budget"),
        text("of_subject"),
        text("by_tenant"),
        text("by_session"),
        number("now_ms"),
    )
    .select_from(_spent)
    .where(_spent.c.calls < number("max_calls"), _spent.c.tokens < number("max_tokens"), ~_is_known),
    include_defaults=False,
)
_FORGET = sa.delete(costs).where(
    costs.c.budget == text("in_budget"), costs.c.subject == text("of_subject"), costs.c.at_ms < number("before_ms")
)
_SPENT = sa.select(_spent.c.calls, _spent.c.tokens)
_STANDS = sa.select(_is_known, _spent.c.calls, _spent.c.tokens).select_from(_spent)
_SET_TOKENS = (
    sa.update(costs)
    .where(costs.c.cost_key == text("counted_key"), costs.c.tokens.is_(None))
    .values(tokens=number("used"))
)


def count_call(connection: sa.Connection, change: CountCall) -> CountCallResult:
    parameters: dict[str, Any] = {
        "new_key": change.cost_key,
        "in_budget": change.budget,
        "of_subject": change.subject,
        "by_tenant": change.tenant,
        "by_session": change.session_id,
        "since_ms": change.since_ms,
        "max_calls": _UNLIMITED if change.max_calls is None else change.max_calls,
        "max_tokens": _UNLIMITED if change.max_tokens is None else change.max_tokens,
        "now_ms": change.now_ms,
    }
    if connection.execute(_INSERT, parameters).rowcount == 1:
        if change.since_ms > 0:
            # Twice the time that counts: whoever makes a call again after a crash finds it counted.
            before_ms = change.since_ms - (change.now_ms - change.since_ms)
            connection.execute(_FORGET, {**parameters, "before_ms": before_ms})
        return CountCallResult(outcome="counted")
    is_known, calls, tokens = connection.execute(_STANDS, parameters).one()
    if is_known:
        return CountCallResult(outcome="duplicate")
    return CountCallResult(outcome="exhausted", spent=Spent(calls=calls, tokens=tokens))


def count_tokens(connection: sa.Connection, change: CountTokens) -> CountTokensResult:
    found = connection.execute(_SET_TOKENS, {"counted_key": change.cost_key, "used": change.tokens}).rowcount
    return CountTokensResult.COUNTED if found == 1 else CountTokensResult.IGNORED


def spent(connection: sa.Connection, *, budget: str, subject: str, since_ms: int) -> Spent:
    parameters = {"in_budget": budget, "of_subject": subject, "since_ms": since_ms}
    calls, tokens = connection.execute(_SPENT, parameters).one()
    return Spent(calls=calls, tokens=tokens)
