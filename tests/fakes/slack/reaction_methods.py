"""Methods about reactions: ``reactions.*``."""

from __future__ import annotations

import re

from .methods import Call, Method
from .rates import Tier
from .refusals import Refusal
from .shapes import JsonObject

NAME = re.compile(r"[a-z0-9_+'-]+(::skin-tone-[2-6])?")


def add(call: Call) -> JsonObject:
    """See https://docs.slack.dev/reference/methods/reactions.add"""
    name = call.text("name")
    if not NAME.fullmatch(name):
        raise Refusal("invalid_name")
    channel = call.own_channel()
    if channel.is_archived:
        raise Refusal("is_archived")
    message = call.message(channel, call.text("timestamp"))
    if call.app.user_id in message.reactions.get(name, ()):
        raise Refusal("already_reacted")
    call.workspace.react(message, call.app.user_id, name, is_added=True)
    return {}


def remove(call: Call) -> JsonObject:
    """See https://docs.slack.dev/reference/methods/reactions.remove"""
    message = call.message(call.own_channel(), call.text("timestamp"))
    if call.app.user_id not in message.reactions.get(call.text("name"), ()):
        raise Refusal("no_reaction")
    call.workspace.react(message, call.app.user_id, call.text("name"), is_added=False)
    return {}


def get(call: Call) -> JsonObject:
    """See https://docs.slack.dev/reference/methods/reactions.get"""
    channel = call.own_channel()
    message = call.message(channel, call.text("timestamp"))
    return {"type": "message", "channel": channel.id, "message": call.workspace.body(message)}


METHODS = (
    Method(
        name="reactions.add",
        do=add,
        tier=Tier.THREE,
        required=("channel", "name", "timestamp"),
        scopes=("reactions:write",),
        takes_json=True,
    ),
    Method(
        name="reactions.remove",
        do=remove,
        tier=Tier.TWO,
        required=("channel", "name", "timestamp"),
        scopes=("reactions:write",),
        takes_json=True,
    ),
    Method(
        name="reactions.get",
        do=get,
        tier=Tier.THREE,
        required=("channel", "timestamp"),
        optional=("full",),
        scopes=("reactions:read",),
    ),
)
