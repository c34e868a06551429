"""What the processes of the crash stories share: forks that carry the story on, a clock that is ahead, and where one dies.

A module of such a story is run as ``python -m tests.crash.NAME`` and reads one JSON list a line. Each line is carried out by a
fork of it, which has imported everything and has no thread yet; its exit code is printed.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import sys
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.pool import PoolProxiedConnection

from overwinter.actors.clock import SystemClock
from overwinter.bots.runtime import Runtime
from overwinter.deploy.logs import configure_logs
from overwinter.deploy.settings import LogFormat, LogLevel


class ShiftedClock(SystemClock):
    """A clock that is ahead, so that the leases and holds of a killed process have run out."""

    def __init__(self, shift_s: int) -> None:
        self._shift_ms = shift_s * 1000

    def now_ms(self) -> int:
        return super().now_ms() + self._shift_ms


class Bomb:
    """Kills this process at the n-th time its point is reached; of the commits those count that change a row."""

    def __init__(self, where: str, count: int) -> None:
        self._where = where
        self._left = count
        self._changes = 0

    def reach(self, where: str) -> None:
        if where != self._where:
            return
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def arm(self) -> None:
        do_commit = DefaultDialect.do_commit

        def before(connection: Connection) -> None:
            if _changes(connection.connection) > self._changes:
                self.reach("before")

        def counted(dialect: Any, connection: PoolProxiedConnection) -> None:
            do_commit(dialect, connection)
            if (changes := _changes(connection)) > self._changes:
                self._changes = changes
                self.reach("after")

        event.listen(Engine, "commit", before)
        setattr(DefaultDialect, "do_commit", counted)  # noqa: B010  no event tells of a commit that is done


def _changes(connection: PoolProxiedConnection) -> int:
    """How many rows this connection has changed; one that only reads has changed none."""
    raw = connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)
    return raw.total_changes


async def live(
    runtime: Runtime,
    is_over: Callable[[], Awaitable[bool]],
    *,
    begin: Callable[[], Awaitable[None]] | None = None,
    within_s: float,
) -> None:
    """Supervise until the story is over, looking whenever the store has changed; then close the store.

    Args:
        begin: what begins the story, or finds it begun.
    """
    work = asyncio.create_task(runtime.supervisor.run())
    hints = runtime.store.subscribe()
    try:
        if begin is not None:
            await begin()
        async with asyncio.timeout(within_s):
            while not await is_over():
                await hints.wait()
    finally:
        hints.close()
        runtime.supervisor.stop()
        await work
        await runtime.store.aclose()


def carry_out(run: Callable[..., Coroutine[Any, Any, None]], *, level: LogLevel) -> None:
    """Run a story's part for each line of stdin, which has its arguments."""
    configure_logs(level=level, form=LogFormat.JSON, stream=sys.stderr)
    for line in sys.stdin:
        if (pid := os.fork()) == 0:
            asyncio.run(run(*json.loads(line)))
            sys.exit(0)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201  the answer to the test
