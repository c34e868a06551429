"""Carries deliveries to channels: posts questions, reminds people, takes closed ones back, retries what may pass.

A pass leaves a post here right after its commit (``offer``); everything else, and whatever a dead process had taken, is found by
asking the store what is due. Each delivery is held while it is under way, so no two dispatchers carry the same one; a hold that
runs out frees it, for another dispatcher. Vendors recognise a repeated post by the pause's id. A reminder alone is not sent
again where whoever had it has not said how it went: better one too few than one too many.
"""

from __future__ import annotations

import asyncio
import heapq
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal, Protocol

import structlog

from ..store.changes import ClaimDeliveries, ClaimDeliveriesResult, DeliveryKey, SettleDelivery, SettleResult
from ..store.errors import StoreError
from ..store.resolutions import Hold
from ..store.rows import DeliveryKind, DeliveryRow, PauseRow
from .answering import Answering
from .asks import AwaitReply, Decided, call_of
from .attempts import code_of, failure_of
from .clock import Clock
from .delivery_settings import DeliverySettings
from .errors import ChannelRejectedError, SessionCorruptError
from .failures import text_of
from .jsontext import to_json
from .notices import ask_in, progress_of, relief_of, reminder_of, withdrawal_of
from .patience import patience_of
from .ports import Channel, Relieving, Reminding
from .surroundings import Reviver

_TRIES = 3
"""How often a settlement is offered to a store that is busy."""

_log = structlog.get_logger("overwinter.delivering")


Carries = Callable[[str, str], bool]
"""Of a channel and a session: whether this process carries what the session asks there."""


class DeliveryStore(Protocol):
    """What a dispatcher needs of the store."""

    async def claim_deliveries(self, change: ClaimDeliveries) -> ClaimDeliveriesResult: ...

    async def settle_delivery(self, change: SettleDelivery) -> SettleResult: ...


