"""Measures this machine with the real product, so that operators can size theirs.

A cycle: a session starts, its model calls a tool that a person must approve, the question is committed and sent, nothing of
the session stays in memory; the answer is checked and committed, the session is loaded back from the file, the tool runs, the
model speaks once more, and the end is committed. Every commit is flushed to the disk.

How fast one session wakes and what a waiting one costs is measured in one process; cycles are run by as many as are asked
for, each with its own clients and its own supervisor over the one database.
"""

from __future__ import annotations

import gc
import os
import platform
import sqlite3
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from ..actors.asks import JsonValue
from ..actors.clock import Clock
from ..actors.delivery_settings import DeliverySettings
from ..actors.ids import Ids
from ..actors.supervisor_settings import SupervisorSettings
from .bench_app import Cycles
from .bench_load import Load, loading, unless_it_fails
from .bench_peer import Assignment
from .bench_peers import Peers, peers_of
from .settings import Config

WARM_UP = 200
WAKES = 300
"""At most; a small measurement takes as many as it runs cycles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is to be measured.

    Attributes:
        sessions: how many cycles are run, by all processes together.
        concurrency: how many at once, of all processes together.
        waiting: how many sessions are parked.
    """

    sessions: int
    concurrency: int
    waiting: int
    processes: int

    def share(self, process: int, of: int) -> int:
        """What of a number falls to a process; all shares add up to it."""
        return of // self.processes + (process < of % self.processes)


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
    processes: int
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
        self,
        *,
        plan: Plan,
        path: Path,
        cycles: Cycles,
        clock: Clock,
        supervising: SupervisorSettings,
        delivering: DeliverySettings,
        progress: Callable[[str], None],
    ) -> None:
        self._plan = plan
        self._path = path
        self._cycles = cycles
        self._clock = clock
        self._supervising = supervising
        self._delivering = delivering
        self._progress = progress

    async def measure(self, load: Load) -> Figures:
        """Measure everything.

        Raises:
            BenchFailedError: (bench.failed) a session did not do what it should.
        """
        plan = self._plan
        self._progress("Warming up ...")
        await load.run_cycles(min(WARM_UP, plan.sessions), concurrency=plan.concurrency)
        self._progress("Measuring how fast one session wakes ...")
        wakes = sorted([await load.wake_s() for _ in range(min(WAKES, plan.sessions))])
        took_s = await self._run_cycles(load)
        self._progress(f"Parking {plan.waiting} sessions ...")
        on_disk, in_memory = await self._park(load)
        return Figures(
            sessions=plan.sessions,
            concurrency=plan.concurrency,
            processes=plan.processes,
            cycles_per_s=round(plan.sessions / took_s, 1),
            wake_p50_ms=round(_percentile(wakes, 50) * 1000, 2),
            wake_p99_ms=round(_percentile(wakes, 99) * 1000, 2),
            waiting_sessions=plan.waiting,
            bytes_per_waiting_session=on_disk // plan.waiting,
            memory_bytes_per_waiting_session=None if in_memory is None else max(0, in_memory) // plan.waiting,
            python=platform.python_version(),
            sqlite=sqlite3.sqlite_version,
        )

    async def _run_cycles(self, load: Load) -> float:
        """Run all cycles; how long that took, in seconds."""
        plan = self._plan
        self._progress(f"Starting {plan.processes} processes ..." if plan.processes > 1 else "Running ...")
        async with self._peers() as peers:
            by = f", by {plan.processes} processes" if plan.processes > 1 else ""
            self._progress(f"Running {plan.sessions} cycles, {plan.concurrency} at once{by} ...")
            begun_s = self._clock.monotonic_s()
            await peers.alongside(
                load.run_cycles(plan.share(0, plan.sessions), concurrency=plan.share(0, plan.concurrency))
            )
            return self._clock.monotonic_s() - begun_s

    @asynccontextmanager
    async def _peers(self) -> AsyncGenerator[Peers]:
        plan = self._plan
        assignments = [
            Assignment(
                database=self._path.absolute(),
                process=process,
                warm_up=plan.share(process, min(WARM_UP, plan.sessions)),
                cycles=plan.share(process, plan.sessions),
                concurrency=plan.share(process, plan.concurrency),
                supervising=self._supervising,
                delivering=self._delivering,
            )
            for process in range(1, plan.processes)
        ]
        async with peers_of(self._cycles, assignments, folder=self._path.absolute().parent) as peers:
            yield peers

    async def _park(self, load: Load) -> tuple[int, int | None]:
        """Park sessions; by how many bytes the file and the memory have grown."""
        gc.collect()
        disk_before, memory_before = await load.store.checkpoint(), resident_bytes()
        await load.park(self._plan.waiting, concurrency=self._plan.concurrency)
        gc.collect()
        disk, memory = await load.store.checkpoint(), resident_bytes()
        grown = None if memory is None or memory_before is None else memory - memory_before
        return disk - disk_before, grown


async def run_bench(
    *, path: Path, config: Config, clock: Clock, ids: Ids, plan: Plan, progress: Callable[[str], None]
) -> Figures:
    """Measure over a new database at ``path``.

    Raises:
        StoreError: the database cannot be used.
        BenchFailedError: (bench.failed)
    """
    cycles = Cycles(clock=clock)
    supervising = SupervisorSettings(**config.supervising.model_dump())
    delivering = DeliverySettings(**config.delivering.model_dump())
    bench = Bench(
        plan=plan,
        path=path,
        cycles=cycles,
        clock=clock,
        supervising=supervising,
        delivering=delivering,
        progress=progress,
    )
    async with loading(path, cycles=cycles, clock=clock, ids=ids, supervising=supervising, delivering=delivering) as (
        load,
        supervisor,
    ):
        return await unless_it_fails(bench.measure(load), supervisor)


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
