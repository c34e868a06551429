"""When several people have decided a question: the rule on a page, and properties of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overwinter.actors.quorum import Ballot, QuorumRule, standing_of


def yes(voter: str, *, override: dict[str, Any] | None = None, reason: str | None = None) -> Ballot:
    return Ballot(
        voter=voter, name=voter, decision={"approved": True, "reason": reason, "override_arguments": override}
    )


def no(voter: str, *, reason: str | None = None) -> Ballot:
    return Ballot(voter=voter, name=voter, decision={"approved": False, "reason": reason, "override_arguments": None})


TWO = QuorumRule(needs=2, of=2)
TWO_OF_THREE = QuorumRule(needs=2, of=3)


@pytest.mark.parametrize(
    ("rule", "ballots", "approved", "missing"),
    [
        (TWO, [], None, 2),
        (TWO, [yes("mara")], None, 1),
        (TWO, [yes("mara"), yes("otto")], True, 0),
        (TWO, [no("mara")], False, 0),
        (TWO, [yes("mara"), no("otto")], False, 0),
        (TWO_OF_THREE, [no("mara")], None, 2),
        (TWO_OF_THREE, [no("mara"), yes("otto")], None, 1),
        (TWO_OF_THREE, [no("mara"), yes("otto"), yes("olga")], True, 0),
        (TWO_OF_THREE, [no("mara"), no("otto")], False, 0),
        (TWO_OF_THREE, [yes("mara"), yes("otto", override={"amount": "40.00"})], None, 1),
        (TWO, [yes("mara"), yes("otto", override={"amount": "40.00"})], False, 0),
    ],
)
def test_a_question_is_decided_as_soon_as_it_can_be(
    rule: QuorumRule, ballots: list[Ballot], approved: bool | None, missing: int
) -> None:
    standing = standing_of(rule, ballots)
    assert (None if standing.decision is None else standing.decision["approved"]) == approved
    assert standing.missing == missing


def test_people_agree_on_the_same_arguments_in_whatever_order_they_are_written() -> None:
    one = {"amount": "40.00", "to": {"iban": "x", "name": "y"}}
    other = {"to": {"name": "y", "iban": "x"}, "amount": "40.00"}
    standing = standing_of(TWO, [yes("mara", override=one), yes("otto", override=other)])
    assert standing.decision == {"approved": True, "reason": None, "override_arguments": one}


def test_what_runs_is_what_enough_people_approved() -> None:
    ballots = [yes("mara"), yes("otto", override={"amount": "1.00"}), yes("olga", override={"amount": "1.00"})]
    standing = standing_of(TWO_OF_THREE, ballots)
    assert standing.decision["override_arguments"] == {"amount": "1.00"}


def test_a_rejection_names_who_and_why() -> None:
    standing = standing_of(TWO, [yes("mara"), no("otto", reason="too much")])
    assert standing.decision["reason"] == "otto: too much"
    assert standing.summary == "1 of 2 approved (mara); rejected by otto"


def test_an_approval_keeps_what_was_said_with_it() -> None:
    standing = standing_of(TWO, [yes("mara", reason="fine"), yes("otto", reason="go ahead")])
    assert standing.decision["reason"] == "mara: fine; otto: go ahead"


def decision(*, approved: bool, override: dict[str, int] | None) -> dict[str, Any]:
    return {"approved": approved, "reason": None, "override_arguments": override if approved else None}


DECISION = st.builds(decision, approved=st.booleans(), override=st.sampled_from([None, {"a": 1}, {"a": 2}]))


@given(needs=st.integers(2, 4), more=st.integers(0, 3), decisions=st.lists(DECISION, max_size=7))
def test_nothing_is_approved_that_too_few_have_approved(needs: int, more: int, decisions: list[Any]) -> None:
    rule = QuorumRule(needs=needs, of=needs + more)
    decided: Any = None
    for count in range(len(decisions) + 1):
        ballots = [
            Ballot(voter=str(index), name=str(index), decision=each) for index, each in enumerate(decisions[:count])
        ]
        standing = standing_of(rule, ballots)
        assert (standing.missing == 0) == (standing.decision is not None)
        if standing.decision is None:
            assert count < rule.of, "when all have voted it is decided"
            continue
        same = [
            each
            for each in decisions[:count]
            if each["approved"] and each["override_arguments"] == standing.decision["override_arguments"]
        ]
        if standing.decision["approved"]:
            assert len(same) >= needs
        elif decided is None:
            best = max(
                (
                    sum(each["approved"] and each["override_arguments"] == what for each in decisions[:count])
                    for what in (None, {"a": 1}, {"a": 2})
                ),
            )
            assert best + rule.of - count < needs, "it could not be reached any more"
        decided = standing.decision
        return
