"""The statements of triggers and fires, made once: to put one together takes several times as long as to have it carried out.

A parameter that a row is found by is named ``of_...``, a value that is written ``new_...``.
"""

from __future__ import annotations

import sqlalchemy as sa

from .rows import PauseKind, PauseStatus, SessionStatus
from .schema import pauses, sessions
from .statements import literal, number, text
from .trigger_rows import FireStatus, TriggerStatus
from .trigger_schema import fires, subscriptions, triggers

FIRE_ORDER = (fires.c.fired_at_ms, fires.c.scheduled_at_ms, fires.c.fire_id)

_UNDER_WAY = (SessionStatus.READY, SessionStatus.RUNNING, SessionStatus.WAITING, SessionStatus.BLOCKED)
"""A run that a trigger has started is over when its session is in none of these."""


# -- triggers ----------------------------------------------------------------------------------------------------------
_is_this = triggers.c.trigger_id == text("of_trigger")
_is_enabled = triggers.c.status == literal(TriggerStatus.ENABLED)
_is_there = triggers.c.status != literal(TriggerStatus.REMOVED)
_by_slug = sa.select(triggers).order_by(triggers.c.tenant, triggers.c.slug)

FIND_TRIGGER = sa.select(triggers).where(_is_this)
TRIGGERS_OF_TENANT = _by_slug.where(triggers.c.tenant == text("of_tenant"), _is_there)
TRIGGERS_OF_KIND = _by_slug.where(triggers.c.kind == text("of_kind"), _is_enabled)
TRIGGERS_OF_SOURCE = _by_slug.where(triggers.c.source == text("of_source"), _is_there)
DUE_TRIGGERS = (
    sa.select(triggers)
    .where(_is_enabled, triggers.c.next_due_at_ms <= number("now_ms"))
    .order_by(triggers.c.next_due_at_ms)
    .limit(number("limit"))
)
NEXT_DUE_MS = (
    sa.select(triggers.c.next_due_at_ms)
    .where(_is_enabled, triggers.c.next_due_at_ms.is_not(None))
    .order_by(triggers.c.next_due_at_ms)
    .limit(1)
)
INSERT_TRIGGER = sa.insert(triggers)
CHANGE_TRIGGER = sa.update(triggers).where(_is_this)
SET_STATUS = (
    sa.update(triggers)
    .where(_is_this, _is_there)
    .values(
        status=text("new_status"), next_due_at_ms=number("new_due_at_ms"), updated_at_ms=number("new_updated_at_ms")
    )
)
CHANGE_STATE = (
    sa.update(triggers)
    .where(_is_this, triggers.c.state_json.is_not_distinct_from(text("of_state")))
    .values(state_json=text("new_state"))
)
MOVE_ON = (
    sa.update(triggers)
    .where(_is_this, _is_enabled, triggers.c.next_due_at_ms.is_not_distinct_from(number("of_due_at_ms")))
    .values(next_due_at_ms=number("new_due_at_ms"))
)
IS_ENABLED = sa.select(triggers.c.trigger_id).where(_is_this, _is_enabled)

# -- who waits ---------------------------------------------------------------------------------------------------------
_follows = subscriptions.c.trigger_id == text("of_trigger")

SUBSCRIBED = (
    sa.select(subscriptions)
    .where(_follows, subscriptions.c.session_id > text("after_session"))
    .order_by(subscriptions.c.session_id)
    .limit(number("limit"))
)
UNSUBSCRIBE = sa.delete(subscriptions).where(_follows, subscriptions.c.session_id == text("of_session"))
SUBSCRIBED_SINCE = (
    sa.update(subscriptions)
    .where(_follows, subscriptions.c.created_at_ms > number("at_ms"))
    .values(created_at_ms=number("at_ms"))
)

_is_open = pauses.c.status == literal(PauseStatus.PENDING)
_waits_for_trigger = sa.and_(_is_open, pauses.c.kind == literal(PauseKind.TRIGGER))


def _of(column: sa.Column[str]) -> sa.ScalarSelect[str]:
    return sa.select(column).where(_is_this).scalar_subquery()


