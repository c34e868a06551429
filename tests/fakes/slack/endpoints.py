"""The app's own request URL: verified once, then told of events and interactions by signed requests.

See https://docs.slack.dev/apis/events-api/using-http-request-urls and
https://docs.slack.dev/authentication/verifying-requests-from-slack
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast
from urllib.parse import urlencode

import aiohttp

from overwinter.actors.clock import Clock

from .deliveries import Acked, Missed, Outgoing, finish_by
from .people import App
from .shapes import JsonObject
from .signatures import signed


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What the request URL answered."""

    status: int
    headers: Mapping[str, str]
    text: str

    def body(self) -> JsonObject | None:
        """Its JSON object; an empty one for an empty answer; None where it is neither."""
        if not self.text.strip():
            return {}
        try:
            value: object = json.loads(self.text)
        except ValueError:
            return None
        return cast("JsonObject", value) if isinstance(value, dict) else None


class HttpWire:
    """Posts to the app's request URL."""

    def __init__(self, *, clock: Clock, app: App, complain: Callable[[str], None]) -> None:
        self._clock = clock
        self._app = app
        self._complain = complain
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    async def verify(self, url: str, *, challenge: str) -> None:
        """Save the URL if it gives the challenge back. See https://docs.slack.dev/reference/events/url_verification"""
        body = {"token": self._app.verification_token, "challenge": challenge, "type": "url_verification"}
        answered = await self.post(json.dumps(body).encode(), url=url)
        echoed = answered.text.strip()
        if not 200 <= answered.status < 300 or challenge not in (echoed, (answered.body() or {}).get("challenge")):
            raise AssertionError(f"the URL didn't respond with the value of the challenge: {answered}")
        self._app.request_url = url

    async def send(self, outgoing: Outgoing) -> Acked | Missed:
        headers: dict[str, str] = {}
        if outgoing.kind == "events_api":
            body, content_type = json.dumps(outgoing.payload).encode(), "application/json"
            if outgoing.reason:
                headers |= {"X-Slack-Retry-Num": str(outgoing.attempt), "X-Slack-Retry-Reason": outgoing.reason}
        else:
            body = urlencode({"payload": json.dumps(outgoing.payload)}).encode()
            content_type = "application/x-www-form-urlencoded"
        posting = asyncio.ensure_future(self.post(body, content_type=content_type, headers=headers))
        try:
            answered = await finish_by(posting, clock=self._clock, due_ms=outgoing.ack_by_ms)
        except aiohttp.ClientError:
            return Missed(reason="connection_failed")
        if answered is None:
            return Missed(reason="http_timeout")
        is_final = answered.headers.get("X-Slack-No-Retry") == "1"
        if not 200 <= answered.status < 300:
            return Missed(reason="http_error", is_final=is_final)
        reply = answered.body()
        if reply is None and outgoing.kind == "interactive":
            self._complain(f"an interaction was answered with what is no JSON object: {answered.text!r}")
        return Acked(reply or {})

    async def post(
        self,
        body: bytes,
        *,
        url: str | None = None,
        content_type: str = "application/json",
        headers: Mapping[str, str] | None = None,
        at_s: int | str | None = None,
        secret: str | None = None,
    ) -> Answered:
        """Post anything, signed for any time and with any secret: what a test of signatures needs."""
        if self._session is None:
            self._session = aiohttp.ClientSession()
        vouch = signed(
            body,
            secret=secret or self._app.signing_secret,
            at_s=self._clock.now_ms() // 1000 if at_s is None else at_s,
        )
        to = url or self._app.request_url
        assert to is not None, "the app has no request URL"
        sent = {"Content-Type": content_type, "User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)"}
        async with self._session.post(
            to, data=body, headers={**sent, **vouch, **(headers or {})}, allow_redirects=False
        ) as response:
            return Answered(status=response.status, headers=response.headers.copy(), text=await response.text())
