"""Turns a wait that durable code has reached into the rows that hold it: pure functions from values to rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..store.resolutions import Hold
from ..store.rows import (
    DeliveryKind,
    DeliveryRow,
    DeliveryStatus,
    PauseKind,
    PauseRow,
    PauseStatus,
    joined_channels,
)
from .asks import Ask, JsonValue, form_from_json, form_to_json
from .errors import SessionCorruptError
from .jsontext import from_json, to_json
from .operations import Frame, Wait
from .patience import Patience, patience_to_json
from .privacy import as_asked, listed_decision, listed_prompt, marks_of_decision

CONVERSATION = "conversation"
"""The channel of questions asked as ordinary messages of the session: its owner's next message is the answer."""


def pause_of(
    wait: Wait, *, pause_id: str, channels: Sequence[str], needs: int, patience: Patience, now_ms: int
) -> PauseRow:
    """The pause that holds a wait.

    Args:
        channels: names of all channels that its question may go to at first; none for a timer.
        needs: how many people have to agree.
        patience: what is done about it while it waits.
    """
    frame: Frame = wait.frame
    ask: dict[str, JsonValue] = {"prompt": wait.prompt, "form": form_to_json(wait.form), "bot": frame.bot}
    if needs > 1:
        ask["needs"] = needs
    ask |= patience_to_json(patience)
    if wait.details is not None:
        ask["details"] = wait.details
    asked_at_ms = now_ms if wait.since_ms is None else wait.since_ms
    counted_from_ms = min(asked_at_ms, now_ms)  # where the clock was set back meanwhile, it lasts no longer for that
    return PauseRow(
        pause_id=pause_id,
        tenant=frame.tenant,
        session_id=frame.session_id,
        execution_id=frame.execution_id,
        key=wait.key,
        kind=wait.pause_kind,
        role=wait.role,
        channel=joined_channels(channels),
        answerer=wait.answerer,
        owner=frame.owner,
        status=PauseStatus.PENDING,
        is_sent=False,
        ask_json=to_json(ask),
        asked_at_ms=asked_at_ms,
        deadline_at_ms=None if wait.due_in_ms is None else counted_from_ms + wait.due_in_ms,
        resolution=None,
        answer_json=None,
        responder=None,
        resolved_at_ms=None,
    )


def undeliverable(pause: PauseRow, *, reason: str, code: str) -> PauseRow:
    """The pause of a question that nobody can be asked, as its step reads it; it is never stored."""
    return replace(pause, resolution="undeliverable", answer_json=to_json({"reason": reason, "code": code}))


def posts_of(
    pause: PauseRow, *, channels: Sequence[str], hold: Callable[[str], Hold | None]
) -> tuple[DeliveryRow, ...]:
    """The deliveries that put the question to people; none where nothing has to be sent for it.

    Args:
        channels: those that are asked at once.
        hold: takes the post to a channel if this process can carry it at once.
    """
    if pause.kind != PauseKind.ASK or pause.channel == CONVERSATION:
        return ()
    return tuple(post_of(pause, channel=channel, hold=hold(channel), now_ms=pause.asked_at_ms) for channel in channels)


def escalation_of(pause: PauseRow, patience: Patience) -> tuple[DeliveryRow, ...]:
    """The delivery that puts the question to others if it still waits by then."""
    if patience.escalation is None:
        return ()
    post = post_of(pause, channel=patience.escalation.channel, hold=None, now_ms=pause.asked_at_ms)
    return (replace(post, due_at_ms=pause.asked_at_ms + patience.escalation.after_ms),)


def post_of(pause: PauseRow, *, channel: str, hold: Hold | None, now_ms: int) -> DeliveryRow:
    return DeliveryRow(
        pause_id=pause.pause_id,
        kind=DeliveryKind.POST,
        channel=channel,
        session_id=pause.session_id,
        status=DeliveryStatus.DUE,
        ref=None,
        due_at_ms=now_ms,
        attempts=0,
        last_error=None,
        holder=None if hold is None else hold.holder,
        held_until_ms=0 if hold is None else hold.until_ms,
        created_at_ms=now_ms,
        settled_at_ms=None,
    )


def opened_event_of(pause: PauseRow, wait: Wait) -> str:
    """The body of ``pause_opened``: what was asked, as listings show it, without the id that is the right to answer it."""
    marks = marks_of_decision(wait.form)
    return to_json(
        {
            "kind": pause.kind,
            "role": pause.role,
            "channel": pause.channel,
            "prompt": listed_prompt(wait.prompt, wait.form),
            "deadline_at_ms": pause.deadline_at_ms,
            **({} if marks is None else {"marks": marks}),
        }
    )


def ask_of(pause: PauseRow) -> Ask:
    """The question as a channel is given it; raises as ``whole_ask_of`` does."""
    return as_asked(whole_ask_of(pause))


def prompt_of(pause: PauseRow) -> str:
    """The question as listings and notices show it; raises as ``whole_ask_of`` does."""
    try:
        stored = from_json(pause.ask_json)
        return listed_prompt(stored["prompt"], form_from_json(stored["form"]))
    except (ValueError, KeyError, TypeError) as error:
        raise _unreadable(pause, error) from error


def listed_decision_of(pause: PauseRow, decision: JsonValue) -> JsonValue:
    """A decision as the audit keeps it and listings show it; raises as ``whole_ask_of`` does."""
    return listed_decision(whole_ask_of(pause).form, decision)


def whole_ask_of(pause: PauseRow) -> Ask:
    """The question with every value in it, as it is read and checked; no channel and no listing is given this.

    Raises:
        SessionCorruptError: (session.corrupt) the row cannot be read back.
    """
    try:
        stored = from_json(pause.ask_json)
        form = form_from_json(stored["form"])
        if form is None:
            raise ValueError("it asks nothing")
        return Ask(
            pause_id=pause.pause_id,
            role=pause.role,
            prompt=stored["prompt"],
            form=form,
            session_id=pause.session_id,
            tenant=pause.tenant,
            owner=pause.owner,
            bot=stored["bot"],
            asked_at_ms=pause.asked_at_ms,
            deadline_at_ms=pause.deadline_at_ms,
            execution_id=pause.execution_id,
            step=pause.key,
            needs=stored.get("needs", 1),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise _unreadable(pause, error) from error


def _unreadable(pause: PauseRow, error: Exception) -> SessionCorruptError:
    return SessionCorruptError(
        f"the question of step {pause.key} of session {pause.session_id} cannot be read: {error}"
    )
