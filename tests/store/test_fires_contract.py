"""Triggers and fires: one fire for each key, one who moves a trigger on, nobody forgotten, no more runs than there may be."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from overwinter.store.changes import CancelSession
from overwinter.store.farewells import Farewell
from overwinter.store.fires import DueFires
from overwinter.store.rows import InboundRow, PauseRow
from overwinter.store.store import Store
from overwinter.store.trigger_rows import FireRow, FireStatus, SubscriptionRow, TriggerRow, TriggerStatus

from .examples import T0, asleep, message, resolve, timer


def trigger(slug: str = "go", *, due_ms: int | None = T0, **changed: object) -> TriggerRow:
    row = TriggerRow(
        trigger_id=f"t-{slug}",
        tenant="acme",
        slug=slug,
        kind="cron",
        spec_json="{}",
        source=None,
        status=TriggerStatus.ENABLED,
        next_due_at_ms=due_ms,
        state_json=None,
        created_at_ms=T0,
        updated_at_ms=T0,
    )
    return replace(row, **changed)  # type: ignore[arg-type]


def fire(key: str = "k", *, at_ms: int = T0, payload: str | None = None, slug: str = "go") -> FireRow:
    return FireRow(
        fire_id=f"f-{slug}-{key}",
        trigger_id=f"t-{slug}",
        key=key,
        scheduled_at_ms=at_ms,
        fired_at_ms=at_ms,
        missed=0,
        payload_json=payload,
        status=FireStatus.OPEN,
        session_id=None,
        is_over=False,
        outcome_json=None,
        settled_at_ms=None,
    )


def waits(pause_id: str = "p1", *, asked_at_ms: int = T0) -> PauseRow:
    row = timer(pause_id)
    return replace(row, kind="trigger", role="go", tenant="acme", asked_at_ms=asked_at_ms)


def farewell(row: TriggerRow) -> Farewell:
    def goodbye(subscription: SubscriptionRow) -> InboundRow:
        return message(subscription.session_id, f"bye-{subscription.session_id}", tenant="acme")

    return Farewell(answer_json=f'"{row.slug} is gone"', responder="mara", message=goodbye)


async def settle(store: Store, row: FireRow, status: FireStatus = FireStatus.DONE, *, is_over: bool = True) -> bool:
    return await store.fires.settle(row, trigger(), status=status, is_over=is_over, outcome_json="{}", now_ms=T0)


async def test_of_many_that_see_a_trigger_due_one_fires_it(store: Store) -> None:
    await store.triggers.add(trigger())
    change = DueFires(trigger_id="t-go", was_due_at_ms=T0, next_due_at_ms=T0 + 60, fires=(fire(str(T0)),))
    fired = await asyncio.gather(*(store.fires.fire_due([change]) for _ in range(5)))
    assert sorted(fired) == [0, 0, 0, 0, 1]
    assert await store.triggers.due_ms() == T0 + 60
    assert len(await store.fires.of("t-go", limit=10)) == 1


async def test_a_trigger_that_is_disabled_or_was_due_at_another_time_fires_nothing(store: Store) -> None:
    await store.triggers.add(trigger())
    assert (
        await store.fires.fire_due([DueFires(trigger_id="t-go", was_due_at_ms=1, next_due_at_ms=2, fires=(fire(),))])
        == 0
    )
    await store.triggers.set_status("t-go", TriggerStatus.DISABLED, next_due_at_ms=T0, now_ms=T0)
    change = DueFires(trigger_id="t-go", was_due_at_ms=T0, next_due_at_ms=None, fires=(fire(),))
    assert await store.fires.fire_due([change]) == 0
    assert await store.fires.fire(fire()) == "refused"
    assert (await store.triggers.due_ms(), await store.fires.of("t-go", limit=10)) == (None, ())


async def test_a_key_is_fired_for_once_and_with_something_else_it_is_a_conflict(store: Store) -> None:
    await store.triggers.add(trigger())
    outcomes = await asyncio.gather(*(store.fires.fire(fire(payload="1")) for _ in range(4)))
    assert sorted(outcomes) == ["duplicate", "duplicate", "duplicate", "fired"]
    assert await store.fires.fire(fire(payload="2")) == "conflict"
    assert [row.payload_json for row in await store.fires.of("t-go", limit=10)] == ["1"]


async def test_the_limit_of_a_minute_holds_for_all_together(store: Store) -> None:
    await store.triggers.add(trigger())
    rows = [fire(str(number)) for number in range(6)]
    outcomes = await asyncio.gather(*(store.fires.fire(row, per_minute=4) for row in rows))
    assert sorted(outcomes) == ["fired"] * 4 + ["limited"] * 2
    assert await store.fires.fire(fire("later", at_ms=T0 + 60_001), per_minute=4) == "fired"


@pytest.mark.case("ti10")
async def test_a_clock_that_is_set_back_uses_up_no_minute(store: Store) -> None:
    await store.triggers.add(trigger())
    for number in range(4):
        await store.fires.fire(fire(f"ahead {number}", at_ms=T0 + 3_600_000), per_minute=4)
    rows = [fire(str(number)) for number in range(6)]
    outcomes = [await store.fires.fire(row, per_minute=4) for row in rows]
    assert outcomes == ["fired"] * 4 + ["limited"] * 2


async def test_what_a_trigger_compares_with_is_changed_by_one_alone(store: Store) -> None:
    await store.triggers.add(trigger())
    assert await store.triggers.set_state("t-go", was=None, state_json="a")
    assert await store.fires.fire(fire("1"), state=("a", "b")) == "fired"
    assert await store.fires.fire(fire("2"), state=("a", "c")) == "refused"
    assert len(await store.fires.of("t-go", limit=10)) == 1


async def test_a_fire_is_not_done_while_somebody_waits_who_began_before_it(store: Store) -> None:
    await store.triggers.add(trigger())
    await asleep(store, waits())
    await store.fires.fire(fire())
    [untold] = await store.fires.untold(limit=10)
    row = untold.fire
    assert [pause.pause_id for pause in await store.fires.waiting(row, untold.trigger, limit=10)] == ["p1"]
    assert not await settle(store, row)
    assert not await settle(store, row, FireStatus.QUEUED, is_over=False)
    await store.resolve_pause(replace(resolve("p1"), resolution="fired", responder=None))
    assert await settle(store, row, FireStatus.QUEUED, is_over=False)
    assert await settle(store, row)
    assert await store.fires.untold(limit=10) == ()
    assert not await settle(store, row)


async def test_the_queue_of_a_trigger_that_can_start_nothing_is_passed_over_but_for_those_who_wait(
    store: Store,
) -> None:
    for slug in ("go", "other"):
        await store.triggers.add(trigger(slug))
        for number in range(3):
            row = fire(f"{slug} {number}", at_ms=T0 + number, slug=slug)
            await store.fires.fire(row)
            assert await settle(store, row, FireStatus.QUEUED, is_over=False)
    await store.fires.fire(fire("open", at_ms=T0 + 1))
    assert await untold_keys(store, "t-other") == ["go 0", "go 1", "open", "go 2"]
    assert await untold_keys(store, "t-go", "t-other") == ["open"]
    # Who began to wait before one of them fired, and is written only now, is told of it.
    await asleep(store, waits(asked_at_ms=T0 + 2))
    assert await untold_keys(store, "t-go", "t-other") == ["open", "go 2"]
    [_, awaited] = await store.fires.untold(limit=10, full=("t-go", "t-other"))
    assert (awaited.fire.status, awaited.is_awaited) == (FireStatus.OPEN, True)


async def test_those_who_wait_for_a_fire_are_found_page_by_page(store: Store) -> None:
    await store.triggers.add(trigger())
    await asleep(store, waits("p3"), waits("p1"), waits("p2", asked_at_ms=T0 - 1), waits("p4", asked_at_ms=T0 - 1))

    async def found(**after: tuple[int, str]) -> list[str]:
        return [pause.pause_id for pause in await store.fires.waiting(fire(), trigger(), limit=2, **after)]

    assert await found() == ["p2", "p4"]
    assert await found(after=(T0 - 1, "p2")) == ["p4", "p1"]
    assert await found(after=(T0 - 1, "p4")) == ["p1", "p3"]
    assert await found(after=(T0, "p3")) == []


async def test_a_trigger_that_was_never_to_be_due_again_may_come_round_by_one_who_saw_it_so(store: Store) -> None:
    await store.triggers.add(trigger(due_ms=None))
    for next_ms in (T0 + 5, T0 + 6):
        await store.fires.fire_due([DueFires(trigger_id="t-go", was_due_at_ms=None, next_due_at_ms=next_ms, fires=())])
    assert await store.triggers.due_ms() == T0 + 5


async def untold_keys(store: Store, *full: str) -> list[str]:
    return [untold.fire.key for untold in await store.fires.untold(limit=10, full=full)]


async def test_a_fire_that_nobody_is_there_to_hear_is_done_at_once(store: Store) -> None:
    await store.triggers.add(trigger())
    await store.triggers.add(trigger("other"))
    for slug in ("go", "other"):
        change = DueFires(
            trigger_id=f"t-{slug}",
            was_due_at_ms=T0,
            next_due_at_ms=None,
            fires=(fire("unheard", slug=slug),),
            unheard_json='{"woken":0}',
        )
        assert await store.fires.fire_due([change]) == 1
    assert await store.fires.fire(fire("unheard too"), unheard_json='{"woken":0}') == "fired"
    assert await untold_keys(store) == []
    for row in (*await store.fires.of("t-go", limit=10), *await store.fires.of("t-other", limit=10)):
        assert (row.status, row.is_over, row.settled_at_ms) == (FireStatus.DONE, True, T0)
        assert row.outcome_json == '{"woken":0}'
    # What it starts is to be started in any case.
    assert await store.fires.fire(fire("starts", at_ms=T0 + 1)) == "fired"
    assert await untold_keys(store) == ["starts"]


async def test_a_fire_is_untold_while_somebody_waits_for_its_trigger_or_is_subscribed_to_it(store: Store) -> None:
    for slug in ("go", "gone", "followed"):
        await store.triggers.add(trigger(slug))
    await asleep(store, waits())
    await store.triggers.subscribe(
        SubscriptionRow(trigger_id="t-followed", session_id="s1", tenant="acme", created_at_ms=T0)
    )
    for slug in ("go", "gone", "followed"):
        assert await store.fires.fire(fire(slug, slug=slug), unheard_json="{}") == "fired"
    untold = {each.fire.key: (each.is_awaited, each.is_followed) for each in await store.fires.untold(limit=10)}
    assert untold == {"go": (True, False), "followed": (False, True)}


async def test_a_fire_that_is_unheard_is_told_to_a_wait_that_is_written_later_and_began_before(store: Store) -> None:
    await store.triggers.add(trigger())
    await store.fires.fire(fire("before", at_ms=T0 - 1), unheard_json="{}")
    await store.fires.fire(fire("after", at_ms=T0 + 1), unheard_json="{}")
    await asleep(store, waits())
    assert await untold_keys(store) == ["after"]


async def test_a_wait_that_is_written_after_a_fire_it_began_before_opens_the_fire_again(store: Store) -> None:
    await store.triggers.add(trigger())
    for key, at_ms in (("before", T0 - 1), ("after", T0 + 1), ("later", T0 + 2)):
        await store.fires.fire(fire(key, at_ms=at_ms))
        assert await settle(store, fire(key, at_ms=at_ms))
    await asleep(store, waits(asked_at_ms=T0))
    assert await untold_keys(store) == ["after"]


async def test_no_more_runs_begin_than_there_may_be_at_once(store: Store) -> None:
    await store.triggers.add(trigger())
    rows = [fire(str(number)) for number in range(4)]
    for row in rows:
        await store.fires.fire(row)
    begun = await asyncio.gather(
        *(store.fires.begin(row, session_id="s1" if at == 0 else f"x{at}", at_once=2) for at, row in enumerate(rows))
    )
    assert begun == [True, True, False, False]
    assert await store.fires.begin(rows[0], session_id="s1", at_once=2)  # its own place, once more
    await asleep(store, timer("t1"))
    assert not await store.fires.begin(rows[2], session_id="x2", at_once=2)
    await store.cancel_session(
        CancelSession(tenant="acme", session_id="s1", reason="r", responder=None, ledger_json="{}", now_ms=T0)
    )
    assert await store.fires.begin(rows[2], session_id="x2", at_once=2)


@pytest.mark.case("ti10")
@pytest.mark.behaviour("P22")
async def test_whoever_waits_by_a_clock_that_is_ahead_waits_for_the_next_fire(store: Store) -> None:
    ahead = [replace(waits(f"p{at}"), asked_at_ms=T0 + at * 3_600_000) for at in (0, 1, 9_000)]
    other = replace(waits("p4", asked_at_ms=T0 + 5), role="another")
    await asleep(store, *ahead, other)
    await store.triggers.add(trigger())
    row = SubscriptionRow(trigger_id="t-go", session_id="s1", tenant="acme", created_at_ms=T0 + 5)
    await store.triggers.subscribe(row)
    outside = fire("outside", at_ms=T0 + 1)
    assert await store.fires.fire(outside) == "fired"
    assert [pause.pause_id for pause in await store.fires.waiting(outside, trigger(), limit=9)] == ["p0", "p1", "p9000"]
    (subscribed,) = await store.triggers.subscribed("t-go", limit=9)
    assert subscribed.created_at_ms == T0 + 1
    assert not await settle(store, outside)
    assert (await store.pause("p4")) == other
    scheduled = fire("due", at_ms=T0)
    change = DueFires(trigger_id="t-go", was_due_at_ms=T0, next_due_at_ms=None, fires=(scheduled,))
    assert await store.fires.fire_due([change]) == 1
    assert len(await store.fires.waiting(scheduled, trigger(), limit=9)) == 3


def as_declared(_: TriggerRow, new: TriggerRow) -> TriggerRow:
    return new


async def test_what_an_app_declares_is_there_and_what_it_does_not_is_removed(store: Store) -> None:
    await store.triggers.add(trigger("mine"))
    declared = [trigger(slug, source="app") for slug in ("a", "b", "mine")]
    assert (await store.triggers.declare("app", declared, kept=as_declared, farewell=farewell, now_ms=T0)).taken == (
        "mine",
    )
    await store.triggers.set_status("t-a", TriggerStatus.DISABLED, next_due_at_ms=T0, now_ms=T0)
    changed = [trigger("a", source="app", spec_json='{"n":1}', due_ms=T0 + 5)]
    assert (await store.triggers.declare("app", changed, kept=as_declared, farewell=farewell, now_ms=T0)).taken == ()
    found = {row.slug: (row.status, row.spec_json) for row in await store.triggers.all("acme")}
    assert found == {"a": ("disabled", '{"n":1}'), "mine": ("enabled", "{}")}
    assert (
        await store.triggers.declare("app", declared[:2], kept=as_declared, farewell=farewell, now_ms=T0)
    ).taken == ()
    assert [row.slug for row in await store.triggers.all("acme")] == ["a", "b", "mine"]


async def test_what_was_declared_before_is_as_it_is_to_be_kept(store: Store) -> None:
    row = trigger("a", source="app")
    await store.triggers.declare("app", [row], kept=as_declared, farewell=farewell, now_ms=T0)
    await store.triggers.set_state("t-a", was=None, state_json="[1]")
    seen: list[tuple[str | None, str]] = []

    def kept(old: TriggerRow, new: TriggerRow) -> TriggerRow:
        seen.append((old.state_json, new.spec_json))
        return replace(new, next_due_at_ms=T0 + 7, state_json=old.state_json)

    await store.triggers.declare("app", [replace(row, spec_json="[2]")], kept=kept, farewell=farewell, now_ms=T0 + 9)
    found = await store.triggers.find("t-a")
    assert seen == [("[1]", "[2]")]
    assert found == replace(row, spec_json="[2]", next_due_at_ms=T0 + 7, state_json="[1]")


async def test_a_subscription_is_there_once_and_fires_are_forgotten_when_they_are_old(store: Store) -> None:
    row = SubscriptionRow(trigger_id="t-go", session_id="s1", tenant="acme", created_at_ms=T0)
    assert [await store.triggers.subscribe(row), await store.triggers.subscribe(row)] == [True, False]
    assert await store.triggers.subscribed("t-go", limit=10) == (row,)
    assert await store.triggers.unsubscribe("t-go", "s1")
    await store.triggers.add(trigger())
    for key, at_ms in (("old", T0 - 1), ("open", T0 - 1), ("new", T0)):
        await store.fires.fire(fire(key, at_ms=at_ms))
        if key != "open":
            await settle(store, fire(key, at_ms=at_ms))
    assert await store.fires.sweep(fired_before_ms=T0, limit=10) == 1
    assert {each.key for each in await store.fires.of("t-go", limit=10)} == {"open", "new"}
