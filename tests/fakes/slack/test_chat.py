"""Posting, editing, deleting, and what a person sees of it."""

from __future__ import annotations

from typing import Any

import aiohttp
import pytest

from ..slack_server import SlackServer
from .bolted import client_of, error_of

BUTTONS: list[dict[str, Any]] = [
    {"type": "section", "text": {"type": "mrkdwn", "text": "Refund *40 €* to <@U0TOM>?"}},
    {
        "type": "actions",
        "elements": [
            {"type": "button", "action_id": "yes", "text": {"type": "plain_text", "text": "Approve"}, "value": "Q-1"},
            {"type": "button", "action_id": "no", "text": {"type": "plain_text", "text": "Reject"}, "value": "Q-1"},
        ],
    },
]


async def test_a_question_is_seen_with_its_buttons_until_it_is_edited(slack: SlackServer) -> None:
    client = client_of(slack)
    asked = await client.chat_postMessage(channel="#ops", text="Refund?", blocks=BUTTONS)
    assert slack.lines("#ops") == ["overwinter: Refund *40 €* to @tom? [Approve] [Reject]"]
    await client.chat_update(channel=asked["channel"], ts=asked["ts"], text="Approved by Mara", blocks=[])
    assert slack.lines("#ops") == ["overwinter: Approved by Mara"]
    assert slack.seen("#ops")[0].is_edited


async def test_a_text_alone_takes_the_blocks_and_leaves_the_rest(slack: SlackServer) -> None:
    client = client_of(slack)
    metadata = {"event_type": "ask", "event_payload": {"id": "Q-1"}}
    attachments = [{"fallback": "an old one"}]
    asked = await client.chat_postMessage(
        channel="C0OPS", text="Refund?", blocks=BUTTONS, attachments=attachments, metadata=metadata
    )
    await client.chat_update(channel="C0OPS", ts=asked["ts"], text="Refunded")
    now = slack.message("#ops", asked["ts"])
    assert (now.text, now.blocks, now.attachments, now.metadata) == ("Refunded", [], attachments, metadata)
    await client.chat_update(channel="C0OPS", ts=asked["ts"], text="Refunded", metadata={}, attachments=[])
    now = slack.message("#ops", asked["ts"])
    assert (now.attachments, now.metadata) == ([], None)


async def test_blocks_alone_leave_the_text(slack: SlackServer) -> None:
    client = client_of(slack)
    asked = await client.chat_postMessage(channel="C0OPS", text="Refund?", blocks=BUTTONS)
    await client.api_call(
        "chat.update", json={"channel": "C0OPS", "ts": asked["ts"], "blocks": BUTTONS[:1], "attachments": []}
    )
    now = slack.message("#ops", asked["ts"])
    assert (now.text, len(now.blocks)) == ("Refund?", 1)
    assert not slack.seen("#ops")[0].is_edited, "the mark is not shown where blocks are"


async def test_metadata_comes_back_to_who_asks_for_it(slack: SlackServer) -> None:
    client = client_of(slack)
    metadata = {"event_type": "ask", "event_payload": {"id": "Q-1"}}
    root = await client.chat_postMessage(channel="C0OPS", text="root")
    await client.chat_postMessage(channel="C0OPS", text="Refund?", thread_ts=root["ts"], metadata=metadata)
    with_it = await client.conversations_replies(channel="C0OPS", ts=root["ts"], include_all_metadata=True)
    without = await client.conversations_replies(channel="C0OPS", ts=root["ts"])
    assert with_it["messages"][1]["metadata"] == metadata
    assert "metadata" not in without["messages"][1]


