"""Runs an app until it is told to stop: SIGTERM or SIGINT ends it in order, a second one at once."""

from __future__ import annotations

import asyncio
import gc
import signal
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import structlog

from ..bots.runtime import Runtime
from .loop_watch import watched_loop

_log = structlog.get_logger("overwinter.service")

T = TypeVar("T")

_SIGNALS = (signal.SIGTERM, signal.SIGINT)


async def serve(runtime: Runtime) -> signal.Signals | None:
    """Work until a signal comes; returns which one it was.

    After the first signal nothing more is claimed, running steps may finish within the grace time, and leases are given back.
    A second signal ends the process at once, as if there were no handler.

    Raises:
        StoreError: the database failed for good.
    """
    received: list[signal.Signals] = []
    loop = asyncio.get_running_loop()

    def stop(number: signal.Signals) -> None:
        received.append(number)
        for each in _SIGNALS:
            loop.remove_signal_handler(each)
            signal.signal(each, signal.SIG_DFL)
        _log.info("service.stopping", signal=number.name, sessions=runtime.supervisor.active_sessions)
        runtime.supervisor.stop()

    spare_the_collector()
    for each in _SIGNALS:
        loop.add_signal_handler(each, stop, each)
    try:
        _log.info("service.started", app=runtime.app.name, bots=bots_of(runtime))
        with watched_loop(clock=runtime.clock):
            await supervise(runtime)
    finally:
        for each in _SIGNALS:
            loop.remove_signal_handler(each)
    _log.info("service.stopped")
    return received[0] if received else None


async def supervise(runtime: Runtime) -> None:
    """Run the supervisor; what made it fail is raised as it is, not in a group."""
    try:
        await runtime.supervisor.run()
    except BaseExceptionGroup as group:
        raise first_of(group) from group


@asynccontextmanager
async def supervising(runtime: Runtime) -> AsyncGenerator[Callable[[], None]]:
    """Supervise while the block runs. Yields a check that raises what the supervisor has failed of, if it has."""
    work = asyncio.create_task(supervise(runtime), name="supervisor")

    def check() -> None:
        if work.done():
            work.result()

    try:
        yield check
    finally:
        runtime.supervisor.stop()
        await work


async def interruptible(work: Awaitable[T]) -> T:
    """Await ``work``; a SIGTERM ends it as Ctrl-C does, so that whatever it has open is closed and removed."""
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)
    terminated: list[bool] = []

    def end() -> None:
        terminated.append(True)
        task.cancel()

    loop.add_signal_handler(signal.SIGTERM, end)
    try:
        return await task
    except asyncio.CancelledError:
        if terminated:
            raise KeyboardInterrupt from None
        task.cancel()
        await asyncio.wait({task})
        raise
    finally:
        loop.remove_signal_handler(signal.SIGTERM)


def spare_the_collector() -> None:
    """Leave what the imports have made out of every later garbage collection, and collect the young less often.

    What passes make is freed by its reference counts as they end; walking the modules again and again finds nothing.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def bots_of(runtime: Runtime) -> list[str]:
    return [*(agent.name for agent in runtime.app.agents), *(workflow.name for workflow in runtime.app.workflows)]


def first_of(group: BaseExceptionGroup[Any]) -> BaseException:
    """The first error in a group, at whatever depth."""
    first: BaseException = group.exceptions[0]
    return first_of(first) if isinstance(first, BaseExceptionGroup) else first  # pyright: ignore[reportUnknownArgumentType]
