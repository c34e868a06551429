"""The tables, their constraints and their indexes.

One state column, one CHECK; one hot query, one partial index, so that what nobody looks for (a waiting session, a taken
pause) costs no index. Rows that are read by their key and are not fat live in the key's own tree (``WITHOUT ROWID``).

There are no foreign keys: every row is written through the judged changes of this folder, which look at the rows they
stand on in the same transaction; the database would look at each of them again.

What changes here changes by a migration too (``migrations/versions``); a test compares the two.
"""

from __future__ import annotations

from enum import StrEnum

import sqlalchemy as sa

from .rows import (
    AnswererKind,
    DeliveryKind,
    DeliveryStatus,
    ExecutionStatus,
    InboundKind,
    NoteStatus,
    PauseKind,
    PauseStatus,
    Resolution,
    SessionStatus,
)

# SQLite's STRICT tables know INTEGER (64 bits) only; elsewhere milliseconds need a wider type than INTEGER.
INTEGER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
FLAG = sa.Boolean().with_variant(sa.Integer(), "sqlite")
TEXT = sa.Text()

metadata = sa.MetaData()


def one_of(column: str, words: type[StrEnum]) -> sa.CheckConstraint:
    listed = ", ".join(f"'{word.value}'" for word in words)
    return sa.CheckConstraint(f"{column} IN ({listed})", name=f"{column}_known")


def flag(column: str) -> sa.CheckConstraint:
    return sa.CheckConstraint(f"{column} IN (0, 1)", name=f"{column}_flag").ddl_if(dialect="sqlite")


