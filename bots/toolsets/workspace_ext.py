"""``workspace_ext``: tools that let a session wait for the world. They are offered in workspace sessions alone.

Each wait is a row and nothing else. How it ended is a result that says so, with the seconds it took: ``done``, ``capped`` where
more was asked for than one wait may last, ``timed_out``, or ``cancelled`` by an operator.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import Field
from typing_extensions import TypedDict

from ...actors.operations import WaitResult, reason_of
from ...actors.run import Run
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
    """

    cap: timedelta
    workflows: Mapping[str, Workflow[..., Any]]


class Ended(TypedDict, total=False):
    """How a wait ended."""

    status: Literal["done", "capped", "timed_out", "cancelled"]
    elapsed_s: float
    reason: str
    """Why it was cancelled, or did not last as long as was asked."""


def workspace_ext(bench: Workbench) -> tuple[Tool, ...]:
    """The set, over what one app has."""
    return (_sleep(bench), _invoke_workflow(bench))


def _sleep(bench: Workbench) -> Tool:
    @tool(surface="workspace")
    async def sleep(run: Run, seconds: Annotated[float, Field(ge=0)]) -> Ended:
        """Wait for some time, and then go on. Fractions of a second count; 0 does not wait.

        Args:
            seconds: how long.
        """
        if seconds == 0:
            return {"status": "done", "elapsed_s": 0.0}
        cap_s = bench.cap.total_seconds()
        duration = bench.cap if seconds > cap_s else timedelta(seconds=seconds)
        _, result = await run.wait_for("sleep", "sleep", "", None, kind=PauseKind.TIMER, deadline=duration)
        if result.resolution != "fired":
            return cancelled(result)
        if seconds > cap_s:
            reason = f"one wait lasts at most {cap_s:g} seconds; call sleep again for the rest of {seconds:g}"
            return {"status": "capped", "elapsed_s": elapsed_s(result), "reason": reason}
        return {"status": "done", "elapsed_s": elapsed_s(result)}

    return sleep


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


def cancelled(result: WaitResult) -> Ended:
    return {"status": "cancelled", "elapsed_s": elapsed_s(result), "reason": reason_of(result)}
