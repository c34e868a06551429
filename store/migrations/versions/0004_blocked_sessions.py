"""Blocked sessions are found at every start, however many others there are."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    is_blocked = sa.text("status = 'blocked'")
    op.create_index(
        "sessions_blocked", "sessions", ["session_id"], sqlite_where=is_blocked, postgresql_where=is_blocked
    )
