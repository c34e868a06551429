"""Turns a wait that durable code has reached into the rows that hold it: pure functions from values to rows."""

from __future__ import annotations

from dataclasses import dataclass

from ..store.rows import (
    DeliveryKind,
    DeliveryRow,
    DeliveryStatus,
    PauseKind,
    PauseRow,
    PauseStatus,
)
from .asks import Ask, form_from_json, form_to_json
from .errors import SessionCorruptError
from .jsontext import from_json, to_json
from .operations import Frame, Wait

CONVERSATION = "conversation"
"""The channel of questions asked as ordinary messages of the session: its owner's next message is the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Who delivers it at once, without asking the store for what is due; None leaves it to any dispatcher."""

    holder: str | None
    until_ms: int


def pause_of(wait: Wait, *, pause_id: str, channel: str, now_ms: int) -> PauseRow:
    frame: Frame = wait.frame
    return PauseRow(
        pause_id=pause_id,
        tenant=frame.tenant,
        session_id=frame.session_id,
        execution_id=frame.execution_id,
        key=wait.key,
        kind=wait.pause_kind,
        role=wait.role,
        channel=channel,
        answerer=wait.answerer,
        owner=frame.owner,
        status=PauseStatus.PENDING,
        is_sent=False,
        channel_ref=None,
        ask_json=to_json({"prompt": wait.prompt, "form": form_to_json(wait.form), "bot": frame.bot}),
        asked_at_ms=now_ms,
        deadline_at_ms=None if wait.due_in_ms is None else now_ms + wait.due_in_ms,
        resolution=None,
        answer_json=None,
        responder=None,
        resolved_at_ms=None,
    )


def post_of(pause: PauseRow, *, hold: Hold) -> DeliveryRow | None:
    """The delivery that puts the question to people; None where nothing has to be sent for it."""
    if pause.kind != PauseKind.ASK or pause.channel == CONVERSATION:
        return None
    return DeliveryRow(
        delivery_id=f"{pause.pause_id}:{DeliveryKind.POST}",
        pause_id=pause.pause_id,
        session_id=pause.session_id,
        channel=pause.channel,
        kind=DeliveryKind.POST,
        status=DeliveryStatus.DUE,
        due_at_ms=pause.asked_at_ms,
        attempts=0,
        last_error=None,
        holder=hold.holder,
        held_until_ms=hold.until_ms,
        created_at_ms=pause.asked_at_ms,
        settled_at_ms=None,
    )


def opened_event_of(pause: PauseRow, wait: Wait) -> str:
    """The body of ``pause_opened``: what was asked, without the id that is the right to answer it."""
    return to_json(
        {
            "kind": pause.kind,
            "role": pause.role,
            "channel": pause.channel,
            "prompt": wait.prompt,
            "deadline_at_ms": pause.deadline_at_ms,
        }
    )


def ask_of(pause: PauseRow) -> Ask:
    """The question as a channel and an interpreter see it.

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
        )
    except (ValueError, KeyError, TypeError) as error:
        raise SessionCorruptError(
            f"the question of step {pause.key} of session {pause.session_id} cannot be read: {error}"
        ) from error
