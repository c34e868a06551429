"""How long people are waited for before they are reminded, and before others are asked in their place.

What a question was asked with stands in its pause, so that neither a restart nor a new deployment changes it. Reminders are counted
from when those of a channel were sent the question, so that nobody is reminded of what has only just come; the escalation is
counted from when it was asked, so that it comes even where the first channel cannot be reached. Nothing is done once the
deadline has passed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..store.rows import PauseRow, channels_in
from ..store.values import value
from .asks import JsonValue
from .errors import SessionCorruptError
from .jsontext import from_json


@value
class Escalation:
    """Who is asked in place of those who were asked first.

    Attributes:
        channel: its name.
        after_ms: how long after the question was asked.
        asked_first: the channels that were asked before, by name; empty while nobody has been.
    """

    channel: str
    after_ms: int
    asked_first: tuple[str, ...] = ()


@value
class Patience:
    """What is done about a question that waits.

    Attributes:
        remind_after_ms: when to remind people, shortest first.
        escalation: None where nobody else is asked.
    """

    remind_after_ms: tuple[int, ...] = ()
    escalation: Escalation | None = None

    def within(self, due_in_ms: int | None, *, asked_first: Sequence[str]) -> Patience:
        """What of it is left for a question to ``asked_first`` that has so long until its deadline."""
        ahead = tuple(each for each in self.remind_after_ms if due_in_ms is None or each < due_in_ms)
        escalation = self.escalation
        if escalation is None or escalation.channel in asked_first:
            return Patience(remind_after_ms=ahead)
        if due_in_ms is not None and escalation.after_ms >= due_in_ms:
            return Patience(remind_after_ms=ahead)
        told = Escalation(channel=escalation.channel, after_ms=escalation.after_ms, asked_first=tuple(asked_first))
        return Patience(remind_after_ms=ahead, escalation=told)

    def first_reminder_ms(self, pause: PauseRow, *, sent_at_ms: int) -> int | None:
        """When those are to be reminded first who were sent the question at ``sent_at_ms``; None for never."""
        return self._reminder_ms(pause, 0, sent_at_ms)

    def reminder(self, pause: PauseRow, *, sent_at_ms: int, now_ms: int) -> tuple[int, int | None]:
        """Which reminder it is time for, the first being 1, and when the next one is due, if any.

        Those whose time passed while nobody was there to send them are left out: people are reminded once.
        """
        number = max(1, sum(sent_at_ms + each <= now_ms for each in self.remind_after_ms))
        return number, self._reminder_ms(pause, number, sent_at_ms)

    def _reminder_ms(self, pause: PauseRow, index: int, sent_at_ms: int) -> int | None:
        if index >= len(self.remind_after_ms):
            return None
        at_ms = sent_at_ms + self.remind_after_ms[index]
        return at_ms if pause.deadline_at_ms is None or at_ms < pause.deadline_at_ms else None


NONE = Patience()
"""Nobody is reminded, and nobody else is asked."""

_REMINDS = "remind_after_ms"
_ESCALATES = "escalate"


def patience_to_json(patience: Patience) -> dict[str, JsonValue]:
    """The members of a stored question that say it; none where nothing is to be done."""
    told: dict[str, JsonValue] = {}
    if patience.remind_after_ms:
        told[_REMINDS] = list(patience.remind_after_ms)
    if (escalation := patience.escalation) is not None:
        told[_ESCALATES] = {
            "to": escalation.channel,
            "after_ms": escalation.after_ms,
            "from": list(escalation.asked_first),
        }
    return told


def patience_of(pause: PauseRow) -> Patience:
    """What was said when the question was asked.

    Raises:
        SessionCorruptError: (session.corrupt) the row cannot be read back.
    """
    if _REMINDS not in pause.ask_json and _ESCALATES not in pause.ask_json:
        return NONE  # as most do; it is asked several times of each question, and reading one takes longer than looking
    try:
        stored: Any = from_json(pause.ask_json)
        to: Any = stored.get(_ESCALATES)
        return Patience(
            remind_after_ms=tuple(stored.get(_REMINDS, ())),
            escalation=None
            if to is None
            else Escalation(channel=to["to"], after_ms=to["after_ms"], asked_first=tuple(to["from"])),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise SessionCorruptError(
            f"the question of step {pause.key} of session {pause.session_id} cannot be read: {error}"
        ) from error


def escalated_to(pause: PauseRow) -> str | None:
    """The channel that is asked in place of those asked first, once its people have been sent the question."""
    escalation = patience_of(pause).escalation
    return None if escalation is None or channels_in(pause.channel) != [escalation.channel] else escalation.channel


def span_of(ms: int) -> str:
    """A time that has passed, in words for people."""
    minutes = max(1, round(ms / 60_000))
    if minutes < 90:
        return _counted(minutes, "minute")
    hours = round(minutes / 60)
    return _counted(hours, "hour") if hours < 48 else _counted(round(hours / 24), "day")


def _counted(count: int, unit: str) -> str:
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"
