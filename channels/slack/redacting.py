"""Keeps tokens out of logs and errors."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence

import structlog

_log = structlog.get_logger("overwinter.slack")

REDACTED = "(redacted)"

_TOKENS = re.compile(r"\b(?:xox[a-z](?:\.xox[a-z])?|xapp|xwfp)-[A-Za-z0-9-]{3,}|(?<=ticket=)[^&\s'\"]+")
"""Slack's tokens (https://docs.slack.dev/authentication/tokens), and what opens a WebSocket."""


class Redactor:
    """Takes secrets out of texts: those of this app, and whatever looks like a token of Slack's."""

    def __init__(self, secrets: Sequence[str]) -> None:
        self._secrets = tuple(secret for secret in secrets if len(secret) >= 6)

    def text(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, REDACTED)
        return _TOKENS.sub(REDACTED, text)


class RedactingFilter(logging.Filter):
    """For the loggers of Slack's own libraries, which put into a record what they were told."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def filter(self, record: logging.LogRecord) -> bool:
        try:
            told = record.getMessage()
        except (TypeError, ValueError):
            told = str(record.msg)
        if record.exc_info:
            # A traceback would show what the vendor's frames were given.
            kind = record.exc_info[0]
            told = told if kind is None else f"{told} ({kind.__name__})"
            record.exc_info = None
        record.msg, record.args, record.exc_text = self._redactor.text(told), None, None
        return True


class _Forwarding(logging.Handler):
    """What Slack's libraries have to say goes where all logs go, in their form."""

    def emit(self, record: logging.LogRecord) -> None:
        say = _log.error if record.levelno >= logging.ERROR else _log.warning
        say("slack.library", said=record.getMessage())


def quiet_logger(redactor: Redactor, *, name: str) -> logging.Logger:
    """A logger for Slack's libraries that tells no secret, and of trouble alone: a silent socket is replaced all the time.

    Args:
        name: of the connection.
    """
    logger = logging.getLogger(f"overwinter.slack.{name}")
    logger.filters[:] = [RedactingFilter(redactor)]
    logger.handlers[:] = [_Forwarding()]
    logger.propagate = False
    logger.setLevel(logging.WARNING)
    return logger
