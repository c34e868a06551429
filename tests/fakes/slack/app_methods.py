"""Methods about the app and its workspace: ``auth.test``, ``apps.connections.open``, ``bots.info``, ``team.info``."""

from __future__ import annotations

from .methods import Call, Method
from .people import TEAM_DOMAIN, TEAM_ID
from .rates import Tier
from .refusals import Refusal
from .shapes import JsonObject


def auth_test(call: Call) -> JsonObject:
    """See https://docs.slack.dev/reference/methods/auth.test; the scopes are in the header ``x-oauth-scopes``."""
    return {
        "url": f"https://{TEAM_DOMAIN}.slack.com/",
        "team": TEAM_DOMAIN.title(),
        "user": call.app.name,
        "team_id": TEAM_ID,
        "user_id": call.app.user_id,
        "bot_id": call.app.bot_id,
        "is_enterprise_install": False,
        **({} if call.app.enterprise_id is None else {"enterprise_id": call.app.enterprise_id}),
    }


def connections_open(call: Call) -> JsonObject:
    """See https://docs.slack.dev/reference/methods/apps.connections.open"""
    if "connections:write" not in call.app.app_token_scopes:
        raise Refusal("missing_scope", needed="connections:write", provided=",".join(call.app.app_token_scopes))
    return {"url": call.world.open_socket()}


def bots_info(call: Call) -> JsonObject:
    """See https://docs.slack.dev/reference/methods/bots.info"""
    wanted = call.text("bot", call.app.bot_id)
    for user in call.workspace.users.values():
        if user.bot_id == wanted:
            return {
                "bot": {
                    "id": wanted,
                    "deleted": user.is_deleted,
                    "name": user.name,
                    "updated": 1_767_225_600,
                    "app_id": user.app_id,
                    "user_id": user.id,
                }
            }
    raise Refusal("bot_not_found")


def team_info(call: Call) -> JsonObject:
    """See https://docs.slack.dev/reference/methods/team.info"""
    return {"team": {"id": TEAM_ID, "name": TEAM_DOMAIN.title(), "domain": TEAM_DOMAIN, "email_domain": ""}}


METHODS = (
    Method(name="auth.test", do=auth_test, tier=Tier.SPECIAL, takes_json=True),
    Method(name="apps.connections.open", do=connections_open, tier=Tier.ONE, token="app", takes_json=True),
    Method(name="bots.info", do=bots_info, tier=Tier.THREE, optional=("bot",), scopes=("users:read",)),
    Method(name="team.info", do=team_info, tier=Tier.THREE, optional=("team", "domain"), scopes=("team:read",)),
)
