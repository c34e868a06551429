"""Who is where, and what was said there."""

from __future__ import annotations

from typing import Any

import pytest

from overwinter.actors.clock import ManualClock

from ..slack_server import SlackServer
from .bolted import client_of, error_of, refusal_of


async def test_replies_come_oldest_first_with_their_root(slack: SlackServer, clock: ManualClock) -> None:
    root = slack.says("mara", "#ops", "root")
    first = slack.says("tom", "#ops", "first", thread_ts=root.ts)
    await clock.advance(ms=5_000)
    slack.says("mara", "#ops", "second", thread_ts=root.ts)
    client = client_of(slack)
    thread = await client.conversations_replies(channel="C0OPS", ts=root.ts)
    assert [each["text"] for each in thread["messages"]] == ["root", "first", "second"]
    assert (thread["messages"][0]["reply_count"], thread["messages"][1]["parent_user_id"]) == (2, "U0MARA")
    later = await client.conversations_replies(channel="C0OPS", ts=root.ts, oldest=first.ts)
    assert [each["text"] for each in later["messages"]] == ["root", "second"]
    inclusive = await client.conversations_replies(channel="C0OPS", ts=root.ts, oldest=first.ts, inclusive=True)
    assert [each["text"] for each in inclusive["messages"]] == ["root", "first", "second"]


async def test_a_thread_that_never_was_is_not_found(slack: SlackServer) -> None:
    assert await error_of(client_of(slack).conversations_replies(channel="C0OPS", ts="1.1")) == "thread_not_found"


async def test_history_comes_newest_first_in_pages(slack: SlackServer) -> None:
    roots = [slack.says("mara", "#ops", str(number)) for number in range(5)]
    slack.says("tom", "#ops", "a reply is not in it", thread_ts=roots[0].ts)
    slack.says("tom", "#ops", "a broadcast is", thread_ts=roots[0].ts, is_broadcast=True)
    texts: list[str] = []
    async for page in await client_of(slack).conversations_history(channel="C0OPS", limit=4):
        texts += [each["text"] for each in page["messages"]]
    assert texts == ["a broadcast is", "4", "3", "2", "1", "0"]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"channel": "C0NOWHERE"}, "channel_not_found"),
        ({"channel": "C0SECRET"}, "channel_not_found"),
        ({"channel": "C0OTHER"}, "not_in_channel"),
        ({"channel": "C0OPS", "limit": 0}, "invalid_limit"),
        ({"channel": "C0OPS", "cursor": "page:x"}, "invalid_cursor"),
        ({"channel": "C0OPS", "oldest": "yesterday"}, "invalid_ts_oldest"),
        ({"channel": "C0OPS", "latest": "now"}, "invalid_ts_latest"),
    ],
)
async def test_a_history_that_cannot_be_read_says_why(
    slack: SlackServer, arguments: dict[str, Any], error: str
) -> None:
    slack.add_channel("secret", "mara", is_private=True, has_bot=False)
    slack.add_channel("other", "mara", has_bot=False)
    assert await error_of(client_of(slack).conversations_history(**arguments)) == error


async def test_the_app_lists_what_it_could_join_and_what_it_is_in(slack: SlackServer) -> None:
    slack.add_channel("other", "mara", has_bot=False)
    slack.add_channel("secret", "mara", is_private=True)
    slack.add_channel("hidden", "mara", is_private=True, has_bot=False)
    client = client_of(slack)
    everything = await client.conversations_list(types="public_channel,private_channel")
    assert [each["name"] for each in everything["channels"]] == ["ops", "other", "secret"]
    own = await client.users_conversations(types="public_channel,private_channel")
    assert [each["name"] for each in own["channels"]] == ["ops", "secret"]


