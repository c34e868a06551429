"""Notes: written once, told by one at a time, in order where they have one, until they are told or given up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from overwinter.store.rows import NoteRow
from overwinter.store.store import Store

from .examples import MINUTE, T0


def note(note_id: str = "n1", **changed: Any) -> NoteRow:
    row = NoteRow(
        note_id=note_id,
        channel="mail",
        kind="unclear",
        addressee="mara@corp.example",
        lane=None,
        position=0,
        tenant="acme",
        session_id="s1",
        pause_id="p1",
        body_json='{"text":"which amount?"}',
        status="due",
        due_at_ms=T0,
        attempts=0,
        last_error=None,
        holder=None,
        held_until_ms=0,
        created_at_ms=T0,
        settled_at_ms=None,
    )
    return replace(row, **changed)


async def claimed(store: Store, *, holder: str = "w1", now_ms: int = T0, limit: int = 10) -> list[str]:
    rows = await store.notes.claim("mail", holder=holder, limit=limit, now_ms=now_ms, until_ms=now_ms + MINUTE)
    assert {row.holder for row in rows} <= {holder}
    return [row.note_id for row in rows]


async def settle(store: Store, note_id: str, outcome: Any, *, holder: str = "w1", due_at_ms: int = 0) -> bool:
    error = None if outcome == "sent" else "450"
    return await store.notes.settle(
        note_id, holder=holder, outcome=outcome, error=error, due_at_ms=due_at_ms, now_ms=T0 + 1
    )


async def test_the_same_note_is_written_once(store: Store) -> None:
    results = await asyncio.gather(*(store.notes.write(note(body_json=str(n))) for n in range(3)))
    assert results == [True, False, False]
    assert [row.body_json for row in await store.notes.of_session("s1")] == ["0"]


async def test_of_two_processes_one_tells_a_note(store: Store, open_store: Callable[[], Awaitable[Store]]) -> None:
    other = await open_store()
    for n in range(10):
        await store.notes.write(note(f"n{n}"))
    mine, yours = await asyncio.gather(claimed(store), claimed(other, holder="w2"))
    assert sorted([*mine, *yours]) == [f"n{n}" for n in range(10)]
    assert not await settle(store, (mine or yours)[0], "sent", holder="w2" if mine else "w1")


async def test_a_hold_that_runs_out_frees_a_note_and_its_late_holder_settles_nothing(store: Store) -> None:
    await store.notes.write(note())
    assert await claimed(store) == ["n1"]
    assert await claimed(store, holder="w2", now_ms=T0 + MINUTE - 1) == []
    assert await store.notes.due_ms("mail") == T0 + MINUTE
    assert await claimed(store, holder="w2", now_ms=T0 + MINUTE) == ["n1"]
    assert not await settle(store, "n1", "sent")
    assert await settle(store, "n1", "sent", holder="w2")
    assert await store.notes.due_ms("mail") is None
    assert not await settle(store, "n1", "failed", holder="w2")


async def test_a_note_that_failed_for_now_is_due_again(store: Store) -> None:
    await store.notes.write(note())
    await claimed(store)
    assert await settle(store, "n1", "retry", due_at_ms=T0 + 5)
    assert await claimed(store, now_ms=T0 + 4) == []
    assert await store.notes.due_ms("mail") == T0 + 5
    assert await claimed(store, now_ms=T0 + 5) == ["n1"]
    (row,) = await store.notes.of_session("s1")
    assert (row.attempts, row.last_error) == (1, "450")


async def test_notes_of_one_lane_are_told_one_after_another(store: Store) -> None:
    for position in (2, 0, 1):
        await store.notes.write(note(f"n{position}", lane="s1", position=position, created_at_ms=T0 - position))
    await store.notes.write(note("elsewhere", lane="s2", position=9))
    await store.notes.write(note("free"))
    assert sorted(await claimed(store)) == ["elsewhere", "free", "n0"]
    assert await claimed(store) == []
    await settle(store, "n0", "retry", due_at_ms=T0 + 5)
    assert await claimed(store) == []
    assert await claimed(store, now_ms=T0 + 5) == ["n0"]
    await settle(store, "n0", "failed")
    assert await claimed(store) == ["n1"]
    await settle(store, "n1", "sent")
    assert await claimed(store) == ["n2"]


async def test_what_was_written_to_somebody_is_counted(store: Store) -> None:
    await store.notes.write(note("n1", created_at_ms=T0))
    await store.notes.write(note("n2", created_at_ms=T0 + 5))
    await store.notes.write(note("n3", channel="slack"))
    await store.notes.write(note("n4", addressee="olga@corp.example"))
    assert await store.notes.count_to("mail", "mara@corp.example", since_ms=T0) == 2
    assert await store.notes.count_to("mail", "mara@corp.example", since_ms=T0 + 1) == 1


async def test_old_notes_are_swept_once_they_are_settled(store: Store) -> None:
    for name in ("due", "sent", "failed"):
        await store.notes.write(note(name))
    await claimed(store)
    await settle(store, "sent", "sent")
    await settle(store, "failed", "failed")
    assert await store.notes.sweep(settled_before_ms=T0 + 1, limit=10) == 0
    assert await store.notes.sweep(settled_before_ms=T0 + 2, limit=1) == 1
    assert await store.notes.sweep(settled_before_ms=T0 + 2, limit=10) == 1
    assert [row.note_id for row in await store.notes.of_session("s1")] == ["due"]


async def test_each_channel_has_notes_of_its_own(store: Store) -> None:
    await store.notes.write(note("slack", channel="slack", due_at_ms=T0 - 5))
    await store.notes.write(note())
    assert await store.notes.due_ms("mail") == T0
    assert await claimed(store) == ["n1"]
    assert await store.notes.due_ms("slack") == T0 - 5


async def test_a_note_that_cannot_be_written_fails_nobody_else(store: Store) -> None:
    wrong = note("wrong", position=2**70)
    results = await asyncio.gather(
        store.notes.write(note("a")), store.notes.write(wrong), store.notes.write(note("b")), return_exceptions=True
    )
    assert (results[0], results[2]) == (True, True)
    assert isinstance(results[1], Exception)
    assert {row.note_id for row in await store.notes.of_session("s1")} == {"a", "b"}


async def test_a_hold_that_ran_out_counts_as_an_attempt(store: Store) -> None:
    await store.notes.write(note("n1"))
    assert await claimed(store) == ["n1"]
    (row,) = await store.notes.claim("mail", holder="w2", limit=1, now_ms=T0 + MINUTE, until_ms=T0 + 2 * MINUTE)
    assert row.attempts == 1
