"""The verdicts of several gates on one call: how each is got, what they come to, and as what they are recorded."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal, assert_never

import structlog

from ...actors.asks import JsonValue
from ...actors.clock import LONGEST
from ...actors.effects import is_cancelled
from ...actors.failures import text_of
from ...actors.marks import secrets_in
from ...actors.redaction import Masks
from ...store.values import value
from ..tool_arguments import digest
from .gates import Gate
from .verdicts import Allow, Ask, Deny, GatedCall, Schedule

MAX_REASON_CHARS = 500
MAX_CORRELATION_CHARS = 200

_log = structlog.get_logger("overwinter.gates")

Word = Literal["allow", "schedule", "ask", "deny"]

_STRICTEST_FIRST: tuple[Word, ...] = ("deny", "ask", "schedule")


@value
class Plan:
    """When a call that is put off may run.

    Attributes:
        due_at_ms, due_in_ms: the one by the clock, or the other from its commit on; both None: a host says when.
        deadline_in_ms: how long after its commit at the latest; None for ever.
    """

    correlation_id: str
    action_kind: str | None
    due_at_ms: int | None
    due_in_ms: int | None
    deadline_in_ms: int | None


@value
class Finding:
    """What one gate said of a call.

    Attributes:
        policy: the gate's name.
        reason: on one line, without what is sensitive in the call.
        is_failure: the gate did not say so itself: it failed, and so a person is to be asked.
        is_shadow: it changes nothing.
        role: who is asked; empty unless somebody is.
        plan: of ``schedule``.
    """

    policy: str
    verdict: Word
    reason: str
    is_failure: bool
    is_shadow: bool
    role: str = ""
    plan: Plan | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What all gates of a call came to.

    Attributes:
        digest: of the call that was judged.
    """

    digest: str
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Word:
        """The most restrictive of those that count."""
        said = {finding.verdict for finding in self._acting}
        for word in _STRICTEST_FIRST:
            if word in said:
                return word
        return "allow"

    @property
    def denied(self) -> Finding | None:
        return next((finding for finding in self._acting if finding.verdict == "deny"), None)

    @property
    def asks(self) -> dict[str, list[Finding]]:
        """Why each role is asked, by its name, in the order of the gates."""
        asked: dict[str, list[Finding]] = {}
        for finding in self._acting:
            if finding.verdict == "ask":
                asked.setdefault(finding.role, []).append(finding)
        return asked

    @property
    def plans(self) -> list[Plan]:
        return [finding.plan for finding in self._acting if finding.plan is not None]

    @property
    def _acting(self) -> list[Finding]:
        return [finding for finding in self.findings if not finding.is_shadow]

    def to_json(self, *, tool: str, call_id: str) -> dict[str, JsonValue]:
        """As the ledger keeps it, which is the decision log."""
        findings = [_finding_to_json(finding) for finding in self.findings]
        return {
            "tool": tool,
            "call_id": call_id,
            "digest": self.digest,
            "verdict": self.verdict,
            "findings": findings,
        }

    @classmethod
    def from_json(cls, recorded: JsonValue) -> Judged:
        return cls(digest=recorded["digest"], findings=tuple(_finding_from_json(each) for each in recorded["findings"]))


async def judged_by(gates: Sequence[Gate], call: GatedCall) -> Judged:
    """Ask gates about a call, one after the other, until one that counts denies it: nothing is more restrictive."""
    findings: list[Finding] = []
    asked = digest(call.tool, call.arguments)
    for gate in gates:
        finding = await _finding_of(gate, call)
        if finding.is_failure:
            _log.warning("gate.failed", tool=call.tool, session_id=call.session_id, why=finding.reason)
        findings.append(finding)
        if finding.verdict == "deny" and not finding.is_shadow:
            break
    return Judged(digest=asked, findings=tuple(findings))


