"""The doctor's command, and its checks of what every installation has."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from overwinter.deploy.doctor import Finding, Verdict, examined, is_well, ok
from overwinter.deploy.doctor_core import DatabaseCheck
from overwinter.deploy.errors import InputInvalidError
from overwinter.deploy.listening import ListeningCheck
from overwinter.store.store import Store

from ..fakes.openai_server import Answer, OpenAIServer, completion
from .conftest import REFUNDS, Overwinter, Ran, taken_port


def verdicts(ran: Ran) -> dict[str, str]:
    return {each["check"]: each["verdict"] for each in ran.document["checks"]}


def configure(toml: str) -> None:
    Path("overwinter.toml").write_text(toml)


def deploy(code: str) -> None:
    Path("office.py").write_text(code)


class Crashing:
    name = "crashing"

    async def run(self) -> Finding:
        raise InputInvalidError("it is broken")


class Fine:
    name = "fine"

    async def run(self) -> Finding:
        return ok("it is fine")


async def test_a_check_that_raises_fails_and_the_next_one_is_made() -> None:
    found = [each async for each in examined([Crashing(), Fine()])]
    assert [(each.check, each.finding.verdict) for each in found] == [
        ("crashing", Verdict.FAILED),
        ("fine", Verdict.OK),
    ]
    assert found[0].finding.detail == "it is broken"
    assert not is_well(found)


def test_where_nothing_is_set_up_nothing_is_wrong(overwinter: Overwinter) -> None:
    ran = overwinter("doctor")
    assert ran.code == 0
    assert "All is well." in ran.out
    assert not Path("overwinter.db").exists(), "it makes nothing"


def test_an_app_and_its_database_are_looked_at(overwinter: Overwinter) -> None:
    ran = overwinter("doctor", REFUNDS, "--json")
    assert ran.code == 0
    assert verdicts(ran) == {
        "configuration": "ok",
        "database": "ok",
        "model": "skipped",
        "app": "ok",
        "webhooks": "skipped",
        "mail": "skipped",
        "slack": "skipped",
    }


def test_a_configuration_with_faults_is_all_that_is_told(overwinter: Overwinter) -> None:
    Path("overwinter.toml").write_text("[slack]\nbot_token = 'xapp-verysecret'\n")
    ran = overwinter("doctor", "--json")
    assert ran.code == 1
    assert ran.document["ok"] is False
    ((check, verdict),) = verdicts(ran).items()
    assert (check, verdict) == ("configuration", "failed")
    assert "verysecret" not in ran.out + ran.err


def test_an_app_that_is_not_there_is_told_and_the_rest_is_looked_at(overwinter: Overwinter) -> None:
    ran = overwinter("doctor", "nowhere:app", "--json")
    assert ran.code == 1
    assert verdicts(ran)["app"] == "failed"
    assert verdicts(ran)["database"] == "ok"


def test_an_app_that_asks_where_nothing_leads_is_told(overwinter: Overwinter) -> None:
    Path("office.py").write_text(
        "from overwinter.bots.app import App\n"
        "from overwinter.bots.agents import Agent\n"
        "from overwinter.channels.roles import Answerer, ApprovalRole\n"
        "from overwinter.channels.slack.declared import SlackChannel\n"
        "role = ApprovalRole(name='refunds', answered_by=Answerer.CHANNEL)\n"
        "app = App(name='office', agents=[Agent(name='support', tools=[], model=object())],\n"
        "          channels={role: SlackChannel('#refunds', answerers=['@finance'])})\n"
    )
    ran = overwinter("doctor", "office:app", "--json")
    assert ran.code == 1
    (told,) = [each for each in ran.document["checks"] if each["check"] == "app"]
    assert "assembly.channel-connection" in told["detail"]
    assert "[slack]" in told["detail"]


@pytest.mark.parametrize(
    ("brings", "has_model", "is_well"),
    [("", False, False), ("", True, True), ("model=object()", False, True)],
)
async def test_an_agent_without_a_model_is_told_as_the_service_would(
    overwinter: Overwinter, brings: str, has_model: bool, is_well: bool
) -> None:
    deploy(
        "from overwinter.bots.app import App\n"
        "from overwinter.bots.agents import Agent\n"
        f"app = App(name='office', agents=[Agent(name='support')], {brings})\n"
    )
    async with OpenAIServer(completion(message={"content": "ready"})) as server:
        if has_model:
            configure(f"[model]\nname = 'fake-1'\nbase_url = '{server.base_url}'\napi_key = 'sk-verysecret'\n")
        ran = await asyncio.to_thread(overwinter, "doctor", "office:app", "--json")
    (told,) = [each for each in ran.document["checks"] if each["check"] == "app"]
    assert (ran.code, told["verdict"]) == ((0, "ok") if is_well else (1, "failed"))
    assert is_well or told["detail"].startswith("assembly.agent-model: agent support has no model; ")
    assert is_well or "[model]" in told["detail"]


@pytest.mark.parametrize("status", [200, 401])
async def test_the_model_is_asked_for_a_word(overwinter: Overwinter, status: int) -> None:
    reply = completion(message={"content": "ready"}) if status == 200 else Answer(body={"error": {}}, status=status)
    async with OpenAIServer(reply) as server:
        configure(f"[model]\nname = 'fake-1'\nbase_url = '{server.base_url}'\napi_key = 'sk-verysecret'\n")
        ran = await asyncio.to_thread(overwinter, "doctor", "--json")
    assert ran.code == (0 if status == 200 else 1)
    assert verdicts(ran)["model"] == ("ok" if status == 200 else "failed")
    assert "verysecret" not in ran.out + ran.err


# -- where the service listens -------------------------------------------------------------------------------------
async def looked_at(port: int, *, host: str = "127.0.0.1") -> Finding:
    return await ListeningCheck("webhooks", (host, port), table="webhooks").run()


async def test_a_free_address_is_looked_at_and_left_free() -> None:
    with taken_port() as port:
        pass
    for _ in range(2):
        found = await looked_at(port)
        assert (found.verdict, found.remedy) == (Verdict.OK, None)


async def test_a_taken_address_may_be_the_services_own() -> None:
    with taken_port() as port:
        found = await looked_at(port)
    assert found.verdict is Verdict.UNSEEN
    assert str(port) in found.detail
    assert found.remedy is not None
    assert "[webhooks]" in found.remedy


async def test_an_address_of_another_machine_is_told() -> None:
    found = await looked_at(8425, host="192.0.2.1")
    assert found.verdict is Verdict.FAILED
    assert "192.0.2.1:8425: cannot assign requested address" in found.detail.lower()


# -- the database ------------------------------------------------------------------------------------------------------
async def test_a_database_that_is_in_order_is_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "100% Olga's #1.db"
    await (await Store.open(path)).aclose()
    before = path.read_bytes()
    assert (await DatabaseCheck(path).run()).verdict is Verdict.OK
    assert path.read_bytes() == before


async def test_an_older_database_is_left_to_the_service(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    await (await Store.open(path)).aclose()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE schema_version SET version_num = '0001'")
    finding = await DatabaseCheck(path).run()
    assert (finding.verdict, "another version" in finding.detail) == (Verdict.OK, True)


@pytest.mark.parametrize("what", ["another program's", "no database", "damaged", "no folder"])
async def test_what_is_no_database_of_ours_fails(tmp_path: Path, what: str) -> None:
    path = tmp_path / "x.db"
    if what == "another program's":
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("CREATE TABLE recipes (name TEXT)")
    elif what == "no database":
        path.write_text("dear diary " * 1000)
    elif what == "damaged":
        await (await Store.open(path)).aclose()
        with path.open("r+b") as file:
            file.seek(5 * 4096)
            file.write(b"\xff" * 4096 * 4)
    else:
        path = tmp_path / "nowhere" / "x.db"
    finding = await DatabaseCheck(path).run()
    assert finding.verdict is Verdict.FAILED
    assert finding.remedy is not None
