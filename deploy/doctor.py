"""Looks at an installation, check by check, and says of each what is wrong and what to click or set to mend it.

A check changes nothing, unless it says so and somebody has asked for it. One that cannot be made because of another's finding is
skipped, so that one fault is told once.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from enum import StrEnum
from typing import Protocol

from ..store.errors import OverwinterError
from ..store.values import value


class Verdict(StrEnum):
    OK = "ok"
    UNSEEN = "unseen"
    """It cannot be seen from here; ``remedy`` says how to make sure."""
    SKIPPED = "skipped"
    """It is not set up, or waits for another finding to be mended."""
    FAILED = "failed"


@value
class Finding:
    """What a check has found.

    Attributes:
        detail: one sentence.
        remedy: what to click or set; None where nothing has to be done.
    """

    verdict: Verdict
    detail: str
    remedy: str | None = None


@value
class Examined:
    """A check and its finding."""

    check: str
    finding: Finding


class Check(Protocol):
    """One thing to look at."""

    @property
    def name(self) -> str:
        """What is looked at, as ``slack: scopes``."""
        ...

    async def run(self) -> Finding:
        """Look. An ``OverwinterError`` or ``OSError`` that it raises is a failure with the error's own words."""
        ...


def ok(detail: str) -> Finding:
    return Finding(verdict=Verdict.OK, detail=detail)


def unseen(detail: str, remedy: str) -> Finding:
    return Finding(verdict=Verdict.UNSEEN, detail=detail, remedy=remedy)


def skipped(detail: str) -> Finding:
    return Finding(verdict=Verdict.SKIPPED, detail=detail)


def failed(detail: str, remedy: str | None) -> Finding:
    return Finding(verdict=Verdict.FAILED, detail=detail, remedy=remedy)


async def examined(checks: Sequence[Check]) -> AsyncGenerator[Examined]:
    """Make the checks one after another, each when it is asked for."""
    for check in checks:
        try:
            finding = await check.run()
        except (OverwinterError, OSError) as error:
            finding = failed(str(error) or type(error).__name__, None)
        yield Examined(check=check.name, finding=finding)


def is_well(findings: Sequence[Examined]) -> bool:
    return all(each.finding.verdict is not Verdict.FAILED for each in findings)
