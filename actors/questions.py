"""Questions as a channel's way in sees them: what is asked, where it was put, and how it stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ..store.asked import AskedPause
from ..store.rows import AnswererKind, DeliveryStatus, PauseRow, PauseStatus, Resolution, channels_in
from ..store.values import value
from .asks import Ask, JsonValue
from .endings import summary_of
from .jsontext import from_json
from .notices import ask_in
from .opening import listed_decision_of


@value
class AskedQuestion:
    """One question.

    Attributes:
        answerer: whether the session's owner answers, or whom a channel has authenticated.
        channels: the names of the channels it goes to.
        refs: for each channel that has put it to people, what it needs to find its message again.
        is_open: it still takes an answer, as far as was known when it was read.
        summary: how it ended, in a sentence for people; None while it is open.
        responder: who answered it, as their channel knows them; None where nobody did.
        decision: what was decided, as listings show it; None where nothing was.
    """

    ask: Ask
    answerer: AnswererKind
    channels: tuple[str, ...]
    refs: Mapping[str, str | None]
    is_open: bool
    summary: str | None
    resolution: str | None
    responder: str | None
    decision: JsonValue
    resolved_at_ms: int | None


class AskedStore(Protocol):
    """What this needs of the store."""

    async def find(self, pause_id: str) -> AskedPause | None: ...

    async def open_in(self, session_id: str) -> tuple[AskedPause, ...]: ...

    async def open_through(self, channel: str, *, limit: int) -> tuple[AskedPause, ...]: ...


class Questions:
    """The questions of one store."""

    def __init__(self, *, store: AskedStore) -> None:
        self._store = store

    async def find(self, *, tenant: str, pause_id: str) -> AskedQuestion | None:
        """One question, open or closed; None for another tenant's, for none, and for one closed longer ago than is kept.

        Raises:
            SessionCorruptError: (session.corrupt) its row cannot be read back.
        """
        found = await self._store.find(pause_id)
        return None if found is None or found.pause.tenant != tenant else _question_of(found)

    async def open_in(self, *, tenant: str, session_id: str, channel: str | None = None) -> tuple[AskedQuestion, ...]:
        """The open questions of a session, oldest first; with ``channel``, those that go to it.

        Raises:
            SessionCorruptError: (session.corrupt) a row cannot be read back.
        """
        found = await self._store.open_in(session_id)
        questions = (_question_of(each) for each in found if each.pause.tenant == tenant)
        return tuple(each for each in questions if channel is None or channel in each.channels)

    async def open_through(self, channel: str, *, limit: int) -> tuple[AskedQuestion, ...]:
        """The newest open questions of all tenants that a channel has put to people, oldest first; raises as ``open_in``."""
        return tuple(_question_of(each) for each in await self._store.open_through(channel, limit=limit))


def _question_of(found: AskedPause) -> AskedQuestion:
    pause = found.pause
    is_open = pause.status == PauseStatus.PENDING
    return AskedQuestion(
        ask=ask_in(channels_in(pause.channel)[0], pause),
        answerer=AnswererKind(pause.answerer),
        channels=tuple(channels_in(pause.channel)),
        refs={post.channel: post.ref for post in found.posts if post.status == DeliveryStatus.SENT},
        is_open=is_open,
        summary=None if is_open else summary_of(pause),
        resolution=pause.resolution,
        responder=pause.responder,
        decision=_decision_of(pause),
        resolved_at_ms=pause.resolved_at_ms,
    )


def _decision_of(pause: PauseRow) -> JsonValue:
    if pause.resolution not in (Resolution.DECIDED, Resolution.REPLIED) or pause.answer_json is None:
        return None
    return listed_decision_of(pause, from_json(pause.answer_json))
