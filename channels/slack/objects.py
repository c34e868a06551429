"""What Slack says of people and places, as far as we look at it."""

from __future__ import annotations

from collections.abc import Mapping

from ...actors.errors import ChannelUnreachableError
from ...store.values import value
from .events import Ourselves
from .payloads import Payload


@value
class Refused:
    """Slack said no, for a reason that the caller had expected."""

    error: str


@value
class Posted:
    """Where a message stands."""

    channel_id: str
    ts: str


@value
class Identity:
    """Who we are, and where.

    Attributes:
        url: of the workspace, as ``https://home.slack.com/``.
        scopes: what the token may do; empty if Slack does not say.
        enterprise_id: the organisation that the workspace belongs to with others; None if to none.
    """

    us: Ourselves
    team_id: str
    team: str
    url: str
    bot: str
    scopes: frozenset[str]
    enterprise_id: str | None = None


@value
class SlackUser:
    """https://docs.slack.dev/reference/objects/user-object

    Attributes:
        is_guest: a guest of one channel or several.
        is_stranger: of another organisation, met in a shared channel.
        is_gone: deactivated.
        enterprise_id, enterprise_teams: of somebody in an organisation of several workspaces: which, and the workspaces there that
            they belong to. ``team_id`` is then one of these, not always ours.
    """

    user_id: str
    team_id: str | None
    name: str
    email: str | None
    is_bot: bool
    is_guest: bool
    is_stranger: bool
    is_gone: bool
    enterprise_id: str | None = None
    enterprise_teams: frozenset[str] = frozenset()


@value
class SlackConversation:
    """https://docs.slack.dev/reference/objects/conversation-object"""

    channel_id: str
    name: str
    is_member: bool
    is_archived: bool
    is_private: bool
    is_shared: bool
    is_direct: bool


@value
class SlackGroup:
    """https://docs.slack.dev/reference/objects/usergroup-object"""

    group_id: str
    handle: str
    is_disabled: bool


def posted_of(said: Payload) -> Posted:
    channel_id, ts = said.id("channel"), said.ts("ts")
    if channel_id is None or ts is None:
        raise ChannelUnreachableError("Slack did not say where it has posted the message")
    return Posted(channel_id=channel_id, ts=ts)


def user_of(said: Payload) -> SlackUser:
    return SlackUser(
        user_id=said.id("id") or "",
        team_id=said.id("team_id"),
        name=said.part("profile").text("display_name") or said.text("real_name") or said.text("name") or "",
        email=said.part("profile").text("email"),
        is_bot=said.value("is_bot") is True,
        is_guest=said.value("is_restricted") is True or said.value("is_ultra_restricted") is True,
        is_stranger=said.value("is_stranger") is True,
        is_gone=said.value("deleted") is True,
        enterprise_id=said.part("enterprise_user").id("enterprise_id"),
        enterprise_teams=frozenset(said.part("enterprise_user").texts("teams")),
    )


def conversation_of(said: Payload) -> SlackConversation:
    return SlackConversation(
        channel_id=said.id("id") or "",
        name=said.text("name") or "",
        is_member=said.value("is_member") is True,
        is_archived=said.value("is_archived") is True,
        is_private=said.value("is_private") is True,
        is_shared=said.value("is_shared") is True or said.value("is_ext_shared") is True,
        is_direct=said.value("is_im") is True,
    )


def group_of(said: Payload) -> SlackGroup:
    return SlackGroup(
        group_id=said.id("id") or "", handle=said.text("handle") or "", is_disabled=bool(said.value("date_delete"))
    )


def identity_of(said: Payload, bot: Payload, headers: Mapping[str, str]) -> Identity:
    """From what ``auth.test`` and ``bots.info`` say, and the former's headers."""
    us = Ourselves(app_id=bot.id("app_id") or "", user_id=said.id("user_id") or "", bot_id=said.id("bot_id") or "")
    return Identity(
        us=us,
        team_id=said.id("team_id") or "",
        team=said.text("team") or "",
        url=said.text("url") or "",
        bot=said.text("user") or "",
        scopes=scopes_in(headers),
        enterprise_id=said.id("enterprise_id"),
    )


def scopes_in(headers: Mapping[str, str]) -> frozenset[str]:
    """What a token may do, as every answer of Slack's says: https://docs.slack.dev/authentication/installing-with-oauth"""
    scopes = next((each for name, each in headers.items() if name.lower() == "x-oauth-scopes"), "")
    return frozenset(scope.strip() for scope in scopes.split(",") if scope.strip())
