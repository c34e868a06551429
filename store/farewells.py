"""What becomes of those who wait for a trigger that is removed: they are told so in the transaction that removes it.

A wait is cancelled, and its step reads why; a session that is subscribed gets a message, and is subscribed no more. Whoever waits
for a fire that has not been told yet is told of that first. Where very many wait, some are told in that transaction and the others
a share at a time (``Triggers.bid_farewell``), as is whoever was written down as waiting while the trigger was being removed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sqlalchemy as sa

from . import trigger_statements as of
from .changes import PostMessage
from .freezing import maker
from .resolutions import CancelPause
from .rows import InboundRow
from .trigger_rows import SubscriptionRow, TriggerRow
from .values import value

AT_ONCE = 500
"""So many are told in one transaction: whoever else writes waits for no more than that."""

_subscription_row = maker(SubscriptionRow)


@value
class Farewell:
    """What those are told who wait for a trigger.

    Attributes:
        answer_json: what the step reads that waits.
        responder: who has removed it; kept in the audit.
        message: what a session gets that is subscribed.
    """

    answer_json: str
    responder: str
    message: Callable[[SubscriptionRow], InboundRow]


Farewells = Callable[[TriggerRow], Farewell]
"""Pure."""


@value
class Concerned:
    """Sessions by their ids: those that wait for a trigger, and those that are subscribed to it."""

    waiting: tuple[str, ...]
    subscribed: tuple[str, ...]


NOBODY = Concerned(waiting=(), subscribed=())


def concerned(connection: sa.Connection, trigger: TriggerRow) -> Concerned:
    """Whom it concerns what becomes of a trigger."""
    waiting = connection.execute(of.SESSIONS_WAITING, {"of_tenant": trigger.tenant, "of_slug": trigger.slug})
    subscribed = connection.execute(of.SESSIONS_SUBSCRIBED, {"of_trigger": trigger.trigger_id})
    return Concerned(waiting=tuple(waiting.scalars()), subscribed=tuple(subscribed.scalars()))


def farewells(
    connection: sa.Connection, trigger: TriggerRow, farewell: Farewell, *, now_ms: int
) -> Sequence[CancelPause | PostMessage]:
    """What has to be written for those who wait for a removed trigger, or some of them; ends their subscriptions."""
    place = {"of_trigger": trigger.trigger_id, "of_tenant": trigger.tenant, "of_slug": trigger.slug, "limit": AT_ONCE}
    waits = [
        CancelPause(pause_id=pause_id, answer_json=farewell.answer_json, responder=farewell.responder, now_ms=now_ms)
        for pause_id in connection.execute(of.WAITS_IN_VAIN, place).scalars()
    ]
    if len(waits) == AT_ONCE:
        return waits
    messages: list[PostMessage] = []
    for row in map(_subscription_row, connection.execute(of.FOLLOWS_IN_VAIN, place).all()):
        connection.execute(of.UNSUBSCRIBE, {"of_trigger": row.trigger_id, "of_session": row.session_id})
        messages.append(PostMessage(message=farewell.message(row), now_ms=now_ms))
    return [*waits, *messages]
