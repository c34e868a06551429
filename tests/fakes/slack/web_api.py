"""The Web API over HTTP: what comes in is read as Slack reads it, checked, done and answered.

See https://docs.slack.dev/apis/web-api
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from aiohttp import web

from . import (
    app_methods,
    chat_methods,
    conversation_methods,
    file_methods,
    people_methods,
    reaction_methods,
    view_methods,
)
from .faults import Broken, Cut, Hold, Limited, Misfortunes, Refused
from .methods import Call, Method, World
from .people import App
from .rates import Limiter
from .refusals import Refusal
from .shapes import JsonObject, copied, object_of
from .tasks import Changes

METHODS: Mapping[str, Method] = {
    method.name: method
    for family in (
        app_methods,
        chat_methods,
        conversation_methods,
        file_methods,
        people_methods,
        reaction_methods,
        view_methods,
    )
    for method in family.METHODS
}

FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


@dataclass(slots=True, kw_only=True)
class Received:
    """One call as it came, and how it ended: ``ok``, an error's name, ``http 500`` or ``cut``."""

    method: str
    arguments: JsonObject
    outcome: str = ""


class WebApi:
    """Serves ``/api/METHOD``."""

    def __init__(
        self,
        *,
        world: World,
        limiter: Limiter,
        misfortunes: Misfortunes,
        changes: Changes,
        complain: Callable[[str], None],
    ) -> None:
        self._world = world
        self._limiter = limiter
        self._misfortunes = misfortunes
        self._changes = changes
        self._complain = complain
        self.received: list[Received] = []

    async def accept(self, request: web.Request) -> web.StreamResponse:
        received = Received(method=request.match_info["method"], arguments={})
        self.received.append(received)
        try:
            response = await self._answer(request, received)
        except Refusal as refusal:
            received.outcome = refusal.error
            response = web.json_response(refusal.body())
        finally:
            self._changes.tell()
        return response

    async def _answer(self, request: web.Request, received: Received) -> web.StreamResponse:
        method = METHODS.get(received.method)
        if method is None:
            self._complain(f"there is no method {received.method!r}")
            raise Refusal("unknown_method", req_method=received.method)
        arguments, warnings = await _read(request, method)
        received.arguments = arguments
        fault = self._misfortunes.take(method.name)
        match fault:
            case Refused():
                raise Refusal(fault.error, **fault.extra)
            case Limited():
                return self._limited(received, fault.retry_after)
            case Broken():
                received.outcome = f"http {fault.status}"
                return web.Response(status=fault.status, text="<html>Server Error</html>", content_type="text/html")
            case Cut(is_done=False):
                return self._cut(request, received)
            case Hold(is_done=False):
                self._changes.tell()
                if not await fault.pass_through():
                    return self._cut(request, received)
            case Cut() | Hold() | None:
                pass
        channel = arguments.get("channel", "")
        wait_s = self._limiter.wait_s(method.name, method.tier, channel if isinstance(channel, str) else "")
        if wait_s is not None:
            return self._limited(received, wait_s)
        _check_token(request, method, arguments, self._world.workspace.app)
        call = Call(method=method.name, arguments=arguments, world=self._world)
        method.check(arguments)
        if method.scopes:
            call.need(*method.scopes)
        body: JsonObject = {"ok": True, **copied(method.do(call))}
        received.outcome = "ok"
        if warnings:
            body |= {"warning": ",".join(warnings)}
            body["response_metadata"] = object_of(body.get("response_metadata")) | {"warnings": warnings}
        if isinstance(fault, Hold):
            self._changes.tell()
            if not await fault.pass_through():
                return self._cut(request, received)
        if isinstance(fault, Cut):
            return self._cut(request, received)
        return web.json_response(body, headers=self._scopes(method))

    def _scopes(self, method: Method) -> dict[str, str]:
        return {
            "x-oauth-scopes": ",".join(self._world.workspace.app.scopes),
            "x-accepted-oauth-scopes": ",".join(method.scopes),
        }

    def _limited(self, received: Received, retry_after: int | str | None) -> web.Response:
        """See https://docs.slack.dev/apis/web-api/rate-limits#responding"""
        received.outcome = "ratelimited"
        headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
        return web.json_response({"ok": False, "error": "ratelimited"}, status=429, headers=headers)

    def _cut(self, request: web.Request, received: Received) -> web.StreamResponse:
        received.outcome = "cut"
        if request.transport is not None:
            request.transport.abort()
        return web.Response(status=500)


async def _read(request: web.Request, method: Method) -> tuple[JsonObject, list[str]]:
    """The arguments, from the query and the body; and what Slack warns of.

    See https://docs.slack.dev/apis/web-api/#basics, "POST bodies", and the errors that every method's page lists.
    """
    arguments: JsonObject = dict(request.query)
    warnings: list[str] = []
    if request.method == "GET":
        return arguments, warnings
    body = await request.read()
    kind = request.headers.get("Content-Type", "").split(";")[0].strip().lower()
    if kind in FORMS:
        arguments.update({name: value for name, value in (await request.post()).items() if isinstance(value, str)})
    elif kind == "application/json":
        try:
            given: Any = json.loads(body)
        except ValueError:
            raise Refusal("invalid_json") from None
        if not isinstance(given, dict):
            raise Refusal("json_not_object")
        if request.charset is None:
            warnings.append("missing_charset")
        if method.takes_json:
            arguments.update(cast("JsonObject", given))
    elif body and not kind:
        raise Refusal("missing_post_type")
    elif body:
        raise Refusal("invalid_post_type")
    return arguments, warnings


def _check_token(request: web.Request, method: Method, arguments: JsonObject, app: App) -> None:
    """The token comes in the header, or in a form; in a query it is not looked at.

    See https://docs.slack.dev/authentication/tokens
    """
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        is_form = request.content_type in FORMS and "token" not in request.query
        token = str(arguments.get("token") or "") if is_form else ""
    token = token.strip()
    if not token:
        raise Refusal("not_authed")
    if token in app.retired_tokens:
        raise Refusal(app.retired_tokens[token])
    if token not in (app.bot_token, app.app_token):
        raise Refusal("invalid_auth")
    if token != (app.bot_token if method.token == "bot" else app.app_token):
        raise Refusal("not_allowed_token_type")
