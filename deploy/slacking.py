"""Makes the Slack client and the Slack connection of a configuration."""

from __future__ import annotations

from ..actors.clock import Clock
from ..channels.slack.client import SlackClient
from ..channels.slack.connection import SlackConnection, SocketMode, Way
from ..channels.slack.receiving import HttpAddress
from .slack_settings import SlackConfig


def slack_client_of(slack: SlackConfig, *, clock: Clock) -> SlackClient:
    """A client with the bot's token; whoever makes it closes it."""
    secrets = [secret.get_secret_value() for secret in slack.signing_secrets]
    if slack.app_token is not None:
        secrets.append(slack.app_token.get_secret_value())
    return SlackClient(
        token=slack.bot_token.get_secret_value(), clock=clock, secrets=tuple(secrets), base_url=slack.api_url
    )


def slack_connection_of(slack: SlackConfig, *, tenant: str, clock: Clock, receives: bool) -> SlackConnection:
    """The connection to an operator's workspace.

    Args:
        tenant: whose sessions those are that people begin in Slack.
        receives: whether this process takes in what people do; the service alone does.
    """
    return SlackConnection(
        client=slack_client_of(slack, clock=clock),
        way=_way(slack) if receives else None,
        clock=clock,
        agent=slack.agent,
        tenant=tenant,
    )


def _way(slack: SlackConfig) -> Way:
    if slack.app_token is not None:
        return SocketMode(app_token=slack.app_token.get_secret_value())
    return HttpAddress(
        signing_secrets=tuple(secret.get_secret_value() for secret in slack.signing_secrets),
        host=slack.host,
        port=slack.port,
        path=slack.path,
    )
