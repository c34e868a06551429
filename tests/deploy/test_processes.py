"""What only whole processes show: the service and its signals, the demonstration, the end of an interrupted command."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

from .conftest import REFUNDS, Overwinter

COMMAND = (sys.executable, "-m", "overwinter.deploy.cli")
PATIENCE_S = 120


@pytest.fixture(autouse=True)
def _folder(clean_environment: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:  # pyright: ignore[reportUnusedFunction]
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))


@contextmanager
def running(*arguments: str, **more: Any) -> Generator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*COMMAND, *arguments], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more
    )
    watchdog = threading.Timer(PATIENCE_S, process.kill)
    watchdog.start()
    try:
        yield process
    finally:
        watchdog.cancel()
        process.kill()
        process.communicate()
        watchdog.join()


def line_with(stream: IO[str] | None, wanted: str) -> str:
    """The first line from now on that has ``wanted`` in it."""
    assert stream is not None
    for line in stream:
        if wanted in line:
            return line
    raise AssertionError(f"the process ended and never said {wanted!r}")


def left_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def steps_of(document: Any) -> dict[str, Any]:
    return {step["step"]: step for step in document["steps"]}


# -- the demonstration -------------------------------------------------------------------------------------------------
def demo(reply: str, tmp_path: Path, *more: str) -> Any:
    done = subprocess.run(
        [*COMMAND, "demo", "--reply", reply, "--json", *more],
        text=True,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert left_in(tmp_path / "tmp") == []
    return json.loads(done.stdout)


def test_half_is_approved_and_half_is_refunded_by_a_process_that_was_not_there(tmp_path: Path) -> None:
    document = demo("ok, but only half", tmp_path)
    assert document["outcome"] == "approved"
    assert [step["step"] for step in document["steps"]] == [
        "asked",
        "hibernated",
        "killed",
        "answered",
        "interpreted",
        "revived",
        "tool_ran",
        "finished",
    ]
    steps = steps_of(document)
    assert (steps["hibernated"]["sessions_in_memory"], steps["hibernated"]["pauses_pending"]) == (0, 1)
    assert (steps["killed"]["signal"], steps["killed"]["exit_code"]) == ("SIGKILL", -9)
    assert (steps["interpreted"]["by"], steps["interpreted"]["decision"]["approved"]) == ("rules", True)
    assert (steps["tool_ran"]["order_id"], steps["tool_ran"]["amount"]) == ("4471", "40.00")
    assert steps["finished"]["reply"] == "Refunded 40.00 for order 4471."
    first, answering, last = (steps[name]["pid"] for name in ("killed", "answered", "revived"))
    assert len({first, answering, last, os.getpid()}) == 4
    assert document["tool_calls"] == [{"order_id": "4471", "amount": "40.00"}]


def test_a_refusal_ends_it_and_the_tool_has_not_run(tmp_path: Path, overwinter: Overwinter) -> None:
    document = demo("no, please don't approve this one", tmp_path, "--keep", "kept")
    assert (document["outcome"], document["tool_calls"]) == ("rejected", [])
    steps = steps_of(document)
    assert "tool_ran" not in steps
    assert steps["interpreted"]["decision"]["approved"] is False
    assert steps["finished"]["reply"] == "I am sorry, your refund was not approved."
    shown = overwinter("show", document["session"], "--db", "kept/refunds.db")
    assert "mara: replies, read as rejected: no, please don't approve this one" in shown.out
    again = overwinter("demo", "--keep", "kept", "--json")
    assert (again.code, again.error["code"]) == (2, "input.invalid")


def test_a_question_back_is_asked_again_and_nothing_has_run(tmp_path: Path) -> None:
    document = demo("what is order 4471?", tmp_path)
    assert (document["outcome"], document["tool_calls"]) == ("asked_again", [])
    steps = steps_of(document)
    assert steps["interpreted"]["outcome"] == "not_understood"
    assert steps["interpreted"]["reason"]
    assert steps["asked_again"]["pauses_pending"] == 1
    assert "revived" not in steps


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_demonstration_leaves_no_process_and_no_folder(tmp_path: Path, number: signal.Signals) -> None:
    with running("demo") as process:
        worker = int(line_with(process.stdout, "in process").partition("in process ")[2].partition(",")[0])
        process.send_signal(number)
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert "Error: interrupted  [overwinter.interrupted]" in err
    assert "Traceback" not in err
    assert not is_alive(worker)
    assert left_in(tmp_path / "tmp") == []


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


# -- the service -------------------------------------------------------------------------------------------------------
def test_the_service_takes_up_what_others_start_and_ends_in_order(overwinter: Overwinter) -> None:
    with running("serve", REFUNDS, "--json") as service:
        started = json.loads(line_with(service.stderr, "service.started"))
        assert (started["app"], started["bots"], started["level"]) == ("refunds", ["support"], "info")
        assert overwinter("start", REFUNDS, "support", "refund order 4471, 80.00").code == 0
        pause = line_with(service.stderr, "answer: overwinter answer").split()[3]
        assert overwinter("answer", pause, "yes", "--as", "mara", "--app", REFUNDS).code == 0
        line_with(service.stderr, "closed: Approved by mara")
        service.send_signal(signal.SIGTERM)
        out, err = service.communicate(timeout=PATIENCE_S)
    assert service.returncode == 0
    assert json.loads(out) == {"app": "refunds", "stopped_by": "SIGTERM"}
    assert "service.stopped" in err
    (session,) = overwinter("sessions", "--json").document["sessions"]
    assert session["status"] == "idle"


SLOW = """
import sys
from overwinter.actors.run import Run
from overwinter.bots.app import App
from overwinter.bots.workflows import workflow
import asyncio

