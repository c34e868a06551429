"""The questions of one session that wait for an answer, shown again to whoever talks with it at a terminal.

What was asked on the terminal is printed by its channel as it was the first time, with the command that answers it: the id of such
a question is the right to answer it, and its channel alone shows it. Of any other channel's it is said who is asked, and where.
"""

from __future__ import annotations

from collections.abc import Callable

from ...actors.events import EventKind
from ...actors.notices import ask_in
from ...actors.opening import CONVERSATION, ask_of, prompt_of
from ...bots.runtime import Runtime
from ...channels.terminal import TerminalChannel
from ...store.rows import AnswererKind, PauseKind, PauseRow, SessionRow, SessionStatus, channels_in
from ..timeline import entries_of
from .next_commands import NextCommands
from .screen import span

_MOST = 1_000


async def tell_open_questions(
    runtime: Runtime, session: SessionRow, *, tell: Callable[[str], None], typed_next: NextCommands
) -> None:
    """Tell what waits, the oldest first; that nothing does, if so."""
    waiting = await runtime.store.pending_pauses(tenant=session.tenant, session_id=session.session_id, limit=_MOST)
    asked = [pause for pause in waiting if pause.kind == PauseKind.ASK]
    now_ms = runtime.clock.now_ms()
    for pause in asked:
        others = await _show_on_terminals(runtime, pause)
        if others:
            command = typed_next.answer(pause.pause_id, owner=session.owner)
            tell(_told(pause, others, since=span(now_ms - pause.asked_at_ms), command=command))
    if asked:
        return
    tell("No question is open.")
    # What asks by an ordinary message leaves no row of its own: it waits, and for nothing that has one.
    if session.status == SessionStatus.WAITING and not waiting:
        said = await _said_last(runtime, session)
        tell(f"{session.program} waits for what you type next" + ("." if said is None else f"; it said last: {said}"))


async def _show_on_terminals(runtime: Runtime, pause: PauseRow) -> list[str]:
    """Have the terminals among the question's channels print it again; the names of the others."""
    app = runtime.app
    terminals = {
        channel.name: channel
        for role in app.roles()
        for channel in app.asked_of(role)
        if isinstance(channel, TerminalChannel)
    }
    others: list[str] = []
    for name in channels_in(pause.channel):
        if (terminal := terminals.get(name)) is None:
            others.append(name)
        else:
            terminal.show(ask_in(name, pause))
    return others


async def _said_last(runtime: Runtime, session: SessionRow) -> str | None:
    timeline = await runtime.store.timeline(session.session_id)
    for entry in reversed([] if timeline is None else entries_of(timeline)):
        match entry.kind:
            case EventKind.MESSAGE_SENT:
                return entry.what
            case EventKind.MODEL_REPLIED if entry.body["content"]:
                return entry.body["content"]
            case _:
                pass
    return None


def _told(pause: PauseRow, channels: list[str], *, since: str, command: str) -> str:
    """A question that no terminal shows.

    Args:
        command: answers it, where the session's owner may.
    """
    bot, prompt = ask_of(pause).bot, prompt_of(pause)
    if channels == [CONVERSATION]:
        return f"{bot} asks you, for {since}: {prompt}\n  answer: what you type next, or {command}"
    where = f"on {', '.join(channels)}, for {since}{'' if pause.is_sent else ' (not sent yet)'}"
    if pause.answerer == AnswererKind.OWNER:
        return f"{bot} asks you {where}: {prompt}\n  answer: {command}"
    return f"{bot} asks {pause.role} {where}: {prompt}"
