"""The rules of the house that hold for every file of the product."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .folders import FOLDERS, ROOT, product_files

NO_NOUNS = {"util", "utils", "helper", "helpers", "common", "base", "misc", "manager", "managers"}


def docstring(path: Path) -> str:
    return ast.get_docstring(ast.parse((ROOT / path).read_text())) or ""


def test_imports_go_one_way() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_says_what_it_is_and_what_it_may_import(folder: str) -> None:
    text = docstring(Path(folder, "__init__.py"))
    assert len(text) >= 200, f"{folder}/__init__.py: say what the folder is and how data flows through it"
    assert re.search(r"\bimport", text, re.IGNORECASE), f"{folder}/__init__.py: say what it may import"
    below = FOLDERS[: FOLDERS.index(folder)]
    assert not below or any(name in text for name in below), f"{folder}/__init__.py: name what it may import"


def test_every_package_says_what_it_is() -> None:
    silent = [str(path) for path in product_files() if path.name == "__init__.py" and len(docstring(path)) < 40]
    assert silent == []


def test_no_file_is_longer_than_400_lines() -> None:
    lengths = {str(path): len((ROOT / path).read_text().splitlines()) for path in product_files()}
    assert {path: lines for path, lines in lengths.items() if lines > 400} == {}


def test_every_file_is_named_for_what_it_holds() -> None:
    assert [str(path) for path in product_files() if NO_NOUNS & {*path.parent.parts, path.stem}] == []


def test_only_the_configuration_reads_the_environment() -> None:
    readers = {str(path) for path in product_files() if _reads_environment(ast.parse((ROOT / path).read_text()))}
    assert readers <= {"deploy/config.py"}


def test_tests_import_one_another_by_where_they_are() -> None:
    """``tests`` has another absolute name in every clone, and under ``overwinter.`` it would be loaded twice."""
    absolute = re.compile(r"^\s*(from|import) (overwinter\.)?tests\b", re.MULTILINE)
    files = [path.relative_to(ROOT) for path in sorted((ROOT / "tests").rglob("*.py"))]
    assert [str(path) for path in files if absolute.search((ROOT / path).read_text())] == []


@pytest.mark.parametrize(
    "source",
    ["import os\nos.environ['A']", "import os\nos.getenv('A')", "from os import environ", "from os import getenv as g"],
)
def test_a_reader_of_the_environment_is_seen(source: str) -> None:
    assert _reads_environment(ast.parse(source))


def _reads_environment(tree: ast.AST) -> bool:
    names = {"environ", "environb", "getenv", "getenvb"}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id="os"), attr=attr) if attr in names:
                return True
            case ast.ImportFrom(module="os", names=imported) if names & {alias.name for alias in imported}:
                return True
            case _:
                pass
    return False
