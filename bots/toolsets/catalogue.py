"""The sets of tools that come with Overwinter, by name: agents name them, and each app gets its own over what it has."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..tools import Tool
from .system import SYSTEM
from .workspace_ext import Workbench, workspace_ext

NAMES = ("system", "workspace_ext")


def tools_that_ask(toolsets: Iterable[str]) -> tuple[Tool, ...]:
    """Of the sets, the tools whose roles an app has to know: they are the same for every app."""
    return SYSTEM if "system" in toolsets else ()


def tools_of(toolsets: Iterable[str], bench: Workbench) -> Iterator[Tool]:
    """All tools of the sets; each once, however often its set is named. Of a set that is not there, which is a fault, none."""
    for name in dict.fromkeys(toolsets):
        match name:
            case "system":
                yield from SYSTEM
            case "workspace_ext":
                yield from workspace_ext(bench)
            case _:
                pass
