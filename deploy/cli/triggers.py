"""Commands for triggers: list, add, remove, enable, disable, fire, fires."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Annotated

import typer

from ...actors.asks import JsonValue
from ...actors.clock import SystemClock
from ...actors.ids import RandomIds
from ...actors.jsontext import from_json
from ...actors.trigger_kinds import (
    CatchUp,
    ChannelMessage,
    Cron,
    Delay,
    FileChange,
    Overlap,
    Starts,
    Trigger,
    Webhook,
    When,
    digest_of,
)
from ...actors.triggers import Triggers
from ...store.trigger_rows import FireRow, TriggerRow
from ..config import load_config
from ..errors import InputInvalidError
from ..settings import Config
from ..wiring import open_store
from .options import ConfigFile, Db, Json, Limit, check_text
from .screen import Screen, at

Slug = Annotated[str, typer.Argument(metavar="NAME", help="The trigger's name, from `overwinter triggers list`.")]

_Act = Callable[[Triggers], Awaitable[None]]

_SPAN = re.compile(r"(\d+(?:\.\d+)?)\s*(s|min|h|d)")
_UNITS_S = {"s": 1, "min": 60, "h": 3600, "d": 86_400}


def triggers_list(db: Db = None, config: ConfigFile = None, as_json: Json = False) -> None:
    """List triggers: what sets them off, when they are due next, and what they start.

    Example: overwinter triggers list
    """
    settings = load_config(file=config, database=db)

    async def run() -> tuple[TriggerRow, ...]:
        async with _open(settings) as triggers:
            return await triggers.all(settings.tenant)

    rows = asyncio.run(run())
    screen = Screen(as_json=as_json)
    if as_json:
        screen.document({"triggers": [_trigger_json(row) for row in rows]})
        return
    screen.table(
        ("NAME", "KIND", "WHEN", "STATUS", "NEXT", "STARTS", "FROM"),
        [
            (row.slug, row.kind, _when(row), row.status, at(row.next_due_at_ms), _bot(row), row.source or "operator")
            for row in rows
        ],
        empty=f"No triggers in {settings.database}.",
    )


def triggers_add(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call it: a-z, 0-9, '.', '_' and '-'.")],
    cron: Annotated[str | None, typer.Option("--cron", metavar="EXPRESSION", help="At these times.")] = None,
    zone: Annotated[str, typer.Option("--zone", metavar="ZONE", help="Their IANA time zone.")] = "UTC",
    catch_up: Annotated[str, typer.Option("--catch-up", metavar="one|all|none", help="What was missed.")] = "one",
    after: Annotated[str | None, typer.Option("--after", metavar="SPAN", help="Once, after 30s, 5min, 2h, 1d.")] = None,
    moment: Annotated[str | None, typer.Option("--at", metavar="TIME", help="Once, at an ISO 8601 time.")] = None,
    webhook: Annotated[bool, typer.Option("--webhook", help="When its address is called; prints a token.")] = False,
    signed: Annotated[bool, typer.Option("--signed", help="Callers sign; prints a secret.")] = False,
    channel: Annotated[str | None, typer.Option("--channel", metavar="NAME", help="At messages on it.")] = None,
    pattern: Annotated[str | None, typer.Option("--pattern", metavar="REGEX", help="Only such messages.")] = None,
    folder: Annotated[str | None, typer.Option("--folder", metavar="PATH", help="When files in it change.")] = None,
    starts: Annotated[str | None, typer.Option("--starts", metavar="BOT", help="Start a session of this bot.")] = None,
    message: Annotated[
        str | None,
        typer.Option("--message", metavar="TEXT", help="What to tell it; for a workflow its arguments as JSON."),
    ] = None,
    owner: Annotated[str, typer.Option("--owner", metavar="WHO", help="Whose session it is.")] = "triggers",
    surface: Annotated[str, typer.Option("--surface", metavar="chat|workspace", help="Where it works.")] = "chat",
    overlap: Annotated[str, typer.Option("--overlap", metavar="skip|queue", help="While one runs.")] = "skip",
    at_once: Annotated[int, typer.Option("--at-once", min=1, help="How many may run.")] = 1,
    db: Db = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Add a trigger: a schedule, a moment, a webhook, messages on a channel, or files.

    A webhook's token, and the secret that its callers sign with, are shown here and never again.

    Example: overwinter triggers add nightly --cron "0 2 * * *" --zone Europe/Berlin --starts report --message "last night"
    """
    settings = load_config(file=config, database=db)
    ids = RandomIds()
    token = ids.pause_id() + ids.pause_id() if webhook else None
    secret = ids.pause_id() + ids.pause_id() if signed else None
    given: list[When] = []
    if cron is not None:
        given.append(Cron(expression=cron, zone=zone, catch_up=_catch_up(catch_up)))
    if after is not None:
        given.append(Delay(after=_span(after)))
    if moment is not None:
        given.append(Delay(at=_moment(moment)))
    if token is not None:
        given.append(Webhook(token_digest=digest_of(token), secret=secret))
    if channel is not None:
        given.append(ChannelMessage(channel=channel, pattern=pattern))
    if folder is not None:
        given.append(FileChange(folder=folder))
    if len(given) != 1:
        raise InputInvalidError("give exactly one of --cron, --after, --at, --webhook, --channel and --folder")
    started = None
    if starts is not None:
        started = Starts(
            bot=starts,
            owner=check_text(owner, what="--owner"),
            message=_message(message),
            surface="workspace" if surface == "workspace" else "chat",
            overlap=_overlap(overlap),
            at_once=at_once,
        )
    trigger = Trigger(slug=check_text(name, what="NAME"), when=given[0], starts=started)

    async def run() -> TriggerRow:
        async with _open(settings, must_exist=False) as triggers:
            return await triggers.add(settings.tenant, trigger)

    row = asyncio.run(run())
    screen = Screen(as_json=as_json)
    if as_json:
        screen.document({**_trigger_json(row), "token": token, "secret": secret})
        return
    screen.line(f"Added {row.slug}; it is due next at {at(row.next_due_at_ms)}.", style="green")
    if token is not None:
        screen.line(f"Its address: POST /hooks/{row.slug}/{token}")
    if secret is not None:
        screen.line(f"Callers sign the body with HMAC-SHA256, in X-Hub-Signature-256; the secret: {secret}")


