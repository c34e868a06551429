"""What is read a page at a time is found in its order, however many rows are of one moment; old fires are found by their time."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0009"

_PENDING = "status = 'pending'"


def upgrade() -> None:
    op.drop_index("pauses_deadline")
    op.drop_index("pauses_subscribed")
    has_deadline = f"{_PENDING} AND deadline_at_ms IS NOT NULL"
    _index("pauses_deadline", "pauses", ["deadline_at_ms", "pause_id"], where=has_deadline)
    subscribed = ["tenant", "role", "asked_at_ms", "pause_id"]
    _index("pauses_subscribed", "pauses", subscribed, where=f"{_PENDING} AND kind = 'trigger'")
    _index("fires_done", "fires", ["fired_at_ms"], where="status = 'done'")


def _index(name: str, table: str, columns: list[str], *, where: str) -> None:
    op.create_index(name, table, columns, sqlite_where=sa.text(where), postgresql_where=sa.text(where))
