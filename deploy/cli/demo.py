"""The command that shows what Overwinter does."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from ...actors.clock import SystemClock
from ..demo import DEFAULT_REPLY, Demo, Played, Step
from ..errors import InputInvalidError
from ..service import interruptible
from .demo_gates import show_gates
from .demo_slack import ending_in_slack, play_in_slack
from .demo_words import WAITING, ending, is_numbered, opening, words_of
from .exits import Exit
from .options import ConfigFile, Json, check_text
from .screen import Progress, Screen
from .typed_lines import TypedLines


def demo(
    reply: Annotated[
        str | None,
        typer.Option(
            "--reply",
            metavar="TEXT",
            help=f'What the manager answers. (default: you are asked, else "{DEFAULT_REPLY}")',
        ),
    ] = None,
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="DIR", help="Keep the database and the refunds in this folder.")
    ] = None,
    in_slack: Annotated[
        bool, typer.Option("--slack", metavar="", help="Ask in your own Slack workspace, and wait for an answer there.")
    ] = False,
    channel: Annotated[
        str | None,
        typer.Option("--channel", metavar="#NAME", help="With --slack: where to ask. (default: you are asked)"),
    ] = None,
    within: Annotated[
        float, typer.Option("--within", metavar="SECONDS", min=1, help="With --slack: how long to wait for an answer.")
    ] = 600.0,
    gates: Annotated[
        bool, typer.Option("--gates", metavar="", help="Show what a policy, a judge and a person make of four refunds.")
    ] = False,
    config: ConfigFile = None,
    as_json: Json = False,
) -> int:
    """Watch a bot ask a manager, hibernate, lose its process, be answered in plain words and go on in a new one.

    It takes some seconds and needs no key. Nothing is staged: the processes are real, and so is the SIGKILL. An answer that
    settles nothing is asked again; the demonstration then ends there, as asked_again, with exit code 0.

    With --slack the bot asks in a channel of your own workspace, once the tokens of [slack] are found to be good; somebody
    there presses a button or answers in the thread. Exit code 1 if something has to be mended first, 2 if [slack] is not set.

    With --gates a bot's refunds pass a policy in Rego and a judge: one runs at once, one is asked about, one runs later, one never.

    Example: overwinter demo --reply "ok, but only half"
    """
    screen = Screen(as_json=as_json)
    clock = SystemClock()
    begun_s = clock.monotonic_s()
    if in_slack:
        return _in_slack(screen, keep, channel=channel, within_s=within, file=config, reply=reply)
    if gates:
        if reply is not None:
            raise InputInvalidError("--reply does not go with --gates: the manager says yes there")
        with _folder(keep) as folder:
            return show_gates(screen, folder)
    if channel is not None:
        raise InputInvalidError("--channel goes with --slack")
    given = None if reply is None else check_text(reply, what="--reply")
    steps: list[Step] = []
    with _folder(keep) as folder:
        played = asyncio.run(interruptible(_play(folder, screen, steps, given)))
    if as_json:
        screen.document(
            {
                "outcome": played.outcome,
                "session": played.session_id,
                "steps": [step.to_json() for step in steps],
                "tool_calls": played.tool_calls,
            }
        )
        return Exit.OK
    screen.line(f"{ending(played)} It took {clock.monotonic_s() - begun_s:.1f} s.", style="bold")
    if keep is not None:
        screen.line(f"See for yourself: overwinter show {played.session_id} --db {keep / 'refunds.db'}", style="dim")
    return Exit.OK


def _in_slack(
    screen: Screen, keep: Path | None, *, channel: str | None, within_s: float, file: Path | None, reply: str | None
) -> int:
    if reply is not None:
        raise InputInvalidError("--reply does not go with --slack: there the answer is given in Slack")
    with _folder(keep) as folder:
        story = play_in_slack(screen, file=file, channel=channel, folder=folder, within_s=within_s)
        played = asyncio.run(interruptible(story))
    if played is None:
        if screen.as_json:
            screen.document({"outcome": "not_set_up", "remedy": "overwinter doctor --json says what to mend"})
        return Exit.UNHEALTHY
    if screen.as_json:
        screen.document(
            {
                "outcome": played.outcome,
                "session": played.session_id,
                "answered_by": played.answered_by,
                "reply": played.reply,
                "tool_calls": played.tool_calls,
            }
        )
    screen.line(ending_in_slack(played), style="bold")
    return Exit.OK


async def _play(folder: Path, screen: Screen, steps: list[Step], reply: str | None) -> Played:
    """Play the story, and show it as it happens."""
    for line in opening():
        screen.line(line, style="bold")
    with screen.progress(WAITING["begun"]) as progress:

        def tell(step: Step) -> None:
            steps.append(step)
            number = sum(map(is_numbered, steps))
            for line in words_of(step, number=number):
                screen.line(line)
            progress.update(WAITING.get(step.step, ""))

        story = Demo(folder=folder, tell=tell, reply=_replies(reply, screen, progress))
        return await story.play()


def _replies(reply: str | None, screen: Screen, progress: Progress) -> Callable[[], Awaitable[str | None]]:
    """Where the manager's answers come from: the person at the terminal, or the one that was given."""
    left = [DEFAULT_REPLY if reply is None else reply]

    async def given() -> str | None:
        return left.pop() if left else None

    if reply is not None or not screen.is_interactive:
        return given
    lines = TypedLines(fd=sys.stdin.fileno())

    async def typed() -> str | None:
        progress.update("")
        screen.line(f'You are the manager. Answer in your own words (Enter for "{DEFAULT_REPLY}"):', style="bold")
        screen.prompt("> ")
        line = await lines.read()
        progress.update(WAITING["typed"])
        return None if line is None else line.strip() or DEFAULT_REPLY

    return typed


@contextmanager
def _folder(keep: Path | None) -> Generator[Path]:
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="overwinter-demo-") as folder:
            yield Path(folder)
        return
    try:
        keep.mkdir(parents=True, exist_ok=True)
        has_something = any(keep.iterdir())
    except OSError as error:
        raise InputInvalidError(f"--keep {keep}: {error.strerror or error}") from error
    if has_something:
        raise InputInvalidError(f"--keep {keep}: the folder is not empty; name a new one")
    yield keep.absolute()
