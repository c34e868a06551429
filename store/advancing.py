"""What one actor writes, judged as a whole: its lease, its pauses, its rows. Pure: a view in, a result out.

Everything is looked at before anything is applied, so a change that is refused has done nothing.
"""

from __future__ import annotations

from .changes import Advance, AdvanceResult, Rest
from .closing import close, end_answered
from .drafts import DeliveryDraft, PauseDraft, SessionDraft
from .errors import StoreRefusedError
from .pause_states import PauseEvent, after
from .rows import PauseStatus, SessionStatus
from .sessions import is_held
from .view import View

_CANCELLED = PauseStatus.CANCELLED.value
_READY = SessionStatus.READY.value
_RESTING = frozenset(SessionStatus) - {SessionStatus.RUNNING}


def advance(view: View, change: Advance) -> AdvanceResult:
    session = view.sessions.get(change.session_id)
    if session is None or not is_held(session, holder=change.holder, epoch=change.epoch):
        return AdvanceResult(outcome="lease_lost", rested=False, wakes=0 if session is None else session.wakes)
    if not _are_pauses_as_believed(view, change):
        return AdvanceResult(outcome="stale", rested=False, wakes=session.wakes)
    _refuse_malformed(view, session, change)

    view.ledger.extend(change.ledger)
    session.next_seq += len(change.ledger)
    session.updated_at_ms = change.now_ms
    session.is_changed = True
    for row in change.executions:
        view.write_execution(row)
    for pause in change.open:
        view.pauses[pause.pause_id] = PauseDraft.of(pause)
        view.has_news = view.has_news or pause.deadline_at_ms is not None
    for pause_id in change.take:
        taken = view.pauses[pause_id]
        if (status := after(taken.status, PauseEvent.TAKE)) is not None:
            taken.status = status
            taken.is_changed = True
    for delivery in change.deliveries:
        view.add_delivery(DeliveryDraft.of(delivery))
        view.has_news = True
    for closing in change.close:
        close(
            view,
            view.pauses[closing.pause_id],
            status=_CANCELLED,
            resolution=closing.resolution,
            answer_json=None,
            responder=None,
            decision_json=None,
            now_ms=change.now_ms,
        )
    for pause_id in change.end:
        end_answered(view, view.pauses[pause_id], status=_CANCELLED, responder=None, now_ms=change.now_ms)
    for key in change.consume:
        message = view.inbound[key]
        message.consumed_at_ms = change.now_ms
        message.is_changed = True
    rested = change.rest is not None and _rest(session, change.rest)
    view.has_news = view.has_news or (rested and session.status == _READY)
    return AdvanceResult(outcome="done", rested=rested, wakes=session.wakes)


def _rest(session: SessionDraft, rest: Rest) -> bool:
    if rest.wakes != session.wakes:
        return False
    session.status = rest.status
    session.reason = rest.reason
    session.due_at_ms = rest.due_at_ms
    session.lease_holder = None
    session.lease_until_ms = 0
    session.attempts = 0
    return True


def _are_pauses_as_believed(view: View, change: Advance) -> bool:
    for pause_id in change.take:
        pause = view.pauses.get(pause_id)
        if pause is None or pause.session_id != change.session_id:
            return False
        if pause.status != _CANCELLED and after(pause.status, PauseEvent.TAKE) is None:
            return False
    for closing in change.close:
        pause = view.pauses.get(closing.pause_id)
        if pause is None or pause.session_id != change.session_id or after(pause.status, PauseEvent.CLOSE) is None:
            return False
    for pause_id in change.end:
        pause = view.pauses.get(pause_id)
        if pause is None or pause.session_id != change.session_id or pause.status != PauseStatus.RESOLVED:
            return False
    return True


def _refuse_malformed(view: View, session: SessionDraft, change: Advance) -> None:
    """Raise for what no correct actor writes: nothing that others did can make a change be so.

    Raises:
        StoreRefusedError: ``store.refused``, saying what is wrong.
    """
    session_id = change.session_id
    for offset, event in enumerate(change.ledger):
        if event.session_id != session_id or event.seq != session.next_seq + offset:
            raise StoreRefusedError(
                f"session {session_id}: ledger row {event.seq} of {event.session_id} where "
                f"{session.next_seq + offset} comes next"
            )
    for row in (*change.executions, *change.open, *change.deliveries):
        if row.session_id != session_id:
            raise StoreRefusedError(f"session {session_id} may not write rows of session {row.session_id}")
    for pause in change.open:
        if pause.pause_id in view.pauses:
            raise StoreRefusedError(f"session {session_id}: step {pause.key} opens a pause that is there already")
    for delivery in change.deliveries:
        if (delivery.pause_id, delivery.kind, delivery.channel) in view.deliveries:
            raise StoreRefusedError(f"session {session_id}: a delivery that is there already")
    for key in change.consume:
        message = view.inbound.get(key)
        if message is None or message.session_id != session_id or message.consumed_at_ms is not None:
            raise StoreRefusedError(f"session {session_id}: message {key} is not there to be consumed")
    for ids in (
        [pause.pause_id for pause in change.open],
        [(delivery.pause_id, delivery.kind, delivery.channel) for delivery in change.deliveries],
        [*change.take, *(closing.pause_id for closing in change.close), *change.end],
        change.consume,
    ):
        if len(ids) > 1 and len(set(ids)) != len(ids):
            raise StoreRefusedError(f"session {session_id} names one thing twice")
    if change.rest is not None and change.rest.status not in _RESTING:
        raise StoreRefusedError(f"session {session_id} cannot rest as {change.rest.status}")
