"""An app for whole processes: it asks, and then pays inside a step that lasts until the test lets it end.

``overwinter serve tests/crash/paying.py:app`` works in the folder it is started in. The file ``journal`` there is the
outside world: a line when the step's body begins and one when it ends, with the process and the idempotency key. The body goes
on once there is a file ``go``.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from overwinter.actors.clock import SystemClock
from overwinter.actors.run import Run
from overwinter.bots.app import App
from overwinter.bots.testing.channel import RecordingChannel
from overwinter.bots.workflows import workflow
from overwinter.channels.roles import Answerer, QuestionRole

MANAGER = QuestionRole(name="manager", answer=str, answered_by=Answerer.CHANNEL)
LOOK_EVERY_MS = 20


def build(folder: Path) -> App:
    clock = SystemClock()

    def note(what: str, key: str) -> None:
        line = json.dumps({"what": what, "key": key, "pid": os.getpid()}) + "\n"
        with (folder / "journal").open("a", encoding="utf-8") as file:
            file.write(line)
            file.flush()

    async def body(key: str) -> str:
        note("begin", key)
        while not (folder / "go").exists():
            await clock.sleep_until_ms(clock.now_ms() + LOOK_EVERY_MS)
        note("end", key)
        return "paid"

    @workflow(version="1")
    async def pays(run: Run) -> str:
        answer = await run.ask(MANAGER, "Pay?")
        return f"{answer}: {await run.perform('pay', body, wants_key=True)}"

    @workflow(version="1")
    async def pays_unasked(run: Run) -> str:
        return await run.perform("pay", body, wants_key=True)

    return App(name="paying", workflows=[pays, pays_unasked], channels={MANAGER: RecordingChannel()})


app = build(Path())
