"""The same history once more, in another session and without any restart: it must come to the same."""

from __future__ import annotations

import re
from collections import Counter

from overwinter.store.snapshots import Timeline

from .player import Player

Action = tuple[str] | tuple[str, str] | tuple[str, int] | tuple[str, str, str]
"""What happened, by labels: ``answer label word``, ``clock ms-since-begin``, ``cancel wait label``, ``cancel``."""


async def play_again(player: Player, actions: list[Action]) -> None:
    """Play what happened in ``player``'s history in a new session, and compare what has become of both."""
    office = player.office
    process = office.processes[0]
    again = await Player.begin(office, player.history.tree, process)
    for action in actions:
        match action:
            case ("answer", str(label), str(word)):
                await again.answer(process, again.wait(label), word)
            case ("clock", int(offset_ms)):
                await again.move_clock(again.history.begun_ms + offset_ms)
            case ("cancel wait", str(label)):
                await again.cancel_wait(process, again.wait(label))
            case ("cancel",):
                await again.cancel(process)
            case _:
                pass
    if player.history.is_cancelled and not again.history.is_cancelled:
        await again.cancel(process)
    assert again.history.is_over, "what came to its end with restarts waits without them"
    first, second = await player.look(), await again.look()
    assert _became(first) == _became(second), "what came of it depends on the restarts"


def _became(timeline: Timeline) -> tuple[object, ...]:
    return (
        timeline.session.status,
        next(_without_ids(row.outcome_json) for row in timeline.executions if row.parent_id is None),
        Counter((row.key, row.role, row.responder, row.resolution, row.decision_json) for row in timeline.audit),
        Counter((row.program, row.status, _without_ids(row.outcome_json)) for row in timeline.executions),
    )


def _without_ids(text: str | None) -> str:
    """What an execution came to, without the ids of executions that errors name."""
    return re.sub(r"\bx[0-9a-f]{24}", "x", text or "")
