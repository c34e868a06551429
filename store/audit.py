"""The chain of audit entries: pure arithmetic over rows.

Each entry of a tenant carries the hash of the one before it and its own, which covers all of its fields and that hash.
An entry changed, removed or put in later breaks every hash after it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import orjson

from .rows import AuditRow

GENESIS = "0" * 64
"""What the first entry of a tenant names as its previous hash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditHead:
    """Where a tenant's chain ends."""

    seq: int
    hash: str


EMPTY = AuditHead(seq=0, hash=GENESIS)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditDraft:
    """An entry that has no place in its chain yet."""

    tenant: str
    session_id: str
    execution_id: str
    key: str
    pause_id: str | None
    role: str
    answerer: str
    responder: str | None
    resolution: str
    decision_json: str | None
    asked_at_ms: int
    resolved_at_ms: int


def entry_hash(draft: AuditDraft | AuditRow, *, seq: int, previous_hash: str) -> str:
    """The hash of an entry: sha256 over the canonical JSON (sorted keys, no spaces, UTF-8) of all other fields."""
    return hashlib.sha256(
        orjson.dumps(
            {
                "tenant": draft.tenant,
                "seq": seq,
                "session_id": draft.session_id,
                "execution_id": draft.execution_id,
                "key": draft.key,
                "pause_id": draft.pause_id,
                "role": draft.role,
                "answerer": draft.answerer,
                "responder": draft.responder,
                "resolution": draft.resolution,
                "decision_json": draft.decision_json,
                "asked_at_ms": draft.asked_at_ms,
                "resolved_at_ms": draft.resolved_at_ms,
                "previous_hash": previous_hash,
            },
            option=orjson.OPT_SORT_KEYS,
        )
    ).hexdigest()


def chain(head: AuditHead, drafts: Iterable[AuditDraft]) -> tuple[AuditRow, ...]:
    """Put a tenant's new entries behind the end of its chain, in their order."""
    rows: list[AuditRow] = []
    for draft in drafts:
        seq = head.seq + 1
        head_hash = entry_hash(draft, seq=seq, previous_hash=head.hash)
        rows.append(
            AuditRow(
                tenant=draft.tenant,
                seq=seq,
                session_id=draft.session_id,
                execution_id=draft.execution_id,
                key=draft.key,
                pause_id=draft.pause_id,
                role=draft.role,
                answerer=draft.answerer,
                responder=draft.responder,
                resolution=draft.resolution,
                decision_json=draft.decision_json,
                asked_at_ms=draft.asked_at_ms,
                resolved_at_ms=draft.resolved_at_ms,
                previous_hash=head.hash,
                hash=head_hash,
            )
        )
        head = AuditHead(seq=seq, hash=head_hash)
    return tuple(rows)


def verify(rows: Iterable[AuditRow], *, head: AuditHead = EMPTY) -> int | None:
    """Walk a tenant's chain; the ``seq`` of the first entry that does not fit, or None if all do.

    Args:
        rows: consecutive entries, the first right after ``head``.
    """
    for row in rows:
        fits = row.seq == head.seq + 1 and row.previous_hash == head.hash
        if not fits or row.hash != entry_hash(row, seq=row.seq, previous_hash=row.previous_hash):
            return row.seq
        head = AuditHead(seq=row.seq, hash=row.hash)
    return None