def triggers_remove(name: Slug, db: Db = None, config: ConfigFile = None, as_json: Json = False) -> None:
    """Take a trigger away. What it has fired stays known.

    Example: overwinter triggers remove nightly
    """
    settings = load_config(file=config, database=db)
    asyncio.run(_with(settings, lambda triggers: triggers.remove(settings.tenant, name)))
    _done(Screen(as_json=as_json), name, "removed")


def triggers_enable(name: Slug, db: Db = None, config: ConfigFile = None, as_json: Json = False) -> None:
    """Let a trigger fire again, from now on.

    Example: overwinter triggers enable nightly
    """
    settings = load_config(file=config, database=db)
    asyncio.run(_with(settings, lambda triggers: triggers.enable(settings.tenant, name)))
    _done(Screen(as_json=as_json), name, "enabled")


def triggers_disable(name: Slug, db: Db = None, config: ConfigFile = None, as_json: Json = False) -> None:
    """Let a trigger fire no more until it is enabled, whatever its app declares.

    Example: overwinter triggers disable nightly
    """
    settings = load_config(file=config, database=db)
    asyncio.run(_with(settings, lambda triggers: triggers.disable(settings.tenant, name)))
    _done(Screen(as_json=as_json), name, "disabled")


def triggers_fire(
    name: Slug,
    payload: Annotated[str | None, typer.Option("--payload", metavar="JSON", help="What it fires for.")] = None,
    key: Annotated[str | None, typer.Option("--key", metavar="KEY", help="The same key again fires nothing.")] = None,
    db: Db = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Fire a trigger now, beside its own times. A service on the database tells those who wait for it.

    Example: overwinter triggers fire nightly
    """
    settings = load_config(file=config, database=db)
    try:
        given = None if payload is None else from_json(payload)
    except ValueError as error:
        raise InputInvalidError(f"--payload is no JSON: {error}") from error

    async def run() -> JsonValue:
        async with _open(settings) as triggers:
            row = await triggers.get(settings.tenant, name)
            fired = await triggers.fire(row, key=key, payload=given)
            return {"fire": fired.fire_id, "outcome": fired.outcome}

    fired = asyncio.run(run())
    screen = Screen(as_json=as_json)
    if as_json:
        screen.document({"trigger": name, **fired})
        return
    screen.line(
        f"{name}: {fired['outcome']}, {fired['fire']}", style="green" if fired["outcome"] == "fired" else "yellow"
    )


def triggers_fires(
    name: Slug, limit: Limit = 50, db: Db = None, config: ConfigFile = None, as_json: Json = False
) -> None:
    """List what a trigger has fired, the newest first, and what became of it.

    Example: overwinter triggers fires nightly --limit 10
    """
    settings = load_config(file=config, database=db)

    async def run() -> tuple[FireRow, ...]:
        async with _open(settings) as triggers:
            return await triggers.fires_of(settings.tenant, name, limit=limit)

    rows = asyncio.run(run())
    screen = Screen(as_json=as_json)
    if as_json:
        screen.document({"fires": [_fire_json(row) for row in rows]})
        return
    screen.table(
        ("FIRE", "FOR", "FIRED", "MISSED", "STATUS", "STARTED", "OUTCOME"),
        [
            (
                row.fire_id,
                at(row.scheduled_at_ms),
                at(row.fired_at_ms),
                str(row.missed),
                row.status,
                _outcome(row).get("started") or "",
                _told(_outcome(row)),
            )
            for row in rows
        ],
        empty=f"{name} has fired nothing.",
    )


@asynccontextmanager
async def _open(config: Config, *, must_exist: bool = True) -> AsyncGenerator[Triggers]:
    async with open_store(config, must_exist=must_exist) as store:
        yield Triggers(
            triggers=store.triggers, fires=store.fires, clock=SystemClock(), ids=RandomIds(), fired=lambda: None
        )


async def _with(config: Config, act: _Act) -> None:
    async with _open(config) as triggers:
        await act(triggers)


def _done(screen: Screen, name: str, status: str) -> None:
    if screen.as_json:
        screen.document({"trigger": name, "status": status})
        return
    screen.line(f"{name} is {status}.", style="green")


def _trigger_json(row: TriggerRow) -> dict[str, JsonValue]:
    return {
        "trigger": row.slug,
        "id": row.trigger_id,
        "kind": row.kind,
        "when": _shown_when(row),
        "starts": _spec(row).get("starts"),
        "status": row.status,
        "source": row.source,
        "next_due_at_ms": row.next_due_at_ms,
        "created_at_ms": row.created_at_ms,
    }


def _fire_json(row: FireRow) -> dict[str, JsonValue]:
    return {
        "fire": row.fire_id,
        "key": row.key,
        "scheduled_at_ms": row.scheduled_at_ms,
        "fired_at_ms": row.fired_at_ms,
        "missed": row.missed,
        "status": row.status,
        "outcome": _outcome(row),
        "payload": None if row.payload_json is None else from_json(row.payload_json),
    }


def _spec(row: TriggerRow) -> dict[str, JsonValue]:
    return from_json(row.spec_json)


def _shown_when(row: TriggerRow) -> dict[str, JsonValue]:
    """What sets it off, without what its callers have to know."""
    return {
        name: part
        for name, part in _spec(row)["when"].items()
        if name not in ("token_digest", "secret") and part is not None
    }


def _when(row: TriggerRow) -> str:
    return ", ".join(f"{name} {part}" for name, part in _shown_when(row).items())


def _bot(row: TriggerRow) -> str:
    starts = _spec(row).get("starts")
    return "" if starts is None else starts["bot"]


def _outcome(row: FireRow) -> dict[str, JsonValue]:
    return {} if row.outcome_json is None else from_json(row.outcome_json)


def _told(outcome: dict[str, JsonValue]) -> str:
    words = [f"{outcome.get(name, 0)} {name}" for name in ("woken", "told") if outcome.get(name)]
    skipped: dict[str, int] = outcome.get("skipped") or {}
    words += [f"{count} {why}" for why, count in skipped.items()]
    return ", ".join([*words, *([f"not started: {outcome['not_started']}"] if outcome.get("not_started") else [])])


def _message(text: str | None) -> JsonValue:
    """An object for a workflow, if it is one; else a text."""
    try:
        found = None if text is None else from_json(text)
    except ValueError:
        found = None
    return found if isinstance(found, dict) else text  # pyright: ignore[reportUnknownVariableType]


def _span(text: str) -> timedelta:
    found = _SPAN.fullmatch(text.strip())
    if found is None:
        raise InputInvalidError(f"--after {text!r} is no span of time; give 30s, 5min, 2h or 1d")
    return timedelta(seconds=float(found[1]) * _UNITS_S[found[2]])


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise InputInvalidError(f"--at {text!r} is no time; give one such as 2026-12-01T09:00:00+01:00") from error


def _catch_up(text: str) -> CatchUp:
    match text:
        case "one" | "all" | "none":
            return text
        case _:
            raise InputInvalidError(f"--catch-up {text!r}: one, all or none is expected")


def _overlap(text: str) -> Overlap:
    match text:
        case "skip" | "queue":
            return text
        case _:
            raise InputInvalidError(f"--overlap {text!r}: skip or queue is expected")