@pytest.mark.parametrize(
    ("metadata", "error"),
    [
        ("x", "invalid_metadata_format"),
        ({"event_type": "ask"}, "invalid_metadata_schema"),
        ({"event_type": "ask", "event_payload": {"id": "x" * 20_000}}, "metadata_too_large"),
    ],
)
async def test_bad_metadata_is_refused(slack: SlackServer, metadata: Any, error: str) -> None:
    assert await error_of(client_of(slack).chat_postMessage(channel="C0OPS", text="x", metadata=metadata)) == error
    assert slack.lines("#ops") == []


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"channel": "C0NOWHERE", "text": "x"}, "channel_not_found"),
        ({"channel": "#nowhere", "text": "x"}, "channel_not_found"),
        ({"channel": "C0SECRET", "text": "x"}, "channel_not_found"),
        ({"channel": "C0OTHER", "text": "x"}, "not_in_channel"),
        ({"channel": "C0OLD", "text": "x"}, "is_archived"),
        ({"channel": "C0OPS", "text": ""}, "no_text"),
        ({"channel": "C0OPS", "text": "x" * 40_001}, "msg_too_long"),
        ({"channel": "C0OPS", "text": "x", "blocks": "[{"}, "invalid_blocks_format"),
        ({"channel": "C0OPS", "text": "x", "blocks": [{"type": "divider"}] * 51}, "invalid_blocks"),
        ({"channel": "C0OPS", "text": "x", "thread_ts": "1.000001"}, "thread_not_found"),
        ({"channel": "C0OPS", "text": "x", "as_user": True}, "as_user_not_supported"),
        ({"channel": "C0OPS", "text": "x", "username": "Boss"}, "missing_scope"),
        ({"channel": "C0OPS", "text": "x", "markdown_text": "x"}, "markdown_text_conflict"),
    ],
)
async def test_a_bad_post_is_refused(slack: SlackServer, arguments: dict[str, Any], error: str) -> None:
    slack.add_channel("secret", "mara", is_private=True, has_bot=False)
    slack.add_channel("other", "mara", has_bot=False)
    slack.add_channel("old", "mara")
    slack.archives("mara", "#old")
    assert await error_of(client_of(slack).api_call("chat.postMessage", json=arguments)) == error
    assert [slack.lines(name) for name in ("#ops", "#old", "#other", "#secret")] == [[], [], [], []]


async def test_a_reply_is_no_root(slack: SlackServer) -> None:
    root = slack.says("mara", "#ops", "root")
    reply = slack.says("tom", "#ops", "reply", thread_ts=root.ts)
    call = client_of(slack).chat_postMessage(channel="C0OPS", text="x", thread_ts=reply.ts)
    assert await error_of(call) == "cannot_reply_to_message"


async def test_what_is_not_in_a_public_channel_may_post_there_with_its_scope(slack: SlackServer) -> None:
    slack.add_channel("other", "mara", has_bot=False)
    slack.app.scopes = (*slack.app.scopes, "chat:write.public")
    await client_of(slack).chat_postMessage(channel="#other", text="x")
    assert slack.lines("#other") == ["overwinter: x"]


async def test_only_its_own_messages_can_be_changed(slack: SlackServer) -> None:
    said = slack.says("mara", "#ops", "mine")
    client = client_of(slack)
    assert await error_of(client.chat_update(channel="C0OPS", ts=said.ts, text="x")) == "cant_update_message"
    assert await error_of(client.chat_delete(channel="C0OPS", ts=said.ts)) == "cant_delete_message"
    assert await error_of(client.chat_update(channel="C0OPS", ts="1.1", text="x")) == "message_not_found"
    assert slack.lines("#ops") == ["mara: mine"]


async def test_an_edit_is_no_longer_than_four_thousand(slack: SlackServer) -> None:
    client = client_of(slack)
    asked = await client.chat_postMessage(channel="C0OPS", text="x" * 4_001)
    call = client.chat_update(channel="C0OPS", ts=asked["ts"], text="x" * 4_001)
    assert await error_of(call) == "msg_too_long"


@pytest.mark.parametrize(
    ("happens", "error"),
    [
        ("deleted", "message_not_found"),
        ("archived", "is_inactive"),
        ("removed", "not_in_channel"),
        ("revoked", "token_revoked"),
    ],
)
async def test_a_question_may_have_become_unreachable(slack: SlackServer, happens: str, error: str) -> None:
    client = client_of(slack)
    asked = await client.chat_postMessage(channel="C0OPS", text="Refund?", blocks=BUTTONS)
    match happens:
        case "deleted":
            slack.deletes(slack.message("#ops", asked["ts"]))
        case "archived":
            slack.archives("mara", "#ops")
        case "removed":
            slack.removes("#ops")
        case _:
            slack.retire_token(slack.app.bot_token)
    assert await error_of(client.chat_update(channel="C0OPS", ts=asked["ts"], text="x", blocks=[])) == error


async def test_a_deleted_root_with_replies_leaves_a_tombstone(slack: SlackServer) -> None:
    client = client_of(slack)
    root = await client.chat_postMessage(channel="C0OPS", text="root")
    slack.says("mara", "#ops", "reply", thread_ts=root["ts"])
    slack.deletes(slack.message("#ops", root["ts"]))
    assert slack.lines("#ops", thread_ts=root["ts"]) == ["USLACKBOT: This message was deleted.", "mara: reply"]
    assert await error_of(client.chat_update(channel="C0OPS", ts=root["ts"], text="x")) == "message_not_found"
    await client.chat_postMessage(channel="C0OPS", text="still here", thread_ts=root["ts"])


