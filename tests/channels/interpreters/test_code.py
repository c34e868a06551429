"""Replies read by a function of the author's own."""

from __future__ import annotations

from typing import Any, cast

import pytest

from overwinter.actors.asks import Ask, NotUnderstood, Reading, Understood
from overwinter.channels.interpreters.code import CodeInterpreter

from .asks import CHOICES, ask

pytestmark = pytest.mark.behaviour("G19")


def shouts(asked: Ask, reply: str) -> Reading:
    if reply.isupper():
        return Understood(decision="approve", by="code", evidence=reply)
    return NotUnderstood(reason=f"Shout, please: {asked.prompt}", by="code")


async def test_a_plain_function_reads() -> None:
    reader = CodeInterpreter(shouts)
    assert await reader.read(ask(CHOICES), "OK") == Understood(decision="approve", by="code", evidence="OK")
    assert await reader.read(ask(CHOICES, "Go?"), "ok") == NotUnderstood(reason="Shout, please: Go?", by="code")


async def test_an_async_function_reads() -> None:
    async def read(asked: Ask, reply: str) -> Reading:
        return shouts(asked, reply)

    assert await CodeInterpreter(read).read(ask(CHOICES), "OK") == Understood(
        decision="approve", by="code", evidence="OK"
    )


async def test_a_raise_is_not_understood_and_its_cause_is_kept() -> None:
    def read(asked: Ask, reply: str) -> Reading:
        raise LookupError("no such manager")

    reading = await CodeInterpreter(read).read(ask(CHOICES), "ok")
    assert isinstance(reading, NotUnderstood)
    assert (reading.by, reading.cause) == ("code", "builtins.LookupError: no such manager")


async def test_a_raise_after_waiting_is_not_understood_either() -> None:
    async def read(asked: Ask, reply: str) -> Reading:
        raise ValueError("late")

    reading = await CodeInterpreter(read).read(ask(CHOICES), "ok")
    assert isinstance(reading, NotUnderstood)
    assert reading.cause == "builtins.ValueError: late"


@pytest.mark.parametrize("made", [None, True, "approve", {"approved": True}])
async def test_anything_but_a_reading_is_not_understood(made: Any) -> None:
    reading = await CodeInterpreter(lambda asked, reply: cast("Reading", made)).read(ask(CHOICES), "ok")
    assert isinstance(reading, NotUnderstood)
    assert reading.cause is not None
    assert type(made).__name__ in reading.cause
