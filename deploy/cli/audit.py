"""Commands of the group ``audit``: list, verify."""

from __future__ import annotations

import asyncio
import re
from typing import Annotated

import typer

from ...actors.asks import JsonValue
from ...actors.jsontext import from_json
from ...store.audit import AuditHead
from ...store.rows import AuditRow
from ..auditing import Verified, verify_audit
from ..config import load_config
from ..errors import AuditBrokenError, InputInvalidError
from ..settings import Config
from ..wiring import open_store
from .options import ConfigFile, Db, Json, Limit
from .screen import Screen, at

Tenant = Annotated[
    str | None, typer.Option("--tenant", metavar="NAME", help="Whose audit. (default: tenant in the configuration)")
]

_HEAD = re.compile(r"(0|[1-9]\d{0,17}):([0-9a-f]{64})")
_MOST_FAULTS = 20


def audit_list(
    tenant: Tenant = None,
    session: Annotated[str | None, typer.Option("--session", metavar="SESSION", help="Only of this session.")] = None,
    execution: Annotated[
        str | None, typer.Option("--execution", metavar="EXECUTION", help="Only of this execution; a child's own.")
    ] = None,
    limit: Limit = 100,
    after: Annotated[int, typer.Option("--after", min=0, metavar="SEQ", help="From the entry after this one on.")] = 0,
    db: Db = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """List how questions have ended: who decided what, and when. Entries are kept for good, whatever else is deleted.

    An entry bears the id of its question only where the session's owner answers: the id of one that went to a channel is the
    right to answer it.

    Example: overwinter audit list --session s019a3c5d2e1f0a1b2c3d4e5f --limit 20
    """
    settings = load_config(file=config, database=db)
    whose = tenant or settings.tenant
    rows = asyncio.run(_list(settings, whose, session, execution, limit, after))
    screen = Screen(as_json=as_json)
    more = rows[-1].seq if len(rows) == limit else None
    if as_json:
        screen.document({"tenant": whose, "entries": [_entry_json(row) for row in rows], "after": more})
        return
    screen.table(
        ("SEQ", "ENDED", "SESSION", "EXECUTION", "STEP", "ROLE", "HOW", "BY", "DECISION"),
        [
            (
                str(row.seq),
                at(row.resolved_at_ms),
                row.session_id,
                row.execution_id,
                row.key,
                row.role,
                row.resolution.replace("_", " "),
                row.responder or "",
                row.decision_json or "",
            )
            for row in rows
        ],
        empty=f"No entry of tenant {whose} fits in {settings.database}.",
    )
    if more is not None:
        screen.note(f"There may be more: add --after {more}")


def audit_verify(
    tenant: Tenant = None,
    head: Annotated[
        str | None,
        typer.Option("--head", metavar="SEQ:HASH", help="A head that was kept: its entry must still be in the chain."),
    ] = None,
    db: Db = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> None:
    """Check that no entry of the audit was changed, taken out or put in; ends with 9 where one was.

    Each entry bears a hash of itself and of the one before it, so a change shows in all that follow. That nothing is missing at
    the end, or that all was not made anew, no chain can show by itself. So keep the head that is printed where nobody who
    writes the database can write, and give it with --head the next time. Without one, entries are still missed where a
    session's ledger says that its question has ended.

    Example: overwinter audit verify --tenant default --json
    """
    kept = None if head is None else _head_of(head)
    settings = load_config(file=config, database=db)
    whose = tenant or settings.tenant
    screen = Screen(as_json=as_json)
    with screen.progress("Walking the chain ..."):
        verified = asyncio.run(_verify(settings, whose, kept))
    if verified.faults:
        raise AuditBrokenError(_told(verified, whose))
    if as_json:
        screen.document({"tenant": whose, "entries": verified.entries, "head": _shown(verified.head)})
        return
    screen.line(f"All {verified.entries} entries of tenant {whose} fit.", style="green")
    screen.line(f"Head, to be kept elsewhere: {_shown(verified.head)}")


async def _list(
    config: Config, tenant: str, session_id: str | None, execution_id: str | None, limit: int, after: int
) -> tuple[AuditRow, ...]:
    async with open_store(config, must_exist=True) as store:
        return await store.audit(
            tenant=tenant, limit=limit, after_seq=after, session_id=session_id, execution_id=execution_id
        )


async def _verify(config: Config, tenant: str, kept: AuditHead | None) -> Verified:
    async with open_store(config, must_exist=True) as store:
        return await verify_audit(store, tenant=tenant, kept=kept)


def _entry_json(row: AuditRow) -> dict[str, JsonValue]:
    return {
        "seq": row.seq,
        "session": row.session_id,
        "execution": row.execution_id,
        "step": row.key,
        "pause": row.pause_id,
        "role": row.role,
        "answered_by": row.answerer,
        "responder": row.responder,
        "resolution": row.resolution,
        "decision": _decision_of(row),
        "asked_at_ms": row.asked_at_ms,
        "resolved_at_ms": row.resolved_at_ms,
        "previous_hash": row.previous_hash,
        "hash": row.hash,
    }


def _decision_of(row: AuditRow) -> JsonValue:
    try:
        return None if row.decision_json is None else from_json(row.decision_json)
    except ValueError:
        return row.decision_json  # it was changed; `verify` says so


def _head_of(text: str) -> AuditHead:
    found = _HEAD.fullmatch(text)
    if found is None:
        raise InputInvalidError("--head is no SEQ:HASH as `overwinter audit verify` prints it")
    return AuditHead(seq=int(found[1]), hash=found[2])


def _shown(head: AuditHead) -> str:
    return f"{head.seq}:{head.hash}"


def _told(verified: Verified, tenant: str) -> str:
    count = len(verified.faults)
    shown = [f"  {fault}" for fault in verified.faults[:_MOST_FAULTS]]
    if count > _MOST_FAULTS:
        shown.append(f"  and {count - _MOST_FAULTS} more")
    faults = "1 fault" if count == 1 else f"{count} faults"
    return f"the audit of tenant {tenant} has {faults}; its first {verified.entries} entries fit:\n" + "\n".join(shown)
