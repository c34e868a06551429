"""A storm: hundreds of open questions, everything told several times and in any order, strangers, and a Slack in trouble."""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path

import pytest

from overwinter.actors.delivery_settings import DeliverySettings
from overwinter.channels.slack.declared import SlackChannel

from ...fakes.slack.faults import Broken, Cut, Fault, Limited
from ...fakes.slack.interactions import Interaction
from ...fakes.slack.messages import Message
from ...fakes.slack_server import SlackServer
from .office import Desk, Office, office_at_work

pytestmark = pytest.mark.heavy

BIG_SESSIONS = 20
QUESTIONS_EACH = 22
SMALL_SESSIONS = 60
TROUBLE = 0.1
CHOICES = ("left", "right")


class Weather:
    """Faults at random, the same for the same seed."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self.is_calm = True

    def fault(self, method: str) -> Fault | None:
        if self.is_calm or method == "apps.connections.open" or self._chance.random() >= TROUBLE:
            return None
        match self._chance.randrange(4):
            case 0:
                return Limited(self._chance.choice((1, 2, None, "soon")))
            case 1:
                return Broken(self._chance.choice((500, 502, 503)))
            case 2:
                return Cut(is_done=False)
            case _:
                return Cut(is_done=True)


def people(slack: SlackServer) -> None:
    slack.add_guest("gast")
    slack.add_stranger("eve")
    for name in ("gast", "eve"):
        slack.joins(name, "refunds")


def asked(office: Office) -> dict[str, Message]:
    """Every question by the name in it, as its message is now."""
    found: dict[str, Message] = {}
    for root in office.threads():
        for seen in office.slack.seen("#refunds", thread_ts=root.ts)[1:]:
            if any(block.get("block_id") == "q:prompt" for block in seen.message.blocks):
                name = seen.text.partition("Which door, ")[2].partition("?")[0]
                assert name not in found, f"{name} is asked twice"
                found[name] = seen.message
    return found


def is_open(office: Office, message: Message) -> bool:
    now = office.slack.message("#refunds", message.ts)
    return any(block.get("block_id") == "q:buttons" for block in now.blocks)


async def test_five_hundred_questions_are_answered_rightly_whatever_is_told_how_often_by_whom(tmp_path: Path) -> None:
    chance = random.Random(20260302)
    weather = Weather(chance)
    desk = Desk(SlackChannel("#refunds", answerers=["@finance"]))
    settings = DeliverySettings(max_attempts=500, backoff_cap_s=30.0)
    async with office_at_work(tmp_path, desk, prepare=people, delivering=settings, leaves=True) as office:
        office.slack.choose_faults(weather.fault)
        wanted: dict[str, str] = {}
        sessions: dict[str, list[str]] = {}
        for number in range(BIG_SESSIONS + SMALL_SESSIONS):
            names = [f"n{number}x{each}" for each in range(QUESTIONS_EACH if number < BIG_SESSIONS else 1)]
            session_id = await office.kit.runtime.sessions.start(program="doors", owner="olga", message=" ".join(names))
            sessions[session_id] = names
            wanted |= {name: chance.choice(CHOICES) for name in names}
        weather.is_calm = False
        total = len(wanted)
        assert total == 500
        while len(messages := asked(office)) < total:
            await office.advance(timedelta(seconds=60))
        clicked: dict[str, Interaction] = {}
        office.slack.withhold()
        order = list(messages.items())
        chance.shuffle(order)
        for name, message in order:
            other = CHOICES[1 - CHOICES.index(wanted[name])]
            alone = name.endswith("x0") and int(name[1:].split("x")[0]) >= BIG_SESSIONS
            for stranger in chance.sample(("tom", "gast", "eve"), chance.randrange(2)):
                if chance.random() < 0.5:
                    office.slack.clicks(stranger, message, f"q:choice:{CHOICES.index(other)}")
                else:
                    office.slack.says(stranger, "#refunds", other, thread_ts=message.thread_ts)
            if alone:
                office.slack.says("mara", "#refunds", wanted[name], thread_ts=message.thread_ts)
            else:
                clicked[name] = office.slack.clicks("mara", message, f"q:choice:{CHOICES.index(wanted[name])}")
                for _ in range(chance.randrange(4)):
                    office.slack.redeliver(clicked[name])
        told = [each for each in office.slack.withheld for _ in range(chance.randint(1, 4))]
        chance.shuffle(told)
        office.slack.let_go(told)
        await office.settle()
        for _ in range(60):
            still = [name for name, message in messages.items() if is_open(office, message)]
            if not still:
                break
            for name in still:
                # Slack has told whoever clicked that nothing happened: they click again.
                if name in clicked and not clicked[name].is_acked:
                    choice = CHOICES.index(wanted[name])
                    clicked[name] = office.slack.clicks("mara", messages[name], f"q:choice:{choice}")
            await office.advance(timedelta(seconds=60))
        weather.is_calm = True
        await office.advance(timedelta(minutes=10))
        for session_id, names in sessions.items():
            assert await office.outcome(session_id) == {"result": " ".join(wanted[name] for name in names)}
        audit = await office.kit.store.audit(tenant="default", limit=1_000)
        assert [entry.responder for entry in audit] == ["mara@home.example"] * total
        for name, message in asked(office).items():
            now = next(
                seen for seen in office.slack.seen("#refunds", thread_ts=message.thread_ts) if seen.ts == message.ts
            )
            assert now.buttons == ()
            assert "Answered by @mara" in now.text
            assert now.text.rstrip().endswith(wanted[name])
