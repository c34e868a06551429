"""The errors of what authors write: tools, scripts, and models that say no.

OverwinterError
├── ModelRejectedError            model.rejected             the vendor refused the request for good
├── ScriptExhaustedError          model.script-exhausted     a scripted model has no reply left
├── TurnLimitError                agent.turn-limit           an agent that does not come to an end
├── AssemblyError                 assembly.invalid           an app with faults, all of them reported together
├── ToolDefinitionError           assembly.tool-definition   a function that cannot be a tool
├── ToolRefusedError              tool.refused               a durable tool says no, in words for the model
├── ToolArgumentsError            tool.invalid-arguments     what a model wrote does not fit the tool
├── ToolArgumentsUnstableError    tool.unstable-arguments    read back, the arguments are not what they were
├── PolicyInvalidError            policy.invalid             a policy that does not compile, or says nothing that counts
├── JudgeUnclearError             policy.unclear-verdict     a judge's model gave no sound verdict
└── ActionKindUnknownError        action.unknown-kind        a call put off as a kind that its gate may not name
"""

from __future__ import annotations

from collections.abc import Sequence

from ..store.errors import OverwinterError


class ModelRejectedError(OverwinterError):
    """The model's vendor refused the request for good: the same request will be refused again.

    Attributes:
        status: the vendor's HTTP status; None where it gave none.
    """

    code = "model.rejected"

    def __init__(self, message: str | None = None, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class ScriptExhaustedError(OverwinterError):
    """A scripted model was asked for more replies than its script has. Add a reply, or see who calls too often."""

    code = "model.script-exhausted"


class TurnLimitError(OverwinterError):
    """An agent called its model more often than it may. Raise ``max_turns``, or see why it does not end."""

    code = "agent.turn-limit"


class AssemblyError(OverwinterError):
    """An app cannot run as it was put together.

    Attributes:
        faults: every fault found, each as (code, sentence with the remedy).
    """

    code = "assembly.invalid"

    def __init__(self, faults: Sequence[tuple[str, str]]) -> None:
        lines = "\n".join(f"  {code}: {text}" for code, text in faults)
        super().__init__(f"the app has {len(faults)} fault{'' if len(faults) == 1 else 's'}:\n{lines}")
        self.faults = tuple(faults)


class ToolDefinitionError(OverwinterError):
    """A function cannot be made a tool; the text names the function, the parameter and the remedy."""

    code = "assembly.tool-definition"


class ToolRefusedError(OverwinterError):
    """A durable tool does not do what was asked. The text is written for the model that asked."""

    code = "tool.refused"


class ToolArgumentsError(OverwinterError):
    """The arguments of a call do not fit its tool. The text is written for the model that wrote them.

    Attributes:
        problems: one sentence each, beginning with the path of the argument where there is one.
    """

    code = "tool.invalid-arguments"

    def __init__(self, *, tool: str, problems: Sequence[str]) -> None:
        super().__init__(f"The arguments of {tool} do not fit: {'; '.join(problems)}. Correct them and call it again.")
        self.tool = tool
        self.problems = tuple(problems)


class ToolArgumentsUnstableError(OverwinterError):
    """Read back, a call's arguments are not what they were: what would run is not what was shown.

    The validators of the tool's types must leave what they have made unchanged, and what a type writes as JSON it must
    be able to read.
    """

    code = "tool.unstable-arguments"


class PolicyInvalidError(OverwinterError):
    """A policy cannot be used, or its value is no verdict. The text says where; until it is mended, a person is asked."""

    code = "policy.invalid"


class JudgeUnclearError(OverwinterError):
    """A judge's model gave no sound verdict, so a person is asked."""

    code = "policy.unclear-verdict"


class ActionKindUnknownError(OverwinterError):
    """A gate puts a call off as a kind of action that it may not name. Nothing was committed, and the execution ends.

    A plugin's gates may name the kinds that it declares; gates of tools, agents and apps may name those of every plugin.
    """

    code = "action.unknown-kind"
