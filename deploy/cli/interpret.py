"""The command that tries out how replies are read."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from ...actors.asks import Ask, JsonValue
from ...actors.clock import Clock, SystemClock
from ...actors.ids import RandomIds
from ...actors.jsontext import to_json
from ...channels.interpreters.chain import Chain
from ...channels.interpreters.model import ModelInterpreter
from ...channels.interpreters.rules import RulesInterpreter
from ..config import load_config
from ..errors import ConfigError
from ..interpreting import ask_from, readings_of, replies_from
from ..settings import Config
from ..wiring import open_model
from .options import ConfigFile, Json
from .screen import Screen


def interpret(
    ask: Annotated[
        Path,
        typer.Option("--ask", metavar="ASK.json", help="The question: prompt, and one of choices, schema, approval."),
    ],
    replies: Annotated[Path, typer.Option("--replies", metavar="REPLIES.json", help="A JSON list of strings.")],
    with_model: Annotated[
        bool, typer.Option("--model", metavar="", help="Ask the configured model where rules do not decide.")
    ] = False,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Show what is made of replies to a question; nothing is recorded.

    ASK.json is {"prompt": "Refund 80.00?", "approval": {"tool": "refund_card", "arguments": {...}, "schema": {...}}}, or has
    "choices": ["yes", "no"] or "schema": {...} in place of "approval".

    Example: overwinter interpret --ask ask.json --replies replies.json --json
    """
    settings = load_config(file=config)
    if with_model and settings.model is None:
        raise ConfigError(["--model: no model is configured; expected: OVERWINTER_MODEL_NAME, or [model] in the file"])
    clock = SystemClock()
    question = ask_from(ask, now_ms=clock.now_ms())
    texts = replies_from(replies)
    screen = Screen(as_json=as_json)
    with screen.progress(f"Reading {len(texts)} replies ..."):
        readings = asyncio.run(_interpret(settings, question, texts, clock=clock, with_model=with_model))
    if as_json:
        screen.document(readings)
        return
    for text, reading in zip(texts, readings, strict=True):
        screen.line(text, style="bold")
        if reading["outcome"] == "understood":
            screen.line(f"  {to_json(reading['decision'])}  (by {reading['by']})", style="green")
        else:
            screen.line(f"  not understood by {reading['by']}: {reading['reason']}", style="yellow")


async def _interpret(
    config: Config, ask: Ask, replies: list[str], *, clock: Clock, with_model: bool
) -> list[dict[str, JsonValue]]:
    rules = RulesInterpreter(clock=clock)
    if not with_model:
        return await readings_of(rules, ask, replies)
    async with open_model(config, clock=clock, ids=RandomIds()) as model:
        reader = ModelInterpreter("Somebody answers a question in their own words.", model=model)
        return await readings_of(Chain(rules, reader), ask, replies)
