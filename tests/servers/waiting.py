"""Waiting for what other processes do, in real time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

PATIENCE_S = 60.0

T = TypeVar("T")


async def until(condition: Callable[[], Awaitable[T]], what: str) -> T:
    """Ask again and again until the answer is true; returns it."""
    end_s = time.perf_counter() + PATIENCE_S
    while not (found := await condition()):
        assert time.perf_counter() < end_s, f"it never came to be that {what}"
        await asyncio.sleep(0.02)  # noqa: TID251  a server elsewhere tells nobody here when it is done
    return found
