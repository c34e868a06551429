"""Random changes, racing: many in one transaction behave as they would one by one, and as a model of a page says."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from overwinter.store.audit import verify
from overwinter.store.changes import (
    Advance,
    CancelPause,
    CancelSession,
    Change,
    Claim,
    ClaimDeliveries,
    ClosePause,
    PostMessage,
    RenewLeases,
    ResolvePause,
    Rest,
    SettleDelivery,
    StartSession,
    Sweep,
)
from overwinter.store.errors import StoreRefusedError
from overwinter.store.rows import TERMINAL_SESSION_STATUSES
from overwinter.store.schema import metadata
from overwinter.store.store import Store

from .examples import (
    MINUTE,
    T0,
    answer,
    claim,
    claim_deliveries,
    event,
    execution,
    message,
    post,
    question,
    resolve,
    session,
    settle,
)

SESSIONS = ("s0", "s1", "s2")
PAUSES = tuple(f"{session_id} p{n}" for session_id in SESSIONS for n in range(8))
HOLDERS = ("w1", "w2")
DISPATCHERS = ("d1", "d1", "d1", "d2")


# -- the model ---------------------------------------------------------------------------------------------------------
@dataclass
class ModelSession:
    status: str = "ready"
    priority: int = 100
    due_at_ms: int = T0
    holder: str | None = None
    epoch: int = 0
    until_ms: int = 0
    wakes: int = 0
    events: int = 0


@dataclass
class Model:
    """Who wins, without a database: sessions, pauses and received messages, one change at a time."""

    sessions: dict[str, ModelSession] = field(default_factory=dict[str, ModelSession])
    pauses: dict[str, str] = field(default_factory=dict[str, str])
    received: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    def outcome(self, change: Change) -> object:
        """What the caller of ``change`` is told; None where the model has no opinion."""
        match change:
            case StartSession(session=row, message=first):
                assert first is not None
                if row.session_id in self.sessions or (first.channel, first.external_id) in self.received:
                    return "duplicate"
                self.sessions[row.session_id] = ModelSession()
                self.received.add((first.channel, first.external_id))
                return "started"
            case PostMessage(message=row):
                return self._post(row.session_id, (row.channel, row.external_id))
            case Claim():
                return self._claim(change)
            case RenewLeases():
                return self._renew(change)
            case Advance():
                return self._advance(change)
            case ResolvePause():
                inbound = change.inbound
                key = None if inbound is None else (inbound.channel, inbound.external_id)
                return self._close(change.pause_id, "resolved", key)
            case CancelPause():
                return self._close(change.pause_id, "cancelled", None)
            case CancelSession():
                return self._cancel(change.session_id)
            case _:
                return None

    def _post(self, session_id: str, key: tuple[str, str]) -> str:
        if session_id not in self.sessions:
            return "unknown_session"
        if key in self.received:
            return "duplicate"
        if self.sessions[session_id].status in TERMINAL_SESSION_STATUSES:
            return "ended_session"
        self.received.add(key)
        self._wake(session_id)
        return "posted"

    def _wake(self, session_id: str) -> None:
        one = self.sessions[session_id]
        one.wakes += 1
        if one.status in ("waiting", "idle"):
            one.status, one.priority, one.due_at_ms = "ready", 50, T0
        elif one.status == "ready":
            one.priority = min(one.priority, 50)

    def _claim(self, change: Claim) -> list[tuple[str, int]]:
        due = [
            (one.priority, one.due_at_ms, key)
            for key, one in self.sessions.items()
            if (one.status == "ready" and one.due_at_ms <= change.now_ms)
            or (one.status == "running" and one.until_ms <= change.now_ms)
        ]
        claimed = [key for _, _, key in sorted(due)][: change.limit]
        for key in claimed:
            one = self.sessions[key]
            one.status, one.holder, one.until_ms = "running", change.holder, change.until_ms
            one.epoch += 1
        return [(key, self.sessions[key].epoch) for key in claimed]

    def _renew(self, change: RenewLeases) -> set[str]:
        kept = {key for key, epoch in change.epochs.items() if self._holds(key, change.holder, epoch)}
        for key in kept:
            self.sessions[key].until_ms = change.until_ms
        return change.epochs.keys() - kept

    def _holds(self, session_id: str, holder: str, epoch: int) -> bool:
        one = self.sessions.get(session_id)
        return one is not None and (one.status, one.holder, one.epoch) == ("running", holder, epoch)

    def _advance(self, change: Advance) -> object:
        if not self._holds(change.session_id, change.holder, change.epoch):
            return "lease_lost"
        one = self.sessions[change.session_id]
        opened = [pause.pause_id for pause in change.open]
        believed = all(self.pauses.get(key) in ("resolved", "cancelled") for key in change.take)
        if not believed or any(self.pauses.get(closing.pause_id) != "pending" for closing in change.close):
            return "stale"
        if (change.ledger and change.ledger[0].seq != one.events) or any(key in self.pauses for key in opened):
            return "refused"
        one.events += len(change.ledger)
        self.pauses |= dict.fromkeys(opened, "pending")
        self.pauses |= {key: "taken" for key in change.take if self.pauses[key] == "resolved"}
        self.pauses |= {closing.pause_id: "cancelled" for closing in change.close}
        if change.rest is None or change.rest.wakes != one.wakes:
            return ("done", False)
        one.status, one.holder, one.due_at_ms = change.rest.status, None, change.rest.due_at_ms
        return ("done", True)

    def _close(self, pause_id: str, status: str, key: tuple[str, str] | None) -> str:
        if pause_id not in self.pauses:
            return "unknown"
        if key in self.received:
            return "duplicate"
        if self.pauses[pause_id] != "pending":
            return "not_pending"
        if key is not None:
            self.received.add(key)
        self.pauses[pause_id] = status
        self._wake(pause_id.split()[0])
        return "resolved"

    def _cancel(self, session_id: str) -> str:
        if session_id not in self.sessions:
            return "unknown_session"
        one = self.sessions[session_id]
        if one.status in TERMINAL_SESSION_STATUSES:
            return "already_ended"
        self.pauses |= {
            key: "cancelled"
            for key, status in self.pauses.items()
            if key.startswith(session_id) and status in ("pending", "resolved")
        }
        one.status, one.holder, one.events = "cancelled", None, one.events + 1
        return "cancelled"


def outcome_of(change: Change, result: Any) -> object:
    """What the model would call that result."""
    if isinstance(result, StoreRefusedError):
        return "refused"
    match change:
        case Claim():
            return [(one.session_id, one.lease_epoch) for one in result.sessions]
        case RenewLeases():
            return set(result.lost)
        case Advance():
            return (result.outcome, result.rested) if result.outcome == "done" else result.outcome
        case ResolvePause() | CancelPause():
            return result.outcome
        case ClaimDeliveries() | SettleDelivery() | Sweep():
            return None
        case _:
            return str(result)


# -- random changes ----------------------------------------------------------------------------------------------------
class Source:
    """Makes changes: most of them such as a correct caller would make just then, some of them late or confused."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def batch(self, model: Model, *, size: int) -> list[Change]:
        """Changes for a state that ``model`` describes; ``model`` itself is left alone."""
        foreseen = deepcopy(model)
        batch: list[Change] = []
        for _ in range(size):
            batch.append(self._change(foreseen))
            foreseen.outcome(batch[-1])
        return batch

    def _change(self, model: Model) -> Change:
        kinds = [self._start, self._post, self._claim, self._renew, self._cancel_pause, self._cancel_session]
        often = [self._advance, self._resolve, self._claim_deliveries, self._settle]
        make = self._random.choices([*kinds, *often], weights=[4, 4, 6, 3, 3, 1, 20, 12, 8, 14])[0]
        return make(model)

    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    def _session(self, model: Model) -> str:
        running = [key for key, one in model.sessions.items() if one.status == "running"]
        return self._random.choice(running if running and self._chance(0.9) else SESSIONS)

    def _pause(self, model: Model, *statuses: str, session_id: str = "") -> str:
        wanted = [key for key, status in model.pauses.items() if status in statuses and key.startswith(session_id)]
        anywhere = [key for key in PAUSES if key.startswith(session_id)]
        return self._random.choice(wanted if wanted and self._chance(0.85) else anywhere)

    def _start(self, model: Model) -> Change:
        key = self._random.choice(SESSIONS)
        return StartSession(session=session(key), message=message(key, f"first of {key}"))

    def _post(self, model: Model) -> Change:
        row = message(self._random.choice(SESSIONS), self._random.choice(("m1", "m2", "m3", "m4")))
        return PostMessage(message=row, now_ms=T0)

    def _claim(self, model: Model) -> Change:
        until_ms = T0 if self._chance(0.1) else T0 + MINUTE
        return claim(holder=self._random.choice(HOLDERS), limit=self._random.randint(1, 3), until_ms=until_ms)

    def _renew(self, model: Model) -> Change:
        epochs = {key: one.epoch - self._chance(0.2) for key, one in model.sessions.items()}
        return RenewLeases(holder=self._random.choice(HOLDERS), epochs=epochs, now_ms=T0, until_ms=T0 + MINUTE)

    def _resolve(self, model: Model) -> Change:
        if self._chance(0.9) and "pending" not in model.pauses.values():
            return self._advance(model)
        key = self._pause(model, "pending")
        inbound = answer(key.split()[0], f"a{self._random.randint(1, 30)}") if self._chance(0.5) else None
        return resolve(key, inbound=inbound)

    def _cancel_pause(self, model: Model) -> Change:
        key = self._pause(model, "pending")
        return CancelPause(pause_id=key, resolution="cancelled", answer_json="{}", responder=None, now_ms=T0)

    def _cancel_session(self, model: Model) -> Change:
        key = self._random.choice(SESSIONS)
        return CancelSession(tenant="acme", session_id=key, reason="r", responder=None, ledger_json="{}", now_ms=T0)

    def _claim_deliveries(self, model: Model) -> Change:
        now_ms = T0 + (MINUTE if self._chance(0.3) else 0)
        return claim_deliveries(
            holder=self._random.choice(DISPATCHERS), limit=self._random.randint(1, 4), now_ms=now_ms
        )

    def _settle(self, model: Model) -> Change:
        kind = self._random.choice(["post", "post", "withdraw"])
        outcome = self._random.choice(["sent", "sent", "sent", "decided", "retry", "failed"])
        key = self._random.choice(sorted(model.pauses) or PAUSES)
        return settle(f"{key}:{kind}", outcome, holder=self._random.choice(DISPATCHERS), due_at_ms=T0)

    def _advance(self, model: Model) -> Change:
        if self._chance(0.9) and all(one.status != "running" for one in model.sessions.values()):
            return self._claim(model)
        session_id = self._session(model)
        known = model.sessions.get(session_id, ModelSession())
        news = [key for key in PAUSES if key.startswith(session_id) and (key not in model.pauses or self._chance(0.05))]
        opened = news[: self._random.randint(0, 2)]
        taken = {self._pause(model, "resolved", session_id=session_id)} if self._chance(0.3) else set[str]()
        closed = {self._pause(model, "pending", session_id=session_id)} if self._chance(0.2) else set[str]()
        resting = self._random.choice([*["waiting"] * 8, *["ready"] * 3, "idle", "blocked", "ended"])
        rest = Rest(status=resting, reason=None, wakes=known.wakes - self._chance(0.2), due_at_ms=T0)
        ends = self._chance(0.3)
        return Advance(
            session_id=session_id,
            holder=known.holder if known.holder and self._chance(0.9) else self._random.choice(HOLDERS),
            epoch=known.epoch - self._chance(0.1),
            now_ms=T0,
            ledger=tuple(event(known.events + n, session_id) for n in range(self._random.randint(0, 2))),
            executions=(
                execution(session_id, status="ended" if ends else "running", ended_at_ms=T0 if ends else None),
            ),
            open=tuple(question(key, session_id, answerer=self._random.choice(["owner", "channel"])) for key in opened),
            deliveries=tuple(post(key, session_id) for key in opened),
            take=tuple(taken),
            close=tuple(ClosePause(pause_id=key, resolution="withdrawn") for key in closed - taken),
            rest=rest if self._chance(0.4) else None,
        )


