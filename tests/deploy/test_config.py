"""The configuration: where values come from, and how faults are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from overwinter.deploy.config import load_config
from overwinter.deploy.errors import ConfigError
from overwinter.deploy.settings import Config, LogLevel, setting_paths, variable_of

pytestmark = pytest.mark.usefixtures("clean_environment")


def faults(*, toml: str = "", environ: dict[str, str] | None = None) -> tuple[str, ...]:
    Path("overwinter.toml").write_text(toml)
    with pytest.raises(ConfigError) as caught:
        load_config(environ=environ or {})
    assert caught.value.code == "config.invalid"
    return caught.value.faults


def test_without_any_source_there_are_defaults() -> None:
    assert load_config(environ={}) == Config()
    assert Config().database == Path("overwinter.db")


def test_variables_come_before_the_file_and_options_before_both(tmp_path: Path) -> None:
    Path("overwinter.toml").write_text(
        'database = "from-file.db"\ntenant = "from-file"\n[supervising]\npoll_s = 1\ngrace_s = 7\n[log]\nlevel = "error"\n'
    )
    config = load_config(
        environ={"OVERWINTER_TENANT": "from-variable", "OVERWINTER_SUPERVISING_POLL_S": "0.5"},
        database=Path("from-option.db"),
    )
    assert config.tenant == "from-variable"
    assert config.database == Path("from-option.db")
    assert (config.supervising.poll_s, config.supervising.grace_s) == (0.5, 7.0)
    assert config.log.level is LogLevel.ERROR


def test_a_database_named_in_a_file_lies_beside_that_file(tmp_path: Path) -> None:
    folder = tmp_path / "etc"
    folder.mkdir()
    (folder / "office.toml").write_text('database = "office.db"')
    assert load_config(file=folder / "office.toml", environ={}).database == folder / "office.db"
    assert load_config(environ={"OVERWINTER_CONFIG": str(folder / "office.toml")}).database == folder / "office.db"


def test_every_fault_of_every_source_is_told_at_once_with_where_it_came_from() -> None:
    told = faults(
        toml="""
            databse = "x.db"
            tenant = ""
            model = "gpt"
            [supervising]
            lease_s = 5
            concurrency = 0
            [log]
            level = "loud"
            [delivering]
            hold_s = 10
            """,
        environ={
            "OVERWINTER_LOG_FORMT": "json",
            "OVERWINTER_SUPERVISING_HEARTBEAT_S": "often",
            "OVERWINTER_DELIVERING_SEND_TIMEOUT_S": "20",
        },
    )
    expected = [
        "OVERWINTER_LOG_FORMT: there is no such variable; did you mean OVERWINTER_LOG_FORMAT?",
        "overwinter.toml, databse: there is no such key; did you mean database?",
        "overwinter.toml, tenant: string should have at least 1 character, not ''; expected: the tenant's name, not empty",
        "overwinter.toml, model: it is no table; expected: a table with at least a name",
        "overwinter.toml, supervising.concurrency: it should be greater than or equal to 1, not 0; "
        "expected: how many sessions run at once: at least 1",
        "OVERWINTER_SUPERVISING_HEARTBEAT_S: it should be a valid number, unable to parse string as a number, not 'often'; "
        "expected: seconds, at most half of lease_s",
        "overwinter.toml, log.level: it should be 'debug', 'info', 'warning' or 'error', not 'loud'; "
        "expected: one of debug, info, warning, error",
        "overwinter.toml, delivering, OVERWINTER_DELIVERING_SEND_TIMEOUT_S: hold_s (10) is not more than "
        "send_timeout_s (20): a slow post could be carried twice",
    ]
    assert sorted(told) == sorted(expected)


def test_a_lease_shorter_than_two_heartbeats_is_refused() -> None:
    (told,) = faults(toml="[supervising]\nlease_s = 3\n", environ={"OVERWINTER_SUPERVISING_HEARTBEAT_S": "2"})
    assert told.startswith("overwinter.toml, supervising, OVERWINTER_SUPERVISING_HEARTBEAT_S: lease_s (3) is less than")


def test_a_model_without_a_name_says_both_ways_to_give_one() -> None:
    (told,) = faults(environ={"OVERWINTER_MODEL_API_KEY": "sk-1"})
    assert told == (
        "overwinter.toml, model.name or OVERWINTER_MODEL_NAME: it is missing; expected: the vendor's name of the model"
    )


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ("tenant = ", "it is no TOML"),
        ("[nonsense]\na = 1", "nonsense: there is no such key; there are: database, workspaces, app, tenant, model"),
    ],
)
def test_a_file_that_is_no_configuration_is_refused(toml: str, says: str) -> None:
    (told,) = faults(toml=toml)
    assert says in told


def test_a_named_file_that_is_not_there_is_a_fault(tmp_path: Path) -> None:
    for given in ({"file": tmp_path / "no.toml"}, {"environ": {"OVERWINTER_CONFIG": str(tmp_path / "no.toml")}}):
        with pytest.raises(ConfigError, match="there is no such file"):
            load_config(**{"environ": {}, **given})  # pyright: ignore[reportArgumentType]


def test_a_file_that_cannot_be_read_as_text_is_a_fault(tmp_path: Path) -> None:
    Path("overwinter.toml").write_bytes(b"tenant = '\xff'")
    with pytest.raises(ConfigError, match="it is not UTF-8"):
        load_config(environ={})
    with pytest.raises(ConfigError, match="it cannot be read"):
        load_config(file=tmp_path, environ={})


def test_secrets_are_shown_nowhere() -> None:
    secret = "sk-very\x01secret"
    told = faults(
        toml=f'[model]\nnmae = "{"sk-very-secret"}"\nbase_url = "ftp://me:sk-very-secret@host/v1"',
        environ={"OVERWINTER_MODEL_API_KEY": secret, "OVERWINTER_MODEL": "sk-very-secret"},
    )
    assert len(told) == 5
    assert not any("sk-very" in line for line in told)
    config = load_config_with_key("sk-very-secret")
    assert "sk-very" not in repr(config) + str(config) + str(config.model_dump()) + config.model_dump_json()
    assert config.model is not None
    assert config.model.api_key is not None
    assert config.model.api_key.get_secret_value() == "sk-very-secret"


def load_config_with_key(key: str) -> Config:
    Path("overwinter.toml").write_text("")
    return load_config(environ={"OVERWINTER_MODEL_NAME": "gpt", "OVERWINTER_MODEL_API_KEY": key})


def test_variables_that_kubernetes_sets_and_empty_ones_are_none() -> None:
    environ = {
        "OVERWINTER_SERVICE_HOST": "10.0.0.1",
        "OVERWINTER_PORT": "tcp://10.0.0.1:80",
        "OVERWINTER_PORT_80_TCP_ADDR": "10.0.0.1",
        "OVERWINTER_DEBUG": "1",
        "OVERWINTER_MODEL_NAME": "",
    }
    assert load_config(environ=environ) == Config()


def test_every_setting_has_a_variable_of_its_own_and_says_what_is_expected() -> None:
    variables = [variable_of(path) for path in setting_paths()]
    assert len(set(variables)) == len(variables) > 20
