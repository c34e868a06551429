"""What a Slack app has to be allowed and told for Overwinter to work in it: what ``slack-manifest.yaml`` asks for.

A test compares both with what the code calls. See https://docs.slack.dev/reference/scopes
"""

from __future__ import annotations

from collections.abc import Mapping

BOT_SCOPES: Mapping[str, str] = {
    "app_mentions:read": "a mention begins a conversation",
    "channels:history": "answers in threads are read",
    "channels:read": "channels and their members are looked up",
    "chat:write": "questions are posted",
    "groups:history": "answers in threads of private channels are read",
    "groups:read": "private channels and their members are looked up",
    "im:history": "direct messages are read",
    "im:read": "direct messages are looked up",
    "mpim:history": "direct messages of several people are read",
    "mpim:read": "direct messages of several people are looked up",
    "reactions:read": "emoji are heard of",
    "usergroups:read": "user groups among the answerers are looked up",
    "users:read": "whoever answers is looked up",
    "users:read.email": "people are known by their mail addresses",
}
"""Each scope of the bot with what does not work without it."""

APP_SCOPE = "connections:write"
"""Of the app-level token, for Socket Mode."""

BOT_EVENTS = (
    "app_mention",
    "message.channels",
    "message.groups",
    "message.im",
    "message.mpim",
    "reaction_added",
    "reaction_removed",
)
"""Slack tells nobody to which events an app is subscribed; that they arrive is all that can be seen."""
