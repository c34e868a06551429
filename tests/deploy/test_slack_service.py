"""The service with a table ``[slack]``: what it is configured with reaches Slack, and what people press reaches it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from overwinter.actors.clock import ManualClock, SystemClock
from overwinter.actors.ids import RandomIds
from overwinter.actors.run import Run
from overwinter.actors.waiting import ExecutionReturned
from overwinter.bots.app import App
from overwinter.bots.errors import AssemblyError
from overwinter.bots.workflows import workflow
from overwinter.channels.roles import Answerer, QuestionRole
from overwinter.channels.slack.declared import SlackChannel
from overwinter.deploy.service import supervising
from overwinter.deploy.settings import Config
from overwinter.deploy.wiring import open_runtime

from ..fakes.slack.checks import STRICT
from ..fakes.slack_server import SlackServer

DOOR = QuestionRole(name="door", answer=str, choices=("left", "right"), answered_by=Answerer.CHANNEL)


@workflow(version="1")
async def asking(run: Run, prompt: str) -> str:
    return await run.ask(DOOR, prompt)


def office(channel: SlackChannel) -> App:
    return App(name="office", workflows=[asking], channels={DOOR: channel})


async def test_a_question_goes_through_the_configured_app_and_a_click_comes_back(tmp_path: Path) -> None:
    async with SlackServer(clock=ManualClock(SystemClock().now_ms()), checks=STRICT) as slack:
        slack.add_user("mara")
        slack.add_channel("refunds", "mara")
        settings: Any = {
            "database": tmp_path / "a.db",
            "slack": {"bot_token": slack.app.bot_token, "app_token": slack.app.app_token, "api_url": slack.base_url},
        }
        app = office(SlackChannel("#refunds", answerers=["U0MARA"]))
        config = Config.model_validate(settings)
        async with (
            open_runtime(app, config, clock=SystemClock(), ids=RandomIds(), must_exist=False, receives=True) as runtime,
            supervising(runtime),
            asyncio.timeout(30),
        ):
            session_id = await runtime.sessions.start(program="asking", owner="olga", message="Which door?")
            await slack.wait_connected()
            await slack.wait_for_calls("chat.postMessage", 2)
            (root,) = slack.seen("#refunds")
            question = slack.seen("#refunds", thread_ts=root.ts)[1].message
            clicked = slack.clicks("mara", question, "q:choice:0")
            await clicked.wait_answered()
            assert clicked.is_acked
            await slack.wait_for_calls("chat.update", 1)
            outcome = await runtime.waiting.outcome_of(tenant="default", session_id=session_id)
            assert outcome.end == ExecutionReturned(result="left")


@pytest.mark.parametrize(
    ("channel", "said"),
    [
        (SlackChannel("#refunds", answerers=["@finance"]), "no connection to slack is configured here"),
        (SlackChannel("refunds", answerers=["@finance"], via="mail"), "no connection to mail"),
    ],
)
async def test_a_channel_without_its_table_says_what_is_missing(
    tmp_path: Path, channel: SlackChannel, said: str
) -> None:
    config = Config.model_validate({"database": tmp_path / "a.db"})
    with pytest.raises(AssemblyError, match=said):
        async with open_runtime(office(channel), config, clock=SystemClock(), ids=RandomIds(), must_exist=False):
            pass
