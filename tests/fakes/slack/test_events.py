"""Which events the app is told, and what stands in them."""

from __future__ import annotations

import pytest

from ..slack_server import SlackServer
from .bolted import Heard, bolt_of, client_of, http_mode, socket_mode
from .messages import Message
from .refusals import ImpossibleError
from .shapes import JsonObject


def told(slack: SlackServer) -> list[JsonObject]:
    return [delivery.event for delivery in slack.deliveries]


def kinds(slack: SlackServer) -> list[tuple[str, str | None]]:
    return [(event["type"], event.get("subtype")) for event in told(slack)]


@pytest.fixture
def said(slack: SlackServer) -> Message:
    slack.withhold()
    return slack.says("mara", "#ops", "no")


async def test_the_envelope_names_the_app_and_the_team(slack: SlackServer, said: Message) -> None:
    body = slack.deliveries[0].body
    assert (body["type"], body["team_id"], body["api_app_id"]) == ("event_callback", "T0HOME", "A0APP")
    assert body["authorizations"][0]["user_id"] == "U0BOT"
    assert body["event"]["channel_type"] == "channel"


async def test_an_edit_says_what_was_there_before(slack: SlackServer, said: Message) -> None:
    slack.edits(said, "yes")
    event = told(slack)[1]
    assert event["subtype"] == "message_changed"
    assert (event["message"]["text"], event["previous_message"]["text"]) == ("yes", "no")
    assert event["message"]["edited"]["user"] == "U0MARA"
    assert event["message"]["ts"] == said.ts != event["ts"]


async def test_a_preview_is_a_change_without_an_edit(slack: SlackServer, said: Message) -> None:
    slack.unfurls(said, "https://wiki.example/x")
    event = told(slack)[1]
    assert event["subtype"] == "message_changed"
    assert event["message"]["text"] == event["previous_message"]["text"]
    assert "edited" not in event["message"]


async def test_a_touch_changes_nothing_and_is_told(slack: SlackServer, said: Message) -> None:
    slack.touches(said)
    event = told(slack)[1]
    assert event["subtype"] == "message_changed"
    assert event["message"] == event["previous_message"]


async def test_a_deletion_names_what_was_deleted(slack: SlackServer, said: Message) -> None:
    slack.deletes(said)
    assert told(slack)[1]["deleted_ts"] == said.ts
    assert slack.lines("#ops") == []
    with pytest.raises(ImpossibleError):
        slack.edits(said, "yes")


async def test_a_broadcast_reply_comes_with_its_root(slack: SlackServer, said: Message) -> None:
    slack.says("tom", "#ops", "reject", thread_ts=said.ts, is_broadcast=True)
    event = told(slack)[1]
    assert (event["subtype"], event["root"]["ts"]) == ("thread_broadcast", said.ts)


async def test_a_mention_is_told_twice_over_as_message_and_as_mention(slack: SlackServer) -> None:
    slack.withhold()
    slack.says("mara", "#ops", "<@U0BOT> refund please")
    assert kinds(slack) == [("message", None), ("app_mention", None)]
    slack.says("mara", slack.dm("mara").id, "<@U0BOT> hello")
    assert told(slack)[2]["channel_type"] == "im"
    assert len(told(slack)) == 3


async def test_reactions_are_told_with_what_they_are_on(slack: SlackServer, said: Message) -> None:
    slack.reacts("tom", said, "+1::skin-tone-4")
    slack.unreacts("tom", said, "+1::skin-tone-4")
    added, removed = told(slack)[1:]
    assert (added["type"], removed["type"]) == ("reaction_added", "reaction_removed")
    assert added["item"] == {"type": "message", "channel": "C0OPS", "ts": said.ts}
    assert (added["user"], added["item_user"], added["reaction"]) == ("U0TOM", "U0MARA", "+1::skin-tone-4")


