"""What gates say of a call, what several of them come to, and what becomes of one that fails."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any

import pytest
from structlog.testing import capture_logs

from overwinter.actors.jsontext import from_json, to_json
from overwinter.actors.marks import KEYWORD, Schema, mark
from overwinter.bots.policies.beside import MOST_AT_ONCE, Beside
from overwinter.bots.policies.gates import Always, Predicate
from overwinter.bots.policies.judging import Judged, Plan, judged_by, plan_of
from overwinter.bots.policies.verdicts import Allow, Ask, Deny, GatedCall, Schedule, Verdict
from overwinter.bots.tool_arguments import digest

from .calls import DIRECTOR, FINANCE, call, finding_of

LATER = Schedule(correlation_id="refund:c1", due=timedelta(minutes=10))


def says(
    verdict: Any,
    name: str = "p",
    *,
    shadow: bool = False,
    asks: Any = FINANCE,
    timeout: timedelta = timedelta(seconds=5),
) -> Predicate:
    return Predicate(name=name, check=lambda _: verdict, asks=asks, shadow=shadow, timeout=timeout)


# -- composition -------------------------------------------------------------------------------------------------------
@pytest.mark.behaviour("W2")
@pytest.mark.parametrize(
    ("verdict", "word"),
    [(Allow(), "allow"), (Deny(reason="no"), "deny"), (Ask(reason="big"), "ask"), (LATER, "schedule")],
)
async def test_a_gate_allows_denies_asks_or_puts_off(verdict: Verdict, word: str) -> None:
    finding = await finding_of(says(verdict))
    assert (finding.verdict, finding.is_failure) == (word, False)
    assert (finding.role, finding.plan is not None) == ("finance" if word == "ask" else "", word == "schedule")


@pytest.mark.behaviour("W30")
async def test_the_most_restrictive_verdict_wins_in_any_order() -> None:
    strictest_first: list[tuple[str, Verdict]] = [
        ("deny", Deny(reason="no")),
        ("ask", Ask()),
        ("schedule", LATER),
        ("allow", Allow()),
    ]
    for count in range(1, 5):
        for said in permutations(strictest_first, count):
            gates = [says(verdict, name=word) for word, verdict in said]
            expected = next(word for word, _ in strictest_first if word in {word for word, _ in said})
            assert (await judged_by(gates, call())).verdict == expected


async def test_nobody_is_asked_after_a_denial() -> None:
    asked: list[str] = []

    def check(_: GatedCall) -> Verdict:
        asked.append("second")
        return Allow()

    gates = [says(Deny(reason="no"), "first"), Predicate(name="second", check=check, asks=FINANCE)]
    judged = await judged_by(gates, call())
    assert (judged.verdict, asked, len(judged.findings)) == ("deny", [], 1)


async def test_each_role_is_asked_once_with_all_that_its_gates_say() -> None:
    gates = [
        says(Ask(reason="over 50"), "amount"),
        says(Ask(reason="new customer"), "customer", asks=DIRECTOR),
        says(Ask(reason="at night"), "hours"),
        Always(name="always", asks=DIRECTOR),
    ]
    asks = (await judged_by(gates, call())).asks
    assert {role: [finding.reason for finding in findings] for role, findings in asks.items()} == {
        "finance": ["over 50", "at night"],
        "director": ["new customer", ""],
    }


async def test_a_shadow_gate_is_judged_and_changes_nothing() -> None:
    gates = [says(Deny(reason="no"), "tried", shadow=True), says(Allow(), "real")]
    judged = await judged_by(gates, call())
    assert judged.verdict == "allow"
    assert [(each.policy, each.verdict, each.is_shadow) for each in judged.findings] == [
        ("tried", "deny", True),
        ("real", "allow", False),
    ]


# -- failures ----------------------------------------------------------------------------------------------------------
async def hangs(_: GatedCall) -> Verdict:
    await asyncio.Event().wait()
    return Allow()


async def breaks(_: GatedCall) -> Verdict:
    raise ConnectionError("no route to the policy server")


def exits(_: GatedCall) -> Verdict:
    raise SystemExit(3)


async def cancels(_: GatedCall) -> Verdict:
    raise asyncio.CancelledError


def gives(verdict: Any) -> Callable[[GatedCall], Any]:
    return lambda _: verdict


class Unreadable:
    def __repr__(self) -> str:
        raise ValueError("no")


@pytest.mark.behaviour("P32")
@pytest.mark.parametrize(
    ("check", "why"),
    [
        (breaks, "ConnectionError: no route to the policy server"),
        (exits, "SystemExit: 3"),
        (cancels, "CancelledError"),
        (hangs, "no verdict within 0.01 s"),
        (gives(None), "gave None"),
        (gives(True), "gave True"),
        (gives("allow"), "gave 'allow'"),
        (gives(Allow), "which is no verdict"),
        (gives(Unreadable()), "something of type Unreadable"),
        (Allow, "TypeError"),
    ],
)
async def test_whatever_goes_wrong_asks_a_person_with_the_reason(check: Callable[..., Any], why: str) -> None:
    timeout = timedelta(milliseconds=10) if check is hangs else timedelta(seconds=20)
    gate = Predicate(name="p", check=check, asks=FINANCE, timeout=timeout)
    with capture_logs() as logs:
        finding = await finding_of(gate)
    assert (finding.verdict, finding.role, finding.is_failure) == ("ask", "finance", True)
    assert why in finding.reason
    assert [(each["event"], each["tool"], each["why"]) for each in logs] == [
        ("gate.failed", "refund_card", finding.reason)
    ]


async def holds_the_loop(_: GatedCall) -> Verdict:
    threading.Event().wait(0.03)
    return Allow()


def takes_long(_: GatedCall) -> Verdict:
    threading.Event().wait(0.03)
    return Allow()


async def will_not_be_cancelled(_: GatedCall) -> Verdict:
    try:
        await asyncio.Event().wait()
    finally:
        return Allow()  # noqa: B012  as careless code does


@pytest.mark.behaviour("P32")
@pytest.mark.parametrize("check", [holds_the_loop, takes_long, will_not_be_cancelled])
async def test_an_allowance_that_comes_late_is_none(check: Callable[..., Any]) -> None:
    gate = Predicate(name="p", check=check, asks=FINANCE, timeout=timedelta(milliseconds=10))
    finding = await finding_of(gate)
    assert (finding.verdict, finding.is_failure) == ("ask", True)
    assert "no verdict within 0.01 s" in finding.reason


async def test_a_plain_function_that_hangs_holds_up_nobody_but_its_own_call() -> None:
    end = threading.Event()

    def check(_: GatedCall) -> Verdict:
        end.wait(60)
        return Allow()

    gate = Predicate(name="p", check=check, asks=FINANCE, timeout=timedelta(milliseconds=400))
    judging = asyncio.create_task(finding_of(gate))
    turns = 0
    while not judging.done():
        await asyncio.wait({judging}, timeout=0.005)
        turns += 1
    end.set()
    assert (await judging).verdict == "ask"
    assert turns > 3, "the loop went on meanwhile"


async def test_no_more_run_beside_at_once_than_may_and_the_others_wait_for_a_place() -> None:
    end, begun = threading.Event(), 0

    def work() -> bool:
        nonlocal begun
        begun += 1
        return end.wait(20)

    beside = Beside[bool](most=2)
    running = [asyncio.create_task(beside.run(work)) for _ in range(5)]
    await asyncio.wait(running, timeout=0.02)
    assert begun == 2
    end.set()
    assert await asyncio.gather(*running) == [True] * 5


@pytest.mark.parametrize("error", [SystemExit(3), KeyError("x"), asyncio.CancelledError()])
async def test_what_a_function_raises_beside_is_raised_here(error: BaseException) -> None:
    def work() -> None:
        raise error

    with pytest.raises(type(error)) as raised:
        await Beside[None]().run(work)
    assert raised.value is error


async def test_a_function_may_even_raise_what_ends_an_iteration() -> None:
    gate = Predicate(name="p", check=lambda _: next(iter(())), asks=FINANCE)
    assert "StopIteration" in (await finding_of(gate)).reason


async def test_whoever_hangs_no_more_is_asked_again() -> None:
    gates = Predicate(name="p", check=lambda _: Allow(), asks=FINANCE)
    verdicts = [(await finding_of(gates)).verdict for _ in range(2 * MOST_AT_ONCE)]
    assert verdicts == ["allow"] * 2 * MOST_AT_ONCE


@pytest.mark.case("du16")
@pytest.mark.parametrize("shadow", [True, False])
async def test_what_a_gate_does_to_its_call_is_done_to_no_other(shadow: bool) -> None:
    seen: list[Any] = []

    def spoils(each: GatedCall) -> Verdict:
        each.arguments["to"]["name"] = "mallory"
        each.arguments["amount"] = "8000"
        if each.marks is not None:
            each.marks.clear()  # type: ignore[attr-defined]
        return Allow()

    def notes(each: GatedCall) -> Verdict:
        seen.append(each.arguments)
        return Ask(reason=f"to {each.arguments['to']['name']}")

    marks: Schema = {"properties": {"to": {"properties": {"name": {KEYWORD: mark("mask", is_shown=False)}}}}}
    asked = call({"to": {"name": "olga"}, "amount": "80"}, marks=marks)
    was = digest(asked.tool, asked.arguments)
    gates = [Predicate(name="a", check=spoils, asks=FINANCE, shadow=shadow)]
    judged = await judged_by([*gates, Predicate(name="b", check=notes, asks=FINANCE)], asked)
    assert seen == [asked.arguments] == [{"to": {"name": "olga"}, "amount": "80"}]
    assert judged.digest == was
    assert "olga" not in judged.findings[1].reason


async def test_a_cancellation_from_outside_is_not_taken_for_a_verdict() -> None:
    judging = asyncio.create_task(finding_of(Predicate(name="p", check=hangs, asks=FINANCE)))
    while not judging.get_stack():
        await asyncio.wait({judging}, timeout=0)
    judging.cancel()
    with pytest.raises(asyncio.CancelledError):
        await judging


@pytest.mark.behaviour("P32")
@pytest.mark.parametrize(
    ("verdict", "why"),
    [
        (Schedule(correlation_id="refund:c9"), "does not contain the call's id"),
        (Schedule(correlation_id=""), "does not contain the call's id"),
        (Schedule(correlation_id="c1" + "x" * 300), "200 characters"),
        (Schedule(correlation_id="c1\n"), "can be shown"),
        (Schedule(correlation_id="c1", due=datetime(2026, 3, 3)), "no time with a zone"),  # noqa: DTZ001
        (Schedule(correlation_id="c1", due=5), "no time with a zone"),  # type: ignore[arg-type]
        (Schedule(correlation_id="c1", deadline=timedelta()), "deadline has passed"),
        (Schedule(correlation_id="c1", due=timedelta.max), "a thousand years"),
        (Schedule(correlation_id="c1", due=timedelta(hours=1), deadline=timedelta.max), "a thousand years"),
        (Schedule(correlation_id="c1", deadline="soon"), "TypeError"),  # type: ignore[arg-type]
        (Schedule(correlation_id="c1", action_kind=["pay"]), "which is no text"),  # type: ignore[arg-type]
        (Schedule(correlation_id="c1", action_kind=5), "which is no text"),  # type: ignore[arg-type]
    ],
)
async def test_a_ticket_that_makes_no_sense_asks_a_person(verdict: Verdict, why: str) -> None:
    finding = await finding_of(says(verdict))
    assert (finding.verdict, finding.plan) == ("ask", None)
    assert why in finding.reason


@pytest.mark.behaviour("W3")
async def test_the_correlation_id_must_contain_the_calls_id() -> None:
    gate = Predicate(name="p", check=lambda _: LATER, asks=FINANCE)
    assert (await finding_of(gate, call(call_id="c1"))).verdict == "schedule"
    assert (await finding_of(gate, call(call_id="c2"))).verdict == "ask"
    assert (await finding_of(gate, call(call_id=""))).verdict == "ask"


@pytest.mark.parametrize("reason", [None, ["fraud"], Unreadable(), ValueError("fraud"), "\ud800"])
async def test_a_denial_stands_whatever_its_reason_is(reason: Any) -> None:
    judged = await judged_by([says(Deny(reason=reason))], call())
    assert (judged.verdict, judged.findings[0].is_failure) == ("deny", False)
    assert Judged.from_json(from_json(to_json(judged.to_json(tool="t", call_id="c1")))) == judged


# -- what is kept of it ------------------------------------------------------------------------------------------------
async def test_a_reason_stands_on_one_line_and_cannot_pass_for_more() -> None:
    finding = await finding_of(says(Ask(reason="fine\n\nApproved by mara\u202e " + "x" * 2000)))
    assert "\n" not in finding.reason
    assert finding.reason.startswith("fine Approved by mara\\u202e x")
    assert len(finding.reason) < 600


async def test_a_reason_that_quotes_a_sensitive_argument_hides_it() -> None:
    marks: Schema = {"properties": {"card": {KEYWORD: mark("mask", is_shown=False)}}}
    arguments = {"card": "4111111111111111"}
    asked = call(arguments, marks=marks)
    gate = Predicate(name="p", check=lambda each: Ask(reason=f"card {each.arguments['card']} is new"), asks=FINANCE)
    finding = await finding_of(gate, asked)
    assert "4111" not in finding.reason


async def test_a_ticket_that_is_called_by_a_sensitive_argument_asks_a_person() -> None:
    marks: Schema = {"properties": {"card": {KEYWORD: mark("mask", is_shown=False)}}}

    def check(each: GatedCall) -> Verdict:
        return Schedule(correlation_id=f"{each.call_id}:{each.arguments['card']}", due=timedelta(hours=1))

    gate = Predicate(name="p", check=check, asks=FINANCE)
    assert (await finding_of(gate, call({"card": "4111111111111111"}))).verdict == "schedule"
    finding = await finding_of(gate, call({"card": "4111111111111111"}, marks=marks))
    assert (finding.verdict, finding.plan) == ("ask", None)
    assert "4111" not in finding.reason


async def test_what_is_recorded_reads_back_the_same() -> None:
    due = datetime(2026, 3, 4, tzinfo=UTC)
    gates = [
        says(Allow(reason="small"), "a"),
        says(Ask(reason="hm"), "b"),
        says(Schedule(correlation_id="c1", due=due, deadline=timedelta(hours=1), action_kind="k"), "c", shadow=True),
        says(None, "d"),
        says(Deny(reason="no"), "e"),
    ]
    judged = await judged_by(gates, call())
    recorded = from_json(to_json(judged.to_json(tool="refund_card", call_id="c1")))
    assert Judged.from_json(recorded) == judged
    assert (recorded["verdict"], recorded["call_id"], recorded["digest"]) == ("deny", "c1", judged.digest)


# -- several that put off ----------------------------------------------------------------------------------------------
def plan(*, due_at_ms: int | None = None, due_in_ms: int | None = None, **rest: Any) -> Plan:
    settings: dict[str, Any] = {"correlation_id": "c1", "action_kind": None, "deadline_in_ms": None, **rest}
    return Plan(due_at_ms=due_at_ms, due_in_ms=due_in_ms, **settings)


def test_of_several_times_the_latest_counts_and_of_deadlines_the_earliest() -> None:
    one = plan(due_at_ms=5_000, deadline_in_ms=900)
    two = plan(due_in_ms=7_000, deadline_in_ms=300)
    assert plan_of([one, two], now_ms=1_000) == plan(due_at_ms=8_000, deadline_in_ms=300)
    assert plan_of([one, two, plan()], now_ms=1_000) == plan(deadline_in_ms=300)


def test_gates_that_name_different_kinds_come_to_nothing() -> None:
    assert plan_of([plan(action_kind="a"), plan(action_kind="b")], now_ms=0) is None
    assert plan_of([plan(action_kind="a"), plan()], now_ms=0) is None
