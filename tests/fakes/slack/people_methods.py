"""Methods about people: ``users.*`` and ``usergroups.*``."""

from __future__ import annotations

from .methods import Call, Method, page
from .people import TEAM_ID, User
from .rates import Tier
from .refusals import Refusal
from .shapes import JsonObject


def _body(call: Call, user: User) -> JsonObject:
    """An address is shown only to an app that holds ``users:read.email``, and a stranger's never.

    See https://docs.slack.dev/reference/scopes/users.read.email
    """
    return user.body(shows_email="users:read.email" in call.app.scopes and not user.is_stranger)


def users_info(call: Call) -> JsonObject:
    """See https://docs.slack.dev/reference/methods/users.info"""
    user = call.workspace.users.get(call.text("user"))
    if user is None:
        raise Refusal("user_not_found")
    return {"user": _body(call, user)}


def users_list(call: Call) -> JsonObject:
    """Members of the workspace; strangers are not among them. See https://docs.slack.dev/reference/methods/users.list"""
    members = [_body(call, user) for user in call.workspace.users.values() if user.team_id == TEAM_ID]
    shown, cursor = page(members, call, default=200)
    return {"members": shown, "cache_ts": 1_767_225_600, "response_metadata": {"next_cursor": cursor}}


def lookup_by_email(call: Call) -> JsonObject:
    """See https://docs.slack.dev/reference/methods/users.lookupByEmail"""
    wanted = call.text("email").lower()
    for user in call.workspace.users.values():
        if user.email is not None and user.email.lower() == wanted and user.team_id == TEAM_ID and not user.is_deleted:
            return {"user": _body(call, user)}
    raise Refusal("users_not_found")


def usergroups_list(call: Call) -> JsonObject:
    """See https://docs.slack.dev/reference/methods/usergroups.list"""
    groups = [
        group for group in call.workspace.groups.values() if call.flag("include_disabled") or not group.is_disabled
    ]
    return {"usergroups": [group.body(has_users=call.flag("include_users")) for group in groups]}


def usergroup_users(call: Call) -> JsonObject:
    """See https://docs.slack.dev/reference/methods/usergroups.users.list"""
    group = call.workspace.groups.get(call.text("usergroup"))
    if group is None or (group.is_disabled and not call.flag("include_disabled")):
        raise Refusal("no_such_subteam")
    return {"users": list(group.users)}


METHODS = (
    Method(
        name="users.info",
        do=users_info,
        tier=Tier.FOUR,
        required=("user",),
        optional=("include_locale",),
        scopes=("users:read",),
    ),
    Method(
        name="users.list",
        do=users_list,
        tier=Tier.TWO,
        optional=("cursor", "include_locale", "limit"),
        scopes=("users:read",),
    ),
    Method(
        name="users.lookupByEmail",
        do=lookup_by_email,
        tier=Tier.THREE,
        required=("email",),
        scopes=("users:read.email",),
    ),
    Method(
        name="usergroups.list",
        do=usergroups_list,
        tier=Tier.TWO,
        optional=("include_count", "include_disabled", "include_users"),
        scopes=("usergroups:read",),
    ),
    Method(
        name="usergroups.users.list",
        do=usergroup_users,
        tier=Tier.TWO,
        required=("usergroup",),
        optional=("include_disabled",),
        scopes=("usergroups:read",),
    ),
)
