"""Hundreds of histories of slow people: clocks that jump, channels in trouble, restarts, answers from everywhere."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest

from overwinter.actors.errors import (
    ChannelRejectedError,
    ChannelUnreachableError,
    PauseAlreadyVotedError,
    PauseError,
    PauseNotPendingError,
    PauseWrongAnswererError,
)
from overwinter.bots.testing.channel import RecordingChannel

from .waiting_office import HOUR, Office

NO = {"approved": False, "reason": "no"}


class History:
    """One office, and what may happen to it, by a seed."""

    def __init__(self, path: Path, seed: int) -> None:
        self._random = random = Random(seed)
        self.office = Office(
            path,
            channels=random.choice([1, 2]),
            needs=random.choice([1, 1, 2]),
            remind_after=[hours * HOUR for hours in sorted(random.sample(range(1, 12), 3))],
            escalate_after=random.choice([None, 3 * HOUR, 6 * HOUR]),
            deadline=random.choice([None, 13 * HOUR]),
        )
        self.channels = [self.office.desk, self.office.lobby, self.office.board]
        for channel in self.channels:
            for _ in range(random.choice([0, 0, 1, 2])):
                channel.outcomes.append(ChannelUnreachableError("it is down", retry_after_s=random.choice([60, 7200])))
            if random.random() < 0.1:
                channel.outcomes.append(ChannelRejectedError("it is archived"))
            if random.random() < 0.3:
                channel.remind_errors.append(ChannelUnreachableError("it is down", retry_after_s=60))

    async def happen(self) -> None:
        """Something happens."""
        office, random = self.office, self._random
        match random.choice(["time", "time", "jump", "back", "restart", "answer"]):
            case "time":
                await office.kit.advance(random.choice([HOUR, timedelta(minutes=7)]))
            case "jump":
                await office.kit.advance(random.choice([2, 5, 9]) * HOUR)
            case "back":
                await office.kit.advance(-HOUR)
            case "restart":
                await office.kit.restart()
            case _:
                await self._answer()

    async def _answer(self) -> None:
        """Somebody of some channel answers; whether it counts is for the committed state to say."""
        if self._random.random() < 0.5 or not (pauses := await self.office.kit.pending()):
            return
        channel = self._random.choice(self.channels).name
        is_escalated = pauses[0].channel == "board"
        decision = self._random.choice([{"approved": True}, NO])
        by = self._random.choice(["mara", "tom", "ceo"])
        if is_escalated and channel != "board":
            with pytest.raises((PauseWrongAnswererError, PauseNotPendingError)):
                await self.office.answer(channel, by=by, decision=decision)
            return
        with suppress(PauseAlreadyVotedError, PauseNotPendingError):
            await self.office.answer(channel, by=by, decision=decision)

    async def end(self) -> None:
        """Whatever is open is cancelled, and what is to be told of it is told."""
        kit = self.office.kit
        for pause in await kit.pending():
            with suppress(PauseError):
                await kit.runtime.answering.cancel(tenant=kit.tenant, pause_id=pause.pause_id, by="olga", reason="over")
        await kit.settle()
        await kit.advance(10 * HOUR)


def check(channel: RecordingChannel, *, is_board: bool) -> None:
    """What people saw in one channel."""
    numbers = [each.number for each in channel.reminders]
    assert numbers == sorted(set(numbers)), f"{channel.name} was reminded {numbers}"
    assert len(channel.asks) <= 1, "asked once"
    assert len(channel.withdrawals) == len(channel.asks), f"{channel.name}: each question that was sent ends visibly"
    assert len(channel.reliefs) <= (0 if is_board else len(channel.asks))
    if not channel.asks:
        assert (channel.reminders, channel.reliefs) == ([], []), "nobody is told of what they were never asked"


@pytest.mark.parametrize("seed", range(12))
async def test_whatever_happens_people_see_each_thing_once_and_the_end_of_it(tmp_path: Path, seed: int) -> None:
    history = History(tmp_path, seed)
    async with history.office.asked() as session_id:
        for _ in range(12):
            await history.happen()
        await history.end()
        for channel in history.channels:
            check(channel, is_board=channel is history.office.board)
        assert len(history.office.paid) <= 1
        timeline = await history.office.kit.timeline(session_id)
        assert {row.status for row in timeline.pauses} <= {"taken", "cancelled"}
        left = Counter((row.channel, row.kind) for row in timeline.deliveries if row.status == "due")
        assert not left, f"still to be told: {left}"
        entries = await history.office.kit.store.audit(tenant=history.office.kit.tenant, limit=10)
        assert len(entries) == 1
