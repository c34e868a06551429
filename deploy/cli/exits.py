"""What the exit code of a command means: one table, shown at the end of ``overwinter --help``."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """The exit codes. Numbers are never given another meaning."""

    OK = 0
    UNEXPECTED = 1
    UNHEALTHY = 1
    USAGE = 2
    CONFIG = 3
    STORE = 4
    UNKNOWN = 5
    REFUSED = 6
    NOT_UNDERSTOOD = 7
    FAILED = 8
    BROKEN = 9
    INTERRUPTED = 130


MEANINGS = {
    Exit.OK: "it is done",
    Exit.UNEXPECTED: "an error nobody foresaw (overwinter.internal); doctor: something has to be mended",
    Exit.USAGE: "wrong options or arguments, or a file that cannot be used (usage.invalid, input.invalid, ...)",
    Exit.CONFIG: "faults in the configuration or the app (config.*, assembly.*)",
    Exit.STORE: "the database cannot be used (store.*)",
    Exit.UNKNOWN: "there is no such session, question, bot or mail",
    Exit.REFUSED: "refused: answered already, not yours to answer, ended (pause.not-pending, ...)",
    Exit.NOT_UNDERSTOOD: "the answer settles nothing; the question still waits",
    Exit.FAILED: "the session, the demonstration or the measurement failed",
    Exit.BROKEN: "the audit was changed, or entries of it are missing (audit.broken)",
    Exit.INTERRUPTED: "interrupted (Ctrl-C)",
}

_BY_CODE = {
    "usage.invalid": Exit.USAGE,
    "input.invalid": Exit.USAGE,
    "tool.invalid-arguments": Exit.USAGE,
    "overwinter.interrupted": Exit.INTERRUPTED,
    "overwinter.internal": Exit.UNEXPECTED,
    "pause.unknown": Exit.UNKNOWN,
    "session.unknown": Exit.UNKNOWN,
    "bot.unknown": Exit.UNKNOWN,
    "mail.unknown": Exit.UNKNOWN,
    "mail.not-released": Exit.REFUSED,
    "pause.not-pending": Exit.REFUSED,
    "pause.wrong-answerer": Exit.REFUSED,
    "pause.not-owner": Exit.REFUSED,
    "session.ended": Exit.REFUSED,
    "session.not-blocked": Exit.REFUSED,
    "session.question-changed": Exit.REFUSED,
    "session.not-deployed": Exit.UNKNOWN,
    "trigger.unknown": Exit.UNKNOWN,
    "trigger.taken": Exit.REFUSED,
    "trigger.declared": Exit.REFUSED,
    "trigger.invalid": Exit.USAGE,
    "audit.broken": Exit.BROKEN,
    "step.not-indeterminate": Exit.REFUSED,
    "action.unknown": Exit.UNKNOWN,
    "action.mismatch": Exit.REFUSED,
    "action.not-waiting": Exit.REFUSED,
    "action.not-due": Exit.REFUSED,
    "action.expired": Exit.REFUSED,
    "policy.invalid": Exit.CONFIG,
    "effect.conflict": Exit.REFUSED,
    "pause.invalid-answer": Exit.NOT_UNDERSTOOD,
    "pause.invalid-decision": Exit.NOT_UNDERSTOOD,
    "pause.uninterpretable-reply": Exit.NOT_UNDERSTOOD,
    "pause.no-reply-interpreter": Exit.NOT_UNDERSTOOD,
}

_BY_NOUN = {"config": Exit.CONFIG, "assembly": Exit.CONFIG, "store": Exit.STORE}


def exit_of(code: str) -> Exit:
    """The exit code for an error's code."""
    return _BY_CODE.get(code) or _BY_NOUN.get(code.partition(".")[0], Exit.FAILED)
