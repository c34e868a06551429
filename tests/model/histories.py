"""Runs a machine over many histories, from a seed that is printed."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test
from structlog.testing import capture_logs

from .machine import PauseMachine
from .office import Office

STEPS = 15
"""Rules of one run of a machine, which plays a history or two; what is left to do then is done at its end."""


@contextmanager
def office_in(path: Path, *, processes: int) -> Generator[Office]:
    office = Office(path / "model.db", processes=processes)
    try:
        yield office
    finally:
        office.close()


def play(
    machine: type[PauseMachine],
    office: Office,
    counts: Counter[str],
    *,
    part: int,
    examples: int,
    config: pytest.Config,
) -> None:
    """Play ``examples`` histories. What fails is made smaller, and printed as the calls that lead to it."""
    number = int(config.getoption("--model-seed", 0) or 0) * 1000 + part
    examples = int(config.getoption("--model-examples", None) or examples)
    sys.stdout.write(f"{machine.__name__}: {examples} histories from seed {number}\n")
    chosen = settings(
        max_examples=examples,
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        print_blob=True,
        report_multiple_bugs=False,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=[
            HealthCheck.too_slow,
            HealthCheck.data_too_large,
            HealthCheck.filter_too_much,
            HealthCheck.large_base_example,
        ],
    )
    namespace = {"office": office, "counts": counts, "__module__": machine.__module__}
    played: type[PauseMachine] = type(f"{machine.__name__}{part}", (machine,), namespace)
    with capture_logs():
        run_state_machine_as_test(seed(number)(played), settings=chosen)


_RULES = {
    "All": ("done", "failed", "late"),
    "FailFast": ("done", "failed", "late"),
    "First": ("done", "failed", "late"),
    "Quorum": ("done", "unreachable", "late"),
    "QuorumGroups": ("done", "unreachable", "late"),
}
_WRONG = ("invalid", "tenant", "credential", "stranger", "nobody", "voter", "id")
_LATE = ("decided", "timed_out", "cancelled", "withdrawn", "undeliverable")

EVERYTHING = (
    *(f"node {node}" for node in ("Ask", "Approve", "Step", "Sleep", "Seq", "Try", "Child", "Branches")),
    *(f"verdict {rule} {verdict}" for rule, verdicts in _RULES.items() for verdict in verdicts),
    *(f"end {end}" for end in ("ended", "failed", "cancelled")),
    *(f"event wrong {how}" for how in _WRONG),
    *(f"event late {resolution}" for resolution in _LATE),
    *(f"event clock {how}" for how in ("fired", "timed_out")),
    *(f"event cancel of {what}" for what in ("a question", "timer", "deadline")),
    *(f"event restart {how}" for how in ("cut", "politely", "file closed")),
    *(f"event {what}" for what in ("answer", "together", "duel", "cancel", "away", "delivered again", "known message")),
    *(f"event {what}" for what in ("late before anybody noticed", "played again")),
)
"""What must occur in a run of some hundred histories: else the histories have become poor without anybody noticing."""


def missing(
    counts: Counter[str], *, more: Iterable[str] = (), left_to_others: tuple[str, ...] = (), least: int = 1
) -> dict[str, int]:
    """What has not occurred ``least`` times.

    Args:
        left_to_others: how those begin that another module has to show.
    """
    wanted = [each for each in EVERYTHING if not each.startswith(left_to_others)]
    return {each: counts[each] for each in (*wanted, *more) if counts[each] < least}
