"""People may be reminded of a question, and relieved of one that others are asked in their place."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0008"

INTEGER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TEXT = sa.Text()


def upgrade() -> None:
    # SQLite keeps its CHECKs in the text of the table, so the table is made anew.
    op.rename_table("deliveries", "deliveries_before")
    for index in ("deliveries_free", "deliveries_held"):
        op.drop_index(index)
    op.create_table(
        "deliveries",
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
        _one_of("kind", "post", "update", "remind", "relieve", "withdraw"),
        _one_of("status", "due", "sent", "decided", "failed", "dropped"),
        sa.CheckConstraint("(status = 'due') = (settled_at_ms IS NULL)", name="settled_has_time"),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
    op.execute("INSERT INTO deliveries SELECT * FROM deliveries_before")
    op.drop_table("deliveries_before")
    _index("deliveries_free", "deliveries", ["due_at_ms"], where="status = 'due' AND holder IS NULL")
    _index("deliveries_held", "deliveries", ["held_until_ms"], where="status = 'due' AND holder IS NOT NULL")


def _one_of(column: str, *words: str) -> sa.CheckConstraint:
    listed = ", ".join(f"'{word}'" for word in words)
    return sa.CheckConstraint(f"{column} IN ({listed})", name=f"{column}_known")


def _index(name: str, table: str, columns: list[str], *, where: str) -> None:
    op.create_index(name, table, columns, sqlite_where=sa.text(where), postgresql_where=sa.text(where))
