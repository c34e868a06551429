"""Calls that run later, and steps that an operator settles, are waited for; and what gates said is found by its time."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0010"

INTEGER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
FLAG = sa.Boolean().with_variant(sa.Integer(), "sqlite")
TEXT = sa.Text()

_PENDING = "status = 'pending'"


def upgrade() -> None:
    _widen_pauses()
    _index("ledger_judged", "ledger", ["at_ms"], where="kind = 'gates_judged'")


def _widen_pauses() -> None:
    """SQLite cannot change a CHECK: the table is made anew and its rows are copied."""
    op.rename_table("pauses", "pauses_0010")
    for index in ("pauses_deadline", "pauses_pending", "pauses_subscribed", "pauses_watching", "pauses_closed"):
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
        _one_of("kind", "ask", "timer", "message", "trigger", "files", "action", "settle"),
        _one_of("answerer", "owner", "channel", "nobody"),
        _one_of("status", "pending", "resolved", "taken", "cancelled"),
        _one_of("resolution", "decided", "replied", "fired", "timed_out", "withdrawn", "cancelled", "undeliverable"),
        sa.CheckConstraint("(status = 'pending') = (resolution IS NULL)", name="closed_has_resolution"),
        sa.CheckConstraint("(status = 'pending') = (resolved_at_ms IS NULL)", name="closed_has_time"),
        sa.CheckConstraint("is_sent IN (0, 1)", name="is_sent_flag"),
        sa.UniqueConstraint("session_id", "execution_id", "key", name="pauses_step"),
        sqlite_strict=True,
    )
    columns = (
        "pause_id, tenant, session_id, execution_id, key, kind, role, channel, answerer, owner, status, is_sent, ask_json, "
        "asked_at_ms, deadline_at_ms, resolution, answer_json, responder, resolved_at_ms"
    )
    op.execute(f"INSERT INTO pauses ({columns}) SELECT {columns} FROM pauses_0010")
    op.drop_table("pauses_0010")
    _index("pauses_deadline", "pauses", ["deadline_at_ms"], where=f"{_PENDING} AND deadline_at_ms IS NOT NULL")
    _index("pauses_pending", "pauses", ["asked_at_ms"], where=_PENDING)
    _index("pauses_actions", "pauses", ["asked_at_ms"], where=f"{_PENDING} AND kind = 'action'")
    _index("pauses_subscribed", "pauses", ["tenant", "role", "asked_at_ms"], where=f"{_PENDING} AND kind = 'trigger'")
    _index("pauses_watching", "pauses", ["pause_id"], where=f"{_PENDING} AND kind = 'files'")
    _index("pauses_closed", "pauses", ["resolved_at_ms"], where="status IN ('taken', 'cancelled')")


def _one_of(column: str, *words: str) -> sa.CheckConstraint:
    listed = ", ".join(f"'{word}'" for word in words)
    return sa.CheckConstraint(f"{column} IN ({listed})", name=f"{column}_known")


def _index(name: str, table: str, columns: list[str], *, where: str) -> None:
    op.create_index(name, table, columns, sqlite_where=sa.text(where), postgresql_where=sa.text(where))
