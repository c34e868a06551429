"""Reads a ledger back into what a driver needs: a pure function from rows."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from ..store.rows import LedgerRow, PauseKind, PauseRow, PauseStatus, Resolution
from .asks import JsonValue, form_from_json
from .errors import PauseStillOpenError, SessionCorruptError
from .events import RESULT_KINDS, EventKind
from .jsontext import from_json, read_back, to_json
from .keys import key_in_tree
from .operations import Decision, Recall, StepError, WaitResult
from .outlines import NO_OUTLINE, outline_of


def recall_of(events: Iterable[LedgerRow], *, root_id: str) -> Recall:
    """What the events of a tree of executions say, by key.

    Raises:
        SessionCorruptError: (session.corrupt) an event this version cannot read; names its place.
    """
    recall = Recall()
    for event in events:
        if event.kind in _SAY_NOTHING:
            continue
        try:
            _take_in(recall, event, key_in_tree(event.execution_id, event.key, root_id))
        except (ValueError, KeyError, TypeError) as error:
            raise SessionCorruptError(
                f"ledger event {event.seq} of session {event.session_id} ({event.kind}) cannot be read: {error}"
            ) from error
    return recall


def open_waits(events: Iterable[LedgerRow]) -> tuple[str, ...]:
    """The keys of the waits that events leave open: reached, and neither taken nor closed. In the order they were reached."""
    waits: dict[tuple[str, str], None] = {}
    for event in events:
        match event.kind:
            case EventKind.PAUSE_OPENED:
                waits[event.execution_id, event.key] = None
            case EventKind.PAUSE_TAKEN | EventKind.PAUSE_CLOSED:
                waits.pop((event.execution_id, event.key), None)
            case EventKind.EXECUTION_ENDED | EventKind.EXECUTION_FAILED:
                waits = {wait: None for wait in waits if wait[0] != event.execution_id}
            case EventKind.SESSION_CANCELLED:
                waits.clear()
            case _:
                pass
    return tuple(key for _, key in waits)


def check_ready(events: Iterable[LedgerRow]) -> None:
    """Raises ``PauseStillOpenError`` (pause.still-open) naming the waits that events leave open, if there are any."""
    if waits := open_waits(events):
        raise PauseStillOpenError(f"still waiting at {', '.join(waits)}")


def wait_result_of(pause: PauseRow) -> WaitResult:
    """How a closed pause is read by the step that waits for it.

    Raises:
        SessionCorruptError: (session.corrupt) its answer cannot be read back.
    """
    answer: JsonValue = None
    if pause.answer_json is not None:
        answer = read_back(pause.answer_json, what=f"the answer to {pause.key}")
    return WaitResult(
        resolution=pause.resolution or "",
        answer=answer,
        responder=pause.responder,
        role=pause.role,
        answerer=pause.answerer,
        # A clock may have been set back in between.
        waited_ms=None if pause.resolved_at_ms is None else max(0, pause.resolved_at_ms - pause.asked_at_ms),
        outline=_outline_asked(pause) if pause.resolution in _ANSWERS else NO_OUTLINE,
        happened_at_ms=_fired_at_ms(answer) if pause.kind == PauseKind.TRIGGER else None,
    )


def _fired_at_ms(told: JsonValue) -> int | None:
    """When a trigger fired, by what is told of it; None if it did not."""
    match told:
        case {"fired_at": str(at)}:
            return round(datetime.fromisoformat(at).timestamp() * 1000)
        case _:
            return None


def taken_body(result: WaitResult) -> str:
    """The body of the event that keeps how a wait ended."""
    body: dict[str, JsonValue] = {
        "resolution": result.resolution,
        "answer": result.answer,
        "responder": result.responder,
        "role": result.role,
        "answerer": result.answerer,
        "waited_ms": result.waited_ms,
    }
    if result.outline:
        body["outline"] = result.outline
    if result.happened_at_ms is not None:
        body["happened_at_ms"] = result.happened_at_ms
    return to_json(body)


def asked_of(pause: PauseRow) -> tuple[str, str]:
    """The role that was asked, and who may answer; neither where it was closed without an answer: that is all that is read."""
    return (pause.role, pause.answerer) if pause.resolution is None or pause.resolution in _ANSWERS else ("", "")


def _outline_asked(pause: PauseRow) -> str:
    try:
        return outline_of(form_from_json(from_json(pause.ask_json)["form"]))
    except (ValueError, KeyError, TypeError, AttributeError):
        return NO_OUTLINE  # what was asked cannot be told any more; the answer has been checked against it


def is_closed(pause: PauseRow) -> bool:
    """Resolved, or closed from outside: its step can go on."""
    return pause.status in (PauseStatus.RESOLVED, PauseStatus.CANCELLED)


_ANSWERS = frozenset({Resolution.DECIDED, Resolution.REPLIED})

_SAY_NOTHING: frozenset[str] = frozenset(
    {
        EventKind.EXECUTION_STARTED,
        EventKind.STEP_CLOSED,
        EventKind.PAUSE_OPENED,
        EventKind.PAUSE_CLOSED,
        EventKind.CHILD_STARTED,
        EventKind.CHILD_CLOSED,
        EventKind.EXECUTION_ENDED,
        EventKind.EXECUTION_FAILED,
        EventKind.SESSION_BLOCKED,
        EventKind.SESSION_CANCELLED,
    }
)
"""Events that a replay does not need."""


def _take_in(recall: Recall, event: LedgerRow, key: str) -> None:
    """Args:
    key: the event's, unique in the tree of executions.
    """
    if event.kind in RESULT_KINDS or event.kind == EventKind.CHILD_RETURNED:
        recall.returned[key] = event.body_json
        return
    match event.kind:
        case EventKind.STEP_RAISED | EventKind.CHILD_RAISED:
            body: dict[str, Any] = from_json(event.body_json)
            recall.raised[key] = StepError(
                kind=body["kind"],
                detail=body["detail"],
                cause_code=body.get("cause_code"),
                causes=tuple(body.get("causes", ())),
            )
        case EventKind.PAUSE_TAKEN:
            body = from_json(event.body_json)
            result = WaitResult(
                resolution=body["resolution"],
                answer=body["answer"],
                responder=body["responder"],
                role=body.get("role", ""),
                answerer=body.get("answerer", ""),
                waited_ms=body.get("waited_ms"),
                outline=body.get("outline", ""),
                happened_at_ms=body.get("happened_at_ms"),
            )
            recall.end_wait(key, result)
        case EventKind.MESSAGE_RECEIVED:
            if event.key:
                recall.messages[key] = from_json(event.body_json)
        case EventKind.JOIN_DECIDED:
            body = from_json(event.body_json)
            recall.decisions[key] = Decision(
                done=tuple(body["done"]),
                failed=body["failed"],
                why=body.get("why"),
                detail=body.get("detail", ""),
                group=body.get("group"),
            )
        case EventKind.STEP_STARTED:
            recall.started.add(key)
        case EventKind.DEFINITION_ACCEPTED:
            recall.accepted.add(event.execution_id)
        case unknown:
            raise ValueError(f"unknown kind {unknown!r}; it was written by a newer Overwinter")
