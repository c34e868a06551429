"""Checks a tenant's audit: that its chain fits, that a head kept elsewhere is in it, that what was answered is in it.

What a chain of hashes can show: an entry that was changed, taken out, put in or moved, as every later hash covers it. What it
cannot show by itself: that entries are missing at its end, or that all of it was made anew, for then everything fits. Both are
found by a head (number and hash of the last entry) that was kept where whoever writes this database cannot write. Short of
one, the ledgers are asked: the audit must have an entry of every step whose question they say has ended.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..actors.events import EventKind
from ..actors.jsontext import from_json
from ..store.audit import EMPTY, AuditHead, verify
from ..store.rows import AuditRow, LedgerRow, Resolution
from ..store.store import Store

PAGE = 1000
"""So many entries, or events, are read at a time."""

_ENDINGS = frozenset({EventKind.PAUSE_TAKEN.value, EventKind.PAUSE_CLOSED.value})
_UNAUDITED = frozenset({Resolution.FIRED, Resolution.UNDELIVERABLE})
"""A clock that fires leaves no entry; nor does a question whose role has no channel, which never became one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verified:
    """What came of it.

    Attributes:
        entries: how many entries fit, from the first on.
        head: the last entry that fits.
        faults: one sentence each; empty where all is well.
    """

    entries: int
    head: AuditHead
    faults: tuple[str, ...]


async def verify_audit(store: Store, *, tenant: str, kept: AuditHead | None = None) -> Verified:
    """Walk the whole chain of a tenant, then its ledgers."""
    head, faults = await _walk(store, tenant=tenant, kept=kept)
    faults += await _missing(store, tenant=tenant)
    return Verified(entries=head.seq, head=head, faults=tuple(faults))


async def _walk(store: Store, *, tenant: str, kept: AuditHead | None) -> tuple[AuditHead, list[str]]:
    """The last entry that fits, and what is wrong with the first that does not."""
    faults: list[str] = []
    head = EMPTY
    after_seq = -(2**63)  # what was put in before the first entry is a fault too
    while rows := await store.audit(tenant=tenant, limit=PAGE, after_seq=after_seq):
        after_seq = rows[-1].seq
        for row in rows:
            if verify((row,), head=head) is not None:
                return head, [*faults, _fault_of(row, head)]
            head = AuditHead(seq=row.seq, hash=row.hash)
            if kept is not None and kept.seq == head.seq and kept != head:
                faults.append(f"entry {kept.seq} is not the one that was kept: the chain was made anew")
    if kept is not None and kept.seq > head.seq:
        faults.append(f"the chain ends with entry {head.seq}, and entry {kept.seq} was kept: its end is missing")
    return head, faults


def _fault_of(row: AuditRow, head: AuditHead) -> str:
    before = f"entry {head.seq}" if head.seq else "the beginning"
    if row.seq != head.seq + 1:
        return f"entry {row.seq} comes after {before}: what was between them is missing"
    if row.previous_hash != head.hash:
        return f"entry {row.seq} does not fit to {before}: one of them was changed"
    return f"entry {row.seq} was changed: it has another hash than it says"


async def _missing(store: Store, *, tenant: str) -> list[str]:
    faults: list[str] = []
    last: LedgerRow | None = None
    while rows := await store.events_unaudited(tenant=tenant, kinds=_ENDINGS, limit=PAGE, after=last):
        faults += [
            f"session {row.session_id} says that its question at {row.key} has ended ({how}), and there is no entry of it"
            for row in rows
            if (how := _resolution_of(row)) not in _UNAUDITED
        ]
        last = rows[-1]
    return faults


def _resolution_of(event: LedgerRow) -> str:
    try:
        return str(from_json(event.body_json)["resolution"])
    except (ValueError, LookupError, TypeError):
        return "its event cannot be read"
