"""Fires triggers whose time has come, and tells everybody who waits for a fire.

    due -> fired (one row, and the next due time, in one transaction) -> told -> done

There is no timer for a trigger: the next due time of all of them is one query. Whoever waits for a trigger is woken by the same
conditional write as an answer, a page at a time; a subscribed session gets a message whose id is the fire's; what a fire starts has
an id made of the fire. So a fire that was told in part, by a process that died, is told again without doing anything twice, and
what goes wrong with one subscriber is noted in the fire's outcome and concerns nobody else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from math import ceil
from typing import Protocol, cast

import structlog

from ..store.changes import PostMessage, PostResult
from ..store.errors import OverwinterError, StoreError
from ..store.fires import BEGINNING, DueFires, Place, UntoldFire
from ..store.rows import InboundKind, InboundRow, PauseRow
from ..store.trigger_rows import FireRow, FireStatus, SubscriptionRow, TriggerRow
from .answering import Answering
from .answers import Received
from .asks import JsonValue
from .clock import Clock
from .errors import EffectConflictError, TriggerInvalidError
from .failures import text_of
from .farewells import CHANNEL
from .fire_outcomes import FireOutcome
from .jsontext import to_json
from .looking import Looking
from .rounds import coming_round, due_fires, shares
from .sessions import Sessions
from .surroundings import Reviver
from .trigger_kinds import Starts
from .triggers import read, told_of

AT_ONCE = 100
"""How many triggers, fires or subscribers are looked at together; others get their turn in between."""

_FIRED_AT_ONCE = 500
"""So many fires, and those of one trigger more, are written together; whoever else writes waits for no more than that."""
LOOK_EVERY_S = 0.25
"""However many changes there are in the store, it is looked no more often than this."""
_LOOK_AGAIN_MS = 500
"""How soon it is looked whether a run has ended for which the next one waits."""
_KEPT_MS = 30 * 24 * 3_600_000
"""How long a fire that is over is kept: so long a delivery that comes again is known."""
_SWEEP_EVERY_MS = 24 * 3_600_000
_SWEPT_AT_ONCE = 500
_FAILED = "failed"

_log = structlog.get_logger("overwinter.triggers")


class FiringStore(Protocol):
    """What firing needs of the store about fires."""

    async def fire_due(self, changes: Sequence[DueFires]) -> int: ...

    async def untold(
        self, *, limit: int, after: Place = BEGINNING, full: Collection[str] = ()
    ) -> tuple[UntoldFire, ...]: ...

    async def waiting(
        self, fire: FireRow, trigger: TriggerRow, *, limit: int, after: tuple[int, str] = (-1, "")
    ) -> tuple[PauseRow, ...]: ...

    async def begin(self, fire: FireRow, *, session_id: str, at_once: int) -> bool: ...

    async def before_deadline(self, pause: PauseRow) -> tuple[FireRow, TriggerRow] | None: ...

    async def settle(
        self, fire: FireRow, trigger: TriggerRow, *, status: FireStatus, is_over: bool, outcome_json: str, now_ms: int
    ) -> bool: ...

    async def sweep(self, *, fired_before_ms: int, limit: int) -> int: ...


class DueTriggers(Protocol):
    """What firing needs of the store about triggers."""

    async def due(self, *, now_ms: int, limit: int) -> tuple[TriggerRow, ...]: ...

    async def due_ms(self) -> int | None: ...

    async def of_kind(self, kind: str) -> tuple[TriggerRow, ...]: ...

    async def subscribed(
        self, trigger_id: str, *, limit: int, after_session_id: str = ""
    ) -> tuple[SubscriptionRow, ...]: ...

    async def unsubscribe(self, trigger_id: str, session_id: str) -> bool: ...


class MessageStore(Protocol):
    async def post_message(self, change: PostMessage) -> PostResult: ...


class Firing:
    """The firing of all triggers of one store; works beside the supervisor.

    Args:
        declare: sees to it that the app's triggers are there; called once, before anything is fired.
        bid_farewell: tells those who still wait for triggers that are removed.
        poll_s: how long what another process has written may go unnoticed.
    """

    name = "triggers"

    def __init__(
        self,
        *,
        triggers: DueTriggers,
        fires: FiringStore,
        messages: MessageStore,
        clock: Clock,
        answering: Answering,
        sessions: Sessions,
        reviver: Reviver,
        declare: Callable[[], Awaitable[None]],
        bid_farewell: Callable[[], Awaitable[None]],
        poll_s: float,
    ) -> None:
        self._triggers = triggers
        self._fires = fires
        self._messages = messages
        self._clock = clock
        self._answering = answering
        self._sessions = sessions
        self._reviver = reviver
        self._declare = declare
        self._bid_farewell = bid_farewell
        poll_ms = int(poll_s * 1000)
        self._looking = Looking(clock=clock, look=self._work, poll_ms=lambda: poll_ms)
        self._looked_s = clock.monotonic_s()
        self._full: set[str] = set()
        """Triggers for which a fire is queued: those behind it need not be tried in the same look."""
        self._is_declared = False
        self._looked_at_ms: int | None = None
        self._swept_at_ms: int | None = None

    @property
    def is_busy(self) -> bool:
        return self._looking.is_busy

    def look(self) -> None:
        """Something has changed in the store, most often nothing of ours: what comes within a moment makes one look."""
        left_s = self._looked_s + LOOK_EVERY_S - self._clock.monotonic_s()
        if left_s <= 0:
            self._looking.tell()
        else:
            self._looking.tell_for(self._clock.now_ms() + ceil(left_s * 1000))

    def look_now(self) -> None:
        """Something was fired, or somebody has begun to wait for a trigger."""
        self._looking.tell()

    async def tell_before_deadline(self, pause: PauseRow) -> bool:
        """Tell a wait whose time is over of a fire from before that, if it has not been told of one; False if it stays untold."""
        try:
            found = await self._fires.before_deadline(pause)
            return found is not None and await self._answering.fire(pause, answer=told_of(*found))
        except Exception as error:
            if isinstance(error, StoreError) and error.retryable:
                raise
            _log.error("trigger.not-told", session_id=pause.session_id, error=text_of(error))
            return False

    async def run(self) -> None:
        await self._looking.run()

    async def _work(self) -> int | None:
        """Declare, fire, tell; when there is something to do next."""
        self._looked_s = self._clock.monotonic_s()
        if not self._is_declared:
            await self._declare()
            self._is_declared = True
        await self._come_round()
        await self._fire_due()
        await self._tell_untold()
        await self._bid_farewell()  # who waits for what has fired before is told of that first
        await self._sweep()
        due_ms = await self._triggers.due_ms()
        if not self._full:
            return due_ms
        soon_ms = self._clock.now_ms() + _LOOK_AGAIN_MS
        return soon_ms if due_ms is None else min(due_ms, soon_ms)

    # -- firing --------------------------------------------------------------------------------------------------------
    async def _come_round(self) -> None:
        """At the first look, and when the clock has been set back: see to it that no schedule waits longer than from now on."""
        now_ms, before_ms = self._clock.now_ms(), self._looked_at_ms
        if before_ms is None or now_ms < before_ms:
            found = [coming_round(row, now_ms=now_ms) for row in await self._triggers.of_kind("cron")]
            if changes := [change for change in found if change is not None]:
                await self._fires.fire_due(changes)
        self._looked_at_ms = now_ms

    async def _fire_due(self) -> None:
        while due := await self._triggers.due(now_ms=self._clock.now_ms(), limit=AT_ONCE):
            now_ms = self._clock.now_ms()
            for share in shares([due_fires(row, now_ms=now_ms) for row in due], most=_FIRED_AT_ONCE):
                await self._fires.fire_due(share)
            if len(due) < AT_ONCE:
                return

    # -- telling -------------------------------------------------------------------------------------------------------
    async def _tell_untold(self) -> None:
        after = BEGINNING
        self._full.clear()
        while True:
            page = await self._fires.untold(limit=AT_ONCE, after=after, full=self._full)
            for untold in page:
                try:
                    await self._tell(untold)
                except StoreError:
                    raise
                except Exception:
                    _log.exception("trigger.failed", trigger=untold.trigger.slug, fire_id=untold.fire.fire_id)
            if len(page) < AT_ONCE:
                return
            last = page[-1].fire
            after = (last.fired_at_ms, last.scheduled_at_ms, last.fire_id)

    async def _tell(self, untold: UntoldFire) -> None:
        fire, row = untold.fire, untold.trigger
        outcome = FireOutcome.of(fire)
        told, woken_before = told_of(fire, row), outcome.woken
        are_woken = not untold.is_awaited or await self._wake(fire, row, told, outcome)
        if untold.is_followed and fire.status == FireStatus.OPEN:
            await self._tell_subscribed(fire, row, told, outcome)
        is_queued = await self._start(fire, row, told, outcome)
        status = FireStatus.QUEUED if is_queued else FireStatus.DONE
        if status is FireStatus.QUEUED and outcome.to_json() == fire.outcome_json:
            return
        is_over = outcome.started is None and not is_queued
        settled = await self._fires.settle(
            fire, row, status=status, is_over=is_over, outcome_json=outcome.to_json(), now_ms=self._clock.now_ms()
        )
        has_moved = outcome.woken > woken_before or not untold.is_awaited
        if not settled and are_woken and has_moved:
            # Somebody has begun to wait for it while others were told. Who could not be woken is tried again, but not at once.
            self._looking.tell()

    async def _wake(self, fire: FireRow, row: TriggerRow, told: JsonValue, outcome: FireOutcome) -> bool:
        """Wake everybody who waits for the trigger since before it fired; False if that failed for somebody."""
        failed_before = outcome.skipped.get(_FAILED, 0)
        after = (-1, "")
        while page := await self._fires.waiting(fire, row, limit=AT_ONCE, after=after):
            outcome.woken += sum(await asyncio.gather(*(self._wake_one(pause, told, outcome) for pause in page)))
            if len(page) < AT_ONCE:
                break
            after = (page[-1].asked_at_ms, page[-1].pause_id)
        return outcome.skipped.get(_FAILED, 0) == failed_before

    async def _wake_one(self, pause: PauseRow, told: JsonValue, outcome: FireOutcome) -> bool:
        try:
            return await self._answering.fire(pause, answer=told)
        except Exception as error:
            if isinstance(error, StoreError) and error.retryable:
                raise
            return _failed(outcome, error, session_id=pause.session_id)

    async def _tell_subscribed(self, fire: FireRow, row: TriggerRow, told: JsonValue, outcome: FireOutcome) -> None:
        """Give a message to every session that is subscribed."""
        after = ""
        while page := await self._triggers.subscribed(row.trigger_id, limit=AT_ONCE, after_session_id=after):
            since_before = [each for each in page if each.created_at_ms <= fire.fired_at_ms]
            await asyncio.gather(*(self._tell_one(each, fire, told, outcome) for each in since_before))
            after = page[-1].session_id

    async def _tell_one(
        self, subscription: SubscriptionRow, fire: FireRow, told: JsonValue, outcome: FireOutcome
    ) -> None:
        now_ms = self._clock.now_ms()
        message = InboundRow(
            channel=CHANNEL,
            external_id=f"{fire.fire_id}/{subscription.session_id}",
            kind=InboundKind.MESSAGE,
            tenant=subscription.tenant,
            session_id=subscription.session_id,
            pause_id=None,
            body_json=to_json({"content": to_json({"fire": told}), "from": f"trigger {told['slug']}"}),
            received_at_ms=now_ms,
            consumed_at_ms=None,
        )
        try:
            posted = await self._messages.post_message(PostMessage(message=message, now_ms=now_ms))
        except StoreError as error:
            if error.retryable:
                raise
            _failed(outcome, error, session_id=subscription.session_id)
            return
        match posted:
            case PostResult.POSTED:
                outcome.told += 1
                self._reviver.wake(subscription.session_id)
            case PostResult.DUPLICATE | PostResult.CONFLICT:
                pass
            case PostResult.UNKNOWN_SESSION | PostResult.ENDED_SESSION as result:
                outcome.skip(result.value)
                await self._triggers.unsubscribe(subscription.trigger_id, subscription.session_id)

    # -- starting ------------------------------------------------------------------------------------------------------
    async def _start(self, fire: FireRow, row: TriggerRow, told: JsonValue, outcome: FireOutcome) -> bool:
        """Start what the trigger starts; True if it has to wait for an earlier run to end."""
        if outcome.started is not None or outcome.not_started is not None:
            return False
        try:
            starts = read(row).starts
        except TriggerInvalidError as error:
            _log.error(error.code, trigger=row.slug, fire_id=fire.fire_id, error=str(error))
            outcome.not_started = f"{error.code}: {text_of(error)}"
            return False
        if starts is None:
            return False
        session_id = f"s{fire.fired_at_ms:011x}{fire.fire_id[1:]}"
        is_full = row.trigger_id in self._full
        if is_full or not await self._fires.begin(fire, session_id=session_id, at_once=starts.at_once):
            if starts.overlap == "queue":
                self._full.add(row.trigger_id)
                return True
            outcome.not_started = "overlap"
            return False
        try:
            message = _message(starts, told, takes_fire=self._sessions.takes(starts.bot, "fire"))
            self._sessions.check_start(program=starts.bot, message=message)
            await self._sessions.start(
                program=starts.bot,
                owner=starts.owner,
                message=message,
                tenant=row.tenant,
                surface=starts.surface,
                received=Received(channel=CHANNEL, external_id=fire.fire_id),
                session_id=session_id,
            )
        except EffectConflictError:
            pass  # by a process that died before it could say so
        except OverwinterError as error:
            if isinstance(error, StoreError) and error.retryable:
                raise
            _log.error("trigger.not-started", trigger=row.slug, fire_id=fire.fire_id, error=str(error))
            outcome.not_started = f"{error.code}: {text_of(error)}"
            return False
        outcome.started = session_id
        return False

    async def _sweep(self) -> None:
        """Forget some of what is old; what is more comes with the next looks, so that nothing that is due waits for it."""
        now_ms = self._clock.now_ms()
        if self._swept_at_ms is not None and now_ms - self._swept_at_ms < _SWEEP_EVERY_MS:
            return
        if await self._fires.sweep(fired_before_ms=now_ms - _KEPT_MS, limit=_SWEPT_AT_ONCE) < _SWEPT_AT_ONCE:
            self._swept_at_ms = now_ms


def _failed(outcome: FireOutcome, error: Exception, *, session_id: str) -> bool:
    _log.error("trigger.not-told", session_id=session_id, error=text_of(error))
    outcome.skip(_FAILED)
    return False


def _message(starts: Starts, told: JsonValue, *, takes_fire: bool) -> JsonValue:
    """What the session that is started is told first."""
    message = starts.message
    if not takes_fire:
        return {} if message is None else message
    if message is None:
        return {"fire": told}
    if isinstance(message, dict):
        return {**cast("dict[str, JsonValue]", message), "fire": told}
    return f"{message}\n{to_json({'fire': told})}" if isinstance(message, str) else message
