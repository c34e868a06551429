"""The commands for triggers."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from overwinter.actors.clock import SystemClock
from overwinter.actors.ids import RandomIds
from overwinter.deploy.config import load_config
from overwinter.deploy.loading import load_app
from overwinter.deploy.service import supervising
from overwinter.deploy.wiring import open_runtime

from .conftest import Overwinter


def test_a_trigger_is_added_listed_fired_disabled_enabled_and_removed(overwinter: Overwinter) -> None:
    added = overwinter(
        "triggers", "add", "nightly", "--cron", "0 2 * * *", "--zone", "Europe/Berlin", "--starts", "report", "--json"
    )
    assert (added.code, added.document["kind"], added.document["token"]) == (0, "cron", None)
    [listed] = overwinter("triggers", "list", "--json").document["triggers"]
    assert listed["trigger"] == "nightly"
    assert listed["when"] == {"expression": "0 2 * * *", "zone": "Europe/Berlin", "catch_up": "one", "at_most": 10}
    assert (listed["starts"]["bot"], listed["source"], listed["status"]) == ("report", None, "enabled")
    fired = overwinter("triggers", "fire", "nightly", "--key", "k", "--payload", '{"n": 1}', "--json").document
    assert fired["outcome"] == "fired"
    assert overwinter("triggers", "fire", "nightly", "--key", "k", "--payload", '{"n": 1}', "--json").document == {
        **fired,
        "outcome": "duplicate",
    }
    [fire] = overwinter("triggers", "fires", "nightly", "--json").document["fires"]
    assert (fire["fire"], fire["key"], fire["payload"], fire["status"]) == (fired["fire"], "k", {"n": 1}, "open")
    assert "nightly" in overwinter("triggers", "list").out
    assert fired["fire"] in overwinter("triggers", "fires", "nightly").out
    nobody: dict[str, list[str]] = {"waiting": [], "subscribed": []}
    for command, status, concerned in (
        ("disable", "disabled", nobody),
        ("enable", "enabled", {}),
        ("remove", "removed", nobody),
    ):
        changed = overwinter("triggers", command, "nightly", "--json").document
        assert changed == {"trigger": "nightly", "status": status, **concerned}
    assert overwinter("triggers", "list", "--json").document == {"triggers": []}


def test_a_webhooks_token_is_shown_once_and_kept_nowhere(overwinter: Overwinter) -> None:
    added = overwinter("triggers", "add", "orders", "--webhook", "--signed", "--json").document
    assert len(added["token"]) == len(added["secret"]) == 64
    for command in (("list",), ("fires", "orders")):
        for form in ((), ("--json",)):
            shown = overwinter("triggers", *command, *form)
            assert added["token"] not in shown.out
            assert added["secret"] not in shown.out
            assert "token_digest" not in shown.out


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (("add", "a"), 2, "input.invalid"),
        (("add", "a", "--cron", "0 9 30 2 *"), 2, "trigger.invalid"),
        (("add", "a", "--cron", "0 9 * * *", "--zone", "Mars/Base"), 2, "trigger.invalid"),
        (("add", "a", "--cron", "0 9 * * *", "--after", "2h"), 2, "input.invalid"),
        (("add", "a", "--after", "soon"), 2, "input.invalid"),
        (("add", "a", "--at", "tomorrow"), 2, "input.invalid"),
        (("add", "a", "--after", "1h", "--overlap", "maybe", "--starts", "b"), 2, "input.invalid"),
        (("add", "a", "--after", "1h", "--starts", "b", "--surface", "desk"), 2, "usage.invalid"),
        (("add", "a", "--after", "1h", "--signed"), 2, "input.invalid"),
        (("add", "a", "--after", "1h", "--pattern", "x"), 2, "input.invalid"),
        (("add", "a", "--after", "1h", "--message", "x"), 2, "input.invalid"),
        (("add", "there", "--after", "1h"), 6, "trigger.taken"),
        (("fire", "there", "--payload", "{"), 2, "input.invalid"),
        (("fire", "nothing"), 5, "trigger.unknown"),
        (("remove", "nothing"), 5, "trigger.unknown"),
    ],
)
def test_what_cannot_be_is_refused_with_a_word_of_its_own(
    overwinter: Overwinter, arguments: tuple[str, ...], code: int, error: str
) -> None:
    assert overwinter("triggers", "add", "there", "--after", "1h").code == 0
    refused = overwinter("triggers", *arguments, "--json")
    assert (refused.code, refused.error["code"]) == (code, error)
    assert len(overwinter("triggers", "list", "--json").document["triggers"]) == 1


APP = """
from typing import Any
from overwinter.actors.run import Run
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.workflows import workflow

@workflow(version="1")
async def report(run: Run, day: str) -> None: ...

@workflow(version="1")
async def take_in(run: Run, fire: dict[str, Any]) -> None: ...

