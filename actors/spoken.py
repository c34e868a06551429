"""What a session has said to its owner, as its ledger has it: for channels in which it is heard somewhere else than here.

The words of the bot it runs, and of nothing that runs below it: what it says, what it asks in the conversation itself, that it
could not go on. Each has the number of its event, so that whoever tells them knows which it has told.
"""

from __future__ import annotations

from typing import Any, Literal, Protocol

from ..store.rows import LedgerRow
from ..store.snapshots import Timeline
from ..store.values import value
from .events import EventKind
from .jsontext import from_json
from .opening import CONVERSATION


@value
class Spoken:
    """One thing that was said.

    Attributes:
        seq: of its event in the session's ledger; later words have greater ones.
        what: it was said and needs no answer; it was asked, and the owner's next words are the answer; the bot has failed, and
            ``text`` is a code.
    """

    seq: int
    what: Literal["said", "asked", "failed"]
    text: str


class LedgerStore(Protocol):
    """What this needs of the store."""

    async def timeline(self, session_id: str) -> Timeline | None: ...


class Words:
    """The words of the sessions of one store."""

    def __init__(self, *, store: LedgerStore) -> None:
        self._store = store

    async def since(self, session_id: str, seq: int) -> tuple[Spoken, ...]:
        """What was said after an event, in order; nothing of a session that is not there."""
        timeline = await self._store.timeline(session_id)
        if timeline is None:
            return ()
        own = {row.execution_id for row in timeline.executions if row.parent_id is None}
        later = sorted(
            (event for event in timeline.events if event.seq > seq and event.execution_id in own),
            key=lambda event: event.seq,
        )
        return tuple(spoken for event in later if (spoken := _spoken(event)) is not None)


def _spoken(event: LedgerRow) -> Spoken | None:
    body: Any = from_json(event.body_json)
    match event.kind, body:
        case ((EventKind.MODEL_REPLIED | EventKind.MESSAGE_SENT), {"content": str() as text}) if text.strip():
            return Spoken(seq=event.seq, what="said", text=text)
        case EventKind.MODEL_REPLIED, {"refusal": str() as text} if text.strip():
            return Spoken(seq=event.seq, what="said", text=text)
        case EventKind.PAUSE_OPENED, {"channel": channel, "prompt": str() as text} if channel == CONVERSATION and text:
            return Spoken(seq=event.seq, what="asked", text=text)
        case EventKind.EXECUTION_FAILED, {"code": str() as code}:
            return Spoken(seq=event.seq, what="failed", text=code)
        case _:
            return None
