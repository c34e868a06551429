"""Scripts of a whole story: what the user says, what the model says, who answers what, when everything is restarted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from ...actors.asks import JsonValue
from ...actors.messages import ModelReply
from ..app import App
from ..scripted_model import ScriptedModel
from ..tools import Surface
from .kit import Kit


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """The session's owner says something; the first one starts the session."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSays:
    """The model's next reply."""

    reply: ModelReply


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerGiven:
    """Somebody answers the oldest open question of a role or about a tool."""

    asked: str
    text: str | None
    decision: JsonValue
    by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Restart:
    """Every object is thrown away; the database is all that is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimePasses:
    duration: timedelta


ScriptStep = User | ModelSays | AnswerGiven | Restart | TimePasses


def user(text: str) -> ScriptStep:
    return User(text=text)


def model(reply: ModelReply) -> ScriptStep:
    return ModelSays(reply=reply)


def answer(asked: str, text: str | None = None, *, decision: JsonValue = None, by: str = "mara") -> ScriptStep:
    """An answer in words (``text``) or typed (``decision``)."""
    return AnswerGiven(asked=asked, text=text, decision=decision, by=by)


def restart() -> ScriptStep:
    return Restart()


def time_passes(duration: timedelta) -> ScriptStep:
    return TimePasses(duration=duration)


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """How the story stands after its last step.

    Attributes:
        status: the session's.
        outcome: what its last execution came to; None while it is under way.
        tool_results: what the model read of each call that has ended, by the call's id, in the order in which they ended.
    """

    session_id: str
    status: str
    outcome: JsonValue
    tool_results: Mapping[str, str]


async def play(
    steps: Sequence[ScriptStep],
    *,
    build: Callable[[ScriptedModel], App],
    bot: str,
    path: Path,
    owner: str = "olga",
    surface: Surface = "chat",
) -> Played:
    """Play a script on a database of its own.

    Args:
        build: makes the app around the scripted model; called again at each restart.
    """
    lines = [step.reply for step in steps if isinstance(step, ModelSays)]
    kit = Kit(build=lambda: build(ScriptedModel.by_turn(lines)), path=path)
    session_id: str | None = None
    async with kit.running():
        for step in steps:
            match step:
                case User(text=text) if session_id is None:
                    session_id = await kit.start(bot, text, owner=owner, surface=surface)
                case User(text=text):
                    await kit.say(session_id or "", text)
                case ModelSays():
                    pass
                case AnswerGiven():
                    await kit.answer(step.asked, text=step.text, decision=step.decision, by=step.by)
                case Restart():
                    await kit.restart()
                case TimePasses(duration=duration):
                    await kit.advance(duration)
        if session_id is None:
            raise ValueError("a script needs a step user(...) to begin with")
        session = await kit.session(session_id)
        return Played(
            session_id=session_id,
            status=session.status,
            outcome=await kit.outcome(session_id),
            tool_results=await kit.tool_results(session_id),
        )
