"""The events of a ledger: their kinds and what their bodies hold.

    kind                key         body
    ------------------- ----------- -------------------------------------------------------------
    execution_started   ""          {"program", "version"}
    message_received    wait or ""  {"content": str, "from": str}
    step_started        step        {}                        only for steps that are never started twice
    step_returned       step        the result
    step_raised         step        {"kind", "detail", "cause_code"}; {"causes": [str]}: classes of it and of what led to it
    step_closed         step        {}                        it ran while a join closed its branch
    value_recorded      value       the value
    gates_judged        step        {"tool", "call_id", "digest", "verdict", "findings"}: what a call's gates said; the decision log
    model_replied       step        the model's reply
    tool_replied        step/value  {"call_id": str, "content": str, "is_error": bool}
    message_sent        value       {"content": str, "by": the tool}     told to the session's owner, who need not answer
    join_decided        join        {"done": [int], "failed": int | null}, where it could have been decided in another way;
                                    {"why", "detail"}: it was unreachable or late; {"group"}: the one that won
    child_started       child       {"execution_id", "program", "version"}
    child_returned      child       the result
    child_raised        child       as step_raised, and {"execution_id"}
    child_closed        child       {"execution_id"}          it ran while a join closed its branch
    pause_opened        wait        {"kind", "role", "channel", "prompt", "deadline_at_ms"}; {"item": int}: which one of a map
    pause_taken         wait        {"resolution", "answer", "responder"}; {"role", "answerer"}: whose answer it was;
                                    {"outline"}: of the question that it answers; {"waited_ms"}
    pause_closed        wait        {"resolution"}
    execution_ended     ""          {"result"}
    execution_failed    ""          {"kind", "detail", "code"}
    session_blocked     ""          {"code", "detail"}; {"stored", "current"}: fingerprints, where the code has changed;
                                    {"question"}: the step that asks otherwise; {"unasked"}: one that asks no more
    definition_accepted ""          {"by", "stored": {"version", "fingerprint"}, "accepted": the same}
    session_cancelled   ""          {"reason", "by"}

The words are stored and never renamed. No body holds a pause's id.

An event stands under the execution it is of, and its key is the one inside that execution. That a child began and how it ended
are events of its parent, so that a replay of the parent needs neither the child's events nor its code; what the child does
itself stands under the child.
"""

from __future__ import annotations

from enum import StrEnum


class EventKind(StrEnum):
    EXECUTION_STARTED = "execution_started"
    MESSAGE_RECEIVED = "message_received"
    STEP_STARTED = "step_started"
    STEP_RETURNED = "step_returned"
    STEP_RAISED = "step_raised"
    STEP_CLOSED = "step_closed"
    VALUE_RECORDED = "value_recorded"
    GATES_JUDGED = "gates_judged"
    MODEL_REPLIED = "model_replied"
    TOOL_REPLIED = "tool_replied"
    MESSAGE_SENT = "message_sent"
    JOIN_DECIDED = "join_decided"
    CHILD_STARTED = "child_started"
    CHILD_RETURNED = "child_returned"
    CHILD_RAISED = "child_raised"
    CHILD_CLOSED = "child_closed"
    PAUSE_OPENED = "pause_opened"
    PAUSE_TAKEN = "pause_taken"
    PAUSE_CLOSED = "pause_closed"
    EXECUTION_ENDED = "execution_ended"
    EXECUTION_FAILED = "execution_failed"
    SESSION_BLOCKED = "session_blocked"
    DEFINITION_ACCEPTED = "definition_accepted"
    SESSION_CANCELLED = "session_cancelled"


CONVERSATION_KINDS = frozenset({EventKind.MESSAGE_RECEIVED, EventKind.MODEL_REPLIED, EventKind.TOOL_REPLIED})
"""What a model is told of earlier executions of the same session."""

UNREAD_KINDS: frozenset[str] = frozenset(
    {EventKind.STEP_CLOSED, EventKind.PAUSE_OPENED, EventKind.PAUSE_CLOSED, EventKind.CHILD_CLOSED}
)
"""Events that a revival does not even load: there may be many of them, and they say nothing to a replay."""

RESULT_KINDS = frozenset(
    {
        EventKind.STEP_RETURNED,
        EventKind.VALUE_RECORDED,
        EventKind.GATES_JUDGED,
        EventKind.MODEL_REPLIED,
        EventKind.TOOL_REPLIED,
        EventKind.MESSAGE_SENT,
    }
)
"""Events whose body is the result of a step or a value, found by its key on replay."""
