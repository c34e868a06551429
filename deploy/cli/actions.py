"""Commands of the group ``actions``: calls that gates have put off. list, perform, cancel."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from ...actors.actions import Actions
from ...actors.asks import JsonValue
from ...actors.clock import SystemClock
from ...actors.errors import ActionUnknownError
from ...actors.ids import RandomIds
from ...actors.privacy import listed_arguments
from ...actors.tickets import Ticket
from ...bots.app import App
from ...bots.wording import readable
from ..config import load_config
from ..desk import desk_over
from ..errors import InputInvalidError
from ..settings import Config
from ..wiring import open_runtime, open_store
from .options import ConfigFile, Db, Json, Limit, app_of, check_name, check_text
from .screen import Screen, at

Session = Annotated[str, typer.Argument(metavar="SESSION", help="The session's id, from `overwinter actions list`.")]
Call = Annotated[
    str, typer.Argument(metavar="CALL", help="The call's id, or the step's key, from `overwinter actions list`.")
]
Who = Annotated[str, typer.Option("--as", metavar="WHO", help="Who does it; kept in the audit.")]


def actions_list(
    session: Annotated[str | None, typer.Option("--session", metavar="SESSION", help="Those of one session.")] = None,
    kind: Annotated[str | None, typer.Option("--kind", metavar="KIND", help="Those of one kind of action.")] = None,
    limit: Limit = 100,
    db: Db = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """List the calls that gates have put off and that have not run, the oldest first: when each is due, and until when it may
    run. One that is due at no time waits for a host to perform it, or for `overwinter actions perform`.

    Example: overwinter actions list --kind billing.settle
    """
    settings = load_config(file=config, database=db)
    tickets = asyncio.run(_list(settings, session, kind, limit))
    screen = Screen(as_json=as_json)
    if as_json:
        screen.document({"actions": [_json(ticket) for ticket in tickets]})
        return
    screen.table(
        ("SESSION", "CALL", "RUNS", "KIND", "CORRELATION", "SINCE", "DUE", "UNTIL"),
        [
            (
                ticket.session_id,
                ticket.call_id,
                f"{ticket.tool}({readable(listed_arguments(ticket.marks, ticket.arguments))})",
                ticket.action_kind or "",
                ticket.correlation_id,
                at(ticket.committed_at_ms),
                "by a host" if ticket.due_at_ms is None else at(ticket.due_at_ms),
                at(ticket.deadline_at_ms),
            )
            for ticket in tickets
        ],
        empty=f"No call is put off in {settings.database}.",
    )


def actions_perform(
    session: Session,
    call: Call,
    who: Who,
    app: Annotated[
        str | None,
        typer.Option("--app", metavar="MODULE:APP", help="The app that calls. (default: app in the configuration)"),
    ] = None,
    db: Db = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Have a call that was put off run now, exactly as it was committed: in the place of its host. One that is due at a time
    runs by itself then, and not before.

    Example: overwinter actions perform s019a3c5d2e1f0a1b2c3d4e5f call_7 --as mara --app office:app
    """
    settings = load_config(file=config, database=db)
    ticket = asyncio.run(
        _perform(
            settings, app_of(app, settings), session, check_text(call, what="CALL"), by=check_name(who, what="--as")
        )
    )
    screen = Screen(as_json=as_json)
    if as_json:
        screen.document({"session": session, "call": ticket.call_id, "tool": ticket.tool})
    screen.line(
        f"Performed: {ticket.tool} runs as soon as a service (overwinter serve) goes on with its session.",
        style="green",
    )


def actions_cancel(
    session: Session,
    call: Call,
    who: Who = "operator",
    reason: Annotated[
        str, typer.Option("--reason", metavar="WHY", help="Why; the bot reads it.")
    ] = "cancelled by an operator",
    db: Db = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Let a call that was put off never run. Its bot reads why, and its session goes on.

    Example: overwinter actions cancel s019a3c5d2e1f0a1b2c3d4e5f call_7 --reason "wrong account" --as mara
    """
    settings = load_config(file=config, database=db)
    by, why = check_name(who, what="--as"), check_text(reason, what="--reason")
    ticket = asyncio.run(_cancel(settings, session, check_text(call, what="CALL"), by=by, reason=why))
    screen = Screen(as_json=as_json)
    if as_json:
        screen.document({"session": session, "call": ticket.call_id, "cancelled": True})
    screen.line(f"Cancelled: {ticket.tool} does not run, and its session goes on.")


async def _list(config: Config, session: str | None, kind: str | None, limit: int) -> tuple[Ticket, ...]:
    async with open_store(config, must_exist=True) as store:
        actions = desk_over(store, clock=SystemClock(), ids=RandomIds()).actions
        return await actions.waiting(tenant=config.tenant, session_id=session, action_kind=kind, limit=limit)


async def _perform(config: Config, app: App, session: str, call: str, *, by: str) -> Ticket:
    async with open_runtime(app, config, clock=SystemClock(), ids=RandomIds(), must_exist=True) as runtime:
        ticket = await _named(runtime.actions, config, session, call)
        await runtime.perform_scheduled_action(ticket, by=by)
        return ticket


async def _cancel(config: Config, session: str, call: str, *, by: str, reason: str) -> Ticket:
    async with open_store(config, must_exist=True) as store:
        desk = desk_over(store, clock=SystemClock(), ids=RandomIds())
        ticket = await _named(desk.actions, config, session, call)
        await desk.answering.cancel(tenant=config.tenant, pause_id=ticket.ticket_id, by=by, reason=reason)
        return ticket


async def _named(actions: Actions, config: Config, session: str, call: str) -> Ticket:
    waiting = await actions.waiting(tenant=config.tenant, session_id=session, limit=10_000)
    named = [ticket for ticket in waiting if call in (ticket.call_id, ticket.step)]
    if not named:
        known = ", ".join(ticket.call_id for ticket in waiting) or "none"
        raise ActionUnknownError(f"no call {call} of session {session} is put off; those that are: {known}")
    if len(named) > 1:
        steps = ", ".join(ticket.step for ticket in named)
        raise InputInvalidError(f"several calls of session {session} are called {call}; give the step's key: {steps}")
    return named[0]


def _json(ticket: Ticket) -> dict[str, JsonValue]:
    """Without its id, which is the right to have it performed."""
    return {
        "session": ticket.session_id,
        "execution": ticket.execution_id,
        "step": ticket.step,
        "call": ticket.call_id,
        "bot": ticket.bot,
        "owner": ticket.owner,
        "tool": ticket.tool,
        "arguments": listed_arguments(ticket.marks, ticket.arguments),
        "kind": ticket.action_kind,
        "correlation": ticket.correlation_id,
        "committed_at_ms": ticket.committed_at_ms,
        "due_at_ms": ticket.due_at_ms,
        "deadline_at_ms": ticket.deadline_at_ms,
    }
