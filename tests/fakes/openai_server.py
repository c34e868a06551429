"""A server on loopback that speaks chat completions and does what it is told: reply, refuse, fall silent, hang up."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web

JsonObject = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Answers with a status and a body: JSON, or bytes as they are."""

    body: JsonObject | bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict[str, str])
    content_type: str = "application/json"


@dataclass(frozen=True, slots=True)
class Silence:
    """Takes the request and never answers."""


@dataclass(frozen=True, slots=True)
class HangUp:
    """Begins a body, promises more and cuts the connection."""


Act = Answer | Silence | HangUp


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: JsonObject


def completion(
    *, message: JsonObject, finish_reason: str | None = "stop", input_tokens: int = 11, output_tokens: int = 7
) -> Answer:
    """A reply as OpenAI sends it."""
    return Answer(
        body={
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_767_225_600,
            "model": "fake-1",
            "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish_reason}],
            "usage": {
                "prompt_tokens": input_tokens,
                "completion_tokens": output_tokens,
                "total_tokens": input_tokens + output_tokens,
            },
        }
    )


def said(text: str) -> Answer:
    return completion(message={"content": text})


def called(*calls: tuple[str, str, str]) -> Answer:
    """A reply with tool calls, each given as id, name and arguments."""
    return completion(
        message={
            "content": None,
            "tool_calls": [
                {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
                for call_id, name, arguments in calls
            ],
        },
        finish_reason="tool_calls",
    )


def error(status: int, message: str, *, code: str | None = None, headers: dict[str, str] | None = None) -> Answer:
    """An error as OpenAI sends it."""
    return Answer(
        status=status, headers=headers or {}, body={"error": {"message": message, "type": "error", "code": code}}
    )


class OpenAIServer:
    """The server. Acts are done in order, one for each request; a request too many is answered with 418."""

    def __init__(self, *acts: Act) -> None:
        self._acts = list(acts)
        self._came = asyncio.Condition()
        self._stopped = asyncio.Event()
        self._runner: web.AppRunner | None = None
        self.received: list[Received] = []
        self.base_url = ""

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._handle)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        host, port = self._runner.addresses[0][:2]
        self.base_url = f"http://{host}:{port}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._stopped.set()
        assert self._runner is not None
        await self._runner.cleanup()

    def will(self, *acts: Act) -> None:
        """Do these too, after those it was told before."""
        self._acts.extend(acts)

    async def wait_for_requests(self, count: int) -> None:
        """Return once so many requests have come, in all."""
        async with self._came:
            await self._came.wait_for(lambda: len(self.received) >= count)

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        received = Received(path=request.path, headers=dict(request.headers), body=await request.json())
        async with self._came:
            self.received.append(received)
            self._came.notify_all()
        match self._acts.pop(0) if self._acts else error(418, "the fake has nothing left to do"):
            case Answer() as answer:
                body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
                return web.Response(
                    body=body, status=answer.status, headers=answer.headers, content_type=answer.content_type
                )
            case Silence():
                await self._stopped.wait()
                return web.Response(status=503)
            case HangUp():
                response = web.StreamResponse(headers={"Content-Length": "1000"})
                response.content_type = "application/json"
                await response.prepare(request)
                await response.write(b'{"choices": [')
                assert request.transport is not None
                request.transport.close()
                return response
