"""What an operator may set about Slack: the table ``[slack]``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr, model_validator

from .sections import BaseUrl, Listed, Port, Section


def _token(prefix: str, whose: str) -> AfterValidator:
    def check(token: SecretStr) -> SecretStr:
        text = token.get_secret_value().strip()
        if not text.startswith(prefix) or not text.isascii() or not text.isprintable():
            raise ValueError(f"it is not {whose} token: that begins with {prefix}; copy it again from the app's page")
        return SecretStr(text)

    return AfterValidator(check)


def _check_secrets(secrets: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
    if any(len(secret.get_secret_value().strip()) < 16 for secret in secrets):
        raise ValueError("one of them is too short; copy it again from the app's page, Basic Information")
    return tuple(SecretStr(secret.get_secret_value().strip()) for secret in secrets)


class SlackConfig(Section):
    """One app in one workspace. Events come over Socket Mode with ``app_token``, else by HTTP with ``signing_secrets``."""

    bot_token: Annotated[SecretStr, _token("xoxb-", "the bot's")] = Field(
        description="the bot's token, xoxb-..., of the app's page OAuth & Permissions"
    )
    app_token: Annotated[SecretStr, _token("xapp-", "an app-level")] | None = Field(
        default=None, description="an app-level token, xapp-..., with the scope connections:write"
    )
    signing_secrets: Annotated[tuple[SecretStr, ...], Listed, AfterValidator(_check_secrets)] = Field(
        default=(), description="the app's signing secret; while it is being replaced, the one before it as well"
    )
    host: str = Field(default="127.0.0.1", min_length=1, description="the address to listen at for Slack's requests")
    port: Port = Field(default=8081, description="the port to listen at for Slack's requests")
    path: Annotated[str, Field(pattern=r"^/[!-~]*$")] = Field(
        default="/slack/events", description="the path of the request URL, beginning with /"
    )
    agent: str | None = Field(
        default=None,
        min_length=1,
        examples=["support"],
        description="the name of the agent that a mention or a direct message talks with",
    )
    api_url: BaseUrl = Field(default="https://slack.com/api/", description="the address of Slack's Web API")

    @model_validator(mode="after")
    def _check_way(self) -> SlackConfig:
        if self.app_token is None and not self.signing_secrets:
            raise ValueError("nothing can come in: give it app_token for Socket Mode, or signing_secrets for HTTP")
        return self

    @property
    def way(self) -> Literal["socket", "http"]:
        """How events come in."""
        return "http" if self.app_token is None else "socket"
