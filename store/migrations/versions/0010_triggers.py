"""Triggers, and two more things that a session may wait for: that one fires, and that files change."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0007"

INTEGER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
FLAG = sa.Boolean().with_variant(sa.Integer(), "sqlite")
TEXT = sa.Text()


def upgrade() -> None:
    _widen_pauses()
    op.create_table(
        "triggers",
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
        _one_of("status", "enabled", "disabled", "removed"),
        sa.UniqueConstraint("tenant", "slug", name="triggers_slug"),
        sqlite_strict=True,
    )
    _index("triggers_due", "triggers", ["next_due_at_ms"], where="status = 'enabled' AND next_due_at_ms IS NOT NULL")
    op.create_table(
        "fires",
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
        _one_of("status", "open", "queued", "done"),
        sa.CheckConstraint("(status = 'done') = (settled_at_ms IS NOT NULL)", name="settled_has_time"),
        sa.CheckConstraint("is_over IN (0, 1)", name="is_over_flag"),
        sa.UniqueConstraint("trigger_id", "key", name="fires_once"),
        sqlite_strict=True,
    )
    op.create_index("fires_of", "fires", ["trigger_id", "fired_at_ms", "scheduled_at_ms", "fire_id"])
    _index("fires_untold", "fires", ["fired_at_ms", "scheduled_at_ms", "fire_id"], where="status != 'done'")
    _index("fires_running", "fires", ["trigger_id"], where="session_id IS NOT NULL AND is_over = 0")
    op.create_table(
        "subscriptions",
        sa.Column("trigger_id", TEXT, primary_key=True),
        sa.Column("session_id", TEXT, primary_key=True),
        sa.Column("tenant", TEXT, nullable=False),
        sa.Column("created_at_ms", INTEGER, nullable=False),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )


def _widen_pauses() -> None:
    """SQLite cannot change a CHECK: the table is made anew and its rows are copied."""
    op.rename_table("pauses", "pauses_0009")
    for index in ("pauses_deadline", "pauses_pending", "pauses_closed"):
        op.drop_index(index)
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
        sa.Column("ask_json", TEXT, nullable=False),
        sa.Column("asked_at_ms", INTEGER, nullable=False),
        sa.Column("deadline_at_ms", INTEGER),
        sa.Column("resolution", TEXT),
        sa.Column("answer_json", TEXT),
        sa.Column("responder", TEXT),
        sa.Column("resolved_at_ms", INTEGER),
        _one_of("kind", "ask", "timer", "message", "trigger", "files"),
        _one_of("answerer", "owner", "channel", "nobody"),
        _one_of("status", "pending", "resolved", "taken", "cancelled"),
        _one_of("resolution", "decided", "replied", "fired", "timed_out", "withdrawn", "cancelled", "undeliverable"),
        sa.CheckConstraint("(status = 'pending') = (resolution IS NULL)", name="closed_has_resolution"),
        sa.CheckConstraint("(status = 'pending') = (resolved_at_ms IS NULL)", name="closed_has_time"),
        sa.CheckConstraint("is_sent IN (0, 1)", name="is_sent_flag"),
        sa.UniqueConstraint("session_id", "execution_id", "key", name="pauses_step"),
        sqlite_strict=True,
    )
    names = (
        "pause_id, tenant, session_id, execution_id, key, kind, role, channel, answerer, owner, status, is_sent, ask_json, "
        "asked_at_ms, deadline_at_ms, resolution, answer_json, responder, resolved_at_ms"
    )
    op.execute(f"INSERT INTO pauses ({names}) SELECT {names} FROM pauses_0009")
    op.drop_table("pauses_0009")
    pending = "status = 'pending'"
    _index("pauses_deadline", "pauses", ["deadline_at_ms"], where=f"{pending} AND deadline_at_ms IS NOT NULL")
    _index("pauses_pending", "pauses", ["asked_at_ms"], where=pending)
    _index("pauses_subscribed", "pauses", ["tenant", "role", "asked_at_ms"], where=f"{pending} AND kind = 'trigger'")
    _index("pauses_watching", "pauses", ["pause_id"], where=f"{pending} AND kind = 'files'")
    _index("pauses_closed", "pauses", ["resolved_at_ms"], where="status IN ('taken', 'cancelled')")


def _one_of(column: str, *words: str) -> sa.CheckConstraint:
    listed = ", ".join(f"'{word}'" for word in words)
    return sa.CheckConstraint(f"{column} IN ({listed})", name=f"{column}_known")


def _index(name: str, table: str, columns: list[str], *, where: str) -> None:
    op.create_index(name, table, columns, sqlite_where=sa.text(where), postgresql_where=sa.text(where))
