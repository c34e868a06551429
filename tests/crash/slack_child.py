"""One question over Slack in one process, which somebody else kills.

    python -m tests.crash.slack_child

reads one JSON list a line: database, base URL, bot token, app token, clock shift in seconds. Each line is carried out by a fork of
this process, which has imported everything and has no thread yet; its process id is printed, then its exit code. The fork
starts the session if it is not there, and ends when the session rests and nothing is left to be told.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import suppress
from pathlib import Path

from overwinter.actors.answers import Received
from overwinter.actors.errors import EffectConflictError
from overwinter.actors.ids import RandomIds
from overwinter.actors.run import Run
from overwinter.bots.app import App
from overwinter.bots.runtime import Runtime
from overwinter.bots.workflows import workflow
from overwinter.channels.roles import Answerer, QuestionRole
from overwinter.channels.slack.client import SlackClient
from overwinter.channels.slack.connection import SlackConnection, SocketMode
from overwinter.channels.slack.declared import SlackChannel
from overwinter.deploy.logs import configure_logs
from overwinter.deploy.settings import LogFormat, LogLevel
from overwinter.store.store import Store

from .forking import ShiftedClock

SESSION = "s-slack"
DOOR = QuestionRole(name="door", answer=str, choices=("left", "right"), answered_by=Answerer.CHANNEL)


@workflow(version="1")
async def asking(run: Run, prompt: str) -> str:
    return await run.ask(DOOR, prompt)


async def run(database: Path, base_url: str, bot_token: str, app_token: str, shift_s: int) -> None:
    clock = ShiftedClock(shift_s)
    client = SlackClient(token=bot_token, clock=clock, secrets=(app_token,), base_url=base_url)
    connection = SlackConnection(client=client, way=SocketMode(app_token=app_token), clock=clock)
    store = await Store.open(database)
    app = App(name="office", workflows=[asking], channels={DOOR: SlackChannel("#refunds", answerers=["@finance"])})
    runtime = Runtime(app=app, store=store, clock=clock, ids=RandomIds(), connections=[connection])
    work = asyncio.create_task(runtime.supervisor.run())
    hints = store.subscribe()
    try:
        with suppress(EffectConflictError):  # started by the process before
            await runtime.sessions.start(
                program="asking",
                owner="olga",
                message="Which door?",
                session_id=SESSION,
                received=Received(channel="test", external_id="m1"),
            )
        async with asyncio.timeout(30):
            while not await _is_over(store, runtime):
                with suppress(TimeoutError):  # what is in the supervisor's hands ends without a hint
                    await asyncio.wait_for(hints.wait(), 0.05)
    finally:
        hints.close()
        runtime.supervisor.stop()
        await work
        await connection.aclose()
        await store.aclose()


async def _is_over(store: Store, runtime: Runtime) -> bool:
    session = await store.session(SESSION)
    is_done = session is not None and session.status in ("idle", "ended", "failed")
    return is_done and (await store.due()).delivery_ms is None and not runtime.supervisor.is_busy


def main() -> None:
    configure_logs(level=LogLevel.INFO, form=LogFormat.JSON, stream=sys.stderr)
    for line in sys.stdin:
        database, base_url, bot_token, app_token, shift_s = json.loads(line)
        if (pid := os.fork()) == 0:
            asyncio.run(run(Path(database), base_url, bot_token, app_token, shift_s))
            os._exit(0)
        print(pid, flush=True)  # noqa: T201  for the test, which may kill it
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
