"""Who does not answer in Slack is reminded there, and others are asked in their place."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from overwinter.channels.slack.declared import SlackChannel

from ...fakes.slack.messages import Message
from ...fakes.slack_server import SlackServer
from .office import FINANCE, Desk, Office, office_at_work

HOUR = timedelta(hours=1)
BOARD = SlackChannel("#board", answerers=["tom@home.example"])


def add_board(slack: SlackServer) -> None:
    slack.add_channel("board", "tom")


@asynccontextmanager
async def slow_office(path: Path, *, agent: str | None = None) -> AsyncGenerator[Office]:
    desk = Desk(FINANCE, remind_after=[HOUR, 2 * HOUR], escalate_to=BOARD, escalate_after=4 * HOUR)
    async with office_at_work(path, desk, agent=agent, prepare=add_board) as office:
        yield office


def lines(office: Office, question: Message, *, by: str | None = None) -> list[str]:
    """The thread of a question, without its first line; what is shown in the channel as well makes no thread of its own."""
    return office.slack.lines(question.channel, thread_ts=question.thread_ts, by=by)[1:]


async def test_a_reminder_is_said_in_the_thread_and_in_the_channel_and_once(tmp_path: Path) -> None:
    async with slow_office(tmp_path) as office:
        await office.start()
        question = office.question()
        await office.advance(HOUR)
        (reminder,) = lines(office, question)[1:]
        assert "Still waiting for an answer, for 60 minutes now: " in reminder
        assert any("Still waiting" in seen.line for seen in office.slack.seen("#refunds"))
        await office.restart()
        await office.advance(HOUR)
        assert len(lines(office, question)) == 3
        assert "for 2 hours now" in lines(office, question)[2]
        await office.clicks("mara", question, "Approve")
        assert office.desk.ran == ["O-1 40"]


async def test_an_escalated_question_is_asked_elsewhere_and_loses_its_buttons(tmp_path: Path) -> None:
    async with slow_office(tmp_path) as office:
        await office.start()
        first = office.question()
        button = next(iter(office.slack.seen(first.channel, thread_ts=first.thread_ts)[1].buttons))
        await office.advance(4 * HOUR)
        assert office.buttons(first) == []
        assert ":arrow_right: Nobody answered in time; asked slack:#board instead" in lines(office, first)[0]
        second = office.question(channel="#board")
        assert office.buttons(second) == ["Approve", "Approve with changes …", "Reject …"]
        assert "nobody answered in slack:#refunds" in lines(office, second)[0]

        office.slack.clicks("mara", first, button.action_id)  # her screen still shows it
        await office.settle()
        assert office.desk.ran == []
        (told,) = [line for line in lines(office, first, by="mara") if "does not count" in line]
        assert "Nobody answered in time, so slack:#board is asked now." in told
        await office.says("mara", "yes, approved", first)
        assert office.desk.ran == []
        assert "Nobody answered in time, so slack:#board is asked now." in lines(office, first, by="mara")[-1]

        await office.clicks("tom", second, "Approve")
        assert office.desk.ran == ["O-1 40"]
        for message in (first, second):
            assert office.buttons(message) == []
            assert "Approved by @tom" in lines(office, message)[0]


async def test_who_may_answer_first_may_not_answer_after_an_escalation_even_where_it_is_asked(tmp_path: Path) -> None:
    async with slow_office(tmp_path) as office:
        office.slack.joins("mara", "#board")
        await office.start()
        await office.advance(4 * HOUR)
        second = office.question(channel="#board")
        await office.clicks("mara", second, "Approve")
        await office.says("mara", "approve", second)
        assert office.desk.ran == []
        await office.says("tom", "approve", second)
        assert office.desk.ran == ["O-1 40"]


@pytest.mark.parametrize("removed", ["the message", "the thread"])
async def test_a_message_that_is_gone_keeps_nobody_from_being_asked(tmp_path: Path, removed: str) -> None:
    async with slow_office(tmp_path) as office:
        await office.start()
        first = office.question()
        office.slack.deletes(first)
        if removed == "the thread":
            (root,) = office.threads()
            office.slack.deletes(root.message)
        await office.advance(HOUR)
        await office.advance(3 * HOUR)
        await office.clicks("tom", office.question(channel="#board"), "Approve")
        assert office.desk.ran == ["O-1 40"]
