"""Commands of the group ``policy``: test, log."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any

import typer

from ...actors.asks import JsonValue
from ...actors.clock import SystemClock
from ...actors.jsontext import from_json
from ...store.rows import LedgerRow
from ..config import load_config
from ..policies import Tried, cases_in, tried
from ..settings import Config
from ..wiring import open_store
from .exits import Exit
from .options import ConfigFile, Db, Json, Limit, app_of
from .screen import Screen, at


def policy_test(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Cases, in TOML or JSON.")],
    app: Annotated[
        str | None,
        typer.Option("--app", metavar="MODULE:APP", help="Whose policies. (default: app in the configuration)"),
    ] = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> int:
    """Try an app's policies on the cases of a file. No model is called, and nothing is written.

    A case is a table [[case]] in TOML, or one of the objects in {"case": [...]} in JSON. It has name, tool, arguments =
    {order_id = "4471", amount = "20.00"} and what is expected: expect = "allow", "schedule", "ask" or "deny". If that matters,
    asks = ["finance"] says who is asked, reason = "over 500" is part of the reason, and judges = {regulars = "may_run"} is what
    a judge says; one that is not named there asks a person. agent, owner, tenant, surface and call_id may be said too. With a
    case that is not as expected, the exit code is 8.

    Example: overwinter policy test policies.toml --app overwinter.bots.examples.gated_refunds:app
    """
    settings = load_config(file=config, database=None)
    results = asyncio.run(tried(app_of(app, settings), cases_in(file), clock=SystemClock()))
    failed = sum(not each.passed for each in results)
    screen = Screen(as_json=as_json)
    if as_json:
        screen.document(
            {
                "passed": len(results) - failed,
                "failed": failed,
                "cases": [each.to_json() for each in results],
            }
        )
    for each in results:
        _tell(screen, each)
    screen.line(f"{len(results) - failed} passed, {failed} failed.", style="red" if failed else "green")
    return Exit.FAILED if failed else Exit.OK


def policy_log(
    session: Annotated[str | None, typer.Option("--session", metavar="SESSION", help="Only of this session.")] = None,
    limit: Limit = 50,
    db: Db = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """List what policies said of calls, newest first. The log is part of the ledger, and nothing in it is ever changed.

    Example: overwinter policy log --session s019a3c5d2e1f0a1b2c3d4e5f --limit 20
    """
    settings = load_config(file=config, database=db)
    rows = asyncio.run(_log(settings, session, limit))
    screen = Screen(as_json=as_json)
    if as_json:
        screen.document({"entries": [_entry_json(row) for row in rows]})
        return
    table: list[tuple[str, ...]] = []
    for row in rows:
        body: Any = from_json(row.body_json)
        table += [
            (
                at(row.at_ms),
                row.session_id,
                body["tool"],
                each["policy"] + (" (shadow)" if each["shadow"] else ""),
                each["verdict"],
                each["reason"],
                body["digest"][:12],
            )
            for each in body["findings"]
        ]
    columns = ("WHEN", "SESSION", "TOOL", "POLICY", "SAYS", "WHY", "CALL")
    screen.table(
        columns,
        table,
        empty="No policy has judged a call yet." if session is None else f"No policy has judged a call of {session}.",
    )


def _tell(screen: Screen, each: Tried) -> None:
    if each.passed:
        screen.line(f"ok      {each.case.name}: {each.verdict}")
        return
    screen.line(f"FAILED  {each.case.name}: {'; '.join(each.wrong)}", style="red")
    for reason in each.reasons:
        screen.line(f"        {reason}", style="dim")


async def _log(config: Config, session_id: str | None, limit: int) -> tuple[LedgerRow, ...]:
    async with open_store(config, must_exist=True) as store:
        return await store.judged(tenant=config.tenant, session_id=session_id, limit=limit)


def _entry_json(row: LedgerRow) -> dict[str, JsonValue]:
    return {
        "at_ms": row.at_ms,
        "session": row.session_id,
        "execution": row.execution_id,
        "step": row.key,
        **from_json(row.body_json),
    }
