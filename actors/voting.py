"""Records one person's decision where a question needs several, and what all of them have come to.

The votes are read, the rule says how the question stands with one more, and the vote is written under the guard that no other
has come meanwhile; else all of it is done again. So of two last votes at once one decides, and the other is told.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

from ..store.resolutions import CastVote, ResolvePause, ResolveResult, Vote
from ..store.rows import PauseRow, VoteRow
from .jsontext import from_json, to_json
from .opening import listed_decision_of, post_of
from .quorum import Ballot, Standing, standing_of
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
    while True:
        cast = await store.votes(pause.pause_id)
        name = change.responder or voter
        ballots = [*ballots_of(cast), Ballot(voter=voter, name=name, decision=from_json(change.answer_json))]
        standing = standing_of(role.quorum, ballots)
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
                        for channel in role.channels_after(len(ballots))
                    ),
                    updates=role.channels,
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


def ballots_of(votes: Sequence[VoteRow]) -> list[Ballot]:
    ballots: list[Ballot] = []
    for each in votes:
        decision: dict[str, Any] = from_json(each.decision_json)
        ballots.append(Ballot(voter=each.voter, name=decision.pop("by"), decision=decision))
    return ballots


def votes_to_json(ballots: Sequence[Ballot]) -> list[dict[str, object]]:
    """For the audit: who said what, in the order in which they did."""
    return [{"by": each.name, **each.decision} for each in ballots]
