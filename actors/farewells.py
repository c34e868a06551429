"""What those are told who wait for a trigger that is removed: a wait ends with a result, a subscribed session gets a message."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from ..store.farewells import Farewell
from ..store.rows import InboundKind, InboundRow
from ..store.trigger_rows import SubscriptionRow, TriggerRow
from .asks import JsonValue
from .jsontext import to_json

CHANNEL = "trigger"
"""The channel of what triggers tell sessions."""

OPERATOR = "operator"
_REMOVED = "trigger.removed"


def farewell_of(row: TriggerRow, *, by: str | None = None, now_ms: int) -> Farewell:
    """What is said when a trigger is gone.

    Args:
        by: who has removed it; None where its app declares it no more, or it is not known which operator it was.
    """
    if row.source is not None:
        by, why = f"app {row.source}", f"its app, {row.source}, declares it no more"
    else:
        by = by or OPERATOR
        why = f"removed by {'an operator' if by == OPERATOR else by}"
    reason = f"there is no trigger {row.slug} any more: {why}; it will not fire"
    told: JsonValue = {"reason": reason, "code": _REMOVED}
    return Farewell(answer_json=to_json(told), responder=by, message=partial(_message, row, reason, now_ms))


def is_farewell(answer: object) -> bool:
    """Whether what a wait has ended with is that its trigger is gone."""
    return isinstance(answer, dict) and cast("dict[str, Any]", answer).get("code") == _REMOVED


def _message(row: TriggerRow, reason: str, now_ms: int, subscription: SubscriptionRow) -> InboundRow:
    told: JsonValue = {"removed": {"trigger_id": row.trigger_id, "slug": row.slug, "reason": reason}}
    return InboundRow(
        channel=CHANNEL,
        external_id=f"{row.trigger_id}/removed/{subscription.created_at_ms}/{now_ms}/{subscription.session_id}",
        kind=InboundKind.MESSAGE,
        tenant=subscription.tenant,
        session_id=subscription.session_id,
        pause_id=None,
        body_json=to_json({"content": to_json(told), "from": f"trigger {row.slug}"}),
        received_at_ms=now_ms,
        consumed_at_ms=None,
    )
