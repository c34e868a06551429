"""The command that looks whether everything is set up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Annotated

import typer

from ...actors.asks import JsonValue
from ...actors.clock import SystemClock
from ...actors.ids import RandomIds
from ...bots.app import App
from ..config import load_config
from ..doctor import Check, Examined, Finding, Verdict, examined, failed, is_well, ok, skipped
from ..doctor_core import AppCheck, DatabaseCheck, ModelCheck
from ..doctor_mail import mail_checks
from ..doctor_slack import Patient, slack_checks
from ..domain_names import DomainNames
from ..errors import AppLoadError, ConfigError
from ..listening import ListeningCheck
from ..settings import Config
from ..slacking import slack_client_of
from ..wiring import open_connections
from .exits import Exit
from .options import ConfigFile, Db, Json, Target, app_of
from .screen import Screen

_STYLES = {Verdict.OK: "green", Verdict.FAILED: "bold red", Verdict.UNSEEN: "yellow", Verdict.SKIPPED: "dim"}


def doctor(
    target: Target = None,
    posts: Annotated[
        bool,
        typer.Option(
            "--post", metavar="", help="Post a message in each Slack channel of the app, hear it, and delete it again."
        ),
    ] = False,
    db: Db = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> int:
    """Look whether everything is set up, and say what to click or set where it is not. Nothing is changed.

    It reads the configuration and the database, asks the model for one word, listens for a moment where webhooks come in, and of
    each connection looks at its credentials, what they allow, and the places and people that the app names; of mail also at
    what the domain name system says. Exit code 1 if anything failed.

    With --json: ok, and checks, each with check, verdict (ok, failed, unseen, skipped), detail and remedy.

    Example: overwinter doctor office:app --post
    """
    screen = Screen(as_json=as_json)
    found = asyncio.run(_examine(target, config, db, screen, posts=posts))
    is_fine = is_well(found)
    if as_json:
        screen.document({"ok": is_fine, "checks": [_to_json(each) for each in found]})
    count = sum(each.finding.verdict is Verdict.FAILED for each in found)
    screen.line("All is well." if is_fine else f"{count} of {len(found)} checks failed.", style="bold")
    return Exit.OK if is_fine else Exit.UNHEALTHY


async def _examine(
    target: str | None, file: Path | None, database: Path | None, screen: Screen, *, posts: bool
) -> list[Examined]:
    found: list[Examined] = []
    with screen.progress("Looking ...") as progress:
        async for each in _all_of(target, file, database, posts=posts):
            found.append(each)
            show(screen, each)
            progress.update("Looking ...")
        progress.update("")
    return found


async def _all_of(
    target: str | None, file: Path | None, database: Path | None, *, posts: bool
) -> AsyncGenerator[Examined]:
    try:
        config = load_config(file=file, database=database)
    except ConfigError as error:
        yield Examined(check="configuration", finding=failed("; ".join(error.faults), "set each as it says"))
        return
    yield Examined(check="configuration", finding=ok("it can be read"))
    app, loading = _app(target, config)
    if loading is not None:
        yield Examined(check="app", finding=loading)
    clock, ids = SystemClock(), RandomIds()
    async with open_connections(config, clock=clock, receives=False) as connections:
        checks: list[Check] = [DatabaseCheck(config.database), ModelCheck(config, clock=clock, ids=ids)]
        if loading is None:
            checks.append(AppCheck(app, connections, has_model=config.model is not None))
        webhooks = None if config.webhooks is None else (config.webhooks.host, config.webhooks.port)
        checks.append(ListeningCheck("webhooks", webhooks, table="webhooks"))
        async for each in examined(checks):
            yield each
    if config.mail is None:
        yield Examined(check="mail", finding=skipped("it is not configured ([mail])"))
    else:
        async for each in examined(mail_checks(config.mail, names=DomainNames())):
            yield each
    if config.slack is None:
        yield Examined(check="slack", finding=skipped("it is not configured ([slack])"))
        return
    client = slack_client_of(config.slack, clock=clock)
    try:
        patient = Patient(config.slack, client=client, clock=clock)
        async for each in examined(slack_checks(patient, app, posts=posts)):
            yield each
    finally:
        await client.aclose()


def _app(target: str | None, config: Config) -> tuple[App | None, Finding | None]:
    """The app that is named, and why it cannot be loaded."""
    if target is None and config.app is None:
        return None, None
    try:
        return app_of(target, config), None
    except AppLoadError as error:
        return None, failed(str(error), None)


def show(screen: Screen, each: Examined) -> None:
    """One check, as people read it."""
    finding = each.finding
    screen.line(finding.detail, who=f"{finding.verdict.value:<7} {each.check}", who_style=_STYLES[finding.verdict])
    if finding.remedy is not None:
        screen.line(f"          {finding.remedy}", style="bold")


def _to_json(each: Examined) -> JsonValue:
    finding = each.finding
    return {
        "check": each.check,
        "verdict": finding.verdict.value,
        "detail": finding.detail,
        "remedy": finding.remedy,
    }
