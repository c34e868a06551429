"""The whole story over Slack: asked in a thread, answered by button, modal, emoji or words, closed where everybody sees it."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from overwinter.channels.slack.declared import SlackChannel

from .office import Desk, office_at_work


@pytest.mark.behaviour("P55")
@pytest.mark.parametrize("way", ["socket", "http"])
async def test_a_refund_is_asked_for_in_a_thread_approved_by_a_button_and_closed(
    tmp_path: Path, way: Literal["socket", "http"]
) -> None:
    async with office_at_work(tmp_path, way=way) as office:
        session_id = await office.start()
        (root,) = office.threads()
        assert root.line == "overwinter: support works for olga. It asks in this thread."
        question = office.question("refund_card")
        assert office.buttons(question) == ["Approve", "Approve with changes …", "Reject …"]
        assert office.desk.ran == []
        clicked = await office.clicks("mara", question, "Approve")
        assert clicked.is_acked
        assert office.desk.ran == ["O-1 40"]
        assert await office.outcome(session_id) == {"result": {"reply": "It is done."}}
        assert office.buttons(question) == []
        (line,) = office.lines()
        assert ":white_check_mark: Approved by @mara" in line
        assert len(office.slack.calls_of("chat.update")) == 1


@pytest.mark.behaviour("P55")
async def test_a_rejection_asks_for_its_reason_in_a_modal(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        session_id = await office.start()
        question = office.question()
        await office.clicks("mara", question, "Reject …")
        view = office.slack.view("mara")
        assert view is not None
        assert office.desk.ran == []
        office.slack.submits("mara", view, {"reason": "wrong customer"})
        await office.settle()
        assert office.slack.view("mara") is None
        assert office.desk.ran == []
        assert "wrong customer" in (await office.kit.tool_results(session_id))["c1"]
        (line,) = office.lines()
        assert ":x: Rejected by @mara" in line
        assert "wrong customer" in line


async def test_edited_arguments_are_checked_in_the_modal_field_by_field_and_run_as_edited(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        await office.start()
        question = office.question()
        await office.clicks("mara", question, "Approve with changes …")
        view = office.slack.view("mara")
        assert view is not None
        (block,) = [block for block in view.blocks if block.get("label", {}).get("text") == "amount"]
        office.slack.submits("mara", view, {block["block_id"]: "-5"})
        await office.settle()
        assert list(office.slack.view_errors("mara")) == [block["block_id"]]
        assert office.desk.ran == []
        again = office.slack.view("mara")
        assert again is not None
        office.slack.submits("mara", again, {block["block_id"]: "35"})
        await office.settle()
        assert office.slack.view("mara") is None
        assert office.desk.ran == ["O-1 35"]
        (line,) = office.lines()
        assert "Approved with changes by @mara" in line


async def test_plain_words_in_the_thread_decide_the_one_open_question(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        await office.start()
        question = office.question()
        await office.says("mara", "yes, approved", question)
        assert office.desk.ran == ["O-1 40"]
        assert "Approved by @mara" in office.lines()[0]


async def test_words_that_settle_nothing_are_asked_again_in_the_thread_and_the_next_ones_count(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        await office.start()
        question = office.question()
        await office.says("mara", "what does this tool do?", question)
        assert office.desk.ran == []
        assert "I have not taken this as an answer." in office.lines()[-1]
        assert "what does this tool do?" in office.lines()[-1]
        assert office.buttons(question) != []
        await office.says("mara", "yes, approve it", question)
        assert office.desk.ran == ["O-1 40"]


@pytest.mark.behaviour("P58")
async def test_two_questions_in_one_thread_stand_under_one_root_and_are_told_apart(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        session_id = await office.start("doors", "first second")
        assert len(office.threads()) == 1
        first = office.question("first")
        await office.says("mara", "left", first)
        which = office.lines()[-1]
        assert "2 questions are open here. Which one do you mean?" in which
        label = next(line.partition(":")[0] for line in which.split(" / ") if line.endswith("Which door, second?"))
        await office.says("mara", f"{label.lower()}: right", first)
        assert office.buttons(first) == ["left", "right"]
        assert office.buttons(office.question("second")) == []
        await office.says("mara", "left", first)
        assert await office.outcome(session_id) == {"result": "left right"}
        late = await office.says("mara", f"{label}: left", first)
        assert "came too late" in office.lines(by="mara")[-1]
        assert late.text == f"{label}: left"


async def test_several_people_approve_and_the_message_says_how_far_it_is(tmp_path: Path) -> None:
    desk = Desk(SlackChannel("#refunds", answerers=["@finance", "tom@home.example"]), needs=2)
    async with office_at_work(tmp_path, desk) as office:
        await office.start()
        question = office.question()
        await office.clicks("mara", question, "Approve")
        assert office.desk.ran == []
        assert "1 of 2 approved" in office.lines()[0]
        assert office.buttons(question) != []
        await office.clicks("mara", question, "Approve")
        await office.says("mara", "approve", question)
        assert office.desk.ran == []
        await office.says("tom", "approve", question)
        assert office.desk.ran == ["O-1 40"]
        assert office.buttons(question) == []
