"""Records one person's decision where a question needs several, and what all of them have come to.

The votes are read, the rule says how the question stands with one more, and the vote is written under the guard that no other
has come meanwhile; else all of it is done again. So of two last votes at once one decides, and the other is told.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from ..store.resolutions import CastVote, ResolvePause, ResolveResult, Vote
from ..store.rows import PauseRow, VoteRow, channels_in
from .asks import ApprovalForm, Form
from .errors import SessionCorruptError
from .jsontext import from_json, is_same, to_json
from .marks import secrets_in
from .opening import listed_decision_of, post_of, whole_ask_of
from .quorum import Ballot, Standing, standing_of
from .redaction import Masks
from .roles import RoleBinding


class VoteStore(Protocol):
    """What voting needs of the store."""

    async def votes(self, pause_id: str) -> tuple[VoteRow, ...]: ...

    async def cast_vote(self, change: CastVote) -> ResolveResult: ...


async def vote(
    *,
    store: VoteStore,
    role: RoleBinding,
    pause: PauseRow,
    change: ResolvePause,
    voter: str,
    resolve: Callable[[ResolvePause, PauseRow], Awaitable[ResolveResult]],
) -> tuple[ResolveResult, Standing]:
    """Record ``change``, which holds one person's decision, as a vote; with ``resolve`` if it decides.

    Returns:
        What the store says of it, and how the question stands with it.
    """
    assert role.quorum is not None
    form = whole_ask_of(pause).form
    channels = channels_in(pause.channel)  # those that the question is put to, whatever the role has now
    name = change.responder or voter
    while True:
        cast = await store.votes(pause.pause_id)
        ballots = [*ballots_of(cast), Ballot(voter=voter, name=name, decision=_own(form, change.answer_json))]
        standing = _discreet(form, ballots, standing_of(role.quorum, ballots))
        decision_json = to_json({"by": name, **ballots[-1].decision})
        one = Vote(voter=voter, decision_json=decision_json, counted=len(cast))
        if standing.decision is None:
            result = await store.cast_vote(
                CastVote(
                    pause_id=pause.pause_id,
                    vote=one,
                    inbound=change.inbound,
                    now_ms=change.now_ms,
                    posts=tuple(
                        post_of(pause, channel=channel, hold=None, now_ms=change.now_ms)
                        for channel in (channels[len(ballots) : len(ballots) + 1] if role.quorum.in_order else ())
                    ),
                    updates=tuple(channels),
                    asked_in=change.asked_in,
                )
            )
        else:
            decided = replace(
                change,
                answer_json=to_json(standing.decision),
                decision_json=to_json(
                    listed_decision_of(pause, {**standing.decision, "votes": votes_to_json(ballots)})
                ),
                responder=", ".join(standing.approved_by if standing.decision["approved"] else standing.rejected_by)
                or name,
                vote=one,
            )
            result = await resolve(decided, pause)
        if result.outcome != "stale":
            return result, standing


def _own(form: Form, decision_json: str) -> dict[str, Any]:
    """A person's decision; arguments that are as they were asked change nothing, however they came back."""
    decision: dict[str, Any] = from_json(decision_json)
    if isinstance(form, ApprovalForm) and is_same(decision["override_arguments"], form.arguments):
        decision["override_arguments"] = None
    return decision


def _discreet(form: Form, ballots: Sequence[Ballot], standing: Standing) -> Standing:
    """Reasons may quote what somebody else has put into an argument that is not for everybody."""
    if standing.decision is None or not isinstance(form, ApprovalForm) or form.marks is None:
        return standing
    secrets = [secret for each in ballots for secret in secrets_in(form.marks, each.decision["override_arguments"])]
    reason = standing.decision["reason"]
    if not secrets or reason is None:
        return standing
    return replace(standing, decision={**standing.decision, "reason": Masks(secrets).text(reason)})


def ballots_of(votes: Sequence[VoteRow]) -> list[Ballot]:
    ballots: list[Ballot] = []
    for each in votes:
        decision: dict[str, Any] = from_json(each.decision_json)
        ballots.append(Ballot(voter=each.voter, name=decision.pop("by", each.voter), decision=decision))
    return ballots


def votes_to_json(ballots: Sequence[Ballot]) -> list[dict[str, object]]:
    """For the audit: who said what, in the order in which they did."""
    return [{"by": each.name, **each.decision} for each in ballots]


def listed_votes(pause: PauseRow, votes: Sequence[VoteRow]) -> str | None:
    """For the audit: who had voted; None where the question cannot be read any more, which must not keep it from ending."""
    try:
        return to_json(listed_decision_of(pause, {"votes": votes_to_json(ballots_of(votes))}))
    except (SessionCorruptError, ValueError, KeyError, TypeError):
        return None
