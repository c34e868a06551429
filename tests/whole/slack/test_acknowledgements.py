"""A mere "ok" approves where it can be said to nothing but the question."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from overwinter.channels.slack.declared import SlackChannel
from overwinter.channels.slack.naming import label_of

from .office import Desk, Office, office_at_work

FOR_SOMEBODY = "may mean no more than that you have read it"


async def asked_again(office: Office) -> bool:
    return any(FOR_SOMEBODY in line for line in office.lines())


@pytest.mark.case("sl27")
@pytest.mark.parametrize("word", ["ok", "👍", "Alles klar, danke"])
async def test_what_says_no_more_than_read_is_no_approval_after_somebody_else_has_spoken(
    tmp_path: Path, word: str
) -> None:
    async with office_at_work(tmp_path) as office:
        await office.start()
        await office.says("tom", "Mara, that customer is under investigation", office.question())
        await office.says("mara", word, office.question())
        assert office.desk.ran == []
        assert await asked_again(office)
        await office.says("mara", "yes", office.question())
        assert office.desk.ran == ["O-1 40"]


@pytest.mark.case("sl27")
async def test_an_app_that_explains_counts_as_somebody(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        office.slack.add_bot("explainer")
        office.slack.joins("explainer", "refunds")
        await office.start()
        await office.says("explainer", "O-1 was shipped to two addresses.", office.question())
        await office.says("mara", "ok", office.question())
        assert office.desk.ran == []
        assert await asked_again(office)


async def test_an_ok_that_an_edit_makes_is_said_when_it_is_made(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        await office.start()
        said = await office.says("mara", "<@U0TOM> ?", office.question())
        before = len(office.lines())
        await office.says("tom", "don't, please", office.question())
        office.slack.edits(said, "ok")
        await office.settle()
        assert office.desk.ran == []
        assert len(office.lines()) > before


@pytest.mark.parametrize("is_named", [True, False])
async def test_an_ok_to_the_question_itself_approves(tmp_path: Path, is_named: bool) -> None:
    async with office_at_work(tmp_path, Desk(remind_after=(timedelta(hours=1),))) as office:
        await office.start()
        await office.advance(timedelta(hours=1))  # reminded: that is no word of anybody's
        if is_named:
            await office.says("tom", "mind the gap", office.question())
        pause = await office.kit.question("refund_card")
        await office.says("mara", f"{label_of(pause.pause_id)}: ok" if is_named else "ok", office.question())
        assert office.desk.ran == ["O-1 40"]


async def test_the_ok_of_one_who_has_to_approve_is_no_talk_to_the_other(tmp_path: Path) -> None:
    both = SlackChannel("#refunds", answerers=["@finance", "U0TOM"])
    async with office_at_work(tmp_path, Desk(both, needs=2)) as office:
        await office.start()
        await office.says("mara", "ok", office.question())
        await office.says("tom", "ok", office.question())
        assert office.desk.ran == ["O-1 40"]


async def test_where_slack_does_not_show_the_thread_an_ok_is_asked_again(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        await office.start()
        office.slack.fail_next("conversations.replies", "missing_scope", times=2)
        await office.says("mara", "ok", office.question())
        assert office.desk.ran == []
        assert await asked_again(office)
        await office.says("mara", "approve", office.question())
        assert office.desk.ran == ["O-1 40"]
