"""Where logs go: to stderr, for people on a terminal and as JSON lines elsewhere, so that stdout holds results alone."""

from __future__ import annotations

import logging
from typing import TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from ..channels.terminal import visible
from .settings import LogFormat, LogLevel

_LEVELS = {
    LogLevel.DEBUG: logging.DEBUG,
    LogLevel.INFO: logging.INFO,
    LogLevel.WARNING: logging.WARNING,
    LogLevel.ERROR: logging.ERROR,
}


def configure_logs(*, level: LogLevel, form: LogFormat, stream: TextIO) -> None:
    """Send all logs of this process to ``stream``."""
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *_rendering(form, is_terminal=stream.isatty()),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(_LEVELS[level]),
        logger_factory=structlog.PrintLoggerFactory(file=stream),
        cache_logger_on_first_use=False,
    )


def _rendering(form: LogFormat, *, is_terminal: bool) -> list[Processor]:
    if form is LogFormat.HUMAN or (form is LogFormat.AUTO and is_terminal):
        # A plain traceback: the other kind shows the values of variables, among them ids of questions and what is masked.
        renderer = structlog.dev.ConsoleRenderer(colors=is_terminal, exception_formatter=structlog.dev.plain_traceback)
        return [_harmless, renderer]
    # JSON escapes what a terminal would obey.
    return [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]


def _harmless(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Show control characters in values: they come from bots and people, and may not move the cursor."""
    return {name: visible(value) if isinstance(value, str) else value for name, value in event.items()}