def plan_of(plans: Sequence[Plan], *, now_ms: int) -> Plan | None:
    """What several gates that put a call off come to: the latest time, and the earliest deadline.

    Returns: None where they contradict each other: they name different kinds.
    """
    if len({plan.action_kind for plan in plans}) != 1:
        return None
    deadlines = [plan.deadline_in_ms for plan in plans if plan.deadline_in_ms is not None]
    due = [_due_at_ms(plan, now_ms=now_ms) for plan in plans]
    known = [at_ms for at_ms in due if at_ms is not None]
    return Plan(
        correlation_id=plans[0].correlation_id,
        action_kind=plans[0].action_kind,
        due_at_ms=max(known) if len(known) == len(due) else None,
        due_in_ms=None,
        deadline_in_ms=min(deadlines, default=None),
    )


@value
class _Raised:
    """What a gate raised instead of giving a verdict."""

    error: BaseException


async def _finding_of(gate: Gate, call: GatedCall) -> Finding:
    """A gate is an author's code, or a model's word: whatever comes of it is a verdict, and in doubt a person is asked."""
    try:
        said = await _word_of(gate, call, gate.timeout.total_seconds())
        if isinstance(said, _Raised):
            return _failed(gate, call, f"it failed with {type(said.error).__name__}: {text_of(said.error)}")
        return _said(gate, call, said)
    except KeyboardInterrupt:
        raise
    except TimeoutError as error:
        return _failed(gate, call, str(error))
    except BaseException as error:
        if is_cancelled(error):
            raise
        return _failed(gate, call, f"it failed with {type(error).__name__}: {text_of(error)}")


async def _word_of(gate: Gate, call: GatedCall, timeout_s: float) -> object:
    """What a gate says within its time; it is asked in a task of its own, which is left alone if it does not end.

    Raises:
        TimeoutError: it said nothing, or said it too late.
    """
    loop = asyncio.get_running_loop()
    ends_s = loop.time() + timeout_s
    asking = asyncio.create_task(_asked(gate, _own(call)), name=f"gate {gate.name}")
    try:
        await asyncio.wait({asking}, timeout=timeout_s)
        # One that blocks the loop, or takes no notice of being cancelled, may have said something all the same.
        if not asking.done() or loop.time() > ends_s:
            raise TimeoutError(f"it gave no verdict within {timeout_s:g} s")
        return asking.result()
    finally:
        asking.cancel()


async def _asked(gate: Gate, call: GatedCall) -> object:
    try:
        return await gate.judge(call)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return _Raised(error=error)


def _own(call: GatedCall) -> GatedCall:
    """The call as one gate may have it: what is done to it is done to no other's, and not to what runs."""
    return replace(call, arguments=deepcopy(call.arguments), marks=deepcopy(call.marks))


def _said(gate: Gate, call: GatedCall, verdict: object) -> Finding:
    match verdict:
        case Allow(reason=reason):
            return _finding(gate, call, "allow", reason)
        case Deny(reason=reason):
            return _finding(gate, call, "deny", reason)
        case Ask(reason=reason):
            return _finding(gate, call, "ask", reason)
        case Schedule():
            return _scheduled(gate, call, verdict)
        case _:
            return _failed(gate, call, f"it gave {_in_short(verdict)}, which is no verdict")


