"""A session's history as people read it: ledger, answers and deliveries merged in the order in which they happened.

Pure: from the rows of a ``Timeline`` to entries. No entry holds the id of a question that a channel answers, and none a value
that the ledger says is sensitive, wherever in the session it turns up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, cast

from ..actors import stand_ins
from ..actors.asks import JsonValue
from ..actors.events import EventKind
from ..actors.jsontext import from_json, to_json
from ..actors.ledger_secrets import names_secrets, secrets_named
from ..actors.moments import to_the_second
from ..actors.redaction import MASK, Masks
from ..store.rows import AnswererKind, AuditRow, DeliveryKind, DeliveryRow, DeliveryStatus, LedgerRow, PauseRow
from ..store.snapshots import Timeline


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing that happened.

    Attributes:
        kind: the ledger's word, ``answer_recorded``, ``delivery_`` with the delivery's status, or ``unreadable``.
        who: a person, a bot, a tool, a channel; empty for the runtime itself.
        what: one sentence, or what was said; may have several lines.
        ref: which row it is of, as ``ledger:12``; no two entries have the same.
        key: the step's; empty for what concerns the session.
        body: the event as it is stored.
    """

    at_ms: int
    ref: str
    kind: str
    who: str
    what: str
    key: str = ""
    body: JsonValue = field(default=None)

    def to_json(self) -> dict[str, JsonValue]:
        return {
            "at_ms": self.at_ms,
            "kind": self.kind,
            "who": self.who,
            "what": self.what,
            "key": self.key,
            "body": self.body,
        }


def entries_of(timeline: Timeline) -> list[Entry]:
    """Everything that happened, in order.

    The ledger's own order stands, whatever the clocks of its writers say. What the ledger does not tell is put between its
    events by time: after those of the same millisecond, but an answer before the event that takes it.
    """
    secrets = secrets_named(timeline.events)
    masks = Masks(secrets) if secrets else None
    beside = sorted(
        [_masked(entry, masks) for entry in (*_answers(timeline), *_deliveries(timeline))],
        key=lambda entry: entry.at_ms,
    )
    entries: list[Entry] = []
    programs = {row.execution_id: row.program for row in timeline.executions}
    for event in timeline.events:
        until_ms = event.at_ms if event.kind == EventKind.PAUSE_TAKEN else event.at_ms - 1
        while beside and beside[0].at_ms <= until_ms:
            entries.append(beside.pop(0))
        entries.append(_entry_of(event, programs.get(event.execution_id, timeline.session.program), masks))
    return entries + beside


def _entry_of(event: LedgerRow, bot: str, masks: Masks | None) -> Entry:
    """One event; what cannot be read is shown as it is stored, for this is how people find out about it."""
    ref = f"ledger:{event.seq}"
    try:
        body = _body_of(event, masks)
        who, what = _told(event.kind, event.key, body, bot)
    except (ValueError, LookupError, TypeError, AttributeError):
        what = f"{event.kind}: {event.body_json if masks is None else masks.text(event.body_json)}"
        return Entry(at_ms=event.at_ms, ref=ref, kind="unreadable", who="", what=what, key=event.key)
    return Entry(at_ms=event.at_ms, ref=ref, kind=event.kind, who=who, what=what, key=event.key, body=body)


def _body_of(event: LedgerRow, masks: Masks | None) -> Any:
    """What an event says, as it may be shown."""
    body: Any = from_json(event.body_json)
    if names_secrets(event):
        return MASK
    if event.kind == EventKind.PAUSE_OPENED:
        body = {name: part for name, part in body.items() if name != "marks"}
    if stand_ins.of(body):
        body = {name: part for name, part in body.items() if name != stand_ins.KEY}
    if masks is None:
        return body
    if event.kind == EventKind.MODEL_REPLIED:
        calls = [[call_id, tool, _masked_text(arguments, masks)] for call_id, tool, arguments in body["tool_calls"]]
        body = {**body, "tool_calls": calls}
    if isinstance(body, dict):
        # The keys of a body are words of ours.
        members = cast("dict[str, JsonValue]", body)
        return {name: masks.json(part) for name, part in members.items()}
    return masks.json(body)


