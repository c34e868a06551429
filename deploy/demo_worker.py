"""The process that runs the bot in the demonstration: a supervisor over the refund app, which says how it stands.

    python -m overwinter.deploy.demo_worker DATABASE JOURNAL

It writes JSON lines to stdout: ``{"question": text}`` for what the manager is asked, and the ``State`` whenever that has
changed. It ends when its stdin is closed, so it does not outlive whoever started it.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from ..actors.clock import SystemClock
from ..actors.ids import RandomIds
from ..bots.examples.refund import build
from ..bots.runtime import Runtime
from .service import supervising
from .settings import Config
from .wiring import open_runtime


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """How the worker stands.

    Attributes:
        is_busy: a pass, a delivery or a claim is under way.
        status: the session's; None before there is one.
    """

    sessions_in_memory: int
    is_busy: bool
    pauses_pending: int
    status: str | None


async def work(database: Path, journal: Path) -> None:
    """Run the app until stdin is closed."""
    app = build(journal, write=lambda text: _say({"question": text}))
    config = Config(database=database)
    async with (
        open_runtime(app, config, clock=SystemClock(), ids=RandomIds(), must_exist=False) as runtime,
        supervising(runtime) as check,
    ):
        saying = asyncio.create_task(_say_state(runtime))
        closed = asyncio.create_task(_wait_closed(sys.stdin.fileno()))
        await asyncio.wait({saying, closed}, return_when=asyncio.FIRST_COMPLETED)
        check()
        saying.cancel()
        with suppress(asyncio.CancelledError):
            await saying


async def _say_state(runtime: Runtime) -> None:
    said: State | None = None
    while True:
        # By the clock: what leaves the memory does so after its commit, and gives no hint.
        state = await _state_of(runtime)
        if state != said:
            _say(asdict(state))
            said = state
        await runtime.clock.sleep_until_ms(runtime.clock.now_ms() + 50)


async def _state_of(runtime: Runtime) -> State:
    sessions = await runtime.store.sessions(tenant=None, statuses=None, limit=1)
    pauses = await runtime.store.pending_pauses(tenant=None, session_id=None, limit=10)
    return State(
        sessions_in_memory=runtime.supervisor.active_sessions,
        is_busy=runtime.supervisor.is_busy,
        pauses_pending=len(pauses),
        status=sessions[0].status if sessions else None,
    )


async def _wait_closed(fd: int) -> None:
    closed = asyncio.Event()
    loop = asyncio.get_running_loop()

    def read() -> None:
        if not os.read(fd, 1024):
            loop.remove_reader(fd)
            closed.set()

    loop.add_reader(fd, read)
    await closed.wait()


def _say(value: object) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(work(Path(sys.argv[1]), Path(sys.argv[2])))
