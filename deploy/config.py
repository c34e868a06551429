"""Reads the configuration, and is the only place that reads the environment.

A setting comes from, the later over the earlier: its default, one file, the environment, a command's option. The file is the one
that ``--config`` or ``OVERWINTER_CONFIG`` names, else ``overwinter.toml`` in the current folder if it is there; it is TOML, or
JSON if its name ends so. A key ``lease_s`` in its table ``[supervising]`` is the variable ``OVERWINTER_SUPERVISING_LEASE_S``;
an empty variable is as good as none.

All faults of all sources are found in one go, and each says where its value came from.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from .config_faults import did_you_mean, fault_of
from .errors import ConfigError
from .mail_settings import MailConfig
from .settings import PREFIX, Config, setting_paths, variable_of

CONFIG_VARIABLE = "OVERWINTER_CONFIG"
DEBUG_VARIABLE = "OVERWINTER_DEBUG"
DEFAULT_FILE = Path("overwinter.toml")

_NOT_OURS = re.compile(r"OVERWINTER_(SERVICE_(HOST|PORT)|PORT)(_\w+)?")
"""What Kubernetes sets in every container beside a service that is called overwinter."""


def load_config(
    *, file: Path | None = None, database: Path | None = None, environ: Mapping[str, str] | None = None
) -> Config:
    """Read the configuration.

    Args:
        file: what ``--config`` names; None looks where the module says.
        database: what ``--db`` names; None leaves it to the configuration.
        environ: variables in place of the process's own.

    Raises:
        ConfigError: (config.invalid) every fault of every source.
    """
    variables = os.environ if environ is None else environ
    faults: list[str] = []
    file = file_in_use(file, environ=variables)
    values = _merged(_read_file(file, faults), _read_variables(variables, faults))
    if database is not None:
        values["database"] = str(database)
    return _validated(values, faults, file=file, variables=variables)


def load_mail_config(*, file: Path | None = None, environ: Mapping[str, str] | None = None) -> MailConfig:
    """Read what is set about mail, and nothing else of the configuration.

    A file that has none of the other settings may leave the table's name out.

    Raises:
        ConfigError: (config.invalid) every fault of it.
    """
    variables = os.environ if environ is None else environ
    faults: list[str] = []
    file = file_in_use(file, environ=variables)
    found = _read_file(file, faults)
    if faults:
        raise ConfigError(faults)
    is_mail_alone = found.keys().isdisjoint(Config.model_fields)
    below = found if is_mail_alone else found.get("mail", {})
    values = _merged({"mail": below}, {"mail": _read_variables(variables, []).get("mail", {})})
    config = _validated(values, faults, file=file, variables=variables)
    assert config.mail is not None, "the table is always given"
    return config.mail


def file_in_use(file: Path | None, *, environ: Mapping[str, str] | None = None) -> Path | None:
    """The file that ``load_config`` reads; None if there is none, and defaults and variables are all."""
    variables = os.environ if environ is None else environ
    named = Path(variables[CONFIG_VARIABLE]) if variables.get(CONFIG_VARIABLE) else None
    return file or named or (DEFAULT_FILE if DEFAULT_FILE.is_file() else None)


def wants_traceback() -> bool:
    """Whether unexpected errors are to be shown in full: OVERWINTER_DEBUG is set, to anything but 0."""
    return os.environ.get(DEBUG_VARIABLE, "0") not in ("", "0")


def environment_without_settings() -> dict[str, str]:
    """This process's environment for a child that is to run on defaults alone."""
    return {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}


def _validated(
    values: Mapping[str, Any], faults: list[str], *, file: Path | None, variables: Mapping[str, str]
) -> Config:
    try:
        config = Config.model_validate(values)
    except ValidationError as error:
        place = file or DEFAULT_FILE
        faults += [fault_of(each, file=place, variables=variables) for each in error.errors(include_url=False)]
        raise ConfigError(faults) from None  # the vendor's error shows the values, secrets among them
    if faults:
        raise ConfigError(faults)
    return config


def _read_file(file: Path | None, faults: list[str]) -> dict[str, Any]:
    if file is None:
        return {}
    try:
        text = file.read_text(encoding="utf-8")
        values = _object(text) if file.suffix.lower() == ".json" else tomllib.loads(text)
    except FileNotFoundError:
        faults.append(f"{file}: there is no such file; --config or {CONFIG_VARIABLE} must name a TOML file")
        return {}
    except OSError as error:
        faults.append(f"{file}: it cannot be read ({error.strerror or error}); a TOML file is expected")
        return {}
    except UnicodeDecodeError:
        faults.append(f"{file}: it is not UTF-8; a TOML file is expected")
        return {}
    except tomllib.TOMLDecodeError as error:
        faults.append(f"{file}: it is no TOML: {error}")
        return {}
    except ValueError as error:
        faults.append(f"{file}: it is no JSON object: {error}")
        return {}
    for name in ("database", "workspaces"):
        if isinstance(values.get(name), str):
            values[name] = str(file.parent / values[name])
    return values


def _object(text: str) -> dict[str, Any]:
    value: Any = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError("it is a list, a text or a number")
    return cast("dict[str, Any]", value)


def _read_variables(variables: Mapping[str, str], faults: list[str]) -> dict[str, Any]:
    known = {variable_of(path): path for path in setting_paths()}
    found: dict[str, Any] = {}
    for name in sorted(variables):
        if not name.startswith(PREFIX) or not variables[name] or name in (CONFIG_VARIABLE, DEBUG_VARIABLE):
            continue
        if (path := known.get(name)) is None:
            if _NOT_OURS.fullmatch(name) is None:
                hint = did_you_mean(name, [*known, CONFIG_VARIABLE, DEBUG_VARIABLE])
                faults.append(f"{name}: there is no such variable{hint}")
            continue
        table = found
        for part in path[:-1]:
            table = table.setdefault(part, {})
        table[path[-1]] = variables[name]
    return found


def _merged(lower: Mapping[str, Any], upper: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(lower)
    for name, value in upper.items():
        below = merged.get(name)
        if isinstance(value, dict) and isinstance(below, dict):
            merged[name] = _merged(cast("dict[str, Any]", below), cast("dict[str, Any]", value))
        elif isinstance(value, dict) and below is not None:
            merged[name] = below  # the file has no table where one belongs: that is the fault to report
        else:
            merged[name] = value
    return merged
