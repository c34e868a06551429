"""Commands that look: sessions, show, pending."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from ...actors.asks import JsonValue
from ...actors.clock import SystemClock
from ...actors.errors import SessionCorruptError, SessionUnknownError
from ...actors.opening import prompt_of
from ...store.rows import AnswererKind, PauseKind, PauseRow, SessionRow, SessionStatus
from ...store.snapshots import Timeline
from ..config import load_config
from ..remedies import remedy_of
from ..settings import Config
from ..timeline import Entry, entries_of
from ..wiring import open_store
from .options import ConfigFile, Db, Json, Limit
from .screen import Screen, at, span

_STATUS_STYLES = {"blocked": "yellow", "failed": "red", "cancelled": "dim"}


_STATUSES = f"Only these: {', '.join(SessionStatus)}. May be repeated."


def sessions(
    status: Annotated[list[SessionStatus] | None, typer.Option("--status", metavar="STATUS", help=_STATUSES)] = None,
    limit: Limit = 50,
    db: Db = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """List sessions, the one that moved last first.

    Example: overwinter sessions --status waiting --limit 20
    """
    settings = load_config(file=config, database=db)
    rows = asyncio.run(_sessions(settings, frozenset(status) if status else None, limit))
    screen = Screen(as_json=as_json)
    if as_json:
        screen.document({"sessions": [_session_json(row) for row in rows]})
        return
    screen.table(
        ("SESSION", "BOT", "OWNER", "STATUS", "MOVED", "REASON"),
        [(row.session_id, row.program, row.owner, row.status, at(row.updated_at_ms), row.reason or "") for row in rows],
        empty=f"No sessions{' of that status' if status else ''} in {settings.database}.",
    )
    if any(remedy_of(row) for row in rows):
        screen.note("`overwinter show SESSION` says what can be done for one that is blocked.")


def show(
    session: Annotated[str, typer.Argument(metavar="SESSION", help="The session's id, from `overwinter sessions`.")],
    db: Db = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Show a session: everything that was said, asked, answered and done, in order.

    Example: overwinter show s019a3c5d2e1f0a1b2c3d4e5f
    """
    settings = load_config(file=config, database=db)
    timeline = asyncio.run(_timeline(settings, session))
    screen = Screen(as_json=as_json)
    entries = entries_of(timeline)
    if as_json:
        screen.document(
            {"session": _session_json(timeline.session), "timeline": [entry.to_json() for entry in entries]}
        )
        return
    _show_session(screen, timeline.session)
    for entry in entries:
        _show_entry(screen, entry)


def pending(
    limit: Limit = 100,
    db: Db = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """List the questions that wait for an answer, the oldest first.

    A question to the session's owner is listed with its id, which is what `overwinter answer` calls QUESTION. The id of a
    question that went to a channel is the right to answer it: the channel alone has it. One that was asked on the terminal is
    printed there again by a line /pending in `overwinter chat MODULE:APP --session SESSION`.

    Example: overwinter pending
    """
    settings = load_config(file=config, database=db)
    rows = [row for row in asyncio.run(_pending(settings)) if row.kind == PauseKind.ASK][:limit]
    screen = Screen(as_json=as_json)
    if as_json:
        screen.document({"questions": [_question_json(row) for row in rows]})
        return
    now_ms = SystemClock().now_ms()
    screen.table(
        ("SESSION", "STEP", "ASKS", "ON", "SINCE", "UNTIL", "PROMPT", "QUESTION"),
        [
            (
                row.session_id,
                row.key,
                row.role,
                row.channel if row.is_sent or row.answerer == AnswererKind.OWNER else f"{row.channel} (not sent yet)",
                span(now_ms - row.asked_at_ms),
                at(row.deadline_at_ms),
                _prompt(row),
                _shown_id(row) or "",
            )
            for row in rows
        ],
        empty=f"No question waits in {settings.database}.",
    )


async def _sessions(config: Config, statuses: frozenset[str] | None, limit: int) -> tuple[SessionRow, ...]:
    async with open_store(config, must_exist=True) as store:
        return await store.sessions(tenant=config.tenant, statuses=statuses, limit=limit)


async def _timeline(config: Config, session_id: str) -> Timeline:
    async with open_store(config, must_exist=True) as store:
        timeline = await store.timeline(session_id)
    if timeline is None or timeline.session.tenant != config.tenant:
        raise SessionUnknownError(
            f"there is no session {session_id!r} in {config.database}; overwinter sessions lists them"
        )
    return timeline


async def _pending(config: Config) -> tuple[PauseRow, ...]:
    # Timers and waits for messages come with the questions; they are no questions, so the limit is not for them.
    async with open_store(config, must_exist=True) as store:
        return await store.pending_pauses(tenant=config.tenant, session_id=None, limit=100_000)


def _session_json(row: SessionRow) -> dict[str, JsonValue]:
    return {
        "session": row.session_id,
        "bot": row.program,
        "owner": row.owner,
        "tenant": row.tenant,
        "surface": row.surface,
        "status": row.status,
        "reason": row.reason,
        "remedy": remedy_of(row),
        "attempts": row.attempts,
        "created_at_ms": row.created_at_ms,
        "updated_at_ms": row.updated_at_ms,
    }


def _question_json(row: PauseRow) -> dict[str, JsonValue]:
    return {
        "pause": _shown_id(row),
        "session": row.session_id,
        "step": row.key,
        "role": row.role,
        "answered_by": row.answerer,
        "channel": row.channel,
        "is_sent": row.is_sent,
        "prompt": _prompt(row),
        "asked_at_ms": row.asked_at_ms,
        "deadline_at_ms": row.deadline_at_ms,
    }


def _shown_id(row: PauseRow) -> str | None:
    return row.pause_id if row.answerer == AnswererKind.OWNER else None


def _prompt(row: PauseRow) -> str:
    try:
        return prompt_of(row)
    except SessionCorruptError:
        return "(cannot be read)"


def _show_session(screen: Screen, row: SessionRow) -> None:
    screen.line(f"{row.session_id}  {row.program} for {row.owner}, {row.surface}", style="bold")
    reason = f": {row.reason}" if row.reason else ""
    screen.line(f"{row.status}{reason}", style=_STATUS_STYLES.get(row.status, "green"))
    if (remedy := remedy_of(row)) is not None:
        screen.line(f"What to do: {remedy}", style=_STATUS_STYLES["blocked"])
    screen.line(f"begun {at(row.created_at_ms)}, moved {at(row.updated_at_ms)}", style="dim")
    screen.line()


def _show_entry(screen: Screen, entry: Entry) -> None:
    first, *more = entry.what.split("\n")
    screen.line(f"{at(entry.at_ms)}  {entry.kind:<18}  {f'{entry.who}: ' if entry.who else ''}{first}")
    for line in more:
        screen.line(f"{'':40}  {line}")
