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


async def answered(path: Path, count: int) -> tuple[list[float], object, list[int]]:
    """Answer ``count`` items in random order over 20 lives of the process.

    Returns:
        Processor seconds for one answer, in each life; the outcome; the items of the questions, in the order asked.
    """
    kit = Kit(build=lambda: App(name="w", workflows=[reviews], channels={REVIEWER: RecordingChannel()}), path=path)
    async with kit.running():
        session_id = await kit.start("reviews", count)
        pauses = list(await kit.pending(session_id))
        assert len(pauses) == count
        random.Random(SEED).shuffle(pauses)
        costs: list[float] = []
        for life in range(LIVES):
            await kit.restart()
            now = pauses[life::LIVES]
            begun_s = time.process_time()
            for pause in now:
                await answer(kit, pause)
            await kit.settle()
            costs.append((time.process_time() - begun_s) / len(now))
        timeline = await kit.timeline(session_id)
        items = [from_json(row.body_json)["item"] for row in timeline.events if row.kind == EventKind.PAUSE_OPENED]
        assert {row.status for row in timeline.pauses} == {"taken"}
        return costs, await kit.outcome(session_id), items


@pytest.mark.behaviour("G2")
@pytest.mark.behaviour("G5")
async def test_a_thousand_answers_in_any_order_over_twenty_restarts_land_on_their_items(tmp_path: Path) -> None:
    few, outcome, _ = await answered(tmp_path / "few.db", 250)
    assert outcome == {"result": [f"{item}: yes to item {item}" for item in range(250)]}
    many, outcome, items = await answered(tmp_path / "many.db", 1000)
    assert outcome == {"result": [f"{item}: yes to item {item}" for item in range(1000)]}
    assert items == list(range(1000))
    # With four times the items an answer may cost twice as much, no more: what it reads grows, what it does not must not. Under
    # a tracer, as coverage is one, it is the tracer that is measured: then only that nothing grows with the square.
    most = 2 if sys.gettrace() is None else 4
    assert median(many) <= most * median(few), (
        f"{median(few) * 1000:.2f} ms an answer of 250, {median(many) * 1000:.2f} of 1,000"
    )
