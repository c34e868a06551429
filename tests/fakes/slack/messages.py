"""A message as Slack keeps it, and as it is told to the app."""

from __future__ import annotations

from dataclasses import dataclass, field

from .people import TEAM_ID
from .shapes import JsonObject, copied


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One version of a message; an edit makes another. A test that keeps one has what a person's client showed then.

    See https://docs.slack.dev/reference/events/message
    """

    channel: str
    ts: str
    user: str
    text: str = ""
    blocks: list[JsonObject] = field(default_factory=list[JsonObject])
    attachments: list[JsonObject] = field(default_factory=list[JsonObject])
    files: list[JsonObject] = field(default_factory=list[JsonObject])
    thread_ts: str | None = None
    """The root of the thread that it is a reply in; None for a root, with or without replies."""

    subtype: str | None = None
    bot_id: str | None = None
    app_id: str | None = None
    is_workflow_bot: bool = False
    team_id: str = TEAM_ID
    metadata: JsonObject | None = None
    edited: JsonObject | None = None
    reactions: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Who reacted, by the emoji's name, skin tone included."""

    only_for: str | None = None
    """The one user who sees it: it is ephemeral."""

    @property
    def is_tombstone(self) -> bool:
        """A deleted root whose replies are still there."""
        return self.subtype == "tombstone"

    def body(self, *, has_metadata: bool = False) -> JsonObject:
        body: JsonObject = {
            "type": "message",
            "user": self.user,
            "text": self.text,
            "ts": self.ts,
            "team": self.team_id,
        }
        if self.subtype is not None:
            body["subtype"] = self.subtype
        if self.bot_id is not None:
            profile: JsonObject = {"id": self.bot_id, "app_id": self.app_id, "team_id": self.team_id, "deleted": False}
            if self.is_workflow_bot:
                profile["is_workflow_bot"] = True
            body |= {"bot_id": self.bot_id, "bot_profile": profile}
            if self.app_id is not None:
                body["app_id"] = self.app_id
        if self.subtype == "bot_message":
            body["user"] = None
        optional: JsonObject = {
            "blocks": self.blocks or None,
            "attachments": self.attachments or None,
            "files": self.files or None,
            "thread_ts": self.thread_ts,
            "edited": self.edited,
            "metadata": self.metadata if has_metadata else None,
        }
        body |= {name: value for name, value in optional.items() if value is not None}
        if self.reactions:
            body["reactions"] = [
                {"name": name, "users": list(users), "count": len(users)} for name, users in self.reactions.items()
            ]
        return copied(body)
