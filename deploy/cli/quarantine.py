"""Commands of the group ``mail quarantine``: list, show, release, drop."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from ...actors.asks import JsonValue
from ...actors.clock import SystemClock
from ...actors.ids import RandomIds
from ...actors.jsontext import from_json
from ...bots.app import App
from ...channels.mail.channel import CONNECTION
from ...channels.mail.connection import MailConnection
from ...channels.mail.receiving import Handled
from ...store.rows import QuarantineRow
from ..config import load_config
from ..errors import InputInvalidError, MailNotReleasedError, MailUnknownError
from ..settings import Config
from ..wiring import open_runtime, open_store
from .options import ConfigFile, Db, Json, Limit, app_of
from .screen import Screen, at, shown

Mail = Annotated[str, typer.Argument(metavar="MAIL", help="The mail's id, from `overwinter mail quarantine list`.")]
AppName = Annotated[
    str | None,
    typer.Option("--app", metavar="MODULE:APP", help="The app that asked. (default: app in the configuration)"),
]

_BECAME = {
    Handled.ANSWERED: "it is the answer now, and its session goes on",
    Handled.REPEATED: "it had answered before",
    Handled.ASKED_AGAIN: "its writer is asked again",
    Handled.TOLD: "its writer is told that it changes nothing",
    Handled.IGNORED: "it is a mail of our own",
}


def mail_quarantine_list(limit: Limit = 100, db: Db = None, config: ConfigFile = None, as_json: Json = False) -> None:
    """List the mails that led nowhere, the newest first: to no question that is known, from somebody who may not answer it,
    sent by a program, too late. Each is kept for 30 days.

    Example: overwinter mail quarantine list --limit 20 --json
    """
    settings = load_config(file=config, database=db)
    rows = asyncio.run(_list(settings, limit))
    screen = Screen(as_json=as_json)
    if as_json:
        screen.document({"mails": [_json(row) for row in rows]})
        return
    screen.table(
        ("MAIL", "CAME", "FROM", "SUBJECT", "SESSION", "WHY"),
        [
            (
                row.quarantine_id,
                at(row.received_at_ms),
                row.sender or "",
                row.subject,
                row.session_id or "",
                f"{row.reason} ({row.kind.replace('_', ' ')})",
            )
            for row in rows
        ],
        empty=f"No mail is kept in {settings.database}.",
    )


def mail_quarantine_show(mail: Mail, db: Db = None, config: ConfigFile = None, as_json: Json = False) -> None:
    """Show a mail that led nowhere: what it was taken for, step by step, and its text as it came.

    Example: overwinter mail quarantine show q3f0a1b2c3d4e5f6a7b8c9d0e --json
    """
    settings = load_config(file=config, database=db)
    row = asyncio.run(_show(settings, mail))
    screen = Screen(as_json=as_json)
    raw = row.raw.decode("utf-8", "replace")
    if as_json:
        screen.document(
            {
                **_json(row),
                "why": from_json(row.why_json),
                "delivered_to": from_json(row.envelope_json),
                "is_whole": row.is_whole,
                "raw": raw,
            }
        )
        return
    screen.line(f"{row.quarantine_id}: {row.reason} ({row.kind.replace('_', ' ')})")
    screen.line(f"came {at(row.received_at_ms)} from {shown(row.sender or 'nobody plainly named')}")
    for step in from_json(row.why_json):
        screen.line(f"  {step['step']}: {shown(step['found'])}, {shown(step['why'])}")
    screen.line()
    text = shown(raw.replace("\r\n", "\n"))
    screen.line(text if row.is_whole else f"{text}\n[… only its beginning is kept]")


def mail_quarantine_release(
    mail: Mail, app: AppName = None, db: Db = None, config: ConfigFile = None, as_json: Json = False
) -> None:
    """Take a mail in once more, as if it came now. It passes the same checks, so do it after what held it back was mended: the
    name of your border server, the people who may answer, a channel that was not deployed. To answer for somebody, use
    `overwinter answer`.

    Example: overwinter mail quarantine release q3f0a1b2c3d4e5f6a7b8c9d0e --app office:app
    """
    settings = load_config(file=config, database=db)
    handled = asyncio.run(_release(settings, app_of(app, settings), mail))
    screen = Screen(as_json=as_json)
    if as_json:
        screen.document({"mail": mail, "became": handled.value})
    screen.line(f"Released: {_BECAME[handled]}.")


def mail_quarantine_drop(mail: Mail, db: Db = None, config: ConfigFile = None, as_json: Json = False) -> None:
    """Throw a mail away.

    Example: overwinter mail quarantine drop q3f0a1b2c3d4e5f6a7b8c9d0e
    """
    settings = load_config(file=config, database=db)
    asyncio.run(_drop(settings, mail))
    screen = Screen(as_json=as_json)
    if as_json:
        screen.document({"mail": mail, "dropped": True})
    screen.line("Dropped: the mail is gone.")


async def _list(config: Config, limit: int) -> tuple[QuarantineRow, ...]:
    async with open_store(config, must_exist=True) as store:
        return await store.quarantine.newest(CONNECTION, limit=limit)


async def _show(config: Config, mail: str) -> QuarantineRow:
    async with open_store(config, must_exist=True) as store:
        row = await store.quarantine.find(mail)
    if row is None:
        raise MailUnknownError
    return row


async def _release(config: Config, app: App, mail: str) -> Handled:
    async with open_runtime(app, config, clock=SystemClock(), ids=RandomIds(), must_exist=True) as runtime:
        connection = next((each for each in runtime.connections if isinstance(each, MailConnection)), None)
        if connection is None:
            raise InputInvalidError("nothing is configured that could take a mail in: give the table [mail]")
        handled = await connection.release(mail)
        if handled is None:
            raise MailUnknownError
        if handled is Handled.QUARANTINED:
            row = await runtime.store.quarantine.find(mail)
            reason = "for the same reason" if row is None else f"when it came: {row.reason}"
            raise MailNotReleasedError(
                f"the mail leads nowhere still ({reason}); `overwinter mail quarantine show` says how it was read then, "
                "and `overwinter mail read` how it is read now"
            )
        return handled


async def _drop(config: Config, mail: str) -> None:
    async with open_store(config, must_exist=True) as store:
        if not await store.quarantine.drop(mail):
            raise MailUnknownError


def _json(row: QuarantineRow) -> dict[str, JsonValue]:
    return {
        "mail": row.quarantine_id,
        "received_at_ms": row.received_at_ms,
        "from": row.sender,
        "subject": row.subject,
        "session": row.session_id,
        "class": row.kind,
        "reason": row.reason,
    }
