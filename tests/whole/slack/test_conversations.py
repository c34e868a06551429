"""Talking with a bot in Slack: a mention or a direct message begins, the thread is the chat, its author is the owner."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from overwinter.actors.jsontext import to_json
from overwinter.actors.messages import ModelReply, ToolCallRequest
from overwinter.actors.run import Run
from overwinter.actors.trigger_kinds import ChannelMessage, Starts, Trigger
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel
from overwinter.bots.toolsets.system import ask_user, inform_user
from overwinter.bots.workflows import workflow
from overwinter.channels.roles import Answerer
from overwinter.channels.slack.declared import SlackChannel
from overwinter.store.rows import SessionRow

from ...fakes.slack.messages import Message
from .office import Desk, Office, office_at_work


class Talk(Desk):
    """An agent that asks its user something and tells them something, then says that it is done."""

    def __init__(self, *replies: ModelReply, yields: bool = False) -> None:
        super().__init__()
        self._replies = replies
        self._yields = yields

    def app(self) -> App:
        model = ScriptedModel.by_turn(list(self._replies))
        agent = Agent(name="support", tools=[ask_user, inform_user], model=model, yields=self._yields)
        return App(name="office", agents=[agent])


def calls(tool: str, **arguments: str) -> ModelReply:
    return ModelReply(tool_calls=(ToolCallRequest(call_id=f"c-{tool}", tool=tool, arguments=to_json(arguments)),))


async def mentions(office: Office, user: str, text: str, *, channel: str = "#refunds") -> Message:
    said = office.slack.says(user, channel, f"<@U0BOT> {text}")
    await office.settle()
    return said


async def sessions(office: Office) -> tuple[SessionRow, ...]:
    return await office.kit.store.sessions(tenant="default", statuses=None, limit=10)


def thread(office: Office, root: Message, *, by: str | None = None) -> list[str]:
    return office.slack.lines(root.channel, thread_ts=root.ts, by=by)[1:]


async def test_a_mention_begins_a_session_whose_thread_is_the_chat_and_asks_there(tmp_path: Path) -> None:
    async with office_at_work(tmp_path, agent="support") as office:
        root = await mentions(office, "mara", "refund O-1")
        (session,) = await sessions(office)
        assert (session.owner, session.program) == ("mara@home.example", "support")
        (line,) = thread(office, root)
        assert "refund_card" in line
        assert office.threads() == []
        question = office.slack.seen("#refunds", thread_ts=root.ts)[1].message
        await office.clicks("mara", question, "Approve")
        assert office.desk.ran == ["O-1 40"]
        assert thread(office, root)[-1] == "overwinter: It is done."
        await office.restart()
        await office.advance(timedelta(days=3))
        assert len(thread(office, root)) == 2


@pytest.mark.behaviour("P52")
async def test_a_mention_that_is_told_four_times_begins_one_session(tmp_path: Path) -> None:
    async with office_at_work(tmp_path, agent="support") as office:
        root = await mentions(office, "mara", "refund O-1")
        for told in office.slack.deliveries[:2]:
            for _ in range(3):
                office.slack.redeliver(told)
        await office.settle()
        await office.restart()
        office.slack.redeliver(office.slack.deliveries[0])
        await office.settle()
        assert len(await sessions(office)) == 1
        assert len(thread(office, root)) == 1


async def test_what_the_bot_asks_and_tells_its_user_stands_in_the_thread_and_the_next_words_answer(
    tmp_path: Path,
) -> None:
    desk = Talk(
        calls("inform_user", message="I am looking."),
        calls("ask_user", prompt="Which order?"),
        ModelReply(content="Thank you, done."),
    )
    async with office_at_work(tmp_path, desk, agent="support") as office:
        root = await mentions(office, "mara", "help me")
        assert thread(office, root) == ["overwinter: I am looking.", "overwinter: Which order?"]
        await office.restart()
        await office.says("tom", "O-9", root)
        assert thread(office, root)[-1] == "tom: O-9"
        await office.says("mara", "O-7", root)
        assert thread(office, root)[-1] == "overwinter: Thank you, done."
        (session,) = await sessions(office)
        assert "O-7" in (await office.kit.tool_results(session.session_id))["c-ask_user"]


async def test_whoever_began_goes_on_talking_in_the_thread_and_nobody_else_does(tmp_path: Path) -> None:
    desk = Talk(ModelReply(content="Hello."), ModelReply(content="I am well."), yields=True)
    async with office_at_work(tmp_path, desk, agent="support") as office:
        root = await mentions(office, "mara", "hi")
        await office.says("tom", "how are you?", root)
        assert thread(office, root)[-1] == "tom: how are you?"
        said = await office.says("mara", "how are you?", root)
        assert thread(office, root)[-1] == "overwinter: I am well."
        office.slack.edits(said, "how are you today?")
        await office.settle()
        assert thread(office, root)[-1] == "overwinter: I am well."


async def test_a_direct_message_begins_a_session_and_its_thread_is_the_chat(tmp_path: Path) -> None:
    async with office_at_work(tmp_path, Talk(ModelReply(content="Hello.")), agent="support") as office:
        dm = office.slack.dm("mara")
        said = office.slack.says("mara", dm.id, "hi")
        await office.settle()
        assert thread(office, said) == ["overwinter: Hello."]


async def test_in_a_direct_message_finance_is_asked_in_its_own_channel(tmp_path: Path) -> None:
    async with office_at_work(tmp_path, agent="support") as office:
        said = office.slack.says("tom", office.slack.dm("tom").id, "refund O-1")
        await office.settle()
        assert thread(office, said) == []
        question = office.question("refund_card")
        assert "for @tom" in office.lines()[0]
        await office.clicks("mara", question, "Approve")
        assert office.desk.ran == ["O-1 40"]
        assert thread(office, said) == ["overwinter: It is done."]


async def test_whoever_may_answer_is_asked_in_their_own_direct_message(tmp_path: Path) -> None:
    async with office_at_work(tmp_path, agent="support") as office:
        said = office.slack.says("mara", office.slack.dm("mara").id, "refund O-1")
        await office.settle()
        assert office.threads() == []
        assert "refund_card" in thread(office, said)[0]


@pytest.mark.parametrize("name", ["tom", "mara"])
async def test_what_only_the_owner_may_answer_is_answered_by_that_user_alone(tmp_path: Path, name: str) -> None:
    desk = Desk(SlackChannel("#refunds", answerers=["@finance", "U0TOM"]), answered_by=Answerer.OWNER)
    async with office_at_work(tmp_path, desk, agent="support") as office:
        root = await mentions(office, "tom", "refund O-1")
        question = office.slack.seen("#refunds", thread_ts=root.ts)[1].message
        await office.clicks(name, question, "Approve")
        assert office.desk.ran == (["O-1 40"] if name == "tom" else [])
        if name == "mara":
            await office.says("mara", "approve", root)
            assert office.desk.ran == []
            await office.says("tom", "approve", root)
            assert office.desk.ran == ["O-1 40"]


async def test_a_mention_in_a_thread_begins_there_and_a_thread_of_ours_is_not_begun_again(tmp_path: Path) -> None:
    async with office_at_work(tmp_path, Talk(ModelReply(content="Hello."), yields=True), agent="support") as office:
        root = office.slack.says("tom", "#refunds", "something is wrong with O-1")
        await office.says("mara", "<@U0BOT> can you look?", root)
        assert thread(office, root)[-1] == "overwinter: Hello."
        await office.says("tom", "<@U0BOT> and you?", root)
        assert len(await sessions(office)) == 1


@pytest.mark.parametrize("name", ["gast", "eve"])
async def test_guests_and_strangers_begin_nothing_and_are_told_so(tmp_path: Path, name: str) -> None:
    async with office_at_work(tmp_path, agent="support") as office:
        office.slack.add_guest("gast")
        office.slack.add_stranger("eve")
        office.slack.joins(name, "refunds")
        root = await mentions(office, name, "refund O-1")
        assert await sessions(office) == ()
        assert "does not count" in thread(office, root, by=name)[0]


async def test_where_nobody_is_set_up_to_talk_whoever_asks_is_told_so(tmp_path: Path) -> None:
    async with office_at_work(tmp_path) as office:
        root = await mentions(office, "mara", "refund O-1")
        assert "Nobody is set up to talk here." in thread(office, root, by="mara")[0]
        assert thread(office, root, by="tom") == []


async def test_a_bot_that_is_not_deployed_is_said_to_be_missing(tmp_path: Path) -> None:
    async with office_at_work(tmp_path, agent="suport") as office:
        root = await mentions(office, "mara", "refund O-1")
        assert "is not deployed" in thread(office, root, by="mara")[0]
        assert office.slack.deliveries[0].is_acked


async def test_a_bot_that_fails_says_so_in_the_thread(tmp_path: Path) -> None:
    async with office_at_work(tmp_path, Talk(ModelReply(tool_calls=())), agent="support") as office:
        root = await mentions(office, "mara", "hi")
        assert "I could not go on with this." in thread(office, root)[-1]


async def test_what_a_bot_says_is_told_in_order_and_once_while_slack_is_in_trouble(tmp_path: Path) -> None:
    desk = Talk(
        calls("inform_user", message="one"),
        calls("inform_user", message="two"),
        ModelReply(content="three <!channel> " + "x" * 6_000),
    )
    async with office_at_work(tmp_path, desk, agent="support") as office:
        office.slack.cut_next("chat.postMessage", is_done=True)
        office.slack.limit_next("chat.postMessage", 3)
        office.slack.break_next("chat.postMessage")
        root = await mentions(office, "mara", "hi")
        for _ in range(12):
            await office.advance(timedelta(seconds=20))
        lines = thread(office, root)
        assert [line[:15] for line in lines[:3]] == ["overwinter: one", "overwinter: two", "overwinter: thr"]
        assert "".join(line.removeprefix("overwinter: ") for line in lines[2:]).count("x") == 6_000
        assert all(seen.pings == () for seen in office.slack.seen("#refunds", thread_ts=root.ts)[1:])


class Watchful(Desk):
    """An app with a trigger for messages that speak of a report; it keeps what each was fired for."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def app(self) -> App:
        async def keep(text: str) -> None:
            self.seen.append(text)

        @workflow(version="1")
        async def take_in(run: Run, fire: dict[str, Any]) -> None:
            await run.step(keep, fire["payload"]["text"])

        agent = Agent(name="support", model=ScriptedModel.by_turn([ModelReply(content="Hello.")]))
        when = ChannelMessage(channel="slack", pattern="report")
        trigger = Trigger(slug="reports", when=when, starts=Starts(bot="take_in", at_once=9))
        return App(name="office", agents=[agent], workflows=[take_in], triggers=[trigger])


async def test_a_message_that_a_trigger_waits_for_sets_it_off_once_and_begins_no_conversation(tmp_path: Path) -> None:
    desk = Watchful()
    async with office_at_work(tmp_path, agent="support", desk=desk) as office:
        await office.settle()
        root = await mentions(office, "mara", "send me the report")
        office.slack.redeliver(office.slack.deliveries[0])
        await office.settle()
        assert desk.seen == ["send me the report"]
        assert [session.program for session in await sessions(office)] == ["take_in"]
        assert thread(office, root) == []
        await mentions(office, "mara", "good morning")
        assert {session.program for session in await sessions(office)} == {"take_in", "support"}
        assert len(desk.seen) == 1
