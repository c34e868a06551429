"""What our fake of Slack and an emulator that others wrote agree upon.

Where the two differ, the fake follows Slack's documentation; ``tests/fakes/slack`` holds the tests of that.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable
from typing import Any

import pytest

from ..fakes.missing import refuse
from ..fakes.slack.bolted import error_of
from ..fakes.slack.peers import Peer, emulator_peer, fake_peer, missing_for_emulator

BLOCKS: list[dict[str, Any]] = [
    {"type": "section", "block_id": "what", "text": {"type": "mrkdwn", "text": "Refund 40 €?"}},
    {
        "type": "actions",
        "block_id": "answers",
        "elements": [
            {"type": "button", "action_id": "yes", "text": {"type": "plain_text", "text": "Approve"}, "value": "Q-1"}
        ],
    },
]
METADATA = {"event_type": "ask", "event_payload": {"id": "Q-1"}}
MODAL = {
    "type": "modal",
    "callback_id": "why",
    "title": {"type": "plain_text", "text": "Reject"},
    "blocks": [{"type": "section", "text": {"type": "plain_text", "text": "Why?"}}],
}


@pytest.fixture(params=["fake", "emulator"])
async def peer(request: pytest.FixtureRequest) -> AsyncGenerator[Peer]:
    if request.param == "emulator" and (missing := missing_for_emulator()) is not None:
        refuse(missing)
    async with fake_peer() if request.param == "fake" else emulator_peer() as peer:
        yield peer
        assert peer.receiver.refused == 0, "an event came with a wrong signature"


async def texts_of(peer: Peer, thread_ts: str) -> list[str]:
    thread = await peer.client.conversations_replies(channel=peer.channel, ts=thread_ts)
    return [message["text"] for message in thread["messages"]]


async def refuses(call: Awaitable[Any], error: str) -> None:
    assert await error_of(call) == error


async def test_the_bot_knows_itself(peer: Peer) -> None:
    answer = await peer.client.auth_test()
    assert answer["user_id"] == peer.bot
    assert answer["team_id"]


async def test_a_reply_stands_under_its_root(peer: Peer) -> None:
    root = await peer.client.chat_postMessage(channel=peer.channel, text="root")
    reply = await peer.client.chat_postMessage(channel=peer.channel, text="reply", thread_ts=root["ts"])
    assert (root["channel"], root["message"]["text"]) == (peer.channel, "root")
    assert float(reply["ts"]) > float(root["ts"])
    thread = await peer.client.conversations_replies(channel=peer.channel, ts=root["ts"])
    first, second = thread["messages"]
    assert (first["ts"], first["reply_count"]) == (root["ts"], 1)
    assert (second["ts"], second["thread_ts"], second["user"]) == (reply["ts"], root["ts"], peer.bot)


async def test_the_channel_shows_roots_newest_first(peer: Peer) -> None:
    roots = [(await peer.client.chat_postMessage(channel=peer.channel, text=text))["ts"] for text in ("a", "b", "c")]
    await peer.client.chat_postMessage(channel=peer.channel, text="reply", thread_ts=roots[0])
    history = await peer.client.conversations_history(channel=peer.channel)
    assert [message["text"] for message in history["messages"]] == ["c", "b", "a"]


async def test_a_long_history_comes_in_pages(peer: Peer) -> None:
    for number in range(5):
        await peer.client.chat_postMessage(channel=peer.channel, text=str(number))
    texts: list[str] = []
    async for page in await peer.client.conversations_history(channel=peer.channel, limit=2):
        assert len(page["messages"]) <= 2
        texts += [message["text"] for message in page["messages"]]
    assert texts == ["4", "3", "2", "1", "0"]


async def test_blocks_and_metadata_are_kept(peer: Peer) -> None:
    posted = await peer.client.chat_postMessage(channel=peer.channel, text="Refund?", blocks=BLOCKS, metadata=METADATA)
    assert posted["message"]["metadata"] == METADATA
    thread = await peer.client.conversations_replies(channel=peer.channel, ts=posted["ts"], include_all_metadata=True)
    (message,) = thread["messages"]
    assert message["metadata"] == METADATA
    assert [block["block_id"] for block in message["blocks"]] == ["what", "answers"]
    assert message["blocks"][1]["elements"][0]["value"] == "Q-1"


async def test_an_edit_takes_the_buttons_and_leaves_the_metadata(peer: Peer) -> None:
    posted = await peer.client.chat_postMessage(channel=peer.channel, text="Refund?", blocks=BLOCKS, metadata=METADATA)
    edited = await peer.client.chat_update(channel=peer.channel, ts=posted["ts"], text="Approved", blocks=BLOCKS[:1])
    assert (edited["ts"], edited["text"]) == (posted["ts"], "Approved")
    thread = await peer.client.conversations_replies(channel=peer.channel, ts=posted["ts"], include_all_metadata=True)
    (message,) = thread["messages"]
    assert [block["block_id"] for block in message["blocks"]] == ["what"]
    assert message["edited"]["user"] == peer.bot
    assert message["metadata"] == METADATA


async def test_a_text_alone_takes_the_blocks(peer: Peer) -> None:
    posted = await peer.client.chat_postMessage(channel=peer.channel, text="Refund?", blocks=BLOCKS)
    await peer.client.chat_update(channel=peer.channel, ts=posted["ts"], text="Approved")
    thread = await peer.client.conversations_replies(channel=peer.channel, ts=posted["ts"])
    (message,) = thread["messages"]
    assert message["text"] == "Approved"
    assert not message.get("blocks")


async def test_only_the_author_edits_and_deletes(peer: Peer) -> None:
    said = await peer.says("mine")
    await refuses(peer.client.chat_update(channel=peer.channel, ts=said, text="x"), "cant_update_message")
    await refuses(peer.client.chat_delete(channel=peer.channel, ts=said), "cant_delete_message")
    assert await texts_of(peer, said) == ["mine"]


async def test_a_deleted_message_is_gone(peer: Peer) -> None:
    posted = await peer.client.chat_postMessage(channel=peer.channel, text="Refund?")
    await peer.client.chat_delete(channel=peer.channel, ts=posted["ts"])
    history = await peer.client.conversations_history(channel=peer.channel)
    assert history["messages"] == []
    await refuses(peer.client.chat_update(channel=peer.channel, ts=posted["ts"], text="x"), "message_not_found")
    await refuses(peer.client.chat_delete(channel=peer.channel, ts=posted["ts"]), "message_not_found")


@pytest.mark.parametrize("method", ["chat.postMessage", "conversations.info", "conversations.history"])
async def test_an_unknown_channel_is_not_found(peer: Peer, method: str) -> None:
    call = peer.client.api_call(
        method, params={"channel": "C404", "text": "x"} if "chat" in method else {"channel": "C404"}
    )
    await refuses(call, "channel_not_found")


async def test_a_message_needs_something_to_say(peer: Peer) -> None:
    await refuses(peer.client.api_call("chat.postMessage", json={"channel": peer.channel}), "no_text")


async def test_people_are_found_by_id_and_by_address(peer: Peer) -> None:
    found = await peer.client.users_lookupByEmail(email="mara@home.example")
    assert found["user"]["id"] == peer.person
    known = await peer.client.users_info(user=peer.person)
    assert (known["user"]["name"], known["user"]["is_bot"]) == ("mara", False)
    await refuses(peer.client.users_lookupByEmail(email="who@home.example"), "users_not_found")
    await refuses(peer.client.users_info(user="U404"), "user_not_found")


async def test_a_direct_message_has_one_channel(peer: Peer) -> None:
    first = await peer.client.conversations_open(users=peer.person)
    again = await peer.client.conversations_open(users=peer.person)
    posted = await peer.client.chat_postMessage(channel=peer.person, text="psst")
    assert first["channel"]["id"] == again["channel"]["id"] == posted["channel"]
    await refuses(peer.client.conversations_open(users="U404"), "user_not_found")


async def test_a_permalink_names_the_message(peer: Peer) -> None:
    root = await peer.client.chat_postMessage(channel=peer.channel, text="root")
    reply = await peer.client.chat_postMessage(channel=peer.channel, text="reply", thread_ts=root["ts"])
    answer = await peer.client.chat_getPermalink(channel=peer.channel, message_ts=reply["ts"])
    assert f"/archives/{peer.channel}/p{reply['ts'].replace('.', '')}" in answer["permalink"]
    assert f"thread_ts={root['ts']}" in answer["permalink"]
    await refuses(peer.client.chat_getPermalink(channel=peer.channel, message_ts="1.000001"), "message_not_found")


async def test_a_reaction_counts_once_for_each_person(peer: Peer) -> None:
    said = await peer.says("hello")
    await peer.client.reactions_add(channel=peer.channel, timestamp=said, name="eyes")
    await refuses(
        peer.client.reactions_add(channel=peer.channel, timestamp=said, name="eyes"),
        "already_reacted",
    )
    await peer.reacts(said, "eyes")
    answer = await peer.client.reactions_get(channel=peer.channel, timestamp=said)
    (reaction,) = answer["message"]["reactions"]
    assert (reaction["name"], reaction["count"], sorted(reaction["users"])) == (
        "eyes",
        2,
        sorted([peer.bot, peer.person]),
    )


async def test_a_private_note_stands_in_no_history(peer: Peer) -> None:
    answer = await peer.client.chat_postEphemeral(channel=peer.channel, user=peer.person, text="only you")
    assert answer["message_ts"]
    history = await peer.client.conversations_history(channel=peer.channel)
    assert history["messages"] == []


async def test_a_small_file_is_shared(peer: Peer) -> None:
    answer = await peer.client.files_upload_v2(channel=peer.channel, content="all of it", filename="arguments.txt")
    known = await peer.client.files_info(file=answer["file"]["id"])
    assert (known["file"]["name"], known["file"]["size"]) == ("arguments.txt", 9)


async def test_a_modal_opens_by_its_trigger_once(peer: Peer) -> None:
    trigger_id = await peer.trigger()
    opened = await peer.client.views_open(trigger_id=trigger_id, view=MODAL)
    assert (opened["view"]["callback_id"], opened["view"]["type"]) == ("why", "modal")
    again = MODAL | {"title": {"type": "plain_text", "text": "Sure?"}}
    updated = await peer.client.views_update(view_id=opened["view"]["id"], view=again)
    assert (updated["view"]["id"], updated["view"]["title"]["text"]) == (opened["view"]["id"], "Sure?")
    await refuses(peer.client.views_open(trigger_id=trigger_id, view=MODAL), "exchanged_trigger_id")
    await refuses(peer.client.views_open(trigger_id="1.2.3", view=MODAL), "invalid_trigger_id")


async def test_a_reply_of_a_person_is_told(peer: Peer) -> None:
    root = await peer.client.chat_postMessage(channel=peer.channel, text="Refund?")
    said = await peer.says("approve", thread_ts=root["ts"])
    event = await peer.receiver.wait_for(lambda event: event.get("ts") == said)
    assert (event["type"], event["channel"], event["user"]) == ("message", peer.channel, peer.person)
    assert (event["text"], event["thread_ts"]) == ("approve", root["ts"])
    assert "subtype" not in event


async def test_an_edit_of_a_person_is_told_with_both_texts(peer: Peer) -> None:
    said = await peer.says("no")
    await peer.edits(said, "yes")
    event = await peer.receiver.wait_for(lambda event: event.get("subtype") == "message_changed")
    assert (event["channel"], event["message"]["ts"]) == (peer.channel, said)
    assert (event["message"]["text"], event["previous_message"]["text"]) == ("yes", "no")
    assert event["message"]["edited"]["user"] == peer.person


async def test_a_deletion_by_a_person_is_told(peer: Peer) -> None:
    said = await peer.says("no")
    await peer.deletes(said)
    event = await peer.receiver.wait_for(lambda event: event.get("subtype") == "message_deleted")
    assert (event["channel"], event["deleted_ts"], event["previous_message"]["text"]) == (peer.channel, said, "no")


async def test_a_reaction_of_a_person_is_told(peer: Peer) -> None:
    said = await peer.says("Refund?")
    await peer.reacts(said, "+1")
    event = await peer.receiver.wait_for(lambda event: event["type"] == "reaction_added")
    assert (event["user"], event["reaction"]) == (peer.person, "+1")
    assert event["item"] == {"type": "message", "channel": peer.channel, "ts": said}
