"""The first tables: sessions and their executions, ledger, pauses, deliveries, what was received, the audit."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

INTEGER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
FLAG = sa.Boolean().with_variant(sa.Integer(), "sqlite")
TEXT = sa.Text()


def upgrade() -> None:
    op.create_table(
        "sessions",
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
        _one_of("status", "ready", "running", "waiting", "idle", "blocked", "ended", "failed", "cancelled"),
        sa.CheckConstraint("surface IN ('chat', 'workspace')", name="surface_known"),
        sa.CheckConstraint("(status = 'running') = (lease_holder IS NOT NULL)", name="running_is_held"),
        _flag("is_cancel_requested"),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
    _index("sessions_to_claim", "sessions", ["priority", "due_at_ms", "session_id"], where="status = 'ready'")
    _index("sessions_due", "sessions", ["due_at_ms"], where="status = 'ready'")
    _index("sessions_leased", "sessions", ["lease_until_ms"], where="status = 'running'")
    _index("sessions_updated", "sessions", ["updated_at_ms"])

    op.create_table(
        "executions",
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
        _one_of("status", "running", "ended", "failed", "cancelled"),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
    _index("executions_running", "executions", ["session_id"], where="status = 'running'")

    op.create_table(
        "ledger",
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

    op.create_table(
        "pauses",
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
        sa.Column("channel_ref", TEXT),
        sa.Column("ask_json", TEXT, nullable=False),
        sa.Column("asked_at_ms", INTEGER, nullable=False),
        sa.Column("deadline_at_ms", INTEGER),
        sa.Column("resolution", TEXT),
        sa.Column("answer_json", TEXT),
        sa.Column("responder", TEXT),
        sa.Column("resolved_at_ms", INTEGER),
        _one_of("kind", "ask", "timer", "message"),
        _one_of("answerer", "owner", "channel", "nobody"),
        _one_of("status", "pending", "resolved", "taken", "cancelled"),
        _one_of("resolution", "decided", "replied", "fired", "timed_out", "withdrawn", "cancelled", "undeliverable"),
        sa.CheckConstraint("(status = 'pending') = (resolution IS NULL)", name="closed_has_resolution"),
        sa.CheckConstraint("(status = 'pending') = (resolved_at_ms IS NULL)", name="closed_has_time"),
        _flag("is_sent"),
        sa.UniqueConstraint("session_id", "execution_id", "key", name="pauses_step"),
        sqlite_strict=True,
    )
    _index("pauses_deadline", "pauses", ["deadline_at_ms"], where="status = 'pending' AND deadline_at_ms IS NOT NULL")
    _index("pauses_pending", "pauses", ["asked_at_ms"], where="status = 'pending'")
    _index("pauses_closed", "pauses", ["resolved_at_ms"], where="status IN ('taken', 'cancelled')")

    op.create_table(
        "deliveries",
        sa.Column("delivery_id", TEXT, primary_key=True),
        sa.Column("pause_id", TEXT, nullable=False),
        sa.Column("session_id", TEXT, nullable=False),
        sa.Column("channel", TEXT, nullable=False),
        sa.Column("kind", TEXT, nullable=False),
        sa.Column("status", TEXT, nullable=False),
        sa.Column("due_at_ms", INTEGER, nullable=False),
        sa.Column("attempts", INTEGER, nullable=False),
        sa.Column("last_error", TEXT),
        sa.Column("holder", TEXT),
        sa.Column("held_until_ms", INTEGER, nullable=False),
        sa.Column("created_at_ms", INTEGER, nullable=False),
        sa.Column("settled_at_ms", INTEGER),
        _one_of("kind", "post", "withdraw"),
        _one_of("status", "due", "sent", "failed", "dropped"),
        sa.CheckConstraint("delivery_id = pause_id || ':' || kind", name="id_is_derived"),
        sa.CheckConstraint("(status = 'due') = (settled_at_ms IS NULL)", name="settled_has_time"),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
    _index("deliveries_free", "deliveries", ["due_at_ms"], where="status = 'due' AND holder IS NULL")
    _index("deliveries_held", "deliveries", ["held_until_ms"], where="status = 'due' AND holder IS NOT NULL")

    op.create_table(
        "inbound",
        sa.Column("channel", TEXT, primary_key=True),
        sa.Column("external_id", TEXT, primary_key=True),
        sa.Column("kind", TEXT, nullable=False),
        sa.Column("tenant", TEXT, nullable=False),
        sa.Column("session_id", TEXT, nullable=False),
        sa.Column("pause_id", TEXT),
        sa.Column("body_json", TEXT, nullable=False),
        sa.Column("received_at_ms", INTEGER, nullable=False),
        sa.Column("consumed_at_ms", INTEGER),
        _one_of("kind", "message", "answer"),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
    _index(
        "inbound_unread",
        "inbound",
        ["session_id", "received_at_ms"],
        where="kind = 'message' AND consumed_at_ms IS NULL",
    )

    op.create_table(
        "audit",
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
        _one_of("answerer", "owner", "channel", "nobody"),
        _one_of("resolution", "decided", "replied", "fired", "timed_out", "withdrawn", "cancelled", "undeliverable"),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
    _index("audit_session", "audit", ["session_id"])


def _one_of(column: str, *words: str) -> sa.CheckConstraint:
    listed = ", ".join(f"'{word}'" for word in words)
    return sa.CheckConstraint(f"{column} IN ({listed})", name=f"{column}_known")


def _flag(column: str) -> sa.CheckConstraint:
    return sa.CheckConstraint(f"{column} IN (0, 1)", name=f"{column}_flag").ddl_if(dialect="sqlite")


def _index(name: str, table: str, columns: list[str], *, where: str | None = None) -> None:
    condition = None if where is None else sa.text(where)
    op.create_index(name, table, columns, sqlite_where=condition, postgresql_where=condition)
