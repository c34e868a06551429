"""A call for gates to judge, and roles for them to ask."""

from __future__ import annotations

from datetime import UTC, datetime

from overwinter.actors.asks import JsonValue
from overwinter.actors.marks import Schema
from overwinter.bots.policies.gates import Gate
from overwinter.bots.policies.judging import Finding, judged_by
from overwinter.bots.policies.verdicts import GatedCall
from overwinter.channels.roles import Answerer, ApprovalRole

FINANCE = ApprovalRole(name="finance", answered_by=Answerer.CHANNEL)
DIRECTOR = ApprovalRole(name="director", answered_by=Answerer.CHANNEL)


def call(
    arguments: dict[str, JsonValue] | None = None,
    *,
    tool: str = "refund_card",
    call_id: str = "c1",
    marks: Schema | None = None,
) -> GatedCall:
    return GatedCall(
        tool=tool,
        arguments={"order_id": "4471", "amount": "80.00"} if arguments is None else arguments,
        agent="support",
        session_id="s1",
        execution_id="e1",
        tenant="default",
        owner="olga",
        surface="chat",
        call_id=call_id,
        requested_at=datetime(2026, 3, 3, 9, tzinfo=UTC),
        call_key="e1/gates#0",
        marks=marks,
    )


async def finding_of(gate: Gate, asked: GatedCall | None = None) -> Finding:
    """What is recorded of one gate's word on a call."""
    (finding,) = (await judged_by([gate], asked or call())).findings
    return finding
