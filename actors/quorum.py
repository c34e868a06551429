"""When a question that needs several people is decided: a pure rule over their votes.

People agree only if they approve the same thing: a vote that changes the arguments is for those arguments and no others.
``of`` says how many people are asked; as soon as too few of them are left for ``needs`` to agree, the question is rejected
without waiting for the rest. By default as many are asked as are needed, so that one rejection decides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, cast

from ..store.values import value
from .asks import JsonValue
from .jsontext import to_json


@value
class QuorumRule:
    """How many people have to approve, and how many are asked.

    Attributes:
        in_order: the channels are asked one after another, the next one when somebody has voted and more votes are needed;
            else all at once.
    """

    needs: int
    of: int
    in_order: bool = False


@value
class Ballot:
    """One person's decision, an approval as JSON.

    Attributes:
        voter: what the person is told apart by.
        name: as the channel authenticated them.
    """

    voter: str
    name: str
    decision: dict[str, Any]


@value
class Standing:
    """How a question stands.

    Attributes:
        decision: what it has come to; None while more votes are needed.
        missing: how many more approvals it needs at least; 0 when it is decided.
    """

    decision: JsonValue
    approved_by: tuple[str, ...]
    rejected_by: tuple[str, ...]
    needs: int
    missing: int

    @property
    def summary(self) -> str:
        """For people: ``1 of 2 approved (mara)``."""
        names = f" ({', '.join(self.approved_by)})" if self.approved_by else ""
        against = f"; rejected by {', '.join(self.rejected_by)}" if self.rejected_by else ""
        return f"{len(self.approved_by)} of {self.needs} approved{names}{against}"


def standing_of(rule: QuorumRule, ballots: Sequence[Ballot]) -> Standing:
    """What these votes come to, in the order in which they were cast."""
    approvals = [each for each in ballots if each.decision["approved"]]
    rejections = [each for each in ballots if not each.decision["approved"]]
    agreeing = Counter(_what(each) for each in approvals)
    what, most = agreeing.most_common(1)[0] if agreeing else ("", 0)
    decision: JsonValue = None
    if most >= rule.needs:
        agreed = [each for each in approvals if _what(each) == what]
        decision = {
            "approved": True,
            "reason": _reasons(agreed),
            "override_arguments": agreed[0].decision["override_arguments"],
        }
    elif most + max(0, rule.of - len(ballots)) < rule.needs:
        why = _reasons(rejections) or f"{rule.needs} people had to approve the same call, and did not"
        decision = {"approved": False, "reason": why, "override_arguments": None}
    return Standing(
        decision=decision,
        approved_by=tuple(each.name for each in approvals),
        rejected_by=tuple(each.name for each in rejections),
        needs=rule.needs,
        missing=0 if decision is not None else rule.needs - most,
    )


def _what(ballot: Ballot) -> str:
    """What an approval is for, as text: the arguments it changes to, or none."""
    return to_json(_in_order(ballot.decision["override_arguments"]))


def _in_order(part: Any) -> Any:
    if isinstance(part, dict):
        members = cast("dict[str, Any]", part)
        return {name: _in_order(members[name]) for name in sorted(members)}
    if isinstance(part, list):
        return [_in_order(each) for each in cast("list[Any]", part)]
    return part


def _reasons(ballots: Sequence[Ballot]) -> str | None:
    given = [f"{each.name}: {each.decision['reason']}" for each in ballots if each.decision["reason"]]
    return "; ".join(given) or None