def _scheduled(gate: Gate, call: GatedCall, verdict: Schedule) -> Finding:
    correlation_id: Any = verdict.correlation_id
    if not isinstance(correlation_id, str) or not call.call_id or call.call_id not in correlation_id:
        return _failed(gate, call, f"its correlation id {_in_short(correlation_id)} does not contain the call's id")
    if len(correlation_id) > MAX_CORRELATION_CHARS or not correlation_id.isprintable():
        return _failed(
            gate, call, f"its correlation id is not {MAX_CORRELATION_CHARS} characters at most that can be shown"
        )
    if _hidden(correlation_id, call) != correlation_id:
        return _failed(gate, call, "its correlation id has a sensitive argument in it, and a host would read it")
    kind: Any = verdict.action_kind
    if kind is not None and not isinstance(kind, str):
        return _failed(gate, call, f"its kind of action is {_in_short(kind)}, which is no text")
    due_at_ms = due_in_ms = deadline_in_ms = None
    match verdict.due:
        case None:
            pass
        case datetime() as due if due.tzinfo is not None:
            due_at_ms = int(due.timestamp() * 1000)
        case timedelta() as due:
            due_in_ms = max(0, due // timedelta(milliseconds=1))
        case other:
            return _failed(gate, call, f"it is due at {_in_short(other)}, which is no time with a zone and no duration")
    if verdict.deadline is not None:
        deadline_in_ms = verdict.deadline // timedelta(milliseconds=1)
        if deadline_in_ms <= 0:
            return _failed(gate, call, "its deadline has passed before it begins")
    if timedelta(milliseconds=max(due_in_ms or 0, deadline_in_ms or 0)) > LONGEST:
        return _failed(gate, call, "it is put off by more than a thousand years")
    plan = Plan(
        correlation_id=correlation_id,
        action_kind=kind,
        due_at_ms=due_at_ms,
        due_in_ms=due_in_ms,
        deadline_in_ms=deadline_in_ms,
    )
    return _finding(gate, call, "schedule", verdict.reason, plan=plan)


def _failed(gate: Gate, call: GatedCall, what: str) -> Finding:
    return _finding(gate, call, "ask", f"{gate.name} could not say whether this may run: {what}", is_failure=True)


def _finding(
    gate: Gate, call: GatedCall, verdict: Word, reason: Any, *, is_failure: bool = False, plan: Plan | None = None
) -> Finding:
    return Finding(
        policy=gate.name,
        verdict=verdict,
        reason=_on_one_line(reason if isinstance(reason, str) else _in_short(reason), call),
        is_failure=is_failure,
        is_shadow=gate.shadow,
        role=gate.asks.name if verdict == "ask" else "",
        plan=plan,
    )


def _on_one_line(reason: str, call: GatedCall) -> str:
    """A reason as it may be shown and kept: it may quote the call, and a model may have written it."""
    words = " ".join(_hidden(reason, call).encode("utf-8", errors="replace").decode().split())
    visible = "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in words)
    return visible if len(visible) <= MAX_REASON_CHARS else f"{visible[:MAX_REASON_CHARS]}..."


def _hidden(text: str, call: GatedCall) -> str:
    """A text without what is sensitive in the call."""
    secrets = secrets_in(call.marks, call.arguments)
    return Masks(secrets).text(text) if secrets else text


def _in_short(found: object) -> str:
    try:
        text = repr(found)
    except Exception as error:
        return f"something of type {type(found).__name__} ({type(error).__name__})"
    return text if len(text) <= 80 else f"{text[:80]}..."


def _due_at_ms(plan: Plan, *, now_ms: int) -> int | None:
    if plan.due_at_ms is not None:
        return plan.due_at_ms
    return None if plan.due_in_ms is None else now_ms + plan.due_in_ms


def _finding_to_json(finding: Finding) -> dict[str, JsonValue]:
    body: dict[str, JsonValue] = {
        "policy": finding.policy,
        "verdict": finding.verdict,
        "reason": finding.reason,
        "shadow": finding.is_shadow,
        "failed": finding.is_failure,
    }
    match finding.verdict:
        case "ask":
            body["role"] = finding.role
        case "schedule":
            assert finding.plan is not None
            body["plan"] = {
                "correlation_id": finding.plan.correlation_id,
                "action_kind": finding.plan.action_kind,
                "due_at_ms": finding.plan.due_at_ms,
                "due_in_ms": finding.plan.due_in_ms,
                "deadline_in_ms": finding.plan.deadline_in_ms,
            }
        case "allow" | "deny":
            pass
        case _:
            assert_never(finding.verdict)
    return body


def _finding_from_json(body: JsonValue) -> Finding:
    plan = body.get("plan")
    return Finding(
        policy=body["policy"],
        verdict=body["verdict"],
        reason=body["reason"],
        is_failure=body["failed"],
        is_shadow=body["shadow"],
        role=body.get("role", ""),
        plan=None if plan is None else Plan(**plan),
    )
