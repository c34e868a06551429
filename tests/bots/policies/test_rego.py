"""Policies in Rego: what their values mean, what is found at start, and what becomes of files that change."""

from __future__ import annotations

import asyncio
import json
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from overwinter.actors.asks import JsonValue
from overwinter.bots.errors import PolicyInvalidError
from overwinter.bots.policies import rego as rego_module
from overwinter.bots.policies.rego import Rego

from .calls import FINANCE, call, finding_of

SMALL = """
package refunds
import rego.v1
allow if to_number(input.arguments.amount) <= data.limits.small
"""


def rego(body: str, *, rule: str = "data.p.v", data: Any = None, timeout: timedelta = timedelta(seconds=20)) -> Rego:
    policy = f"package p\nimport rego.v1\n{body}\n"
    return Rego(name="r", policy=policy, rule=rule, asks=FINANCE, data=data, timeout=timeout)


@pytest.mark.case("in20")
@pytest.mark.behaviour("P31")
@pytest.mark.parametrize(
    ("body", "verdict", "why"),
    [
        ('v if input.tool == "nothing"', "ask", "undefined"),
        ("v := null", "ask", "undefined"),
        ('v := "true"', "ask", 'is "true", which is no verdict: true is one, or an object with verdict and reason'),
        ('v := {"allow": true}', "ask", "no verdict"),
        ("v := [true, false]", "ask", "which is no verdict"),
        ("v contains true", "ask", "which is no verdict"),
        ("v := true if true\nv := false if true", "ask", "conflict"),
        ("v := to_number(input.owner)", "ask", "cannot be evaluated"),
        ("v := 1", "ask", "which is no verdict"),
        ('v := http.send({"method": "get", "url": "http://127.0.0.1/"})', "ask", ""),
        ("v := false", "ask", "is false"),
        ("v := true", "allow", ""),
    ],
)
async def test_exactly_true_allows_and_everything_odd_asks(body: str, verdict: str, why: str) -> None:
    finding = await finding_of(rego(body))
    assert finding.verdict == verdict
    assert why in finding.reason


@pytest.mark.parametrize(
    ("said", "verdict", "reason"),
    [
        ({"verdict": "allow", "reason": "small"}, "allow", "small"),
        ({"verdict": "ask", "reason": "large"}, "ask", "large"),
        ({"verdict": "deny", "reason": "closed account"}, "deny", "closed account"),
        ({"verdict": "schedule", "correlation_id": "x:c1", "due_in_s": 60}, "schedule", ""),
        ({"verdict": "schedule", "correlation_id": "x:c1", "due_at": "2026-03-04T09:00:00Z"}, "schedule", ""),
        ({"verdict": "schedule", "correlation_id": "x:c1"}, "schedule", ""),
        ({"verdict": "schedule", "correlation_id": "x:c1", "due_at": "2026-03-04T09:00:00"}, "ask", "no verdict"),
        (
            {"verdict": "schedule", "correlation_id": "c1", "due_in_s": 1, "due_at": "2026-03-04T09:00:00Z"},
            "ask",
            "one of",
        ),
        ({"verdict": "schedule", "due_in_s": 60}, "ask", "no verdict"),
        ({"verdict": "Allow"}, "ask", "no verdict"),
        ({"verdict": "allow", "allowed": True}, "ask", "no verdict"),
        ({"verdict": "deny", "reason": 5}, "ask", "no verdict"),
        ({}, "ask", "no verdict"),
    ],
)
async def test_an_object_says_its_verdict_to_the_letter(said: JsonValue, verdict: str, reason: str) -> None:
    finding = await finding_of(rego(f"v := {json.dumps(said)}"))
    assert finding.verdict == verdict
    assert reason in finding.reason


async def test_a_policy_judges_the_call_with_its_data() -> None:
    policy = Rego(name="r", policy=SMALL, rule="data.refunds.allow", asks=FINANCE, data={"limits": {"small": 100}})
    assert (await finding_of(policy, call({"amount": "99.99"}))).verdict == "allow"
    assert (await finding_of(policy, call({"amount": "100.01"}))).verdict == "ask"
    assert (await finding_of(policy, call({"amount": "much"}))).verdict == "ask"
    assert (await finding_of(policy, call({}))).verdict == "ask"


@pytest.mark.parametrize(
    "value", ["\x00", "a\nb", '"', "\\", "\\u0041", "é", "😀", "\u2028", 2**53 + 1, -(2**63), 1e-7, 0.1 + 0.2, 1e300]
)
async def test_a_policy_sees_the_values_as_they_are(value: JsonValue) -> None:
    policy = rego("v if input.arguments.x == data.x", data={"x": value})
    assert (await finding_of(policy, call({"x": value}))).verdict == "allow"


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 2**64 + 5, 10**40])
async def test_a_number_that_cannot_be_judged_exactly_is_not_judged(number: int) -> None:
    finding = await finding_of(rego("v if input.arguments.amounts[0] < 100"), call({"amounts": [number]}))
    assert finding.verdict == "ask"
    assert "too large" in finding.reason