class Dispatcher:
    """Delivers for the channels of one process."""

    def __init__(
        self,
        *,
        store: DeliveryStore,
        clock: Clock,
        holder: str,
        channels: Mapping[str, Channel],
        answering: Answering,
        reviver: Reviver,
        settings: DeliverySettings,
        carries: Carries = lambda _channel, _session_id: True,
    ) -> None:
        self._store = store
        self._clock = clock
        self._holder = holder
        self._channels = channels
        self._answering = answering
        self._reviver = reviver
        self._settings = settings
        self._carries = carries
        self._under_way: set[asyncio.Task[None]] = set()
        self._in_hand: dict[tuple[DeliveryKey, int], asyncio.Task[None]] = {}
        """What is under way, by key and by when it was asked for."""
        self._claims_under_way = 0
        self._is_open = False
        self._retries_ms: list[int] = []
        """When deliveries that failed here are due again, the earliest first; others are found by a poll."""
        self.room_again = asyncio.Event()
        """Set when a delivery has ended while there was room for no other: more may be due."""

    # -- the outbox that passes leave things in -----------------------------------------------------------------------
    def hold(self, channel: str, *, session_id: str) -> Hold | None:
        """Take a delivery that is about to be written, if this process can carry it at once."""
        if not self._is_open or channel not in self._channels or not self._carries(channel, session_id):
            return None
        if len(self._under_way) >= self._settings.concurrency:
            return None
        return Hold(holder=self._holder, until_ms=self._hold_until_ms())

    def offer(self, delivery: DeliveryRow, pause: PauseRow) -> None:
        """Carry a delivery that is held for this process; one that comes after the end is freed with its hold."""
        if delivery.holder == self._holder and self._is_open:
            self._start(delivery, pause)

    # -- the supervisor's side ----------------------------------------------------------------------------------------
    @property
    def is_busy(self) -> bool:
        """Whether a delivery is in the hands of a channel, or about to be."""
        return bool(self._under_way) or self._claims_under_way > 0

    def open(self) -> None:
        self._is_open = True

    async def take_due(self) -> bool:
        """Start what is due; True if there may be more."""
        free = self._settings.concurrency - len(self._under_way)
        if free <= 0 or not self._is_open:
            return False
        change = ClaimDeliveries(
            holder=self._holder, limit=free, now_ms=self._clock.now_ms(), until_ms=self._hold_until_ms()
        )
        self._claims_under_way += 1
        try:
            result = await self._store.claim_deliveries(change)
        finally:
            self._claims_under_way -= 1
        for delivery, pause in result.deliveries:
            self._start(delivery, pause, is_abandoned=delivery.key in result.abandoned)
        return len(result.deliveries) == free

    def next_retry_ms(self, looked_ms: int) -> int | None:
        """When something that failed here is due again, after what was due at the last look; None if nothing is."""
        while self._retries_ms and self._retries_ms[0] <= looked_ms:
            heapq.heappop(self._retries_ms)
        return self._retries_ms[0] if self._retries_ms else None

    async def close(self, *, grace_s: float) -> None:
        """Finish what is under way; what does not finish in time is freed when its hold runs out."""
        self._is_open = False
        if self._under_way:
            _, late = await asyncio.wait(self._under_way, timeout=grace_s)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)

    # -- one delivery -------------------------------------------------------------------------------------------------
    def _start(self, delivery: DeliveryRow, pause: PauseRow, *, is_abandoned: bool = False) -> None:
        asked = delivery.key, delivery.created_at_ms
        if is_abandoned and asked in self._in_hand:
            return  # its hold ran out here, as when the machine was asleep; that it was claimed again has prolonged it
        work = self._deliver(delivery, pause, is_abandoned=is_abandoned)
        task = asyncio.create_task(work, name=f"delivery of {pause.key}")
        self._in_hand[asked] = task
        self._under_way.add(task)
        task.add_done_callback(partial(self._done, asked))

    def _done(self, asked: tuple[DeliveryKey, int], task: asyncio.Task[None]) -> None:
        had_room = len(self._under_way) < self._settings.concurrency
        if self._in_hand.get(asked) is task:
            del self._in_hand[asked]
        self._under_way.discard(task)
        if not had_room:
            self.room_again.set()

    async def _deliver(self, delivery: DeliveryRow, pause: PauseRow, *, is_abandoned: bool) -> None:
        try:
            await self._carry(delivery, pause, is_abandoned=is_abandoned)
        except StoreError as error:
            # Not the channel's fault, and nothing is known to be written: the hold runs out, and whoever takes the delivery
            # then makes it again under the same key.
            _log.warning(error.code, channel=delivery.channel, step=pause.key, error=str(error))

    async def _carry(self, delivery: DeliveryRow, pause: PauseRow, *, is_abandoned: bool) -> None:
        channel = self._channels.get(delivery.channel)
        if channel is None:
            # Another process may have it: give it back, to be looked at again later.
            await self._settle(
                delivery, "passed_on", error=f"channel {delivery.channel} is not configured here", in_s=60.0
            )
            return
        match DeliveryKind(delivery.kind):
            case DeliveryKind.POST:
                work = self._post(channel, delivery, pause)
            case DeliveryKind.UPDATE:
                work = self._update(channel, delivery, pause)
            case DeliveryKind.REMIND:
                work = self._remind(channel, delivery, pause, is_abandoned=is_abandoned)
            case DeliveryKind.RELIEVE:
                work = self._relieve(channel, delivery, pause)
            case DeliveryKind.WITHDRAW:
                work = self._withdraw(channel, delivery, pause)
        error = await failure_of(work)
        if error is None:
            return
        in_s = self._settings.next_try_in_s(delivery.attempts, error)
        if in_s is None:
            await self._give_up(delivery, pause, error)
        else:
            await self._retry(delivery, pause, error, in_s=in_s)

    async def _post(self, channel: Channel, delivery: DeliveryRow, pause: PauseRow) -> None:
        patience = patience_of(pause)
        is_escalation = patience.escalation is not None and patience.escalation.channel == delivery.channel
        if is_escalation and await self._is_closed_by_the_clock(delivery, pause):
            return
        async with asyncio.timeout(self._settings.send_timeout_s):
            outcome = await channel.send(ask_in(delivery.channel, pause))
        match outcome:
            case AwaitReply(ref=ref):
                now_ms = self._clock.now_ms()
                remind_at_ms = patience.first_reminder_ms(pause, sent_at_ms=now_ms)
                await self._settle(
                    delivery, "sent", ref=ref, escalates=is_escalation, remind_at_ms=remind_at_ms, now_ms=now_ms
                )
                if is_escalation:
                    _log.info("question.escalated", channel=delivery.channel, step=pause.key)
            case Decided(decision=decision, answered_by=answered_by):
                # Recorded first: if we die in between, the post is found to be of a closed question and dropped.
                await self._answering.decide_at_once(
                    pause, decision=decision, answered_by=answered_by, channel=delivery.channel
                )
                why = f"channel {delivery.channel} decides by itself, and more people have to approve"
                await self._settle(delivery, "decided", stranded={"reason": why, "code": "channel.rejected"})

    async def _update(self, channel: Channel, delivery: DeliveryRow, pause: PauseRow) -> None:
        progress = progress_of(delivery, pause, await self._answering.standing_of(pause))
        async with asyncio.timeout(self._settings.send_timeout_s):
            await channel.update(progress)
        await self._settle(delivery, "sent")

    async def _remind(self, channel: Channel, delivery: DeliveryRow, pause: PauseRow, *, is_abandoned: bool) -> None:
        if await self._is_closed_by_the_clock(delivery, pause):
            return
        if not isinstance(channel, Reminding):
            raise ChannelRejectedError(f"channel {delivery.channel} cannot remind anybody")
        reminder, next_ms = reminder_of(delivery, pause, now_ms=self._clock.now_ms())
        why = None
        if is_abandoned:
            why = "whoever was sending it has not said how it went"
        else:
            try:
                async with asyncio.timeout(self._settings.send_timeout_s):
                    await channel.remind(reminder)
            except TimeoutError:
                why = "the channel took too long to say how it went"
        if why is not None:
            _log.warning("channel.remind-failed", channel=delivery.channel, step=pause.key, error=why)
        await self._settle(delivery, "sent" if why is None else "failed", error=why, remind_at_ms=next_ms)

    async def _relieve(self, channel: Channel, delivery: DeliveryRow, pause: PauseRow) -> None:
        if not isinstance(channel, Relieving):
            raise ChannelRejectedError(f"channel {delivery.channel} cannot take a question back while it waits")
        async with asyncio.timeout(self._settings.send_timeout_s):
            await channel.relieve(relief_of(delivery, pause))
        await self._settle(delivery, "sent")

    async def _is_closed_by_the_clock(self, delivery: DeliveryRow, pause: PauseRow) -> bool:
        """Nobody is told of a question whose time is up, even where nothing has noticed it yet."""
        now_ms = self._clock.now_ms()
        if pause.deadline_at_ms is None or now_ms < pause.deadline_at_ms:
            return False
        await self._answering.pass_deadline(pause)
        await self._settle(delivery, "retry")  # which finds it closed, and drops it
        return True

    async def _withdraw(self, channel: Channel, delivery: DeliveryRow, pause: PauseRow) -> None:
        withdrawal = withdrawal_of(delivery, pause)
        call = call_of(withdrawal.ask.form)
        limits = [self._settings.send_timeout_s]
        if call is not None and call.timeout_s is not None:
            limits.append(call.timeout_s)
        async with asyncio.timeout(min(limits)):
            await channel.withdraw(withdrawal)
        await self._settle(delivery, "sent")

    async def _retry(self, delivery: DeliveryRow, pause: PauseRow, error: BaseException, *, in_s: float) -> None:
        attempt = delivery.attempts + 1
        text = _told(error, pause) or "the channel took too long"
        _log.info("delivery.retried", channel=delivery.channel, step=pause.key, attempt=attempt, in_s=in_s, error=text)
        await self._settle(delivery, "retry", error=text, in_s=in_s)

    async def _give_up(self, delivery: DeliveryRow, pause: PauseRow, error: BaseException) -> None:
        text = _told(error, pause) or type(error).__name__
        code = code_of(error)
        match DeliveryKind(delivery.kind):
            case DeliveryKind.POST:
                _log.error("delivery.failed", channel=delivery.channel, step=pause.key, code=code, error=text)
                await self._settle(delivery, "failed", error=text, stranded={"reason": text, "code": code})
            case DeliveryKind.UPDATE:
                _log.warning("channel.update-failed", channel=delivery.channel, step=pause.key, error=text)
                await self._settle(delivery, "failed", error=text)
            case DeliveryKind.REMIND:
                _log.warning("channel.remind-failed", channel=delivery.channel, step=pause.key, error=text)
                next_ms = None
                if not isinstance(error, SessionCorruptError):
                    _, next_ms = reminder_of(delivery, pause, now_ms=self._clock.now_ms())
                await self._settle(delivery, "failed", error=text, remind_at_ms=next_ms)
            case DeliveryKind.RELIEVE:
                _log.warning("channel.relieve-failed", channel=delivery.channel, step=pause.key, error=text)
                await self._settle(delivery, "failed", error=text)
            case DeliveryKind.WITHDRAW:
                _log.warning("channel.withdraw-failed", channel=delivery.channel, step=pause.key, error=text)
                await self._settle(delivery, "failed", error=text)

    async def _settle(
        self,
        delivery: DeliveryRow,
        outcome: Literal["sent", "decided", "retry", "passed_on", "failed"],
        *,
        ref: str | None = None,
        error: str | None = None,
        in_s: float = 0.0,
        stranded: dict[str, str] | None = None,
        escalates: bool = False,
        remind_at_ms: int | None = None,
        now_ms: int | None = None,
    ) -> None:
        """Record how a delivery went.

        Args:
            stranded: what the step reads if nobody else is asked the question any more.
            escalates, remind_at_ms: as in ``SettleDelivery``.
            now_ms: when it was known; None for just now.
        """
        now_ms = self._clock.now_ms() if now_ms is None else now_ms
        change = SettleDelivery(
            delivery=delivery.key,
            holder=self._holder,
            created_at_ms=delivery.created_at_ms,
            outcome=outcome,
            ref=ref,
            error=error,
            due_at_ms=now_ms + int(in_s * 1000),
            now_ms=now_ms,
            stranded_json=None if stranded is None else to_json(stranded),
            escalates=escalates,
            remind_at_ms=remind_at_ms,
        )
        result = await self._written(change)
        if outcome in ("retry", "passed_on") and result is SettleResult.SETTLED:
            heapq.heappush(self._retries_ms, change.due_at_ms)
        match result:
            case SettleResult.SETTLED:
                pass
            case SettleResult.STRANDED:
                self._reviver.wake(delivery.session_id)
            case SettleResult.LOST:
                _log.warning("delivery.lost", channel=delivery.channel, step=delivery.kind)

    async def _written(self, change: SettleDelivery) -> SettleResult:
        """A store that is busy has waited for a while before it says so, so it is asked again at once."""
        for _ in range(_TRIES - 1):
            try:
                return await self._store.settle_delivery(change)
            except StoreError as error:
                if not error.retryable:
                    raise
        return await self._store.settle_delivery(change)

    def _hold_until_ms(self) -> int:
        return self._clock.now_ms() + int(self._settings.hold_s * 1000)


def _told(error: BaseException, pause: PauseRow) -> str:
    """What a channel says went wrong, without the id that it may have named: that is the right to answer."""
    spelt = "-?".join(map(re.escape, pause.pause_id))
    return re.sub(spelt, "(its id)", text_of(error), flags=re.IGNORECASE)
