"""The other processes of a measurement, as the one that started them sees them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .bench_app import Cycles, Sight
from .bench_peer import ASSIGNMENTS, Assignment, sight_heard, sight_said
from .children import Child, children_in
from .errors import BenchFailedError


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Peer:
    child: Child
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    done: asyncio.Event = field(default_factory=asyncio.Event)


class Peers:
    """Processes that have warmed up and wait for the word."""

    def __init__(self, cycles: Cycles) -> None:
        self._cycles = cycles
        self._by_process: dict[int, _Peer] = {}
        self._listening: list[asyncio.Task[None]] = []

    def tell(self, process: int, sight: Sight) -> None:
        """Pass on what was seen here, or by another."""
        self._by_process[process].child.tell(sight_said(process, sight))

    def add(self, child: Child, assignment: Assignment) -> None:
        peer = self._by_process[assignment.process] = _Peer(child=child)
        child.tell(ASSIGNMENTS.dump_python(assignment, mode="json"))
        self._listening.append(asyncio.create_task(self._listen(peer)))

    async def wait_ready(self) -> None:
        """
        Raises:
            BenchFailedError: (bench.failed) one of them has ended.
        """
        await self._together(peer.ready.wait() for peer in self._by_process.values())

    async def alongside(self, work: Coroutine[Any, Any, None]) -> None:
        """Do ``work`` while the others do theirs; return when all is done.

        Raises:
            BenchFailedError: (bench.failed) one of them has ended.
        """
        for peer in self._by_process.values():
            peer.child.tell({"go": True})
        await self._together([work, *(peer.done.wait() for peer in self._by_process.values())])

    async def close(self) -> None:
        """Let them end by themselves, so that they hold nothing of the database any more."""
        await self.leave()
        for peer in self._by_process.values():
            await peer.child.close()

    async def leave(self) -> None:
        """Hear no more of them."""
        for listening in self._listening:
            listening.cancel()
        await asyncio.gather(*self._listening, return_exceptions=True)

    async def _together(self, works: Iterable[Coroutine[Any, Any, object]]) -> None:
        """Await all; one that fails ends the others, and so does a peer that has ended."""
        tasks = [asyncio.create_task(work) for work in works]
        try:
            left = set(tasks)
            while left:
                done, _ = await asyncio.wait({*left, *self._listening}, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
                left -= done
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _listen(self, peer: _Peer) -> None:
        while True:
            said = await peer.child.hear()
            if "ready" in said:
                peer.ready.set()
            elif "done" in said:
                peer.done.set()
            elif said["to"] == 0:
                self._cycles.see(sight_heard(said))
            else:
                self.tell(said["to"], sight_heard(said))


@asynccontextmanager
async def peers_of(cycles: Cycles, assignments: Iterable[Assignment], *, folder: Path) -> AsyncGenerator[Peers]:
    """Processes with these assignments, warmed up; they are gone when the block ends.

    Raises:
        BenchFailedError: (bench.failed) one of them has ended.
    """
    async with children_in(folder, failure=BenchFailedError) as children:
        peers = Peers(cycles)
        cycles.tell_by(peers.tell)
        for assignment in assignments:
            peers.add(await children.start("overwinter.deploy.bench_peer"), assignment)
        try:
            await peers.wait_ready()
            yield peers
            await peers.close()
        finally:
            await peers.leave()
