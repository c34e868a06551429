"""The Makefile: what its targets run, and that a build of .venv which failed is not taken for a good one."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

from .folders import ROOT


def make(*args: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["make", *args], cwd=folder, capture_output=True, text=True, check=False)


def would_run(target: str) -> list[str]:
    """The commands of a target that needs nothing built, without running them."""
    done = make("--dry-run", "--old-file=.venv/.ready", "JOBS=2", "ARGS=", target)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_demo_runs_the_demo() -> None:
    assert would_run("demo") == [".venv/bin/overwinter demo"]


def test_test_runs_every_test_but_the_heavy_ones() -> None:
    [line] = would_run("test")
    assert line.rstrip() == ".venv/bin/pytest -n 2 --dist loadfile -m 'not heavy and not bench'"


def test_check_runs_the_heavy_ones_as_well() -> None:
    marks = [line.partition(" -m ")[2].strip() for line in would_run("check") if "bin/pytest " in line]
    assert [mark.partition("' ")[0].strip("'") for mark in marks] == ["heavy and not bench", "not heavy and not bench"]


def test_check_ends_with_the_tests_under_coverage() -> None:
    *before, last = would_run("check")
    assert last.startswith(".venv/bin/pytest ")
    assert "--cov" in last.split()
    text = "\n".join(before)
    for tool in ("ruff format --check", "ruff check", "pyright", "lint-imports"):
        assert tool in text


def test_help_names_the_targets() -> None:
    printed = make("help").stdout
    for target in re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE):
        assert f"make {target} " in printed


def test_a_missing_python_is_said_and_nothing_is_built(tmp_path: Path) -> None:
    copy_of_house(tmp_path)
    done = make("PYTHON=/nowhere/python3", ".venv/.ready", folder=tmp_path)
    assert done.returncode != 0
    assert "Overwinter needs Python 3.11 or newer" in done.stderr
    assert not (tmp_path / ".venv").exists()


def test_a_failed_install_is_tried_again_by_the_next_make(tmp_path: Path) -> None:
    copy_of_house(tmp_path)
    (tmp_path / "constraints.txt").write_text("pip==0.0.1\nsetuptools==0.0.1\n")
    for _ in range(2):
        done = make("PIP_NO_INDEX=1", "PIP_FIND_LINKS=", "UV_OFFLINE=1", "demo", folder=tmp_path)
        assert done.returncode != 0
        assert "Building .venv with Python 3." in done.stderr
        assert not (tmp_path / ".venv" / ".ready").exists()


def copy_of_house(folder: Path) -> None:
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
