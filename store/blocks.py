"""The change that lets a blocked session go on, and what the writer says of it; one of ``changes``."""

from __future__ import annotations

from enum import StrEnum

from .values import value


@value
class AcceptedExecution:
    """A running execution goes on under another definition than it began with.

    Attributes:
        old_fingerprint: what it has now, as the caller believes.
        ledger_json: body of the ``definition_accepted`` event.
    """

    execution_id: str
    old_fingerprint: str
    version: str
    fingerprint: str
    ledger_json: str


@value
class UnblockSession:
    """Make a blocked session ready again, at RESUME priority, with its count of crashes begun anew.

    Guard: it is BLOCKED with a reason of this code, and every execution of ``accepted`` runs under its ``old_fingerprint``.

    Attributes:
        code: a reason is a code, a colon and a sentence.
        accepted: in the same transaction, each gets its new version and fingerprint, and an event in the ledger.
    """

    tenant: str
    session_id: str
    code: str
    now_ms: int
    accepted: tuple[AcceptedExecution, ...] = ()


class UnblockResult(StrEnum):
    UNBLOCKED = "unblocked"
    UNKNOWN_SESSION = "unknown_session"
    """None there, or another tenant's."""
    NOT_BLOCKED = "not_blocked"
    """It is not blocked, or for another reason."""
    STALE = "stale"
    """An execution is not as the caller believed."""


def code_of(reason: str | None) -> str:
    """The code that a session's reason begins with; empty if it has none."""
    return (reason or "").partition(":")[0]