async def work() -> int:
    sys.stderr.write("working\\n")
    sys.stderr.flush()
    await asyncio.sleep(60)
    return 1

@workflow(version="1")
async def slow(run: Run) -> int:
    return await run.step(work)

app = App(name="slow", workflows=[slow])
"""


def test_a_second_signal_ends_the_service_at_once(overwinter: Overwinter) -> None:
    Path("slow.py").write_text(SLOW)
    with running("serve", "slow.py:app") as service:
        line_with(service.stderr, "service.started")
        assert overwinter("start", "slow.py:app", "slow", "{}").code == 0
        line_with(service.stderr, "working")
        service.send_signal(signal.SIGTERM)
        line_with(service.stderr, "service.stopping")
        service.send_signal(signal.SIGTERM)
        service.communicate(timeout=PATIENCE_S)
    assert service.returncode == -signal.SIGTERM


def test_the_grace_time_is_kept_and_the_session_given_back(overwinter: Overwinter) -> None:
    Path("slow.py").write_text(SLOW)
    Path("overwinter.toml").write_text("[supervising]\ngrace_s = 0.2\n")
    with running("serve", "slow.py:app") as service:
        line_with(service.stderr, "service.started")
        assert overwinter("start", "slow.py:app", "slow", "{}").code == 0
        line_with(service.stderr, "working")
        begun_s = time.perf_counter()
        service.send_signal(signal.SIGTERM)
        service.communicate(timeout=PATIENCE_S)
        assert time.perf_counter() - begun_s < 10
    assert service.returncode == 0
    (session,) = overwinter("sessions", "--json").document["sessions"]
    assert session["status"] == "ready"


# -- interrupted -----------------------------------------------------------------------------------------------
def test_an_interrupted_chat_ends_with_130() -> None:
    with running("chat", REFUNDS, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write("hello\n")
        process.stdin.flush()
        line_with(process.stdout, "support: Which order")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert "[overwinter.interrupted]" in err
    assert "Traceback" not in err


def test_an_interrupted_measurement_leaves_no_file(tmp_path: Path) -> None:
    with running("bench", "--sessions", "1000000") as process:
        while not list(tmp_path.glob(".overwinter-bench-*/bench.db-wal")):
            assert process.poll() is None
            time.sleep(0.05)  # noqa: TID251  nothing but the file says that it has begun
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert "[overwinter.interrupted]" in err
    assert list(tmp_path.glob(".overwinter-bench-*")) == []
