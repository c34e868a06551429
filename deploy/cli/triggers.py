"""Commands for triggers: list, add, remove, enable, disable, fire; ``fires`` has the one that lists what they have fired."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, TypeVar, assert_never

import typer

from ...actors.asks import JsonValue
from ...actors.clock import SystemClock
from ...actors.farewells import OPERATOR
from ...actors.ids import RandomIds
from ...actors.jsontext import from_json
from ...actors.trigger_kinds import (
    ChannelMessage,
    Cron,
    Delay,
    FileChange,
    Starts,
    Trigger,
    Webhook,
    When,
    digest_of,
)
from ...actors.triggers import Triggers
from ...store.farewells import NOBODY, Concerned
from ...store.trigger_rows import TriggerRow
from ..config import load_config
from ..errors import InputInvalidError
from ..settings import Config
from ..wiring import open_store
from .options import ConfigFile, Db, Json, app_of, bot_of, check_name, check_text, surface_of
from .screen import Screen, at
from .trigger_options import catch_up_of, message_of, moment_of, overlap_of, span_of
from .trigger_words import when_in_words

Slug = Annotated[str, typer.Argument(metavar="NAME", help="The trigger's name, from `overwinter triggers list`.")]

Who = Annotated[str, typer.Option("--as", metavar="WHO", help="Who does it; kept in the audit of those who waited.")]

T = TypeVar("T")

_SHOWN = 20
"""So many sessions are named on the screen."""


def triggers_list(db: Db = None, config: ConfigFile = None, as_json: Json = False) -> None:
    """List triggers: what sets them off, when they are due next, and what they start.

    Example: overwinter triggers list
    """
    settings = load_config(file=config, database=db)

    async def run() -> tuple[TriggerRow, ...]:
        async with open_triggers(settings) as triggers:
            return await triggers.all(settings.tenant)

    rows = asyncio.run(run())
    screen = Screen(as_json=as_json)
    if as_json:
        screen.document({"triggers": [_trigger_json(row) for row in rows]})
        return
    screen.table(
        ("NAME", "KIND", "WHEN", "STATUS", "NEXT", "STARTS", "FROM"),
        [
            (
                row.slug,
                row.kind,
                when_in_words(row),
                row.status,
                at(row.next_due_at_ms),
                _bot(row),
                row.source or "operator",
            )
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
    webhook: Annotated[
        bool, typer.Option("--webhook", metavar="", help="When its address is called; prints a token.")
    ] = False,
    signed: Annotated[bool, typer.Option("--signed", metavar="", help="Callers sign; prints a secret.")] = False,
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
    at_once: Annotated[int, typer.Option("--at-once", metavar="N", min=1, help="How many may run.")] = 1,
    app: Annotated[
        str | None,
        typer.Option("--app", metavar="MODULE:APP", help="Whose bot it is. (default: app in the configuration)"),
    ] = None,
    db: Db = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Add a trigger: a schedule, a moment, a webhook, messages on a channel, or files.

    Where the app is known, it is looked at: a bot that it has not, or arguments that its workflow does not take, are refused. A
    webhook's token, and the secret that its callers sign with, are shown here and never again.

    Example: overwinter triggers add nightly --cron "0 2 * * *" --zone Europe/Berlin --starts report --message "last night"
    """
    settings = load_config(file=config, database=db)
    ids = RandomIds()
    token = ids.pause_id() + ids.pause_id() if webhook else None
    secret = ids.pause_id() + ids.pause_id() if signed else None
    given: list[When] = []
    if cron is not None:
        given.append(Cron(expression=cron, zone=zone, catch_up=catch_up_of(catch_up)))
    if after is not None:
        given.append(Delay(after=span_of(after)))
    if moment is not None:
        given.append(Delay(at=moment_of(moment)))
    if token is not None:
        given.append(Webhook(token_digest=digest_of(token), secret=secret))
    if channel is not None:
        given.append(ChannelMessage(channel=channel, pattern=pattern))
    if folder is not None:
        given.append(FileChange(folder=folder))
    if len(given) != 1:
        raise InputInvalidError("give exactly one of --cron, --after, --at, --webhook, --channel and --folder")
    for option, is_given, wanted, is_there in (
        ("--signed", signed, "--webhook", webhook),
        ("--pattern", pattern is not None, "--channel", channel is not None),
        ("--message", message is not None, "--starts", starts is not None),
    ):
        if is_given and not is_there:
            raise InputInvalidError(f"{option} says something of {wanted}, which is missing")
    started = None
    if starts is not None:
        started = Starts(
            bot=starts,
            owner=check_text(owner, what="--owner"),
            message=message_of(message),
            surface=surface_of(surface),
            overlap=overlap_of(overlap),
            at_once=at_once,
        )
    screen = Screen(as_json=as_json)
    if started is not None:
        _check_start(settings, app, started, screen)
    trigger = Trigger(slug=check_text(name, what="NAME"), when=given[0], starts=started)

    async def run() -> TriggerRow:
        async with open_triggers(settings, must_exist=False) as triggers:
            return await triggers.add(settings.tenant, trigger)

    row = asyncio.run(run())
    _note_missing(settings, trigger.when, screen)
    if as_json:
        screen.document({**_trigger_json(row), "token": token, "secret": secret})
        return
    screen.line(f"Added {row.slug}; it {_fires(trigger.when, row)}.", style="green")
    if token is not None:
        listens = settings.webhooks
        base = "" if listens is None else f"http://{listens.host}:{listens.port}"
        screen.line(f"Its address: POST {base}/hooks/{row.slug}/{token}")
    if secret is not None:
        screen.line(f"Callers sign the body with HMAC-SHA256, in X-Hub-Signature-256; the secret: {secret}")


def _check_start(config: Config, target: str | None, starts: Starts, screen: Screen) -> None:
    """See whether the app has such a bot, and whether it can begin with that.

    Raises:
        AppLoadError: (assembly.app-*)
        BotUnknownError: (bot.unknown)
        ToolArgumentsError: (tool.invalid-arguments)
    """
    if target is None and config.app is None:
        screen.note(f"No app is named (--app MODULE:APP), so it is not known whether there is a bot {starts.bot}.")
        return
    app = app_of(target, config)
    bot_of(starts.bot, app)
    newest = next((each for each in reversed(app.workflows) if each.name == starts.bot), None)
    if newest is not None and not newest.takes("fire"):
        newest.check({} if starts.message is None else starts.message)


def _note_missing(config: Config, when: When, screen: Screen) -> None:
    """Say what has to be there besides, so that it ever fires."""
    match when:
        case Webhook() if config.webhooks is None:
            screen.note("No port is set in the table [webhooks]: until one is, no service takes calls.")
        case FileChange(folder=folder) if not Path(folder).is_dir():
            screen.note(f"There is no folder {folder} here; the service needs it.")
        case _:
            pass


def _fires(when: When, row: TriggerRow) -> str:
    match when:
        case Cron() | Delay():
            return f"is due next at {at(row.next_due_at_ms)}"
        case Webhook():
            return "fires when its address is called"
        case ChannelMessage():
            return f"fires at messages on {when.channel}"
        case FileChange():
            return f"fires when files in {when.folder} change"
        case _:
            assert_never(when)


def triggers_remove(
    name: Slug, who: Who = OPERATOR, db: Db = None, config: ConfigFile = None, as_json: Json = False
) -> None:
    """Take a trigger away. What it has fired stays known; sessions that wait for it, or are subscribed, are told that it is gone.

    Example: overwinter triggers remove nightly --as mara
    """
    settings = load_config(file=config, database=db)
    by = check_name(who, what="--as")
    concerned = asyncio.run(_with(settings, lambda triggers: triggers.remove(settings.tenant, name, by=by)))
    _done(
        Screen(as_json=as_json),
        name,
        "removed",
        concerned,
        waiting="Waited for it, and told that it is gone",
        subscribed="Subscribed to it, and told that it is gone",
    )


def triggers_enable(name: Slug, db: Db = None, config: ConfigFile = None, as_json: Json = False) -> None:
    """Let a trigger fire again, from now on.

    Example: overwinter triggers enable nightly
    """
    settings = load_config(file=config, database=db)
    asyncio.run(_with(settings, lambda triggers: triggers.enable(settings.tenant, name)))
    screen = Screen(as_json=as_json)
    if as_json:
        screen.document({"trigger": name, "status": "enabled"})
        return
    screen.line(f"{name} is enabled.", style="green")


def triggers_disable(name: Slug, db: Db = None, config: ConfigFile = None, as_json: Json = False) -> None:
    """Let a trigger fire no more until it is enabled, whatever its app declares. Sessions that wait for it wait on.

    Example: overwinter triggers disable nightly
    """
    settings = load_config(file=config, database=db)
    concerned = asyncio.run(_with(settings, lambda triggers: triggers.disable(settings.tenant, name)))
    _done(
        Screen(as_json=as_json),
        name,
        "disabled",
        concerned,
        waiting="Waiting on for it, until it is enabled and fires or their own time is up",
        subscribed="Subscribed to it, and told of nothing until it is enabled",
    )


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
        async with open_triggers(settings) as triggers:
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


@asynccontextmanager
async def open_triggers(config: Config, *, must_exist: bool = True) -> AsyncGenerator[Triggers]:
    async with open_store(config, must_exist=must_exist) as store:
        yield Triggers(
            triggers=store.triggers, fires=store.fires, clock=SystemClock(), ids=RandomIds(), fired=lambda: None
        )


async def _with(config: Config, act: Callable[[Triggers], Awaitable[T]]) -> T:
    async with open_triggers(config) as triggers:
        return await act(triggers)


def _done(screen: Screen, name: str, status: str, concerned: Concerned, *, waiting: str, subscribed: str) -> None:
    """Say what has become of a trigger, and whom that concerns.

    Args:
        waiting, subscribed: what those do, or what becomes of them.
    """
    if screen.as_json:
        whom = {"waiting": [*concerned.waiting], "subscribed": [*concerned.subscribed]}
        screen.document({"trigger": name, "status": status, **whom})
        return
    screen.line(f"{name} is {status}.", style="green")
    for sessions, what in ((concerned.waiting, waiting), (concerned.subscribed, subscribed)):
        if sessions:
            screen.line(f"{what} ({len(sessions)}): {_some(sessions)}", style="yellow")
    if concerned == NOBODY:
        screen.line("No session waits for it or is subscribed to it.")


def _some(sessions: Sequence[str]) -> str:
    left = len(sessions) - _SHOWN
    return ", ".join(sessions[:_SHOWN]) + (f", and {left} more (--json names all)" if left > 0 else "")


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


def _spec(row: TriggerRow) -> dict[str, JsonValue]:
    return from_json(row.spec_json)


def _shown_when(row: TriggerRow) -> dict[str, JsonValue]:
    """What sets it off, without what its callers have to know."""
    return {
        name: part
        for name, part in _spec(row)["when"].items()
        if name not in ("token_digest", "secret") and part is not None
    }


def _bot(row: TriggerRow) -> str:
    starts = _spec(row).get("starts")
    return "" if starts is None else starts["bot"]
