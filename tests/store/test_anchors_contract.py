"""Anchors: one stands for each thing out there, whoever binds it first; and it goes with its pause."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from overwinter.store.changes import CancelSession, Sweep
from overwinter.store.rows import AnchorRow
from overwinter.store.store import Store

from .examples import T0, asleep, question


def anchor(name: str = "root", **changed: Any) -> AnchorRow:
    row = AnchorRow(
        channel="slack", anchor=name, session_id="s1", pause_id=None, body_json='{"ts":"1.0"}', created_at_ms=T0
    )
    return replace(row, **changed)


async def test_the_first_of_two_that_bind_one_anchor_stands(store: Store) -> None:
    mine, yours = anchor(body_json="1"), anchor(body_json="2", session_id="s2")
    assert await asyncio.gather(store.anchors.bind(mine), store.anchors.bind(yours)) == [mine, mine]
    assert await store.anchors.find("slack", "root") == mine
    assert await store.anchors.of_session("slack", "s2") == ()


async def test_two_openings_agree_on_what_stands(store: Store, open_store: Callable[[], Awaitable[Store]]) -> None:
    other = await open_store()
    bound = await asyncio.gather(
        *(each.anchors.bind(anchor(body_json=str(n))) for n in range(20) for each in (store, other))
    )
    assert len(set(bound)) == 1
    assert await other.anchors.find("slack", "root") == bound[0]


async def test_anchors_are_told_apart_by_channel(store: Store) -> None:
    await store.anchors.bind(anchor())
    assert await store.anchors.find("mail", "root") is None
    assert await store.anchors.of_session("mail", "s1") == ()
    assert (await store.anchors.bind(anchor(channel="mail", body_json="2"))).body_json == "2"


async def test_a_body_is_replaced_only_where_it_is_as_it_was_read(store: Store) -> None:
    row = await store.anchors.bind(anchor())
    assert await store.anchors.replace_if(row, "2")
    assert not await store.anchors.replace_if(row, "3")
    assert not await store.anchors.release_if(row)
    changed = await store.anchors.find("slack", "root")
    assert changed is not None
    assert changed == replace(row, body_json="2")
    assert await store.anchors.release_if(changed)
    assert await store.anchors.find("slack", "root") is None


async def test_anchors_of_a_kind_are_swept_when_they_are_old(store: Store) -> None:
    names = ("changed:C1:1", "changed:C1:2", "changed:C1:3", "changedX", "thread:C1:1")
    for at, name in enumerate(names):
        await store.anchors.bind(anchor(name, created_at_ms=T0 + at))
    await store.anchors.bind(anchor("changed:C1:1", channel="mail"))
    assert await store.anchors.sweep("slack", prefix="changed:", before_ms=T0 + 2, limit=1) == 1
    assert await store.anchors.sweep("slack", prefix="changed:", before_ms=T0 + 2, limit=10) == 1
    assert await store.anchors.sweep("slack", prefix="changed:", before_ms=T0 + 2, limit=10) == 0
    assert [row.anchor for row in await store.anchors.of_session("slack", "s1")] == [*names[2:]]
    assert await store.anchors.find("mail", "changed:C1:1") is not None
    assert await store.anchors.sweep("slack", prefix="%", before_ms=T0 + 10, limit=10) == 0


async def test_an_anchor_goes_with_its_pause_and_the_session_s_own_stays(store: Store) -> None:
    await asleep(store, question("p1"))
    await store.anchors.bind(anchor("token", pause_id="p1"))
    await store.anchors.bind(anchor())
    await store.cancel_session(
        CancelSession(tenant="acme", session_id="s1", reason="r", responder=None, ledger_json="{}", now_ms=T0)
    )
    assert [row.anchor for row in await store.anchors.of_pause("slack", "p1")] == ["token"]
    assert (await store.sweep(Sweep(closed_before_ms=T0 + 1, limit=10))).pauses == 1
    assert await store.anchors.of_pause("slack", "p1") == ()
    assert [row.anchor for row in await store.anchors.of_session("slack", "s1")] == ["root"]
