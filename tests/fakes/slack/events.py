"""The events that the app is told of a change, and their envelope. See https://docs.slack.dev/reference/events

An event is told only where the app subscribed to it, holds its scope, and is in the conversation.
"""

from __future__ import annotations

from collections.abc import Iterator

from .messages import Message
from .people import TEAM_ID, App, Channel
from .shapes import JsonObject


def posted(message: Message, channel: Channel, *, app: App, root: Message | None) -> Iterator[JsonObject]:
    """``message``, and ``app_mention`` where the app is named. See https://docs.slack.dev/reference/events/app_mention"""
    event = {
        **message.body(),
        "channel": message.channel,
        "event_ts": message.ts,
        "channel_type": channel.kind,
    }
    if root is not None:
        event["parent_user_id"] = root.user
        if message.subtype == "thread_broadcast":
            event["root"] = root.body() | {"thread_ts": root.ts}
    if message.team_id != TEAM_ID:
        event |= {"user_team": message.team_id, "source_team": message.team_id}
    yield event
    if f"<@{app.user_id}" in message.text and message.user != app.user_id and not channel.is_im:
        mention = {key: value for key, value in event.items() if key not in ("channel_type", "subtype")}
        yield mention | {"type": "app_mention"}


def changed(old: Message, new: Message, channel: Channel, *, ts: str) -> JsonObject:
    """See https://docs.slack.dev/reference/events/message/message_changed"""
    return {
        "type": "message",
        "subtype": "message_changed",
        "hidden": True,
        "channel": new.channel,
        "ts": ts,
        "event_ts": ts,
        "channel_type": channel.kind,
        "message": new.body(),
        "previous_message": old.body(),
    }


def deleted(message: Message, channel: Channel, *, ts: str) -> JsonObject:
    """See https://docs.slack.dev/reference/events/message/message_deleted"""
    return {
        "type": "message",
        "subtype": "message_deleted",
        "hidden": True,
        "channel": message.channel,
        "ts": ts,
        "event_ts": ts,
        "channel_type": channel.kind,
        "deleted_ts": message.ts,
        "previous_message": message.body(),
    }


def reacted(message: Message, user_id: str, name: str, *, is_added: bool, ts: str) -> JsonObject:
    """See https://docs.slack.dev/reference/events/reaction_added"""
    return {
        "type": "reaction_added" if is_added else "reaction_removed",
        "user": user_id,
        "reaction": name,
        "item": {"type": "message", "channel": message.channel, "ts": message.ts},
        "item_user": message.user,
        "event_ts": ts,
    }


def is_told(event: JsonObject, channel: Channel, app: App) -> bool:
    """Whether the app is told of it: subscribed, allowed, and there to hear it."""
    kind = event["type"]
    match kind:
        case "message":
            name = f"message.{channel.family}"
            scope = f"{channel.family}:history"
        case "app_mention":
            name, scope = kind, "app_mentions:read"
        case "reaction_added" | "reaction_removed":
            name, scope = kind, "reactions:read"
        case _:
            name, scope = kind, f"{channel.family}:read"
    return name in app.events and scope in app.scopes and app.user_id in channel.members


def envelope(event: JsonObject, channel: Channel, app: App, *, event_id: str, at_s: int) -> JsonObject:
    """See https://docs.slack.dev/apis/events-api/#callback-field"""
    return {
        "token": app.verification_token,
        "team_id": TEAM_ID,
        "context_team_id": TEAM_ID,
        "context_enterprise_id": None,
        "api_app_id": app.id,
        "event": event,
        "type": "event_callback",
        "event_id": event_id,
        "event_time": at_s,
        "authorizations": [
            {
                "enterprise_id": None,
                "team_id": TEAM_ID,
                "user_id": app.user_id,
                "is_bot": True,
                "is_enterprise_install": False,
            }
        ],
        "is_ext_shared_channel": channel.is_shared,
        "event_context": f"4-{event_id}",
    }
