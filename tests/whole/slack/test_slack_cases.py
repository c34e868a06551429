"""The cases of trouble with Slack that people met, over the whole of it; those of one part alone stand beside that part."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from overwinter.actors.asks import Ask, NotUnderstood, Reading, Understood
from overwinter.channels.slack.declared import SlackChannel

from ...fakes.slack.faults import Limited
from ...fakes.slack_server import SlackServer
from .office import Desk, Office, office_at_work

APPROVED = {"approved": True, "reason": None, "override_arguments": None}


class SlowReader:
    """A reader that takes its time, as a model does; says yes to what has a yes in it."""

    def __init__(self) -> None:
        self.read_texts: list[str] = []
        self.gate = asyncio.Event()

    async def read(self, ask: Ask, reply: str) -> Reading:
        self.read_texts.append(reply)
        await self.gate.wait()
        if "fine" in reply or "approve" in reply:
            return Understood(decision=APPROVED, by="model")
        return NotUnderstood(reason="That is neither yes nor no.", by="model")


@pytest.mark.behaviour("P57")
@pytest.mark.case("sl01")
@pytest.mark.parametrize("is_restarted", [False, True])
async def test_an_event_told_four_times_counts_once_also_after_a_restart(tmp_path: Path, is_restarted: bool) -> None:
    async with office_at_work(tmp_path, way="http") as office:
        await office.start()
        question = office.question()
        await office.says("mara", "approve", question)
        told = office.slack.deliveries[-2]
        assert told.event["text"] == "approve"
        for spacing in (1, 60, 300):
            await office.advance(timedelta(seconds=spacing))
            if is_restarted and spacing == 60:
                await office.restart()
            office.slack.redeliver(told)
            await office.settle()
        assert told.is_acked
        assert not told.missed
        assert office.desk.ran == ["O-1 40"]
        assert len(office.lines(by="mara")) == 2  # the question, and the reply itself
        assert len(office.slack.calls_of("chat.update")) == 1


@pytest.mark.case("sl03")
async def test_words_are_acknowledged_before_they_are_read_and_read_after_a_crash(tmp_path: Path) -> None:
    reader = SlowReader()
    async with office_at_work(tmp_path, Desk(reader=reader)) as office:
        await office.start()
        question = office.question()
        office.slack.says("mara", "#refunds", "well, I think it is fine but ask Tom", thread_ts=question.thread_ts)
        await office.slack.wait_settled()
        assert office.slack.deliveries[-1].is_acked
        assert office.desk.ran == []
        await office.kit.close()  # with the reading under way
        await office.connections[-1].aclose()
        reader.gate.set()
        await office.clock.advance(ms=61_000)  # what the dead one held is free again
        await office.kit.open()
        await office.settle()
        assert reader.read_texts == ["well, I think it is fine but ask Tom"] * len(reader.read_texts)
        assert office.desk.ran == ["O-1 40"]
        assert len(office.slack.calls_of("chat.update")) == 1


@pytest.mark.case("sl04")
async def test_a_double_click_decides_once_and_says_nothing(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        await office.start()
        question = office.question()
        first = office.slack.clicks("mara", question, "q:approve")
        second = office.slack.clicks("mara", question, "q:approve")
        await office.settle()
        assert first.is_acked
        assert second.is_acked
        assert office.desk.ran == ["O-1 40"]
        (line,) = office.lines(by="mara")
        assert "Approved by @mara" in line


@pytest.mark.behaviour("P52")
@pytest.mark.case("sl04")
async def test_two_clicks_at_two_instances_decide_once(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office, office.kit.beside() as other:
        await office.slack.wait_connected(2)
        await office.start()
        question = office.question()
        clicks = [office.slack.clicks("mara", question, "q:approve") for _ in range(2)]
        await office.slack.wait_settled()
        await office.kit.settle(other)
        await office.settle()
        assert all(click.is_acked for click in clicks)
        assert office.desk.ran == ["O-1 40"]
        assert len(office.lines(by="mara")) == 1
        for connection in office.connections:
            await connection.aclose()


@pytest.mark.behaviour("P55")
@pytest.mark.case("sl06")
async def test_a_click_on_what_an_earlier_process_posted_counts(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        await office.start()
        question = office.question()
        await office.restart()
        await office.clicks("mara", question, "Approve")
        assert office.desk.ran == ["O-1 40"]


@pytest.mark.case("sl07")
async def test_a_click_of_somebody_who_may_not_leaves_the_question_open_and_tells_them_alone(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        await office.start()
        question = office.question()
        clicked = await office.clicks("tom", question, "Approve")
        assert clicked.is_acked
        assert office.desk.ran == []
        assert office.buttons(question) != []
        assert "Your answer does not count. Only @finance may answer this." in office.lines(by="tom")[-1]
        assert len(office.lines(by="mara")) == 1
        await office.says("tom", "approve", question)
        await office.says("tom", "approve, I said", question)
        assert office.desk.ran == []
        assert [line for line in office.lines(by="tom") if "does not count" in line] != []
        assert office.buttons(question) != []
        await office.clicks("mara", question, "Approve")
        assert office.desk.ran == ["O-1 40"]


@pytest.mark.case("sl07")
@pytest.mark.parametrize("name", ["gast", "eve", "flow"])
async def test_guests_strangers_and_apps_do_not_answer_even_if_they_are_named(tmp_path: Path, name: str) -> None:
    desk = Desk(SlackChannel("#refunds", answerers=["#refunds", f"U0{name.upper()}"]))
    async with office_at_work(tmp_path, desk) as office:
        office.slack.add_guest("gast")
        office.slack.add_stranger("eve")
        office.slack.add_bot("flow", is_workflow_bot=True)
        office.slack.joins(name, "refunds")
        await office.start()
        question = office.question()
        await office.clicks(name, question, "Approve")
        await office.says(name, "approve", question)
        assert office.desk.ran == []
        assert office.buttons(question) != []


@pytest.mark.parametrize("is_click", [True, False])
async def test_people_of_another_workspace_of_our_organisation_answer_where_they_belong_to_ours(
    tmp_path: Path, is_click: bool
) -> None:
    async with office_at_work(tmp_path, prepare=organisation) as office:
        await office.start()
        for name in ("max", "ida"):
            if is_click:
                await office.clicks(name, office.question(), "Approve")
            else:
                await office.says(name, "yes", office.question())
            assert office.desk.ran == (["O-1 40"] if name == "ida" else [])
        assert any("People of other organisations may not answer here" in line for line in office.lines(by="max"))


def organisation(slack: SlackServer) -> None:
    slack.app.enterprise_id = "E0ORG"
    for name, teams in (("ida", ("T0HOME", "T0SISTER")), ("max", ("T0SISTER",))):
        user = slack.add_user(name, email=f"{name}@home.example")
        user.team_id, user.enterprise_id, user.enterprise_teams = "T0SISTER", "E0ORG", teams
        slack.joins(name, "refunds")
        slack.workspace.groups["S0FINANCE"].users.append(user.id)


async def test_the_requester_may_not_approve_what_they_ask_for(tmp_path: Path) -> None:
    desk = Desk(
        SlackChannel("#refunds", answerers=["@finance", "U0TOM"], not_requester=True),
        people={"mara": ["mara@home.example", "U0MARA"]},
    )
    async with office_at_work(tmp_path, desk) as office:
        await office.start(owner="mara")
        question = office.question()
        await office.clicks("mara", question, "Approve")
        await office.says("mara", "approve", question)
        assert office.desk.ran == []
        assert "Somebody else than the one it is for" in office.lines(by="mara")[1]
        await office.clicks("tom", question, "Approve")
        assert office.desk.ran == ["O-1 40"]


@pytest.mark.behaviour("P56")
@pytest.mark.case("sl09")
async def test_a_link_that_unfolds_is_no_other_answer(tmp_path: Path) -> None:
    reader = SlowReader()
    reader.gate.set()
    async with office_at_work(tmp_path, Desk(reader=reader)) as office:
        await office.start()
        question = office.question()
        said = await office.says("mara", "approve, see https://wiki.example/x", question)
        office.slack.unfurls(said, "https://wiki.example/x")
        await office.settle()
        assert office.desk.ran == ["O-1 40"]
        assert len(office.lines(by="mara")) == 2


@pytest.mark.case("sl10")
async def test_an_edit_of_what_was_not_understood_counts_once(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        await office.start()
        question = office.question()
        said = await office.says("mara", "hmm, let me see", question)
        assert office.desk.ran == []
        office.slack.edits(said, "yes, approve")
        await office.settle()
        office.slack.redeliver(office.slack.deliveries[-2])
        await office.settle()
        assert office.desk.ran == ["O-1 40"]
        assert not any("stays" in line or "too late" in line for line in office.lines(by="mara"))


@pytest.mark.case("sl10")
@pytest.mark.parametrize("is_deleted", [False, True])
async def test_an_edit_or_a_deletion_after_the_decision_changes_nothing_and_the_thread_says_so(
    tmp_path: Path, is_deleted: bool
) -> None:
    async with office_at_work(tmp_path) as office:
        await office.start()
        question = office.question()
        said = await office.says("mara", "no", question)
        assert "Rejected by @mara" in office.lines()[0]
        if is_deleted:
            office.slack.deletes(said)
        else:
            office.slack.edits(said, "yes")
        await office.settle()
        assert office.desk.ran == []
        assert "The decision stays: it was taken before this change." in office.lines()[-1]
        assert "Rejected by @mara" in office.lines()[0]


@pytest.mark.case("sl10")
@pytest.mark.parametrize("is_deleted", [False, True])
async def test_words_that_are_changed_while_they_are_read_decide_nothing(tmp_path: Path, is_deleted: bool) -> None:
    reader = SlowReader()
    async with office_at_work(tmp_path, Desk(reader=reader)) as office:
        await office.start()
        question = office.question()
        said = office.slack.says("mara", "#refunds", "that is fine", thread_ts=question.thread_ts)
        await office.slack.wait_settled()
        while not reader.read_texts:
            await office.kit.store.due()
        if is_deleted:
            office.slack.deletes(said)
        else:
            office.slack.edits(said, "wait, let me look")
        await office.slack.wait_settled()
        reader.gate.set()
        await office.settle()
        assert office.desk.ran == []
        assert reader.read_texts == ["that is fine", *([] if is_deleted else ["wait, let me look"])]
        assert office.buttons(question) != []


@pytest.mark.case("sl10")
async def test_words_that_are_told_after_the_edit_of_them_count_no_more(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        await office.start()
        question = office.question()
        office.slack.withhold()
        said = office.slack.says("mara", "#refunds", "approve", thread_ts=question.thread_ts)
        office.slack.edits(said, "well, let me look")
        first, second = office.slack.withheld
        office.slack.let_go([second])
        await office.settle()
        office.slack.redeliver(first)
        await office.settle()
        assert office.desk.ran == []
        assert office.buttons(question) != []


async def test_an_edit_of_old_words_does_not_answer_a_question_that_came_after_them(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        session_id = await office.start("doors", "first")
        first = office.question("first")
        said = await office.says("mara", "left", first)
        assert await office.outcome(session_id) == {"result": "left"}
        later = await office.says("mara", "thanks", first)
        second = await office.start("doors", "second")
        assert len(office.threads()) == 2
        office.slack.edits(said, "right")
        office.slack.edits(later, "right")
        await office.settle()
        assert await office.outcome(second) is None


@pytest.mark.case("sl12")
async def test_a_reply_that_is_also_sent_to_the_channel_counts(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        await office.start()
        question = office.question()
        await office.says("mara", "reject, wrong account", question, is_broadcast=True)
        office.slack.touches(office.slack.message("#refunds", question.thread_ts or ""))
        await office.settle()
        assert office.desk.ran == []
        assert "Rejected by @mara" in office.lines()[0]


@pytest.mark.behaviour("P56")
@pytest.mark.case("sl13")
async def test_apps_and_workflows_answer_nothing_and_get_no_reply(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        for bot in (
            office.slack.add_bot("jenkins", is_classic_bot=True),
            office.slack.add_bot("flow", is_workflow_bot=True),
        ):
            office.slack.joins(bot.name, "refunds")
        await office.start()
        question = office.question()
        posts = len(office.slack.calls_of("chat.postMessage"))
        for name in ("jenkins", "flow"):
            await office.says(name, "approve", question)
        assert office.desk.ran == []
        assert len(office.slack.calls_of("chat.postMessage")) == posts
        assert office.slack.calls_of("chat.postEphemeral") == []


@pytest.mark.case("sl14")
@pytest.mark.parametrize(
    "error",
    [
        "message_not_found",
        "cant_update_message",
        "channel_not_found",
        "is_archived",
        "not_in_channel",
        "edit_window_closed",
        "token_revoked",
    ],
)
async def test_a_message_that_cannot_be_closed_keeps_nobody_from_going_on(tmp_path: Path, error: str) -> None:
    async with office_at_work(tmp_path) as office:
        session_id = await office.start()
        question = office.question()
        office.slack.fail_next("chat.update", error)
        office.slack.clicks("mara", question, "q:approve")
        await office.settle()
        assert office.desk.ran == ["O-1 40"]
        assert len(office.slack.calls_of("chat.update")) == 1
        assert "Approved by @mara" in office.lines()[-1]
        (asked,) = [each for each in (await office.kit.timeline(session_id)).deliveries if each.kind == "withdraw"]
        assert (asked.status, error in (asked.last_error or "")) == ("failed", True)
        await office.clicks("mara", question, "Reject …")
        assert "came too late" in office.lines(by="mara")[-1]


@pytest.mark.case("sl14")
async def test_trouble_that_passes_is_tried_again_until_the_message_is_closed(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        await office.start()
        question = office.question()
        office.slack.fail_next("chat.update", "internal_error")
        office.slack.limit_next("chat.update", 5)
        office.slack.break_next("chat.update", status=503)
        office.slack.cut_next("chat.update", is_done=False)
        office.slack.clicks("mara", question, "q:approve")
        await office.settle()
        for _ in range(6):
            await office.advance(timedelta(minutes=1))
        assert office.buttons(question) == []


@pytest.mark.behaviour("P54")
@pytest.mark.case("sl14")
@pytest.mark.parametrize("what", ["archived", "removed", "deleted"])
async def test_a_place_that_is_gone_ends_in_an_error_of_the_step_or_a_warning(tmp_path: Path, what: str) -> None:
    async with office_at_work(tmp_path) as office:
        await office.start()
        question = office.question()
        match what:
            case "archived":
                office.slack.archives("tom", "refunds")
            case "removed":
                office.slack.removes("refunds")
            case _:
                office.slack.deletes(question)
        await office.settle()
        pause = await office.kit.question()
        await office.kit.answer(pause, decision=APPROVED, by="tom")
        await office.settle()
        assert office.desk.ran == ["O-1 40"]
        session_id = await office.start()
        if what != "deleted":
            assert (await office.outcome(session_id))["code"] == "pause.undeliverable"


@pytest.mark.behaviour("P56")
@pytest.mark.case("sl15")
async def test_a_long_question_loses_its_buttons_all_the_same(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        session_id = await office.start("doors", "x" * 2_990)
        question = office.question()
        await office.clicks("mara", question, "left")
        assert office.buttons(question) == []
        assert await office.outcome(session_id) == {"result": "left"}


@pytest.mark.case("sl17")
async def test_what_is_cut_is_shown_in_full_on_one_click(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        text = f"{'x' * 3_000}-rm-rf-/srv/data-{'y' * 20_000}"
        await office.start("doors", text)
        question = office.question()
        assert "Show all" in office.buttons(question)
        await office.clicks("mara", question, "Show all")
        view = office.slack.view("mara")
        assert view is not None
        assert "rm-rf-/srv/data" in str(view.blocks)


@pytest.mark.case("sl18")
async def test_what_a_model_wrote_pings_nobody_in_a_channel(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        await office.start("doors", "<!channel>&<@U0MARA>&<https://evil.example|bank>")
        (root,) = office.threads()
        for seen in office.slack.seen("#refunds", thread_ts=root.ts):
            assert seen.pings == ()
            assert seen.links == ()


@pytest.mark.case("sl20")
async def test_thirty_questions_at_once_are_all_posted_once_as_slack_lets_us(tmp_path: Path) -> None:
    answers = iter([Limited(2), Limited(None), Limited("soon"), Limited(3), Limited("")])
    async with office_at_work(tmp_path) as office:
        office.slack.choose_faults(lambda method: next(answers, None) if method == "chat.postMessage" else None)
        for number in range(30):
            await office.kit.runtime.sessions.start(program="doors", owner="olga", message=f"n{number}")
        for _ in range(60):
            await office.advance(timedelta(seconds=5))
        asked = [
            seen.text for root in office.threads() for seen in office.slack.seen("#refunds", thread_ts=root.ts)[1:]
        ]
        assert len(office.threads()) == 30
        assert sorted(text.partition("Which door, ")[2].partition("?")[0] for text in asked) == sorted(
            f"n{number}" for number in range(30)
        )


@pytest.mark.case("sl20")
async def test_a_channel_that_is_full_holds_up_no_other(tmp_path: Path) -> None:
    desk = Desk(SlackChannel("#refunds", answerers=["@finance"]), SlackChannel("#board", answerers=["@finance"]))
    async with office_at_work(tmp_path, desk, prepare=lambda slack: slack.add_channel("board", "mara")) as office:
        office.slack.limit_next("chat.postMessage", 600, times=1)
        await office.start("doors", "a")
        await office.start()
        assert len(office.threads("#board")) == 1
        assert office.threads("#refunds") == []
        await office.advance(timedelta(minutes=11))
        assert len(office.threads("#refunds")) == 2


@pytest.mark.case("sl21")
@pytest.mark.parametrize("method", ["root", "question"])
async def test_what_was_posted_though_nobody_heard_of_it_is_found_and_not_posted_again(
    tmp_path: Path, method: str
) -> None:
    async with office_at_work(tmp_path) as office:
        if method == "question":
            hold = office.slack.hold_next("chat.postMessage")
            await office.kit.runtime.sessions.start(program="support", owner="olga", message="refund O-1")
            await hold.wait_arrived()
            office.slack.cut_next("chat.postMessage", is_done=True)
            hold.release()
            await office.settle()
        else:
            office.slack.cut_next("chat.postMessage", is_done=True)
            await office.start()
        assert len(office.threads()) == 1
        for _ in range(4):
            await office.advance(timedelta(seconds=30))
        question = office.question()
        await office.clicks("mara", question, "Approve")
        assert office.desk.ran == ["O-1 40"]
        assert office.buttons(question) == []


@pytest.mark.case("sl21")
@pytest.mark.parametrize("is_clicked", [True, False])
async def test_a_question_that_closes_before_its_post_is_known_loses_its_buttons(
    tmp_path: Path, is_clicked: bool
) -> None:
    async with office_at_work(tmp_path) as office:
        hold = office.slack.hold_next("chat.postMessage")
        session_id = await office.kit.runtime.sessions.start(program="support", owner="olga", message="refund O-1")
        await hold.wait_arrived()
        office.slack.cut_next("chat.postMessage", is_done=True)
        hold.release()
        await office.settle()
        question = office.question()
        assert office.buttons(question) != []
        if is_clicked:
            await office.clicks("mara", question, "Approve")
            assert office.desk.ran == ["O-1 40"]
        else:
            await office.kit.runtime.sessions.cancel(tenant="default", session_id=session_id, by="op", reason="gone")
        for _ in range(10):
            await office.advance(timedelta(seconds=30))
        assert office.buttons(question) == []
        assert len(office.lines()) == 1


@pytest.mark.case("sl22")
async def test_a_reply_that_a_deaf_socket_never_told_is_found_and_the_socket_replaced(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        await office.start()
        question = office.question()
        office.slack.sockets.deafen()
        said_ms = office.clock.now_ms()
        office.slack.withhold()
        office.slack.says("mara", "#refunds", "approve", thread_ts=question.thread_ts)
        office.slack.let_go([])
        async with asyncio.timeout(20):
            while not office.desk.ran:
                await office.advance(timedelta(seconds=10))
                await until_quiet(office)
        assert office.clock.now_ms() - said_ms <= 300_000
        assert office.desk.ran == ["O-1 40"]
        office.slack.redeliver(office.slack.deliveries[-2])
        await office.settle()
        assert office.desk.ran == ["O-1 40"]


async def until_quiet(office: Office) -> None:
    """Give a socket the real time that it takes to open."""
    await asyncio.wait({asyncio.create_task(office.settle())}, timeout=0.05)


@pytest.mark.case("sl22")
async def test_a_reply_written_while_no_process_ran_is_found_at_the_start(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        await office.start()
        question = office.question()
        await office.kit.close()
        await office.connections[-1].aclose()
        office.slack.withhold()
        office.slack.says("mara", "#refunds", "approve", thread_ts=question.thread_ts)
        office.slack.let_go([])
        await office.kit.open()
        async with asyncio.timeout(20):
            while not office.desk.ran:
                await until_quiet(office)
        assert office.desk.ran == ["O-1 40"]


@pytest.mark.case("sl24")
async def test_words_reach_the_reader_as_they_were_meant(tmp_path: Path) -> None:
    reader = SlowReader()
    reader.gate.set()
    async with office_at_work(tmp_path, Desk(reader=reader)) as office:
        await office.start()
        text = (
            "use “budget A&amp;B” — mail <mailto:ana@corp.example|ana@corp.example> or "
            "<https://x.example/a?b=1&amp;c=2|x.example/a>, amount &lt; 500"
        )
        await office.says("mara", text, office.question())
        assert reader.read_texts == [
            'use "budget A&B" — mail ana@corp.example or https://x.example/a?b=1&c=2, amount < 500'
        ]


@pytest.mark.case("sl25")
async def test_an_emoji_of_an_approver_on_the_question_decides_and_taking_it_back_does_not(tmp_path: Path) -> None:
    channel = SlackChannel("#refunds", answerers=["@finance"], reactions={"+1": "approve", "-1": "reject"})
    async with office_at_work(tmp_path, Desk(channel)) as office:
        await office.start()
        question = office.question()
        other = await office.says("tom", "shall we?", question)
        for user, message, name in (
            ("tom", question, "+1"),
            ("overwinter", question, "+1"),
            ("mara", question, "eyes"),
            ("mara", other, "thumbsup::skin-tone-4"),
        ):
            office.slack.reacts(user, message, name)
            await office.settle()
        assert office.desk.ran == []
        office.slack.reacts("mara", question, "+1::skin-tone-4")
        await office.settle()
        assert office.desk.ran == ["O-1 40"]
        office.slack.unreacts("mara", question, "+1::skin-tone-4")
        await office.settle()
        assert "The decision stays" in office.lines()[-1]
        assert office.desk.ran == ["O-1 40"]


@pytest.mark.case("sl25")
async def test_an_emoji_is_nobody_s_answer_where_the_channel_does_not_say_so(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        await office.start()
        office.slack.reacts("mara", office.question(), "+1")
        await office.settle()
        assert office.desk.ran == []
        assert office.slack.calls_of("chat.postEphemeral") == []


@pytest.mark.behaviour("P57")
@pytest.mark.case("sl27")
async def test_words_outside_a_thread_answer_nothing_and_ok_is_no_approval(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        await office.start()
        await office.start("doors", "second")
        question = office.question("refund_card")
        office.slack.says("mara", "#refunds", "ok")
        await office.settle()
        assert office.desk.ran == []
        await office.says("mara", "what does this tool do?", question)
        office.slack.add_bot("helper")
        office.slack.joins("helper", "refunds")
        await office.says("helper", "It deletes the staging database.", question)
        await office.says("mara", "ok", question)
        assert office.desk.ran == []
        thread = office.slack.lines("#refunds", thread_ts=question.thread_ts)
        assert sum("I have not taken this as an answer." in line for line in thread) == 2


@pytest.mark.behaviour("P58")
async def test_a_deadline_a_cancel_and_an_answer_elsewhere_close_the_message_without_a_click(tmp_path: Path) -> None:
    async with office_at_work(tmp_path, Desk(deadline=timedelta(hours=1))) as office:
        timed = await office.start()
        cancelled = await office.start()
        elsewhere = await office.start()
        by_session: dict[str, Any] = {}
        for root in office.threads():
            (question,) = office.slack.seen("#refunds", thread_ts=root.ts)[1:]
            by_session[str(len(by_session))] = question.message
        await office.kit.runtime.sessions.cancel(tenant="default", session_id=cancelled, by="ops", reason="not needed")
        await office.settle()
        (pause,) = await office.kit.pending(elsewhere)
        await office.kit.answer(pause, decision=APPROVED, by="tom")
        await office.settle()
        await office.advance(timedelta(hours=2))
        lines = [office.slack.lines("#refunds", thread_ts=each.thread_ts)[-1] for each in by_session.values()]
        assert sorted(line.partition("/ :")[2] for line in lines) == sorted(
            (
                "hourglass: Timed out without an answer,",
                "heavy_minus_sign: Cancelled by ops,",
                "white_check_mark: Approved by tom,",
            )
        )
        assert "timed out" in (await office.kit.tool_results(timed))["c1"]
