"""What tests need another process for.

    python -m tests.store.child VERB DATABASE [ARGUMENT]

prints one line for what it did. ``answers`` reads the place where to die, one a line, and carries each out in a fork of this
process, which has imported everything and has no thread yet.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, event
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.pool import Pool

from overwinter.store.changes import StartSession
from overwinter.store.errors import StoreError
from overwinter.store.store import Store

from .examples import answer, message, resolve, session


def say(text: object) -> None:
    print(text, flush=True)  # noqa: T201  the answer to the test


async def start(database: Path, session_id: str) -> None:
    """Start a session and end."""
    store = await Store.open(database)
    try:
        say(
            await store.start_session(
                StartSession(session=session(session_id), message=message(session_id, session_id))
            )
        )
    finally:
        await store.aclose()


async def park(database: Path) -> None:
    """Hold the store open until SIGTERM, then close it."""
    end = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, end.set)
    store = await Store.open(database)
    say("parked")
    await end.wait()
    await store.aclose()
    say(f"threads left: {threading.active_count() - 1}")


async def crash(database: Path) -> None:
    """Fail with a store open that nobody closes."""
    await Store.open(database)
    raise RuntimeError("crashed after the start")


async def interrupt(database: Path) -> None:
    """Be interrupted from the keyboard while connecting."""

    def hear(*_: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    event.listen(Pool, "connect", hear)
    await Store.open(database)


async def cancel_closing(database: Path) -> None:
    """Have the closing cancelled with everything still open, and a change still on its way."""
    store = await Store.open(database)
    change = asyncio.create_task(store.start_session(StartSession(session=session(), message=None)))
    closing = asyncio.create_task(store.aclose())
    asyncio.get_running_loop().call_soon(closing.cancel)
    await asyncio.wait({closing})
    say(
        f"closing was cancelled: {closing.cancelled()}, change: {(await asyncio.gather(change, return_exceptions=True))[0]}"
    )


async def as_nobody(database: Path) -> None:
    """Open as a user who owns nothing."""
    if os.getuid() == 0:
        os.setresuid(65534, 65534, 65534)
    try:
        store = await Store.open(database)
        await store.aclose()
    except StoreError as error:
        say(f"{error.code}: {error}")


class Bomb:
    """Kills this process before or after the n-th statement of what it writes, COMMIT being the last one."""

    def __init__(self, count: int) -> None:
        self._left = count

    def tick(self, *_: Any) -> None:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def arm(self) -> None:
        event.listen(Engine, "before_cursor_execute", self.tick)
        event.listen(Engine, "after_cursor_execute", self.tick)
        event.listen(Engine, "commit", self.tick)
        do_commit = DefaultDialect.do_commit

        def counted(dialect: DefaultDialect, connection: Any) -> None:
            do_commit(dialect, connection)
            self.tick()

        setattr(DefaultDialect, "do_commit", counted)  # noqa: B010  there is no event after a commit


async def record_answer(database: Path, count: int) -> None:
    """Record an answer, dying at the given boundary; say so only when it is acknowledged."""
    store = await Store.open(database)
    Bomb(count).arm()
    result = await store.resolve_pause(resolve(inbound=answer()))
    say(f"acknowledged: {result.outcome}")
    await store.aclose()


def answers() -> None:
    for line in sys.stdin:
        database, count = line.rsplit(" ", 1)
        if (pid := os.fork()) == 0:
            asyncio.run(record_answer(Path(database), int(count)))
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        say(f"exit: {os.waitstatus_to_exitcode(status)}")


def main(verb: str, database: str = "", argument: str = "") -> None:
    match verb:
        case "start":
            asyncio.run(start(Path(database), argument))
        case "park":
            asyncio.run(park(Path(database)))
        case "crash":
            asyncio.run(crash(Path(database)))
        case "interrupt":
            asyncio.run(interrupt(Path(database)))
        case "cancel-closing":
            asyncio.run(cancel_closing(Path(database)))
        case "as-nobody":
            asyncio.run(as_nobody(Path(database)))
        case "answers":
            answers()
        case _:
            raise ValueError(verb)


if __name__ == "__main__":
    main(*sys.argv[1:])
