"""What the doctor says of a Slack app: each thing that can be wrong is told by the check that is about it, with its remedy."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from pydantic import SecretStr

from overwinter.actors.clock import ManualClock, SystemClock
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.channels.roles import Answerer, ApprovalRole
from overwinter.channels.slack.client import SlackClient
from overwinter.channels.slack.declared import SlackChannel
from overwinter.deploy.doctor import Verdict, examined, is_well
from overwinter.deploy.doctor_slack import Patient, slack_checks
from overwinter.deploy.slack_needs import BOT_EVENTS, BOT_SCOPES
from overwinter.deploy.slack_settings import SlackConfig
from overwinter.deploy.slacking import slack_client_of

from ..fakes.slack.checks import STRICT
from ..fakes.slack_server import SlackServer

Change = Callable[[SlackServer], object]


def retire_app_token(slack: SlackServer) -> None:
    slack.retire_token(slack.app.app_token)


def take_app_scopes(slack: SlackServer) -> None:
    slack.app.app_token_scopes = ()


def remove_app(slack: SlackServer) -> None:
    slack.removes("#refunds")


def archive(slack: SlackServer) -> None:
    slack.archives("mara", "#refunds")


def as_it_should_be(slack: SlackServer) -> None:
    slack.app.scopes = tuple(BOT_SCOPES)
    slack.app.events = BOT_EVENTS


def office(*channels: SlackChannel) -> App:
    role = ApprovalRole(name="refunds", answered_by=Answerer.CHANNEL)
    wired = channels or (SlackChannel("#refunds", answerers=["@finance", "mara@home.example", "#refunds", "U0TOM"]),)
    return App(name="office", agents=[Agent(name="support", tools=[])], channels={role: wired})


@asynccontextmanager
async def workspace(change: Change | None = None) -> AsyncGenerator[SlackServer]:
    async with SlackServer(clock=ManualClock(SystemClock().now_ms()), checks=STRICT) as slack:
        as_it_should_be(slack)
        slack.add_user("mara", email="mara@home.example")
        slack.add_user("tom", email="tom@home.example")
        slack.add_channel("refunds", "mara", "tom")
        slack.add_group("finance", "mara")
        if change is not None:
            change(slack)
        yield slack


def config_of(slack: SlackServer, **keys: Any) -> SlackConfig:
    given: dict[str, Any] = {
        "bot_token": SecretStr(slack.app.bot_token),
        "app_token": SecretStr(slack.app.app_token),
        "api_url": slack.base_url,
        **keys,
    }
    return SlackConfig(**given)


async def findings(
    slack: SlackServer, app: App | None = None, *, posts: bool = False, hear_within_ms: int = 10_000, **keys: Any
) -> dict[str, tuple[Verdict, str, str]]:
    """By check: its verdict, detail and remedy."""
    config = config_of(slack, **keys)
    clock = SystemClock()
    client: SlackClient = slack_client_of(config, clock=clock)
    try:
        patient = Patient(config, client=client, clock=clock)
        checks = slack_checks(patient, app or office(), posts=posts, hear_within_ms=hear_within_ms)
        found = [each async for each in examined(checks)]
    finally:
        await client.aclose()
    told = {each.check: (each.finding.verdict, each.finding.detail, each.finding.remedy or "") for each in found}
    for secret in (slack.app.bot_token, slack.app.app_token):
        assert secret not in str(told)
    assert is_well(found) == all(verdict is not Verdict.FAILED for verdict, _, _ in told.values())
    return told


def failures(found: dict[str, tuple[Verdict, str, str]]) -> list[str]:
    return [check for check, (verdict, _, _) in found.items() if verdict is Verdict.FAILED]


async def test_where_all_is_as_it_should_be_all_is_well() -> None:
    async with workspace() as slack:
        found = await findings(slack)
    assert failures(found) == []
    assert found["slack: bot token"][1] == "it is overwinter's, in the workspace Home"
    assert found["slack: events"][0] is Verdict.UNSEEN
    assert slack.calls_of("chat.postMessage") == [], "nothing is posted without somebody's consent"


async def test_with_consent_a_message_is_posted_heard_and_deleted() -> None:
    async with workspace() as slack:
        found = await findings(slack, posts=True)
        assert failures(found) == []
        assert found["slack: posting in #refunds"][1] == "a message was posted and deleted"
        assert found["slack: events"][0] is Verdict.OK
        assert slack.lines("#refunds") == []


@pytest.mark.parametrize("events", [(), ("app_mention", "message.groups")])
async def test_an_app_that_is_told_of_no_messages_is_found_out(events: tuple[str, ...]) -> None:
    async with workspace(lambda slack: setattr(slack.app, "events", events)) as slack:
        found = await findings(slack, posts=True, hear_within_ms=400)
    assert failures(found) == ["slack: events"]
    assert "message.channels" in found["slack: events"][2]


@pytest.mark.parametrize("error", ["token_revoked", "token_expired", "account_inactive"])
async def test_a_bot_token_that_is_good_no_more_is_told_once(error: str) -> None:
    async with workspace() as slack:
        slack.retire_token(slack.app.bot_token, error=error)
        found = await findings(slack, posts=True)
    assert failures(found) == ["slack: bot token"]
    assert error in found["slack: bot token"][1]
    assert "Install App" in found["slack: bot token"][2]
    assert found["slack: scopes"][:2] == (Verdict.SKIPPED, "waits for the bot token")


async def test_a_bot_token_that_never_was_is_told() -> None:
    async with workspace() as slack:
        found = await findings(slack, bot_token=SecretStr("xoxb-1-nobodys"))
    assert failures(found) == ["slack: bot token"]
    assert "xoxb-1-nobodys" not in str(found)


@pytest.mark.parametrize("scope", list(BOT_SCOPES))
async def test_every_missing_scope_is_told_with_what_does_not_work_and_where_to_add_it(scope: str) -> None:
    def without(slack: SlackServer) -> None:
        slack.app.scopes = tuple(each for each in BOT_SCOPES if each != scope)

    async with workspace(without) as slack:
        found = await findings(slack)
    assert failures(found) == ["slack: scopes"], "what waits for it is skipped"
    _, detail, remedy = found["slack: scopes"]
    assert detail == f"missing: {scope} ({BOT_SCOPES[scope]})"
    assert "OAuth & Permissions" in remedy
    assert "reinstall" in remedy


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (retire_app_token, "token_revoked"),
        (take_app_scopes, "missing_scope"),
    ],
)
async def test_an_app_token_that_cannot_connect_is_told(change: Change, words: str) -> None:
    async with workspace(change) as slack:
        found = await findings(slack)
    assert failures(found) == ["slack: app token"]
    assert words in found["slack: app token"][1]
    assert "connections:write" in found["slack: app token"][2]


async def test_an_app_token_of_another_app_is_told() -> None:
    def foreign(slack: SlackServer) -> None:
        slack.app.app_token = "xapp-1-A0OTHER-0-fake"

    async with workspace(foreign) as slack:
        found = await findings(slack)
    assert failures(found) == ["slack: app token"]
    assert found["slack: app token"][1] == "it is of the app A0OTHER, and the bot token is of A0APP"


@pytest.mark.parametrize(
    ("change", "words", "remedy"),
    [
        (remove_app, "in no channel #refunds", "/invite"),
        (archive, "in no channel #refunds", "/invite"),
    ],
)
async def test_a_channel_without_the_app_is_told(change: Change, words: str, remedy: str) -> None:
    async with workspace(change) as slack:
        found = await findings(slack, office(SlackChannel("#refunds", answerers=["@finance"])))
    assert failures(found) == ["slack: #refunds"]
    assert words in found["slack: #refunds"][1]
    assert remedy in found["slack: #refunds"][2]


async def test_a_channel_named_by_its_id_is_told_to_be_archived() -> None:
    async with workspace(archive) as slack:
        found = await findings(slack, office(SlackChannel("C0REFUNDS", answerers=["@finance"])))
    assert found["slack: C0REFUNDS"][1] == "C0REFUNDS is archived"


@pytest.mark.parametrize("nobody", ["@finanze", "who@home.example", "#nowhere", "U0NOBODY", "S0NOBODY"])
async def test_an_answerer_who_is_nobody_is_told(nobody: str) -> None:
    async with workspace() as slack:
        found = await findings(slack, office(SlackChannel("#refunds", answerers=["@finance", nobody])))
    assert failures(found) == ["slack: answerers of #refunds"]
    assert f"nobody is found for {nobody}," in found["slack: answerers of #refunds"][1]


async def test_a_disabled_group_and_a_person_who_left_are_nobody() -> None:
    def gone(slack: SlackServer) -> None:
        slack.deactivate("tom")
        slack.add_group("retired", "mara").is_disabled = True

    async with workspace(gone) as slack:
        found = await findings(slack, office(SlackChannel("#refunds", answerers=["@retired", "U0TOM"])))
    assert "nobody is found for @retired, U0TOM," in found["slack: answerers of #refunds"][1]


async def test_the_second_message_in_a_channel_waits_for_its_turn() -> None:
    async with workspace() as slack:
        slack.limit_next("chat.postMessage", 1)
        found = await findings(slack, posts=True)
        assert failures(found) == []
        assert slack.lines("#refunds") == []


async def test_a_channel_that_takes_no_posts_is_told() -> None:
    async with workspace() as slack:
        slack.fail_next("chat.postMessage", "restricted_action", times=2)
        found = await findings(slack, posts=True)
    assert "slack: posting in #refunds" in failures(found)
    assert "restricted_action" in found["slack: posting in #refunds"][1]


async def test_the_places_of_an_escalation_are_looked_at_too() -> None:
    board = SlackChannel("#board", answerers=["@finance"])
    role = ApprovalRole(name="refunds", answered_by=Answerer.CHANNEL, escalate_to=board)
    app = App(name="office", agents=[Agent(name="support", tools=[])], channels={role: ()})
    async with workspace() as slack:
        found = await findings(slack, app)
    assert failures(found) == ["slack: #board"]


async def test_over_http_the_request_url_is_what_cannot_be_seen() -> None:
    async with workspace() as slack:
        found = await findings(slack, signing_secrets=(SecretStr(slack.app.signing_secret),), app_token=None)
    assert failures(found) == []
    assert "https://YOUR-HOST/slack/events" in found["slack: signing secret"][2]
    assert found["slack: events"][0] is Verdict.UNSEEN
