"""What durable code may start as a child, as the runtime sees it: bots implement these, and ``run`` takes them."""

from __future__ import annotations

from typing import Any, ParamSpec, Protocol, TypeVar

from .asks import JsonValue
from .operations import Child, Frame
from .payloads import JSON, Codec
from .step_errors import ChildYieldsError

P = ParamSpec("P")
T = TypeVar("T")


class NestedWorkflow(Protocol[P, T]):
    """A workflow in one version, called with its arguments."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    @property
    def fingerprint(self) -> str: ...

    @property
    def result_codec(self) -> Codec[T]: ...

    def input_of(self, *args: P.args, **kwargs: P.kwargs) -> JsonValue:
        """Its arguments as the JSON that a session of its own would be started with.

        Raises:
            TypeError: they are not those of its signature.
            ToolArgumentsError: (tool.invalid-arguments) they are not of its parameters' types.
        """
        ...


class NestedAgent(Protocol):
    """An agent, which takes a message and gives a reply."""

    @property
    def name(self) -> str: ...

    @property
    def yields(self) -> bool:
        """It never ends by itself."""
        ...


def workflow_child(workflow: NestedWorkflow[..., Any], *, key: str, frame: Frame, message: JsonValue) -> Child:
    return Child(
        key=key,
        frame=frame,
        program=workflow.name,
        version=workflow.version,
        fingerprint=workflow.fingerprint,
        message=message,
        codec=workflow.result_codec,
    )


def agent_child(agent: NestedAgent, *, key: str, frame: Frame, message: JsonValue) -> Child:
    """Raises ``ChildYieldsError`` (child.yields)."""
    if agent.yields:
        raise ChildYieldsError(
            f"agent {agent.name} yields for messages and never ends, so it cannot be a child; "
            "declare one without yields=True for it"
        )
    return Child(key=key, frame=frame, program=agent.name, version=None, fingerprint=None, message=message, codec=JSON)
