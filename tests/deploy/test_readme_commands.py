"""What the README shows is what happens: its commands in their order, and its bot."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from overwinter.actors.answers import ChannelCredential, Decision
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.testing.kit import Kit
from overwinter.deploy.config import environment_without_settings

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def test_the_readmes_commands_work_in_their_order(tmp_path: Path) -> None:
    commands = [line.removeprefix("$ ") for line in README.splitlines() if line.startswith("$ overwinter")]
    assert len(commands) >= 5
    inherited = environment_without_settings()
    environment = {**inherited, "PATH": f"{Path(sys.executable).parent}:{inherited['PATH']}"}
    serving: list[subprocess.Popen[bytes]] = []
    try:
        for command in commands:
            words = shlex.split(command)
            if words[1] == "serve":
                service = subprocess.Popen(words, cwd=tmp_path, env=environment, stderr=subprocess.PIPE)
                assert service.stderr is not None
                serving.append(service)
                assert service.stderr.readline()  # it says that it has started; the database is there
            else:
                done = subprocess.run(
                    words, cwd=tmp_path, env=environment, capture_output=True, timeout=60, check=False
                )
                assert done.returncode == 0, done.stderr.decode()
                assert done.stdout
    finally:
        for service in serving:
            service.send_signal(signal.SIGTERM)
            service.communicate(timeout=30)
    assert [service.returncode for service in serving] == [0]


async def test_the_readmes_bot_refunds_half_when_told_so(tmp_path: Path) -> None:
    block = re.search(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert block is not None
    source = tmp_path / "readme_bot.py"
    source.write_text(block[1])
    names: dict[str, Any] = {"__name__": "readme_bot"}
    exec(compile(block[1], str(source), "exec"), names)
    app = names["app"]
    assert isinstance(app, App)
    script = ScriptedModel.by_turn([calls("refund_card", {"order_id": "4471", "amount": "80.00"}), says("Done.")])
    async with Kit(build=lambda: app, path=tmp_path / "w.db", model=script).running() as kit:
        await kit.start("support", "refund order 4471")
        await kit.answer("refund_card", text="ok, but only half")
    assert script.requests[-1].messages[-1].content.startswith("Refunded 40.00 for order 4471.")


async def test_the_readmes_workflow_goes_on_with_two_of_three(tmp_path: Path) -> None:
    block = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)[1]
    names: dict[str, Any] = {"__name__": "readme_workflow"}
    exec(compile(block, "readme_workflow.py", "exec"), names)
    app = names["app"]
    assert isinstance(app, App)
    async with Kit(build=lambda: app, path=tmp_path / "w.db").running() as kit:
        session_id = await kit.start("approve_budget", {"budget": 5000})
        pauses = [pause for pause in await kit.pending() if pause.kind == "ask"]
        assert len(pauses) == 3
        for pause in (pauses[2], pauses[0]):
            await kit.runtime.answering.answer(
                tenant=kit.tenant,
                pause_id=pause.pause_id,
                answer=Decision(value="yes"),
                credential=ChannelCredential(answered_by="mara"),
            )
        await kit.settle()
        assert await kit.outcome(session_id) == {"result": ["yes", "yes"]}
        assert not await kit.pending()
