"""How a question ended, in words for people."""

from __future__ import annotations

from ..store.rows import PauseRow
from .errors import PauseNotPendingError
from .jsontext import from_json


def summary_of(pause: PauseRow) -> str:
    """One sentence for people on how a question ended."""
    who = pause.responder or "somebody"
    match pause.resolution:
        case "decided" | "replied":
            return f"{_verdict(from_json(pause.answer_json or 'null'))} by {who}"
        case "timed_out":
            return "Timed out without an answer"
        case "withdrawn":
            return "Not needed any more"
        case "undeliverable":
            return "Could not be delivered"
        case _:
            return f"Cancelled by {who}" if pause.responder else "Cancelled"


def _verdict(answer: object) -> str:
    match answer:
        case {"approved": True, "override_arguments": None}:
            return "Approved"
        case {"approved": True}:
            return "Approved with changes"
        case {"approved": False}:
            return "Rejected"
        case _:
            return "Answered"


def not_pending(pause: PauseRow) -> PauseNotPendingError:
    """Why a question takes no answer any more, for whoever comes too late."""
    who = f" by {pause.responder}" if pause.responder else ""
    match pause.resolution:
        case "decided" | "replied":
            return PauseNotPendingError(f"this question has been answered{who} already")
        case "timed_out":
            return PauseNotPendingError("this question has timed out")
        case "cancelled":
            return PauseNotPendingError(f"this question was cancelled{who}")
        case "withdrawn":
            return PauseNotPendingError("this question was withdrawn: its answer is not needed any more")
        case _:
            return PauseNotPendingError("this question is closed already")
