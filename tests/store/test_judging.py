"""The verbs on a view in memory: what is judged, what is kept, and what is left as it was. No database."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import fields
from typing import Any

import pytest

from overwinter.store.changes import AdvanceResult, ClaimResult, PostMessage, PostResult, StartResult, StartSession
from overwinter.store.drafts import DeliveryDraft, PauseDraft, SessionDraft
from overwinter.store.errors import StoreRefusedError
from overwinter.store.freezing import maker
from overwinter.store.judging import judge
from overwinter.store.resolutions import ResolveResult
from overwinter.store.rows import AuditRow, DeliveryRow, ExecutionRow, InboundRow, LedgerRow, PauseRow, SessionRow
from overwinter.store.view import View

from .examples import (
    T0,
    advance,
    answer,
    claim,
    claim_deliveries,
    event,
    message,
    post,
    question,
    resolve,
    rest,
    session,
    settle,
)


def read(view: View, *rows: SessionRow | PauseRow | DeliveryRow) -> View:
    """Put rows into a view as if they had been read from a database."""
    for row in rows:
        match row:
            case SessionRow():
                view.sessions[row.session_id] = draft = SessionDraft.of(row)
                draft.old_status, draft.old_epoch = row.status, row.lease_epoch
            case PauseRow():
                view.pauses[row.pause_id] = draft = PauseDraft.of(row)
                draft.old_status = row.status
            case DeliveryRow():
                draft = DeliveryDraft.of(row)
                view.add_delivery(draft)
                draft.old_status, draft.old_holder = row.status, row.holder
    return view


def contents(view: View) -> dict[str, Any]:
    return {name: deepcopy(getattr(view, name)) for name in View.__slots__}


RUNNING = session(status="running", lease_holder="w1", lease_epoch=1, lease_until_ms=T0 + 10)


def test_a_change_sees_what_those_before_it_did() -> None:
    view = View()
    assert judge(view, StartSession(session=session(), message=message())) is StartResult.STARTED
    assert judge(view, StartSession(session=session(), message=None)) is StartResult.DUPLICATE
    assert judge(view, PostMessage(message=message(), now_ms=T0)) is PostResult.DUPLICATE
    claimed = judge(view, claim())
    assert isinstance(claimed, ClaimResult)
    assert [one.lease_epoch for one in claimed.sessions] == [1]
    opened = judge(view, advance(open=(question(),), deliveries=(post(),), ledger=(event(0),), rest=rest()))
    assert opened == AdvanceResult(outcome="done", rested=True, wakes=0)
    resolved = judge(view, resolve())
    assert isinstance(resolved, ResolveResult)
    assert resolved.outcome == "resolved"
    assert view.deliveries["p1", "post", "slack"].status == "dropped"
    assert (view.sessions["s1"].status, view.sessions["s1"].next_seq) == ("ready", 1)
    assert view.sessions["s1"].old_status is None, "it is inserted once, as it came out"
    assert len(view.audit) == 1


@pytest.mark.parametrize(
    "change",
    [
        advance(ledger=(event(0), event(5)), rest=rest()),
        advance(open=(question("new"), question("p1"))),
        advance(ledger=(event(0),), consume=(("api", "m9"),)),
        resolve(inbound=answer("s9")),
        StartSession(session=session("s2"), message=message("s1")),
    ],
)
def test_a_refused_change_leaves_the_view_as_it_was(change: Any) -> None:
    view = read(View(), RUNNING, question("p1"), post("p1"))
    before = contents(view)
    with pytest.raises(StoreRefusedError):
        judge(view, change)
    assert contents(view) == before


@pytest.mark.parametrize(
    "change",
    [
        advance(epoch=2, ledger=(event(0),)),
        advance(take=("p1",), ledger=(event(0),)),
        resolve("taken"),
        resolve("nowhere"),
        settle("p1:post", holder="d2"),
        claim(now_ms=T0 + 9),
        claim_deliveries(now_ms=T0 - 1),
    ],
)
def test_a_change_that_lost_leaves_the_view_as_it_was(change: Any) -> None:
    taken = question("taken", status="taken", resolution="decided", resolved_at_ms=T0)
    view = read(View(), RUNNING, question("p1"), post("p1"), taken)
    before = contents(view)
    judge(view, change)
    assert contents(view) == before


def test_only_what_was_changed_is_marked_for_writing() -> None:
    view = read(
        View(), RUNNING, session("s2", status="waiting"), question("p1"), question("p2"), post("p1"), post("p2")
    )
    judge(view, resolve("p1"))
    assert [row.session_id for row in view.sessions.values() if row.is_changed] == ["s1"]
    assert [row.pause_id for row in view.pauses.values() if row.is_changed] == ["p1"]
    assert [(row.pause_id, row.kind) for row in view.deliveries.values() if row.is_changed] == [("p1", "post")]
    assert view.sessions["s1"].old_epoch == 1


ROWS: list[Any] = [SessionRow, ExecutionRow, LedgerRow, PauseRow, DeliveryRow, InboundRow, AuditRow]


@pytest.mark.parametrize("kind", ROWS)
def test_a_row_made_fast_equals_one_made_by_its_class(kind: Any) -> None:
    values = [1 if field.type == "bool" else f"value of {field.name}" for field in fields(kind)]
    names = [field.name for field in fields(kind)]
    made = maker(kind)(values)
    assert made == kind(**dict(zip(names, values, strict=True)))
    assert all(getattr(made, field.name) is True for field in fields(kind) if field.type == "bool")


@pytest.mark.parametrize("kind", ROWS)
def test_a_row_needs_all_of_its_values(kind: Any) -> None:
    with pytest.raises(ValueError, match="unpack"):
        maker(kind)(["too few"])


@pytest.mark.parametrize(
    ("draft", "row"), [(SessionDraft, session()), (PauseDraft, question()), (DeliveryDraft, post())]
)
def test_a_draft_of_a_row_freezes_to_that_row(draft: Any, row: Any) -> None:
    assert draft.of(row).frozen() == row
    assert [field.name for field in fields(draft)][: len(fields(row))] == [field.name for field in fields(row)]
