"""Methods that post, edit and delete: ``chat.*``."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, cast

from .blocks import with_ids
from .messages import Message
from .methods import Call, Method
from .people import TEAM_DOMAIN, Channel
from .rates import Tier
from .refusals import Refusal
from .shapes import JsonObject, objects

MAX_POSTED_CHARS = 40_000
"""Slack cuts longer texts off, says https://docs.slack.dev/reference/methods/chat.postMessage#truncating; here they are
refused, so that nobody relies on the cut."""

MAX_UPDATED_CHARS = 4_000
"""See ``msg_too_long`` in https://docs.slack.dev/reference/methods/chat.update#errors"""

MAX_MARKDOWN_CHARS = 12_000
MAX_ATTACHMENTS = 100
MAX_METADATA_BYTES = 16_000
"""The documentation names ``metadata_too_large`` and no number: a guess, on the careful side."""

MESSAGE_PARTS = ("blocks", "link_names", "metadata", "mrkdwn", "parse", "text", "unfurl_links", "unfurl_media")

CUSTOMISED = ("icon_emoji", "icon_url", "username")
"""See https://docs.slack.dev/reference/scopes/chat.write.customize"""


def _content(call: Call, *, most_chars: int) -> JsonObject:
    """What a message is to hold, of what the call names; see the errors of chat.postMessage."""
    content: JsonObject = {}
    if "text" in call.arguments:
        content["text"] = call.text("text")
        if len(content["text"]) > most_chars:
            raise Refusal("msg_too_long")
    if call.text("markdown_text"):
        if content.get("text") or call.arguments.get("blocks"):
            raise Refusal("markdown_text_conflict")
        if len(call.text("markdown_text")) > MAX_MARKDOWN_CHARS:
            raise Refusal("msg_too_long")
        content["text"] = call.text("markdown_text")
    blocks: Any = call.json("blocks", error="invalid_blocks_format")
    if blocks is not None:
        content["blocks"] = _blocks(call, blocks)
    attachments: Any = call.json("attachments", error="invalid_attachments")
    if attachments is not None:
        if len(objects(attachments)) > MAX_ATTACHMENTS:
            raise Refusal("too_many_attachments")
        content["attachments"] = objects(attachments)
    metadata: Any = call.json("metadata", error="invalid_metadata_format")
    if metadata is not None:
        content["metadata"] = _metadata(metadata)
    return content


def _blocks(call: Call, blocks: object) -> list[JsonObject]:
    if not isinstance(blocks, list):
        raise Refusal("invalid_blocks_format")
    given = objects(cast("list[object]", blocks))
    parts = {name: value for name, value in call.arguments.items() if name in MESSAGE_PARTS} | {"blocks": given}
    complaints = list(call.world.checks.message(parts))
    if len(given) != len(cast("list[object]", blocks)):
        complaints.append("must be an object [json-pointer:/blocks]")
    if complaints:
        messages = [f"[ERROR] {complaint}" for complaint in complaints]
        raise Refusal("invalid_blocks", errors=complaints, response_metadata={"messages": messages})
    return with_ids(given, lambda: f"block-{call.workspace.number()}")


def _metadata(metadata: object) -> JsonObject | None:
    """See https://docs.slack.dev/messaging/message-metadata; an empty object takes it away."""
    if not isinstance(metadata, dict):
        raise Refusal("invalid_metadata_format")
    given = cast("JsonObject", metadata)
    if not given:
        return None
    if not isinstance(given.get("event_type"), str) or not isinstance(given.get("event_payload"), dict):
        raise Refusal("invalid_metadata_schema")
    if len(json.dumps(given).encode()) > MAX_METADATA_BYTES:
        raise Refusal("metadata_too_large")
    return given


def _refuse_empty(content: JsonObject) -> None:
    if not any(content.get(name) for name in ("text", "blocks", "attachments")):
        raise Refusal("no_text")


def _refuse_bad_thread(call: Call, channel: Channel) -> str | None:
    """The thread to post in. A root that is gone is ``thread_not_found`` (slackapi/bolt-js#2307); a reply is no root."""
    thread_ts = call.text("thread_ts") or None
    if thread_ts is None:
        return None
    root = call.workspace.find(channel.id, thread_ts)
    if root is None:
        raise Refusal("thread_not_found")
    if root.thread_ts is not None:
        raise Refusal("cannot_reply_to_message")
    return thread_ts


def post_message(call: Call) -> JsonObject:
    """See https://docs.slack.dev/reference/methods/chat.postMessage"""
    if call.arguments.get("as_user"):
        raise Refusal("as_user_not_supported")
    if any(call.arguments.get(name) for name in CUSTOMISED):
        call.need("chat:write.customize")
    channel = _place(call)
    content = _content(call, most_chars=MAX_POSTED_CHARS)
    _refuse_empty(content)
    thread_ts = _refuse_bad_thread(call, channel)
    is_broadcast = thread_ts is not None and call.flag("reply_broadcast")
    message = call.workspace.post(
        _own(call, channel, content, thread_ts=thread_ts, subtype="thread_broadcast" if is_broadcast else None)
    )
    return {"channel": channel.id, "ts": message.ts, "message": call.workspace.body(message, has_metadata=True)}


