"""A model behind any server that speaks chat completions, reached with the ``openai`` client.

Decides what is tried again, how long is waited and what is final; the protocol's words are in ``chat_completions``. The
client's own retries are off: it waits with a sleep of its own, and here all waiting is the clock's, the time-out included.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from httpx2 import AsyncClient, Headers, Response
from openai import APIConnectionError, APIStatusError, AsyncOpenAI, DefaultAsyncHttpxClient

from ..actors.asks import JsonValue
from ..actors.clock import Clock
from ..actors.errors import ModelUnavailableError
from ..actors.messages import ModelReply, ModelRequest
from .chat_completions import MaxTokensField, error_detail, read_reply, request_body
from .errors import ModelRejectedError

_PASSING = frozenset({408, 409, 425, 429})
"""The statuses below 500 that may pass by themselves."""

_REMEDIES = {
    401: "Set a valid API key.",
    403: "See whether this key may use this model, and from here.",
    404: "Check the model's name, and the base URL (most end in /v1).",
    413: "The conversation is too long for it.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Setback:
    """Why one attempt brought no reply.

    Attributes:
        retry_after_s: how long the vendor asks to wait; None if it does not say.
        is_hopeless: another attempt soon cannot succeed.
    """

    what: str
    retry_after_s: float | None = None
    is_hopeless: bool = False
    cause: Exception | None = None


class OpenAIModel:
    """A ``Model`` on chat completions with tools.

    Nothing is read from the environment: neither ``OPENAI_*`` nor the proxy variables. An operator who wants proxies hands
    in an ``http_client`` that has them.
    """

    def __init__(
        self,
        *,
        base_url: str,
        api_key: str | None,
        model: str,
        clock: Clock,
        random: Callable[[], float],
        timeout_s: float = 120.0,
        max_attempts: int = 5,
        backoff_base_s: float = 0.5,
        backoff_cap_s: float = 30.0,
        longest_wait_s: float = 90.0,
        max_tokens_field: MaxTokensField = "max_completion_tokens",
        http_client: AsyncClient | None = None,
    ) -> None:
        """Open nothing yet: the first request connects.

        Args:
            api_key: None for a server that wants none.
            random: in [0, 1), for the jitter.
            timeout_s: for one attempt as a whole, from connecting to the last byte.
            max_attempts: the first one included.
            backoff_base_s: the first wait at most; each further one twice that, up to ``backoff_cap_s``. A random part of
                up to half is taken off.
            longest_wait_s: a vendor that asks to wait longer than this (Retry-After) is unavailable at once.
        """
        self._api_key = (api_key or "").strip()
        if not self._api_key.isascii() or not self._api_key.isprintable():
            raise ValueError("the API key holds characters that no HTTP header can carry; copy it again")
        if max_attempts < 1:
            raise ValueError(f"max_attempts is {max_attempts}; at least one attempt must be allowed")
        self._model = model
        self._clock = clock
        self._random = random
        self._timeout_s = timeout_s
        self._max_attempts = max_attempts
        self._backoff_base_s = backoff_base_s
        self._backoff_cap_s = backoff_cap_s
        self._longest_wait_s = longest_wait_s
        self._max_tokens_field: MaxTokensField = max_tokens_field
        # What is shown of the address: it may hold a password.
        self._host = urlsplit(base_url).netloc.rpartition("@")[2] or "the model's server"
        self._client = AsyncOpenAI(
            base_url=base_url,
            # The client insists on a key; servers without keys ignore the header.
            api_key=self._api_key or "none",
            max_retries=0,
            timeout=None,
            http_client=http_client or DefaultAsyncHttpxClient(timeout=None, trust_env=False),
        )
        # The client has filled these from the environment, which is read in deploy/ alone.
        self._client.organization = None
        self._client.project = None

    async def reply(self, request: ModelRequest) -> ModelReply:
        """Ask the model, again and again if need be.

        Raises:
            ModelUnavailableError: ``model.unavailable``, after the last attempt.
            ModelRejectedError: ``model.rejected``, at once: the request, the key or the model's name is refused.
        """
        body = request_body(request, model=self._model, max_tokens_field=self._max_tokens_field)
        attempt = 1
        while True:
            outcome = await self._attempt(body)
            if isinstance(outcome, ModelReply):
                return outcome
            wait_s = self._wait_s(attempt, outcome)
            if outcome.is_hopeless or attempt == self._max_attempts or wait_s > self._longest_wait_s:
                raise ModelUnavailableError(self._farewell(body["model"], attempt, outcome)) from outcome.cause
            await self._clock.sleep_until_ms(self._clock.now_ms() + round(wait_s * 1000))
            attempt += 1

    async def close(self) -> None:
        """Close the connections. A model that was closed takes no more requests."""
        await self._client.close()

    async def _attempt(self, body: dict[str, JsonValue]) -> ModelReply | _Setback:
        try:
            response = await self._within_timeout(self._client.post("/chat/completions", cast_to=Response, body=body))
        except TimeoutError as err:
            return _Setback(what=f"no reply within {self._timeout_s:g} s", cause=err)
        except APIConnectionError as err:
            return _Setback(what=f"the connection failed ({type(err.__cause__ or err).__name__})", cause=err)
        except APIStatusError as err:
            return self._setback(
                status=err.status_code,
                detail=error_detail(err.body or err.response.text),
                headers=err.response.headers,
                is_quota_used_up=err.code == "insufficient_quota",
                cause=err,
            )
        reply = read_reply(response.content)
        if isinstance(reply, ModelReply):
            return reply
        if reply.status is None:
            return _Setback(what=f"an answer that is no chat completion: {self._without_key(reply.detail)}")
        return self._setback(status=reply.status, detail=reply.detail, headers=response.headers)

    async def _within_timeout(self, request: Coroutine[Any, Any, Response]) -> Response:
        """Await the request, at most ``timeout_s`` by the clock; raise TimeoutError after that."""
        asking = asyncio.ensure_future(request)
        timer = asyncio.ensure_future(
            self._clock.sleep_until_ms(self._clock.now_ms() + round(self._timeout_s * 1000)),
        )
        try:
            await asyncio.wait((asking, timer), return_when=asyncio.FIRST_COMPLETED)
            if not asking.done():
                raise TimeoutError
            return asking.result()
        finally:
            asking.cancel()
            timer.cancel()
            await asyncio.gather(asking, timer, return_exceptions=True)

    def _setback(
        self,
        *,
        status: int,
        detail: str,
        headers: Headers,
        is_quota_used_up: bool = False,
        cause: Exception | None = None,
    ) -> _Setback:
        """What a status means: a setback if it may pass. Raises ModelRejectedError if it will not."""
        # Servers repeat the key in their errors, those of a 401 often in part. Such an error is not kept as a cause
        # either: tracebacks are logged.
        if status == 401 or (self._api_key and self._api_key in str(cause)):
            cause = None
        words = f"{status} {_phrase(status)}" + (f": {self._without_key(detail)}" if detail and status != 401 else "")
        if status < 500 and status not in _PASSING:
            remedy = _REMEDIES.get(status, "The text says what it does not take; it will not take it later either.")
            raise ModelRejectedError(f"{self._host} refused the request: {words}. {remedy}", status=status) from cause
        return _Setback(
            what=words,
            retry_after_s=retry_after_s(headers, now_ms=self._clock.now_ms()),
            is_hopeless=is_quota_used_up,
            cause=cause,
        )

    def _wait_s(self, attempt: int, setback: _Setback) -> float:
        backoff_s = min(self._backoff_cap_s, self._backoff_base_s * 2.0 ** (attempt - 1))
        jittered_s = backoff_s * (1 - self._random() / 2)
        # Never sooner than asked; the jitter on top keeps those who were told the same from coming back together.
        return jittered_s if setback.retry_after_s is None else setback.retry_after_s + jittered_s

    def _farewell(self, model: str, attempt: int, setback: _Setback) -> str:
        tries = "1 attempt" if attempt == 1 else f"{attempt} attempts"
        if setback.is_hopeless:
            remedy = "The account's quota is used up: raise it, or use another model."
        elif setback.retry_after_s is not None:
            remedy = f"It asks to wait {setback.retry_after_s:g} s."
        else:
            remedy = "Check that the server is up and can be reached from here; it can be tried again later."
        return f"The model {model} at {self._host} gave no reply in {tries}. Last: {setback.what}. {remedy}"

    def _without_key(self, text: str) -> str:
        return text.replace(self._api_key, "[the API key]") if self._api_key else text


def retry_after_s(headers: Headers, *, now_ms: int) -> float | None:
    """How long the vendor asks to wait: seconds, milliseconds or a date; None if it does not say so in a way we read."""
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        if value.replace(".", "", 1).isdecimal():
            return float(value) * unit_s
    try:
        due = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    # A date without a zone is in UTC (RFC 9110, 5.6.7).
    due = due if due.tzinfo is not None else due.replace(tzinfo=UTC)
    return max(0.0, due.timestamp() - now_ms / 1000)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "unknown status"
