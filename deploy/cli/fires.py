"""The command that lists what a trigger has fired: who was told, what was started, and what became of that."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Annotated

import typer

from ...actors.asks import JsonValue
from ...actors.clock import SystemClock
from ...actors.fire_outcomes import FireOutcome
from ...actors.ids import RandomIds
from ...actors.jsontext import from_json
from ...actors.triggers import Triggers
from ...store.rows import SessionRow, SessionStatus
from ...store.trigger_rows import FireRow
from ..config import load_config
from ..remedies import remedy_of
from ..settings import Config
from ..wiring import open_store
from .options import ConfigFile, Db, Json, Limit
from .screen import Screen, at

Sessions = Mapping[str, SessionRow]


def triggers_fires(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The trigger's name, from `overwinter triggers list`.")],
    limit: Limit = 50,
    db: Db = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """List what a trigger has fired, the newest first: for when, whom it has woken and told, the session that it has started,
    and what has become of that: how it stands now and, where it has failed or is blocked, why.

    Example: overwinter triggers fires nightly --limit 10
    """
    settings = load_config(file=config, database=db)
    rows, sessions = asyncio.run(_fires(settings, name, limit))
    screen = Screen(as_json=as_json)
    if as_json:
        screen.document({"fires": [_fire_json(row, sessions) for row in rows]})
        return
    screen.table(
        ("FIRE", "FOR", "FIRED", "MISSED", "STATUS", "OUTCOME", "SESSION", "BECAME"),
        [
            (
                row.fire_id,
                at(row.scheduled_at_ms),
                at(row.fired_at_ms),
                str(row.missed),
                row.status,
                _told(FireOutcome.of(row)),
                FireOutcome.of(row).started or "",
                _became(sessions.get(row.session_id or "")),
            )
            for row in rows
        ],
        empty=f"{name} has fired nothing.",
    )
    if any(remedy_of(session) for session in sessions.values()):
        screen.note("`overwinter show SESSION` says what can be done for one that is blocked.")


async def _fires(config: Config, name: str, limit: int) -> tuple[tuple[FireRow, ...], Sessions]:
    async with open_store(config, must_exist=True) as store:
        triggers = Triggers(
            triggers=store.triggers, fires=store.fires, clock=SystemClock(), ids=RandomIds(), fired=lambda: None
        )
        rows = await triggers.fires_of(config.tenant, name, limit=limit)
        found = await store.sessions_named(frozenset(row.session_id for row in rows if row.session_id is not None))
        return rows, {session.session_id: session for session in found}


def _told(outcome: FireOutcome) -> str:
    """Whom it has reached, and what it has not started."""
    words = [f"{count} {what}" for what, count in (("woken", outcome.woken), ("told", outcome.told)) if count]
    words += [f"{count} {why.replace('_', ' ')}" for why, count in outcome.skipped.items()]
    if outcome.not_started is not None:
        words.append(f"not started: {outcome.not_started}")
    return ", ".join(words)


def _became(session: SessionRow | None) -> str:
    """How the session that it has started stands; of an agent's that is idle, how its last execution failed."""
    if session is None:
        return ""
    if session.reason is None:
        return session.status
    has_failed = session.status == SessionStatus.IDLE
    return f"{'idle, failed' if has_failed else session.status}: {session.reason}"


def _fire_json(row: FireRow, sessions: Sessions) -> dict[str, JsonValue]:
    session = sessions.get(row.session_id or "")
    return {
        "fire": row.fire_id,
        "key": row.key,
        "scheduled_at_ms": row.scheduled_at_ms,
        "fired_at_ms": row.fired_at_ms,
        "missed": row.missed,
        "status": row.status,
        "outcome": {} if row.outcome_json is None else from_json(row.outcome_json),
        "session": None
        if session is None
        else {
            "session": session.session_id,
            "status": session.status,
            "reason": session.reason,
            "remedy": remedy_of(session),
            "updated_at_ms": session.updated_at_ms,
        },
        "payload": None if row.payload_json is None else from_json(row.payload_json),
    }
