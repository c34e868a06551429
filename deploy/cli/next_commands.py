"""Commands that somebody may type next, with the options that this one was given, to be pasted into a shell."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class NextCommands:
    """What this command found its app and its database by; None where that was not given."""

    target: str | None
    db: Path | None
    config: Path | None

    def chat(self, session_id: str) -> str:
        """Goes on with a session."""
        return self._command("chat", *([self.target] if self.target else []), "--session", session_id)

    def answer(self, pause_id: str, *, owner: str) -> str:
        """Answers a question to the session's owner."""
        app = ["--app", self.target] if self.target else []
        return self._command("answer", pause_id, "your answer", "--as", owner, "--owner", *app)

    def _command(self, *words: str) -> str:
        given = (("--db", self.db), ("--config", self.config))
        options = [word for option, path in given if path is not None for word in (option, str(path))]
        return shlex.join(["overwinter", *words, *options])
