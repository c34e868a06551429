"""The port of a gate, and the two simplest: one that always asks, one that is a Python function."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Protocol

from ...channels.roles import ApprovalRole
from .beside import Beside
from .verdicts import Ask, GatedCall, Verdict

DEFAULT_TIMEOUT = timedelta(seconds=10)


class Gate(Protocol):
    """Judges tool calls. It has no effects: it may be asked again about the same call after a crash.

    Whatever ``judge`` raises, a verdict that is none, and one that comes late counts as ``Ask``. What it does to the call that it
    is given changes nothing: each gate is given its own.
    """

    @property
    def name(self) -> str:
        """Unique among the gates of one tool; it stands in the decision log."""
        ...

    @property
    def asks(self) -> ApprovalRole:
        """Who is asked where the gate says so, or fails."""
        ...

    @property
    def tools(self) -> Collection[str] | None:
        """Exact names of the tools whose calls it judges; None for all of whatever it is put on."""
        ...

    @property
    def shadow(self) -> bool:
        """It is judged and logged, and changes nothing."""
        ...

    @property
    def timeout(self) -> timedelta: ...

    async def judge(self, call: GatedCall) -> Verdict: ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Always:
    """Every call is asked about. What ``@tool(asks=role)`` is for one tool, this is for several, or for all of an agent."""

    name: str
    asks: ApprovalRole
    reason: str = ""
    tools: Collection[str] | None = None
    shadow: bool = False
    timeout: timedelta = DEFAULT_TIMEOUT

    async def judge(self, call: GatedCall) -> Verdict:
        return Ask(reason=self.reason)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Predicate:
    """A Python function says what happens to a call.

    Attributes:
        check: given the call, returns a verdict. A plain function is run in a thread; an async one must not block.
        timeout: how long ``check`` may take. A plain function that takes longer is not stopped, but is waited for no longer.
    """

    name: str
    check: Callable[[GatedCall], Verdict | Awaitable[Verdict]]
    asks: ApprovalRole
    tools: Collection[str] | None = None
    shadow: bool = False
    timeout: timedelta = DEFAULT_TIMEOUT
    _threads: Beside[Verdict | Awaitable[Verdict]] = field(
        default_factory=Beside[Verdict | Awaitable[Verdict]], init=False, repr=False
    )

    async def judge(self, call: GatedCall) -> Verdict:
        if inspect.iscoroutinefunction(self.check):
            verdict = self.check(call)
        else:
            verdict = await self._threads.run(partial(self.check, call))
        return await verdict if inspect.isawaitable(verdict) else verdict
