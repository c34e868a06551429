"""The service that keeps sessions moving: claims, revives, renews, fires deadlines, delivers, sweeps, stops.

Everything it does is found in the store; what it is told in this process (a hint, a wake, a new deadline) only makes it look
sooner. Nothing here waits for a person: a sleeping session is no task, timer or memory of this process.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import structlog

from ..store.changes import Advance, Claim, RenewLeases, Rest, Sweep
from ..store.errors import StoreError
from ..store.resolutions import Grant
from ..store.rows import PauseRow, SessionRow, SessionStatus
from ..store.snapshots import LoadedSession
from .accepting import Accepting
from .answering import Answering
from .clock import Clock, wait_until
from .deadlines import Deadlines
from .delivering import Dispatcher
from .errors import LeaseLostError, SessionCorruptError
from .hooks import Hooks
from .ids import Ids
from .program import Programs
from .roles import Roles
from .session import SessionPass
from .supervisor_settings import SupervisorSettings
from .surroundings import Beside, Hints, Lease, SupervisorStore, Surroundings
from .waiting import Waiting

_log = structlog.get_logger("overwinter.supervisor")

PEEK_EVERY_S = 0.25
"""How often at most a hint makes the supervisor see what other processes have sent to the sessions that run here."""


@dataclass(slots=True, kw_only=True)
class _Active:
    """A pass at work."""

    session_id: str
    lease: Lease
    work: SessionPass
    task: asyncio.Task[None]
    wakes: int


class Supervisor:
    """Revives sessions in this process."""

    def __init__(
        self,
        *,
        store: SupervisorStore,
        clock: Clock,
        ids: Ids,
        programs: Programs,
        roles: Roles,
        answering: Answering,
        dispatcher: Dispatcher,
        waiting: Waiting,
        accepting: Accepting,
        hooks: Hooks | None,
        holder: str,
        settings: SupervisorSettings,
        tell_before: Callable[[PauseRow], Awaitable[bool]],
        note_wait: Callable[[PauseRow], None] = lambda _: None,
        beside: Sequence[Beside] = (),
    ) -> None:
        self._store = store
        self._clock = clock
        self._deadlines = Deadlines(
            store=store,
            clock=clock,
            answering=answering,
            poll_s=settings.poll_s,
            survive=self._survive,
            tell_before=tell_before,
        )
        self._dispatcher = dispatcher
        self._waiting = waiting
        self._accepting = accepting
        self._holder = holder
        self._settings = settings
        self._beside = beside
        self._active: dict[str, _Active] = {}
        self._broken_off: dict[str, int] = {}
        """Passes in a row that the store broke off, by session: no fault of the session."""
        self._look, self._peek = asyncio.Event(), asyncio.Event()
        self._look_at_deliveries = dispatcher.room_again
        self._claims_under_way = 0
        self._granted = 0
        self._all_settled = asyncio.Event()
        self._all_settled.set()
        self._is_claiming = False
        self._may_be_more = False
        """Others may be ready that had no room; else all that were ready were claimed, and of new ones it is told."""
        self._is_stopping = asyncio.Event()
        self.surroundings = Surroundings(
            store=store,
            clock=clock,
            ids=ids,
            programs=programs,
            outbox=dispatcher,
            role_of=roles.get,
            note_deadline=self._deadlines.note,
            note_wait=note_wait,
            hooks=hooks,
        )

    @property
    def active_sessions(self) -> int:
        """How many sessions are in memory now."""
        return len(self._active)

    @property
    def is_busy(self) -> bool:
        """Whether anything is in its hands: a pass, a delivery, or a claim whose result is not in yet."""
        in_hand = (self._active, self._claims_under_way, self._granted)
        # What works beside it is told of nothing any more once it stops.
        beside = () if self._is_stopping.is_set() else self._beside
        return any(in_hand) or any(each.is_busy for each in (self._dispatcher, self._accepting, *beside))

    def wake(self, session_id: str) -> None:
        """Something has arrived for a session; if it runs here it looks at once, else it is claimed."""
        if (active := self._active.get(session_id)) is not None:
            active.work.woken.set()
        self._look.set()

    def drop(self, session_id: str) -> None:
        """A session was ended from outside: what of it runs here is cancelled, and whatever it comes to is discarded."""
        if (active := self._active.get(session_id)) is not None:
            _log.info("session.dropped", session_id=session_id, epoch=active.lease.epoch)
            active.task.cancel()

    def grant(self) -> Grant | None:
        """Room for a session that is about to become ready, while sessions that wait to be claimed have room as well."""
        if not self._is_claiming or 2 * (len(self._active) + self._granted) >= self._settings.concurrency:
            return None
        self._granted += 1
        self._all_settled.clear()
        return Grant(holder=self._holder, until_ms=self._clock.now_ms() + int(self._settings.lease_s * 1000))

    def settle(self, granted: Grant | None, claimed: LoadedSession | SessionRow | None) -> None:
        if granted is None:
            return
        self._granted -= 1
        if self._granted == 0:
            self._all_settled.set()
        match claimed:
            case LoadedSession():
                self._revive(claimed.session, granted.until_ms, claimed)
            case SessionRow():
                self._revive(claimed, granted.until_ms)
            case None:
                if self._may_be_more:
                    self._look.set()

    async def run(self) -> None:
        """Work until ``stop`` is called. A store that fails for good ends it with its error."""
        hints = self._store.subscribe()
        self._dispatcher.open()
        self._is_claiming = True
        try:
            async with asyncio.TaskGroup() as group:
                # These two end by themselves: what they have just claimed would be nobody's until its time is up.
                claiming = [
                    group.create_task(self._claim_loop(), name="claim"),
                    group.create_task(self._delivery_loop(), name="deliveries"),
                ]
                loops = [
                    group.create_task(self._hint_loop(hints), name="hints"),
                    group.create_task(self._deadlines.run(), name="deadlines"),
                    group.create_task(self._sweep_loop(), name="sweep"),
                    group.create_task(self._accepting.run(retry_s=self._settings.poll_s), name="unblock"),
                    *(group.create_task(each.run(), name=each.name) for each in self._beside),
                ]
                renewing = group.create_task(self._renew_loop(), name="renew")
                await self._is_stopping.wait()
                self._is_claiming = False
                for loop in loops:
                    loop.cancel()
                self._look.set()
                self._look_at_deliveries.set()
                await asyncio.wait(claiming)
                await self._wind_up()
                renewing.cancel()
        finally:
            self._is_claiming = False
            hints.close()

    def stop(self) -> None:
        """Claim nothing more, finish running steps within the grace time, give leases back, end ``run``."""
        self._is_stopping.set()

    # -- claiming -----------------------------------------------------------------------------------------------------
    async def _claim_loop(self) -> None:
        while self._is_claiming:
            self._look.clear()
            next_ms = self._next_poll_ms()
            free = self._settings.concurrency - len(self._active) - self._granted
            self._may_be_more = free <= 0
            if free > 0 and await self._claim(free) == free:
                continue
            await wait_until(self._look, clock=self._clock, until_ms=next_ms)

    async def _claim(self, limit: int) -> int:
        if any(active.lease.until_ms <= self._clock.now_ms() for active in self._active.values()):
            await self._renew()  # we were stopped or cut off: what still runs here is not to be claimed and begun again
        now_ms = self._clock.now_ms()
        until_ms = now_ms + int(self._settings.lease_s * 1000)
        self._claims_under_way += 1
        try:
            result = await self._store.claim(Claim(holder=self._holder, limit=limit, now_ms=now_ms, until_ms=until_ms))
        except StoreError as error:
            self._survive(error)
            self._may_be_more = True
            return 0
        finally:
            self._claims_under_way -= 1
        for session in result.sessions:
            self._revive(session, until_ms)
        return len(result.sessions)

    def _revive(self, session: SessionRow, until_ms: int, loaded: LoadedSession | None = None) -> None:
        lease = Lease(holder=self._holder, epoch=session.lease_epoch, until_ms=until_ms)
        work = SessionPass(
            session=session,
            lease=lease,
            around=self.surroundings,
            loaded=loaded,
            forgiven=self._broken_off.get(session.session_id, 0),
        )
        if (older := self._active.get(session.session_id)) is not None:
            older.task.cancel()
        task = asyncio.create_task(self._run_pass(session, work), name=f"pass of {session.session_id}")
        active = _Active(session_id=session.session_id, lease=lease, work=work, task=task, wakes=session.wakes)
        self._active[session.session_id] = active
        task.add_done_callback(lambda _: self._forget(active))

    def _forget(self, active: _Active) -> None:
        if self._active.get(active.session_id) is active:
            del self._active[active.session_id]
        self._waiting.notice(active.session_id)
        if self._may_be_more:
            self._look.set()

    async def _run_pass(self, session: SessionRow, work: SessionPass) -> None:
        """Run one pass; whatever it raises concerns this session alone."""
        try:
            await work.run()
            self._broken_off.pop(session.session_id, None)
        except LeaseLostError:
            self._broken_off.pop(session.session_id, None)
            _log.info("lease.lost", session_id=session.session_id, epoch=session.lease_epoch)
        except SessionCorruptError as error:
            _log.error("session.corrupt", session_id=session.session_id, error=str(error))
            await self._block(session, f"{error.code}: {error}")
        except StoreError as error:
            if not error.retryable:
                # It would be the same the next time: what it wants to write is refused, or cannot be read.
                _log.error(error.code, session_id=session.session_id, error=str(error))
                await self._block(session, f"{error.code}: {error}")
                return
            # Not the session's fault: its lease runs out and it is claimed again, here or elsewhere.
            self._broken_off[session.session_id] = self._broken_off.get(session.session_id, 0) + 1
            _log.warning(error.code, session_id=session.session_id, error=str(error))
        except Exception:
            _log.exception("session.crashed", session_id=session.session_id, attempts=session.attempts)

    async def _block(self, session: SessionRow, reason: str) -> None:
        """Give its lease back with nothing else to write, however often something arrives meanwhile."""
        rest = Rest(status=SessionStatus.BLOCKED, reason=reason, wakes=session.wakes, due_at_ms=0)
        while True:
            change = Advance(
                session_id=session.session_id,
                holder=self._holder,
                epoch=session.lease_epoch,
                now_ms=self._clock.now_ms(),
                rest=rest,
            )
            try:
                result = await self._store.advance(change)
            except StoreError as error:
                self._survive(error)
                return
            if result.outcome != "done" or result.rested:
                return
            rest = replace(rest, wakes=result.wakes)

    # -- leases -------------------------------------------------------------------------------------------------------
    async def _renew_loop(self) -> None:
        """At each heartbeat; and, not too often, whenever another process may have answered or ended what runs here."""
        while True:
            await self._pause_s(pause_s := min(PEEK_EVERY_S, self._settings.heartbeat_s))
            rest_ms = int((self._settings.heartbeat_s - pause_s) * 1000)
            await wait_until(self._peek, clock=self._clock, until_ms=self._clock.now_ms() + rest_ms)
            self._peek.clear()
            await self._renew()

    async def _renew(self) -> None:
        """Prolong the leases of running passes; learn which are lost and which have got something from elsewhere."""
        if not self._active:
            return
        now_ms = self._clock.now_ms()
        until_ms = now_ms + int(self._settings.lease_s * 1000)
        held = dict(self._active)
        change = RenewLeases(
            holder=self._holder,
            epochs={session_id: active.lease.epoch for session_id, active in held.items()},
            now_ms=now_ms,
            until_ms=until_ms,
        )
        try:
            result = await self._store.renew_leases(change)
        except StoreError as error:
            self._survive(error)
            return
        for session_id, active in held.items():
            if session_id in result.lost:
                if not active.task.done():
                    why = "session.dropped" if session_id in result.cancel_requested else "lease.lost"
                    _log.info(why, session_id=session_id, epoch=active.lease.epoch)
                    active.task.cancel()
                continue
            active.lease.until_ms = until_ms
            wakes = result.wakes.get(session_id, active.wakes)
            if wakes != active.wakes:
                active.wakes = wakes
                active.work.woken.set()

    # -- deliveries, upkeep -------------------------------------------------------------------------------------------
    async def _delivery_loop(self) -> None:
        while self._is_claiming:
            self._look_at_deliveries.clear()
            next_ms, looked_ms = self._next_poll_ms(), self._clock.now_ms()
            try:
                while await self._dispatcher.take_due():
                    pass
            except StoreError as error:
                self._survive(error)
            next_ms = min(next_ms, self._dispatcher.next_retry_ms(looked_ms) or next_ms)
            await wait_until(self._look_at_deliveries, clock=self._clock, until_ms=next_ms)

    async def _sweep_loop(self) -> None:
        while True:
            closed_before_ms = self._clock.now_ms() - int(self._settings.retention_s * 1000)
            try:
                while (await self._store.sweep(Sweep(closed_before_ms=closed_before_ms, limit=500))).pauses == 500:
                    pass
            except StoreError as error:
                self._survive(error)
            await self._pause_s(self._settings.sweep_s)

    # -- hints, waiting, stopping -------------------------------------------------------------------------------------
    async def _hint_loop(self, hints: Hints) -> None:
        while True:
            await hints.wait()
            for each in (self._look, self._look_at_deliveries, self._peek):
                each.set()
            for each in self._beside:
                each.look()

    def _next_poll_ms(self) -> int:
        """When to look again at the latest. Taken before looking: what comes due during a look is not left to the one after."""
        return self._clock.now_ms() + int(self._settings.poll_s * 1000)

    async def _pause_s(self, seconds: float) -> None:
        await self._clock.sleep_until_ms(self._clock.now_ms() + int(seconds * 1000))

    async def _wind_up(self) -> None:
        """Let running steps finish for a while, then give every lease back."""
        await self._all_settled.wait()
        active = list(self._active.values())
        if active:
            grace = asyncio.create_task(self._pause_s(self._settings.grace_s))
            finished = asyncio.create_task(asyncio.wait([each.task for each in active]))
            try:
                await asyncio.wait({grace, finished}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                grace.cancel()
                finished.cancel()
        for each in active:
            if not each.task.done():
                each.task.cancel()
                await asyncio.wait({each.task})
                with suppress(LeaseLostError, StoreError):
                    await each.work.release()
        await self._dispatcher.close(grace_s=self._settings.grace_s)

    def _survive(self, error: StoreError) -> None:
        """Go on if the store may come back by itself; else end the service with the store's own words."""
        if not error.retryable:
            raise error
        _log.warning(error.code, error=str(error))