def _masked_text(arguments: str, masks: Masks) -> str:
    """The arguments of a call, which a model may have written in ways that no search of a text sees through."""
    try:
        return to_json(masks.json(from_json(arguments)))
    except ValueError:
        return masks.text(arguments)


def _masked(entry: Entry, masks: Masks | None) -> Entry:
    if masks is None:
        return entry
    return replace(entry, what=masks.text(entry.what), body=masks.json(entry.body))


def _told(kind: str, key: str, body: Any, bot: str) -> tuple[str, str]:
    """Who did it, and what it was."""
    match kind:
        case EventKind.EXECUTION_STARTED:
            return bot, f"started, version {body['version']}"
        case EventKind.MESSAGE_RECEIVED:
            return body["from"], _text(body["content"])
        case EventKind.STEP_STARTED:
            return bot, f"started {key}, which is never started twice"
        case EventKind.STEP_RETURNED:
            return bot, f"{key} returned {_text(body)}"
        case EventKind.STEP_RAISED:
            return bot, f"{key} raised {body['kind']}: {body['detail']}"
        case EventKind.STEP_CLOSED:
            return bot, f"{key} was stopped: its result is not needed any more"
        case EventKind.VALUE_RECORDED if body == MASK:
            return bot, "noted what of it is sensitive"
        case EventKind.VALUE_RECORDED if _tool(key) in ("asked", "committed") and isinstance(body, str):
            return bot, f"keeps the digest of the call: {body[:12]}"
        case EventKind.VALUE_RECORDED:
            return bot, f"recorded {_text(body)}"
        case EventKind.GATES_JUDGED:
            return bot, _judged(body)
        case EventKind.MODEL_REPLIED:
            return bot, _reply(body)
        case EventKind.TOOL_REPLIED:
            return _tool(key), body["content"]
        case EventKind.MESSAGE_SENT:
            return bot, body["content"]
        case EventKind.JOIN_DECIDED:
            return bot, f"went on without the branches that are not needed any more at {key}"
        case EventKind.CHILD_STARTED:
            return bot, f"{key} began {body['program']} as a child"
        case EventKind.CHILD_RETURNED:
            return bot, f"{key} (a child) returned {_text(body)}"
        case EventKind.CHILD_RAISED:
            return bot, f"{key} (a child) failed: {body['detail']}"
        case EventKind.CHILD_CLOSED:
            return bot, f"{key} (a child) was stopped: its result is not needed any more"
        case EventKind.PAUSE_OPENED:
            return bot, _opened(body)
        case EventKind.PAUSE_TAKEN:
            return bot, f"goes on with what came: {body['resolution'].replace('_', ' ')}"
        case EventKind.PAUSE_CLOSED:
            return bot, f"waits no longer at {key}: its answer is not needed any more"
        case EventKind.EXECUTION_ENDED:
            return bot, _finished(body["result"])
        case EventKind.EXECUTION_FAILED:
            return bot, f"failed: {body['code']}: {body['detail']}"
        case EventKind.SESSION_BLOCKED:
            return "", f"blocked: {body['code']}: {body['detail']}"
        case EventKind.DEFINITION_ACCEPTED:
            stored, accepted = body["stored"], body["accepted"]
            return body["by"], (
                f"accepted other code: version {stored['version']} ({stored['fingerprint']}) goes on as "
                f"version {accepted['version']} ({accepted['fingerprint']})"
            )
        case EventKind.SESSION_CANCELLED:
            return body["by"], f"cancelled the session: {body['reason']}"
        case _:
            return "", _text(body)


def _reply(body: Any) -> str:
    said = [body["content"] or body["refusal"] or ""]
    calls = [f"calls {name}({arguments})" for _, name, arguments in body["tool_calls"]]
    return "\n".join(part for part in (*said, *calls) if part) or "said nothing"


_VERDICTS = {
    "allow": "may run",
    "schedule": "runs later",
    "ask": "runs if people approve",
    "deny": "may not run",
}


def _judged(body: Any) -> str:
    """What a call's gates said."""
    said = [
        f"{each['policy']} says {each['verdict']}"
        + (f" ({each['reason']})" if each["reason"] else "")
        + (", which changes nothing" if each["shadow"] else "")
        for each in body["findings"]
    ]
    return f"{body['tool']} {_VERDICTS[body['verdict']]}: {'; '.join(said)}"


