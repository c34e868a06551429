"""What channels have out there, and what they have to tell that asks nothing."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

INTEGER = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TEXT = sa.Text()


def upgrade() -> None:
    op.create_table(
        "anchors",
        sa.Column("channel", TEXT, primary_key=True),
        sa.Column("anchor", TEXT, primary_key=True),
        sa.Column("session_id", TEXT),
        sa.Column("pause_id", TEXT),
        sa.Column("body_json", TEXT, nullable=False),
        sa.Column("created_at_ms", INTEGER, nullable=False),
        sqlite_with_rowid=False,
        sqlite_strict=True,
    )
    _create_index("anchors_session", "anchors", ["session_id"], "session_id IS NOT NULL")
    _create_index("anchors_pause", "anchors", ["pause_id"], "pause_id IS NOT NULL")
    op.create_table(
        "notes",
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
        sa.CheckConstraint("status IN ('due', 'sent', 'failed')", name="status_known"),
        sa.CheckConstraint("(status = 'due') = (settled_at_ms IS NULL)", name="settled_has_time"),
        sqlite_strict=True,
    )
    _create_index("notes_due", "notes", ["channel", "due_at_ms"], "status = 'due'")
    lane = ["channel", "lane", "position", "note_id"]
    _create_index("notes_lane", "notes", lane, "status = 'due' AND lane IS NOT NULL")
    _create_index("notes_addressee", "notes", ["channel", "addressee", "created_at_ms"], "addressee IS NOT NULL")
    _create_index("notes_settled", "notes", ["settled_at_ms"], "settled_at_ms IS NOT NULL")
    _create_index("notes_session", "notes", ["session_id"], "session_id IS NOT NULL")


def _create_index(name: str, table: str, columns: list[str], where: str) -> None:
    op.create_index(name, table, columns, sqlite_where=sa.text(where), postgresql_where=sa.text(where))