app = App(name="office", agents=[Agent(name="support", model=object())], workflows=[report, take_in])
"""


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (("--starts", "reports"), 5, "bot.unknown"),
        (("--starts", "report"), 2, "tool.invalid-arguments"),
        (("--starts", "report", "--message", '{"dya": "monday"}'), 2, "tool.invalid-arguments"),
        (("--starts", "report", "--message", '{"day": "monday"}'), 0, ""),
        (("--starts", "report", "--message", "monday"), 0, ""),
        (("--starts", "take_in"), 0, ""),
        (("--starts", "support", "--message", "sum up the day"), 0, ""),
    ],
)
def test_what_a_trigger_starts_is_looked_at_in_the_app(
    overwinter: Overwinter, arguments: tuple[str, ...], code: int, error: str
) -> None:
    Path("office.py").write_text(APP)
    added = overwinter("triggers", "add", "nightly", "--after", "1h", *arguments, "--app", "office:app", "--json")
    assert (added.code, added.error["code"] if code else "") == (code, error)
    assert Path("overwinter.db").exists() == (code == 0), "what is refused leaves nothing"
    Path("overwinter.toml").write_text('app = "office:app"\n')
    again = overwinter("triggers", "add", "weekly", "--after", "1h", *arguments, "--json")
    assert again.code == code, "an app in the configuration is looked at as well"


def test_what_is_missing_besides_is_noted(overwinter: Overwinter) -> None:
    called = overwinter("triggers", "add", "orders", "--webhook", "--starts", "support")
    assert "Added orders; it fires when its address is called." in called.out
    assert "POST /hooks/orders/" in called.out
    assert "No port is set in the table [webhooks]" in called.err
    assert "not known whether there is a bot support" in called.err
    watched = overwinter("triggers", "add", "inbox", "--folder", "/no/such/folder")
    assert "Added inbox; it fires when files in /no/such/folder change." in watched.out
    assert "There is no folder /no/such/folder here" in watched.err
    Path("overwinter.toml").write_text("[webhooks]\nport = 8080\n")
    ready = overwinter("triggers", "add", "orders-2", "--webhook")
    assert "POST http://127.0.0.1:8080/hooks/orders-2/" in ready.out
    assert ready.err == ""


ENDS = """
from datetime import timedelta
from overwinter.actors.run import Run
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel
from overwinter.bots.workflows import workflow

@workflow(version="1")
async def end(run: Run) -> int:
    return 42

@workflow(version="1")
async def fail(run: Run) -> int:
    raise ValueError("not today")

@workflow(version="1")
async def wait(run: Run) -> None:
    await run.sleep(timedelta(days=1))

def refuse(request):
    raise ValueError("no model today")

app = App(
    name="office",
    agents=[Agent(name="talk", model=ScriptedModel(refuse))],
    workflows=[end, fail, wait],
)
"""


async def _work(done: int) -> None:
    """Run a service until so many sessions have come to rest."""
    app = load_app("ends.py:app", folder=Path.cwd())
    async with open_runtime(app, load_config(), clock=SystemClock(), ids=RandomIds(), must_exist=True) as runtime:
        hints = runtime.store.subscribe()
        async with supervising(runtime) as check, asyncio.timeout(20):
            rested = frozenset({"waiting", "idle", "blocked", "ended", "failed", "cancelled"})
            while len(await runtime.store.sessions(tenant=None, statuses=rested, limit=99)) < done:
                check()
                await hints.wait()
        hints.close()


def test_what_became_of_what_a_fire_has_started_is_listed(overwinter: Overwinter) -> None:
    Path("ends.py").write_text(ENDS)
    bots = ("end", "fail", "wait", "talk")
    for bot in bots:
        overwinter("triggers", "add", bot, "--after", "1h", "--starts", bot, "--app", "ends.py:app")
        overwinter("triggers", "fire", bot)
    (not_yet,) = overwinter("triggers", "fires", "end", "--json").document["fires"]
    assert not_yet["session"] is None
    asyncio.run(_work(len(bots)))
    became = {
        "end": ("ended", None),
        "fail": ("failed", "not today"),
        "wait": ("waiting", None),
        "talk": ("idle", "no model today"),
    }
    for bot, (status, reason) in became.items():
        (fire,) = overwinter("triggers", "fires", bot, "--json").document["fires"]
        session = fire["session"]
        assert (session["session"], session["status"]) == (fire["outcome"]["started"], status)
        (listed,) = [
            each
            for each in overwinter("sessions", "--json").document["sessions"]
            if each["session"] == session["session"]
        ]
        assert (session["reason"], session["updated_at_ms"]) == (listed["reason"], listed["updated_at_ms"])
        shown = overwinter("triggers", "fires", bot).out
        assert f"{session['session']}  {status}" in shown
        if reason is not None:
            assert reason in session["reason"]
            assert reason in shown
    (fire,) = overwinter("triggers", "fires", "talk", "--json").document["fires"]
    overwinter("cancel", fire["session"]["session"], "--reason", "asked by mistake")
    assert "cancelled: asked by mistake" in overwinter("triggers", "fires", "talk").out


WAITS = """
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel, calls, says

