"""A question may go to several channels, and may need several people.

A delivery is named by its question, kind and channel, and carries the channel's reference of the message, which stood on the
pause before. Votes are what the people of one question have decided so far.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

INTEGER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TEXT = sa.Text()


def upgrade() -> None:
    op.rename_table("deliveries", "deliveries_0001")
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
        _one_of("kind", "post", "update", "withdraw"),
        _one_of("status", "due", "sent", "decided", "failed", "dropped"),
        sa.CheckConstraint("(status = 'due') = (settled_at_ms IS NULL)", name="settled_has_time"),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
    # A post that was settled while its pause says that it is not sent had the answer at once.
    op.execute(
        """
        INSERT INTO deliveries
        SELECT d.pause_id, d.kind, d.channel, d.session_id,
               CASE WHEN d.kind = 'post' AND d.status = 'sent' AND p.is_sent = 0 THEN 'decided' ELSE d.status END,
               p.channel_ref, d.due_at_ms, d.attempts, d.last_error, d.holder, d.held_until_ms, d.created_at_ms,
               d.settled_at_ms
        FROM deliveries_0001 AS d LEFT JOIN pauses AS p ON p.pause_id = d.pause_id
        """
    )
    op.drop_table("deliveries_0001")
    _index("deliveries_free", "deliveries", ["due_at_ms"], where="status = 'due' AND holder IS NULL")
    _index("deliveries_held", "deliveries", ["held_until_ms"], where="status = 'due' AND holder IS NOT NULL")
    op.drop_column("pauses", "channel_ref")
    op.create_table(
        "votes",
        sa.Column("pause_id", TEXT, primary_key=True),
        sa.Column("voter", TEXT, primary_key=True),
        sa.Column("decision_json", TEXT, nullable=False),
        sa.Column("cast_at_ms", INTEGER, nullable=False),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )


def _one_of(column: str, *words: str) -> sa.CheckConstraint:
    listed = ", ".join(f"'{word}'" for word in words)
    return sa.CheckConstraint(f"{column} IN ({listed})", name=f"{column}_known")


def _index(name: str, table: str, columns: list[str], *, where: str) -> None:
    op.create_index(name, table, columns, sqlite_where=sa.text(where), postgresql_where=sa.text(where))
