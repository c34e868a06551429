"""When a group of branches is decided: pure rules over counts.

A rule is asked with a ``Tally`` each time a branch ends, and says whether the group is still open or what has become of it. It
never sees results and never waits, so a group of a thousand branches costs the same per ending as one of two. What follows
from a verdict (closing the others, collecting results, raising) is the driver's.

    rule           succeeds when                          fails when                           at its deadline
    -------------- -------------------------------------- ------------------------------------ --------------------------
    All            all are done                           all have ended, one has failed       late
    FailFast       all are done                           one has failed                       late
    First          one is done                            all have failed                      late
    Quorum         n are done; with max: max are done,    n cannot be done any more            succeeds if n are done,
                   or n are and nobody is left                                                 else late
    QuorumGroups   a group has its need; of two at once   no group can have its need any more  late
                   the one named first
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import assert_never

from ..store.values import value


class Verdict(Enum):
    OPEN = "open"
    SUCCEED = "succeed"
    """The join returns the results of the branches that are done."""
    FAIL = "fail"
    """The join raises the error of its first failed branch."""
    UNREACHABLE = "unreachable"
    """Not enough branches can be done any more: the join raises ``QuorumNotReachedError``."""
    LATE = "late"
    """Its deadline has passed: the join raises ``JoinDeadlineError``."""


NO_GROUPS: Mapping[str, int] = MappingProxyType({})


@value
class Tally:
    """How many branches a join has, and how many of them have ended in which way.

    Attributes:
        done_in, failed_in: the same for each named group.
    """

    total: int
    done: int
    failed: int
    done_in: Mapping[str, int]
    failed_in: Mapping[str, int]

    @property
    def open(self) -> int:
        return self.total - self.done - self.failed


@dataclass(frozen=True, slots=True)
class All:
    """Every branch runs to its own end, whatever happens to the others; then any failure fails the join."""


@dataclass(frozen=True, slots=True)
class FailFast:
    """The first failure decides: the branches that are not ended are closed and their questions withdrawn."""


@dataclass(frozen=True, slots=True)
class First:
    """The first success decides. If every branch fails, the join raises the error of the first of them."""


@dataclass(frozen=True, slots=True)
class Quorum:
    """Enough is ``n`` branches done; without ``max`` that decides at once.

    Attributes:
        max: go on until so many are done, or nobody is left, or the deadline passes; ``n`` are enough then.
    """

    n: int
    max: int | None = None

    def __post_init__(self) -> None:
        if self.n < 1:
            raise ValueError(f"a quorum is at least 1, not {self.n}")
        if self.max is not None and self.max < self.n:
            raise ValueError(f"the most of a quorum cannot be less than the quorum: {self.max} < {self.n}")


@dataclass(frozen=True, slots=True, init=False)
class Need:
    """How many branches of a group are needed, and which branches are in it, by index."""

    need: int
    of: tuple[int, ...]

    def __init__(self, need: int, *, of: Collection[int]) -> None:
        members = tuple(sorted(set(of)))
        if not 1 <= need <= len(members):
            raise ValueError(f"a group of {len(members)} branches cannot need {need} of them")
        if members[0] < 0:
            raise ValueError(f"branches are counted from 0: there is no {members[0]}")
        object.__setattr__(self, "need", need)
        object.__setattr__(self, "of", members)


@dataclass(frozen=True, slots=True)
class QuorumGroups:
    """Named groups of branches, each with its own need; the first group that has its need wins and its results count.

    A branch may be in several groups. One that is in none runs along and decides nothing.
    """

    groups: Mapping[str, Need]

    def __post_init__(self) -> None:
        if not self.groups:
            raise ValueError("give at least one group")

    def check(self, total: int) -> None:
        """Raises ``ValueError`` for a group that names a branch which is not there."""
        for name, group in self.groups.items():
            if group.of[-1] >= total:
                raise ValueError(f"group {name} names branch {group.of[-1]}, and there are {total}, counted from 0")


JoinRule = All | FailFast | First | Quorum | QuorumGroups


def check_rule(rule: object) -> None:
    """Raise ``TypeError`` for what is no rule, in the code that gives it."""
    if rule is not None and not isinstance(rule, All | FailFast | First | Quorum | QuorumGroups):
        given = f"the class {rule.__name__}" if isinstance(rule, type) else repr(rule)
        raise TypeError(f"join= takes a rule, such as FailFast() or Quorum(2), not {given}")


def check_join(rule: JoinRule | None, *, count: int, max_concurrency: int | None) -> None:
    """Raise ``TypeError`` or ``ValueError`` for a join of ``count`` branches that could not be."""
    if max_concurrency is not None and max_concurrency < 1:
        raise ValueError(f"max_concurrency must be at least 1, not {max_concurrency}")
    check_rule(rule)
    if isinstance(rule, QuorumGroups):
        rule.check(count)


def judge(rule: JoinRule, tally: Tally) -> Verdict:
    """What the branches that have ended make of the join."""
    match rule:
        case All():
            if tally.open:
                return Verdict.OPEN
            return Verdict.FAIL if tally.failed else Verdict.SUCCEED
        case FailFast():
            if tally.failed:
                return Verdict.FAIL
            return Verdict.OPEN if tally.open else Verdict.SUCCEED
        case First():
            if tally.done:
                return Verdict.SUCCEED
            if tally.open:
                return Verdict.OPEN
            return Verdict.FAIL if tally.failed else Verdict.UNREACHABLE
        case Quorum(n=n, max=most):
            if tally.done >= (n if most is None else most):
                return Verdict.SUCCEED
            if tally.done + tally.open < n:
                return Verdict.UNREACHABLE
            return Verdict.OPEN if tally.open else Verdict.SUCCEED
        case QuorumGroups(groups=groups):
            if winner(rule, tally) is not None:
                return Verdict.SUCCEED
            is_open = any(len(group.of) - tally.failed_in[name] >= group.need for name, group in groups.items())
            return Verdict.OPEN if is_open else Verdict.UNREACHABLE
        case _:
            assert_never(rule)


def judge_late(rule: JoinRule, tally: Tally) -> Verdict:
    """What becomes of a join that is still open at its deadline."""
    match rule:
        case Quorum(n=n):
            return Verdict.SUCCEED if tally.done >= n else Verdict.LATE
        case All() | FailFast() | First() | QuorumGroups():
            return Verdict.LATE
        case _:
            assert_never(rule)


def winner(rule: JoinRule, tally: Tally) -> str | None:
    """The group that has its need; None where branches are not grouped, or none has."""
    if isinstance(rule, QuorumGroups):
        for name, group in rule.groups.items():
            if tally.done_in[name] >= group.need:
                return name
    return None


def is_racing(rule: JoinRule) -> bool:
    """Whether who ends first can change what comes of it, even once all have ended."""
    return not isinstance(rule, All | FailFast)


def described(rule: JoinRule, tally: Tally) -> str:
    """What is needed and what there is, for people."""
    counts = f"{tally.done} of {tally.total} branches are done, {tally.failed} have failed"
    match rule:
        case Quorum(n=n):
            return f"{n} are needed; {counts}"
        case QuorumGroups(groups=groups):
            each = ", ".join(
                f"{name} needs {group.need} of {len(group.of)} and has {tally.done_in[name]}"
                for name, group in groups.items()
            )
            return f"{each}; {counts}"
        case First():
            return f"one is needed; {counts}"
        case All() | FailFast():
            return f"all are needed; {counts}"
        case _:
            assert_never(rule)