async def test_bots_and_strangers_can_be_told_from_members(slack: SlackServer) -> None:
    slack.withhold()
    slack.add_bot("other")
    slack.add_bot("flow", is_workflow_bot=True)
    slack.add_bot("hook", is_classic_bot=True)
    slack.add_stranger("eve")
    for name in ("other", "flow", "hook", "eve"):
        slack.joins(name, "#ops")
        slack.says(name, "#ops", "approve")
    await client_of(slack).chat_postMessage(channel="C0OPS", text="Approved by Mara")
    bot, flow, hook, stranger, own = [event for event in told(slack) if event["type"] == "message"]
    assert (bot["bot_id"], bot["app_id"]) == ("B0OTHER", "A0OTHER")
    assert flow["bot_profile"]["is_workflow_bot"]
    assert (hook["subtype"], hook["user"], hook["bot_id"]) == ("bot_message", None, "B0HOOK")
    assert (stranger["user_team"], stranger["team"]) == ("T0OTHER", "T0OTHER")
    assert "bot_id" not in stranger
    assert [delivery.body["is_ext_shared_channel"] for delivery in slack.deliveries][-2:] == [True, True]
    assert (own["user"], own["bot_id"], own["app_id"]) == ("U0BOT", "B0SELF", "A0APP")


@pytest.mark.parametrize("why", ["not in the channel", "without the scope", "not subscribed"])
async def test_what_the_app_may_not_hear_it_is_not_told(slack: SlackServer, why: str) -> None:
    slack.withhold()
    match why:
        case "not in the channel":
            slack.removes("#ops")
        case "without the scope":
            slack.app.scopes = ("channels:read",)
        case _:
            slack.app.events = ("app_mention",)
    before = len(slack.deliveries)
    slack.says("mara", "#ops", "approve")
    assert [event for event in told(slack)[before:] if event["type"] == "message"] == []
    assert slack.lines("#ops") == ["mara: approve"]


async def test_people_cannot_do_what_slack_would_not_let_them(slack: SlackServer) -> None:
    slack.add_user("eve")
    with pytest.raises(ImpossibleError, match="eve is not in ops"):
        slack.says("eve", "#ops", "approve")
    slack.archives("mara", "#ops")
    with pytest.raises(ImpossibleError, match="archived"):
        slack.says("mara", "#ops", "approve")
    with pytest.raises(ImpossibleError, match="nobody is called"):
        slack.says("nobody", "#ops", "approve")
    assert slack.lines("#ops") == []


async def test_over_http_events_are_signed_and_the_url_is_verified_first(slack: SlackServer) -> None:
    app = bolt_of(slack)
    heard = Heard(app)
    async with http_mode(slack, app):
        slack.says("mara", "#ops", "approve")
        await slack.wait_settled()
    assert (heard.texts, heard.retries) == (["approve"], [None])


async def test_over_http_a_wrong_secret_is_refused_by_the_app_and_tried_again(slack: SlackServer) -> None:
    app = bolt_of(slack)
    heard = Heard(app)
    async with http_mode(slack, app):
        slack.app.signing_secret = "another"
        slack.says("mara", "#ops", "approve")
        await slack.wait_until(lambda: len(slack.deliveries[0].missed) == 2)
    assert heard.texts == []
    assert slack.deliveries[0].missed[0].reason == "http_error"


async def test_over_http_any_request_can_be_made_with_any_time(slack: SlackServer) -> None:
    app = bolt_of(slack)
    heard = Heard(app)
    async with http_mode(slack, app):
        old = await slack.http.post(b"{}", at_s=1)
        forged = await slack.http.post(b"{}", secret="another")
    assert (old.status, forged.status) == (401, 401)
    assert heard.texts == []


async def test_the_same_story_can_be_told_over_both_wires(slack: SlackServer) -> None:
    app = bolt_of(slack)
    heard = Heard(app)
    async with socket_mode(slack, app):
        slack.says("mara", "#ops", "by socket")
        await slack.wait_settled()
    async with http_mode(slack, app):
        slack.says("mara", "#ops", "by request")
        await slack.wait_settled()
    assert heard.texts == ["by socket", "by request"]
