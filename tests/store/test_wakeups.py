"""How a process notices work: its own at once, that of another process within a second."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from overwinter.store.changes import PostMessage, StartSession
from overwinter.store.errors import StoreBusyError
from overwinter.store.store import Store
from overwinter.store.wakeups import Hints, Wakeups

from .children import start_child
from .examples import (
    MINUTE,
    T0,
    advance,
    asleep,
    claim,
    claim_deliveries,
    message,
    post,
    question,
    resolve,
    rest,
    running,
    session,
    settle,
    timer,
)

NEVER_S = 3600.0


async def is_given(hints: Hints) -> bool:
    """Whether there is a hint to take; it is taken."""
    try:
        async with asyncio.timeout(0.0):
            await hints.wait()
    except TimeoutError:
        return False
    return True


@pytest.fixture
async def quiet(database: Path):  # noqa: ANN201
    """A store that never polls."""
    store = await Store.open(database, poll_s=NEVER_S)
    first = store.subscribe()
    await first.wait()
    await first.wait_polled() if hasattr(first, "wait_polled") else None
    first.close()
    yield store
    await store.aclose()
