"""The answer page of a mail office, and browsers that look at it."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import CookieJar
from aiohttp.test_utils import TestClient, TestServer

from overwinter.channels.web.settings import PageSettings

from ..fakes.smtp_server import Mailed
from .mail_office import KEY, MailOffice, mail_office

BASE = "http://ask.example.net/overwinter"
PAGE = PageSettings(base_url=BASE, host="127.0.0.1", port=0, keys=(KEY,))

NUMBER = re.compile(r"type the number <b>(\d{4})</b>")
FORM = re.compile(r'<form method="(post|get)".*?</form>', re.DOTALL)
HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')
CHOICE = re.compile(r'<input type="radio" name="chosen" value="([^"]*)"')


@dataclass
class Browser:
    """One browser: its cookies, and what it was shown last."""

    client: TestClient[Any, Any]
    path: str
    shown: str = field(default="", init=False)
    status: int = field(default=0, init=False)

    async def open(self) -> str:
        return await self.got(await self.client.get(self.path))

    async def send(self, **fields: str) -> str:
        """Send the first form of the page that was shown, filled in with ``fields``."""
        return await self.got(await self.client.post(self.path, data=self.hidden() | fields))

    async def confirm(self, number: str | None = None) -> str:
        found = NUMBER.search(self.shown)
        assert found is not None, self.shown
        return await self.send(number=number or found[1])

    async def answer(self, **fields: str) -> str:
        await self.open()
        await self.send(**fields)
        return await self.confirm()

    def hidden(self) -> dict[str, str]:
        form = next(each for each in FORM.finditer(self.shown) if each[1] == "post")
        return {name: unescape(text) for name, text in HIDDEN.findall(form[0])}

    async def got(self, response: aiohttp.ClientResponse) -> str:
        self.status = response.status
        self.shown = await response.text()
        return self.shown


@dataclass
class Site:
    """An app at work with its page."""

    office: MailOffice
    server: TestServer

    @asynccontextmanager
    async def browser(self, mailed: Mailed | None = None, *, path: str | None = None) -> AsyncGenerator[Browser]:
        """A browser, with the link of a mail."""
        client = TestClient(self.server, cookie_jar=CookieJar(unsafe=True))
        try:
            yield Browser(client=client, path=path or path_in(mailed))
        finally:
            await client.session.close()

    async def settle(self) -> None:
        await self.office.kit.settle()


def path_in(mailed: Mailed | None) -> str:
    assert mailed is not None
    found = re.search(
        re.escape("http://ask.example.net") + r"(/overwinter/a/[0-9a-z]{26}\.[a-z2-7]{26})\s", mailed.text
    )
    assert found is not None, mailed.text
    return found[1]


@asynccontextmanager
async def site(folder: Path, **settings: Any) -> AsyncGenerator[Site]:
    async with mail_office(folder, **{"page": PAGE, **settings}) as office:
        server = TestServer(office.answer_page.app())
        await server.start_server()
        try:
            yield Site(office=office, server=server)
        finally:
            await server.close()
