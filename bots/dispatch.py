"""One tool call, from what the model wrote to what it reads: arguments, approval, wait, body, result.

Everything that can be wrong with a call becomes a result that the model can read. Only a question that cannot be delivered is
not the model's to mend: it fails the execution.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..actors.asks import AnswerForm, AskedCall, JsonValue
from ..actors.errors import PauseUndeliverableError
from ..actors.events import EventKind
from ..actors.failures import text_of
from ..actors.jsontext import from_json, is_same, to_json
from ..actors.marks import secrets_in
from ..actors.messages import ToolCallRequest
from ..actors.privacy import arguments_in_prompt, check_may_leave, placeholder_in, secrets_of
from ..actors.run import Run
from ..actors.stand_ins import NOTHING, StandIns, noted
from ..actors.step_errors import StepFailedError
from ..channels.roles import QuestionRole
from .errors import ToolArgumentsError, ToolArgumentsUnstableError, ToolRefusedError
from .gating import Admitted, Gating, Refused, learn, note_secrets
from .privacy import Discretion, secrets_in_call
from .revealing import put_back
from .soft_asking import ask_softly, unanswered
from .tools import Tool, ToolCall
from .wording import readable_in_prompt

Reply = dict[str, JsonValue]
"""What the model reads: ``call_id``, ``content``, ``is_error``."""


class Dispatch:
    """Carries out the calls of one agent."""

    def __init__(self, *, tools: Mapping[str, Tool], gating: Gating) -> None:
        self._tools = tools
        self._gating = gating

    async def call(self, run: Run, request: ToolCallRequest, is_cut: bool, stand_ins: StandIns = NOTHING) -> Reply:
        """Carry out one call in a branch of its own.

        Args:
            stand_ins: what the tokens in its arguments stand for.
        """
        tool = self._tools.get(request.tool)
        if tool is None or not tool.is_offered_on(run.surface):
            offered = [name for name, each in self._tools.items() if each.is_offered_on(run.surface)]
            known = ", ".join(sorted(offered)) or "none"
            return await _tell(run, request, f"There is no tool {request.tool!r}. Available: {known}.")
        signature = tool.signature
        discretion = Discretion(seed=f"{run.execution_id} {request.call_id} {request.arguments}")
        if stand_ins:
            request = replace(request, arguments=put_back(request.arguments, signature.marks, stand_ins))
        if is_cut:
            await note_secrets(run, secrets_in_call(signature.marks, written=request.arguments, read=None))
            return await _tell(
                run, request, "Your reply was cut off, so this call may be incomplete. It did not run. Make it again."
            )
        try:
            arguments = signature.read(request.arguments)
        except (ToolArgumentsError, ToolArgumentsUnstableError) as error:
            written = secrets_in_call(signature.marks, written=request.arguments, read=None)
            await learn(run, discretion, written)
            return await _tell(run, request, str(error), discretion)
        if signature.marks is not None:
            await learn(run, discretion, secrets_in_call(signature.marks, written=request.arguments, read=arguments))
        if (place := placeholder_in(signature.marks, arguments)) is not None:
            return await _tell(
                run,
                request,
                f"What stands in {place} only hides a value. The call did not run. Give the value, or ask.",
            )
        note, approved_by = "", None
        if self._gating.concerns(tool):
            match await self._gating.admit(run, request, tool, arguments, discretion):
                case Refused(why=why):
                    return await _tell(run, request, why, discretion)
                case Admitted() as admitted:
                    arguments, note, approved_by = admitted.arguments, admitted.note, admitted.approved_by
        call = _Call(run=run, tool=tool, request=request, note=note, approved_by=approved_by, discretion=discretion)
        try:
            if tool.is_durable:
                return await call.run_durably(arguments)
            if tool.question is None:
                return await call.execute(arguments, None, {}, is_last=tool.finalizes is None)
            return await self._yield(run, call, tool, tool.question, arguments)
        except StepFailedError as error:
            return await _tell(run, request, f"The call failed: {error.detail or error.kind}", discretion)

    async def _yield(
        self, run: Run, call: _Call, tool: Tool, question: QuestionRole[Any], arguments: dict[str, JsonValue]
    ) -> Reply:
        state: dict[str, JsonValue] = {}
        if tool.prepares is not None:
            prepared = await call.prepare(arguments)
            arguments, state = prepared["arguments"], prepared["state"]
            await learn(run, call.discretion, secrets_in(tool.signature.marks, arguments))
            if prepared.get("is_rewritten") and self._gating.concerns(tool):
                # What was allowed is not what would run now.
                match await self._gating.admit(run, call.request, tool, arguments, call.discretion):
                    case Refused(why=why):
                        return await _tell(run, call.request, why, call.discretion)
                    case Admitted() as admitted:
                        arguments = admitted.arguments
                        call = replace(call, note=admitted.note, approved_by=admitted.approved_by)
        asked = AskedCall(
            call_id=call.request.call_id,
            tool=tool.name,
            arguments=arguments,
            marks=tool.signature.marks,
            timeout_s=tool.timeout_s,
        )
        tells_model = tool.on_invalid_answer == "tell_model"
        form = replace(question.form, call=asked, takes_any=tells_model)
        check_may_leave(secrets_of(form), what=f"the question of {tool.name}")
        prompt = arguments_in_prompt(form).get("prompt")
        text = prompt if isinstance(prompt, str) else f"{tool.name}({readable_in_prompt(form)})"
        deadline = question.deadline if (own := tool.deadline_of(arguments)) is None else own
        if tool.asks_softly and run.surface == "chat" and not await run.was_reached("answer"):
            result = await ask_softly(run, text, by=tool.name, deadline=deadline)
        else:
            _, result = await run.wait_for(
                "answer",
                question.name,
                text,
                form,
                answerer=question.answerer,
                deadline=deadline,
                outline=question.outline,
            )
        if result.resolution in ("timed_out", "cancelled"):
            return await _tell(run, call.request, f"There was no answer: {unanswered(result)}.")
        answer_marks = form.marks if isinstance(form, AnswerForm) else None
        await learn(run, call.discretion, secrets_in(answer_marks, result.answer, name="answer"))
        if tells_model and (fault := question.fault_of(result.answer)) is not None:
            told = f"Invalid input: the answer does not fit: {fault}."
            return await _tell(run, call.request, told, call.discretion)
        if not tool.has_body:
            told = call.discretion.shown(result.answer, answer_marks)
            if tool.finalizes is not None:
                return await call.finalize(arguments, result.answer, state, call.reply(to_json(told)))
            content = told if isinstance(told, str) else to_json(told)
            return await call.tell(content + call.note)
        return await call.execute(arguments, result.answer, state, is_last=tool.finalizes is None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """The parts of one call that run as steps."""

    run: Run
    tool: Tool
    request: ToolCallRequest
    note: str
    approved_by: str | None
    discretion: Discretion

    async def run_durably(self, arguments: dict[str, JsonValue]) -> Reply:
        """Run a body that is durable code, in the call's own branch.

        What it raises is a result for the model, as what a step raises is: durable code raises the same on every replay.
        """
        signature = self.tool.signature
        values = signature.bind(arguments)
        assert signature.call_parameter is not None
        try:
            result = await self.tool.function(**values, **{signature.call_parameter: self.run})
        except (StepFailedError, PauseUndeliverableError):
            raise
        except ToolRefusedError as error:
            return await _tell(self.run, self.request, str(error), self.discretion)
        except Exception as error:
            why = f"The call failed: {text_of(error) or type(error).__name__}"
            return await _tell(self.run, self.request, why, self.discretion)
        return await self.tell(self._rendered(result) + self.note)

    async def prepare(self, arguments: dict[str, JsonValue]) -> dict[str, Any]:
        return await self.run.perform("prepare", partial(self._prepare, arguments=arguments), wants_key=True)

    async def _prepare(self, key: str, *, arguments: dict[str, JsonValue]) -> dict[str, Any]:
        signature = self.tool.signature
        call = self._tool_call(key, arguments, None, {})
        assert self.tool.prepares is not None
        rewritten = await self.tool.prepares(call, **signature.bind(arguments))
        if rewritten is None:
            return {"arguments": arguments, "state": call.state}
        canonical = signature.canonical({**signature.bind(arguments), **rewritten})
        return {"arguments": canonical, "state": call.state, "is_rewritten": not is_same(canonical, arguments)}

    async def execute(
        self, arguments: dict[str, JsonValue], answer: JsonValue, state: dict[str, JsonValue], *, is_last: bool
    ) -> Reply:
        """Run the body; with ``is_last`` what it returns is the model's result, else ``finalize`` follows."""
        body = partial(self._execute, arguments=arguments, answer=answer, state=state)
        kind = EventKind.TOOL_REPLIED if is_last else EventKind.STEP_RETURNED
        done: dict[str, Any] = await self.run.perform(
            self.tool.name,
            body,
            kind=kind,
            is_once=self.tool.is_once,
            call_id=self.request.call_id,
            settles=self._settled,
            retry=self.tool.retry,
            timeout_s=self.tool.timeout_s,
            wants_key=True,
        )
        if is_last:
            return done
        return await self.finalize(arguments, answer, done["state"], done)

    async def _execute(
        self, key: str, *, arguments: dict[str, JsonValue], answer: JsonValue, state: dict[str, JsonValue]
    ) -> dict[str, JsonValue]:
        signature = self.tool.signature
        values = signature.bind(arguments)
        call = self._tool_call(key, arguments, answer, state)
        if signature.call_parameter is not None:
            values[signature.call_parameter] = call
        result = await self.tool.function(**values)
        reply = self.reply(self._rendered(result) + self.note)
        return reply if self.tool.finalizes is None else {**reply, "state": call.state}

    def _settled(self, said: JsonValue) -> Reply:
        """The result of the body as an operator gives it; what it wrote into the call's state is lost."""
        told = self.discretion.shown(said, self.tool.signature.result_marks)
        reply = self.reply((told if isinstance(told, str) else to_json(told)) + self.note)
        return reply if self.tool.finalizes is None else {**reply, "state": {}}

    async def finalize(
        self, arguments: dict[str, JsonValue], answer: JsonValue, state: dict[str, JsonValue], done: Reply
    ) -> Reply:
        """Args:
        done: what the model reads if ``finalize`` has nothing to say.
        """
        body = partial(self._finalize, arguments=arguments, answer=answer, state=state, done=done)
        return await self.run.perform("finalize", body, kind=EventKind.TOOL_REPLIED, wants_key=True)

    async def _finalize(
        self, key: str, *, arguments: dict[str, JsonValue], answer: JsonValue, state: dict[str, JsonValue], done: Reply
    ) -> Reply:
        assert self.tool.finalizes is not None
        result = await self.tool.finalizes(self._tool_call(key, arguments, answer, state))
        if result is None:
            return {name: part for name, part in done.items() if name != "state"}
        return self.reply(self._rendered(result))

    def _tool_call(
        self, key: str, arguments: dict[str, JsonValue], answer: JsonValue, state: dict[str, JsonValue]
    ) -> ToolCall[Any]:
        """What a part of the tool is given, as its own: what it writes there is neither what was approved nor the next part's."""
        question = self.tool.question
        return ToolCall(
            key=key,
            tool=self.tool.name,
            session_id=self.run.session_id,
            tenant=self.run.tenant,
            owner=self.run.owner,
            arguments=deepcopy(arguments),
            answer=None if question is None or answer is None else question.decode(answer),
            state=deepcopy(state),
            approved_by=self.approved_by,
        )

    def _rendered(self, result: Any) -> str:
        """The result as the model is shown it."""
        signature = self.tool.signature
        text = result if isinstance(result, str) else signature.result.dump_json(result, by_alias=True).decode()
        if signature.result_marks is None and not self.discretion.is_needed:
            return text
        shown = self.discretion.shown(text if isinstance(result, str) else from_json(text), signature.result_marks)
        return shown if isinstance(shown, str) else to_json(shown)

    async def tell(self, content: str) -> Reply:
        """Record a result that no step has recorded."""
        return await self.run.record("told", self.reply(content), kind=EventKind.TOOL_REPLIED)

    def reply(self, content: str) -> Reply:
        """A result, of which the model is shown what it may be."""
        return _reply(self.request, content, is_error=False, stand_ins=self.discretion.stand_ins)


async def _tell(run: Run, request: ToolCallRequest, problem: str, discretion: Discretion | None = None) -> Reply:
    """Record why the call did not come to its end; with a discretion the model is told no more of it than it may be."""
    if discretion is None:
        reply = _reply(request, problem, is_error=True, stand_ins=NOTHING)
    else:
        reply = _reply(request, discretion.told(problem), is_error=True, stand_ins=discretion.stand_ins)
    return await run.record("told", reply, kind=EventKind.TOOL_REPLIED)


def _reply(request: ToolCallRequest, content: str, *, is_error: bool, stand_ins: StandIns) -> Reply:
    return noted({"call_id": request.call_id, "content": content, "is_error": is_error}, content, stand_ins)
