"""What is asked all the time is found by an index, however many sessions wait."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest
from sqlalchemy import Engine, event

from overwinter.store.blocks import UnblockSession
from overwinter.store.changes import CancelSession, ClosePause, PostMessage, RenewLeases, Sweep
from overwinter.store.store import Store

from .examples import (
    T0,
    advance,
    answer,
    asleep,
    claim,
    claim_deliveries,
    message,
    question,
    resolve,
    settle,
    timer,
)
from .test_anchors_contract import anchor
from .test_fires_contract import farewell, fire, trigger


async def fires(store: Store) -> None:
    await store.triggers.add(trigger())
    await store.fires.fire(fire(), per_minute=9, state=(None, "{}"))


async def remove(store: Store) -> None:
    await store.triggers.add(trigger("gone"))
    await store.triggers.remove("t-gone", farewell=farewell, now_ms=T0)


HOT: dict[str, Callable[[Store], Awaitable[object]]] = {
    "claim": lambda store: store.claim(claim()),
    "renew": lambda store: store.renew_leases(RenewLeases(holder="w1", epochs={"s1": 1}, now_ms=T0, until_ms=T0)),
    "message": lambda store: store.post_message(PostMessage(message=message(), now_ms=T0)),
    "answer": lambda store: store.resolve_pause(resolve(inbound=answer())),
    "advance": lambda store: store.advance(
        advance(take=("p1",), close=(ClosePause(pause_id="t1", resolution="withdrawn"),))
    ),
    "claim deliveries": lambda store: store.claim_deliveries(claim_deliveries()),
    "settle": lambda store: store.settle_delivery(settle()),
    "cancel": lambda store: store.cancel_session(
        CancelSession(tenant="acme", session_id="s1", reason="r", responder=None, ledger_json="{}", now_ms=T0)
    ),
    "sweep": lambda store: store.sweep(Sweep(closed_before_ms=T0 + 1, limit=10)),
    "load": lambda store: store.load("s1"),
    "pause": lambda store: store.pause("p1"),
    "due": lambda store: store.due(),
    "overdue": lambda store: store.overdue(now_ms=T0, limit=10),
    "pending": lambda store: store.pending_pauses(tenant=None, session_id=None, limit=10),
    "sessions": lambda store: store.sessions(tenant=None, statuses=None, limit=10),
    "sessions by their ids": lambda store: store.sessions_named(frozenset({"s1", "s2"})),
    "history": lambda store: store.events_before("s1", "x2", kinds=frozenset({"message"})),
    "timeline": lambda store: store.timeline("s1"),
    "audit": lambda store: store.audit(tenant="acme", limit=10),
    "audit of a session": lambda store: store.audit(tenant="acme", limit=10, session_id="s1"),
    "due deliveries": lambda store: store.due_deliveries(now_ms=T0),
    "actions": lambda store: store.actions(tenant="acme", session_id=None, action_kind="k", limit=10),
    "judged": lambda store: store.judged(tenant="acme", session_id=None, limit=10),
    "blocked": lambda store: store.blocked(limit=10),
    "bind": lambda store: store.anchors.bind(anchor("root")),
    "replace an anchor": lambda store: store.anchors.replace_if(anchor("root"), "{}"),
    "anchors of a session": lambda store: store.anchors.of_session("slack", "s1"),
    "anchors of a pause": lambda store: store.anchors.of_pause("slack", "p1"),
    "asked": lambda store: store.asked.find("p1"),
    "asked in a session": lambda store: store.asked.open_in("s1"),
    "claim notes": lambda store: store.notes.claim("mail", holder="w1", limit=10, now_ms=T0, until_ms=T0),
    "settle a note": lambda store: store.notes.settle(
        "n1", holder="w1", outcome="retry", error=None, due_at_ms=T0, now_ms=T0
    ),
    "notes due": lambda store: store.notes.due_ms("mail"),
    "notes to somebody": lambda store: store.notes.count_to("mail", "mara@corp.example", since_ms=T0),
    "notes of a session": lambda store: store.notes.of_session("s1"),
    "sweep notes": lambda store: store.notes.sweep(settled_before_ms=T0, limit=10),
    "quarantined last": lambda store: store.quarantine.newest("mail", limit=10),
    "sweep the quarantine": lambda store: store.quarantine.sweep("mail", before_ms=T0, most=10),
    "triggers due": lambda store: store.triggers.due(now_ms=T0, limit=10),
    "next trigger due": lambda store: store.triggers.due_ms(),
    "untold fires": lambda store: store.fires.untold(limit=10),
    "waiting for files": lambda store: store.fires.watching(limit=10),
    "remove a trigger": remove,
    "waits in vain": lambda store: store.triggers.awaited_in_vain(limit=10),
    "subscribed": lambda store: store.triggers.subscribed("t", limit=10),
    "waiting for a fire": lambda store: store.fires.waiting(fire(), trigger(), limit=10),
    "begin a run": lambda store: store.fires.begin(fire(), session_id="s1", at_once=1),
    "fire": fires,
    "fires of a trigger": lambda store: store.fires.of("t", limit=10),
    "sweep fires": lambda store: store.fires.sweep(fired_before_ms=T0, limit=10),
    "unblock": lambda store: store.unblock_session(
        UnblockSession(tenant="acme", session_id="s1", code="session.definition-changed", now_ms=T0)
    ),
}

SORTED_WITHIN_A_MOMENT = ("pending", "quarantined last")
"""What is asked or received in one millisecond is sorted when it is listed; it is never more than a few."""


@pytest.mark.parametrize("what", HOT)
async def test_no_hot_query_reads_a_whole_table(store: Store, database: Path, what: str) -> None:
    await asleep(store, question("p1"), timer("t1"), is_sent=True)
    heard: list[tuple[str, Any]] = []

    def hear(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if not statement.startswith(("BEGIN", "INSERT")):
            heard.append((statement, cast("Any", parameters[0] if isinstance(parameters, list) else parameters)))

    event.listen(Engine, "before_cursor_execute", hear)
    try:
        await HOT[what](store)
    finally:
        event.remove(Engine, "before_cursor_execute", hear)
    assert heard
    with closing(sqlite3.connect(database)) as connection:
        for statement, parameters in heard:
            plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)]
            # Walking along an index is no scan; neither is reading the one list of keys.
            scans = [step for step in plan if re.match(r"SCAN (?!CONSTANT|json_each|anon)", step)]
            assert [step for step in scans if "USING" not in step] == [], (statement, plan)
            # What a dead holder left is sorted; it is never more than one holder could carry.
            if "LIMIT" in statement and not re.search(r"(lease_until|held_until)_ms <= ", statement):
                sorts = [step for step in plan if "USE TEMP B-TREE" in step]
                if what in SORTED_WITHIN_A_MOMENT:
                    sorts = [step for step in sorts if "RIGHT PART" not in step]
                assert sorts == [], (statement, plan)


@pytest.mark.behaviour("W21")
async def test_no_statement_asks_the_database_what_time_it_is(store: Store) -> None:
    await asleep(store, question("p1"), timer("t1"), is_sent=True)
    heard: list[str] = []

    def hear(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        heard.append(statement)

    event.listen(Engine, "before_cursor_execute", hear)
    try:
        for look in HOT.values():
            await look(store)
    finally:
        event.remove(Engine, "before_cursor_execute", hear)
    asks = re.compile(
        r"\b(current_(time|date)|now|unixepoch|julianday|strftime|datetime|clock_timestamp)\w*", re.IGNORECASE
    )
    assert len(heard) > len(HOT)
    assert [statement for statement in heard if asks.search(statement)] == []
