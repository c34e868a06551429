"""The refund story over mail in one process, which kills itself at the n-th time it reaches a point, if it is told to.

    python -m tests.crash.mail_child

reads one JSON list a line: database, journal, port of the SMTP server, port to listen on for LMTP, clock shift in seconds,
where to die (``before`` or ``after`` a commit, ``sending``, ``sent``, ``never``), at which count. Each line is carried out by a
fork, whose exit code is printed. The fork starts the session if it is not there, and ends when that rests and nothing is left to
be sent.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from overwinter.actors.answers import Received
from overwinter.actors.errors import EffectConflictError
from overwinter.actors.ids import RandomIds
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.runtime import Runtime
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.tools import ToolCall, tool
from overwinter.channels.interpreters.rules import RulesInterpreter
from overwinter.channels.mail.channel import MailChannel
from overwinter.channels.mail.connection import MailConnection, MailSettings
from overwinter.channels.mail.servers import LmtpListener, SmtpServer, Tls
from overwinter.channels.mail.settings import MailReading
from overwinter.channels.mail.smtp import SmtpSender
from overwinter.channels.roles import Answerer, ApprovalRole
from overwinter.deploy.logs import configure_logs
from overwinter.deploy.settings import LogFormat, LogLevel
from overwinter.store.store import Store

from ..fakes.mail_client import BORDER
from .child import Bomb, ShiftedClock

SESSION = "s-mail"
MARA = "mara@corp.example"


def build(journal: Path) -> App:
    role = ApprovalRole(name="refund-approval", answered_by=Answerer.CHANNEL, interpreter=RulesInterpreter())

    @tool(asks=role)
    async def refund(order: int, call: ToolCall[Any]) -> str:
        """Refund an order."""
        with journal.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"order": order, "key": call.key}) + "\n")
            file.flush()
            os.fsync(file.fileno())
        return "refunded"

    script = ScriptedModel.by_turn([calls("refund", {"order": 4471}), says("Refunded.")])
    agent = Agent(name="support", tools=[refund], model=script)
    return App(name="shop", agents=[agent], channels={role: MailChannel([MARA])})


def die_sending(bomb: Bomb) -> None:
    """Reach the bomb before a mail is handed to its server, and when the server has it and nobody has written that down."""
    send = SmtpSender.send

    async def counted(self: SmtpSender, message: bytes, *, sender: str, recipient: str) -> None:
        bomb.reach("sending")
        await send(self, message, sender=sender, recipient=recipient)
        bomb.reach("sent")

    setattr(SmtpSender, "send", counted)  # noqa: B010  only this process is to die of it


async def run(database: Path, journal: Path, smtp: int, lmtp: int, shift_s: int, bomb: Bomb) -> None:
    store = await Store.open(database)
    bomb.arm()
    die_sending(bomb)
    settings = MailSettings(
        reading=MailReading(reply_address="agent@ask.example.net", authserv_id=BORDER, display_name="Ops Agent"),
        keys=(b"k" * 32,),
        smtp=SmtpServer(host="127.0.0.1", port=smtp, tls=Tls.NONE),
        lmtp=LmtpListener(port=lmtp),
    )
    runtime = Runtime(
        app=build(journal),
        store=store,
        clock=ShiftedClock(shift_s),
        ids=RandomIds(),
        connections=[MailConnection(settings)],
    )
    work = asyncio.create_task(runtime.supervisor.run())
    hints = store.subscribe()
    try:
        with suppress(EffectConflictError):  # started by the process before
            await runtime.sessions.start(
                program="support",
                owner="olga",
                message="refund 4471",
                session_id=SESSION,
                received=Received(channel="test", external_id="m1"),
            )
        async with asyncio.timeout(30):
            while not await _is_over(runtime):
                await hints.wait()
    finally:
        hints.close()
        runtime.supervisor.stop()
        await work
        await store.aclose()


async def _is_over(runtime: Runtime) -> bool:
    session = await runtime.store.session(SESSION)
    if session is None or session.status != "idle" or (await runtime.store.due()).delivery_ms is not None:
        return False
    return not any([await teller.due_ms() for teller in runtime.tellers])


def main() -> None:
    configure_logs(level=LogLevel.ERROR, form=LogFormat.JSON, stream=sys.stderr)
    for line in sys.stdin:
        database, journal, smtp, lmtp, shift_s, where, count = json.loads(line)
        if (pid := os.fork()) == 0:
            asyncio.run(run(Path(database), Path(journal), smtp, lmtp, shift_s, Bomb(where, count)))
            sys.exit(0)
        _, status = os.waitpid(pid, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201  the answer to the test


if __name__ == "__main__":
    main()
