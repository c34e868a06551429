"""overwinter actions: what is put off is listed, performed and cancelled by hand, and nobody is shown more than they need."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from overwinter.actors.clock import ManualClock
from overwinter.bots.testing.kit import Kit
from overwinter.deploy.cli.exits import Exit
from overwinter.deploy.loading import load_app

from .conftest import Overwinter

APP = '''
from datetime import timedelta
from pathlib import Path
from typing import Annotated

from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.plugins import Plugin
from overwinter.bots.policies.gates import Predicate
from overwinter.bots.policies.verdicts import Schedule
from overwinter.bots.privacy import Sensitive
from overwinter.bots.scripted_model import ScriptedModel, calls, calls_all, says
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.tools import tool
from overwinter.channels.roles import Answerer, ApprovalRole

FINANCE = ApprovalRole(name="finance", answered_by=Answerer.CHANNEL)


def later(call):
    due = timedelta(days=36_500) if call.arguments["to"] == "tomorrow" else None
    return Schedule(correlation_id="pay:" + call.call_id, action_kind=None if due else "bank.pay", due=due)


@tool
async def pay(to: str, card: Annotated[str, Sensitive("mask")]) -> str:
    """Pay."""
    with Path("paid").open("a") as file:
        file.write(to + "\\n")
    return "paid " + to


def paying(to, call_id):
    return calls("pay", {"to": to, "card": "4111111111111111"}, call_id=call_id)


script = ScriptedModel.by_turn([calls_all(paying("olga", "c1"), paying("otto", "c2"), paying("tomorrow", "c3")), says("ok")])
plugin = Plugin(name="bank", action_kinds=["bank.pay"], gates=[Predicate(name="later", check=later, asks=FINANCE)])
agent = Agent(name="bank", tools=[pay], model=script)
app = App(name="bank", agents=[agent], plugins=[plugin], channels={FINANCE: RecordingChannel()})
'''


async def go_on(*, starts: bool = False) -> str:
    """A service that works for a moment."""
    app = load_app("bank.py:app", folder=Path.cwd())
    kit = Kit(build=lambda: app, path=Path("overwinter.db"), clock=ManualClock())
    async with kit.running():
        if starts:
            return await kit.start("bank", "go")
        await kit.settle()
        (session,) = await kit.store.sessions(tenant=None, statuses=None, limit=9)
        return session.status


@pytest.fixture
def session(overwinter: Overwinter, tmp_path: Path) -> str:
    Path("bank.py").write_text(APP)
    return asyncio.run(go_on(starts=True))


def listed(overwinter: Overwinter, *options: str) -> list[dict[str, Any]]:
    return overwinter("actions", "list", *options, "--json").document["actions"]


@pytest.mark.behaviour("W10")
def test_what_is_put_off_is_listed_without_secrets_and_without_the_right_to_perform_it(
    overwinter: Overwinter, session: str
) -> None:
    found = listed(overwinter)
    assert [(each["call"], each["kind"], each["due_at_ms"] is None) for each in found] == [
        ("c1", "bank.pay", True),
        ("c2", "bank.pay", True),
        ("c3", None, False),
    ]
    assert {each["session"] for each in found} == {session}
    assert found[0]["arguments"]["to"] == "olga"
    assert [each["call"] for each in listed(overwinter, "--kind", "bank.pay", "--limit", "1")] == ["c1"]
    assert listed(overwinter, "--session", "nobody") == []
    told = overwinter("actions", "list").out + overwinter("actions", "list", "--json").out
    assert "4111" not in told
    assert "by a host" in told
    assert "ticket" not in told


@pytest.mark.behaviour("W12")
def test_an_operator_performs_one_cancels_one_and_can_hurry_none(overwinter: Overwinter, session: str) -> None:
    done = overwinter("actions", "perform", session, "c1", "--as", "mara", "--app", "bank.py:app", "--json")
    assert done.document == {"session": session, "call": "c1", "tool": "pay"}
    again = overwinter("actions", "perform", session, "c1", "--as", "mara", "--app", "bank.py:app", "--json")
    assert (again.code, again.error["code"]) == (Exit.UNKNOWN, "action.unknown")
    early = overwinter("actions", "perform", session, "c3", "--as", "mara", "--app", "bank.py:app", "--json")
    assert early.code == Exit.REFUSED
    nobody = overwinter("actions", "perform", session, "c2", "--as", " ", "--app", "bank.py:app")
    assert nobody.code == Exit.USAGE
    gone = overwinter("actions", "cancel", session, "c2", "--as", "mara", "--reason", "wrong account", "--json")
    assert gone.document == {"session": session, "call": "c2", "cancelled": True}
    assert overwinter("actions", "cancel", session, "c9").code == Exit.UNKNOWN
    assert not Path("paid").exists(), "nothing runs in the command itself"
    assert asyncio.run(go_on()) == "waiting"
    assert Path("paid").read_text() == "olga\n"
    assert [each["call"] for each in listed(overwinter)] == ["c3"]
    entries = overwinter("audit", "list", "--json").document["entries"]
    assert sorted((entry["resolution"], entry["responder"]) for entry in entries) == [
        ("cancelled", "mara"),
        ("fired", "mara"),
    ]
