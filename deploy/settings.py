"""What an operator may set: the tables of the file and their keys, with what is expected of each.

The description of a key is what a fault shows as expected, and its title, where that does not say it, what it is for. A key without
a default has an example. The commented example of the configuration is made of these (``config_example``). Defaults of the runtime
are the runtime's own.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, get_args

from pydantic import AfterValidator, Field, SecretStr, model_validator
from pydantic.fields import FieldInfo

from ..actors.delivery_settings import DeliverySettings
from ..actors.supervisor_settings import SupervisorSettings
from .mail_settings import MailConfig
from .sections import BaseUrl, Count, Seconds, Section
from .slack_settings import SlackConfig

PREFIX = "OVERWINTER_"

KeyPath = tuple[str, ...]
"""Where a setting is, as ("log", "level")."""

_SUPERVISING = SupervisorSettings()
_DELIVERING = DeliverySettings()


def _check_key(key: SecretStr) -> SecretStr:
    text = key.get_secret_value().strip()
    if not text or not text.isascii() or not text.isprintable():
        raise ValueError("it is empty, or holds characters that no HTTP header can carry; copy it again")
    return key


class LogLevel(StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class LogFormat(StrEnum):
    AUTO = "auto"
    """Human on a terminal, else JSON."""
    HUMAN = "human"
    JSON = "json"


class ModelConfig(Section):
    """The model of agents that bring none of their own."""

    name: str = Field(min_length=1, examples=["gpt-5"], description="the vendor's name of the model")
    base_url: BaseUrl = Field(
        default="https://api.openai.com/v1",
        description="the address of a server that speaks chat completions, as https://host/v1",
    )
    api_key: Annotated[SecretStr, AfterValidator(_check_key)] | None = Field(
        default=None, description="the key, as the vendor gave it"
    )
    timeout_s: Seconds = Field(default=120.0, description="seconds for one attempt, more than 0")
    max_attempts: Count = Field(
        default=5, title="how often one request is tried", description="a whole number of at least 1"
    )


class SupervisingConfig(Section):
    """How sessions are kept moving."""

    concurrency: Count = Field(
        default=_SUPERVISING.concurrency, description="how many sessions run at once: at least 1"
    )
    lease_s: Seconds = Field(
        default=_SUPERVISING.lease_s,
        title="how long a session belongs to the process that runs it, unless that is renewed",
        description="seconds, at least twice heartbeat_s",
    )
    heartbeat_s: Seconds = Field(
        default=_SUPERVISING.heartbeat_s,
        title="how often that is renewed",
        description="seconds, at most half of lease_s",
    )
    poll_s: Seconds = Field(
        default=_SUPERVISING.poll_s,
        title="how often the database is asked where nothing says that there is news",
        description="seconds, more than 0",
    )
    sweep_s: Seconds = Field(
        default=_SUPERVISING.sweep_s, title="how often what is over is deleted", description="seconds, more than 0"
    )
    retention_s: Seconds = Field(default=_SUPERVISING.retention_s, description="seconds that closed questions are kept")
    grace_s: Seconds = Field(default=_SUPERVISING.grace_s, description="seconds that a stop waits for running steps")

    @model_validator(mode="after")
    def _check_lease(self) -> SupervisingConfig:
        if self.lease_s < 2 * self.heartbeat_s:
            raise ValueError(
                f"lease_s ({self.lease_s:g}) is less than twice heartbeat_s ({self.heartbeat_s:g}): "
                "one late heartbeat would lose a living session"
            )
        return self


class DeliveringConfig(Section):
    """How questions are carried to channels."""

    send_timeout_s: Seconds = Field(
        default=_DELIVERING.send_timeout_s,
        title="how long a channel may take to send one",
        description="seconds, less than hold_s",
    )
    hold_s: Seconds = Field(
        default=_DELIVERING.hold_s,
        title="how long one belongs to the process that sends it",
        description="seconds, more than send_timeout_s",
    )
    max_attempts: Count = Field(
        default=_DELIVERING.max_attempts,
        title="after so many failures that might have passed it has failed for good",
        description="a whole number of at least 1",
    )
    backoff_base_s: Seconds = Field(
        default=_DELIVERING.backoff_base_s,
        title="the wait after the first failure, doubled after each",
        description="seconds, more than 0",
    )
    backoff_cap_s: Seconds = Field(
        default=_DELIVERING.backoff_cap_s, title="the longest of these waits", description="seconds, more than 0"
    )
    concurrency: Count = Field(
        default=_DELIVERING.concurrency, description="how many are under way at once: at least 1"
    )

    @model_validator(mode="after")
    def _check_hold(self) -> DeliveringConfig:
        if self.hold_s <= self.send_timeout_s:
            raise ValueError(
                f"hold_s ({self.hold_s:g}) is not more than send_timeout_s ({self.send_timeout_s:g}): "
                "a slow post could be carried twice"
            )
        return self


class WebhooksConfig(Section):
    """Where webhooks are listened for, in plain HTTP: put a proxy with TLS before it."""

    host: str = Field(default="127.0.0.1", min_length=1, description="the address to listen at")
    port: int = Field(ge=1, le=65_535, examples=[8080], description="the port to listen at, 1 to 65535")


class LogConfig(Section):
    """What is logged, to stderr."""

    level: LogLevel = Field(
        default=LogLevel.INFO,
        title="what is logged, from this on",
        description="one of debug, info, warning, error",
    )
    format: LogFormat = Field(
        default=LogFormat.AUTO,
        title="in which form",
        description="one of auto (human on a terminal, else json), human, json",
    )


class Config(Section):
    """All settings."""

    database: Path = Field(
        default=Path("overwinter.db"), description="the database's file; in the file, from the file's folder on"
    )
    workspaces: Path | None = Field(
        default=None,
        examples=["workspaces"],
        description="the folder of the sessions' workspaces; workspaces beside the database by default",
    )
    app: str | None = Field(
        default=None, examples=["office:app"], description="the app as MODULE:APP, for commands that are given none"
    )
    tenant: str = Field(default="default", min_length=1, description="the tenant's name, not empty")
    model: ModelConfig | None = Field(default=None, description="a table with at least a name")
    supervising: SupervisingConfig = Field(default=SupervisingConfig(), description="a table")
    delivering: DeliveringConfig = Field(default=DeliveringConfig(), description="a table")
    log: LogConfig = Field(default=LogConfig(), description="a table")
    webhooks: WebhooksConfig | None = Field(default=None, description="a table with at least a port")
    slack: SlackConfig | None = Field(
        default=None, description="a table with at least bot_token, and app_token or signing_secrets"
    )
    mail: MailConfig | None = Field(default=None, description="a table with at least reply_address and authserv_id")


# -- finding one's way -------------------------------------------------------------------------------------------------
def variable_of(path: KeyPath) -> str:
    """The variable that sets a key, as OVERWINTER_LOG_LEVEL for ("log", "level")."""
    return PREFIX + "_".join(path).upper()


def field_at(path: KeyPath) -> FieldInfo | None:
    """What is known of the key at a path; None if there is none."""
    section = section_at(path[:-1])
    return None if section is None else section.model_fields.get(path[-1])


def is_secret(annotation: Any) -> bool:
    """Whether a key of this type holds what nobody else may read."""
    return annotation is SecretStr or any(is_secret(part) for part in get_args(annotation))


def setting_paths(section: type[Section] = Config, above: KeyPath = ()) -> Iterator[KeyPath]:
    """The path of every single setting, in the order of the file."""
    for name, field in section.model_fields.items():
        inner = section_in(field.annotation)
        if inner is None:
            yield (*above, name)
        else:
            yield from setting_paths(inner, (*above, name))


def section_at(path: KeyPath) -> type[Section] | None:
    """The table at a path; None if there is a single setting, or nothing."""
    section: type[Section] | None = Config
    for part in path:
        field = None if section is None else section.model_fields.get(part)
        section = None if field is None else section_in(field.annotation)
    return section


def expected_at(path: KeyPath) -> str:
    """What is expected at a path."""
    field = field_at(path)
    return (field.description if field is not None else None) or "nothing"


def section_in(annotation: Any) -> type[Section] | None:
    """The table that a key of this type is; None if it is a single setting."""
    for part in (annotation, *get_args(annotation)):
        if isinstance(part, type) and issubclass(part, Section):
            return part
    return None
