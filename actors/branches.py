"""The tree of branches that a driver works on, and what it tells its owner of them."""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, Literal

from ..store.values import value
from .joins import NO_GROUPS, QuorumGroups, Tally, Verdict, described, winner
from .operations import Decision, Frame, Join, Joined, Operation, StepError, Wait
from .step_errors import JoinDeadlineError, QuorumNotReachedError


@dataclass(eq=False, slots=True)
class Branch:
    """One coroutine of the tree."""

    coroutine: Coroutine[Any, Any, Any]
    frame: Frame
    parent: Branch | None = None
    """Who awaits it; None for the root."""
    group: Group | None = None
    """The join it belongs to; None for the root and for children."""
    index: int = 0
    """Its place in the join."""
    state: Literal["running", "done", "failed", "closed"] = "running"
    result: Any = None
    waits_on: Operation | None = None
    child: Branch | None = None
    """The child it waits for, once that runs."""
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
    missing: set[int] | None = None
    """Replayed: branches that must end before the recorded decision can be taken again."""
    is_due: bool = False
    """Replayed: they have ended."""
    names: dict[int, list[str]] | None = None
    """The named groups of each branch, where the rule has such."""
    done_in: dict[str, int] = field(default_factory=dict[str, int])
    failed_in: dict[str, int] = field(default_factory=dict[str, int])

    def name_groups(self, rule: QuorumGroups) -> None:
        """Count the branches of each named group apart from now on."""
        self.names = {}
        for name, group in rule.groups.items():
            self.done_in[name] = self.failed_in[name] = 0
            for index in group.of:
                self.names.setdefault(index, []).append(name)

    def count(self, branch: Branch) -> None:
        """One more branch has ended."""
        is_done = branch.state == "done"
        if is_done:
            self.done += 1
        else:
            self.failed += 1
        if self.missing:
            self.missing.discard(branch.index)
        if self.names is not None:
            counts = self.done_in if is_done else self.failed_in
            for name in self.names.get(branch.index, ()):
                counts[name] += 1

    def tally(self) -> Tally:
        total = len(self.branches)
        if self.names is None:
            return Tally(total=total, done=self.done, failed=self.failed, done_in=NO_GROUPS, failed_in=NO_GROUPS)
        return Tally(total=total, done=self.done, failed=self.failed, done_in=self.done_in, failed_in=self.failed_in)

    def decision(self, verdict: Verdict, tally: Tally) -> Decision:
        """Which branches a verdict rests on."""
        rule = self.join.rule
        failed = None if verdict is Verdict.SUCCEED else self._first_failed()
        match verdict:
            case Verdict.SUCCEED:
                group = winner(rule, tally)
                members = None if group is None or self.names is None else self.names
                done = tuple(
                    branch.index
                    for branch in self.branches
                    if branch.state == "done" and (members is None or group in members.get(branch.index, ()))
                )
                return Decision(done=done, failed=None, group=group)
            case Verdict.FAIL:
                return Decision(done=(), failed=failed)
            case Verdict.UNREACHABLE:
                detail = f"the quorum of {self.join.key} cannot be reached: {described(rule, tally)}"
                return Decision(done=(), failed=failed, why="unreachable", detail=detail)
            case Verdict.LATE:
                detail = f"{self.join.key} was not decided in time: {described(rule, tally)}"
                return Decision(done=(), failed=None, why="late", detail=detail)
            case Verdict.OPEN:
                raise ValueError("an open join is not decided")

    def _first_failed(self) -> int | None:
        return next((branch.index for branch in self.branches if branch.state == "failed"), None)

    def results(self, decided: Decision) -> Any:
        """What the join returns."""
        results = [self.branches[index].result for index in decided.done]
        if self.join.tells_places:
            return Joined(results=results, indices=decided.done, group=decided.group)
        return results

    def error(self, decided: Decision) -> BaseException | None:
        """What the join raises; None if it returns."""
        cause: BaseException | None = None if decided.failed is None else self.branches[decided.failed].result
        match decided.why:
            case None:
                return cause
            case "unreachable":
                error: BaseException = QuorumNotReachedError(decided.detail)
            case _:
                error = JoinDeadlineError(decided.detail)
        error.__cause__ = cause
        return error


@value
class Record:
    """Something new that the ledger is to keep: an event without its place."""

    kind: str
    key: str
    body_json: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildEnd:
    """A child is over: it has returned (``text``, its result as JSON), raised (``error``), or its branch was closed.

    Attributes:
        key: of the operation that waited for it.
    """

    key: str
    execution_id: str
    text: str | None = None
    error: StepError | None = None


@dataclass(slots=True, kw_only=True)
class News:
    """What has happened since it was last taken.

    Attributes:
        records: results of values and decisions of joins, for the ledger.
        opened: waits reached that are neither resolved nor known to be open, by key.
        closed: keys of open waits that a decided join has closed.
        dropped: keys of running steps whose branch a decided join has closed.
        children: children that have ended.
        cut: keys of joins that were decided while branches of theirs still ran.
    """

    records: list[Record] = field(default_factory=list[Record])
    opened: dict[str, Wait] = field(default_factory=dict[str, Wait])
    closed: list[str] = field(default_factory=list[str])
    dropped: list[str] = field(default_factory=list[str])
    children: list[ChildEnd] = field(default_factory=list[ChildEnd])
    cut: list[str] = field(default_factory=list[str])


@value
class Ended:
    """The root coroutine has returned (``error`` is None) or raised."""

    result: Any
    error: BaseException | None


def groups_above(branch: Branch) -> list[Group]:
    found: list[Group] = []
    above: Branch | None = branch
    while above is not None:
        if above.group is not None:
            found.append(above.group)
        above = above.parent
    return found
