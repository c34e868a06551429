"""When a group of branches is decided: pure rules over counts.

A rule sees a ``Tally`` each time a branch ends, and says whether the group is still open, has succeeded or has failed. It never
sees results and never waits, so a group of a thousand branches costs the same per ending as one of two. What follows from
a verdict (closing the others, collecting results, raising) is the driver's.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How many branches a join has, and how many of them have ended in which way."""

    total: int
    done: int
    failed: int

    @property
    def open(self) -> int:
        return self.total - self.done - self.failed


class Verdict(Enum):
    OPEN = "open"
    SUCCEED = "succeed"
    """The join returns the results."""
    FAIL = "fail"
    """The join raises the error of its first failed branch."""


class JoinRule(Protocol):
    def judge(self, tally: Tally) -> Verdict: ...


@dataclass(frozen=True, slots=True)
class All:
    """Every branch runs to its own end, whatever happens to the others; then any failure fails the join."""

    def judge(self, tally: Tally) -> Verdict:
        if tally.open:
            return Verdict.OPEN
        return Verdict.FAIL if tally.failed else Verdict.SUCCEED


@dataclass(frozen=True, slots=True)
class FailFast:
    """The first failure decides: the branches that are not ended are closed and their questions withdrawn."""

    def judge(self, tally: Tally) -> Verdict:
        if tally.failed:
            return Verdict.FAIL
        return Verdict.OPEN if tally.open else Verdict.SUCCEED