WAITS_SINCE = (
    sa.update(pauses)
    .where(
        _waits_for_trigger,
        pauses.c.tenant == _of(triggers.c.tenant),
        pauses.c.role == _of(triggers.c.slug),
        pauses.c.asked_at_ms > number("at_ms"),
    )
    .values(asked_at_ms=number("at_ms"))
)
_waits_for_this = sa.and_(
    _waits_for_trigger,
    pauses.c.tenant == text("of_tenant"),
    pauses.c.role == text("of_slug"),
    pauses.c.asked_at_ms <= number("of_fired_at_ms"),
)
WAITING = (
    sa.select(pauses)
    .where(
        _waits_for_this,
        sa.tuple_(pauses.c.asked_at_ms, pauses.c.pause_id)
        > sa.tuple_(number("after_asked_at_ms"), text("after_pause")),
    )
    .order_by(pauses.c.asked_at_ms, pauses.c.pause_id)
    .limit(number("limit"))
)
WATCHING = (
    sa.select(pauses)
    .where(_is_open, pauses.c.kind == literal(PauseKind.FILES), pauses.c.pause_id > text("after_pause"))
    .order_by(pauses.c.pause_id)
    .limit(number("limit"))
)

SESSIONS_WAITING = (
    sa.select(pauses.c.session_id)
    .distinct()
    .where(_waits_for_trigger, pauses.c.tenant == text("of_tenant"), pauses.c.role == text("of_slug"))
    .order_by(pauses.c.session_id)
)
SESSIONS_SUBSCRIBED = sa.select(subscriptions.c.session_id).where(_follows).order_by(subscriptions.c.session_id)


def _has_fired_since(column: sa.Column[int], trigger_id: sa.ColumnElement[str]) -> sa.Exists:
    """Whether the trigger has fired since then, and not everybody has been told of it."""
    untold = sa.exists().where(
        fires.c.trigger_id == trigger_id,
        fires.c.fired_at_ms >= column,
        fires.c.status == literal(FireStatus.OPEN),
    )
    return untold.correlate_except(fires)


WAITS_IN_VAIN = (
    sa.select(pauses.c.pause_id)
    .where(
        _waits_for_trigger,
        pauses.c.tenant == text("of_tenant"),
        pauses.c.role == text("of_slug"),
        ~_has_fired_since(pauses.c.asked_at_ms, text("of_trigger")),
    )
    .order_by(pauses.c.asked_at_ms, pauses.c.pause_id)
    .limit(number("limit"))
)
FOLLOWS_IN_VAIN = (
    sa.select(subscriptions)
    .where(_follows, ~_has_fired_since(subscriptions.c.created_at_ms, text("of_trigger")))
    .order_by(subscriptions.c.session_id)
    .limit(number("limit"))
)
AWAITED_IN_VAIN = (
    _by_slug.where(triggers.c.status == literal(TriggerStatus.REMOVED))
    .where(
        sa.or_(
            sa.exists().where(
                _waits_for_trigger,
                pauses.c.tenant == triggers.c.tenant,
                pauses.c.role == triggers.c.slug,
                ~_has_fired_since(pauses.c.asked_at_ms, triggers.c.trigger_id),
            ),
            sa.exists().where(
                subscriptions.c.trigger_id == triggers.c.trigger_id,
                ~_has_fired_since(subscriptions.c.created_at_ms, triggers.c.trigger_id),
            ),
        )
    )
    .limit(number("limit"))
)

# -- fires -------------------------------------------------------------------------------------------------------------
_is_fire = fires.c.fire_id == text("of_fire")
_is_done = fires.c.status == literal(FireStatus.DONE)
_is_untold = fires.c.status != literal(FireStatus.DONE)
_of_this = fires.c.trigger_id == text("of_trigger")
_is_running = sa.and_(_of_this, fires.c.session_id.is_not(None), fires.c.is_over == sa.literal_column("0"))

