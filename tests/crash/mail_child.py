"""The refund story over mail in one process, which kills itself at the n-th time it reaches a point, if it is told to.

Its arguments (``forking``): database, journal, port of the SMTP server, port to listen on for LMTP, clock shift in seconds,
where to die (``before`` or ``after`` a commit, ``sending``, ``sent``, ``never``), at which count. A fork starts the session if it
is not there, and ends when that rests and nothing is left to be sent.
"""

from __future__ import annotations

import json
import os
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
from overwinter.deploy.settings import LogLevel
from overwinter.store.store import Store

from ..fakes.mail_client import BORDER
from .forking import Bomb, ShiftedClock, carry_out, live

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


async def run(database: str, journal: str, smtp: int, lmtp: int, shift_s: int, where: str, count: int) -> None:
    store = await Store.open(Path(database))
    bomb = Bomb(where, count)
    bomb.arm()
    die_sending(bomb)
    settings = MailSettings(
        reading=MailReading(reply_address="agent@ask.example.net", authserv_id=BORDER, display_name="Ops Agent"),
        keys=(b"k" * 32,),
        smtp=SmtpServer(host="127.0.0.1", port=smtp, tls=Tls.NONE),
        lmtp=LmtpListener(port=lmtp),
    )
    runtime = Runtime(
        app=build(Path(journal)),
        store=store,
        clock=ShiftedClock(shift_s),
        ids=RandomIds(),
        connections=[MailConnection(settings)],
    )

    async def begin() -> None:
        with suppress(EffectConflictError):  # started by the process before
            await runtime.sessions.start(
                program="support",
                owner="olga",
                message="refund 4471",
                session_id=SESSION,
                received=Received(channel="test", external_id="m1"),
            )

    await live(runtime, lambda: _is_over(runtime), begin=begin, within_s=30)


async def _is_over(runtime: Runtime) -> bool:
    session = await runtime.store.session(SESSION)
    if session is None or session.status != "idle" or (await runtime.store.due()).delivery_ms is not None:
        return False
    return not any([await teller.due_ms() for teller in runtime.tellers])


if __name__ == "__main__":
    carry_out(run, level=LogLevel.ERROR)
