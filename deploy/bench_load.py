"""The clients of a measurement: they start sessions, wait for the questions and answer them, so many side by side."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from ..actors.answers import ChannelCredential, Decision
from ..actors.clock import Clock
from ..actors.delivery_settings import DeliverySettings
from ..actors.ids import Ids
from ..actors.supervisor_settings import SupervisorSettings
from ..bots.runtime import Runtime
from .bench_app import BOT, MESSAGE, Cycle, Cycles, WatchedStore, bench_app
from .service import spare_the_collector, supervise

T = TypeVar("T")


class Load:
    """One process's clients, and the supervisor beside them."""

    def __init__(self, *, runtime: Runtime, store: WatchedStore, cycles: Cycles) -> None:
        self._runtime = runtime
        self.store = store
        self._cycles = cycles
        self._clock: Clock = runtime.clock

    async def run_cycles(self, count: int, *, concurrency: int) -> None:
        """Run so many cycles, and return when nothing of them is left to do here.

        Raises:
            BenchFailedError: (bench.failed) a session did not do what it should.
        """
        await self._side_by_side(self._cycle, count, concurrency)
        await self._idle()

    async def wake_s(self) -> float:
        """How long one session takes from the call that answers it to its tool's body, with nothing else to do."""
        session_id, cycle = await self._ask()
        pause_id = await cycle.asked
        await self._idle()
        begun_s = self._clock.monotonic_s()
        await self._answer(pause_id)
        ran_s = await cycle.ran
        await cycle.finished
        await self._idle()
        self._cycles.drop(session_id)
        return ran_s - begun_s

    async def park(self, count: int, *, concurrency: int) -> None:
        """Leave so many sessions waiting."""
        await self._side_by_side(self._park, count, concurrency)
        await self._idle()

    async def _cycle(self) -> None:
        session_id, cycle = await self._ask()
        await self._answer(await cycle.asked)
        await cycle.finished
        self._cycles.drop(session_id)

    async def _park(self) -> None:
        session_id, cycle = await self._ask()
        await cycle.asked
        self._cycles.drop(session_id)

    async def _ask(self) -> tuple[str, Cycle]:
        session_id, cycle = self._cycles.add()
        await self._runtime.sessions.start(program=BOT, owner="olga", message=MESSAGE, session_id=session_id)
        return session_id, cycle

    async def _answer(self, pause_id: str) -> None:
        await self._runtime.answering.answer(
            tenant="default",
            pause_id=pause_id,
            answer=Decision(value={"approved": True}),
            credential=ChannelCredential(answered_by="mara"),
        )

    async def _side_by_side(self, work: Callable[[], Awaitable[None]], count: int, concurrency: int) -> None:
        """Do ``work`` so many times, so many at once."""
        left = iter(range(count))

        async def client() -> None:
            for _ in left:
                await work()

        await asyncio.gather(*(client() for _ in range(min(concurrency, count))))

    async def _idle(self) -> None:
        """Return once nothing is under way, deliveries included."""
        while self._runtime.supervisor.is_busy:
            await self._clock.sleep_until_ms(self._clock.now_ms() + 1)


@asynccontextmanager
async def loading(
    path: Path,
    *,
    cycles: Cycles,
    clock: Clock,
    ids: Ids,
    supervising: SupervisorSettings,
    delivering: DeliverySettings,
) -> AsyncGenerator[tuple[Load, asyncio.Task[None]]]:
    """Open the database, made if it is not there, with a supervisor beside; yields that one too, as it may fail.

    Raises:
        StoreError: the database cannot be used.
    """
    spare_the_collector()
    store = await WatchedStore.open_watched(path, cycles=cycles)
    try:
        runtime = Runtime(
            app=bench_app(cycles), store=store, clock=clock, ids=ids, supervising=supervising, delivering=delivering
        )
        supervisor = asyncio.create_task(supervise(runtime))
        try:
            yield Load(runtime=runtime, store=store, cycles=cycles), supervisor
        finally:
            runtime.supervisor.stop()
            await asyncio.gather(supervisor, return_exceptions=True)
    finally:
        await store.aclose()


async def unless_it_fails(work: Awaitable[T], beside: asyncio.Task[None]) -> T:
    """Await work, which would wait for ever if what runs beside it had failed: that is raised then."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task, beside}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            beside.result()
        return await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