def go(**more):
    return calls("subscribe_to_trigger", {"trigger": "go", **more})

app = App(
    name="office",
    agents=[
        Agent(name="waits", toolsets=["workspace_ext"], model=ScriptedModel.by_turn([go(), says("ok")])),
        Agent(name="follows", toolsets=["workspace_ext"], model=ScriptedModel.by_turn([go(standing=True), says("ok")])),
    ],
)
"""


async def _begin(bot: str) -> str:
    """Start a session and run it until it rests."""
    app = load_app("waits.py:app", folder=Path.cwd())
    async with open_runtime(app, load_config(), clock=SystemClock(), ids=RandomIds(), must_exist=True) as runtime:
        session_id = await runtime.sessions.start(program=bot, owner="olga", message="go", surface="workspace")
        hints = runtime.store.subscribe()
        async with supervising(runtime) as check, asyncio.timeout(20):
            while (session := await runtime.store.session(session_id)) and session.status in ("ready", "running"):
                check()
                await hints.wait()
        hints.close()
        return session_id


def test_whoever_disables_or_removes_a_trigger_is_told_who_waits_for_it(overwinter: Overwinter) -> None:
    Path("waits.py").write_text(WAITS)
    overwinter("triggers", "add", "go", "--after", "1h")
    assert "No session waits for it" in overwinter("triggers", "disable", "go").out
    overwinter("triggers", "enable", "go")
    waiting = sorted(asyncio.run(_begin("waits")) for _ in range(2))
    subscribed = asyncio.run(_begin("follows"))
    shown = overwinter("triggers", "disable", "go").out
    assert f"their own time is up (2): {waiting[0]}, {waiting[1]}" in " ".join(shown.split())
    assert f"told of nothing until it is enabled (1): {subscribed}" in " ".join(shown.split())
    listed = overwinter("triggers", "disable", "go", "--json").document
    assert (listed["waiting"], listed["subscribed"]) == (waiting, [subscribed])
    removed = overwinter("triggers", "remove", "go", "--as", "mara", "--json").document
    assert removed == {"trigger": "go", "status": "removed", "waiting": waiting, "subscribed": [subscribed]}
    entries = overwinter("audit", "list", "--json").document["entries"]
    assert [(each["role"], each["resolution"], each["responder"]) for each in entries] == [
        ("go", "cancelled", "mara")
    ] * 2
    stands = {each["session"]: each["status"] for each in overwinter("sessions", "--json").document["sessions"]}
    assert stands == dict.fromkeys([*waiting, subscribed], "ready")


def test_what_sets_a_trigger_off_is_listed_in_words_and_times_with_their_zone(overwinter: Overwinter) -> None:
    for name, *how in (
        ("cron", "--cron", "0 2 * * *", "--zone", "Europe/Berlin"),
        ("cron-all", "--cron", "0 2 * * *", "--catch-up", "all"),
        ("cron-none", "--cron", "0 2 * * *", "--catch-up", "none"),
        ("span", "--after", "90min"),
        ("moment", "--at", "2030-12-01T09:00:00+01:00"),
        ("call", "--webhook"),
        ("signed", "--webhook", "--signed"),
        ("message", "--channel", "slack", "--pattern", "refund"),
        ("files", "--folder", "/srv/inbox"),
    ):
        assert overwinter("triggers", "add", name, *how).code == 0
    shown = {line.split()[0]: " ".join(line.split()) for line in overwinter("triggers", "list").out.splitlines()}
    assert "cron 0 2 * * *, Europe/Berlin enabled 2" in shown["cron"]
    assert "0 2 * * *, UTC, the last 10 missed as well enabled" in shown["cron-all"]
    assert "0 2 * * *, UTC, none that was missed enabled" in shown["cron-none"]
    assert "delay 1 h 30 min after it was added enabled" in shown["span"]
    assert "delay at 2030-12-01 08:00:00Z enabled 2030-12-01 08:00:00Z" in shown["moment"]
    assert "webhook a call of its address enabled - " in shown["call"]
    assert "webhook a call of its address, signed enabled" in shown["signed"]
    assert "message messages on slack that match 'refund' enabled" in shown["message"]
    assert "file files created or modified in /srv/inbox enabled" in shown["files"]
    listed = {each["trigger"]: each for each in overwinter("triggers", "list", "--json").document["triggers"]}
    assert listed["span"]["when"] == {"after_s": 5400.0}, "--json keeps what is exact"
    assert listed["moment"]["next_due_at_ms"] == datetime(2030, 12, 1, 8, tzinfo=UTC).timestamp() * 1000
