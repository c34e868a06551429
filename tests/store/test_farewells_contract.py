"""A trigger that is removed: who waits for it, or is subscribed, is told so in the same transaction; nobody else is."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from overwinter.store.farewells import AT_ONCE, NOBODY, Concerned
from overwinter.store.store import Store
from overwinter.store.trigger_rows import FireStatus, SubscriptionRow, TriggerRow, TriggerStatus

from .examples import T0, asleep, claim
from .test_fires_contract import as_declared, farewell, fire, settle, trigger, waits

GONE = T0 + 9


async def follow(store: Store, session_id: str) -> None:
    row = SubscriptionRow(trigger_id="t-go", session_id=session_id, tenant="acme", created_at_ms=T0)
    assert await store.triggers.subscribe(row)


async def remove(store: Store) -> Concerned | None:
    return await store.triggers.remove("t-go", farewell=farewell, now_ms=GONE)


async def statuses(store: Store, *pause_ids: str) -> list[str]:
    found = [await store.pause(pause_id) for pause_id in pause_ids]
    return [pause.status for pause in found if pause is not None]


async def messages_to(store: Store, session_id: str) -> list[str]:
    loaded = await store.load(session_id)
    assert loaded is not None
    return [row.external_id for row in loaded.inbound if row.external_id.startswith("bye")]


async def test_a_removal_ends_every_wait_for_the_trigger_and_wakes_its_session(store: Store) -> None:
    for slug in ("go", "other"):
        await store.triggers.add(trigger(slug))
    await asleep(store, waits("p1"), replace(waits("p2"), role="other"))
    await asleep(store, replace(waits("p3"), session_id="s2"), session_id="s2")
    await asleep(store, replace(waits("p4"), session_id="s3", role="other"), session_id="s3")
    assert await remove(store) == Concerned(waiting=("s1", "s2"), subscribed=())
    assert await statuses(store, "p1", "p2", "p3", "p4") == ["cancelled", "pending", "cancelled", "pending"]
    ended = await store.pause("p1")
    assert ended is not None
    assert (ended.resolution, ended.answer_json, ended.responder) == ("cancelled", '"go is gone"', "mara")
    assert ended.resolved_at_ms == GONE
    claimed = await store.claim(claim(now_ms=GONE))
    assert sorted(each.session_id for each in claimed.sessions) == ["s1", "s2"]
    entries = await store.audit(tenant="acme", limit=10)
    assert [(row.role, row.resolution, row.responder) for row in entries] == [("go", "cancelled", "mara")] * 2
    assert await store.triggers.awaited_in_vain(limit=10) == ()
    assert await remove(store) is None, "it is removed once"


async def test_a_removal_tells_those_who_are_subscribed_and_ends_that(store: Store) -> None:
    await store.triggers.add(trigger())
    await asleep(store, waits("p1"))
    await follow(store, "s1")
    await follow(store, "never-was")
    assert await remove(store) == Concerned(waiting=("s1",), subscribed=("never-was", "s1"))
    assert await messages_to(store, "s1") == ["bye-s1"]
    assert await store.triggers.subscribed("t-go", limit=10) == ()
    assert await store.triggers.awaited_in_vain(limit=10) == ()


async def test_who_waits_for_a_disabled_trigger_waits_on_and_is_named(store: Store) -> None:
    await store.triggers.add(trigger())
    await asleep(store, waits("p1"))
    await follow(store, "s1")
    concerned = await store.triggers.set_status("t-go", TriggerStatus.DISABLED, next_due_at_ms=T0, now_ms=GONE)
    assert concerned == Concerned(waiting=("s1",), subscribed=("s1",))
    assert await statuses(store, "p1") == ["pending"]
    assert await messages_to(store, "s1") == []
    assert await store.triggers.awaited_in_vain(limit=10) == ()
    assert await store.triggers.set_status("t-none", TriggerStatus.DISABLED, next_due_at_ms=T0, now_ms=GONE) is None
    assert await store.triggers.set_status("t-go", TriggerStatus.ENABLED, next_due_at_ms=T0, now_ms=GONE) is not None


async def test_who_is_still_to_be_told_of_a_fire_is_told_of_that_first(store: Store) -> None:
    await store.triggers.add(trigger())
    await asleep(store, waits("before"))
    await follow(store, "s1")
    await store.fires.fire(fire(at_ms=T0 + 1))
    await asleep(store, replace(waits("after", asked_at_ms=T0 + 2), session_id="s2"), session_id="s2")
    await remove(store)
    assert await statuses(store, "before", "after") == ["pending", "cancelled"]
    assert [row.session_id for row in await store.triggers.subscribed("t-go", limit=10)] == ["s1"]
    assert await store.triggers.awaited_in_vain(limit=10) == (), "nothing is to be done before that"
    [untold] = await store.fires.untold(limit=10)
    assert untold.is_awaited
    assert untold.is_followed
    assert not await settle(store, untold.fire)


async def test_a_removed_trigger_whose_fire_only_waits_for_a_place_says_farewell_at_once(store: Store) -> None:
    await store.triggers.add(trigger())
    row = fire(at_ms=T0 - 1)
    await store.fires.fire(row)
    assert await settle(store, row, FireStatus.QUEUED, is_over=False)
    await asleep(store, waits("p1"))
    await follow(store, "s1")
    await remove(store)
    assert await statuses(store, "p1") == ["cancelled"]
    assert await messages_to(store, "s1") == ["bye-s1"]


async def test_what_an_app_declares_no_more_says_farewell_as_well(store: Store) -> None:
    rows = [trigger(slug, source="app") for slug in ("go", "stay")]

    async def declare(*declared: TriggerRow) -> list[tuple[str, Concerned]]:
        done = await store.triggers.declare("app", declared, kept=as_declared, farewell=farewell, now_ms=GONE)
        return [(row.slug, concerned) for row, concerned in done.removed]

    assert await declare(*rows) == []
    await asleep(store, waits("p1"), replace(waits("p2"), role="stay"))
    await follow(store, "s1")
    assert await declare(rows[1]) == [("go", Concerned(waiting=("s1",), subscribed=("s1",)))]
    assert await statuses(store, "p1", "p2") == ["cancelled", "pending"]
    assert await messages_to(store, "s1") == ["bye-s1"]
    assert await declare(rows[1]) == []
    assert await declare() == [("stay", Concerned(waiting=("s1",), subscribed=()))]


async def test_who_is_written_down_a_moment_too_late_is_found_and_told(store: Store) -> None:
    await store.triggers.add(trigger())
    assert await remove(store) == NOBODY
    await asleep(store, waits("p1"))
    await follow(store, "s1")
    [row] = await store.triggers.awaited_in_vain(limit=10)
    assert row.trigger_id == "t-go"
    told = await asyncio.gather(
        *(store.triggers.bid_farewell("t-go", farewell=farewell, now_ms=GONE) for _ in range(3))
    )
    assert sorted(told) == [0, 0, 2]
    assert await statuses(store, "p1") == ["cancelled"]
    assert await messages_to(store, "s1") == ["bye-s1"]
    assert await store.triggers.awaited_in_vain(limit=10) == ()


async def test_who_waits_for_one_that_is_there_again_goes_on_waiting(store: Store) -> None:
    await store.triggers.add(trigger())
    await remove(store)
    await asleep(store, waits("p1"))
    await store.triggers.add(trigger())
    assert await store.triggers.awaited_in_vain(limit=10) == ()
    assert await store.triggers.bid_farewell("t-go", farewell=farewell, now_ms=GONE) == 0
    assert await statuses(store, "p1") == ["pending"]


async def test_of_very_many_some_are_told_with_the_removal_and_all_soon_after(store: Store) -> None:
    await store.triggers.add(trigger())
    named = [f"p{number:04}" for number in range(AT_ONCE + 3)]
    await asleep(store, *map(waits, named))
    await follow(store, "s1")
    assert await remove(store) == Concerned(waiting=("s1",), subscribed=("s1",))
    assert (await statuses(store, *named)).count("pending") == 3
    assert await messages_to(store, "s1") == []
    assert await store.triggers.bid_farewell("t-go", farewell=farewell, now_ms=GONE) == 4
    assert set(await statuses(store, *named)) == {"cancelled"}
    assert await messages_to(store, "s1") == ["bye-s1"]
