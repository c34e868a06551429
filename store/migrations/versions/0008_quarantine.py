"""What arrived and led nowhere is kept for operators."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0005"

INTEGER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
FLAG = sa.Boolean().with_variant(sa.Integer(), "sqlite")
TEXT = sa.Text()


def upgrade() -> None:
    op.create_table(
        "quarantine",
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
        sa.CheckConstraint("is_whole IN (0, 1)", name="is_whole_flag").ddl_if(dialect="sqlite"),
        sqlite_strict=True,
    )
    op.create_index("quarantine_received", "quarantine", ["channel", "received_at_ms"])
