"""A session's thread is made once: by one of two that want it at once, and by whoever comes after one that died."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from overwinter.actors.asks import Ask, ChoiceForm
from overwinter.actors.errors import ChannelRejectedError, ChannelUnreachableError
from overwinter.channels.slack.client import SlackClient
from overwinter.channels.slack.declared import SlackChannel
from overwinter.channels.slack.directory import Directory
from overwinter.channels.slack.places import Spot
from overwinter.channels.slack.threads import CLAIM_MS, Threads

from .office import FINANCE, Office, office_at_work

ASK = Ask(
    pause_id="0" * 32,
    role="door",
    prompt="Which door?",
    form=ChoiceForm(choices=("left", "right")),
    session_id="s1",
    tenant="default",
    owner="olga",
    bot="doors",
    asked_at_ms=0,
)


def threads(office: Office) -> Threads:
    """As another process has them."""
    client: SlackClient = office.connections[-1].client
    directory = Directory(client=client, clock=office.clock)
    return Threads(name="slack", client=client, directory=directory, reception=office.kit.runtime.reception)


@pytest.mark.behaviour("P52")
async def test_of_two_processes_that_want_a_thread_at_once_one_makes_it_and_the_other_finds_it(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        both = await asyncio.gather(*(threads(office).root_of(ASK, FINANCE) for _ in range(2)), return_exceptions=True)
        made = [each for each in both if isinstance(each, Spot)]
        assert len(made) == 1
        assert any(isinstance(each, ChannelUnreachableError) for each in both)
        assert await threads(office).root_of(ASK, FINANCE) == made[0]
        assert len(office.threads()) == 1


async def test_several_questions_of_one_process_wait_for_the_one_that_makes_the_thread(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        here = threads(office)
        spots = await asyncio.gather(*(here.root_of(ASK, FINANCE) for _ in range(5)))
        assert len(set(spots)) == 1
        assert len(office.threads()) == 1


@pytest.mark.parametrize("is_posted", [False, True])
async def test_the_claim_of_a_process_that_died_is_taken_over_and_what_it_had_posted_is_found(
    tmp_path: Path, is_posted: bool
) -> None:
    async with office_at_work(tmp_path) as office:
        hold = office.slack.hold_next("chat.postMessage", is_done=is_posted)
        dying = asyncio.create_task(threads(office).root_of(ASK, FINANCE))
        await hold.wait_arrived()
        office.kit.freeze()  # whatever it would still write is not written
        dying.cancel()
        await asyncio.wait({dying}, timeout=0.05)
        hold.abandon()
        office.kit.thaw()
        await asyncio.wait({dying})
        await office.clock.advance(ms=CLAIM_MS)
        spot = await threads(office).root_of(ASK, FINANCE)
        assert [root.ts for root in office.threads()] == [spot.thread_ts]


async def test_a_thread_whose_first_message_was_deleted_is_made_again_for_the_next_question(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        await office.start("doors", "first second")
        (root,) = office.threads()
        for message in office.slack.seen("#refunds", thread_ts=root.ts):
            office.slack.deletes(message.message)
        await office.settle()
        found = await threads(office).root_of(ASK, FINANCE)
        office.slack.deletes(office.slack.message("#refunds", found.thread_ts))
        await threads(office).forget(ASK, FINANCE, found)
        again = await threads(office).root_of(ASK, FINANCE)
        assert again != found
        assert [seen.ts for seen in office.threads()][-1] == again.thread_ts


async def test_a_channel_that_the_app_is_not_in_is_refused_with_what_to_do(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        office.slack.add_channel("board", "mara", has_bot=False)
        with pytest.raises(ChannelRejectedError, match="invite it there"):
            await threads(office).root_of(ASK, SlackChannel("#board", answerers=["@finance"]))
        office.slack.joins("overwinter", "board")
        assert await threads(office).root_of(ASK, SlackChannel("#board", answerers=["@finance"]))
