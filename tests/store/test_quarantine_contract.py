"""What led nowhere is kept once, found again, and goes with time, or when there is too much of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from overwinter.store.rows import QuarantineRow
from overwinter.store.store import Store

from .examples import T0

RAW = b"From: x@corp.example\r\n\r\n\x00\xff"


def put_aside(quarantine_id: str = "q1", **changed: Any) -> QuarantineRow:
    row = QuarantineRow(
        quarantine_id=quarantine_id,
        channel="mail",
        reason="no question",
        kind="human_reply",
        sender="x@corp.example",
        subject="Hello",
        session_id=None,
        why_json="[]",
        envelope_json="[]",
        raw=RAW,
        is_whole=True,
        received_at_ms=T0,
    )
    return replace(row, **changed)


async def test_the_same_thing_is_kept_once_and_to_the_byte(store: Store) -> None:
    assert await store.quarantine.keep(put_aside())
    assert not await store.quarantine.keep(put_aside(reason="another"))
    assert await store.quarantine.find("q1") == put_aside()
    assert await store.quarantine.find("q2") is None


async def test_a_listing_is_newest_first_and_carries_no_bodies(store: Store) -> None:
    for at, name in enumerate("abc"):
        await store.quarantine.keep(put_aside(name, received_at_ms=T0 + at, is_whole=at == 0))
    await store.quarantine.keep(put_aside("elsewhere", channel="slack"))
    newest = await store.quarantine.newest("mail", limit=2)
    assert [(row.quarantine_id, row.raw, row.is_whole) for row in newest] == [("c", b"", False), ("b", b"", False)]


async def test_what_is_dropped_is_gone(store: Store) -> None:
    await store.quarantine.keep(put_aside())
    assert await store.quarantine.drop("q1")
    assert not await store.quarantine.drop("q1")
    assert await store.quarantine.find("q1") is None


async def test_a_sweep_takes_what_is_old_and_what_is_too_much(store: Store) -> None:
    for at in range(5):
        await store.quarantine.keep(put_aside(f"q{at}", received_at_ms=T0 + at))
    await store.quarantine.keep(put_aside("elsewhere", channel="slack"))
    assert await store.quarantine.sweep("mail", before_ms=T0 + 1, most=100) == 1
    assert await store.quarantine.sweep("mail", before_ms=0, most=2) == 2
    assert [row.quarantine_id for row in await store.quarantine.newest("mail", limit=9)] == ["q4", "q3"]
    assert await store.quarantine.find("elsewhere") is not None
