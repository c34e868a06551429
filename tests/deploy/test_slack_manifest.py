"""The Slack manifest asks for what the code calls and hears, and for nothing else; and it is what is shipped."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

import overwinter.channels.slack
from overwinter.deploy.slack_needs import APP_SCOPE, BOT_EVENTS, BOT_SCOPES

from ..fakes.slack.web_api import METHODS
from ..whole.slack.office import office_at_work

CODE = [
    path.read_text()
    for path in (
        *Path(overwinter.channels.slack.__path__[0]).glob("*.py"),
        *Path(__file__).parents[2].glob("deploy/*.py"),
    )
]

KINDS = ("channels", "groups", "im", "mpim")

ASKED_BY_KIND = {
    "conversations.history": ("history", KINDS),
    "conversations.info": ("read", KINDS),
    "conversations.members": ("read", KINDS),
    "conversations.replies": ("history", KINDS),
    "users.conversations": ("read", ("channels", "groups")),
}
"""Methods whose scope depends on what they are asked about, and the kinds of conversations that we ask them about.

See https://docs.slack.dev/reference/methods/conversations.info#facts and the others' pages.
"""

ASKED_BY_EVENT = {
    "app_mention": "app_mentions:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
    "message.mpim": "mpim:history",
    "reaction_added": "reactions:read",
    "reaction_removed": "reactions:read",
}
"""See https://docs.slack.dev/reference/events"""


def manifest() -> Any:
    return yaml.safe_load(files("overwinter.deploy").joinpath("slack-manifest.yaml").read_text(encoding="utf-8"))


def methods_called() -> set[str]:
    return {name for text in CODE for name in re.findall(r'"([a-z]+(?:\.[A-Za-z]+)+)"', text) if name in METHODS}


def scopes_of(method: str) -> set[str]:
    if method in ASKED_BY_KIND:
        right, kinds = ASKED_BY_KIND[method]
        return {f"{kind}:{right}" for kind in kinds}
    return set(METHODS[method].scopes)


def test_its_scopes_are_those_of_the_methods_called_and_the_events_heard() -> None:
    called = methods_called()
    assert {"chat.postMessage", "chat.update", "usergroups.users.list", "apps.connections.open"} <= called
    needed = {scope for method in called if METHODS[method].token == "bot" for scope in scopes_of(method)}
    needed |= {ASKED_BY_EVENT[event] for event in BOT_EVENTS}
    # Addresses of users are shown under a scope of their own, whatever the method.
    needed |= {"users:read.email"}
    assert set(manifest()["oauth_config"]["scopes"]["bot"]) == needed == set(BOT_SCOPES)


def test_its_events_are_those_that_are_read() -> None:
    (reading,) = [text for text in CODE if "def read_event(" in text]
    heard = set(
        re.findall(r'"(message|app_mention|reaction_added|reaction_removed|[a-z]+_(?:joined|left)_\w+)"', reading)
    )
    expected = {event.partition(".")[0] for event in BOT_EVENTS}
    assert expected == heard
    assert tuple(manifest()["settings"]["event_subscriptions"]["bot_events"]) == BOT_EVENTS


def test_it_is_for_socket_mode_with_buttons_and_direct_messages() -> None:
    settings = manifest()["settings"]
    assert settings["socket_mode_enabled"]
    assert settings["interactivity"] == {"is_enabled": True}
    assert settings["token_rotation_enabled"] is False, "a token that changes by itself is one that nobody sets"
    assert manifest()["features"]["app_home"]["messages_tab_enabled"]
    assert APP_SCOPE in files("overwinter.deploy").joinpath("slack-manifest.yaml").read_text(encoding="utf-8")


def test_names_are_no_longer_than_slack_takes() -> None:
    """https://docs.slack.dev/reference/app-manifest"""
    made = manifest()
    assert len(made["display_information"]["name"]) <= 35
    assert len(made["display_information"]["description"]) <= 140
    assert len(made["features"]["bot_user"]["display_name"]) <= 80


async def test_an_app_made_from_it_works(tmp_path: Path) -> None:
    def as_manifested(slack: Any) -> None:
        slack.app.scopes = tuple(manifest()["oauth_config"]["scopes"]["bot"])
        slack.app.events = tuple(manifest()["settings"]["event_subscriptions"]["bot_events"])

    async with office_at_work(tmp_path, prepare=as_manifested) as office:
        session_id = await office.start()
        question = office.question()
        await office.says("mara", "what is that?", question)
        await office.restart()
        await office.says("mara", "yes, approve it", question)
        assert office.desk.ran == ["O-1 40"]
        assert await office.outcome(session_id) == {"result": {"reply": "It is done."}}
        refused = {call.method: call.outcome for call in office.slack.calls if call.outcome == "missing_scope"}
        assert refused == {}
