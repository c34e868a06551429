"""Measures this machine with the real product, so that operators can size theirs.

A cycle: a session starts, its model calls a tool that a person must approve, the question is committed and sent, nothing of
the session stays in memory; the answer is checked and committed, the session is loaded back from the file, the tool runs, the
model speaks once more, and the end is committed. Every commit is flushed to the disk.
"""

from __future__ import annotations

import asyncio
import gc
import os
import platform
import sqlite3
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from ..actors.answers import ChannelCredential, Decision
from ..actors.asks import JsonValue
from ..actors.clock import Clock
from ..actors.delivering import DeliverySettings
from ..actors.ids import Ids
from ..actors.supervisor_settings import SupervisorSettings
from ..bots.runtime import Runtime
from .bench_app import BOT, MESSAGE, Cycle, Cycles, WatchedStore, bench_app
from .service import spare_the_collector, supervise
from .settings import Config

T = TypeVar("T")

WARM_UP = 200
WAKES = 300
"""At most; a small measurement takes as many as it runs cycles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What was measured.

    Attributes:
        wake_p50_ms, wake_p99_ms: on an idle system, from the call that gives the answer to the tool's body running; the
            answer is on the disk in between.
        bytes_per_waiting_session: what the file grows by.
        memory_bytes_per_waiting_session: what the process grows by; None where the system does not say.
    """

    sessions: int
    concurrency: int
    cycles_per_s: float
    wake_p50_ms: float
    wake_p99_ms: float
    waiting_sessions: int
    bytes_per_waiting_session: int
    memory_bytes_per_waiting_session: int | None
    python: str
    sqlite: str

    def to_json(self) -> dict[str, JsonValue]:
        return {name: getattr(self, name) for name in self.__slots__}


class Bench:
    """One measurement over one new database.

    Args:
        progress: told what is being done.
    """

    def __init__(
        self, *, runtime: Runtime, store: WatchedStore, cycles: Cycles, clock: Clock, progress: Callable[[str], None]
    ) -> None:
        self._runtime = runtime
        self._store = store
        self._cycles = cycles
        self._clock = clock
        self._progress = progress
        self._started = 0

    async def measure(self, *, sessions: int, concurrency: int, waiting: int) -> Figures:
        """Measure everything.

        Raises:
            BenchFailedError: (bench.failed) a session did not do what it should.
        """
        self._progress("Warming up ...")
        await self._side_by_side(self._cycle, min(WARM_UP, sessions), concurrency)
        self._progress("Measuring how fast one session wakes ...")
        wakes = sorted([await self._wake_s() for _ in range(min(WAKES, sessions))])
        self._progress(f"Running {sessions} cycles, {concurrency} at once ...")
        begun_s = self._clock.monotonic_s()
        await self._side_by_side(self._cycle, sessions, concurrency)
        await self._idle()
        took_s = self._clock.monotonic_s() - begun_s
        self._progress(f"Parking {waiting} sessions ...")
        on_disk, in_memory = await self._park(waiting, concurrency)
        return Figures(
            sessions=sessions,
            concurrency=concurrency,
            cycles_per_s=round(sessions / took_s, 1),
            wake_p50_ms=round(_percentile(wakes, 50) * 1000, 2),
            wake_p99_ms=round(_percentile(wakes, 99) * 1000, 2),
            waiting_sessions=waiting,
            bytes_per_waiting_session=on_disk // waiting,
            memory_bytes_per_waiting_session=None if in_memory is None else max(0, in_memory) // waiting,
            python=platform.python_version(),
            sqlite=sqlite3.sqlite_version,
        )

    async def _cycle(self) -> None:
        session_id, cycle = await self._ask()
        await self._answer(await cycle.asked)
        await cycle.finished
        self._cycles.drop(session_id)

    async def _wake_s(self) -> float:
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

    async def _park(self, count: int, concurrency: int) -> tuple[int, int | None]:
        """Park sessions; by how many bytes the file and the memory have grown."""
        await self._idle()
        gc.collect()
        disk_before, memory_before = await self._store.checkpoint(), resident_bytes()
        await self._side_by_side(self._park_one, count, concurrency)
        await self._idle()
        gc.collect()
        disk, memory = await self._store.checkpoint(), resident_bytes()
        grown = None if memory is None or memory_before is None else memory - memory_before
        return disk - disk_before, grown

    async def _park_one(self) -> None:
        session_id, cycle = await self._ask()
        await cycle.asked
        self._cycles.drop(session_id)

    async def _ask(self) -> tuple[str, Cycle]:
        self._started += 1
        session_id = f"bench-{self._started:09d}"
        cycle = self._cycles.add(session_id)
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
async def _opened(path: Path, cycles: Cycles) -> AsyncGenerator[WatchedStore]:
    store = await WatchedStore.open_watched(path, cycles=cycles)
    try:
        yield store
    finally:
        await store.aclose()


async def run_bench(
    *,
    path: Path,
    config: Config,
    clock: Clock,
    ids: Ids,
    sessions: int,
    concurrency: int,
    waiting: int,
    progress: Callable[[str], None],
) -> Figures:
    """Measure over a new database at ``path``.

    Raises:
        StoreError: the database cannot be used.
        BenchFailedError: (bench.failed)
    """
    cycles = Cycles(clock=clock)
    spare_the_collector()
    async with _opened(path, cycles) as store:
        runtime = Runtime(
            app=bench_app(cycles),
            store=store,
            clock=clock,
            ids=ids,
            supervising=SupervisorSettings(**config.supervising.model_dump()),
            delivering=DeliverySettings(**config.delivering.model_dump()),
        )
        bench = Bench(runtime=runtime, store=store, cycles=cycles, clock=clock, progress=progress)
        return await _unless_it_fails(
            bench.measure(sessions=sessions, concurrency=concurrency, waiting=waiting), runtime
        )


async def _unless_it_fails(measuring: Awaitable[T], runtime: Runtime) -> T:
    """Measure beside the supervisor; what stops that one stops the measurement, which would wait for ever."""
    work = asyncio.ensure_future(measuring)
    supervisor = asyncio.create_task(supervise(runtime))
    try:
        await asyncio.wait({work, supervisor}, return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            supervisor.result()
        return await work
    finally:
        work.cancel()
        runtime.supervisor.stop()
        await asyncio.gather(work, supervisor, return_exceptions=True)


def resident_bytes() -> int | None:
    """The memory of this process that is in RAM; None where the system has no /proc."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


def _percentile(ordered: list[float], percent: int) -> float:
    """The smallest value that so many per cent are no larger than."""
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]
