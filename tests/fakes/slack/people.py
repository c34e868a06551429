"""Who is in the workspace and where: users, guests, strangers, bots, user groups, channels, the app under test."""

from __future__ import annotations

from dataclasses import dataclass, field

from .shapes import JsonObject

TEAM_ID = "T0HOME"
TEAM_DOMAIN = "home"
FOREIGN_TEAM_ID = "T0OTHER"

ALL_SCOPES = (
    "app_mentions:read",
    "channels:history",
    "channels:join",
    "channels:read",
    "chat:write",
    "files:read",
    "files:write",
    "groups:history",
    "groups:read",
    "im:history",
    "im:read",
    "im:write",
    "mpim:history",
    "mpim:read",
    "mpim:write",
    "reactions:read",
    "reactions:write",
    "team:read",
    "usergroups:read",
    "users:read",
    "users:read.email",
)
"""Every bot scope that a method or an event of this fake asks for, but ``chat:write.public``."""

ALL_EVENTS = (
    "app_mention",
    "channel_archive",
    "channel_unarchive",
    "member_joined_channel",
    "member_left_channel",
    "message.channels",
    "message.groups",
    "message.im",
    "message.mpim",
    "reaction_added",
    "reaction_removed",
)


FAMILIES = {"channel": "channels", "group": "groups"}
"""What the scopes of a kind of conversation begin with, where it is not the kind itself."""


@dataclass(slots=True, kw_only=True)
class App:
    """The app under test, as its settings at Slack say. A test may change them."""

    id: str = "A0APP"
    user_id: str = "U0BOT"
    bot_id: str = "B0SELF"
    name: str = "overwinter"
    bot_token: str = "xoxb-0-fake-bot"
    app_token: str = "xapp-1-A0APP-0-fake"
    app_token_scopes: tuple[str, ...] = ("connections:write",)
    signing_secret: str = "8f742231b10e8888abcd99yyyzzz85a5"
    verification_token: str = "fake-verification"
    scopes: tuple[str, ...] = ALL_SCOPES
    events: tuple[str, ...] = ALL_EVENTS
    enterprise_id: str | None = None
    """The organisation that the workspace belongs to with others; None for a workspace of its own."""

    request_url: str | None = None
    """Where events and interactions are posted. None: Socket Mode."""

    retired_tokens: dict[str, str] = field(default_factory=dict[str, str])
    """Tokens that once were good, with the error they now give: ``token_revoked``, ``token_expired``, ``account_inactive``."""


@dataclass(slots=True, kw_only=True)
class User:
    """A member, a guest, a stranger of Slack Connect or a bot. See https://docs.slack.dev/reference/objects/user-object"""

    id: str
    name: str
    team_id: str = TEAM_ID
    email: str | None = None
    is_bot: bool = False
    is_restricted: bool = False
    is_ultra_restricted: bool = False
    is_stranger: bool = False
    is_deleted: bool = False
    enterprise_id: str | None = None
    enterprise_teams: tuple[str, ...] = ()
    """The workspaces of their organisation that they belong to."""

    bot_id: str | None = None
    app_id: str | None = None
    is_workflow_bot: bool = False
    is_classic_bot: bool = False
    """It posts as incoming webhooks do: subtype ``bot_message``, no user."""

    def body(self, *, shows_email: bool) -> JsonObject:
        profile: JsonObject = {
            "real_name": self.name.title(),
            "display_name": self.name,
            "real_name_normalized": self.name.title(),
            "display_name_normalized": self.name,
            "team": self.team_id,
        }
        if shows_email and self.email is not None:
            profile["email"] = self.email
        body: JsonObject = {
            "id": self.id,
            "team_id": self.team_id,
            "name": self.name,
            "deleted": self.is_deleted,
            "profile": profile,
            "is_bot": self.is_bot,
            "is_app_user": False,
            "updated": 1_767_225_600,
        }
        if self.enterprise_id is not None:
            body["enterprise_user"] = {
                "id": self.id,
                "enterprise_id": self.enterprise_id,
                "enterprise_name": self.enterprise_id.title(),
                "is_admin": False,
                "is_owner": False,
                "teams": list(self.enterprise_teams),
            }
        if self.is_deleted:
            return body
        body |= {
            "real_name": self.name.title(),
            "tz": "Europe/Berlin",
            "tz_label": "Central European Time",
            "tz_offset": 3600,
            "is_admin": False,
            "is_owner": False,
            "is_primary_owner": False,
            "is_restricted": self.is_restricted,
            "is_ultra_restricted": self.is_ultra_restricted,
        }
        if self.is_stranger:
            body["is_stranger"] = True
        return body


@dataclass(slots=True, kw_only=True)
class UserGroup:
    """See https://docs.slack.dev/reference/objects/usergroup-object"""

    id: str
    handle: str
    users: list[str]
    is_disabled: bool = False

    def body(self, *, has_users: bool) -> JsonObject:
        body: JsonObject = {
            "id": self.id,
            "team_id": TEAM_ID,
            "is_usergroup": True,
            "name": self.handle.title(),
            "description": "",
            "handle": self.handle,
            "is_external": False,
            "date_delete": 1_767_225_600 if self.is_disabled else 0,
            "user_count": len(self.users),
        }
        if has_users:
            body["users"] = list(self.users)
        return body


@dataclass(slots=True, kw_only=True)
class Channel:
    """A conversation. See https://docs.slack.dev/reference/objects/conversation-object"""

    id: str
    name: str
    members: list[str]
    is_private: bool = False
    is_im: bool = False
    is_mpim: bool = False
    is_archived: bool = False
    is_shared: bool = False
    """Shared with another organisation by Slack Connect."""

    @property
    def kind(self) -> str:
        """The ``channel_type`` of events."""
        if self.is_im:
            return "im"
        if self.is_mpim:
            return "mpim"
        return "group" if self.is_private else "channel"

    @property
    def family(self) -> str:
        """What its scopes begin with: ``channels``, ``groups``, ``im`` or ``mpim``."""
        return FAMILIES.get(self.kind, self.kind)

    def body(self, *, viewer: str) -> JsonObject:
        body: JsonObject = {
            "id": self.id,
            "created": 1_767_225_600,
            "is_archived": self.is_archived,
            "is_im": self.is_im,
            "is_mpim": self.is_mpim,
            "is_private": self.is_private or self.is_im or self.is_mpim,
            "is_org_shared": False,
        }
        if self.is_im:
            return body | {"user": next((member for member in self.members if member != viewer), viewer)}
        return body | {
            "name": self.name,
            "name_normalized": self.name,
            "is_channel": not self.is_private,
            "is_group": False,
            "is_general": self.name == "general",
            "is_shared": self.is_shared,
            "is_ext_shared": self.is_shared,
            "is_member": viewer in self.members,
            "num_members": len(self.members),
            "topic": {"value": "", "creator": "", "last_set": 0},
            "purpose": {"value": "", "creator": "", "last_set": 0},
            "context_team_id": TEAM_ID,
        }
