"""The command for steps that were started, must not start twice, and left no result: settle."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from ...actors.clock import SystemClock
from ...actors.ids import RandomIds
from ...actors.jsontext import from_json
from ...actors.settling import Failed, Returned, Unsettled
from ..config import load_config
from ..desk import desk_over
from ..errors import InputInvalidError
from ..settings import Config
from ..wiring import open_store
from .options import ConfigFile, Db, Json, check_name, check_text
from .screen import Screen


def settle(
    session: Annotated[str, typer.Argument(metavar="SESSION", help="The session's id, from `overwinter sessions`.")],
    call: Annotated[
        str, typer.Argument(metavar="CALL", help="The call's id, or the step's key, from `overwinter show`.")
    ],
    who: Annotated[str, typer.Option("--as", metavar="WHO", help="Who has found it out; kept in the audit.")],
    result: Annotated[
        str | None, typer.Option("--result", metavar="TEXT", help="It took effect: what it returned, as text.")
    ] = None,
    result_json: Annotated[
        str | None, typer.Option("--result-json", metavar="JSON", help="It took effect: what it returned, as JSON.")
    ] = None,
    failed: Annotated[
        str | None, typer.Option("--failed", metavar="WHY", help="It did not take effect; the bot reads why.")
    ] = None,
    db: Db = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Say what became of a step that must not start twice, and was left without a result.

    Look first where it should have taken effect: what you say is recorded as its result, and its session goes on with that.

    Example: overwinter settle s019a3c5d2e1f0a1b2c3d4e5f call_7 --result "paid, reference 8831" --as mara
    """
    given = [part for part in (result, result_json, failed) if part is not None]
    if len(given) != 1:
        raise InputInvalidError("say what became of it with one of --result, --result-json and --failed")
    if failed is not None:
        outcome: Returned | Failed = Failed(detail=check_text(failed, what="--failed"))
    elif result is not None:
        outcome = Returned(result=check_text(result, what="--result"))
    else:
        try:
            outcome = Returned(result=from_json(check_text(result_json or "", what="--result-json")))
        except ValueError as error:
            raise InputInvalidError(f"--result-json is no JSON: {error}") from error
    settings = load_config(file=config, database=db)
    settled = asyncio.run(_settle(settings, session, call, outcome, by=check_name(who, what="--as")))
    screen = Screen(as_json=as_json)
    if as_json:
        screen.document({"session": session, "step": settled.step, "call": settled.call_id or None})
    screen.line(
        f"Settled: {settled.step}. Its session goes on in a service (overwinter serve): at once if one runs.",
        style="green",
    )


async def _settle(config: Config, session_id: str, call: str, outcome: Returned | Failed, *, by: str) -> Unsettled:
    async with open_store(config, must_exist=True) as store:
        desk = desk_over(store, clock=SystemClock(), ids=RandomIds())
        return await desk.settling.settle(
            tenant=config.tenant, session_id=session_id, call=call, outcome=outcome, by=by
        )
