"""A workspace with two members, one channel and a clock that stands still."""

from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from overwinter.actors.clock import ManualClock, SystemClock

from ..slack_server import SlackServer


@pytest.fixture
def clock() -> ManualClock:
    """It begins at the machine's own time: slack-bolt looks there for how old a signature is."""
    return ManualClock(SystemClock().now_ms())


@pytest.fixture
async def slack(clock: ManualClock) -> AsyncGenerator[SlackServer]:
    async with SlackServer(clock=clock) as slack:
        slack.add_user("mara", email="mara@home.example")
        slack.add_user("tom")
        slack.add_channel("ops", "mara", "tom")
        yield slack
