"""The fake ends whatever is under way, and says what the app did wrong."""

from __future__ import annotations

import asyncio
import contextlib

import aiohttp
import pytest

from overwinter.actors.clock import ManualClock

from ..slack_server import SlackServer
from .bolted import client_of
from .deliveries import ACK_WITHIN_MS, Missed
from .tasks import Changes


async def test_nothing_is_left_running_in_the_midst_of_everything() -> None:
    before = asyncio.all_tasks()
    async with SlackServer(clock=ManualClock()) as slack, aiohttp.ClientSession() as session:
        slack.add_user("mara")
        slack.add_channel("ops", "mara")
        client = client_of(slack)
        client.retry_handlers = []
        answer = await client.apps_connections_open(app_token=slack.app.app_token)
        websocket = await session.ws_connect(answer["url"])
        slack.says("mara", "#ops", "never acknowledged")
        hold = slack.hold_next("chat.postMessage")
        posting = asyncio.ensure_future(client.chat_postMessage(channel="C0OPS", text="never done"))
        await hold.wait_arrived()
        posting.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await posting
        await websocket.close()
        slack.says("mara", "#ops", "waits for its retry")
    assert [message.text for message in slack.workspace.roots("C0OPS")] == ["never acknowledged", "waits for its retry"]
    await asyncio.gather(*(asyncio.all_tasks() - before), return_exceptions=True)
    assert asyncio.all_tasks() == before


async def test_a_fault_of_the_app_fails_the_test_that_did_not_expect_it() -> None:
    with pytest.raises(AssertionError, match=r"there is no method 'chat\.post'"):
        async with (
            SlackServer(clock=ManualClock()) as slack,
            aiohttp.ClientSession() as session,
            session.post(f"{slack.base_url}chat.post") as response,
        ):
            assert (await response.json())["error"] == "unknown_method"


async def test_the_same_story_gives_the_same_ids() -> None:
    stories: list[list[str]] = []
    for _ in range(2):
        async with SlackServer(clock=ManualClock()) as slack:
            slack.add_user("mara")
            slack.add_channel("ops", "mara")
            root = slack.says("mara", "#ops", "root")
            posted = await client_of(slack).chat_postMessage(channel="#ops", text="reply", thread_ts=root.ts)
            stories.append([root.ts, posted["ts"], *(delivery.event_id for delivery in slack.deliveries)])
    assert stories[0] == stories[1]
    assert len(set(stories[0])) == len(stories[0])


async def test_times_are_unique_and_grow_though_the_clock_stands_still_or_falls_back() -> None:
    clock = ManualClock()
    async with SlackServer(clock=clock) as slack:
        first = slack.workspace.new_ts()
        await clock.advance(ms=-5_000)
        later = [slack.workspace.new_ts() for _ in range(20_000)]
    assert [first, *later] == sorted({first, *later})


async def test_whoever_waits_for_what_does_not_come_is_told_so() -> None:
    with pytest.raises(AssertionError, match=r"nothing has changed for 0\.01 s; the door is shut"):
        await Changes(patience_s=0.01).wait_until(lambda: False, why_not=lambda: "the door is shut")


async def test_what_the_app_leaves_unacknowledged_is_on_its_way_until_its_time_is_over() -> None:
    clock = ManualClock()
    async with SlackServer(clock=clock) as slack, aiohttp.ClientSession() as session:
        slack.add_user("mara")
        slack.add_channel("ops", "mara")
        answer = await client_of(slack).apps_connections_open(app_token=slack.app.app_token)
        async with session.ws_connect(answer["url"]):
            slack.says("mara", "#ops", "anybody there?")
            assert not await slack.wait_settled_or_left(quiet_s=0.01)
            assert slack.deliveries[0].missed == []
            await clock.advance(ms=ACK_WITHIN_MS)
            await slack.wait_until(lambda: slack.deliveries[0].missed == [Missed(reason="timeout")])
