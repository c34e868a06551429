"""What model calls cost: one row a call that a budget counts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

INTEGER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TEXT = sa.Text()


def upgrade() -> None:
    op.create_table(
        "costs",
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
    op.create_index("costs_spent", "costs", ["budget", "subject", "at_ms", "tokens"])
