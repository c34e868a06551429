"""A shop whose managers are asked by mail, with a mail server that keeps everything."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from overwinter.actors.clock import ManualClock
from overwinter.actors.reception import Connection
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.testing.kit import Kit
from overwinter.bots.tools import ToolCall, tool
from overwinter.channels.interpreters.rules import RulesInterpreter
from overwinter.channels.mail.channel import MailChannel
from overwinter.channels.mail.connection import MailConnection, MailSettings
from overwinter.channels.mail.correspondence import Register
from overwinter.channels.mail.receiving import Arrived, Handled
from overwinter.channels.mail.settings import MailReading
from overwinter.channels.roles import Answerer, ApprovalRole
from overwinter.channels.web.connection import PageConnection
from overwinter.channels.web.settings import PageSettings
from overwinter.deploy.paging import page_connection_of
from overwinter.store.rows import QuarantineRow

from ..fakes.mail_client import BORDER, reply_to
from ..fakes.smtp_server import Mailed, SmtpFake, smtp_fake

MARA, LONE = "mara@corp.example", "lone@corp.example"
READING = MailReading(reply_address="agent@ask.example.net", authserv_id=BORDER, display_name="Ops Agent")
KEY = b"k" * 32


@dataclass
class MailOffice:
    """An app at work, its mail server, and what its tool did.

    Attributes:
        connection: the present one; made again at each restart.
        keys: for tokens.
        refunds: the arguments of each run of the tool.
        servers: in place of ``smtp``.
        more: what the app has besides.
    """

    path: Path
    smtp: SmtpFake
    people: Sequence[str] = (MARA,)
    role: dict[str, Any] = field(default_factory=dict[str, Any])
    keys: tuple[bytes, ...] = (KEY,)
    reading: MailReading = READING
    refunds: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    times: int = 1
    servers: dict[str, Any] | None = None
    page: PageSettings | None = None
    more: dict[str, Any] = field(default_factory=dict[str, Any])
    connection: MailConnection = field(init=False)
    answer_page: PageConnection = field(init=False)
    kit: Kit = field(init=False)
    session_id: str = ""

    def __post_init__(self) -> None:
        self.clock = ManualClock()
        self.kit = Kit(build=self._app, path=self.path, clock=self.clock, connect=self._connect)

    def _connect(self) -> Sequence[Connection]:
        servers = self.servers or {"smtp": self.smtp.server()}
        page_of = None if self.page is None else self.page.url_of
        self.connection = MailConnection(MailSettings(reading=self.reading, keys=self.keys, page_of=page_of, **servers))
        if self.page is None:
            return (self.connection,)
        self.answer_page = page_connection_of(self.page, self.connection)
        return self.connection, self.answer_page

    def _app(self) -> App:
        role = ApprovalRole(
            name="refund-approval", answered_by=Answerer.CHANNEL, interpreter=RulesInterpreter(), **self.role
        )

        @tool(asks=role)
        async def refund(order: int, amount: str, call: ToolCall[Any]) -> str:
            """Refund an order."""
            self.refunds.append({"order": order, "amount": amount})
            return f"refunded {amount}"

        asked = [calls("refund", {"order": 4471 + at, "amount": "1234.56 EUR"}) for at in range(self.times)]
        agent = Agent(name="support", tools=[refund], model=ScriptedModel.by_turn([*asked, says("Done.")]))
        return App(name="shop", agents=[agent], channels={role: MailChannel(self.people)}, **self.more)

    # -- what happens --------------------------------------------------------------------------------------------------
    async def ask(self) -> Mailed:
        """Have the bot ask; the mail that the first of the people gets."""
        self.session_id = await self.kit.start("support", "refund 4471")
        return self.smtp.to(self.people[0])[-1]

    async def take(self, raw: bytes, **arrived: Any) -> Handled:
        """Have a mail come in, and let everything happen that follows."""
        handled = await self.connection.receive(Arrived(raw=raw, **arrived))
        await self.kit.settle()
        return handled

    async def answer(self, mailed: Mailed, text: str, **changed: Any) -> Handled:
        return await self.take(reply_to(mailed, text, **changed))

    @property
    def register(self) -> Register:
        """What the connection knows of its mails."""
        return Register(
            anchors=self.kit.store.anchors,
            clock=self.clock,
            connection="mail",
            keys=self.keys,
            domain=self.reading.domain,
        )

    # -- what is there -------------------------------------------------------------------------------------------------
    async def is_open(self) -> bool:
        return bool(await self.kit.pending(self.session_id))

    async def quarantined(self) -> list[QuarantineRow]:
        return list(reversed(await self.kit.store.quarantine.newest("mail", limit=100)))

    async def reasons(self) -> list[str]:
        return [row.reason for row in await self.quarantined()]


@asynccontextmanager
async def mail_office(folder: Path, **settings: Any) -> AsyncGenerator[MailOffice]:
    async with smtp_fake() as smtp:
        office = MailOffice(path=folder / "office.db", smtp=smtp, **settings)
        async with office.kit.running():
            yield office