@pytest.mark.parametrize("argument", ["\ud800", float("nan"), float("inf")])
async def test_what_is_no_json_is_not_judged(argument: JsonValue) -> None:
    with pytest.raises(ValueError, match=r"surrogates|not JSON compliant|Out of range"):
        await rego("v := true").judge(call({"x": argument}))


# -- at start ----------------------------------------------------------------------------------------------------------
@pytest.mark.case("in20")
@pytest.mark.parametrize(
    ("body", "rule", "why"),
    [
        ("v if {", "data.p.v", "r.rego:4"),
        ("v := nothing_such(1)", "data.p.v", "nothing_such"),
        ("v := true", "data.p.w", "no rule data.p.w"),
        ("v := true", "p.v", "no rule p.v"),
        ("f(x) := f(x - 1)\nv := f(3)", "data.p.v", "calls itself without one"),
    ],
)
def test_a_policy_that_cannot_work_is_found_where_it_is_made(body: str, rule: str, why: str) -> None:
    with pytest.raises(PolicyInvalidError, match=why) as raised:
        rego(body, rule=rule)
    assert "backtrace" not in str(raised.value)


def test_a_policy_that_does_not_end_holds_up_no_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rego_module, "COMPILED_WITHIN", timedelta(seconds=1))
    endless = "v if count([x | some a in numbers.range(1, 9999); some b in numbers.range(1, 9999); x := a * b]) > 0"
    with pytest.raises(PolicyInvalidError, match="does not come to an end"):
        rego(endless, timeout=timedelta(milliseconds=1))


@pytest.mark.parametrize("timeout", [timedelta(), timedelta(milliseconds=1), timedelta.max])
def test_how_long_a_policy_may_be_evaluated_keeps_it_from_being_compiled_in_no_case(timeout: timedelta) -> None:
    assert rego("v := true", timeout=timeout).timeout == timeout


@pytest.mark.parametrize("data", [{"x": float("nan")}, {"x": object()}])
def test_data_that_is_no_json_is_found_where_it_is_given(data: Any) -> None:
    with pytest.raises(PolicyInvalidError, match="data of policy r"):
        rego("v := true", data=data)


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 2**70])
def test_a_number_in_the_data_that_cannot_be_compared_exactly_is_found_where_it_is_given(number: int) -> None:
    with pytest.raises(PolicyInvalidError, match="too large to be judged exactly"):
        rego("v if data.limits[0] == data.limits[1]", data={"limits": [number, number + 1]})


async def test_data_is_what_it_was_when_the_gate_was_made() -> None:
    limits: dict[str, JsonValue] = {"limits": {"small": 50}}
    gate = Rego(name="r", policy=SMALL, rule="data.refunds.allow", asks=FINANCE, data=limits)
    limits["limits"]["small"] = 900
    assert (await finding_of(gate)).verdict == "ask"


@pytest.mark.parametrize("written", ["", "[]", "{", '{"a": 18446744073709551999}'])
def test_a_data_file_that_cannot_be_used_is_found_at_start(tmp_path: Path, written: str) -> None:
    data = tmp_path / "limits.json"
    data.write_text(written)
    with pytest.raises(PolicyInvalidError):
        rego("v := true", data=data)
    with pytest.raises(PolicyInvalidError, match="cannot be read"):
        rego("v := true", data=tmp_path / "none.json")
    with pytest.raises(PolicyInvalidError, match="there is no file"):
        Rego(name="r", policy=tmp_path / "none.rego", rule="data.p.v", asks=FINANCE)


# -- files -------------------------------------------------------------------------------------------------------------
def write(file: Path, text: str) -> None:
    """As editors do: a new file under the old name, so that it has another identity even within a clock tick."""
    beside = file.with_suffix(".new")
    beside.write_text(text)
    os.replace(beside, file)


@pytest.mark.behaviour("P36")
async def test_data_and_policy_are_edited_without_touching_code(tmp_path: Path) -> None:
    policy, data = tmp_path / "refunds.rego", tmp_path / "limits.json"
    policy.write_text(SMALL)
    data.write_text('{"limits": {"small": 50}}')
    gate = Rego(name="r", policy=policy, rule="data.refunds.allow", asks=FINANCE, data=data)
    assert (await finding_of(gate)).verdict == "ask"
    write(data, '{"limits": {"small": 90}}')
    assert (await finding_of(gate)).verdict == "allow"
    write(policy, SMALL.replace("<=", ">"))
    assert (await finding_of(gate)).verdict == "ask"


