"""What people did while nobody was told of it is found, and counts once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from overwinter.channels.slack.declared import SlackChannel
from overwinter.channels.slack.places import CAUGHT_UP

from .office import Desk, Office, office_at_work

WITH_EMOJI = SlackChannel("#refunds", answerers=["@finance"], reactions={"+1": "approve", "-1": "reject"})


@asynccontextmanager
async def nobody_at_work(office: Office, *, minutes: int) -> AsyncGenerator[None]:
    """Within the block no process runs; Slack has given up telling what happened there when one runs again."""
    while await office.kit.store.anchors.find("slack", CAUGHT_UP) is None:
        await office.settle()
    await office.kit.close()
    await office.connections[-1].aclose()
    office.slack.withhold()
    yield
    office.slack.let_go([])
    await office.clock.advance(ms=minutes * 60_000)
    await office.kit.open()
    await office.connected()
    await office.settle()


async def until(office: Office, is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not is_so():
            await asyncio.wait({asyncio.create_task(office.settle())}, timeout=0.05)


async def test_mentions_and_direct_messages_of_a_long_time_without_a_process_begin_their_sessions_once(
    tmp_path: Path,
) -> None:
    async with office_at_work(tmp_path, agent="support") as office:
        slack = office.slack
        async with nobody_at_work(office, minutes=50):
            mention = slack.says("tom", "#refunds", "good morning <@U0BOT> refund O-1")
            slack.says("tom", "#refunds", "is anybody there? <@U0MARA>")
            direct = slack.says("mara", slack.dm("mara").id, "refund O-1")
        threads = [(mention.channel, mention.ts), (direct.channel, direct.ts)]
        await until(office, lambda: all(slack.seen(place, thread_ts=ts)[1:] for place, ts in threads))
        sessions = await office.kit.store.sessions(tenant="default", statuses=None, limit=10)
        assert len(sessions) == 2
        for told in slack.deliveries[-4:]:
            slack.redeliver(told)
        await office.settle()
        await office.restart()
        assert len(await office.kit.store.sessions(tenant="default", statuses=None, limit=10)) == 2


async def test_after_a_short_time_without_a_process_slack_tells_by_itself(tmp_path: Path) -> None:
    async with office_at_work(tmp_path, agent="support") as office:
        async with nobody_at_work(office, minutes=4):
            office.slack.says("tom", "#refunds", "<@U0BOT> refund O-1")
        await office.restart()
        assert office.slack.calls_of("conversations.history") == []


async def test_what_slack_does_not_show_is_told_to_the_operator_and_the_rest_is_found(tmp_path: Path) -> None:
    async with office_at_work(tmp_path, agent="support") as office:
        slack = office.slack
        with capture_logs() as logs:
            async with nobody_at_work(office, minutes=10):
                slack.says("tom", "#refunds", "<@U0BOT> refund O-1")
                slack.add_channel("attic", "tom")
                slack.says("tom", "#attic", "<@U0BOT> refund O-1")
                slack.fail_next("conversations.history", "not_in_channel")
                slack.break_next("conversations.history", status=503)
            async with asyncio.timeout(60):
                while not slack.calls_of("chat.postMessage"):
                    await office.advance(timedelta(seconds=2))
        (warning,) = [log for log in logs if log["event"] == "slack.not-caught-up"]
        assert "invite the app to the channel" in warning["error"]
        assert len(await office.kit.store.sessions(tenant="default", statuses=None, limit=10)) == 1


@pytest.mark.parametrize(("emoji", "ran"), [("thumbsup::skin-tone-3", ["O-1 40"]), ("-1", [])])
async def test_an_emoji_that_was_put_on_a_question_while_no_process_ran_decides(
    tmp_path: Path, emoji: str, ran: list[str]
) -> None:
    async with office_at_work(tmp_path, Desk(WITH_EMOJI)) as office:
        await office.start()
        question = office.question()
        async with nobody_at_work(office, minutes=30):
            office.slack.reacts("mara", question, "eyes")
            office.slack.reacts("tom", question, "+1")
            office.slack.reacts("mara", question, emoji)
        await until(office, lambda: office.buttons(question) == [])
        await office.restart()
        assert office.desk.ran == ran
        assert len([line for line in office.lines(by="tom") if "does not count" in line]) == 1


async def test_of_two_who_have_to_approve_whoever_had_done_so_by_emoji_hears_nothing_of_being_found_again(
    tmp_path: Path,
) -> None:
    both = SlackChannel("#refunds", answerers=["@finance", "U0TOM"], reactions={"+1": "approve"})
    async with office_at_work(tmp_path, Desk(both, needs=2)) as office:
        await office.start()
        question = office.question()
        office.slack.reacts("mara", question, "+1")
        await office.settle()
        before = office.lines(by="mara")
        async with nobody_at_work(office, minutes=30):
            pass
        await office.restart()
        assert office.lines(by="mara") == before
        await office.says("tom", "what is this?", question)
        async with nobody_at_work(office, minutes=30):
            office.slack.reacts("tom", question, "+1")
        await until(office, lambda: office.desk.ran == ["O-1 40"])


async def test_an_emoji_that_was_taken_back_meanwhile_decides_nothing(tmp_path: Path) -> None:
    async with office_at_work(tmp_path, Desk(WITH_EMOJI)) as office:
        await office.start()
        question = office.question()
        async with nobody_at_work(office, minutes=30):
            office.slack.reacts("mara", question, "+1")
            office.slack.unreacts("mara", question, "+1")
        assert office.desk.ran == []
        assert office.buttons(question)


async def test_a_reply_that_was_never_told_is_found_though_a_later_one_was_told(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        await office.start()
        question = office.question()
        office.slack.withhold()
        await office.clock.advance(ms=1_000)
        office.slack.says("mara", "#refunds", "approve", thread_ts=question.thread_ts)
        office.slack.let_go([])
        await office.clock.advance(ms=1_000)
        await office.says("tom", "what is this?", question)
        assert office.desk.ran == []
        await office.restart()
        await until(office, lambda: office.desk.ran == ["O-1 40"])
        await office.restart()
        assert office.desk.ran == ["O-1 40"]
        assert len([line for line in office.lines(by="tom") if "does not count" in line]) == 1
