"""The tree of branches that a driver works on, and what it tells its owner of them."""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, Literal

from .joins import Tally
from .operations import Join, Operation, Wait


@dataclass(eq=False, slots=True)
class Branch:
    """One coroutine of the tree."""

    path: str
    coroutine: Coroutine[Any, Any, Any]
    group: Group | None
    """The join it belongs to; None for the root."""
    state: Literal["running", "done", "failed", "closed"] = "running"
    result: Any = None
    waits_on: Operation | None = None
    refusals: int = 0
    """How often it has awaited what is not an operation of its run."""


@dataclass(eq=False, slots=True)
class Group:
    """A join at work."""

    join: Join
    owner: Branch
    branches: list[Branch] = field(default_factory=list[Branch])
    done: int = 0
    failed: int = 0
    steps_running: int = 0

    def tally(self) -> Tally:
        return Tally(total=len(self.branches), done=self.done, failed=self.failed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """Something new that the ledger is to keep: an event without its place."""

    kind: str
    key: str
    body_json: str


@dataclass(slots=True, kw_only=True)
class News:
    """What has happened since it was last taken.

    Attributes:
        records: results of values and early decisions of joins, for the ledger.
        opened: waits reached that are neither resolved nor known to be open.
        closed: keys of open waits that a decided join has closed.
        dropped: keys of running steps whose branch a decided join has closed.
    """

    records: list[Record] = field(default_factory=list[Record])
    opened: list[Wait] = field(default_factory=list[Wait])
    closed: list[str] = field(default_factory=list[str])
    dropped: list[str] = field(default_factory=list[str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The root coroutine has returned (``error`` is None) or raised."""

    result: Any
    error: BaseException | None


def indices(group: Group, state: str) -> tuple[int, ...]:
    return tuple(index for index, branch in enumerate(group.branches) if branch.state == state)


def groups_above(branch: Branch) -> list[Group]:
    found: list[Group] = []
    group = branch.group
    while group is not None:
        found.append(group)
        group = group.owner.group
    return found