sessions = sa.Table(
    "sessions",
    metadata,
    sa.Column("session_id", TEXT, primary_key=True),
    sa.Column("tenant", TEXT, nullable=False),
    sa.Column("owner", TEXT, nullable=False),
    sa.Column("surface", TEXT, nullable=False),
    sa.Column("program", TEXT, nullable=False),
    sa.Column("status", TEXT, nullable=False),
    sa.Column("reason", TEXT),
    sa.Column("priority", INTEGER, nullable=False),
    sa.Column("due_at_ms", INTEGER, nullable=False),
    sa.Column("lease_holder", TEXT),
    sa.Column("lease_epoch", INTEGER, nullable=False),
    sa.Column("lease_until_ms", INTEGER, nullable=False),
    sa.Column("wakes", INTEGER, nullable=False),
    sa.Column("attempts", INTEGER, nullable=False),
    sa.Column("next_seq", INTEGER, nullable=False),
    sa.Column("is_cancel_requested", FLAG, nullable=False),
    sa.Column("created_at_ms", INTEGER, nullable=False),
    sa.Column("updated_at_ms", INTEGER, nullable=False),
    one_of("status", SessionStatus),
    sa.CheckConstraint("surface IN ('chat', 'workspace')", name="surface_known"),
    sa.CheckConstraint("(status = 'running') = (lease_holder IS NOT NULL)", name="running_is_held"),
    flag("is_cancel_requested"),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

_is_ready = sessions.c.status == sa.literal_column("'ready'")
_is_running = sessions.c.status == sa.literal_column("'running'")
_is_blocked = sessions.c.status == sa.literal_column("'blocked'")
sa.Index(
    "sessions_to_claim",
    sessions.c.priority,
    sessions.c.due_at_ms,
    sessions.c.session_id,
    sqlite_where=_is_ready,
    postgresql_where=_is_ready,
)
sa.Index("sessions_due", sessions.c.due_at_ms, sqlite_where=_is_ready, postgresql_where=_is_ready)
sa.Index("sessions_leased", sessions.c.lease_until_ms, sqlite_where=_is_running, postgresql_where=_is_running)
sa.Index("sessions_blocked", sessions.c.session_id, sqlite_where=_is_blocked, postgresql_where=_is_blocked)
sa.Index("sessions_updated", sessions.c.updated_at_ms)

executions = sa.Table(
    "executions",
    metadata,
    sa.Column("execution_id", TEXT, nullable=False),
    sa.Column("session_id", TEXT, nullable=False),
    sa.Column("parent_id", TEXT),
    sa.Column("program", TEXT, nullable=False),
    sa.Column("version", TEXT, nullable=False),
    sa.Column("fingerprint", TEXT, nullable=False),
    sa.Column("status", TEXT, nullable=False),
    sa.Column("input_json", TEXT, nullable=False),
    sa.Column("outcome_json", TEXT),
    sa.Column("started_at_ms", INTEGER, nullable=False),
    sa.Column("ended_at_ms", INTEGER),
    sa.PrimaryKeyConstraint("session_id", "execution_id"),
    one_of("status", ExecutionStatus),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

_is_open = executions.c.status == sa.literal_column("'running'")
sa.Index("executions_running", executions.c.session_id, sqlite_where=_is_open, postgresql_where=_is_open)

# The execution comes before the number in the key: a revival reads the open executions alone, whatever the session's age.
ledger = sa.Table(
    "ledger",
    metadata,
    sa.Column("session_id", TEXT, nullable=False),
    sa.Column("seq", INTEGER, nullable=False),
    sa.Column("execution_id", TEXT, nullable=False),
    sa.Column("kind", TEXT, nullable=False),
    sa.Column("key", TEXT, nullable=False),
    sa.Column("body_json", TEXT, nullable=False),
    sa.Column("at_ms", INTEGER, nullable=False),
    sa.PrimaryKeyConstraint("session_id", "execution_id", "seq"),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

_is_judged = ledger.c.kind == sa.literal_column("'gates_judged'")
sa.Index("ledger_judged", ledger.c.at_ms, sqlite_where=_is_judged, postgresql_where=_is_judged)

# Fat rows under random keys: appended, with small trees of keys beside them.
pauses = sa.Table(
    "pauses",
    metadata,
    sa.Column("pause_id", TEXT, primary_key=True),
    sa.Column("tenant", TEXT, nullable=False),
    sa.Column("session_id", TEXT, nullable=False),
    sa.Column("execution_id", TEXT, nullable=False),
    sa.Column("key", TEXT, nullable=False),
    sa.Column("kind", TEXT, nullable=False),
    sa.Column("role", TEXT, nullable=False),
    sa.Column("channel", TEXT, nullable=False),
    sa.Column("answerer", TEXT, nullable=False),
    sa.Column("owner", TEXT, nullable=False),
    sa.Column("status", TEXT, nullable=False),
    sa.Column("is_sent", FLAG, nullable=False),
    sa.Column("ask_json", TEXT, nullable=False),
    sa.Column("asked_at_ms", INTEGER, nullable=False),
    sa.Column("deadline_at_ms", INTEGER),
    sa.Column("resolution", TEXT),
    sa.Column("answer_json", TEXT),
    sa.Column("responder", TEXT),
    sa.Column("resolved_at_ms", INTEGER),
    one_of("kind", PauseKind),
    one_of("answerer", AnswererKind),
    one_of("status", PauseStatus),
    one_of("resolution", Resolution),
    sa.CheckConstraint("(status = 'pending') = (resolution IS NULL)", name="closed_has_resolution"),
    sa.CheckConstraint("(status = 'pending') = (resolved_at_ms IS NULL)", name="closed_has_time"),
    flag("is_sent"),
    sa.UniqueConstraint("session_id", "execution_id", "key", name="pauses_step"),
    sqlite_strict=True,
)

_is_pending = pauses.c.status == sa.literal_column("'pending'")
_has_deadline = sa.and_(_is_pending, pauses.c.deadline_at_ms.is_not(None))
_is_closed = sa.text("status IN ('taken', 'cancelled')")
sa.Index(
    "pauses_deadline",
    pauses.c.deadline_at_ms,
    pauses.c.session_id,
    pauses.c.pause_id,
    sqlite_where=_has_deadline,
    postgresql_where=_has_deadline,
)
sa.Index("pauses_pending", pauses.c.asked_at_ms, sqlite_where=_is_pending, postgresql_where=_is_pending)
_is_subscribed = sa.and_(_is_pending, pauses.c.kind == sa.literal_column("'trigger'"))
_is_watching = sa.and_(_is_pending, pauses.c.kind == sa.literal_column("'files'"))
_is_action = sa.and_(_is_pending, pauses.c.kind == sa.literal_column("'action'"))
sa.Index("pauses_actions", pauses.c.asked_at_ms, sqlite_where=_is_action, postgresql_where=_is_action)
sa.Index("pauses_closed", pauses.c.resolved_at_ms, sqlite_where=_is_closed, postgresql_where=_is_closed)

sa.Index(
    "pauses_subscribed",
    pauses.c.tenant,
    pauses.c.role,
    pauses.c.asked_at_ms,
    pauses.c.pause_id,
    sqlite_where=_is_subscribed,
    postgresql_where=_is_subscribed,
)
sa.Index("pauses_watching", pauses.c.pause_id, sqlite_where=_is_watching, postgresql_where=_is_watching)

deliveries = sa.Table(
    "deliveries",
    metadata,
    sa.Column("pause_id", TEXT, primary_key=True),
    sa.Column("kind", TEXT, primary_key=True),
    sa.Column("channel", TEXT, primary_key=True),
    sa.Column("session_id", TEXT, nullable=False),
    sa.Column("status", TEXT, nullable=False),
    sa.Column("ref", TEXT),
    sa.Column("due_at_ms", INTEGER, nullable=False),
    sa.Column("attempts", INTEGER, nullable=False),
    sa.Column("last_error", TEXT),
    sa.Column("holder", TEXT),
    sa.Column("held_until_ms", INTEGER, nullable=False),
    sa.Column("created_at_ms", INTEGER, nullable=False),
    sa.Column("settled_at_ms", INTEGER),
    one_of("kind", DeliveryKind),
    one_of("status", DeliveryStatus),
    sa.CheckConstraint("(status = 'due') = (settled_at_ms IS NULL)", name="settled_has_time"),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

_is_free = sa.and_(deliveries.c.status == sa.literal_column("'due'"), deliveries.c.holder.is_(None))
_is_held = sa.and_(deliveries.c.status == sa.literal_column("'due'"), deliveries.c.holder.is_not(None))
sa.Index("deliveries_free", deliveries.c.due_at_ms, sqlite_where=_is_free, postgresql_where=_is_free)
sa.Index("deliveries_held", deliveries.c.held_until_ms, sqlite_where=_is_held, postgresql_where=_is_held)

votes = sa.Table(
    "votes",
    metadata,
    sa.Column("pause_id", TEXT, primary_key=True),
    sa.Column("voter", TEXT, primary_key=True),
    sa.Column("decision_json", TEXT, nullable=False),
    sa.Column("cast_at_ms", INTEGER, nullable=False),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

inbound = sa.Table(
    "inbound",
    metadata,
    sa.Column("channel", TEXT, primary_key=True),
    sa.Column("external_id", TEXT, primary_key=True),
    sa.Column("kind", TEXT, nullable=False),
    sa.Column("tenant", TEXT, nullable=False),
    sa.Column("session_id", TEXT, nullable=False),
    sa.Column("pause_id", TEXT),
    sa.Column("body_json", TEXT, nullable=False),
    sa.Column("received_at_ms", INTEGER, nullable=False),
    sa.Column("consumed_at_ms", INTEGER),
    one_of("kind", InboundKind),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

_is_unread = sa.and_(inbound.c.kind == sa.literal_column("'message'"), inbound.c.consumed_at_ms.is_(None))
sa.Index(
    "inbound_unread",
    inbound.c.session_id,
    inbound.c.received_at_ms,
    sqlite_where=_is_unread,
    postgresql_where=_is_unread,
)

anchors = sa.Table(
    "anchors",
    metadata,
    sa.Column("channel", TEXT, primary_key=True),
    sa.Column("anchor", TEXT, primary_key=True),
    sa.Column("session_id", TEXT),
    sa.Column("pause_id", TEXT),
    sa.Column("body_json", TEXT, nullable=False),
    sa.Column("created_at_ms", INTEGER, nullable=False),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

_has_session = anchors.c.session_id.is_not(None)
_has_pause = anchors.c.pause_id.is_not(None)
sa.Index("anchors_session", anchors.c.session_id, sqlite_where=_has_session, postgresql_where=_has_session)
sa.Index("anchors_pause", anchors.c.pause_id, sqlite_where=_has_pause, postgresql_where=_has_pause)

notes = sa.Table(
    "notes",
    metadata,
    sa.Column("note_id", TEXT, primary_key=True),
    sa.Column("channel", TEXT, nullable=False),
    sa.Column("kind", TEXT, nullable=False),
    sa.Column("addressee", TEXT),
    sa.Column("lane", TEXT),
    sa.Column("position", INTEGER, nullable=False),
    sa.Column("tenant", TEXT, nullable=False),
    sa.Column("session_id", TEXT),
    sa.Column("pause_id", TEXT),
    sa.Column("body_json", TEXT, nullable=False),
    sa.Column("status", TEXT, nullable=False),
    sa.Column("due_at_ms", INTEGER, nullable=False),
    sa.Column("attempts", INTEGER, nullable=False),
    sa.Column("last_error", TEXT),
    sa.Column("holder", TEXT),
    sa.Column("held_until_ms", INTEGER, nullable=False),
    sa.Column("created_at_ms", INTEGER, nullable=False),
    sa.Column("settled_at_ms", INTEGER),
    one_of("status", NoteStatus),
    sa.CheckConstraint("(status = 'due') = (settled_at_ms IS NULL)", name="settled_has_time"),
    sqlite_strict=True,
)

_is_untold = notes.c.status == sa.literal_column("'due'")
_is_in_lane = sa.and_(_is_untold, notes.c.lane.is_not(None))
_is_addressed = notes.c.addressee.is_not(None)
_is_told = notes.c.settled_at_ms.is_not(None)
_is_of_session = notes.c.session_id.is_not(None)
sa.Index("notes_due", notes.c.channel, notes.c.due_at_ms, sqlite_where=_is_untold, postgresql_where=_is_untold)
sa.Index(
    "notes_lane",
    notes.c.channel,
    notes.c.lane,
    notes.c.position,
    notes.c.note_id,
    sqlite_where=_is_in_lane,
    postgresql_where=_is_in_lane,
)
sa.Index(
    "notes_addressee",
    notes.c.channel,
    notes.c.addressee,
    notes.c.created_at_ms,
    sqlite_where=_is_addressed,
    postgresql_where=_is_addressed,
)
sa.Index("notes_settled", notes.c.settled_at_ms, sqlite_where=_is_told, postgresql_where=_is_told)
sa.Index("notes_session", notes.c.session_id, sqlite_where=_is_of_session, postgresql_where=_is_of_session)

quarantine = sa.Table(
    "quarantine",
    metadata,
    sa.Column("quarantine_id", TEXT, primary_key=True),
    sa.Column("channel", TEXT, nullable=False),
    sa.Column("reason", TEXT, nullable=False),
    sa.Column("kind", TEXT, nullable=False),
    sa.Column("sender", TEXT),
    sa.Column("subject", TEXT, nullable=False),
    sa.Column("session_id", TEXT),
    sa.Column("why_json", TEXT, nullable=False),
    sa.Column("envelope_json", TEXT, nullable=False),
    sa.Column("raw", sa.LargeBinary(), nullable=False),
    sa.Column("is_whole", FLAG, nullable=False),
    sa.Column("received_at_ms", INTEGER, nullable=False),
    flag("is_whole"),
    sqlite_strict=True,
)

sa.Index("quarantine_received", quarantine.c.channel, quarantine.c.received_at_ms)

audit = sa.Table(
    "audit",
    metadata,
    sa.Column("tenant", TEXT, primary_key=True),
    sa.Column("seq", INTEGER, primary_key=True, autoincrement=False),
    sa.Column("session_id", TEXT, nullable=False),
    sa.Column("execution_id", TEXT, nullable=False),
    sa.Column("key", TEXT, nullable=False),
    sa.Column("pause_id", TEXT),
    sa.Column("role", TEXT, nullable=False),
    sa.Column("answerer", TEXT, nullable=False),
    sa.Column("responder", TEXT),
    sa.Column("resolution", TEXT, nullable=False),
    sa.Column("decision_json", TEXT),
    sa.Column("asked_at_ms", INTEGER, nullable=False),
    sa.Column("resolved_at_ms", INTEGER, nullable=False),
    sa.Column("previous_hash", TEXT, nullable=False),
    sa.Column("hash", TEXT, nullable=False),
    one_of("answerer", AnswererKind),
    one_of("resolution", Resolution),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

sa.Index("audit_session", audit.c.session_id)

# One row a model call that a budget counts; its tokens are null until they are known.
costs = sa.Table(
    "costs",
    metadata,
    sa.Column("cost_key", TEXT, primary_key=True),
    sa.Column("budget", TEXT, nullable=False),
    sa.Column("subject", TEXT, nullable=False),
    sa.Column("tenant", TEXT, nullable=False),
    sa.Column("session_id", TEXT, nullable=False),
    sa.Column("tokens", INTEGER),
    sa.Column("at_ms", INTEGER, nullable=False),
    sa.CheckConstraint("tokens >= 0", name="tokens_counted"),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

# The tokens are in there so that what was spent is added up from the index alone.
sa.Index("costs_spent", costs.c.budget, costs.c.subject, costs.c.at_ms, costs.c.tokens)
