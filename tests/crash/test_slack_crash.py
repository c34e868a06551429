"""A process is killed before and after each of its calls of Slack: one question is seen, one decision taken, one end shown."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from overwinter.actors.clock import ManualClock, SystemClock
from overwinter.store.store import Store

from ..fakes.slack.checks import STRICT
from ..fakes.slack.faults import Fault, Hold
from ..fakes.slack_server import SlackServer
from ..house.folders import ROOT

AHEAD_S = 120
"""How far ahead the second process is: what the first one had taken is free by then."""


class Assassin:
    """Holds the n-th call of Slack's, so that whoever makes it can be killed meanwhile."""

    def __init__(self, count: int, *, is_done: bool) -> None:
        self._left = count
        self.hold = Hold(is_done=is_done)
        self.method = ""

    def fault(self, method: str) -> Fault | None:
        self._left -= 1
        if self._left != 0:
            return None
        self.method = method
        return self.hold


class Children:
    """Processes, one after another, each a fork of one that has imported everything."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def _line(self) -> int:
        assert self._process.stdout is not None
        return int(await asyncio.wait_for(self._process.stdout.readline(), 60))

    async def start(self, database: Path, slack: SlackServer, *, shift_s: int) -> int:
        line = json.dumps([str(database), slack.base_url, slack.app.bot_token, slack.app.app_token, shift_s])
        assert self._process.stdin is not None
        self._process.stdin.write(line.encode() + b"\n")
        await self._process.stdin.drain()
        return await self._line()

    async def ended(self) -> int:
        """The exit code of the one that was started last."""
        return await self._line()


@asynccontextmanager
async def children(log: Path) -> AsyncGenerator[Children]:
    with log.open("wb") as file:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.crash.slack_child",
            cwd=ROOT,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=file,
        )
    try:
        yield Children(process)
    finally:
        process.kill()
        await process.communicate()


@pytest.mark.parametrize("is_done", [False, True], ids=["before", "after"])
async def test_a_kill_at_any_call_of_slack_loses_and_doubles_nothing(tmp_path: Path, is_done: bool) -> None:
    empty = tmp_path / "empty.db"
    await (await Store.open(empty)).aclose()
    killed: list[str] = []
    async with children(tmp_path / "log") as forks:
        for count in range(1, 40):
            database = tmp_path / f"{count}.db"
            database.write_bytes(empty.read_bytes())
            method = await _story(forks, database, count, is_done=is_done)
            if not method:
                break
            killed.append(method)
    assert {"chat.postMessage", "chat.update", "users.info", "usergroups.users.list"} <= set(killed)
    assert killed.count("chat.postMessage") == 2


async def _story(forks: Children, database: Path, count: int, *, is_done: bool) -> str:
    """Tell the story with a kill at the n-th call; which call that was, empty if there were not so many."""
    async with SlackServer(clock=ManualClock(SystemClock().now_ms()), checks=STRICT) as slack:
        slack.add_user("mara", email="mara@home.example")
        slack.add_channel("refunds", "mara")
        slack.add_group("finance", "mara")
        assassin = Assassin(count, is_done=is_done)
        slack.choose_faults(assassin.fault)
        pid = await forks.start(database, slack, shift_s=0)
        ending = asyncio.ensure_future(forks.ended())
        clicking = asyncio.create_task(_click_until_answered(slack))
        held = asyncio.create_task(assassin.hold.wait_arrived())
        await asyncio.wait({ending, held}, return_when=asyncio.FIRST_COMPLETED)
        if held.done():
            os.kill(pid, signal.SIGKILL)
            assert await ending == -signal.SIGKILL
            assassin.hold.abandon()
            await slack.wait_until(lambda: not slack.sockets.connections)
            await forks.start(database, slack, shift_s=AHEAD_S)
            ending = asyncio.ensure_future(forks.ended())
        assert await ending == 0
        for task in (clicking, held):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        slack.complaints.clear()
        await _check(slack, database)
        return assassin.method


async def _click_until_answered(slack: SlackServer) -> None:
    """Mara presses the button; where Slack tells her that nothing happened, she presses it again."""
    while True:
        await slack.wait_until(lambda: _has_buttons(slack) and bool(slack.sockets.connections))
        (question,) = _questions(slack)
        clicked = slack.clicks("mara", slack.message("#refunds", question), "q:choice:0")
        await clicked.wait_answered()
        if clicked.is_acked:
            return
        await slack.wait_until(lambda: not slack.sockets.connections)


def _questions(slack: SlackServer) -> list[str]:
    return [
        seen.ts
        for root in slack.seen("#refunds")
        for seen in slack.seen("#refunds", thread_ts=root.ts)[1:]
        if "Which door?" in seen.text
    ]


def _has_buttons(slack: SlackServer) -> bool:
    return any(
        block.get("block_id") == "q:buttons"
        for ts in _questions(slack)
        for block in slack.message("#refunds", ts).blocks
    )


async def _check(slack: SlackServer, database: Path) -> None:
    (root,) = slack.seen("#refunds")
    (question,) = slack.seen("#refunds", thread_ts=root.ts)[1:]
    assert question.buttons == ()
    assert ":white_check_mark: Answered by @mara" in question.text
    store = await Store.open(database)
    try:
        (entry,) = await store.audit(tenant="default", limit=10)
        timeline = await store.timeline("s-slack")
    finally:
        await store.aclose()
    assert (entry.responder, entry.resolution) == ("mara@home.example", "decided")
    assert timeline is not None
    (execution,) = timeline.executions
    assert execution.outcome_json == '{"result":"left"}'
    assert sorted((each.kind, each.status) for each in timeline.deliveries if each.status != "dropped")[-1] == (
        "withdraw",
        "sent",
    )
