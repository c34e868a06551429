"""A session's rows as a history that people can read."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from overwinter.actors.events import EventKind
from overwinter.deploy.timeline import Entry, entries_of
from overwinter.store.rows import AuditRow, DeliveryRow, LedgerRow, PauseRow, SessionRow
from overwinter.store.snapshots import Timeline

SECRET = "f" * 32


def session() -> SessionRow:
    return SessionRow(
        session_id="s1",
        tenant="default",
        owner="olga",
        surface="chat",
        program="support",
        status="idle",
        reason=None,
        priority=50,
        due_at_ms=0,
        lease_holder=None,
        lease_epoch=1,
        lease_until_ms=0,
        wakes=1,
        attempts=0,
        next_seq=9,
        is_cancel_requested=False,
        created_at_ms=0,
        updated_at_ms=0,
    )


def event(seq: int, at_ms: int, kind: str, body: Any, key: str = "") -> LedgerRow:
    body_json = json.dumps(body)
    return LedgerRow(session_id="s1", seq=seq, execution_id="x1", kind=kind, key=key, body_json=body_json, at_ms=at_ms)


def audit(at_ms: int, *, decision: Any = None, resolution: str = "replied") -> AuditRow:
    return AuditRow(
        tenant="default",
        seq=1,
        session_id="s1",
        execution_id="x1",
        key="/approval#0",
        pause_id=None,
        role="refund-approval",
        answerer="channel",
        responder="mara",
        resolution=resolution,
        decision_json=None if decision is None else json.dumps(decision),
        asked_at_ms=0,
        resolved_at_ms=at_ms,
        previous_hash="",
        hash="",
    )


def delivery(at_ms: int | None, *, kind: str = "post", status: str = "sent", error: str | None = None) -> DeliveryRow:
    return DeliveryRow(
        pause_id=SECRET,
        kind=kind,
        channel="terminal",
        session_id="s1",
        status=status,
        ref=None,
        due_at_ms=0,
        attempts=0 if error is None else 3,
        last_error=error,
        holder=None,
        held_until_ms=0,
        created_at_ms=5,
        settled_at_ms=at_ms,
    )


def told(
    events: list[LedgerRow], audits: list[AuditRow] | None = None, deliveries: list[DeliveryRow] | None = None
) -> list[Entry]:
    pauses: tuple[PauseRow, ...] = ()
    return entries_of(
        Timeline(
            session=session(),
            executions=(),
            events=tuple(events),
            pauses=pauses,
            deliveries=tuple(deliveries or ()),
            audit=tuple(audits or ()),
        )
    )


OPENED = {"kind": "ask", "role": "refund-approval", "channel": "terminal", "prompt": "Refund?", "deadline_at_ms": None}
TAKEN = {"resolution": "replied", "answer": None, "responder": "mara"}


def test_what_happened_in_one_millisecond_is_in_the_order_of_cause_and_effect() -> None:
    entries = told(
        [
            event(0, 10, EventKind.PAUSE_OPENED, OPENED, "/approval#0"),
            event(1, 10, EventKind.PAUSE_TAKEN, TAKEN, "/approval#0"),
        ],
        [audit(10, decision={"approved": True, "override_arguments": None})],
        [delivery(10)],
    )
    kinds = [entry.kind for entry in entries]
    assert kinds[0] == "pause_opened"
    assert kinds[-1] == "pause_taken"
    assert set(kinds[1:3]) == {"answer_recorded", "delivery_sent"}


def test_the_ledgers_order_stands_where_a_clock_went_back() -> None:
    entries = told(
        [event(0, 50, EventKind.MESSAGE_RECEIVED, {"from": "olga", "content": "a"}), event(1, 40, "odd", {})]
    )
    assert [entry.ref for entry in entries] == ["ledger:0", "ledger:1"]


def test_no_entry_holds_the_right_to_answer() -> None:
    entries = told(
        [event(0, 1, EventKind.PAUSE_OPENED, OPENED)], [audit(3)], [delivery(2), delivery(None, kind="withdraw")]
    )
    assert SECRET not in json.dumps([entry.to_json() for entry in entries])
    assert len({entry.ref for entry in entries}) == 4


@pytest.mark.parametrize(
    ("kind", "body", "who", "what"),
    [
        ("execution_started", {"program": "support", "version": "1"}, "support", "started, version 1"),
        ("message_received", {"from": "olga", "content": {"a": 1}}, "olga", '{"a":1}'),
        ("step_started", {}, "support", "started /k#0, which is never started twice"),
        ("step_returned", 7, "support", "/k#0 returned 7"),
        ("step_raised", {"kind": "ValueError", "detail": "no"}, "support", "/k#0 raised ValueError: no"),
        ("step_closed", {}, "support", "/k#0 was stopped: its result is not needed any more"),
        ("value_recorded", "v", "support", "recorded v"),
        (
            "model_replied",
            {"content": "I look.", "refusal": None, "tool_calls": [["c", "find", "{}"]]},
            "support",
            "I look.\ncalls find({})",
        ),
        ("model_replied", {"content": "", "refusal": None, "tool_calls": []}, "support", "said nothing"),
        ("tool_replied", {"call_id": "c", "content": "done", "is_error": False}, "k", "done"),
        (
            "join_decided",
            {"done": [0], "failed": None},
            "support",
            "went on without the branches that are not needed any more at /k#0",
        ),
        ("pause_opened", OPENED, "support", "asks refund-approval on terminal: Refund?"),
        ("pause_opened", {"kind": "message"}, "support", "waits for the next message"),
        ("pause_opened", {"kind": "timer"}, "support", "waits for a time"),
        ("pause_opened", {"kind": "timer", "deadline_at_ms": 0}, "support", "waits until 1970-01-01 00:00:00Z"),
        ("pause_opened", {"kind": "timer", "deadline_at_ms": 10**17}, "support", "waits until 9999-12-31 23:59:59Z"),
        ("pause_opened", {"kind": "trigger", "role": "nightly"}, "support", "waits for the trigger nightly"),
        ("pause_opened", {"kind": "files"}, "support", "waits for files to change"),
        ("pause_taken", {"resolution": "timed_out"}, "support", "goes on with what came: timed out"),
        (
            "pause_closed",
            {"resolution": "withdrawn"},
            "support",
            "waits no longer at /k#0: its answer is not needed any more",
        ),
        ("execution_ended", {"result": {"paid": 1}}, "support", 'finished with {"paid":1}'),
        ("execution_ended", {"result": {"reply": "Done."}}, "support", "finished"),
        ("execution_ended", {"result": None}, "support", "finished"),
        ("execution_failed", {"code": "step.failed", "detail": "no"}, "support", "failed: step.failed: no"),
        ("session_blocked", {"code": "a.b", "detail": "no"}, "", "blocked: a.b: no"),
        ("session_cancelled", {"by": "omar", "reason": "no"}, "omar", "cancelled the session: no"),
        ("of_a_newer_version", {"x": 1}, "", '{"x":1}'),
    ],
)
def test_every_kind_of_event_is_told(kind: str, body: Any, who: str, what: str) -> None:
    (entry,) = told([event(0, 1, kind, body, "/k#0")])
    assert (entry.kind, entry.who, entry.what) == (kind, who, what)


def test_the_digest_of_a_call_is_told_as_the_log_of_policies_tells_it() -> None:
    (entry,) = told([event(0, 1, "value_recorded", "0123456789abcdef", "/gather#0[0]/asked#0")])
    assert entry.what == "keeps the digest of the call: 0123456789ab"


def test_the_end_of_what_nobody_answers_is_not_told_as_a_question() -> None:
    (entry,) = told(
        [], [replace(audit(1, decision=None, resolution="fired"), answerer="nobody", role="", key="/sleep#0")]
    )
    assert entry.what == "the wait at /sleep#0 ended: fired"


def test_all_kinds_of_the_ledger_are_among_them() -> None:
    for kind in EventKind:
        (entry,) = told([event(0, 1, kind, {"unheard": "of"}, "/k#0")])
        assert entry.kind in (kind, "unreadable")


@pytest.mark.parametrize("body", ["{", '"text"', "[]", "{}"])
def test_an_event_that_cannot_be_read_is_shown_as_it_is_stored(body: str) -> None:
    (entry,) = told([replace(event(0, 1, EventKind.MODEL_REPLIED, {}), body_json=body)])
    assert (entry.kind, entry.what, entry.body) == ("unreadable", f"model_replied: {body}", None)


@pytest.mark.parametrize(
    ("resolution", "decision", "what"),
    [
        ("decided", {"approved": True, "override_arguments": None}, "decides approved"),
        ("replied", {"approved": True, "override_arguments": {"a": 1}}, 'replies, read as approved with {"a":1}'),
        ("replied", {"approved": False, "reason": None}, "replies, read as rejected"),
        ("replied", {"approved": False, "reason": "no"}, "replies, read as rejected: no"),
        ("replied", 7, "replies, read as 7"),
        ("timed_out", None, "the question to refund-approval ended: timed out"),
    ],
)
def test_every_answer_is_told(resolution: str, decision: Any, what: str) -> None:
    (entry,) = told([], [audit(1, decision=decision, resolution=resolution)])
    assert (entry.kind, entry.who, entry.what) == ("answer_recorded", "mara", what)


@pytest.mark.parametrize(
    ("row", "kind", "what"),
    [
        (delivery(9), "delivery_sent", "the question was delivered"),
        (delivery(9, kind="withdraw"), "delivery_sent", "word that the question is closed was delivered"),
        (delivery(9, status="failed", error="gone"), "delivery_failed", "the question could not be delivered: gone"),
        (delivery(9, status="dropped"), "delivery_dropped", "the question was not needed any more"),
        (delivery(None, status="due"), "delivery_due", "the question is to be delivered"),
        (
            delivery(None, status="due", error="slow"),
            "delivery_due",
            "the question is to be delivered, tried 3 times, last: slow",
        ),
    ],
)
def test_every_delivery_is_told(row: DeliveryRow, kind: str, what: str) -> None:
    (entry,) = told([], [], [row])
    assert (entry.kind, entry.who, entry.what) == (kind, "terminal", what)


@pytest.mark.parametrize("kind", list(EventKind))
def test_every_kind_of_event_has_words(kind: EventKind) -> None:
    bodies: dict[str, Any] = {
        "by": "ops",
        "causes": [],
        "code": "x.y",
        "content": "words",
        "detail": "detail",
        "done": [0],
        "failed": None,
        "finish_reason": "stop",
        "from": "olga",
        "kind": "ask",
        "program": "review",
        "prompt": "May I?",
        "reason": "reason",
        "refusal": None,
        "resolution": "decided",
        "responder": "mara",
        "answer": {"approved": True, "reason": None, "override_arguments": None},
        "result": 1,
        "role": "director",
        "stored": {"version": "1", "fingerprint": "a"},
        "accepted": {"version": "2", "fingerprint": "b"},
        "tokens": [1, 1],
        "tool_calls": [],
        "version": "1",
        "channel": "slack",
        "deadline_at_ms": None,
        "execution_id": "x2",
        "call_id": "c",
        "is_error": False,
        "tool": "pay",
        "verdict": "ask",
        "findings": [{"policy": "limits", "verdict": "ask", "reason": "large", "shadow": False, "failed": False}],
    }
    (entry,) = told([event(1, 1, kind, bodies, key="/step#0")])
    assert entry.kind == kind, f"unreadable: {entry.what}"
