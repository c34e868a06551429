"""Whether a call may run, with which arguments, and when: gates, approvals, and tickets for later.

    judge -> (denied) -> ask each role -> edited? judge again -> put off -> run

What is judged, approved, committed and run is one call, told by the digest of its tool and arguments: before it runs, each of
them is compared with what would run now. An approval is good for that one call, once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from ..actors.asks import ApprovalForm, JsonValue
from ..actors.errors import SessionDefinitionChangedError
from ..actors.events import EventKind
from ..actors.jsontext import is_same
from ..actors.marks import Secret, secrets_in
from ..actors.messages import ToolCallRequest
from ..actors.operations import Halt, WaitResult, reason_of
from ..actors.privacy import check_may_leave, listed_arguments, noted, secrets_of
from ..actors.run import Run
from ..actors.tickets import Order
from ..channels.roles import Approval, ApprovalRole
from ..store.rows import AnswererKind, PauseKind
from .errors import ActionKindUnknownError, ToolArgumentsError, ToolArgumentsUnstableError
from .policies.gates import Gate
from .policies.judging import Finding, Judged, judged_by, plan_of
from .policies.verdicts import GatedCall
from .privacy import Discretion
from .tool_arguments import digest
from .tools import Tool
from .wording import readable, readable_in_prompt

Arguments = dict[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """The call may run with ``arguments``."""

    arguments: Arguments
    approved_by: str | None = None
    note: str = ""
    """What the model has to be told beside the result; empty if nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The call does not run; ``why`` is for the model."""

    why: str


@dataclass(slots=True, kw_only=True)
class _Approvals:
    """What people have approved of one call so far.

    Attributes:
        by_role: the digest of the call that its people approved last, and who they are.
    """

    by_role: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    note: str = ""

    def has(self, role: ApprovalRole, asked: str) -> bool:
        """Whether the role's people have approved this very call."""
        return role.name in self.by_role and self.by_role[role.name][0] == asked

    def approved_by(self, ran: str) -> str | None:
        """Those who have approved this very call; whoever approved what it was before is none of them."""
        return ", ".join(dict.fromkeys(who for asked, who in self.by_role.values() if asked == ran)) or None


