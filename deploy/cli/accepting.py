"""The command that lets a session go on with changed code: accept."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from ...actors.accepting import Accepted
from ...actors.asks import JsonValue
from ...actors.clock import SystemClock
from ...actors.ids import RandomIds
from ...bots.app import App
from ..config import load_config
from ..settings import Config
from ..wiring import open_runtime
from .options import ConfigFile, Db, Json, app_of, check_name
from .screen import Screen


def accept(
    session: Annotated[str, typer.Argument(metavar="SESSION", help="The session's id, from `overwinter sessions`.")],
    app: Annotated[
        str | None,
        typer.Option("--app", metavar="MODULE:APP", help="The code to accept. (default: app in the configuration)"),
    ] = None,
    who: Annotated[str, typer.Option("--as", metavar="WHO", help="Who accepts it; kept in the ledger.")] = "operator",
    cancels_question: Annotated[
        bool,
        typer.Option(
            "--cancel-question", metavar="", help="Cancel a question that the code asks otherwise; its step reads that."
        ),
    ] = False,
    db: Db = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Let a session that is blocked by changed code go on with the code that is deployed.

    What it has recorded is not done again: the new code takes the results of the steps that it still has, and runs those that
    are new. A service that runs other code than APP blocks the session again. A session that is blocked for another reason is
    refused; so is one whose code asks other people, or for another kind of answer, than it has asked.

    Example: overwinter accept s019a3c5d2e1f0a1b2c3d4e5f --app office:app --as mara
    """
    settings = load_config(file=config, database=db)
    accepted = asyncio.run(
        _accept(
            settings,
            app_of(app, settings),
            session,
            by=check_name(who, what="--as"),
            cancels_question=cancels_question,
        )
    )
    screen = Screen(as_json=as_json)
    if as_json:
        screen.document({"session": session, "accepted": [_accepted_json(each) for each in accepted]})
        return
    for each in accepted:
        screen.line(f"Accepted: {each.program} goes on as version {each.accepted[0]} is deployed.", style="green")
    if not accepted:
        screen.line("The code it began with is deployed: there was nothing to accept.", style="green")
    screen.line(f"Session {session} goes on as soon as a service (overwinter serve) runs that code.", style="dim")


async def _accept(
    config: Config, app: App, session_id: str, *, by: str, cancels_question: bool
) -> tuple[Accepted, ...]:
    async with open_runtime(app, config, clock=SystemClock(), ids=RandomIds(), must_exist=True) as runtime:
        return await runtime.accepting.accept(
            tenant=config.tenant, session_id=session_id, by=by, cancels_question=cancels_question
        )


def _accepted_json(accepted: Accepted) -> dict[str, JsonValue]:
    return {
        "execution": accepted.execution_id,
        "program": accepted.program,
        "stored": _definition_json(accepted.stored),
        "accepted": _definition_json(accepted.accepted),
    }


def _definition_json(definition: tuple[str, str]) -> dict[str, JsonValue]:
    version, fingerprint = definition
    return {"version": version, "fingerprint": fingerprint}
