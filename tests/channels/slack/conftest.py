"""A workspace that asks of every message and view all that Slack's documentation says, and a client in it."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from overwinter.actors.clock import ManualClock, SystemClock
from overwinter.channels.slack.client import SlackClient

from ...fakes.slack.checks import STRICT
from ...fakes.slack_server import SlackServer


@pytest.fixture
def clock() -> ManualClock:
    """It begins at the machine's own time: slack-sdk measures its connections by that."""
    return ManualClock(SystemClock().now_ms())


@pytest.fixture
async def slack(clock: ManualClock) -> AsyncGenerator[SlackServer]:
    async with SlackServer(clock=clock, checks=STRICT) as slack:
        slack.add_user("mara", email="mara@home.example")
        slack.add_user("tom")
        slack.add_channel("refunds", "mara", "tom")
        yield slack


@pytest.fixture
async def client(slack: SlackServer, clock: ManualClock) -> AsyncGenerator[SlackClient]:
    client = SlackClient(
        token=slack.app.bot_token, clock=clock, secrets=(slack.app.signing_secret,), base_url=slack.base_url
    )
    yield client
    await client.aclose()
