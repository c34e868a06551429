"""What is due in one moment is fired session by session, in the order in which their rows lie."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

_HAS_DEADLINE = sa.text("status = 'pending' AND deadline_at_ms IS NOT NULL")


def upgrade() -> None:
    op.drop_index("pauses_deadline")
    op.create_index(
        "pauses_deadline",
        "pauses",
        ["deadline_at_ms", "session_id", "pause_id"],
        sqlite_where=_HAS_DEADLINE,
        postgresql_where=_HAS_DEADLINE,
    )
