"""A pattern that takes for ever on a stranger's words: nobody else waits for it, it fires nothing, and it is no answer."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field
from structlog.testing import capture_logs

from overwinter.actors.errors import PauseInvalidDecisionError, PauseUninterpretableReplyError
from overwinter.actors.message_patterns import SEARCHED_WITHIN_S
from overwinter.actors.run import Run
from overwinter.actors.trigger_kinds import ChannelMessage, Starts, Trigger
from overwinter.bots.app import App
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.testing.kit import Kit
from overwinter.bots.workflows import workflow
from overwinter.channels.interpreters.rules import RulesInterpreter
from overwinter.channels.roles import Answerer, QuestionRole

SLOW = r"(a|a)*$"
HOSTILE = "order 4471 " + "a" * 4000 + "!"
TICK_S = 0.01


class World:
    """An app whose workflow keeps what it is told, and that waits for messages."""

    def __init__(self, **patterns: str | None) -> None:
        self.patterns = patterns
        self.told: list[str] = []

    def app(self) -> App:
        async def keep(text: str) -> None:
            self.told.append(text)

        @workflow(version="1")
        async def note(run: Run, fire: dict[str, Any]) -> None:
            await run.step(keep, fire["slug"])

        @workflow(version="1")
        async def other(run: Run) -> None:
            await run.step(keep, "other")

        waiting = [
            Trigger(slug=slug, when=ChannelMessage(channel="slack", pattern=pattern), starts=Starts(bot="note"))
            for slug, pattern in self.patterns.items()
        ]
        return App(name="a", workflows=[note, other], triggers=waiting)


async def message(kit: Kit, text: str, external_id: str = "1") -> list[str]:
    """Returns the fires' ids."""
    fired = await kit.runtime.triggers.message(
        tenant="default", channel="slack", external_id=external_id, text=text, sender="mallory"
    )
    return [each.fire_id for each in fired]


async def test_a_pattern_that_is_slow_on_a_message_holds_up_nobody_and_fires_nothing(tmp_path: Path) -> None:
    world = World(slow=SLOW, every=None, orders=r"order \d+", slower=SLOW)
    async with Kit(build=world.app, path=tmp_path / "w.db").running() as kit:
        await kit.settle()
        with capture_logs() as logs:
            receiving = asyncio.create_task(message(kit, HOSTILE))
            ticks, begun_s = 0, time.process_time()
            while not receiving.done():
                await asyncio.wait({receiving}, timeout=TICK_S)
                ticks += 1
                if ticks == 5:
                    await kit.start("other", {})
                    await kit.settle()
                    assert (world.told, receiving.done()) == (["other"], False)
        assert ticks > 20
        assert time.process_time() - begun_s < 6 * SEARCHED_WITHIN_S
        assert len(receiving.result()) == 2
        await kit.settle()
        assert sorted(world.told) == ["every", "orders", "other"]
        assert await kit.runtime.triggers.fires_of("default", "slow", limit=9) == ()
    told = [log for log in logs if log["event"] == "pattern.slow"]
    assert sorted(log["trigger"] for log in told) == ["slow", "slower"]
    assert all(log["characters"] == len(HOSTILE) and "write the pattern so that" in log["error"] for log in told)


async def test_the_same_pattern_fires_for_messages_on_which_it_is_quick(tmp_path: Path) -> None:
    world = World(slow=SLOW)
    async with Kit(build=world.app, path=tmp_path / "w.db").running() as kit:
        await kit.settle()
        assert len(await message(kit, "aaa")) == 1
        await kit.settle()
    assert world.told == ["slow"]


@pytest.mark.parametrize("pattern", ["(", "colour{e<=1}"])
async def test_a_pattern_that_an_earlier_version_took_is_logged_and_keeps_nothing_from_the_others(
    tmp_path: Path, pattern: str
) -> None:
    world = World(old="colou?r", orders="colour")
    async with Kit(build=world.app, path=tmp_path / "w.db").running() as kit:
        await kit.settle()
        with closing(sqlite3.connect(tmp_path / "w.db")) as db:
            db.execute("UPDATE triggers SET spec_json = replace(spec_json, 'colou?r', ?)", (pattern,))
            db.commit()
        with capture_logs() as logs:
            assert len(await message(kit, "which colour?")) == 1
        await kit.settle()
    assert world.told == ["orders"]
    assert [(log["event"], log["trigger"]) for log in logs if log["log_level"] == "error"] == [
        ("pattern.invalid", "old")
    ]


class Code(BaseModel):
    code: Annotated[str, Field(pattern=f"^{SLOW}")]


DESK = QuestionRole(name="desk", answer=Code, answered_by=Answerer.CHANNEL, interpreter=RulesInterpreter())


def office() -> App:
    @workflow(version="1")
    async def booking(run: Run) -> str:
        return (await run.ask(DESK, "Under which code?")).code

    return App(name="office", workflows=[booking], channels={DESK: RecordingChannel(name="desk")})


async def test_an_answer_that_is_slow_to_compare_is_refused_and_the_question_waits(tmp_path: Path) -> None:
    async with Kit(build=office, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("booking", {})
        await kit.settle()
        slow = "a" * 60 + "1"
        with pytest.raises(PauseInvalidDecisionError, match="61 characters could not be compared"):
            await kit.answer(decision={"code": slow})
        with pytest.raises(PauseUninterpretableReplyError, match="Whether the reply gives code cannot be told"):
            await kit.answer(text=f"It is {slow}")
        assert (await kit.session(session_id)).status == "waiting"
        await kit.answer(text="It is aaa")
        await kit.settle()
        assert await kit.outcome(session_id) == {"result": "aaa"}