def _opened(body: Any) -> str:
    match body["kind"]:
        case "ask":
            return f"asks {body['role']} on {body['channel']}: {body['prompt']}"
        case "message":
            return "waits for the next message"
        case "settle":
            return f"does not know what became of it: {body['prompt']}; overwinter settle says it"
        case "action":
            return f"puts off {body['prompt']}"
        case "trigger":
            return f"waits for the trigger {body['role']}"
        case "files":
            return "waits for files to change"
        case _:
            due_ms: int | None = body.get("deadline_at_ms")
            return "waits for a time" if due_ms is None else f"waits until {to_the_second(due_ms)}"


def _finished(result: JsonValue) -> str:
    """An agent's last words have been shown already; what a workflow returned has not."""
    match result:
        case None | {"reply": str()}:
            return "finished"
        case _:
            return f"finished with {_text(result)}"


def _tool(key: str) -> str:
    """The tool's name, from the key of a call's result such as ``/gather#0[0]/refund_card#0``."""
    return key.rpartition("/")[2].partition("#")[0]


def _answers(timeline: Timeline) -> Iterator[Entry]:
    """What people answered: from the audit, which is kept for good."""
    for row in timeline.audit:
        decision = None if row.decision_json is None else from_json(row.decision_json)
        yield Entry(
            at_ms=row.resolved_at_ms,
            ref=f"audit:{row.seq}",
            kind="answer_recorded",
            who=row.responder or "",
            what=_resolved(row, decision),
            key=row.key,
            body={"resolution": row.resolution, "role": row.role, "decision": decision, "responder": row.responder},
        )


def _resolved(row: AuditRow, decision: Any) -> str:
    match row.resolution:
        case "decided" | "replied":
            how = "decides" if row.resolution == "decided" else "replies, read as"
            return f"{how} {_verdict(decision)}"
        case other:
            what = f"the wait at {row.key}" if row.answerer == AnswererKind.NOBODY else f"the question to {row.role}"
            return f"{what} ended: {other.replace('_', ' ')}"


def _verdict(decision: Any) -> str:
    match decision:
        case {"approved": True, "override_arguments": override}:
            return "approved" if override is None else f"approved with {_text(override)}"
        case {"approved": False, "reason": reason}:
            return f"rejected: {reason}" if reason else "rejected"
        case _:
            return _text(decision)


def _deliveries(timeline: Timeline) -> Iterator[Entry]:
    pauses = {pause.pause_id: pause for pause in timeline.pauses}
    for index, row in enumerate(timeline.deliveries):
        pause = pauses.get(row.pause_id)
        yield Entry(
            at_ms=row.created_at_ms if row.settled_at_ms is None else row.settled_at_ms,
            ref=f"delivery:{index}",
            kind=f"delivery_{row.status}",
            who=row.channel,
            what=_delivered(row, pause),
            key="" if pause is None else pause.key,
            body={"kind": row.kind, "attempts": row.attempts, "last_error": row.last_error},
        )


def _delivered(row: DeliveryRow, pause: PauseRow | None) -> str:
    role = "" if pause is None else f" to {pause.role}"
    match DeliveryKind(row.kind):
        case DeliveryKind.POST:
            what = f"the question{role}"
        case DeliveryKind.UPDATE:
            what = f"word of how far the question{role} is"
        case DeliveryKind.REMIND:
            what = f"a reminder of the question{role}"
        case DeliveryKind.RELIEVE:
            what = f"word that others are asked the question{role} now"
        case DeliveryKind.WITHDRAW:
            what = f"word that the question{role} is closed"
    match row.status:
        case DeliveryStatus.DECIDED:
            return f"{what} was decided by its channel at once"
        case DeliveryStatus.SENT:
            return f"{what} was delivered"
        case DeliveryStatus.FAILED:
            return f"{what} could not be delivered: {row.last_error}"
        case DeliveryStatus.DROPPED:
            return f"{what} was not needed any more"
        case _:
            tried = f", tried {row.attempts} times, last: {row.last_error}" if row.attempts else ""
            return f"{what} is to be delivered{tried}"


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else to_json(value)
