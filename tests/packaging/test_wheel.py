"""The wheel holds the product, all of it and nothing else.

Every nested package must be listed in pyproject.toml; one that is forgotten works in an editable install and is missing
here alone.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("store", "actors", "channels", "bots", "deploy")

NOT_SHIPPED = (".md",)
"""What lies beside the code for its readers."""


@pytest.fixture(scope="module")
def sources() -> list[Path]:
    """The repository's files, committed or not yet, relative to its root."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    paths = (Path(name) for name in listed.split("\0") if name)
    return [path for path in paths if (ROOT / path).is_file() and not (ROOT / path).is_symlink()]


@pytest.fixture(scope="module")
def wheel(sources: list[Path], tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names in the wheel, built from a copy of the sources and of nothing else."""
    folder = tmp_path_factory.mktemp("sources")
    for path in sources:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, folder / path)
    output = tmp_path_factory.mktemp("wheel")
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", f"--wheel-dir={output}"]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", *options, str(folder)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = output.iterdir()
    with ZipFile(built) as archive:
        return set(archive.namelist())


def test_every_module_is_in_the_wheel(sources: list[Path], wheel: set[str]) -> None:
    modules = {str(path) for path in sources if path.suffix == ".py" and path.parts[0] in FOLDERS}
    assert {f"overwinter/{name}" for name in modules | {"__init__.py"}} == {n for n in wheel if n.endswith(".py")}


def test_what_the_code_reads_is_in_the_wheel(sources: list[Path], wheel: set[str]) -> None:
    """In ``deploy`` also lies what operators take from the repository: the wheel need not hold that."""
    data = {str(path) for path in sources if path.parts[0] in FOLDERS[:-1] and path.suffix not in NOT_SHIPPED}
    assert {f"overwinter/{name}" for name in data | {"py.typed"}} - wheel == set()


def test_what_operators_paste_is_in_the_wheel(wheel: set[str]) -> None:
    assert "overwinter/deploy/slack-manifest.yaml" in wheel


def test_nothing_else_is_in_the_wheel(sources: list[Path], wheel: set[str]) -> None:
    known = {f"overwinter/{path}" for path in sources if path.parts[0] in (*FOLDERS, "__init__.py", "py.typed")}
    others = {name for name in wheel - known if not name.startswith("overwinter-")}
    assert others == set()


def test_the_licence_and_the_command_are_in_the_wheel(wheel: set[str]) -> None:
    metadata = {name.partition("/")[2] for name in wheel if name.startswith("overwinter-")}
    assert {"licenses/LICENSE", "entry_points.txt", "METADATA"} <= metadata
