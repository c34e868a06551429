"""The commented example of the configuration: it holds every key as the settings have it, and can be used as it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from overwinter.deploy.config import load_config
from overwinter.deploy.config_example import Setting, all_settings, example_toml
from overwinter.deploy.settings import Config, setting_paths, variable_of

from .conftest import Overwinter

SECRETS = {
    "OVERWINTER_MODEL_API_KEY": "sk-1",
    "OVERWINTER_SLACK_BOT_TOKEN": "xoxb-1",
    "OVERWINTER_SLACK_APP_TOKEN": "xapp-1",
    "OVERWINTER_SLACK_SIGNING_SECRETS": "0123456789abcdef",
    "OVERWINTER_MAIL_TOKEN_KEYS": "0123456789abcdef0123456789abcdef",
    "OVERWINTER_MAIL_SMTP_PASSWORD": "one",
    "OVERWINTER_MAIL_IMAP_PASSWORD": "two",
}
OPTIONAL = ("model", "webhooks", "slack", "mail")


def uncommented(text: str) -> str:
    return "\n".join(re.sub(r"^#(?! )", "", line) for line in text.splitlines())


def without_tables(text: str, names: tuple[str, ...]) -> str:
    """The example as somebody uncomments it who leaves these tables, and those in them, as they are."""

    def kept() -> Iterator[str]:
        is_left = False
        for line in text.splitlines():
            if table := re.match(r"#\[(\w+)", line):
                is_left = table[1] in names
            if not is_left:
                yield line

    return "\n".join(kept())


def value_at(config: Config, setting: Setting) -> Any:
    found: Any = config
    for part in setting.path:
        found = getattr(found, part)
    return found


def plain(value: Any) -> Any:
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Enum):
        return value.value
    return [*value] if isinstance(value, tuple) else value


def test_it_holds_every_key_once_and_in_its_table() -> None:
    assert [setting.path for setting in all_settings()] == list(setting_paths())
    found: list[tuple[str, ...]] = []
    table: tuple[str, ...] = ()
    for line in example_toml().splitlines():
        if heading := re.fullmatch(r"#\[([\w.]+)\]", line):
            table = tuple(heading[1].split("."))
        elif key := re.match(r"#(\w+) = |# (\w+): .*", line):
            found.append((*table, key[1] or key[2]))
    assert sorted(found) == sorted(setting_paths())


@pytest.mark.usefixtures("clean_environment")
def test_as_it_is_printed_it_sets_nothing() -> None:
    Path("overwinter.toml").write_text(example_toml())
    assert load_config(environ={}) == Config()


@pytest.mark.usefixtures("clean_environment")
def test_uncommented_it_sets_the_defaults() -> None:
    text = uncommented(without_tables(example_toml(), OPTIONAL))
    examples = [setting for setting in all_settings() if setting.example is not None and len(setting.path) == 1]
    Path("overwinter.toml").write_text(text)
    config = load_config(environ={})
    assert config.model_copy(update={setting.path[0]: None for setting in examples}) == Config()
    assert {setting.path[0]: plain(value_at(config, setting)) for setting in examples} == {
        "workspaces": "workspaces",
        "app": "office:app",
    }


@pytest.mark.usefixtures("clean_environment")
def test_with_every_table_and_the_secrets_in_their_variables_it_is_sound_and_says_what_holds() -> None:
    Path("overwinter.toml").write_text(uncommented(example_toml()))
    config = load_config(environ=SECRETS)
    for setting in all_settings():
        if not setting.is_secret:
            given = setting.example if setting.default is None else setting.default
            assert plain(value_at(config, setting)) == given, setting.path
            assert given is not None, f"{setting.path} has neither a default nor an example"


def test_secrets_are_named_by_the_variables_that_take_them_and_are_no_lines_of_the_file() -> None:
    secrets = {setting.variable: setting for setting in all_settings() if setting.is_secret}
    assert secrets.keys() == SECRETS.keys()
    text = " ".join(example_toml().replace("\n# ", " ").split())
    for variable, setting in secrets.items():
        assert f"set {variable}." in text
        assert (setting.default, setting.example) == (None, None)
        assert re.search(rf"^#{setting.path[-1]} =", example_toml(), re.MULTILINE) is None
    assert variable_of(("slack", "bot_token")) in {each.variable for each in secrets.values() if each.is_required}


def test_every_key_says_what_it_is_for_and_every_time_and_size_in_which_unit() -> None:
    units = {"_s": "seconds", "_bytes": "bytes", "_characters": "characters"}
    for setting in all_settings():
        assert len(setting.expected) > 5, setting.path
        for ending, unit in units.items():
            if setting.path[-1].endswith(ending):
                assert unit in setting.expected, setting.path


def test_the_command_prints_it_and_its_keys(overwinter: Overwinter) -> None:
    ran = overwinter("config", "example")
    assert (ran.code, ran.err, ran.out) == (0, "", example_toml())
    listed = overwinter("config", "example", "--json").document["settings"]
    assert [each["variable"] for each in listed] == [variable_of(path) for path in setting_paths()]
    lease = next(each for each in listed if each["key"] == "supervising.lease_s")
    assert (lease["default"], lease["secret"], lease["required"]) == (30.0, False, False)


def test_the_configuration_is_checked_alone(overwinter: Overwinter) -> None:
    ran = overwinter("config", "check")
    assert (ran.code, "There is no file" in ran.out) == (0, True)
    Path("overwinter.toml").write_text(example_toml())
    assert overwinter("config", "check", "--json").document == {"ok": True, "file": "overwinter.toml"}
    assert "overwinter.toml can be read" in overwinter("config", "check").out
    Path("other.toml").write_text("[supervising]\nlease_s = 1\n[log]\nlevel = 'loud'\n")
    faulty = overwinter("config", "check", "--config", "other.toml", "--json")
    assert (faulty.code, faulty.error["code"], faulty.out) == (3, "config.invalid", "")
    assert "lease_s (1) is less than twice heartbeat_s" in faulty.error["message"]
    assert "other.toml, log.level" in faulty.error["message"]
    assert not Path("overwinter.db").exists()
