"""Telling the app, over whichever wire it chose: acknowledged within three seconds, or told again.

See https://docs.slack.dev/apis/events-api/#retries
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeVar

from overwinter.actors.clock import Clock

from .shapes import JsonObject
from .tasks import Changes, Tasks

Result = TypeVar("Result")

ACK_WITHIN_MS = 3_000
"""Three seconds, for events and interactions alike. See https://docs.slack.dev/apis/events-api/#responding"""

RETRY_AFTER_MS = (0, 60_000, 300_000)
"""Nearly at once, after a minute, after five minutes; then no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """One attempt to tell the app something."""

    kind: Literal["events_api", "interactive"]
    payload: JsonObject
    ack_by_ms: int
    attempt: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Acked:
    """Acknowledged in time, with what came along."""

    body: JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """Not acknowledged in time.

    Attributes:
        reason: As ``X-Slack-Retry-Reason`` gives it.
        is_final: The app asked not to be told again, with ``X-Slack-No-Retry``.
    """

    reason: str
    is_final: bool = False


class Wire(Protocol):
    """A way to the app: ``SocketWire`` or ``HttpWire``."""

    async def send(self, outgoing: Outgoing) -> Acked | Missed: ...


@dataclass(slots=True, kw_only=True)
class Delivery:
    """One event on its way, however often it is tried."""

    body: JsonObject
    attempts: list[Outgoing] = field(default_factory=list[Outgoing])
    missed: list[Missed] = field(default_factory=list[Missed])
    is_acked: bool = False

    @property
    def event_id(self) -> str:
        return str(self.body["event_id"])

    @property
    def event(self) -> JsonObject:
        return self.body["event"]


class Deliverer:
    """Delivers events. One that is on the wire counts as ``in_flight``; one that waits for its next try does not."""

    def __init__(self, *, clock: Clock, tasks: Tasks, changes: Changes, wire: Callable[[], Wire]) -> None:
        self._clock = clock
        self._tasks = tasks
        self._changes = changes
        self._wire = wire
        self.in_flight = 0
        self.deliveries: list[Delivery] = []
        self.withheld: list[Delivery] | None = None
        """What waits to be let go, where a test withholds events; None where they go at once."""

    def tell(self, body: JsonObject) -> Delivery:
        delivery = Delivery(body=body)
        self.deliveries.append(delivery)
        if self.withheld is not None:
            self.withheld.append(delivery)
        else:
            self.send(delivery)
        return delivery

    def send(self, delivery: Delivery) -> None:
        """Start telling it, with the retries that it needs."""
        self.in_flight += 1
        self._tasks.spawn(self._deliver(delivery, begun_ms=self._clock.now_ms()))

    def send_again(self, delivery: Delivery, *, reason: str) -> None:
        """Tell it once more, as Slack does where the acknowledgement was lost on its way."""
        self.in_flight += 1
        self._tasks.spawn(self._try_once(delivery, reason=reason, begun_ms=self._clock.now_ms()))

    async def _deliver(self, delivery: Delivery, *, begun_ms: int) -> None:
        missed = await self._try(delivery, reason="", begun_ms=begun_ms)
        for after_ms in RETRY_AFTER_MS:
            if missed is None or missed.is_final:
                return
            await self._clock.sleep_until_ms(begun_ms + after_ms)
            self.in_flight += 1
            missed = await self._try(delivery, reason=missed.reason, begun_ms=self._clock.now_ms())

    async def _try_once(self, delivery: Delivery, *, reason: str, begun_ms: int) -> None:
        await self._try(delivery, reason=reason, begun_ms=begun_ms)

    async def _try(self, delivery: Delivery, *, reason: str, begun_ms: int) -> Missed | None:
        outgoing = Outgoing(
            kind="events_api",
            payload=delivery.body,
            ack_by_ms=begun_ms + ACK_WITHIN_MS,
            attempt=len(delivery.attempts) if reason else 0,
            reason=reason,
        )
        delivery.attempts.append(outgoing)
        self._changes.tell()
        try:
            reply = await self._wire().send(outgoing)
        finally:
            self.in_flight -= 1
            self._changes.tell()
        match reply:
            case Acked():
                delivery.is_acked = True
                missed = None
            case Missed():
                delivery.missed.append(reply)
                missed = reply
        self._changes.tell()
        return missed


async def finish_by(work: asyncio.Future[Result], *, clock: Clock, due_ms: int) -> Result | None:
    """What the work gives, or None if it is not done by then; it is cancelled in that case."""
    late = asyncio.ensure_future(clock.sleep_until_ms(due_ms))
    try:
        await asyncio.wait({work, late}, return_when=asyncio.FIRST_COMPLETED)
        return work.result() if work.done() else None
    finally:
        for future in (work, late):
            if not future.done():
                future.cancel()
        await asyncio.gather(work, late, return_exceptions=True)
