"""The database, the clock and the processes that histories share: one set for a whole module of them.

Each history has a tenant of its own, so what others have left in the database is no concern of it.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from overwinter.actors.clock import ManualClock
from overwinter.actors.ids import RandomIds
from overwinter.actors.supervisor_settings import SupervisorSettings
from overwinter.bots.runtime import Runtime
from overwinter.bots.testing.stalling import StallingStore

from .program import Places, app_of

T = TypeVar("T")

PATIENCE_S = 30.0
"""How long anything may take that needs neither people nor the clock."""

MOMENT_S = 0.0005
"""How long to wait before looking again whether anything moves still."""

YEAR_S = 365 * 24 * 3600.0

SUPERVISING = SupervisorSettings(retention_s=100 * YEAR_S, sweep_s=YEAR_S)
"""Closed questions are kept, so that they can be looked at when their history ends."""


class Process:
    """One process over the database: a store, and all that is thrown away at a restart.

    Attributes:
        dies_in, freezes_in: the tenant in whose next step's body it stops for ever, or can write no more; None for none.
    """

    def __init__(self, office: Office) -> None:
        self._office = office
        self._build = app_of(self, office.places)
        self._work: asyncio.Task[None] | None = None
        self._store: StallingStore | None = None
        self._runtime: Runtime | None = None
        self._stands = asyncio.Event()
        self._is_over = asyncio.Event()
        self.dies_in: str | None = None
        self.freezes_in: str | None = None

    @property
    def runtime(self) -> Runtime:
        assert self._runtime is not None
        return self._runtime

    @property
    def store(self) -> StallingStore:
        assert self._store is not None
        return self._store

    @property
    def is_busy(self) -> bool:
        return self.runtime.supervisor.is_busy

    async def ran(self, tenant: str, name: str, key: str) -> None:
        """A body runs here."""
        self._office.bodies[tenant].append((name, key))
        if self.freezes_in == tenant:
            self.freezes_in = None
            self.store.stall()
            self._stands.set()
        if self.dies_in == tenant:
            self.dies_in = None
            self._stands.set()
            await self._is_over.wait()

    async def open(self) -> None:
        self._store = await StallingStore.open(self._office.path)
        self.start()

    def start(self, *, supervises: bool = True) -> None:
        """Build everything above the store."""
        self._runtime = Runtime(
            app=self._build(), store=self.store, clock=self._office.clock, ids=RandomIds(), supervising=SUPERVISING
        )
        if supervises:
            self._work = asyncio.create_task(self._runtime.supervisor.run(), name="supervisor")

    async def stop(self, *, politely: bool = False) -> None:
        """End the supervisor; the store stays open, as for a process that only takes answers."""
        if self._work is None:
            return
        if politely:
            self.runtime.supervisor.stop()
        else:
            self._work.cancel()
        with suppress(asyncio.CancelledError):
            await self._work
        self._work = None

    async def close(self) -> None:
        await self.stop()
        await self.store.aclose()

    async def restart(self, *, politely: bool = False, reopens: bool = False) -> None:
        await self.stop(politely=politely)
        if reopens:
            await self._reopen()
        else:
            self.start()

    async def _reopen(self) -> None:
        """The next one is opened first: the last to close a file writes its whole log back."""
        store = self.store
        await self.open()
        await store.aclose()

    async def stands_in_body(self) -> bool:
        """Whether the body came that this process was to die or freeze in; it stands there then."""
        async with asyncio.timeout(PATIENCE_S):
            while not self._stands.is_set() and not await self._office.is_settled():
                await self._office.pause()
        stood = self._stands.is_set()
        self.dies_in = self.freezes_in = None
        self._stands.clear()
        return stood

    async def die(self) -> None:
        """The process is gone in the midst of a body; another one starts. What was left of the first goes on in vain."""
        await self.stop()
        await self._reopen()
        self._is_over.set()
        self._is_over = asyncio.Event()

    def thaw(self) -> None:
        self.store.flow()

    def check(self) -> None:
        if self._work is not None and self._work.done():
            self._work.result()


class Office:
    """What histories share. It must be opened, used and closed inside one event loop.

    Attributes:
        bodies: by tenant, the name and idempotency key of each body that ran, in order.
    """

    def __init__(self, path: Path, *, processes: int) -> None:
        self.path = path
        self.loop = asyncio.new_event_loop()
        self.clock = ManualClock()
        self.places = Places()
        self.bodies: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        self.histories = 0
        self._never: asyncio.Future[None] = self.loop.create_future()
        self.processes = [Process(self) for _ in range(processes)]
        for process in self.processes:
            self.do(process.open())

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(work)

    def close(self) -> None:
        for process in self.processes:
            self.do(process.close())
        self.do(self.loop.shutdown_asyncgens())
        self.loop.close()

    async def settle(self, *processes: Process) -> None:
        """Return once nothing can move without a person or the clock, in these processes or in all."""
        async with asyncio.timeout(PATIENCE_S):
            while not await self.is_settled(*processes):
                for process in processes or self.processes:
                    process.check()
                await self.pause()

    async def pause(self) -> None:
        """Let the threads of the database work for a moment."""
        await asyncio.wait({self._never}, timeout=MOMENT_S)

    async def is_settled(self, *processes: Process) -> bool:
        which = processes or tuple(self.processes)
        if any(process.is_busy for process in which):
            return False
        due = await which[0].store.due()
        now_ms = self.clock.now_ms()
        if any(ms is not None and ms <= now_ms for ms in (due.session_ms, due.deadline_ms, due.delivery_ms)):
            return False
        return not any(process.is_busy for process in which)

    async def move_clock(self, until_ms: int) -> None:
        await self.clock.advance(ms=until_ms - self.clock.now_ms())
        await self.settle()

    async def abandon(self) -> None:
        """Go on with another database: in this one something is wrong, which must not be in the way of what comes next."""
        self.path = self.path.with_name(f"{self.histories}-{self.path.name}")
        for process in self.processes:
            process.thaw()
            process.dies_in = process.freezes_in = None
            await process.die()
