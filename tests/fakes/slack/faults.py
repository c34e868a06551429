"""Misfortunes that a test prepares for the calls to come: refused, limited, broken, cut off, held back."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from .shapes import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Answered with ``ok: false``, nothing done."""

    error: str
    extra: JsonObject = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True)
class Limited:
    """Answered with 429. The header is as given: None leaves it out, and a word is rubbish."""

    retry_after: int | str | None


@dataclass(frozen=True, slots=True)
class Broken:
    """Answered with a server's error in HTML, nothing done."""

    status: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """The connection breaks with no answer.

    Attributes:
        is_done: Slack did it nevertheless, as when the answer comes too late for the caller.
    """

    is_done: bool


class Hold:
    """Holds a call, before it is done or between its being done and its answer, until it is released."""

    def __init__(self, *, is_done: bool) -> None:
        self.is_done = is_done
        self._is_abandoned = False
        self._arrived = asyncio.Event()
        self._released = asyncio.Event()

    async def wait_arrived(self) -> None:
        """Return once the call is held: the moment to kill who made it."""
        await self._arrived.wait()

    def release(self) -> None:
        self._released.set()

    def abandon(self) -> None:
        """The fake ends: whoever is held is let go, unanswered."""
        self._is_abandoned = not self._released.is_set()
        self._released.set()

    async def pass_through(self) -> bool:
        """Hold the call that comes here; False if it was abandoned."""
        self._arrived.set()
        await self._released.wait()
        return not self._is_abandoned


Fault = Refused | Limited | Broken | Cut | Hold

FaultChooser = Callable[[str], Fault | None]
"""Chooses a fault for a call by its method, where none was prepared; None lets it through."""


class Misfortunes:
    """What is prepared, by method, in order."""

    def __init__(self) -> None:
        self._next: dict[str, deque[Fault]] = {}
        self._holds: list[Hold] = []
        self.choose: FaultChooser | None = None

    def prepare(self, method: str, *faults: Fault) -> None:
        self._next.setdefault(method, deque()).extend(faults)

    def take(self, method: str) -> Fault | None:
        prepared = self._next.get(method)
        fault = prepared.popleft() if prepared else self.choose(method) if self.choose is not None else None
        if isinstance(fault, Hold):
            self._holds.append(fault)
        return fault

    def end(self) -> None:
        """Let go of all that is held."""
        for hold in self._holds:
            hold.abandon()
