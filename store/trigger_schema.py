"""The tables of triggers, their fires, and who is told of each fire; as ``schema``."""

from __future__ import annotations

import sqlalchemy as sa

from .schema import FLAG, INTEGER, TEXT, flag, metadata, one_of
from .trigger_rows import FireStatus, TriggerStatus

triggers = sa.Table(
    "triggers",
    metadata,
    sa.Column("trigger_id", TEXT, primary_key=True),
    sa.Column("tenant", TEXT, nullable=False),
    sa.Column("slug", TEXT, nullable=False),
    sa.Column("kind", TEXT, nullable=False),
    sa.Column("spec_json", TEXT, nullable=False),
    sa.Column("source", TEXT),
    sa.Column("status", TEXT, nullable=False),
    sa.Column("next_due_at_ms", INTEGER),
    sa.Column("state_json", TEXT),
    sa.Column("created_at_ms", INTEGER, nullable=False),
    sa.Column("updated_at_ms", INTEGER, nullable=False),
    one_of("status", TriggerStatus),
    sa.UniqueConstraint("tenant", "slug", name="triggers_slug"),
    sqlite_strict=True,
)

_is_due = sa.and_(
    triggers.c.status == sa.literal_column("'enabled'"),
    triggers.c.next_due_at_ms.is_not(None),
)
sa.Index("triggers_due", triggers.c.next_due_at_ms, sqlite_where=_is_due, postgresql_where=_is_due)

# One row for each time that a trigger fires: what is fired for twice is there once.
fires = sa.Table(
    "fires",
    metadata,
    sa.Column("fire_id", TEXT, primary_key=True),
    sa.Column("trigger_id", TEXT, nullable=False),
    sa.Column("key", TEXT, nullable=False),
    sa.Column("scheduled_at_ms", INTEGER, nullable=False),
    sa.Column("fired_at_ms", INTEGER, nullable=False),
    sa.Column("missed", INTEGER, nullable=False),
    sa.Column("payload_json", TEXT),
    sa.Column("status", TEXT, nullable=False),
    sa.Column("session_id", TEXT),
    sa.Column("is_over", FLAG, nullable=False),
    sa.Column("outcome_json", TEXT),
    sa.Column("settled_at_ms", INTEGER),
    one_of("status", FireStatus),
    sa.CheckConstraint("(status = 'done') = (settled_at_ms IS NOT NULL)", name="settled_has_time"),
    flag("is_over"),
    sa.UniqueConstraint("trigger_id", "key", name="fires_once"),
    sqlite_strict=True,
)

_is_done = fires.c.status == sa.literal_column("'done'")
_is_untold = fires.c.status != sa.literal_column("'done'")
_is_running = sa.and_(fires.c.session_id.is_not(None), fires.c.is_over == sa.literal_column("0"))
sa.Index("fires_of", fires.c.trigger_id, fires.c.fired_at_ms, fires.c.scheduled_at_ms, fires.c.fire_id)
sa.Index(
    "fires_untold",
    fires.c.fired_at_ms,
    fires.c.scheduled_at_ms,
    fires.c.fire_id,
    sqlite_where=_is_untold,
    postgresql_where=_is_untold,
)
sa.Index("fires_done", fires.c.fired_at_ms, sqlite_where=_is_done, postgresql_where=_is_done)
sa.Index("fires_running", fires.c.trigger_id, sqlite_where=_is_running, postgresql_where=_is_running)

subscriptions = sa.Table(
    "subscriptions",
    metadata,
    sa.Column("trigger_id", TEXT, primary_key=True),
    sa.Column("session_id", TEXT, primary_key=True),
    sa.Column("tenant", TEXT, nullable=False),
    sa.Column("created_at_ms", INTEGER, nullable=False),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)
