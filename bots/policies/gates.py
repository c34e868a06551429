"""The port of a gate, and the two simplest: one that always asks, one that is a Python function."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from ...channels.roles import ApprovalRole
from .verdicts import Ask, GatedCall, Verdict

DEFAULT_TIMEOUT = timedelta(seconds=10)


class Gate(Protocol):
    """Judges tool calls. It has no effects: it may be asked again about the same call after a crash.

    Whatever ``judge`` raises, and a verdict that is none, counts as ``Ask``.
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
        check: given the call, returns a verdict; a plain function, which should be quick, or an async one.
        timeout: how long an async ``check`` may take.
    """

    name: str
    check: Callable[[GatedCall], Verdict | Awaitable[Verdict]]
    asks: ApprovalRole
    tools: Collection[str] | None = None
    shadow: bool = False
    timeout: timedelta = DEFAULT_TIMEOUT

    async def judge(self, call: GatedCall) -> Verdict:
        verdict = self.check(call)
        return await verdict if inspect.isawaitable(verdict) else verdict
