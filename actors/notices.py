"""What channels are told of a question: pure functions from its rows to the values that cross the port."""

from __future__ import annotations

from dataclasses import replace

from ..store.rows import DeliveryRow, PauseRow
from .asks import Ask, Progress, Relief, Reminder, Withdrawal
from .endings import summary_of
from .opening import ask_of
from .patience import patience_of, span_of
from .quorum import Standing


def ask_in(channel: str, pause: PauseRow) -> Ask:
    """The question as one of its channels shows it."""
    ask = ask_of(pause)
    escalation = patience_of(pause).escalation
    if escalation is None or escalation.channel != channel:
        return ask
    return replace(ask, escalated_from=escalation.asked_first)


def progress_of(delivery: DeliveryRow, pause: PauseRow, standing: Standing) -> Progress:
    return Progress(
        ask=ask_in(delivery.channel, pause),
        ref=delivery.ref,
        approved_by=standing.approved_by,
        rejected_by=standing.rejected_by,
        summary=standing.summary,
    )


def reminder_of(delivery: DeliveryRow, pause: PauseRow, *, now_ms: int) -> tuple[Reminder, int | None]:
    """The reminder that it is time for, and when the next one is due, if any."""
    # A clock that was set back since it came due makes it no earlier one.
    now_ms = max(now_ms, delivery.due_at_ms)
    sent_at_ms = delivery.created_at_ms
    number, next_ms = patience_of(pause).reminder(pause, sent_at_ms=sent_at_ms, now_ms=now_ms)
    reminder = Reminder(
        ask=ask_in(delivery.channel, pause),
        ref=delivery.ref,
        number=number,
        at_ms=now_ms,
        summary=f"Still waiting for an answer, for {span_of(now_ms - sent_at_ms)} now",
    )
    return reminder, next_ms


def relief_of(delivery: DeliveryRow, pause: PauseRow) -> Relief:
    escalation = patience_of(pause).escalation
    if escalation is None:
        raise ValueError("a question that is not escalated is taken from nobody")
    return Relief(
        ask=ask_in(delivery.channel, pause),
        ref=delivery.ref,
        asked_instead=escalation.channel,
        summary=f"Nobody answered within {span_of(escalation.after_ms)}, so {escalation.channel} is asked now",
    )


def withdrawal_of(delivery: DeliveryRow, pause: PauseRow) -> Withdrawal:
    why = pause.resolution
    if why not in ("decided", "replied", "timed_out", "withdrawn", "cancelled"):
        raise ValueError(f"a question closed as {why!r} is not taken back")
    return Withdrawal(
        ask=ask_in(delivery.channel, pause),
        ref=delivery.ref,
        why=why,
        answered_by=pause.responder,
        summary=summary_of(pause),
    )
