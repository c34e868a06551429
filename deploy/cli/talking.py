"""Commands that talk to bots: chat and start."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from functools import partial
from operator import eq
from typing import Annotated

import typer

from ...actors.asks import JsonValue
from ...actors.clock import SystemClock
from ...actors.errors import (
    BudgetExceededError,
    PauseError,
    PauseUninterpretableReplyError,
    PiiRefusedError,
    SessionEndedError,
    SessionUnknownError,
)
from ...actors.events import EventKind
from ...actors.ids import RandomIds
from ...actors.opening import CONVERSATION
from ...bots.app import App
from ...bots.runtime import Runtime
from ...store.rows import TERMINAL_SESSION_STATUSES, SessionRow, SessionStatus
from ..config import load_config
from ..errors import InputInvalidError
from ..following import Follower
from ..logs import configure_logs
from ..service import supervising
from ..settings import Config
from ..timeline import Entry
from ..wiring import open_runtime
from .exits import Exit
from .next_commands import NextCommands
from .open_questions import tell_open_questions
from .options import (
    ConfigFile,
    Db,
    Json,
    Owner,
    Surface,
    Target,
    app_of,
    bot_of,
    check_text,
    surface_of,
)
from .screen import Screen
from .typed_lines import TypedLines

_PROMPT = "you> "
_PENDING = "/pending"
"""Typed as a line of its own, it shows again what is asked; the bot hears nothing of it."""


def chat(
    target: Target = None,
    bot: Annotated[str | None, typer.Option("--bot", metavar="NAME", help="The bot, if the app has several.")] = None,
    owner: Owner = "local",
    session: Annotated[
        str | None, typer.Option("--session", metavar="SESSION", help="Go on with this session.")
    ] = None,
    db: Db = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> int:
    """Talk to a bot. Each line typed is a message, or the answer to what the bot asks; Ctrl-D ends.

    A line /pending is neither: it shows again which questions of the session wait for an answer, and how each is answered.

    The bot runs in this process. The session stays in the database and goes on later, here with --session or in a service.
    Of what is asked on the terminal, what this session asks is shown here; the questions of others are left to the service.

    Example: overwinter chat overwinter.bots.examples.refund:app
    """
    settings = load_config(file=config, database=db)
    configure_logs(level=settings.log.level, form=settings.log.format, stream=sys.stderr)
    app = app_of(target, settings)
    screen = Screen(as_json=as_json)
    talk = _Talk(screen=screen)
    chosen = bot_of(bot, app) if session is None else None
    typed_next = NextCommands(target=target, db=db, config=config)
    row = asyncio.run(
        _chat(settings, app, talk, typed_next, bot=chosen, owner=check_text(owner, what="--owner"), session_id=session)
    )
    if as_json:
        screen.document(_result(row, talk))
    elif row is not None and row.status not in TERMINAL_SESSION_STATUSES:
        screen.note(f"The session goes on with: {typed_next.chat(row.session_id)}")
    if row is None:
        return Exit.OK
    if row.status == SessionStatus.WAITING and talk.recorded:
        screen.note(f"{_lines(talk.recorded)} recorded; the bot reads them when it has its answer.", style="yellow")
    code = told_failure(screen, status=row.status, reason=row.reason)
    if talk.unsent and code == Exit.OK:
        screen.error("session.ended", f"the session has ended; {_lines(talk.unsent)} not sent")
        return Exit.REFUSED
    return code


def start(
    target: Target = None,
    *,
    bot: Annotated[str, typer.Argument(metavar="BOT", help="The agent or workflow.")],
    message: Annotated[
        str, typer.Argument(metavar="MESSAGE", help="What to tell it; for a workflow its arguments as JSON.")
    ],
    owner: Owner = "local",
    surface: Annotated[str, typer.Option("--surface", metavar="chat|workspace", help="Where it works.")] = "chat",
    wait: Annotated[bool, typer.Option("--wait", metavar="", help="Run it in this process until it rests.")] = False,
    db: Db = None,
    config: ConfigFile = None,
    as_json: Json = False,
) -> int:
    """Start a session. A service that runs on the database takes it up at once; --wait runs it here.

    Of what is asked on the terminal, --wait shows what this session asks; the questions of others are left to the service.

    Example: overwinter start office:app support "refund order 4471, 80.00" --owner olga --wait
    """
    settings = load_config(file=config, database=db)
    if not target and settings.app is None and ":" in bot:
        raise InputInvalidError(f"after the app, {bot}, BOT and MESSAGE are expected; one of them is missing")
    configure_logs(level=settings.log.level, form=settings.log.format, stream=sys.stderr)
    app = app_of(target, settings)
    screen = Screen(as_json=as_json)
    talk = _Talk(screen=screen)
    row = asyncio.run(
        _start(
            settings,
            app,
            talk,
            bot=bot_of(bot, app),
            owner=check_text(owner, what="--owner"),
            message=check_text(message, what="MESSAGE"),
            surface=surface_of(surface),
            wait=wait,
        )
    )
    if as_json:
        screen.document(_result(row, talk))
    else:
        screen.line(f"Session {row.session_id} is {row.status}.", style="dim")
    return told_failure(screen, status=row.status, reason=row.reason)


def told_failure(screen: Screen, *, status: str, reason: str | None) -> Exit:
    """Say why a session failed, or its last execution did; the exit code."""
    has_failed = status in (SessionStatus.FAILED, SessionStatus.BLOCKED)
    if not has_failed and (status != SessionStatus.IDLE or reason is None):
        return Exit.OK
    code, _, detail = (reason or "").partition(": ")
    screen.error(code or "execution.failed", detail or "the bot failed")
    return Exit.FAILED


def _lines(count: int) -> str:
    return "1 line was" if count == 1 else f"{count} lines were"


async def _start(
    config: Config, app: App, talk: _Talk, *, bot: str, owner: str, message: str, surface: Surface, wait: bool
) -> SessionRow:
    clock, ids = SystemClock(), RandomIds()
    session_id = ids.session_id(clock.now_ms())
    async with open_runtime(
        app, config, clock=clock, ids=ids, must_exist=False, shows=partial(eq, session_id)
    ) as runtime:
        runtime.sessions.check_start(program=bot, message=message)
        await runtime.sessions.start(
            program=bot, owner=owner, message=message, tenant=config.tenant, surface=surface, session_id=session_id
        )
        if not wait:
            return await _row(runtime, config, session_id)
        async with supervising(runtime) as check:
            with talk.screen.progress(f"{bot} works ..."):
                return await _follower(runtime, talk, session_id).wait_rested(check)


async def _chat(
    config: Config,
    app: App,
    talk: _Talk,
    typed_next: NextCommands,
    *,
    bot: str | None,
    owner: str,
    session_id: str | None,
) -> SessionRow | None:
    clock, ids = SystemClock(), RandomIds()
    is_new, session_id = session_id is None, session_id or ids.session_id(clock.now_ms())
    async with open_runtime(
        app, config, clock=clock, ids=ids, must_exist=not is_new, shows=partial(eq, session_id)
    ) as runtime:
        if not is_new:
            await _row(runtime, config, session_id)
        async with supervising(runtime) as check:
            lines = TypedLines(fd=sys.stdin.fileno())
            if is_new:
                talk.screen.note(f"Talking to {bot}; {_PENDING} shows again what is asked, Ctrl-D ends.")
                first = await _typed(talk, lines, tell_open=talk.tell_nothing_open)
                if first is None or bot is None:
                    return None
                await runtime.sessions.start(
                    program=bot, owner=owner, message=first, tenant=config.tenant, session_id=session_id
                )
            return await _converse(runtime, config, talk, lines, typed_next, session_id=session_id, check=check)


async def _converse(
    runtime: Runtime,
    config: Config,
    talk: _Talk,
    lines: TypedLines,
    typed_next: NextCommands,
    *,
    session_id: str,
    check: Callable[[], None],
) -> SessionRow:
    """Say what is typed, and tell what comes back, until nothing more is typed or the session has ended."""
    follower = _follower(runtime, talk, session_id)

    async def tell_open() -> None:
        session = await _row(runtime, config, session_id)
        await tell_open_questions(
            runtime,
            session,
            tell=lambda text: talk.add("", text, style="yellow"),
            typed_next=typed_next,
        )

    async with follower.telling():
        while True:
            row = await follower.wait_rested(check)
            loaded = await runtime.store.load(session_id)
            talk.recorded = 0 if loaded is None else len(loaded.inbound)
            if row.status in TERMINAL_SESSION_STATUSES:
                talk.unsent += lines.count_left()
                return row
            if (line := await _typed(talk, lines, tell_open=tell_open)) is None:
                return row
            try:
                await runtime.sessions.say(tenant=config.tenant, session_id=session_id, text=line)
            except SessionEndedError:
                talk.unsent += 1 + lines.count_left()
                return await follower.look()
            except PauseUninterpretableReplyError as error:
                understood = "" if error.so_far is None else f" Understood was: {error.so_far}"
                talk.add("", f"{error}{understood} Nothing was decided; please answer once more.", style="yellow")
            except (BudgetExceededError, PauseError, PiiRefusedError) as error:
                talk.add("", str(error), style="yellow")


async def _typed(talk: _Talk, lines: TypedLines, *, tell_open: Callable[[], Awaitable[None]]) -> str | None:
    """What is typed next for the bot; None at the end."""
    while True:
        with talk.prompting():
            line = await lines.next()
        if line != _PENDING:
            break
        await tell_open()
    if line is not None:
        talk.typed(line)
    return line


async def _row(runtime: Runtime, config: Config, session_id: str) -> SessionRow:
    row = await runtime.store.session(session_id)
    if row is None or row.tenant != config.tenant:
        raise SessionUnknownError(f"there is no session {session_id!r} in {config.database}")
    return row


def _follower(runtime: Runtime, talk: _Talk, session_id: str) -> Follower:
    return Follower(store=runtime.store, session_id=session_id, tell=talk.tell)


def _result(row: SessionRow | None, talk: _Talk) -> JsonValue:
    if row is None:
        return {"session": None, "status": None, "reason": None, "said": talk.said}
    return {"session": row.session_id, "status": row.status, "reason": row.reason, "said": talk.said}


class _Talk:
    """What was said, shown as it comes and kept for the document.

    Attributes:
        said: ``{"who", "text"}`` of each thing said.
        recorded: how many typed lines were put by while the bot waited for somebody else.
        unsent: how many typed lines nobody took, as the session had ended.
    """

    def __init__(self, *, screen: Screen) -> None:
        self.screen = screen
        self.said: list[dict[str, str]] = []
        self.recorded = 0
        self.unsent = 0
        self._typed: set[str] = set()
        self._is_prompting = False

    @contextmanager
    def prompting(self) -> Generator[None]:
        """Ask the person to type while the block runs; what is said meanwhile leaves the prompt below it."""
        self.screen.prompt(_PROMPT)
        self._is_prompting = True
        try:
            yield
        finally:
            self._is_prompting = False

    def typed(self, text: str) -> None:
        """Somebody at this terminal has typed it, and sees it there: it is not shown to them again."""
        if self.screen.is_interactive:
            self._typed.add(text)

    async def tell_nothing_open(self) -> None:
        """There is no session yet that could ask something."""
        self.add("", "No question is open.", style="yellow")

    def add(self, who: str, text: str, *, style: str = "", who_style: str = "bold cyan") -> None:
        self.said.append({"who": who, "text": text})
        if self._is_prompting:
            self.screen.prompt("\n")
        self.screen.line(text, who=who, style=style, who_style=who_style)
        if self._is_prompting:
            self.screen.prompt(_PROMPT)

    def tell(self, entry: Entry) -> None:
        """Show what people have to see of a session's timeline."""
        match entry.kind:
            case EventKind.MESSAGE_RECEIVED if self._is_typed(entry.body["content"]):
                pass
            case "answer_recorded" if self._is_typed(entry.body["decision"]):
                pass
            case EventKind.MESSAGE_RECEIVED:
                self.add(entry.who, entry.what, style="dim", who_style="dim")
            case EventKind.MODEL_REPLIED if entry.body["content"] or entry.body["refusal"]:
                self.add(entry.who, entry.body["content"] or entry.body["refusal"])
            case EventKind.MESSAGE_SENT:
                self.add(entry.who, entry.what)
            case EventKind.PAUSE_OPENED if entry.body["kind"] == "ask":
                if entry.body["channel"] == CONVERSATION:
                    self.add(entry.who, entry.body["prompt"])
                else:
                    self.add(
                        "", f"{entry.who} asks {entry.body['role']} on {entry.body['channel']}, and waits.", style="dim"
                    )
            case (
                "answer_recorded" | EventKind.EXECUTION_FAILED | EventKind.SESSION_BLOCKED | EventKind.SESSION_CANCELLED
            ):
                self.add(entry.who, entry.what, style="yellow")
            case EventKind.EXECUTION_ENDED if not _is_reply(entry.body["result"]):
                self.add(entry.who, f"finished with {entry.body['result']}")
            case _:
                pass

    def _is_typed(self, value: JsonValue) -> bool:
        return isinstance(value, str) and value in self._typed


def _is_reply(result: JsonValue) -> bool:
    """Whether it is an agent's last reply, which has been shown already."""
    match result:
        case {"reply": str()}:
            return True
        case _:
            return False
