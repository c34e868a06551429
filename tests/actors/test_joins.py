"""Rules of joins: pure over counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import product

import pytest

from overwinter.actors.joins import (
    NO_GROUPS,
    All,
    FailFast,
    First,
    JoinRule,
    Need,
    Quorum,
    QuorumGroups,
    Tally,
    Verdict,
    described,
    judge,
    judge_late,
    winner,
)

BOARD = QuorumGroups({"board": Need(2, of=range(3)), "owner": Need(1, of=[3])})


def counted(states: str, rule: JoinRule) -> Tally:
    """A tally of branches written as letters: d(one), f(ailed), o(pen)."""
    count = Counter(states)
    groups: Mapping[str, Need] = rule.groups if isinstance(rule, QuorumGroups) else {}
    return Tally(
        total=len(states),
        done=count["d"],
        failed=count["f"],
        done_in={name: sum(states[index] == "d" for index in group.of) for name, group in groups.items()},
        failed_in={name: sum(states[index] == "f" for index in group.of) for name, group in groups.items()},
    )


@pytest.mark.behaviour("G50")
@pytest.mark.parametrize(
    ("rule", "states", "verdict"),
    [
        (All(), "ddo", Verdict.OPEN),
        (All(), "ddd", Verdict.SUCCEED),
        (All(), "dfo", Verdict.OPEN),
        (All(), "dfd", Verdict.FAIL),
        (All(), "", Verdict.SUCCEED),
        (FailFast(), "dfo", Verdict.FAIL),
        (FailFast(), "ddo", Verdict.OPEN),
        (FailFast(), "ddd", Verdict.SUCCEED),
        (FailFast(), "", Verdict.SUCCEED),
        (First(), "ffo", Verdict.OPEN),
        (First(), "fdo", Verdict.SUCCEED),
        (First(), "fff", Verdict.FAIL),
        (First(), "", Verdict.UNREACHABLE),
        (Quorum(2), "doo", Verdict.OPEN),
        (Quorum(2), "dod", Verdict.SUCCEED),
        (Quorum(2), "ffo", Verdict.UNREACHABLE),
        (Quorum(3), "oo", Verdict.UNREACHABLE),
        (Quorum(1), "", Verdict.UNREACHABLE),
        (Quorum(2, max=3), "ddoo", Verdict.OPEN),
        (Quorum(2, max=3), "dddo", Verdict.SUCCEED),
        (Quorum(2, max=3), "ddff", Verdict.SUCCEED),
        (Quorum(2, max=3), "dfff", Verdict.UNREACHABLE),
        (Quorum(2, max=3), "dffo", Verdict.OPEN),
        (BOARD, "dooo", Verdict.OPEN),
        (BOARD, "ddoo", Verdict.SUCCEED),
        (BOARD, "oood", Verdict.SUCCEED),
        (BOARD, "ffoo", Verdict.OPEN),
        (BOARD, "ffof", Verdict.UNREACHABLE),
    ],
)
def test_a_rule_is_decided_by_counts(rule: JoinRule, states: str, verdict: Verdict) -> None:
    assert judge(rule, counted(states, rule)) is verdict


@pytest.mark.parametrize(
    ("rule", "states", "verdict"),
    [
        (All(), "ddo", Verdict.LATE),
        (FailFast(), "ddo", Verdict.LATE),
        (First(), "ffo", Verdict.LATE),
        (Quorum(2), "doo", Verdict.LATE),
        (Quorum(2, max=3), "ddoo", Verdict.SUCCEED),
        (Quorum(2, max=3), "dooo", Verdict.LATE),
        (BOARD, "dooo", Verdict.LATE),
    ],
)
def test_a_deadline_decides_what_is_still_open(rule: JoinRule, states: str, verdict: Verdict) -> None:
    assert judge_late(rule, counted(states, rule)) is verdict


@pytest.mark.parametrize(
    "rule", [All(), FailFast(), First(), Quorum(1), Quorum(2), Quorum(4), Quorum(1, max=3), Quorum(2, max=4), BOARD]
)
def test_a_rule_is_decided_once_nobody_is_left_and_stays_open_only_while_somebody_is(rule: JoinRule) -> None:
    for states in product("dfo", repeat=4):
        verdict = judge(rule, counted("".join(states), rule))
        assert (verdict is Verdict.OPEN) <= ("o" in states)


def test_of_two_groups_that_win_at_once_the_first_named_counts() -> None:
    rule = QuorumGroups({"small": Need(1, of=[0]), "large": Need(1, of=[0, 1])})
    assert winner(rule, counted("do", rule)) == "small"
    assert winner(rule, counted("od", rule)) == "large"
    assert winner(rule, counted("oo", rule)) is None
    assert winner(All(), counted("dd", All())) is None


def test_a_tally_says_what_is_needed_and_what_there_is() -> None:
    assert described(Quorum(2), counted("dff", Quorum(2))) == "2 are needed; 1 of 3 branches are done, 2 have failed"
    assert "board needs 2 of 3 and has 1" in described(BOARD, counted("dfff", BOARD))
    assert described(First(), counted("oo", First())).startswith("one is needed")
    assert described(All(), counted("oo", All())).startswith("all are needed")


def test_counts_do_not_grow_with_the_branches() -> None:
    assert Tally(total=1000, done=1, failed=2, done_in=NO_GROUPS, failed_in=NO_GROUPS).open == 997


@pytest.mark.parametrize(
    "make",
    [
        lambda: Quorum(0),
        lambda: Quorum(3, max=2),
        lambda: Need(3, of=[0, 1]),
        lambda: Need(0, of=[0, 1]),
        lambda: Need(2, of=[1, 1]),
        lambda: Need(1, of=[-1]),
        lambda: QuorumGroups({}),
        lambda: BOARD.check(3),
    ],
)
def test_a_rule_that_can_never_hold_is_refused(make: object) -> None:
    with pytest.raises(ValueError, match=r"quorum|branch|group"):
        make()  # type: ignore[operator]
