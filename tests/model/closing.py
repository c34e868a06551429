"""What must hold of a session's rows whenever it rests, whatever the tree and whatever happened."""

from __future__ import annotations

from collections import Counter

from overwinter.actors.events import EventKind
from overwinter.actors.jsontext import from_json
from overwinter.store.audit import verify
from overwinter.store.rows import TERMINAL_SESSION_STATUSES, DeliveryKind, DeliveryStatus, PauseStatus, Resolution
from overwinter.store.snapshots import Timeline

from .program import Places

_EXPECTED = {
    Resolution.DECIDED: {PauseStatus.RESOLVED, PauseStatus.TAKEN},
    Resolution.FIRED: {PauseStatus.RESOLVED, PauseStatus.TAKEN},
    Resolution.TIMED_OUT: {PauseStatus.RESOLVED, PauseStatus.TAKEN},
    Resolution.WITHDRAWN: {PauseStatus.CANCELLED},
    Resolution.CANCELLED: {PauseStatus.CANCELLED},
    Resolution.UNDELIVERABLE: {PauseStatus.CANCELLED},
}


def check_rows(timeline: Timeline, places: Places, *, times: int) -> None:
    """Everything that one reading of the database shows.

    Args:
        times: how often a question may have been sent and taken back: once, and once more for each process that was gone
            before it had noted that it did.
    """
    _check_pauses(timeline)
    _check_ledger(timeline)
    _check_audit(timeline)
    _check_deliveries(timeline, places, times)
    if timeline.session.status in TERMINAL_SESSION_STATUSES:
        running = [row for row in timeline.executions if row.status == "running"]
        assert running == [], "an execution runs on after its session has ended"


def _check_pauses(timeline: Timeline) -> None:
    running = {row.execution_id for row in timeline.executions if row.status == "running"}
    for pause in timeline.pauses:
        if pause.status == PauseStatus.PENDING:
            assert pause.execution_id in running, f"{pause.key} is open after its execution has ended"
            assert timeline.session.status not in TERMINAL_SESSION_STATUSES, f"{pause.key} is open after the end"
        else:
            assert pause.resolution is not None
            is_given_up = pause.resolution in (Resolution.CANCELLED, Resolution.WITHDRAWN)
            expected = _EXPECTED[Resolution(pause.resolution)]
            assert pause.status in expected or timeline.session.status == "cancelled", (pause.key, pause.status)
            assert pause.status != PauseStatus.RESOLVED, f"{pause.key} is answered and not taken at rest"
            assert is_given_up or pause.resolution == "fired" or pause.answer_json is not None, pause.key


def _check_ledger(timeline: Timeline) -> None:
    keys = {(row.execution_id, row.key): row for row in timeline.pauses}
    for kind in (EventKind.PAUSE_TAKEN, EventKind.PAUSE_OPENED, EventKind.STEP_RETURNED, EventKind.STEP_RAISED):
        steps = Counter((event.execution_id, event.key) for event in timeline.events if event.kind == kind)
        assert all(count == 1 for count in steps.values()), f"{kind} twice: {steps}"
    for event in timeline.events:
        if event.kind != EventKind.PAUSE_TAKEN:
            continue
        pause = keys[event.execution_id, event.key]
        body = from_json(event.body_json)
        assert pause.status != PauseStatus.PENDING, f"{pause.key} was taken and nobody had answered it"
        assert body["resolution"] == pause.resolution, f"{pause.key} was taken as what it is not"
        assert body["answer"] == from_json(pause.answer_json or "null"), f"{pause.key} was taken with another answer"


def _check_audit(timeline: Timeline) -> None:
    """One entry for each resolution, and the chain holds: a history has a tenant, and so a chain, of its own."""
    assert verify(timeline.audit) is None, "the audit chain is broken"
    said = Counter((row.execution_id, row.key, row.resolution) for row in timeline.audit)
    wanted = Counter(
        (row.execution_id, row.key, row.resolution or "")
        for row in timeline.pauses
        if row.status != PauseStatus.PENDING and row.resolution != Resolution.FIRED
    )
    assert said == wanted, f"audit: {said - wanted} too many, {wanted - said} missing"
    for entry in timeline.audit:
        assert (entry.pause_id is None) == (entry.answerer == "channel"), "the right to answer stands in the audit"


def _check_deliveries(timeline: Timeline, places: Places, times: int) -> None:
    """A question that was sent and is closed was taken back once wherever it was sent; one decided at once, or never sent, not."""
    decided = {
        (row.pause_id, row.channel)
        for row in timeline.deliveries
        if row.kind == DeliveryKind.POST and row.status == DeliveryStatus.DECIDED
    }
    for place in (places.office, places.corridor, places.robot, places.nowhere):
        for pause in timeline.pauses:
            sent, withdrawn = place.sent.get(pause.pause_id, 0), place.withdrawn.get(pause.pause_id, 0)
            is_open = pause.status == PauseStatus.PENDING
            is_decided = (pause.pause_id, place.name) in decided
            assert sent <= times, f"{pause.key} was sent {sent} times to {place.name}"
            if is_open or is_decided or not sent:
                assert withdrawn == 0, f"{pause.key} was taken back from {place.name} and should not be"
            else:
                assert 1 <= withdrawn <= times, (
                    f"{pause.key} was taken back {withdrawn} times from {place.name}, being {pause.status}"
                )
    for pause in timeline.pauses:
        wired = [place for place in (places.office, places.corridor) if place.name in pause.channel.split(",")]
        if pause.status == PauseStatus.PENDING:
            assert all(place.sent.get(pause.pause_id) for place in wired), f"{pause.key} waits and was never sent"
    due = [row for row in timeline.deliveries if row.status == DeliveryStatus.DUE]
    assert due == [], "something is still to be told to a channel"
