"""One of several processes that measure together: its own clients and its own supervisor over the one database.

    python -m overwinter.deploy.bench_peer

Its first line of stdin is the ``Assignment``. It warms up, says ``{"ready": true}``, waits for ``{"go": true}``, runs its cycles
and says ``{"done": true}``; its supervisor goes on until stdin is closed. A session is worked on by whichever process claims it:
what is seen of another's session is said as ``{"to": process, "sight": [session_id, what, text]}``, and heard in the same words.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from ..actors.clock import SystemClock
from ..actors.delivery_settings import DeliverySettings
from ..actors.ids import RandomIds
from ..actors.supervisor_settings import SupervisorSettings
from . import loops
from .bench_app import Cycles, Sight, What
from .bench_load import Load, loading, unless_it_fails
from .logs import configure_logs
from .settings import LogFormat, LogLevel


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """What one process has to do.

    Attributes:
        process: its number, from 1; who started it is 0.
        warm_up, cycles: how many to run before it is ready, and when told to go.
    """

    database: Path
    process: int
    warm_up: int
    cycles: int
    concurrency: int
    supervising: SupervisorSettings
    delivering: DeliverySettings


ASSIGNMENTS = TypeAdapter(Assignment)


def sight_said(to: int, sight: Sight) -> dict[str, Any]:
    return {"to": to, "sight": [sight.session_id, sight.what, sight.text]}


def sight_heard(value: dict[str, Any]) -> Sight:
    session_id, what, text = value["sight"]
    return Sight(session_id=session_id, what=What(what), text=text)


async def _measure() -> None:
    lines = _lines()
    todo = ASSIGNMENTS.validate_python(await anext(lines))
    cycles = Cycles(clock=SystemClock(), process=todo.process)
    cycles.tell_by(lambda to, sight: _say(sight_said(to, sight)))
    told_to_go = asyncio.Event()
    async with loading(
        todo.database,
        cycles=cycles,
        clock=SystemClock(),
        ids=RandomIds(),
        supervising=todo.supervising,
        delivering=todo.delivering,
    ) as (load, supervisor):
        work = asyncio.create_task(_work(todo, load, told_to_go))
        try:
            await unless_it_fails(unless_it_fails(_hear(lines, cycles, told_to_go), work), supervisor)
        finally:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)


async def _work(todo: Assignment, load: Load, told_to_go: asyncio.Event) -> None:
    await load.run_cycles(todo.warm_up, concurrency=todo.concurrency)
    _say({"ready": True})
    await told_to_go.wait()
    await load.run_cycles(todo.cycles, concurrency=todo.concurrency)
    _say({"done": True})


async def _hear(lines: AsyncGenerator[dict[str, Any]], cycles: Cycles, told_to_go: asyncio.Event) -> None:
    """Hear what is said until stdin is closed."""
    async for line in lines:
        if "sight" in line:
            cycles.see(sight_heard(line))
        else:
            told_to_go.set()


async def _lines() -> AsyncGenerator[dict[str, Any]]:
    """What is said to this process, until its stdin is closed."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        yield json.loads(line)


def _say(value: object) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    configure_logs(level=LogLevel.WARNING, form=LogFormat.JSON, stream=sys.stderr)
    loops.run(_measure())