async def test_the_app_joins_a_public_channel_itself_and_no_private_one(slack: SlackServer) -> None:
    slack.add_channel("other", "mara", has_bot=False)
    slack.add_channel("secret", "mara", is_private=True)
    client = client_of(slack)
    await client.conversations_join(channel="C0OTHER")
    members = await client.conversations_members(channel="C0OTHER")
    assert members["members"] == ["U0MARA", "U0BOT"]
    refused = await refusal_of(client.conversations_join(channel="C0SECRET"))
    assert refused["error"] == "method_not_supported_for_channel_type"


async def test_a_direct_message_is_opened_once(slack: SlackServer) -> None:
    client = client_of(slack)
    first = await client.conversations_open(users="U0MARA")
    again = await client.conversations_open(users=["U0MARA"], return_im=True)
    assert first["channel"]["id"] == again["channel"]["id"] == "D0MARA"
    assert again["channel"]["user"] == "U0MARA"
    both = await client.conversations_open(users=["U0MARA", "U0TOM"])
    assert (await client.conversations_info(channel=both["channel"]["id"]))["channel"]["is_mpim"]


async def test_nobody_is_written_to_who_is_unknown_or_gone(slack: SlackServer) -> None:
    client = client_of(slack)
    assert await error_of(client.conversations_open(users="U0NOBODY")) == "user_not_found"
    slack.deactivate("tom")
    assert await error_of(client.conversations_open(users="U0TOM")) == "user_disabled"
    assert await error_of(client.conversations_open(users="")) == "users_list_not_supplied"
    assert (await client.users_info(user="U0TOM"))["user"]["deleted"]


async def test_guests_strangers_and_bots_are_told_apart(slack: SlackServer) -> None:
    slack.add_guest("gus")
    slack.add_guest("una", is_single_channel=True)
    slack.add_stranger("eve")
    slack.add_bot("other")
    client = client_of(slack)

    async def looked_up(user: str) -> dict[str, Any]:
        return (await client.users_info(user=user))["user"]

    gus, una, eve = await looked_up("U0GUS"), await looked_up("U0UNA"), await looked_up("U0EVE")
    assert (gus["is_restricted"], gus["is_ultra_restricted"]) == (True, False)
    assert (una["is_restricted"], una["is_ultra_restricted"]) == (True, True)
    assert (eve["is_stranger"], eve["team_id"]) == (True, "T0OTHER")
    assert "email" in gus["profile"]
    assert "email" not in eve["profile"]
    assert (await looked_up("U0OTHER"))["is_bot"]
    assert "is_stranger" not in await looked_up("U0MARA")
    listed = await client.users_list()
    assert "U0EVE" not in [each["id"] for each in listed["members"]]


async def test_people_are_found_by_their_address(slack: SlackServer) -> None:
    client = client_of(slack)
    found = await client.users_lookupByEmail(email="Mara@Home.example")
    assert found["user"]["id"] == "U0MARA"
    assert await error_of(client.users_lookupByEmail(email="who@home.example")) == "users_not_found"


async def test_groups_list_their_members(slack: SlackServer) -> None:
    group = slack.add_group("finance", "mara", "tom")
    client = client_of(slack)
    listed = await client.usergroups_list(include_users=True)
    assert [(each["handle"], each["users"]) for each in listed["usergroups"]] == [("finance", ["U0MARA", "U0TOM"])]
    group.users.remove("U0TOM")
    assert (await client.usergroups_users_list(usergroup=group.id))["users"] == ["U0MARA"]
    group.is_disabled = True
    assert (await client.usergroups_list())["usergroups"] == []
    assert await error_of(client.usergroups_users_list(usergroup=group.id)) == "no_such_subteam"


async def test_the_workspace_and_the_bot_say_who_they_are(slack: SlackServer) -> None:
    client = client_of(slack)
    assert (await client.team_info())["team"]["id"] == "T0HOME"
    assert (await client.bots_info(bot="B0SELF"))["bot"]["user_id"] == "U0BOT"
    assert await error_of(client.bots_info(bot="B0NOBODY")) == "bot_not_found"
