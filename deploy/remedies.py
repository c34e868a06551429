"""What an operator can do for a session that cannot go on by itself."""

from __future__ import annotations

from ..store.blocks import code_of
from ..store.rows import SessionRow, SessionStatus


def remedy_of(session: SessionRow) -> str | None:
    """What to do, in one sentence with its commands; None where nothing has to be done."""
    if session.status != SessionStatus.BLOCKED:
        return None
    end = f"end it: overwinter cancel {session.session_id}"
    match code_of(session.reason):
        case "session.definition-changed":
            return (
                "deploy the code it began with, and it goes on when the service starts; or let it go on with what is "
                f"deployed: overwinter accept {session.session_id}; or {end}"
            )
        case "session.corrupt":
            return f"restore the database from a copy; or {end}"
        case _:
            return end
