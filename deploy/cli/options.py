"""The options that commands share, and what is made of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from ...bots.app import App
from ..errors import AppTargetError, BotUnknownError, InputInvalidError
from ..loading import load_app
from ..settings import Config

Json = Annotated[
    bool,
    typer.Option("--json", metavar="", help="Print one JSON document on stdout; errors as one line of JSON on stderr."),
]
Db = Annotated[
    Path | None, typer.Option("--db", metavar="PATH", help="The database's file. (default: ./overwinter.db)")
]
ConfigFile = Annotated[
    Path | None,
    typer.Option("--config", metavar="PATH", help="A TOML or JSON file. (default: ./overwinter.toml, if there)"),
]
Target = Annotated[
    str | None,
    typer.Argument(metavar="MODULE:APP", help="office:app or bots/office.py:app. (default: app in the configuration)"),
]
Owner = Annotated[str, typer.Option("--owner", metavar="WHO", help="Whose session it is.")]
Surface = Literal["chat", "workspace"]
Limit = Annotated[int, typer.Option("--limit", metavar="N", min=1, max=10_000, help="At most so many.")]


def app_of(target: str | None, config: Config) -> App:
    """The app a command names, or the configured one.

    Raises:
        AppLoadError: (assembly.app-*)
    """
    chosen = target or config.app
    if chosen is None:
        raise AppTargetError(
            "no app is named: give MODULE:APP (--app MODULE:APP to `answer` and others), such as office:app or bots/office.py:app, "
            'or put app = "office:app" into the configuration'
        )
    return load_app(chosen, folder=Path.cwd())


def bot_of(name: str | None, app: App) -> str:
    """The bot a command names, or the app's only one.

    Raises:
        BotUnknownError: (bot.unknown)
    """
    names = list(dict.fromkeys([*(agent.name for agent in app.agents), *(each.name for each in app.workflows)]))
    if name is None and len(names) == 1:
        return names[0]
    if name in names:
        return name
    wanted = "name one" if name is None else f"it has no {name!r}"
    raise BotUnknownError(f"app {app.name} has the bots {', '.join(names)}; {wanted}")


def check_text(text: str, *, what: str) -> str:
    """Refuse an argument that is no text: bytes that are not UTF-8 come in as halves of characters."""
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise InputInvalidError(f"{what} is not valid UTF-8")
    return text


def check_name(text: str, *, what: str) -> str:
    """Refuse a name that is empty, or no text."""
    if not text.strip():
        raise InputInvalidError(f"{what} is empty; a name is expected")
    return check_text(text, what=what)


def surface_of(name: str) -> Surface:
    """Where a session works, as it is typed."""
    match name:
        case "chat" | "workspace":
            return name
        case _:
            raise typer.BadParameter("chat or workspace is expected", param_hint="--surface")