PAYLOAD_FIRED = sa.select(fires.c.payload_json).where(_of_this, fires.c.key == text("of_key"))
FIRED_BETWEEN = sa.select(sa.func.count()).where(
    _of_this, fires.c.fired_at_ms > number("since_ms"), fires.c.fired_at_ms <= number("now_ms")
)
FIRES_OF = sa.select(fires).where(_of_this).order_by(*(column.desc() for column in FIRE_ORDER)).limit(number("limit"))
UNTOLD = (
    sa.select(
        fires,
        triggers,
        sa.exists().where(
            _waits_for_trigger,
            pauses.c.tenant == triggers.c.tenant,
            pauses.c.role == triggers.c.slug,
            pauses.c.asked_at_ms <= fires.c.fired_at_ms,
        ),
        sa.exists().where(subscriptions.c.trigger_id == triggers.c.trigger_id),
    )
    .join(triggers, triggers.c.trigger_id == fires.c.trigger_id)
    .where(
        _is_untold,
        sa.tuple_(*FIRE_ORDER)
        > sa.tuple_(number("after_fired_at_ms"), number("after_scheduled_at_ms"), text("after_fire")),
    )
    .order_by(*FIRE_ORDER)
    .limit(number("limit"))
)
BEFORE_DEADLINE = (
    sa.select(fires, triggers)
    .join(triggers, triggers.c.trigger_id == fires.c.trigger_id)
    .where(
        triggers.c.tenant == text("of_tenant"),
        triggers.c.slug == text("of_slug"),
        _is_untold,
        fires.c.fired_at_ms.between(number("since_ms"), number("until_ms")),
    )
    .order_by(*FIRE_ORDER)
    .limit(1)
)
_first = fires.alias("first")
TELL_AGAIN = (
    sa.update(fires)
    .where(
        fires.c.fire_id
        == sa.select(_first.c.fire_id)
        .where(
            _first.c.trigger_id
            == sa.select(triggers.c.trigger_id)
            .where(triggers.c.tenant == text("of_tenant"), triggers.c.slug == text("of_slug"))
            .scalar_subquery(),
            _first.c.fired_at_ms >= number("since_ms"),
        )
        .order_by(_first.c.fired_at_ms, _first.c.scheduled_at_ms, _first.c.fire_id)
        .limit(1)
        .scalar_subquery(),
        fires.c.status != literal(FireStatus.OPEN),
    )
    .values(status=FireStatus.OPEN.value, settled_at_ms=None)
)
SETTLE_TOLD = (
    sa.update(fires)
    .where(_is_fire, _is_untold, ~sa.exists().where(_waits_for_this))
    .values(
        status=text("new_status"),
        is_over=number("new_is_over"),
        outcome_json=text("new_outcome"),
        settled_at_ms=number("new_settled_at_ms"),
    )
)
SETTLE_UNHEARD = (
    sa.update(fires)
    .where(
        _is_fire,
        ~sa.exists().where(
            _waits_for_trigger, pauses.c.tenant == _of(triggers.c.tenant), pauses.c.role == _of(triggers.c.slug)
        ),
        ~sa.exists().where(_follows),
    )
    .values(
        status=FireStatus.DONE.value,
        is_over=1,
        outcome_json=text("new_outcome"),
        settled_at_ms=number("new_settled_at_ms"),
    )
)
RUNS_AT_REST = (
    sa.update(fires)
    .where(
        _is_running,
        sa.exists().where(
            sessions.c.session_id == fires.c.session_id, sessions.c.status.not_in([each.value for each in _UNDER_WAY])
        ),
    )
    .values(is_over=1)
)
OTHER_RUNS = sa.select(sa.func.count()).where(_is_running, fires.c.fire_id != text("of_fire"))
BEGIN_RUN = sa.update(fires).where(_is_fire, _is_untold).values(session_id=text("new_session"))
SWEEP = sa.delete(fires).where(
    fires.c.fire_id.in_(
        sa.select(fires.c.fire_id).where(_is_done, fires.c.fired_at_ms < number("before_ms")).limit(number("limit"))
    )
)