@pytest.mark.case("in20")
@pytest.mark.behaviour("P32")
async def test_a_file_that_breaks_or_goes_asks_until_it_is_back(tmp_path: Path) -> None:
    policy, data = tmp_path / "refunds.rego", tmp_path / "limits.json"
    policy.write_text(SMALL)
    data.write_text('{"limits": {"small": 90}}')
    gate = Rego(name="r", policy=policy, rule="data.refunds.allow", asks=FINANCE, data=data)
    for file, good in ((policy, policy.read_text()), (data, data.read_text())):
        assert (await finding_of(gate)).verdict == "allow"
        write(file, "{")
        finding = await finding_of(gate)
        assert (finding.verdict, finding.is_failure) == ("ask", True)
        with pytest.raises(PolicyInvalidError):
            gate.reload()
        file.unlink()
        assert (await finding_of(gate)).verdict == "ask"
        write(file, good)
    assert (await finding_of(gate)).verdict == "allow"
    gate.reload()


async def test_a_folder_of_policies_is_one_policy(tmp_path: Path) -> None:
    (tmp_path / "a.rego").write_text("package p\nimport rego.v1\nv if q\n")
    (tmp_path / "b.rego").write_text("package p\nimport rego.v1\nq := false\n")
    gate = Rego(name="r", policy=tmp_path, rule="data.p.v", asks=FINANCE)
    assert (await finding_of(gate)).verdict == "ask"
    write(tmp_path / "b.rego", "package p\nimport rego.v1\nq := true\n")
    assert (await finding_of(gate)).verdict == "allow"


@pytest.mark.behaviour("P36")
async def test_a_file_that_is_written_twice_at_once_and_looks_the_same_is_read_again(tmp_path: Path) -> None:
    data = tmp_path / "limits.json"
    data.write_text('{"limits": {"small": 50}}')
    gate = Rego(name="r", policy=SMALL, rule="data.refunds.allow", asks=FINANCE, data=data)
    when = data.stat().st_mtime_ns
    for small, verdict in ((90, "allow"), (10, "ask"), (80, "allow"), (79, "ask")):
        data.write_text(json.dumps({"limits": {"small": small}}))
        os.utime(data, ns=(when, when))
        assert (await finding_of(gate)).verdict == verdict


async def test_what_is_hidden_in_a_folder_is_no_policy(tmp_path: Path) -> None:
    (tmp_path / "a.rego").write_text("package p\nimport rego.v1\nv := true\n")
    gate = Rego(name="r", policy=tmp_path, rule="data.p.v", asks=FINANCE)
    (tmp_path / "._a.rego").write_bytes(b"\x00\x05\x16")
    (tmp_path / ".#a.rego").symlink_to("olga@desk.1234")
    assert (await finding_of(gate)).verdict == "allow"


# -- what does not come to an end --------------------------------------------------------------------------------------
SEARCH = """
v if {
    some x in numbers.range(1, input.arguments.n)
    some y in numbers.range(1, input.arguments.n)
    x * y == 0
}
"""


@pytest.mark.behaviour("P32")
async def test_a_policy_that_does_not_end_asks_and_holds_nobody_up() -> None:
    gate = rego(SEARCH)
    assert (await finding_of(gate, call({"n": 1}))).verdict == "ask"  # its process is there
    gate.timeout = timedelta(milliseconds=400)
    judging = asyncio.create_task(finding_of(gate, call({"n": 100_000})))
    turns = 0
    while not judging.done():
        await asyncio.wait({judging}, timeout=0.005)
        turns += 1
    finding = await judging
    assert (finding.verdict, finding.is_failure) == ("ask", True)
    assert "no verdict within 0.4 s" in finding.reason
    assert turns > 3, "the loop went on meanwhile"


async def test_after_a_policy_that_did_not_end_the_next_call_is_judged() -> None:
    gate = rego(f"v if input.arguments.n == 1\n{SEARCH}")
    for n, timeout_s, verdict in ((1, 20, "allow"), (100_000, 0.3, "ask"), (1, 20, "allow")):
        gate.timeout = timedelta(seconds=timeout_s)
        assert (await finding_of(gate, call({"n": n}))).verdict == verdict


async def test_many_calls_at_once_are_judged_one_after_the_other() -> None:
    gate = rego("v if input.arguments.n % 2 == 0")
    found = await asyncio.gather(*(finding_of(gate, call({"n": n})) for n in range(50)))
    assert [finding.verdict for finding in found] == ["allow", "ask"] * 25


async def test_a_process_that_ends_by_itself_is_there_again_for_the_next_call() -> None:
    gate = rego("v := true")
    assert (await finding_of(gate)).verdict == "allow"
    gate._process.interrupt()  # pyright: ignore[reportPrivateUsage]  as an engine that runs out of memory does
    assert (await finding_of(gate)).verdict in ("allow", "ask")  # by whether it is seen to have gone
    assert (await finding_of(gate)).verdict == "allow"
