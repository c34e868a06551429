"""Reads a ledger back into what a driver needs: a pure function from rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..store.rows import LedgerRow, PauseRow, PauseStatus
from .asks import JsonValue
from .errors import SessionCorruptError
from .events import RESULT_KINDS, EventKind
from .jsontext import from_json
from .operations import Decision, Recall, StepError, WaitResult


def recall_of(events: Iterable[LedgerRow]) -> Recall:
    """What the events of one execution say, by key.

    Raises:
        SessionCorruptError: (session.corrupt) an event this version cannot read; names its place.
    """
    recall = Recall()
    for event in events:
        try:
            _take_in(recall, event)
        except (ValueError, KeyError, TypeError) as error:
            raise SessionCorruptError(
                f"ledger event {event.seq} of session {event.session_id} ({event.kind}) cannot be read: {error}"
            ) from error
    return recall


def wait_result_of(pause: PauseRow) -> WaitResult:
    """How a closed pause is read by the step that waits for it."""
    answer: JsonValue = None if pause.answer_json is None else from_json(pause.answer_json)
    return WaitResult(resolution=pause.resolution or "", answer=answer, responder=pause.responder)


def is_closed(pause: PauseRow) -> bool:
    """Resolved, or closed from outside: its step can go on."""
    return pause.status in (PauseStatus.RESOLVED, PauseStatus.CANCELLED)


def _take_in(recall: Recall, event: LedgerRow) -> None:
    if event.kind in RESULT_KINDS:
        recall.returned[event.key] = event.body_json
        return
    match event.kind:
        case EventKind.STEP_RAISED:
            body: dict[str, Any] = from_json(event.body_json)
            recall.raised[event.key] = StepError(
                kind=body["kind"], detail=body["detail"], cause_code=body.get("cause_code")
            )
        case EventKind.PAUSE_TAKEN:
            body = from_json(event.body_json)
            recall.waits[event.key] = WaitResult(
                resolution=body["resolution"], answer=body["answer"], responder=body["responder"]
            )
        case EventKind.MESSAGE_RECEIVED:
            if event.key:
                recall.messages[event.key] = from_json(event.body_json)
        case EventKind.JOIN_DECIDED:
            body = from_json(event.body_json)
            recall.decisions[event.key] = Decision(done=tuple(body["done"]), failed=body["failed"])
        case EventKind.STEP_STARTED:
            recall.started.add(event.key)
        case (
            EventKind.EXECUTION_STARTED
            | EventKind.STEP_CLOSED
            | EventKind.PAUSE_OPENED
            | EventKind.PAUSE_CLOSED
            | EventKind.EXECUTION_ENDED
            | EventKind.EXECUTION_FAILED
            | EventKind.SESSION_BLOCKED
            | EventKind.SESSION_CANCELLED
        ):
            pass
        case unknown:
            raise ValueError(f"unknown kind {unknown!r}; it was written by a newer Overwinter")
