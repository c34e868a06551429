"""Response URLs: what an app may do with one after an interaction, five times within thirty minutes.

See https://docs.slack.dev/interactivity/handling-user-interaction#message_responses
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace

from aiohttp import web

from .blocks import with_ids
from .checks import least_of_message
from .messages import Message
from .shapes import JsonObject, objects
from .workspace import Workspace

USES = 5
LIVES_MS = 30 * 60 * 1000
KNOWN = {
    "attachments",
    "blocks",
    "delete_original",
    "metadata",
    "mrkdwn",
    "replace_original",
    "response_type",
    "text",
    "thread_ts",
    "unfurl_links",
    "unfurl_media",
}


@dataclass(slots=True)
class _Url:
    message: Message
    by: str
    made_ms: int
    uses: int = 0


class ResponseUrls:
    """The URLs that were given out."""

    def __init__(self, *, workspace: Workspace, complain: Callable[[str], None]) -> None:
        self._workspace = workspace
        self._complain = complain
        self._urls: dict[str, _Url] = {}
        self.base_url = ""

    def make(self, message: Message, *, by: str) -> str:
        key = str(self._workspace.number())
        self._urls[key] = _Url(message, by, self._workspace.clock.now_ms())
        return f"{self.base_url}/actions/{key}"

    async def accept(self, request: web.Request) -> web.Response:
        """Do what the app posted to a URL."""
        url = self._urls.get(request.match_info["key"])
        if url is None:
            return _error("invalid_url", status=404)
        if self._workspace.clock.now_ms() - url.made_ms > LIVES_MS:
            return _error("expired_url", status=404)
        if url.uses >= USES:
            return _error("used_url", status=404)
        try:
            body: JsonObject = json.loads(await request.text())
        except ValueError:
            return _error("invalid_payload", status=400)
        if unknown := set(body) - KNOWN:
            self._complain(f"a response URL takes no {sorted(unknown)}")
        blocks = objects(body.get("blocks"))
        if complaints := least_of_message(body):
            self._complain(f"invalid blocks posted to a response URL: {complaints}")
            return _error("invalid_blocks", status=400)
        url.uses += 1
        return self._do(url, body, blocks)

    def _do(self, url: _Url, body: JsonObject, blocks: list[JsonObject]) -> web.Response:
        workspace = self._workspace
        old = url.message
        now = workspace.find_ephemeral(old.channel, old.ts) if old.only_for else workspace.find(old.channel, old.ts)
        kept = with_ids(blocks, lambda: f"block-{workspace.number()}")
        text = body.get("text", "")
        if body.get("delete_original"):
            if now is not None:
                workspace.drop_ephemeral(now) if now.only_for else workspace.delete(now)
        elif body.get("replace_original"):
            if now is None:
                return _error("message_not_found", status=404)
            workspace.replace(now, replace(now, text=text, blocks=kept))
        elif not text and not kept:
            return _error("no_text", status=400)
        else:
            is_private = body.get("response_type", "ephemeral") == "ephemeral"
            message = Message(
                channel=old.channel,
                ts=workspace.new_ts(),
                user=workspace.app.user_id,
                bot_id=workspace.app.bot_id,
                app_id=workspace.app.id,
                text=text,
                blocks=kept,
                thread_ts=body.get("thread_ts"),
                only_for=url.by if is_private else None,
            )
            workspace.post_ephemeral(message) if is_private else workspace.post(message)
        return web.Response(text="ok", content_type="text/html")


def _error(error: str, *, status: int) -> web.Response:
    return web.json_response({"ok": False, "error": error}, status=status)
