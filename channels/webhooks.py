"""The HTTP address of webhooks: reads a call, as far as it may be read, and answers what ``actors.webhooks`` says.

POST /hooks/SLUG/TOKEN          for senders that can be given an address alone
POST /hooks/SLUG                with ``Authorization: Bearer TOKEN``
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import structlog
from aiohttp import web

from ..actors.webhooks import NOT_FOUND, PACKED, TOO_LARGE, TOO_SLOW, UNREADABLE, WebhookAnswer, Webhooks

BODY_S = 30.0
"""How long a body may take: who sends one by the byte would else hold a connection for ever."""

IDLE_S = 30.0
"""How long a connection may have nothing to say, or no more than a part of its headers: they would else fill up the process."""

_log = structlog.get_logger("overwinter.webhooks")


def webhook_app(webhooks: Webhooks, *, body_s: float = BODY_S) -> web.Application:
    """The address, to be served by itself or as a part of another application.

    Args:
        body_s: how long a body may take to come.
    """

    async def take(request: web.Request) -> web.Response:
        answer = await answered(request)
        if answer.status >= 400:
            # Who has no token may be anybody who scans; who has one, and is refused, is somebody whose calls are missed.
            tell = _log.info if answer is NOT_FOUND else _log.warning
            tell(
                "webhook.refused",
                trigger=request.match_info["slug"][:80],
                status=answer.status,
                why=answer.body["error"],
            )
        headers = {} if answer.retry_after_s is None else {"Retry-After": str(answer.retry_after_s)}
        return web.json_response(answer.body, status=answer.status, headers=headers)

    async def answered(request: web.Request) -> WebhookAnswer:
        scheme, _, bearer = request.headers.get("Authorization", "").partition(" ")
        token = request.match_info.get("token", bearer.strip() if scheme.lower() == "bearer" else "")
        called = await webhooks.called(request.match_info["slug"], token)
        if called is None:
            return NOT_FOUND
        if any(each.strip().lower() not in ("", "identity") for each in request.headers.getall("Content-Encoding", ())):
            return PACKED  # what is signed is what is sent, and how large it is would be known too late
        try:
            async with asyncio.timeout(body_s):
                body = await _read(request, most=called.when.max_bytes)
        except TimeoutError:
            return TOO_SLOW
        except (web.RequestPayloadError, ConnectionError):
            return UNREADABLE
        if body is None:
            return TOO_LARGE
        return await webhooks.receive(called, headers=request.headers, body=body)

    app = web.Application()
    app.add_routes([web.post("/hooks/{slug}/{token}", take), web.post("/hooks/{slug}", take)])
    return app


async def _read(request: web.Request, *, most: int) -> bytes | None:
    """The body; None as soon as it is more than it may be, without reading the rest."""
    if (request.content_length or 0) > most:
        return None
    body = bytearray()
    async for chunk in request.content.iter_chunked(64 * 1024):
        body += chunk
        if len(body) > most:
            return None
    return bytes(body)


@asynccontextmanager
async def serving(app: web.Application, *, host: str, port: int, idle_s: float = IDLE_S) -> AsyncGenerator[int]:
    """Serve while the block runs. Yields the port, which is another than the one given where that is 0.

    Args:
        idle_s: how long a connection may have no whole request.
    """
    # No log of requests: an address may hold a token.
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=3.0, keepalive_timeout=idle_s, auto_decompress=False)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        await site.start()
        addresses: list[tuple[str, int]] = runner.addresses
        yield addresses[0][1]
    finally:
        await runner.cleanup()
