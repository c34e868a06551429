"""Serves the answer page beside the supervisor. Nothing is sent through it: the channels that send links do that."""

from __future__ import annotations

import asyncio

import structlog
from aiohttp import web

from ...actors.errors import ChannelRejectedError
from ...actors.notes import Note
from ...actors.ports import Channel
from ...actors.reception import DeclaredChannel, Reception
from .bearers import Bearers
from .handlers import AnswerPage
from .settings import PageSettings

CONNECTION = "page"
_GRACE_S = 10.0
"""For what is being recorded when the service stops."""

_log = structlog.get_logger("overwinter.web")


class PageConnection:
    """The page as a connection: a way in, and no way out."""

    def __init__(self, settings: PageSettings, *, bearers: Bearers, name: str = CONNECTION) -> None:
        self.name = name
        self._settings = settings
        self._bearers = bearers
        self._page: AnswerPage | None = None

    def open(self, reception: Reception) -> None:
        self._page = AnswerPage(
            settings=self._settings,
            bearers=self._bearers,
            questions=reception.questions,
            answering=reception.answering,
            clock=reception.clock,
            ids=reception.ids,
            name=self.name,
        )

    def channel_for(self, declared: DeclaredChannel) -> Channel:
        raise ValueError("the answer page sends nothing; name the channel whose mails have its links")

    async def tell(self, note: Note) -> None:
        raise ChannelRejectedError("the answer page tells nobody anything")

    async def run(self) -> None:
        """Serve until it is cancelled; what is being recorded then is finished."""
        runner = web.AppRunner(self.app(), access_log=None, shutdown_timeout=_GRACE_S)
        await runner.setup()
        try:
            await web.TCPSite(runner, self._settings.host, self._settings.port).start()
            _log.info("page.listening", host=self._settings.host, port=self._settings.port)
            await asyncio.Event().wait()
        finally:
            await runner.cleanup()

    def app(self) -> web.Application:
        """The routes, to be served by whoever has a server.

        Raises:
            RuntimeError: the connection is not open yet.
        """
        if self._page is None:
            raise RuntimeError("the connection is not open; give it to a runtime")
        return self._page.app()