async def test_a_private_note_is_seen_by_one_person_only(slack: SlackServer) -> None:
    client = client_of(slack)
    root = slack.says("mara", "#ops", "root")
    await client.chat_postEphemeral(channel="C0OPS", user="U0TOM", text="not yours to answer", thread_ts=root.ts)
    assert slack.lines("#ops", thread_ts=root.ts, by="tom") == ["mara: root", "overwinter: not yours to answer"]
    assert slack.lines("#ops", thread_ts=root.ts, by="mara") == ["mara: root"]
    assert slack.lines("#ops", thread_ts=root.ts) == ["mara: root"]
    slack.add_user("eve")
    call = client.chat_postEphemeral(channel="C0OPS", user="U0EVE", text="x")
    assert await error_of(call) == "user_not_in_channel"


async def test_a_permalink_leads_to_a_reply_in_its_thread(slack: SlackServer) -> None:
    root = slack.says("mara", "#ops", "root")
    reply = slack.says("tom", "#ops", "reply", thread_ts=root.ts)
    answer = await client_of(slack).chat_getPermalink(channel="C0OPS", message_ts=reply.ts)
    bare = reply.ts.replace(".", "")
    assert answer["permalink"] == f"https://home.slack.com/archives/C0OPS/p{bare}?thread_ts={root.ts}&cid=C0OPS"


async def test_a_post_to_a_user_is_a_direct_message(slack: SlackServer) -> None:
    client = client_of(slack)
    opened = await client.conversations_open(users="U0MARA")
    posted = await client.chat_postMessage(channel="U0MARA", text="psst")
    assert posted["channel"] == opened["channel"]["id"] == slack.dm("mara").id
    assert slack.lines(slack.dm("mara").id) == ["overwinter: psst"]


async def test_escaped_text_pings_nobody_and_unescaped_text_does(slack: SlackServer) -> None:
    client = client_of(slack)
    await client.chat_postMessage(channel="C0OPS", text="&lt;!channel&gt; a &amp;&amp; b &lt;@U0TOM&gt;")
    await client.chat_postMessage(channel="C0OPS", text="<!channel> <@U0TOM> <https://evil.example|bank>")
    safe, unsafe = slack.seen("#ops")
    assert (safe.text, safe.pings) == ("<!channel> a && b <@U0TOM>", ())
    assert unsafe.text == "@channel @tom bank"
    assert unsafe.pings == ("!channel", "U0TOM")
    assert unsafe.links == (("bank", "https://evil.example"),)


async def test_a_small_file_is_shared_in_a_thread(slack: SlackServer) -> None:
    root = slack.says("mara", "#ops", "root")
    answer = await client_of(slack).files_upload_v2(
        channel="C0OPS", thread_ts=root.ts, content="all of it", filename="arguments.txt", initial_comment="In full:"
    )
    assert slack.seen("#ops", thread_ts=root.ts)[1].files == ("arguments.txt",)
    assert slack.file_content(answer["file"]["id"]) == b"all of it"


async def test_an_upload_is_as_long_as_it_was_announced(slack: SlackServer) -> None:
    client = client_of(slack)
    begun = await client.files_getUploadURLExternal(filename="a.txt", length=3)
    async with aiohttp.ClientSession() as session, session.post(begun["upload_url"], data=b"four") as answer:
        assert answer.status == 400
    done = client.files_completeUploadExternal(files=[{"id": begun["file_id"]}], channel_id="C0OPS")
    assert await error_of(done) == "file_not_found"
    assert slack.lines("#ops") == []


async def test_a_reaction_is_added_once(slack: SlackServer) -> None:
    said = slack.says("mara", "#ops", "hello")
    client = client_of(slack)
    await client.reactions_add(channel="C0OPS", timestamp=said.ts, name="eyes")
    call = client.reactions_add(channel="C0OPS", timestamp=said.ts, name="eyes")
    assert await error_of(call) == "already_reacted"
    slack.reacts("tom", said, "+1::skin-tone-4")
    answer = await client.reactions_get(channel="C0OPS", timestamp=said.ts)
    assert [each["name"] for each in answer["message"]["reactions"]] == ["eyes", "+1::skin-tone-4"]
    assert await error_of(client.reactions_add(channel="C0OPS", timestamp=said.ts, name="no way!")) == "invalid_name"
