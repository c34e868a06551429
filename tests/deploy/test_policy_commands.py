"""overwinter policy test and log, settle, and the demonstration of gates."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.examples.gated_refunds import build
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import tool
from overwinter.deploy.cli.exits import Exit

from .conftest import Overwinter

GATED = "overwinter.bots.examples.gated_refunds:app"

CASES = """
[[case]]
name = "small refunds run"
tool = "refund_card"
arguments = { order_id = "4471", amount = "20.00", reason = "" }
judges = { regulars = "may_run" }
expect = "allow"
asks = []

[[case]]
name = "a judge that is not asked asks a person"
tool = "refund_card"
agent = "support"
arguments = { order_id = "4471", amount = "20.00", reason = "" }
expect = "ask"
asks = ["manager"]

[[case]]
name = "large ones cool off"
tool = "refund_card"
arguments = { order_id = "4471", amount = "300.00", reason = "" }
judges = { regulars = "may_run" }
expect = "schedule"
reason = "cool off"

[[case]]
name = "beyond the ceiling nothing runs"
tool = "refund_card"
arguments = { order_id = "4471", amount = "5000.00", reason = "" }
expect = "deny"
reason = "not for bots"
"""


def test_policies_are_tried_on_a_table_of_cases(overwinter: Overwinter, tmp_path: Path) -> None:
    Path("cases.toml").write_text(CASES)
    ran = overwinter("policy", "test", "cases.toml", "--app", GATED)
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "4 passed, 0 failed.")
    document = overwinter("policy", "test", "cases.toml", "--app", GATED, "--json").document
    assert (document["passed"], document["failed"]) == (4, 0)
    assert [case["verdict"] for case in document["cases"]] == ["allow", "ask", "schedule", "deny"]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"expect": "allow"}, "expected allow, got ask"),
        ({"asks": ["director"]}, "expected director to be asked, not manager"),
        ({"reason": "on sundays"}, "no reason says 'on sundays'"),
        ({"tool": "refund"}, "no agent has a tool refund"),
        ({"agent": "nobody"}, "no agent has a tool refund_card"),
        ({"arguments": {"order_id": "4471"}}, "amount"),
    ],
)
def test_a_case_that_is_not_as_expected_says_why(overwinter: Overwinter, changed: dict[str, Any], why: str) -> None:
    arguments = {"order_id": "4471", "amount": "80.00", "reason": ""}
    case = {"name": "c", "tool": "refund_card", "arguments": arguments, "expect": "ask", **changed}
    Path("cases.json").write_text(json.dumps({"case": [case]}))
    ran = overwinter("policy", "test", "cases.json", "--app", GATED, "--json")
    assert ran.code == Exit.FAILED
    assert why in "; ".join(ran.document["cases"][0]["wrong"])
    assert why in overwinter("policy", "test", "cases.json", "--app", GATED).out


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("c.toml", "case = 1", "a list of cases is expected, each [[case]] with name, tool, arguments, and expect"),
        ("c.toml", "[[case", "neither TOML nor JSON"),
        ("c.toml", "", "a list of cases is expected"),
        ("c.json", "[]", "a list of cases is expected"),
        ("c.toml", '[[cases]]\nname = "n"', "cases: there is no such key; did you mean case?"),
        (
            "c.toml",
            '[[case]]\nname = "n"\nexpected = "ask"',
            "case 1, expected: there is no such key; did you mean expect?",
        ),
        ("c.toml", '[[case]]\nname = "n"\nexpect = "ask"', "case 1, tool is missing; case 1, arguments is missing"),
        (
            "c.toml",
            '[[case]]\nname = "n"\ntool = "t"\narguments = {}\nexpect = "maybe"',
            "case 1, expect: it should be 'allow', 'schedule', 'ask' or 'deny', not 'maybe'",
        ),
        ("c.json", "{", "neither TOML nor JSON"),
    ],
)
def test_a_file_that_holds_no_cases_is_refused(overwinter: Overwinter, name: str, text: str, why: str) -> None:
    Path(name).write_text(text)
    ran = overwinter("policy", "test", name, "--app", GATED, "--json")
    assert (ran.code, ran.error["code"]) == (Exit.USAGE, "input.invalid")
    assert why in ran.error["message"]
    assert overwinter("policy", "test", "none.toml", "--app", GATED, "--json").code == Exit.USAGE


def test_the_log_tells_what_policies_said(overwinter: Overwinter, tmp_path: Path) -> None:
    async def play() -> str:
        kit = Kit(
            build=lambda: build(tmp_path / "refunds.jsonl", write=lambda _: None), path=tmp_path / "overwinter.db"
        )
        async with kit.running():
            return await kit.start("support", "refund order 4471, 5000.00")

    session_id = asyncio.run(play())
    (entry,) = overwinter("policy", "log", "--json").document["entries"]
    assert (entry["session"], entry["tool"], entry["verdict"]) == (session_id, "refund_card", "deny")
    ran = overwinter("policy", "log", "--session", session_id)
    assert "refunds over 1000 are not for bots" in ran.out
    assert overwinter("policy", "log", "--session", "nobody").out.startswith("No policy")


def test_an_operator_settles_a_step_on_the_command_line(overwinter: Overwinter, tmp_path: Path) -> None:
    script = ScriptedModel.by_turn([calls("launch", call_id="c1"), says("Thanks.")])
    started: list[int] = []

    def app() -> App:
        @tool(once=True)
        async def launch() -> str:
            """Launch."""
            started.append(1)
            await asyncio.Event().wait()
            return "launched"

        return App(name="a", agents=[Agent(name="b", tools=[launch], model=script)])

    kit = Kit(build=app, path=tmp_path / "overwinter.db")

    async def die() -> str:
        await kit.open()
        session_id = await kit.runtime.sessions.start(program="b", owner="olga", message="go")
        while not started:
            await kit.store.due()
        await kit.close()
        await kit.clock.advance(ms=60_000)
        return session_id

    async def look() -> None:
        async with kit.running():
            await kit.settle()
            await kit.advance(timedelta(days=36_500))  # past what the command's own clock says

    session_id = asyncio.run(die())
    asyncio.run(look())
    shown = overwinter("show", session_id)
    assert "overwinter settle says it" in shown.out
    for wrong in ((), ("--result", "x", "--failed", "y"), ("--result-json", "{")):
        assert overwinter("settle", session_id, "c1", "--as", "mara", *wrong).code == Exit.USAGE
    refused = overwinter("settle", session_id, "c9", "--result", "x", "--as", "mara", "--json")
    assert (refused.code, refused.error["code"]) == (Exit.REFUSED, "step.not-indeterminate")
    done = overwinter("settle", session_id, "c1", "--result", "launched at 9:02", "--as", "mara", "--json")
    assert done.document == {"session": session_id, "step": "/gather#0[0]/launch#0", "call": "c1"}
    asyncio.run(look())
    assert script.requests[-1].messages[-1].content == "launched at 9:02"
    assert started == [1]


def test_the_demonstration_of_gates_shows_each_verdict_at_work(overwinter: Overwinter) -> None:
    document = overwinter("demo", "--gates", "--json").document
    told = [(each["verdict"], each["waited_for"], each["runs_before"], each["runs"]) for each in document["requests"]]
    assert told == [
        ("allow", None, 1, 1),
        ("ask", "answer", 0, 1),
        ("schedule", "action", 0, 1),
        ("deny", None, 0, 0),
    ]
    assert overwinter("demo", "--gates", "--reply", "yes").code == Exit.USAGE


def test_a_gate_that_fails_is_logged_beside_the_document(overwinter: Overwinter) -> None:
    Path("office.py").write_text(
        "from overwinter.bots.agents import Agent\n"
        "from overwinter.bots.app import App\n"
        "from overwinter.bots.policies.rego import Rego\n"
        "from overwinter.bots.tools import tool\n"
        "from overwinter.channels.roles import Answerer, ApprovalRole\n"
        "from overwinter.channels.terminal import TerminalChannel\n"
        "boss = ApprovalRole(name='boss', answered_by=Answerer.CHANNEL)\n"
        "policy = 'package p\\nimport rego.v1\\nv := \"allow\"'\n"
        "@tool(gates=[Rego(name='limits', policy=policy, rule='data.p.v', asks=boss)])\n"
        "async def pay() -> str:\n"
        "    '''Pay.'''\n"
        "    return 'paid'\n"
        "app = App(name='a', agents=[Agent(name='b', tools=[pay], model=object())],\n"
        "          channels={boss: TerminalChannel(write=print)})\n"
    )
    case: dict[str, Any] = {"name": "c", "tool": "pay", "arguments": {}, "expect": "ask", "reason": "true is one"}
    Path("cases.json").write_text(json.dumps({"case": [case]}))
    ran = overwinter("policy", "test", "cases.json", "--app", "office:app", "--json")
    assert (ran.code, ran.document["passed"]) == (Exit.OK, 1)
    assert "gate.failed" in ran.err