def _own(call: Call, channel: Channel, content: JsonObject, *, thread_ts: str | None, **more: Any) -> Message:
    return Message(
        channel=channel.id,
        ts=call.workspace.new_ts(),
        user=call.app.user_id,
        bot_id=call.app.bot_id,
        app_id=call.app.id,
        thread_ts=thread_ts,
        **content,
        **more,
    )


def _place(call: Call) -> Channel:
    """Where to post: an id, ``#`` and a name, or a user's id for the direct message with them."""
    named = call.text("channel")
    user = call.workspace.users.get(named)
    if user is not None:
        if user.is_deleted:
            raise Refusal("channel_not_found")
        return call.workspace.direct(call.app.user_id, user.id)
    channel = call.workspace.find_channel(named)
    is_in = channel is not None and call.app.user_id in channel.members
    if channel is None or (channel.kind != "channel" and not is_in):
        raise Refusal("channel_not_found")
    if channel.is_archived:
        raise Refusal("is_archived")
    if not is_in and "chat:write.public" not in call.app.scopes:
        raise Refusal("not_in_channel")
    return channel


def post_ephemeral(call: Call) -> JsonObject:
    """See https://docs.slack.dev/reference/methods/chat.postEphemeral"""
    channel = call.own_channel()
    if channel.is_archived:
        raise Refusal("is_archived")
    if call.text("user") not in call.workspace.users:
        raise Refusal("user_not_found")
    if call.text("user") not in channel.members:
        raise Refusal("user_not_in_channel")
    content = _content(call, most_chars=MAX_POSTED_CHARS)
    _refuse_empty(content)
    thread_ts = _refuse_bad_thread(call, channel)
    message = _own(call, channel, content, thread_ts=thread_ts, only_for=call.text("user"))
    return {"message_ts": call.workspace.post_ephemeral(message).ts}


def update(call: Call) -> JsonObject:
    """A text without blocks takes the blocks away; else what the call does not name stays.

    See https://docs.slack.dev/reference/methods/chat.update#text-blocks-or-attachments
    """
    channel = call.own_channel()
    if channel.is_archived:
        raise Refusal("is_inactive")
    message = call.message(channel, call.text("ts"))
    if message.user != call.app.user_id:
        raise Refusal("cant_update_message")
    content = _content(call, most_chars=MAX_UPDATED_CHARS)
    if not {"text", "blocks", "attachments"} & set(content):
        raise Refusal("no_text")
    if content.get("text") and "blocks" not in content:
        content["blocks"] = []
    edited: JsonObject = {"user": call.app.user_id, "ts": call.workspace.new_ts()}
    new = replace(message, edited=edited, **content)
    _refuse_empty({"text": new.text, "blocks": new.blocks, "attachments": new.attachments})
    call.workspace.replace(message, new)
    body = call.workspace.body(new, has_metadata=True)
    return {"channel": channel.id, "ts": new.ts, "text": new.text, "message": body}


def delete(call: Call) -> JsonObject:
    """See https://docs.slack.dev/reference/methods/chat.delete"""
    channel = call.channel()
    message = call.message(channel, call.text("ts"))
    if message.user != call.app.user_id:
        raise Refusal("cant_delete_message")
    call.workspace.delete(message)
    return {"channel": channel.id, "ts": message.ts}


def get_permalink(call: Call) -> JsonObject:
    """See https://docs.slack.dev/reference/methods/chat.getPermalink"""
    channel = call.channel()
    message = call.message(channel, call.text("message_ts"))
    link = f"https://{TEAM_DOMAIN}.slack.com/archives/{channel.id}/p{message.ts.replace('.', '')}"
    if message.thread_ts is not None:
        link += f"?thread_ts={message.thread_ts}&cid={channel.id}"
    return {"channel": channel.id, "permalink": link}


_CONTENT = ("attachments", "blocks", "link_names", "markdown_text", "metadata", "parse", "text")
_POSTED = (*_CONTENT, "as_user", "icon_emoji", "icon_url", "mrkdwn", "thread_ts", "username")

METHODS = (
    Method(
        name="chat.postMessage",
        do=post_message,
        tier=Tier.POSTING,
        required=("channel",),
        optional=(*_POSTED, "reply_broadcast", "unfurl_links", "unfurl_media"),
        scopes=("chat:write",),
        takes_json=True,
    ),
    Method(
        name="chat.postEphemeral",
        do=post_ephemeral,
        tier=Tier.FOUR,
        required=("channel", "user"),
        optional=_POSTED,
        scopes=("chat:write",),
        takes_json=True,
    ),
    Method(
        name="chat.update",
        do=update,
        tier=Tier.THREE,
        required=("channel", "ts"),
        optional=(*_CONTENT, "as_user", "file_ids", "reply_broadcast", "unfurl_links", "unfurl_media"),
        scopes=("chat:write",),
        takes_json=True,
    ),
    Method(
        name="chat.delete",
        do=delete,
        tier=Tier.THREE,
        required=("channel", "ts"),
        optional=("as_user",),
        scopes=("chat:write",),
        takes_json=True,
    ),
    Method(name="chat.getPermalink", do=get_permalink, tier=Tier.SPECIAL, required=("channel", "message_ts")),
)
