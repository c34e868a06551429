"""Carries notes to connections, and runs the connections' ways in: what goes on beside the supervisor.

Both only make what the store says happen sooner or at all; neither decides anything.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Literal

import structlog

from ..store.errors import StoreError
from ..store.rows import NoteRow
from .attempts import code_of, failure_of
from .clock import Clock
from .delivery_settings import DeliverySettings
from .failures import text_of
from .looking import Looking
from .notes import NoteStore, note_of
from .reception import Connection

_REST_S = 5.0
"""How long a way in that has failed rests before it is begun again; doubled each time, up to ``_LONGEST_REST_S``."""
_LONGEST_REST_S = 300.0
_STEADY_S = 600.0
"""Having run for so long, it counts as having worked."""
_GRACE_S = 2.0
_SWEEP_EVERY_MS = 3_600_000
_SWEEP_AT_ONCE = 500

_log = structlog.get_logger("overwinter.telling")


class Teller:
    """Tells the notes of one connection."""

    def __init__(
        self,
        *,
        store: NoteStore,
        clock: Clock,
        holder: str,
        connection: Connection,
        settings: DeliverySettings,
        poll_s: float,
        retention_s: float,
    ) -> None:
        """
        Args:
            poll_s: how long a note that another process has written may go unnoticed.
            retention_s: how long a note is kept once it is told.
        """
        self.name = f"notes of {connection.name}"
        self._store = store
        self._clock = clock
        self._holder = holder
        self._connection = connection
        self._settings = settings
        self._retention_ms = int(retention_s * 1000)
        poll_ms = int(poll_s * 1000)
        self._looking = Looking(clock=clock, look=self._work, poll_ms=lambda: poll_ms)
        self._sweep_at_ms = clock.now_ms()
        self._under_way: dict[str, asyncio.Task[None]] = {}

    @property
    def is_busy(self) -> bool:
        return self._looking.is_busy or bool(self._under_way)

    async def due_ms(self) -> int | None:
        """When there is something to tell again; None if nothing is left."""
        return await self._store.due_ms(self._connection.name)

    def look(self) -> None:
        """Something may be there to tell."""
        self._looking.tell()

    async def run(self) -> None:
        """Tell what comes due, until it is cancelled; then finish what is being told, if that takes a moment.

        Raises:
            StoreError: the store failed for good.
        """
        try:
            await self._looking.run()
        finally:
            await self._wind_up()

    async def _work(self) -> int | None:
        """Tell and forget what is due; when something is due next. Only if something is does it take the store's lock."""
        now_ms = self._clock.now_ms()
        due_ms = await self.due_ms()
        if due_ms is not None and due_ms <= now_ms:
            await self._start_due(now_ms)
            due_ms = await self.due_ms()
        if self._sweep_at_ms <= now_ms:
            self._sweep_at_ms = now_ms + _SWEEP_EVERY_MS
            await self._sweep(now_ms)
        # What is due already is held, or follows one of its lane: the end of that one is told.
        return None if due_ms is None or due_ms <= now_ms else due_ms

    async def _wind_up(self) -> None:
        if not self._under_way:
            return
        _, late = await asyncio.wait(self._under_way.values(), timeout=_GRACE_S)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    async def _start_due(self, now_ms: int) -> None:
        free = self._settings.concurrency - len(self._under_way)
        if free <= 0:
            return
        rows = await self._store.claim(
            self._connection.name,
            holder=self._holder,
            limit=free,
            now_ms=now_ms,
            until_ms=now_ms + int(self._settings.hold_s * 1000),
        )
        for row in rows:
            if row.note_id in self._under_way:
                continue  # its hold ran out here, as when the machine was asleep; that it was claimed again has prolonged it
            task = asyncio.create_task(self._tell(row), name=f"note {row.kind}")
            self._under_way[row.note_id] = task
            task.add_done_callback(partial(self._done, row.note_id))

    def _done(self, note_id: str, _: asyncio.Task[None]) -> None:
        del self._under_way[note_id]
        self._looking.tell()

    async def _tell(self, row: NoteRow) -> None:
        try:
            await self._carry(row)
        except StoreError as error:
            # Nothing is known to be written: the hold runs out, and the note is told again under the same id.
            _log.warning(error.code, channel=row.channel, kind=row.kind, error=str(error))

    async def _carry(self, row: NoteRow) -> None:
        error = await failure_of(self._say(row))
        if error is None:
            await self._settle(row, "sent")
            return
        in_s = self._settings.next_try_in_s(row.attempts, error)
        if in_s is None:
            await self._give_up(row, error)
        else:
            await self._retry(row, error, in_s=in_s)

    async def _say(self, row: NoteRow) -> None:
        async with asyncio.timeout(self._settings.send_timeout_s):
            await self._connection.tell(note_of(row))

    async def _retry(self, row: NoteRow, error: BaseException, *, in_s: float) -> None:
        attempt = row.attempts + 1
        text = text_of(error) or "the channel took too long"
        _log.info("note.retried", channel=row.channel, kind=row.kind, attempt=attempt, in_s=in_s, error=text)
        await self._settle(row, "retry", error=text, in_s=in_s)

    async def _give_up(self, row: NoteRow, error: BaseException) -> None:
        text = text_of(error) or type(error).__name__
        _log.warning("note.failed", channel=row.channel, kind=row.kind, code=code_of(error), error=text)
        await self._settle(row, "failed", error=text)

    async def _settle(
        self, row: NoteRow, outcome: Literal["sent", "retry", "failed"], *, error: str | None = None, in_s: float = 0.0
    ) -> None:
        now_ms = self._clock.now_ms()
        due_at_ms = now_ms + int(in_s * 1000)
        if not await self._store.settle(
            row.note_id, holder=self._holder, outcome=outcome, error=error, due_at_ms=due_at_ms, now_ms=now_ms
        ):
            _log.warning("note.lost", channel=row.channel, kind=row.kind)

    async def _sweep(self, now_ms: int) -> None:
        before_ms = now_ms - self._retention_ms
        while await self._store.sweep(settled_before_ms=before_ms, limit=_SWEEP_AT_ONCE) == _SWEEP_AT_ONCE:
            pass


class Receiving:
    """Runs one connection's way in, and begins it again when it fails."""

    is_busy = False

    def __init__(self, *, connection: Connection, clock: Clock) -> None:
        self.name = f"receiving of {connection.name}"
        self._connection = connection
        self._clock = clock

    def look(self) -> None:
        """A way in waits for others, not for the store."""

    async def run(self) -> None:
        """Receive until it is cancelled."""
        rest_s = _REST_S
        while True:
            begun_s = self._clock.monotonic_s()
            try:
                await self._connection.run()
                _log.warning("connection.ended", connection=self._connection.name)
            except Exception as error:
                _log.error("connection.failed", connection=self._connection.name, error=text_of(error))
            if self._clock.monotonic_s() - begun_s >= _STEADY_S:
                rest_s = _REST_S
            await self._clock.sleep_until_ms(self._clock.now_ms() + int(rest_s * 1000))
            rest_s = min(2 * rest_s, _LONGEST_REST_S)
