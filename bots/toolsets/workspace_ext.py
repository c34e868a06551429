"""``workspace_ext``: tools that let a session wait for the world. They are offered in workspace sessions alone.

Each wait is a row and nothing else. How it ended is a result that says so, with the seconds it took: ``done``, ``capped`` where
more was asked for than one wait may last, ``timed_out``, ``refused`` where what is waited for cannot be seen any more, ``removed``
where the trigger is there no more, or ``cancelled`` by an operator.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from ...actors.confinement import is_pattern
from ...actors.errors import TriggerUnknownError, WorkspacePathError
from ...actors.farewells import is_farewell
from ...actors.file_changes import look_to_json
from ...actors.operations import WaitResult, reason_of
from ...actors.run import Run
from ...actors.triggers import Triggers
from ...actors.workspaces import Workspaces
from ...store.rows import PauseKind
from ..errors import ToolArgumentsError, ToolRefusedError
from ..tools import Tool, tool
from ..workflows import Workflow


@dataclass(frozen=True, slots=True, kw_only=True)
class Workbench:
    """What the tools of one app work with.

    Attributes:
        cap: the longest that one wait may last.
        workflows: those that may be invoked, by name.
        triggers, workspaces: those that may be waited for, and where sessions work; None only where nothing is called.
    """

    cap: timedelta
    workflows: Mapping[str, Workflow[..., Any]]
    triggers: Triggers | None = None
    workspaces: Workspaces | None = None

    def limit(self, timeout_s: float | None) -> timedelta:
        """How long a wait may last that is to last so long."""
        if timeout_s is None or timeout_s > self.cap.total_seconds():
            return self.cap
        return timedelta(seconds=timeout_s)


FileEvent = Literal["created", "modified", "deleted"]
Events = Annotated[tuple[FileEvent, ...], Field(min_length=1)]
DEFAULT_EVENTS: tuple[FileEvent, ...] = ("created", "modified")
Timeout = Annotated[float | None, Field(gt=0)]


class Ended(TypedDict, total=False):
    """How a wait ended."""

    status: Literal["done", "capped", "timed_out", "removed", "cancelled"]
    elapsed_s: float
    reason: str
    """Why it was cancelled, or did not last as long as was asked."""


def workspace_ext(bench: Workbench) -> tuple[Tool, ...]:
    """The set, over what one app has."""
    return (_sleep(bench), _watch_files(bench), _subscribe_to_trigger(bench), _invoke_workflow(bench))


def _sleep(bench: Workbench) -> Tool:
    @tool(surface="workspace")
    async def sleep(run: Run, seconds: Annotated[float, Field(ge=0)]) -> Ended:
        """Wait for some time, and then go on. Fractions of a second count; 0 does not wait.

        Args:
            seconds: how long.
        """
        if seconds == 0:
            return {"status": "done", "elapsed_s": 0.0}
        _, result = await run.wait_for("sleep", "sleep", "", None, kind=PauseKind.TIMER, deadline=bench.limit(seconds))
        if result.resolution != "fired":
            return cancelled(result)
        if not has_lasted(result, seconds):
            reason = f"one wait lasts at most {bench.cap.total_seconds():g} seconds; call sleep again for the rest of {seconds:g}"
            return {"status": "capped", "elapsed_s": elapsed_s(result), "reason": reason}
        return {"status": "done", "elapsed_s": elapsed_s(result)}

    return sleep


def _watch_files(bench: Workbench) -> Tool:
    async def look(session_id: str, paths: list[str], now_ms: int) -> dict[str, Any]:
        """How the files look now; or why they cannot be looked at."""
        assert bench.workspaces is not None
        bench.workspaces.folder(session_id)
        try:
            seen = await asyncio.to_thread(bench.workspaces.look, session_id, tuple(paths), now_ms=now_ms)
        except WorkspacePathError as error:
            return {"refused": str(error)}
        for path in paths:
            if is_pattern(path) and path not in seen:
                return {
                    "refused": f"There is no file {path!r}, and patterns are not read: give the folder of the files."
                }
        return {"files": look_to_json(seen)}

    @tool(surface="workspace")
    async def watch_files(
        run: Run,
        paths: Annotated[list[str], Field(min_length=1)],
        events: Events = DEFAULT_EVENTS,
        timeout_s: Timeout = None,
    ) -> dict[str, Any]:
        """Wait until files of the workspace change, and get a list of all that have.

        Args:
            paths: files and folders, no patterns, relative to the workspace; of a folder everything in it. They need not be there
                yet.
            events: which changes to wait for: created, modified, deleted.
            timeout_s: give up after this many seconds.
        """
        since = await run.now()
        now_ms = round(since.timestamp() * 1000)
        seen = await run.step(look, run.session_id, list(paths), now_ms)
        if "refused" in seen:
            raise ToolRefusedError(seen["refused"])
        limit = bench.limit(timeout_s)
        details = {"paths": list(paths), "events": list(events), "files": seen["files"]}
        _, result = await run.wait_for(
            "files", "watch_files", "", None, kind=PauseKind.FILES, deadline=limit, details=details, since=since
        )
        return ended(result, limit, timeout_s, fired=result.answer)

    return watch_files


def _subscribe_to_trigger(bench: Workbench) -> Tool:
    async def look_up(tenant: str, session_id: str, slug: str, standing: bool) -> str | None:
        """Why it cannot be waited for; None if it can."""
        assert bench.triggers is not None
        try:
            if standing:
                await bench.triggers.subscribe(tenant, slug, session_id)
            else:
                await bench.triggers.get(tenant, slug)
        except TriggerUnknownError:
            known = ", ".join(row.slug for row in await bench.triggers.all(tenant)) or "none"
            return f"There is no trigger {slug!r}. Available: {known}."
        return None

    @tool(surface="workspace")
    async def subscribe_to_trigger(
        run: Run, trigger: str, timeout_s: Timeout = None, standing: bool = False
    ) -> dict[str, Any]:
        """Wait until a trigger fires once, and get what it fired for.

        Args:
            trigger: its name.
            timeout_s: give up after this many seconds.
            standing: do not wait now; instead each time it fires is a message to you from now on.
        """
        since = await run.now()  # before anything else: what fires from here on is not missed
        if refused := await run.step(look_up, run.tenant, run.session_id, trigger, standing):
            raise ToolRefusedError(refused)
        if standing:
            return {"status": "subscribed"}
        limit = bench.limit(timeout_s)
        _, result = await run.wait_for(
            "trigger", trigger, "", None, kind=PauseKind.TRIGGER, deadline=limit, since=since
        )
        if is_farewell(result.answer):
            return {"status": "removed", "elapsed_s": elapsed_s(result), "reason": reason_of(result)}
        return ended(result, limit, timeout_s, fired=result.answer)

    return subscribe_to_trigger


def _invoke_workflow(bench: Workbench) -> Tool:
    @tool(surface="workspace")
    async def invoke_workflow(run: Run, workflow: str, arguments: dict[str, Any] | None = None) -> dict[str, Any]:
        """Run a workflow to its end and get its result. What it waits for, you wait for.

        Args:
            workflow: its name.
            arguments: its arguments, by name.
        """
        found = bench.workflows.get(workflow)
        if found is None:
            known = ", ".join(sorted(bench.workflows)) or "none"
            raise ToolRefusedError(f"There is no workflow {workflow!r}. Available: {known}.")
        try:
            values = found.signature.parse_json(arguments or {})
        except ToolArgumentsError as error:
            raise ToolRefusedError(str(error)) from error
        return {"status": "done", "result": found.to_json(await run.workflow(found, **values))}

    return invoke_workflow


def elapsed_s(result: WaitResult) -> float:
    return (result.waited_ms or 0) / 1000


def has_lasted(result: WaitResult, seconds: float) -> bool:
    """Whether a wait was as long as was asked, to the millisecond in which times are kept.

    The cap does not tell: it may be another one than when the wait began, and nobody may have been there when it ended.
    """
    return elapsed_s(result) + 0.001 > seconds


def ended(result: WaitResult, limit: timedelta, timeout_s: float | None, *, fired: Any) -> dict[str, Any]:
    """How a wait for something to happen ended.

    Args:
        fired: what is told of what has happened.
    """
    match result.resolution:
        case "fired":
            return {"status": "done", "elapsed_s": elapsed_s(result), **fired}
        case "timed_out":
            is_capped = timeout_s is None or not has_lasted(result, timeout_s)
            reason = f"one wait lasts at most {limit.total_seconds():g} seconds; call it again to wait on"
            capped = {"reason": reason} if is_capped else {}
            return {"status": "capped" if is_capped else "timed_out", "elapsed_s": elapsed_s(result), **capped}
        case _:
            return {**cancelled(result)}


def cancelled(result: WaitResult) -> Ended:
    return {"status": "cancelled", "elapsed_s": elapsed_s(result), "reason": reason_of(result)}
