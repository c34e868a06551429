"""Notes: what a channel tells people that asks nothing, durable until it is told.

Whoever has something to say writes it here and goes on; ``telling`` carries it. A note that cannot be sent now is sent
later, and one whose process dies is sent by another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Protocol

from ..store.rows import NoteRow, NoteStatus
from ..store.values import value
from .asks import JsonValue
from .clock import Clock
from .jsontext import from_json, to_json


@value
class Note:
    """One thing to tell.

    Attributes:
        note_id: made of what caused it, so that the same cause leaves one note; also the idempotency key towards the vendor.
        channel: the name of the connection that tells it.
        kind: what it is, in the channel's own word.
        addressee: whom it is for, in the channel's words: what ``Notes.count_to`` counts by. None where nothing is counted.
        lane: notes of one lane are told one after another by ``position``; None where their order does not matter.
        body: what the channel needs to tell it.
        is_again: an earlier attempt may have told it already, as one that failed or whose process died.
    """

    note_id: str
    channel: str
    kind: str
    body: JsonValue
    addressee: str | None = None
    lane: str | None = None
    position: int = 0
    tenant: str = "default"
    session_id: str | None = None
    pause_id: str | None = None
    is_again: bool = False


class NoteStore(Protocol):
    """What notes need of the store."""

    async def write(self, row: NoteRow) -> bool: ...

    async def claim(
        self, channel: str, *, holder: str, limit: int, now_ms: int, until_ms: int
    ) -> tuple[NoteRow, ...]: ...

    async def settle(
        self,
        note_id: str,
        *,
        holder: str,
        outcome: Literal["sent", "retry", "failed"],
        error: str | None,
        due_at_ms: int,
        now_ms: int,
    ) -> bool: ...

    async def due_ms(self, channel: str) -> int | None: ...

    async def count_to(self, channel: str, addressee: str, *, since_ms: int) -> int: ...

    async def sweep(self, *, settled_before_ms: int, limit: int) -> int: ...


class Notes:
    """Where notes are written.

    Args:
        written: called after each commit, so that whoever tells notes in this process looks at once.
    """

    def __init__(self, *, store: NoteStore, clock: Clock, written: Callable[[], None]) -> None:
        self._store = store
        self._clock = clock
        self._written = written

    async def write(self, note: Note, *, delay_ms: int = 0) -> bool:
        """Keep a note until it is told; False if one of its id was written before.

        Args:
            delay_ms: not before so much time has passed.
        """
        now_ms = self._clock.now_ms()
        row = NoteRow(
            note_id=note.note_id,
            channel=note.channel,
            kind=note.kind,
            addressee=note.addressee,
            lane=note.lane,
            position=note.position,
            tenant=note.tenant,
            session_id=note.session_id,
            pause_id=note.pause_id,
            body_json=to_json(note.body),
            status=NoteStatus.DUE,
            due_at_ms=now_ms + delay_ms,
            attempts=0,
            last_error=None,
            holder=None,
            held_until_ms=0,
            created_at_ms=now_ms,
            settled_at_ms=None,
        )
        is_new = await self._store.write(row)
        if is_new:
            self._written()
        return is_new

    async def count_to(self, channel: str, addressee: str, *, within_ms: int) -> int:
        """How many notes were written to somebody in the last ``within_ms``."""
        since_ms = self._clock.now_ms() - within_ms
        return await self._store.count_to(channel, addressee, since_ms=since_ms)


def note_of(row: NoteRow) -> Note:
    """Raises ``ValueError`` for a body that is no JSON."""
    return Note(
        note_id=row.note_id,
        channel=row.channel,
        kind=row.kind,
        body=from_json(row.body_json),
        addressee=row.addressee,
        lane=row.lane,
        position=row.position,
        tenant=row.tenant,
        session_id=row.session_id,
        pause_id=row.pause_id,
        is_again=row.attempts > 0,
    )