async def write(store: Store, change: Change) -> object:
    verb = {
        StartSession: store.start_session,
        PostMessage: store.post_message,
        Claim: store.claim,
        RenewLeases: store.renew_leases,
        Advance: store.advance,
        ResolvePause: store.resolve_pause,
        CancelPause: store.cancel_pause,
        CancelSession: store.cancel_session,
        ClaimDeliveries: store.claim_deliveries,
        SettleDelivery: store.settle_delivery,
        Sweep: store.sweep,
    }[type(change)]
    try:
        return await verb(change)  # pyright: ignore[reportArgumentType]
    except StoreRefusedError as refused:
        return refused


def rows(database: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Everything in a database, by table."""
    engine = sa.create_engine(f"sqlite:///{database}", poolclass=sa.NullPool)
    with engine.connect() as connection:
        found = {
            table.name: sorted((tuple(row) for row in connection.execute(sa.select(table))), key=repr)
            for table in metadata.sorted_tables
        }
    engine.dispose()
    return found


def check_invariants(found: dict[str, list[Any]]) -> None:
    table = {
        name: [dict(zip(metadata.tables[name].columns.keys(), row, strict=True)) for row in rows]
        for name, rows in found.items()
    }
    deliveries = {row["delivery_id"]: row for row in table["deliveries"]}
    for pause in table["pauses"]:
        is_told = f"{pause['pause_id']}:withdraw" in deliveries
        assert is_told == (pause["is_sent"] == 1 and pause["status"] != "pending"), (
            "every sent question is withdrawn once"
        )
    for one in table["sessions"]:
        seqs = sorted(row["seq"] for row in table["ledger"] if row["session_id"] == one["session_id"])
        assert seqs == list(range(one["next_seq"])), "the ledger has no gap and no double"
        if one["status"] == "cancelled" and any(
            row["kind"] == "session_cancelled" and row["session_id"] == one["session_id"] for row in table["ledger"]
        ):
            mine = [row["status"] for row in table["pauses"] if row["session_id"] == one["session_id"]]
            assert set(mine) <= {"cancelled", "taken"}, "nothing of a cancelled session waits"


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with its tables and nothing in them."""
    path = tmp_path_factory.mktemp("empty") / "empty.db"

    async def make() -> None:
        await (await Store.open(path)).aclose()

    asyncio.run(make())
    return path


async def race(folder: Path, empty: Path, source: Source) -> None:
    shutil.copy(empty, folder / "together.db")
    shutil.copy(empty, folder / "in turn.db")
    together = await Store.open(folder / "together.db")
    in_turn = await Store.open(folder / "in turn.db")
    model = Model()
    try:
        for size in (6, 25, 1, 40, 25, 12):
            batch = source.batch(model, size=size)
            raced: Sequence[object] = await asyncio.gather(*(write(together, change) for change in batch))
            for change, one in zip(batch, raced, strict=True):
                other = await write(in_turn, change)
                assert one == other or (type(one) is type(other) is StoreRefusedError), change
                said = model.outcome(change)
                assert said is None or said == outcome_of(change, one), change
            found = rows(folder / "together.db")
            assert found == rows(folder / "in turn.db")
            check_invariants(found)
        assert verify(await together.audit(tenant="acme", limit=10_000)) is None
        sweep = Sweep(closed_before_ms=T0 + 1, limit=1000)
        assert await together.sweep(sweep) == await in_turn.sweep(sweep)
        assert rows(folder / "together.db") == rows(folder / "in turn.db")
    finally:
        await together.aclose()
        await in_turn.aclose()


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_changes_that_race_do_what_they_would_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, empty: Path, seed: int
) -> None:
    # A seed and not Hypothesis's own choices: those tend to the simplest, and most of such stories end before they begin.
    asyncio.run(race(tmp_path_factory.mktemp("race"), empty, Source(Random(seed))))
