"""A wait that durable code has reached, as what the store is to hold of it: its pause and what carries its question."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from ..store.rows import DeliveryRow, PauseKind, PauseRow
from .failures import text_of
from .jsontext import from_json, to_json
from .keys import place_of
from .opening import CONVERSATION, escalation_of, opened_event_of, pause_of, posts_of, undeliverable
from .operations import Wait
from .patience import Patience
from .surroundings import Surroundings


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a wait comes to.

    Attributes:
        pause: closed as ``undeliverable`` where nobody can be asked; it is never stored then, and its step fails.
        event: the body of ``pause_opened``; None where nobody can be asked.
        posts: what puts the question to people.
    """

    pause: PauseRow
    event: str | None = None
    posts: tuple[DeliveryRow, ...] = ()


def asked(wait: Wait, around: Surroundings) -> Asked:
    is_question = wait.pause_kind is PauseKind.ASK
    role = around.role_of(wait.role) if is_question else None
    channels = (wait.channel,) if wait.channel else () if role is None else role.channels
    patience = Patience()
    if role is not None and CONVERSATION not in channels:
        patience = role.patience.within(wait.due_in_ms, asked_first=channels)
    asking = partial(
        pause_of,
        pause_id=around.ids.pause_id(),
        channels=channels,
        needs=1 if role is None else role.needs,
        patience=patience,
        now_ms=around.clock.now_ms(),
    )
    try:
        pause = asking(wait)
    except ValueError as error:
        # A prompt or a form with half a character in it, say. It is the code's to handle, so its step fails.
        reason = f"the question cannot be stored: {text_of(error)}"
        empty = asking(replace(wait, prompt="", makes_form=None))
        return Asked(pause=undeliverable(empty, reason=reason, code="step.unserializable"))
    if wait.key[0] != "/":
        pause = replace(pause, key=place_of(wait.key, "")[1])
    if is_question and not channels:
        # Found at assembly; an app that was put together by hand fails the step instead of waiting in silence.
        reason = f"no channel is wired to role {wait.role}"
        return Asked(pause=undeliverable(pause, reason=reason, code="channel.rejected"))
    event = opened_event_of(pause, wait)
    if wait.item is not None:
        event = to_json({**from_json(event), "item": wait.item})
    asked_first = channels if role is None or wait.channel else role.first_channels
    hold = partial(around.outbox.hold, session_id=pause.session_id)
    posts = posts_of(pause, channels=asked_first, hold=hold)
    return Asked(pause=pause, event=event, posts=posts + escalation_of(pause, patience))