class Gating:
    """The gates of one agent.

    Args:
        gates: by tool; those of a tool in the order in which they are judged.
        kinds: of actions that a gate may name, by its name.
    """

    def __init__(
        self,
        *,
        agent: str,
        tools: Mapping[str, Tool],
        gates: Mapping[str, Sequence[Gate]],
        kinds: Mapping[str, frozenset[str]],
    ) -> None:
        self._agent = agent
        self._kinds = kinds
        self._gates = gates
        self._roles = {gate.asks.name: gate.asks for each in gates.values() for gate in each}
        self._gated = frozenset(name for name, tool in tools.items() if tool.asks is not None or gates.get(name))

    def concerns(self, tool: Tool) -> bool:
        """Whether anything has to happen before a call of the tool may run."""
        return tool.name in self._gated

    async def admit(
        self, run: Run, request: ToolCallRequest, tool: Tool, arguments: Arguments, discretion: Discretion
    ) -> Admitted | Refused:
        """Find out whether a call may run, which may take months.

        Raises:
            PauseUndeliverableError: (pause.undeliverable) nobody could be asked.
            PiiRefusedError: (pii.refused) the question would carry what may not leave.
            ActionKindUnknownError: (action.unknown-kind)
        """
        gates = self._gates.get(tool.name, ())
        approvals = _Approvals()
        while True:
            judged = _UNGATED
            if gates:
                asked = digest(tool.name, arguments)
                judged = await self._judge(run, gates, request, tool, arguments)
                if judged.digest != asked:
                    # The deployed tool reads the model's words otherwise than when they were judged: that is another call.
                    continue
                await self._check_roles(run, tool, judged)
            if judged.denied is not None:
                why = discretion.told(judged.denied.reason or "no reason given")
                return Refused(why=f"Denied by {judged.denied.policy}: {why}. The call did not run.")
            verdict = await self._ask_all(run, request, tool, arguments, judged, approvals, discretion)
            match verdict:
                case Refused():
                    return verdict
                case dict() as edited:
                    arguments = edited
                case None:
                    verdict = await self._put_off(run, request, tool, arguments, judged)
                    if isinstance(verdict, Refused):
                        return verdict
                    if verdict:
                        who = approvals.approved_by(digest(tool.name, arguments)) if approvals.by_role else None
                        return Admitted(arguments=arguments, approved_by=who, note=approvals.note)

    async def _ask_all(
        self,
        run: Run,
        request: ToolCallRequest,
        tool: Tool,
        arguments: Arguments,
        judged: Judged,
        approvals: _Approvals,
        discretion: Discretion,
    ) -> Refused | Arguments | None:
        """Ask each role that has not approved this very call.

        Returns: the arguments as somebody has edited them, which then have to be judged; None if all have approved.
        """
        asked = digest(tool.name, arguments)
        for role, findings in self._asked_of(tool, judged):
            if approvals.has(role, asked):
                continue
            match await self._approve(run, request, tool, role, findings, arguments, asked, discretion):
                case Refused() as refused:
                    return refused
                case Admitted() as admitted:
                    is_as_asked = admitted.arguments is arguments
                    approved = asked if is_as_asked else digest(tool.name, admitted.arguments)
                    approvals.by_role[role.name] = approved, admitted.approved_by or "somebody"
                    if approved != asked:
                        approvals.note = admitted.note
                        return admitted.arguments
        return None

    async def _check_roles(self, run: Run, tool: Tool, judged: Judged) -> None:
        """End the pass, whatever is around it, where a recorded verdict asks a role that the deployed gates do not."""
        own = () if tool.asks is None else (tool.asks.name,)
        for name, findings in judged.asks.items():
            if name not in self._roles and name not in own:
                changed = SessionDefinitionChangedError(
                    f"{findings[0].policy} asked {name} about a call of {tool.name}, and no gate that is deployed asks {name}; "
                    "deploy the code as it was, or cancel the session",
                    session_id=run.session_id,
                )
                await Halt(key=run.key("halt"), frame=run.frame, error=changed)

    def _asked_of(self, tool: Tool, judged: Judged) -> list[tuple[ApprovalRole, Sequence[Finding]]]:
        asks = judged.asks
        roles: list[tuple[ApprovalRole, Sequence[Finding]]] = []
        if tool.asks is not None:
            roles.append((tool.asks, asks.pop(tool.asks.name, ())))
        roles += [(self._roles[name], findings) for name, findings in asks.items()]
        return roles

    async def _judge(
        self, run: Run, gates: Sequence[Gate], request: ToolCallRequest, tool: Tool, arguments: Arguments
    ) -> Judged:
        """What the gates say, recorded so that they are asked once."""

        async def judge(key: str) -> JsonValue:
            call = GatedCall(
                tool=tool.name,
                arguments=arguments,
                agent=self._agent,
                session_id=run.session_id,
                execution_id=run.execution_id,
                tenant=run.tenant,
                owner=run.owner,
                surface=run.surface,
                call_id=request.call_id,
                requested_at=datetime.fromtimestamp(run.frame.clock.now_ms() / 1000, UTC),
                call_key=key,
                marks=tool.signature.marks,
            )
            return (await judged_by(gates, call)).to_json(tool=tool.name, call_id=request.call_id)

        return Judged.from_json(await run.perform("gates", judge, kind=EventKind.GATES_JUDGED, wants_key=True))

    async def _approve(
        self,
        run: Run,
        request: ToolCallRequest,
        tool: Tool,
        role: ApprovalRole,
        findings: Sequence[Finding],
        arguments: Arguments,
        asked: str,
        discretion: Discretion,
    ) -> Admitted | Refused:
        """Ask whether the call may run; what runs is what was approved, by digest.

        Args:
            asked: the digest of the call.

        Raises:
            PiiRefusedError: (pii.refused) the question would carry what may not leave.
        """
        form = ApprovalForm(
            tool=tool.name,
            arguments=arguments,
            schema=tool.signature.parameters,
            call_id=request.call_id,
            marks=tool.signature.marks,
            timeout_s=tool.timeout_s,
        )
        check_may_leave(secrets_of(form), what=f"the question whether {tool.name} may run")
        prompt = role.prompt.format(tool=tool.name, arguments=readable_in_prompt(form), bot=self._agent)
        if reasons := [finding.reason for finding in findings if finding.reason]:
            prompt += f"\nWhy you are asked: {'; '.join(dict.fromkeys(reasons))}"
        while True:
            shown = await run.record("asked", asked)
            _, result = await run.wait_for(
                "approval",
                role.name,
                prompt,
                form,
                answerer=role.answered_by or AnswererKind.CHANNEL,
                deadline=role.deadline,
            )
            if shown != asked:
                # The deployed tool reads the model's words otherwise than when they were shown: that is another call.
                continue
            verdict = _verdict(tool, arguments, result, discretion)
            if isinstance(verdict, Admitted) and not is_same(verdict.arguments, arguments):
                await learn(run, discretion, secrets_in(tool.signature.marks, verdict.arguments))
            return verdict

    async def _put_off(
        self, run: Run, request: ToolCallRequest, tool: Tool, arguments: Arguments, judged: Judged
    ) -> Refused | bool:
        """Wait until the call may run, where its gates have put it off.

        Returns: False where the call that was committed is not the one that would run now, which then has to be judged.
        """
        plans = judged.plans
        if not plans:
            return True
        self._check_kinds(judged)
        plan = plan_of(plans, now_ms=run.frame.clock.now_ms())
        if plan is None:
            kinds = ", ".join(sorted({each.action_kind or "none" for each in plans}))
            return Refused(
                why=f"Denied: its gates put it off as different kinds of action ({kinds}). The call did not run."
            )
        asked = digest(tool.name, arguments)
        committed = await run.record("committed", asked)
        now_ms = run.frame.clock.now_ms()
        due_in_ms = None if plan.due_at_ms is None else max(1, plan.due_at_ms - now_ms)
        order = Order(
            correlation_id=plan.correlation_id,
            action_kind=plan.action_kind,
            call_id=request.call_id,
            tool=tool.name,
            arguments=arguments,
            digest=asked,
            fingerprint=run.frame.fingerprint,
            is_due=due_in_ms is not None,
            expires_in_ms=plan.deadline_in_ms,
            marks=tool.signature.marks,
        )
        ends_in_ms = plan.deadline_in_ms if due_in_ms is None else due_in_ms
        _, result = await run.wait_for(
            "scheduled",
            plan.action_kind or "",
            f"{tool.name}({readable(listed_arguments(tool.signature.marks, arguments))})",
            None,
            kind=PauseKind.ACTION,
            deadline=None if ends_in_ms is None else timedelta(milliseconds=ends_in_ms),
            details=order.to_json(),
        )
        match result.resolution:
            case "fired":
                return committed == asked
            case "timed_out":
                return Refused(why="The call was put off, and its deadline passed before it ran. It did not run.")
            case "cancelled":
                return Refused(why=f"The call was put off, and it was cancelled: {reason_of(result)}. It did not run.")
            case other:
                return Refused(why=f"The call was put off, and it ended as {other}. It did not run.")

    def _check_kinds(self, judged: Judged) -> None:
        for finding in judged.findings:
            if finding.is_shadow or finding.plan is None or finding.plan.action_kind is None:
                continue
            known = self._kinds.get(finding.policy, frozenset())
            if finding.plan.action_kind not in known:
                raise ActionKindUnknownError(
                    f"gate {finding.policy} puts a call off as {finding.plan.action_kind!r}; it may name "
                    f"{', '.join(sorted(known)) or 'no kind'}. Nothing was committed."
                )


