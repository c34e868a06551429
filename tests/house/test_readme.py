"""Every command that the README tells a reader to type is one that a test runs."""

from __future__ import annotations

import re
from pathlib import Path

from .folders import ROOT

COMMANDS = {
    "make demo": "tests/house/test_makefile.py::test_demo_runs_the_demo",
    "make test": "tests/house/test_makefile.py::test_test_runs_every_test_but_the_heavy_ones",
    ". .venv/bin/activate": "tests/deploy/test_readme_commands.py::test_the_readmes_commands_work_in_their_order",
    **dict.fromkeys(
        (
            "overwinter serve overwinter.bots.examples.refund:app",
            'overwinter start overwinter.bots.examples.refund:app support "refund order 4471, 80.00"',
            "overwinter sessions",
            "overwinter pending",
            "overwinter --help",
            "overwinter demo --gates",
        ),
        "tests/deploy/test_readme_commands.py::test_the_readmes_commands_work_in_their_order",
    ),
}
"""Each command of the README, and the test that runs it."""


def commands(markdown: str) -> list[str]:
    """The lines typed at a prompt (``$ ``) in the fenced ``console`` and ``sh`` blocks."""
    blocks = re.findall(r"^```(?:console|sh)\n(.*?)^```", markdown, re.MULTILINE | re.DOTALL)
    return [line.removeprefix("$ ").strip() for block in blocks for line in block.splitlines() if line.startswith("$ ")]


def test_commands_are_read_from_fenced_blocks_only() -> None:
    markdown = "\n$ not this\n```console\n$ one --now\nprinted\n$ two\n```\n```sh\n$ three\n```\n```python\n$ no\n```\n"
    assert commands(markdown) == ["one --now", "two", "three"]


def test_every_command_of_the_readme_is_run_by_a_test() -> None:
    assert sorted(set(commands((ROOT / "README.md").read_text()))) == sorted(COMMANDS)


def test_the_tests_that_run_them_exist() -> None:
    for runner in COMMANDS.values():
        path, _, name = runner.partition("::")
        assert re.search(rf"^(async )?def {re.escape(name)}\(", Path(ROOT, path).read_text(), re.MULTILINE), runner
