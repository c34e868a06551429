"""The table ``[slack]``: what may be set, what comes of it, and what is refused without being repeated."""

from __future__ import annotations

from pathlib import Path

import pytest

from overwinter.actors.clock import ManualClock
from overwinter.channels.slack.connection import SlackConnection
from overwinter.deploy.config import load_config
from overwinter.deploy.errors import ConfigError
from overwinter.deploy.settings import Config
from overwinter.deploy.slack_settings import SlackConfig
from overwinter.deploy.slacking import slack_connection_of
from overwinter.deploy.wiring import open_connections

pytestmark = pytest.mark.usefixtures("clean_environment")

BOT = "xoxb-1-2-" + "a" * 20
APP = "xapp-1-A0-2-" + "b" * 20
SECRET = "8f742231b10e8888abcd99yyyzzz85a5"


def slack(toml: str, environ: dict[str, str] | None = None) -> SlackConfig:
    Path("overwinter.toml").write_text(f"[slack]\n{toml}")
    config = load_config(environ=environ or {}).slack
    assert config is not None
    return config


def faults(toml: str, environ: dict[str, str] | None = None) -> str:
    with pytest.raises(ConfigError) as caught:
        slack(toml, environ)
    return "\n".join(caught.value.faults)


def test_two_tokens_are_enough_for_socket_mode() -> None:
    assert slack(f'bot_token = "{BOT}"\napp_token = "{APP}"').way == "socket"


def test_a_token_and_a_secret_are_enough_for_http_and_may_come_from_variables() -> None:
    environ = {
        "OVERWINTER_SLACK_BOT_TOKEN": f" {BOT}\n",
        "OVERWINTER_SLACK_SIGNING_SECRETS": f"{SECRET}, {SECRET[::-1]}",
    }
    found = slack("", environ)
    assert found.way == "http"
    assert found.bot_token.get_secret_value() == BOT
    assert [secret.get_secret_value() for secret in found.signing_secrets] == [SECRET, SECRET[::-1]]


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        (f'bot_token = "{BOT}"', "give it app_token for Socket Mode, or signing_secrets for HTTP"),
        (f'app_token = "{APP}"', "bot_token"),
        (f'bot_token = "{APP}"\napp_token = "{APP}"', "not the bot's token"),
        (f'bot_token = "{BOT}"\napp_token = "{BOT}"', "not an app-level token"),
        (f'bot_token = "{BOT}"\nsigning_secrets = ["short-one"]', "too short"),
        (f'bot_token = "{BOT}"\napp_token = "{APP}"\npath = "events"', "path"),
    ],
)
def test_what_cannot_work_is_refused_and_no_secret_repeated(toml: str, said: str) -> None:
    found = faults(toml)
    assert said in found
    for secret in (BOT, APP, SECRET, "short-one"):
        assert secret not in found


async def test_a_process_that_is_no_service_sends_and_does_not_listen() -> None:
    config = Config.model_validate(
        {"tenant": "acme", "slack": {"bot_token": BOT, "app_token": APP, "agent": "support"}}
    )
    async with open_connections(config, clock=ManualClock(), receives=False) as connections:
        (connection,) = connections
        assert isinstance(connection, SlackConnection)
        assert connection.name == "slack"
        assert connection.hooks is not None


def test_without_an_agent_nobody_is_followed() -> None:
    found = slack(f'bot_token = "{BOT}"\nsigning_secrets = "{SECRET}"')
    connection = slack_connection_of(found, tenant="acme", clock=ManualClock(), receives=True)
    assert connection.hooks is None
