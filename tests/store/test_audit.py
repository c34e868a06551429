"""The chain of audit entries, without a database."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from overwinter.store.audit import EMPTY, GENESIS, AuditDraft, AuditHead, chain, entry_hash, verify
from overwinter.store.rows import AuditRow

from .examples import T0


def draft(key: str = "/ask#0", **changed: Any) -> AuditDraft:
    made = AuditDraft(
        tenant="acme",
        session_id="s1",
        execution_id="x1",
        key=key,
        pause_id=None,
        role="refund-approval",
        answerer="channel",
        responder="Mára",
        resolution="replied",
        decision_json='{"approved":true}',
        asked_at_ms=T0,
        resolved_at_ms=T0 + 1,
    )
    return replace(made, **changed)


ENTRIES = chain(EMPTY, [draft(f"/ask#{n}") for n in range(4)])


def test_the_first_entry_stands_on_nothing() -> None:
    assert (ENTRIES[0].seq, ENTRIES[0].previous_hash) == (1, GENESIS)


def test_each_entry_stands_on_the_one_before() -> None:
    assert [entry.seq for entry in ENTRIES] == [1, 2, 3, 4]
    assert [entry.previous_hash for entry in ENTRIES[1:]] == [entry.hash for entry in ENTRIES[:-1]]
    assert verify(ENTRIES) is None


def test_the_hash_is_the_same_everywhere_and_for_ever() -> None:
    """Entries written years ago must still be verified: this value never changes."""
    assert entry_hash(draft(), seq=1, previous_hash=GENESIS) == (
        "1f73c66526d920221e8ee2121282e220896c5c02b9162e04cd10a9b8d69c8dcd"
    )


def test_a_chain_goes_on_from_its_end() -> None:
    head = AuditHead(seq=4, hash=ENTRIES[-1].hash)
    more = chain(head, [draft("/later#0")])
    assert more[0].seq == 5
    assert verify([*ENTRIES, *more]) is None
    assert verify(more, head=head) is None
    assert verify(more) == 5


@pytest.mark.parametrize("name", [field.name for field in fields(AuditRow)])
def test_any_field_changed_is_found(name: str) -> None:
    entry = ENTRIES[2]
    old = getattr(entry, name)
    forged = replace(entry, **{name: old + 1 if isinstance(old, int) else f"{old} forged"})
    assert verify([*ENTRIES[:2], forged, ENTRIES[3]]) == forged.seq


def test_a_forged_entry_with_its_hash_made_anew_is_found_by_the_next() -> None:
    forged = replace(ENTRIES[1], responder="eve")
    forged = replace(forged, hash=entry_hash(forged, seq=2, previous_hash=forged.previous_hash))
    assert verify([ENTRIES[0], forged, *ENTRIES[2:]]) == 3


def test_a_removed_entry_is_found() -> None:
    assert verify([ENTRIES[0], *ENTRIES[2:]]) == 3
    assert verify(ENTRIES[1:]) == 2
