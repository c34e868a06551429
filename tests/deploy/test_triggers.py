"""The commands for triggers."""

from __future__ import annotations

from pathlib import Path

import pytest

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
    for command, status in (("disable", "disabled"), ("enable", "enabled"), ("remove", "removed")):
        assert overwinter("triggers", command, "nightly", "--json").document == {"trigger": "nightly", "status": status}
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
