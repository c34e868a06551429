"""The command ``overwinter`` and what it is made of."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib.metadata import version as version_of
from typing import Annotated

import typer
from rich.markup import escape

from . import (
    accepting,
    actions,
    answers,
    audit,
    bench,
    configuring,
    demo,
    doctor,
    fires,
    interpret,
    looking,
    mail,
    policy,
    quarantine,
    serving,
    settling,
    talking,
    triggers,
)
from .exits import MEANINGS
from .leading import LeadingOptional

_EPILOG = "\n".join(("Exit codes:", *(f"{code.value:>3}  {meaning}" for code, meaning in MEANINGS.items())))


_PANELS: Mapping[str, tuple[Callable[..., object], ...]] = {
    "Begin": (demo.demo, doctor.doctor),
    "Run bots": (serving.serve, talking.chat, talking.start),
    "See what they do": (looking.sessions, looking.show, looking.pending),
    "Answer for people": (
        answers.answer,
        answers.cancel_question,
        answers.cancel,
        settling.settle,
        interpret.interpret,
    ),
    "Keep it in order": (accepting.accept,),
    "Measure": (bench.bench,),
}


_GROUPS: Mapping[str, tuple[str, str, tuple[Callable[..., object], ...]]] = {
    "config": (
        "Begin",
        "What may be set: example, check.",
        (configuring.config_example, configuring.config_check),
    ),
    "triggers": (
        "Run bots",
        "What sets bots off: list, add, remove, enable, disable, fire, fires.",
        (
            triggers.triggers_list,
            triggers.triggers_add,
            triggers.triggers_remove,
            triggers.triggers_enable,
            triggers.triggers_disable,
            triggers.triggers_fire,
            fires.triggers_fires,
        ),
    ),
    "actions": (
        "Answer for people",
        "Calls that were put off: list, perform, cancel.",
        (actions.actions_list, actions.actions_perform, actions.actions_cancel),
    ),
    "policy": (
        "Keep it in order",
        "What policies say of calls: test, log.",
        (policy.policy_test, policy.policy_log),
    ),
    "audit": (
        "Keep it in order",
        "Who decided what, kept for good: list, verify.",
        (audit.audit_list, audit.audit_verify),
    ),
    "mail": (
        "Answer for people",
        "What is made of mail: read, quarantine.",
        (mail.mail_read,),
    ),
    "mail quarantine": (
        "Answer for people",
        "Mail that led nowhere: list, show, release, drop.",
        (
            quarantine.mail_quarantine_list,
            quarantine.mail_quarantine_show,
            quarantine.mail_quarantine_release,
            quarantine.mail_quarantine_drop,
        ),
    ),
}
"""Commands of several words: all but the last, with their panel, what they are for, and the functions, called by all their words
with underscores. A group of a group stands below it."""


def build() -> typer.Typer:
    """The command with all its subcommands, in the order in which ``--help`` shows them."""
    app = typer.Typer(
        name="overwinter",
        rich_markup_mode="rich",
        add_completion=False,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True, help=_help_of(_root), epilog=_EPILOG)(_root)
    for panel, commands in _PANELS.items():
        for command in commands:
            form = LeadingOptional if command is talking.start else None
            app.command(name=_name_of(command), cls=form, help=_help_of(command), rich_help_panel=panel)(command)
    groups = {"": app}
    for words, (panel, about, commands) in _GROUPS.items():
        group = groups[words] = typer.Typer(rich_markup_mode="rich", no_args_is_help=True)
        for command in commands:
            group.command(name=_last_word(command, words), help=_help_of(command))(command)
        above, _, name = words.rpartition(" ")
        groups[above].add_typer(group, name=name, help=about, rich_help_panel=panel)
    return app


def names() -> list[str]:
    """The names of all subcommands; some are several words."""
    single = [_name_of(command) for commands in _PANELS.values() for command in commands]
    return single + [
        f"{words} {_last_word(command, words)}" for words, (_, _, commands) in _GROUPS.items() for command in commands
    ]


def _last_word(command: Callable[..., object], words: str) -> str:
    return _name_of(command).removeprefix(f"{words.replace(' ', '-')}-")


def _name_of(command: Callable[..., object]) -> str:
    return command.__name__.replace("_", "-")


def _help_of(command: Callable[..., object]) -> str:
    """The docstring with each paragraph on one line, to be wrapped to the terminal's width; a [table] in it is no markup."""
    paragraphs = inspect.cleandoc(command.__doc__ or "").split("\n\n")
    return escape("\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs))


def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", metavar="", help="Print the version.")] = False,
) -> None:
    """Durable bots that ask people: sessions hibernate in a database until the answer is there.

    Begin with `overwinter demo`. Settings come from overwinter.toml and from OVERWINTER_* variables; `overwinter config example`
    prints all of them.

    With --json a command prints one JSON document on stdout and nothing else there. An error is the last line of stderr,
    {"error": {"code": "noun.condition", "message": "..."}}, and stdout stays empty; of a session that failed it has the
    document all the same.
    """
    if version:
        typer.echo(f"overwinter {version_of('overwinter')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit
