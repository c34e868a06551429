"""The demonstration in Slack, over a strict fake of it: what has to be mended is told first, then the story is played."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pydantic import SecretStr

from overwinter.actors.clock import SystemClock
from overwinter.actors.ids import RandomIds
from overwinter.deploy.cli.demo_slack import ending_in_slack, play_in_slack
from overwinter.deploy.cli.screen import Screen
from overwinter.deploy.config import environment_without_settings
from overwinter.deploy.demo_slack import PlayedInSlack, SlackDemo
from overwinter.deploy.errors import DemoFailedError, InputInvalidError
from overwinter.deploy.slack_needs import BOT_EVENTS, BOT_SCOPES
from overwinter.deploy.slack_settings import SlackConfig

from ..fakes.slack.checks import STRICT
from ..fakes.slack.messages import Message
from ..fakes.slack_server import SlackServer
from .conftest import Overwinter


@asynccontextmanager
async def workspace() -> AsyncGenerator[SlackServer]:
    async with SlackServer(clock=SystemClock(), checks=STRICT) as slack:
        slack.app.scopes, slack.app.events = tuple(BOT_SCOPES), BOT_EVENTS
        slack.add_user("mara", email="mara@home.example")
        slack.add_user("tom", email="tom@home.example")
        slack.add_channel("refunds", "mara")
        yield slack


def retire_bot_token(slack: SlackServer) -> None:
    slack.retire_token(slack.app.bot_token)


def retire_app_token(slack: SlackServer) -> None:
    slack.retire_token(slack.app.app_token)


def take_scopes(slack: SlackServer) -> None:
    slack.app.scopes = ("chat:write", "users:read")


def remove_app(slack: SlackServer) -> None:
    slack.removes("#refunds")


def config_of(slack: SlackServer) -> SlackConfig:
    return SlackConfig(
        bot_token=SecretStr(slack.app.bot_token), app_token=SecretStr(slack.app.app_token), api_url=slack.base_url
    )


def config_text(slack: SlackServer) -> str:
    return f'[slack]\nbot_token = "{slack.app.bot_token}"\napp_token = "{slack.app.app_token}"\napi_url = "{slack.base_url}"\n'


def write_config(slack: SlackServer) -> None:
    Path("overwinter.toml").write_text(config_text(slack))


def question(slack: SlackServer) -> Message:
    (root,) = [seen for seen in slack.seen("#refunds") if seen.author == "overwinter"]
    return slack.seen("#refunds", thread_ts=root.ts)[1].message


async def played(
    slack: SlackServer, folder: Path, answer: Callable[[Message], object] | None, *, within_s: float = 30
) -> PlayedInSlack:
    def asked() -> None:
        if answer is not None:
            answer(question(slack))

    demo = SlackDemo(
        config_of(slack), place="#refunds", folder=folder, clock=SystemClock(), ids=RandomIds(), asked=asked
    )
    return await demo.play(within_s=within_s)


async def test_a_click_lets_the_bot_go_on_and_closes_the_question(tmp_path: Path) -> None:
    async with workspace() as slack:
        found = await played(slack, tmp_path, lambda asked: slack.clicks("mara", asked, "q:approve"))
        assert (found.outcome, found.answered_by) == ("approved", "mara@home.example")
        assert found.tool_calls == [{"order_id": "4471", "amount": "80.00"}]
        assert "Refunded 80.00" in ending_in_slack(found)
        line = slack.lines("#refunds", thread_ts=question(slack).thread_ts)[1]
        assert "Approved by @mara" in line


@pytest.mark.parametrize(
    ("words", "outcome", "paid"), [("ok, but only half", "approved", ["40.00"]), ("no way", "rejected", [])]
)
async def test_plain_words_in_the_thread_are_read(tmp_path: Path, words: str, outcome: str, paid: list[str]) -> None:
    async with workspace() as slack:
        found = await played(
            slack, tmp_path, lambda asked: slack.says("mara", "#refunds", words, thread_ts=asked.thread_ts)
        )
        assert found.outcome == outcome
        assert [each["amount"] for each in found.tool_calls] == paid
        assert found.answered_by == "mara@home.example"


async def test_a_question_that_nobody_answers_is_taken_back(tmp_path: Path) -> None:
    async with workspace() as slack:
        found = await played(slack, tmp_path, None, within_s=1)
        assert (found.outcome, found.tool_calls) == ("unanswered", [])
        assert "Cancelled" in slack.lines("#refunds", thread_ts=question(slack).thread_ts)[1]
        assert "Nobody answered" in ending_in_slack(found)


async def test_an_interruption_takes_the_question_back(tmp_path: Path) -> None:
    async with workspace() as slack:
        story = asyncio.create_task(played(slack, tmp_path, lambda _: story.cancel()))
        with pytest.raises(asyncio.CancelledError):
            await story
        assert "Cancelled" in slack.lines("#refunds", thread_ts=question(slack).thread_ts)[1]


async def test_a_channel_that_takes_no_posts_ends_it_with_the_reason(tmp_path: Path) -> None:
    async with workspace() as slack:
        slack.fail_next("chat.postMessage", "restricted_action", times=5)
        with pytest.raises(DemoFailedError, match="restricted_action"):
            await played(slack, tmp_path, None)


@pytest.mark.usefixtures("clean_environment")
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (retire_bot_token, "token_revoked"),
        (retire_app_token, "token_revoked"),
        (take_scopes, "channels:history"),
        (remove_app, "/invite"),
    ],
)
async def test_what_has_to_be_mended_is_told_and_nothing_is_posted(
    tmp_path: Path, change: Callable[[SlackServer], object], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async with workspace() as slack:
        write_config(slack)
        change(slack)
        found = await play_in_slack(Screen(as_json=False), file=None, channel="refunds", folder=tmp_path, within_s=1)
        assert found is None
        assert slack.calls_of("chat.postMessage") == []
        told = capsys.readouterr().out
        assert words in told
        assert slack.app.bot_token not in told
        assert slack.app.app_token not in told


@pytest.mark.usefixtures("clean_environment")
async def test_the_whole_of_it_as_a_person_sees_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with workspace() as slack:
        write_config(slack)
        story = asyncio.create_task(
            play_in_slack(Screen(as_json=False), file=None, channel="#refunds", folder=tmp_path, within_s=30)
        )
        await slack.wait_until(lambda: len(slack.calls_of("chat.postMessage")) == 2)
        await slack.wait_until(lambda: slack.calls_of("chat.postMessage")[1].outcome == "ok")
        slack.clicks("mara", question(slack), "q:approve")
        found = await story
        assert found is not None
        assert found.outcome == "approved"
        told = capsys.readouterr().out
        assert "Asked. Open #refunds in Slack" in told


async def test_the_command_ends_with_what_came_of_it(tmp_path: Path) -> None:
    """In a process of its own, as a person starts it."""
    async with workspace() as slack:
        (tmp_path / "overwinter.toml").write_text(config_text(slack))
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "overwinter.deploy.cli", "demo", "--slack", "--channel", "#refunds", "--json"),
            cwd=tmp_path,
            env=environment_without_settings(),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        await slack.wait_until(lambda: [call.outcome for call in slack.calls_of("chat.postMessage")] == ["ok", "ok"])
        slack.clicks("mara", question(slack), "q:approve")
        out, err = await process.communicate()
        assert process.returncode == 0, err.decode()
        told = json.loads(out)
        assert (told["outcome"], told["answered_by"]) == ("approved", "mara@home.example")
        assert slack.app.bot_token not in (out + err).decode()


def test_without_tokens_it_says_how_to_begin(overwinter: Overwinter) -> None:
    ran = overwinter("demo", "--slack", "--channel", "#refunds", "--json")
    assert ran.code == 2
    assert "slack-manifest.yaml" in ran.error["message"]


def test_what_does_not_go_together_is_refused(overwinter: Overwinter) -> None:
    assert overwinter("demo", "--channel", "#refunds").code == 2
    assert overwinter("demo", "--slack", "--reply", "ok").code == 2


@pytest.mark.usefixtures("clean_environment")
@pytest.mark.parametrize("channel", [None, "", "two words", "#UPPER"])
async def test_a_channel_has_to_be_named_as_slack_does(tmp_path: Path, channel: str | None) -> None:
    async with workspace() as slack:
        write_config(slack)
        with pytest.raises(InputInvalidError):
            await play_in_slack(Screen(as_json=False), file=None, channel=channel, folder=tmp_path, within_s=1)
