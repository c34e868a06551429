"""Commands of the group ``config``: example, check."""

from __future__ import annotations

from ...actors.asks import JsonValue
from ..config import file_in_use, load_config
from ..config_example import Setting, all_settings, example_toml
from .options import ConfigFile, Json
from .screen import Screen


def config_example(as_json: Json = False) -> None:
    """Print an example of the configuration: every table and key, what it is for, and its default, all of it commented out.

    Secrets are not in it; it names the variable that takes each. With --json: settings, each with key, variable, expected,
    default, example, secret and required.

    Example: overwinter config example
    """
    screen = Screen(as_json=as_json)
    if as_json:
        screen.document({"settings": [_to_json(setting) for setting in all_settings()]})
        return
    screen.line(example_toml().rstrip())


def config_check(config: ConfigFile = None, as_json: Json = False) -> None:
    """Read the configuration and tell every fault of it, with where it comes from; nothing else is looked at.

    What it leads to (the database, the model, the app, Slack, mail) is looked at by `overwinter doctor`.

    Example: overwinter config check --config overwinter.toml
    """
    load_config(file=config)
    file = file_in_use(config)
    screen = Screen(as_json=as_json)
    if as_json:
        screen.document({"ok": True, "file": None if file is None else str(file)})
        return
    what = "There is no file; defaults and variables hold" if file is None else f"{file} can be read"
    screen.line(f"{what}, and nothing is wrong with the configuration.", style="green")


def _to_json(setting: Setting) -> JsonValue:
    return {
        "key": ".".join(setting.path),
        "variable": setting.variable,
        "expected": setting.expected,
        "default": setting.default,
        "example": setting.example,
        "secret": setting.is_secret,
        "required": setting.is_required,
    }
