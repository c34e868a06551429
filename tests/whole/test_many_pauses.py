"""A thousand questions of one map: each answer lands on its own item, and answering does not slow down with their number."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path
from statistics import median

import pytest

from overwinter.actors.answers import ChannelCredential, Decision
from overwinter.actors.events import EventKind
from overwinter.actors.jsontext import from_json
from overwinter.actors.run import Run
from overwinter.bots.app import App
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.workflows import workflow
from overwinter.channels.roles import Answerer, QuestionRole
from overwinter.store.rows import PauseRow

pytestmark = pytest.mark.heavy

REVIEWER = QuestionRole(name="reviewer", answer=str, answered_by=Answerer.CHANNEL)
LIVES = 20
SEED = 20261130


async def review(run: Run, item: int) -> str:
    return f"{item}: {await run.ask(REVIEWER, f'item {item}')}"


@workflow(version="1")
async def reviews(run: Run, count: int) -> list[str]:
    return await run.map(review, range(count))


async def answer(kit: Kit, pause: PauseRow) -> None:
    asked = from_json(pause.ask_json)["prompt"]
    await kit.runtime.answering.answer(
        tenant=kit.tenant,
        pause_id=pause.pause_id,
        answer=Decision(value=f"yes to {asked}"),
        credential=ChannelCredential(answered_by="mara"),
    )


class Items:
    """A session with so many questions open, answered in random order over 20 lives of the process.

    Attributes:
        costs: processor seconds for one answer, in each life so far.
    """

    def __init__(self, path: Path, count: int) -> None:
        self.count = count
        self.costs: list[float] = []
        self.kit = Kit(
            build=lambda: App(name="w", workflows=[reviews], channels={REVIEWER: RecordingChannel()}), path=path
        )
        self.session_id = ""
        self._pauses: list[PauseRow] = []

    async def start(self) -> None:
        async with self.kit.running():
            self.session_id = await self.kit.start("reviews", self.count)
            self._pauses = list(await self.kit.pending(self.session_id))
            assert len(self._pauses) == self.count
            random.Random(SEED).shuffle(self._pauses)

    async def live(self, life: int) -> None:
        """Answer what this life has to answer."""
        async with self.kit.running():
            await self.kit.settle()
            now = self._pauses[life::LIVES]
            begun_s = time.process_time()
            for pause in now:
                await answer(self.kit, pause)
            await self.kit.settle()
            self.costs.append((time.process_time() - begun_s) / len(now))

    async def outcome(self) -> tuple[object, list[int]]:
        """The outcome; the items of the questions, in the order asked."""
        async with self.kit.running():
            timeline = await self.kit.timeline(self.session_id)
            items = [from_json(row.body_json)["item"] for row in timeline.events if row.kind == EventKind.PAUSE_OPENED]
            assert {row.status for row in timeline.pauses} == {"taken"}
            return await self.kit.outcome(self.session_id), items


@pytest.mark.behaviour("G2")
@pytest.mark.behaviour("G5")
@pytest.mark.usefixtures("as_served")
async def test_a_thousand_answers_in_any_order_over_twenty_restarts_land_on_their_items(tmp_path: Path) -> None:
    few, many = Items(tmp_path / "few.db", 250), Items(tmp_path / "many.db", 1000)
    await few.start()
    await many.start()
    for life in range(LIVES):  # side by side, so that whatever else this machine does slows both
        await few.live(life)
        await many.live(life)
    for each in (few, many):
        outcome, items = await each.outcome()
        assert outcome == {"result": [f"{item}: yes to item {item}" for item in range(each.count)]}
        assert items == list(range(each.count))
    # With four times the items an answer may cost twice as much, no more: what it reads grows, what it does not must not. Under
    # a tracer, as coverage is one, it is the tracer that is measured: then only that nothing grows with the square.
    most = 2 if sys.gettrace() is None else 4
    ratios = [of_many / of_few for of_many, of_few in zip(many.costs, few.costs, strict=True)]
    assert median(ratios) <= most, f"an answer of 1,000 costs {median(ratios):.2f} times one of 250: {ratios}"
