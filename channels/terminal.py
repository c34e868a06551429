"""The terminal channel: a question is printed with the command that answers it."""

from __future__ import annotations

from collections.abc import Callable

from ..actors.asks import (
    AnswerForm,
    ApprovalForm,
    Ask,
    AwaitReply,
    ChoiceForm,
    Outcome,
    Progress,
    Relief,
    Reminder,
    Withdrawal,
)

Printer = Callable[[str], None]
"""Puts one block of plain text before a person."""


class TerminalChannel:
    """Prints questions and what became of them.

    Args:
        write: prints; the service gives its console here.
        command: how the reader answers; ``{pause}`` is filled in. Where no configuration names the app or the database,
            give them here: ``"overwinter answer {pause} 'your answer' --as mara --app office:app --db /srv/office.db"``.
    """

    def __init__(
        self,
        *,
        write: Printer,
        name: str = "terminal",
        command: str = "overwinter answer {pause} 'your answer' --as YOUR-NAME",
    ) -> None:
        self.name = name
        self._write = write
        self._command = command

    async def send(self, ask: Ask) -> Outcome:
        self.show(ask)
        return AwaitReply()

    def show(self, ask: Ask) -> None:
        """Print a question, for the first time or once more."""
        lines = [f"[{visible(ask.role)}] {_folded(ask.prompt)}"]
        match ask.form:
            case ApprovalForm(arguments=arguments):
                lines += [f"  {visible(name)}: {_folded(str(value))}" for name, value in arguments.items()]
            case ChoiceForm(choices=choices):
                lines.append("  one of: " + ", ".join(map(visible, choices)))
            case AnswerForm():
                pass
        if ask.escalated_from:
            lines.append(f"  nobody answered in {', '.join(map(visible, ask.escalated_from))}, so it is asked here")
        if ask.needs > 1:
            lines.append(f"  {ask.needs} people have to approve")
        lines.append("  answer: " + self._command.format(pause=ask.pause_id))
        self._write("\n".join(lines))

    async def update(self, progress: Progress) -> None:
        self._write(f"[{visible(progress.ask.role)}] {visible(progress.summary)}")

    async def remind(self, reminder: Reminder) -> None:
        lines = [
            f"[{visible(reminder.ask.role)}] {visible(reminder.summary)}: {_folded(reminder.ask.prompt)}",
            "  answer: " + self._command.format(pause=reminder.ask.pause_id),
        ]
        self._write("\n".join(lines))

    async def relieve(self, relief: Relief) -> None:
        self._write(f"[{visible(relief.ask.role)}] not to be answered here any more: {visible(relief.summary)}")

    async def withdraw(self, withdrawal: Withdrawal) -> None:
        self._write(f"[{visible(withdrawal.ask.role)}] closed: {visible(withdrawal.summary)}")


def visible(text: str) -> str:
    """``text`` with control characters shown, so that what a bot asks can neither move the cursor nor forge a line."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in text)


def _folded(text: str) -> str:
    """A text of several lines, each after the first marked as part of it: no line can pass for one of the channel's own."""
    return "\n  | ".join(visible(line) for line in text.split("\n"))