_UNGATED = Judged(digest="", findings=())


async def learn(run: Run, discretion: Discretion, secrets: Sequence[Secret]) -> None:
    """From now on the model is not told these."""
    discretion.learn(secrets)
    await note_secrets(run, secrets)


async def note_secrets(run: Run, secrets: Sequence[Secret]) -> None:
    """Let the ledger say what is sensitive in it, in the commit that the values themselves are in."""
    if secrets:
        await run.record("private", noted(secrets))


def _verdict(tool: Tool, arguments: Arguments, result: WaitResult, discretion: Discretion) -> Admitted | Refused:
    who = result.responder or "nobody"
    match result.resolution:
        case "timed_out":
            return Refused(why="Rejected: timed out, nobody answered. The call did not run.")
        case "cancelled":
            return Refused(why=f"Rejected: the question was cancelled: {reason_of(result)}. The call did not run.")
        case "decided" | "replied":
            approval = Approval.model_validate(result.answer)
        case other:
            return Refused(why=f"Rejected: the question ended as {other}. The call did not run.")
    if not approval.approved:
        return Refused(why=f"Rejected by {who}: {approval.reason or 'no reason given'}. The call did not run.")
    if approval.override_arguments is None:
        return Admitted(arguments=arguments, approved_by=who)
    try:
        edited = tool.signature.read_json(approval.override_arguments)
    except (ToolArgumentsError, ToolArgumentsUnstableError) as error:
        return Refused(
            why=f"{who} approved with other arguments, which do not fit the tool now: {error}. The call did not run."
        )
    shown = readable(discretion.shown(edited, tool.signature.marks))
    told = f"\n[{who} approved this call with other arguments, and it ran with them: {shown}]"
    return Admitted(arguments=edited, approved_by=who, note=told)
