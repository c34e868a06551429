"""Every behaviour and every case that has to be shown is shown by a test; and the one who says so can be trusted."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from .behaviours import behaviours_of, cases_of, faults, table
from .folders import ROOT
from .test_makefile import would_run

SCRIPT = Path(__file__).with_name("behaviours.py")

SETTINGS = """
[pytest]
addopts = --strict-markers -m "not bench"
asyncio_default_fixture_loop_scope = function
markers =
  behaviour(id): shows a behaviour
  case(id): shows a case
  bench: measures
"""


def run(root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, SCRIPT, root], cwd=root, capture_output=True, text=True, check=False)


def house(folder: Path, tests: str, *, rows: str = "- **G1** One.\n- **G2** Two.\n", cases: str = "[]") -> Path:
    """A root with one test file."""
    (folder / "tests" / "cases").mkdir(parents=True)
    (folder / "tests" / "behaviours.md").write_text(rows)
    (folder / "tests" / "cases" / "durable_resume.yaml").write_text(cases)
    (folder / "tests" / "test_it.py").write_text(f"import pytest\n\n{tests}")
    (folder / "pytest.ini").write_text(SETTINGS)
    return folder


def test_every_behaviour_and_every_case_is_shown_by_a_test() -> None:
    done = run(ROOT)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^G32 +tests/\S+::test_", done.stdout, re.MULTILINE)
    assert re.search(r"^du01 +tests/\S+::test_", done.stdout, re.MULTILINE)


def test_make_behaviours_runs_it() -> None:
    assert would_run("behaviours") == [".venv/bin/python tests/house/behaviours.py"]


def test_marks_on_functions_classes_modules_and_parameters_count(tmp_path: Path) -> None:
    tests = """
pytestmark = pytest.mark.behaviour("G1")

@pytest.mark.behaviour("G2")
class TestAll:
    @pytest.mark.parametrize("n", [1, pytest.param(2, marks=pytest.mark.behaviour("G3"))])
    def test_one(self, n): pass

@pytest.mark.case("du01")
def test_two(): pass
"""
    root = house(
        tmp_path,
        tests,
        rows="- **G1** One.\n- **G2** Two\n  lines.\n- **G3** Three.\n",
        cases="[{id: du01_a_case}]",
    )
    done = run(root)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "G1    tests/test_it.py::TestAll::test_one",
        "      tests/test_it.py::test_two",
        "G2    tests/test_it.py::TestAll::test_one",
        "G3    tests/test_it.py::TestAll::test_one",
        "",
        "du01  tests/test_it.py::test_two",
    ]


BOTH = '@pytest.mark.behaviour("G1")\n@pytest.mark.behaviour("G2")\n'


@pytest.mark.parametrize(
    ("marks", "said"),
    [
        ('@pytest.mark.behaviour("G1")\n', "no test shows G2: Two.\n"),
        (
            f'{BOTH}@pytest.mark.behaviour("G99")\n',
            "G99 is not in tests/behaviours.md, but tests/test_it.py::test_it is marked with it\n",
        ),
        (
            f'{BOTH}@pytest.mark.case("du77")\n',
            "du77 is not in tests/cases, but tests/test_it.py::test_it is marked with it\n",
        ),
        *(
            (f"{BOTH}@pytest.mark.{not_run}\n", "no test shows G1: One.\nno test shows G2: Two.\n")
            for not_run in ("skip(reason='later')", "xfail", "bench")
        ),
    ],
)
def test_what_no_test_shows_and_what_is_not_there_is_named(tmp_path: Path, marks: str, said: str) -> None:
    done = run(house(tmp_path, f"def test_other(): pass\n\n{marks}def test_it(): pass\n"))
    assert (done.returncode, done.stderr) == (1, said)


def test_a_case_that_no_test_shows_is_named(tmp_path: Path) -> None:
    tests = f'{BOTH}@pytest.mark.case("du01")\ndef test_it(): pass\n'
    done = run(house(tmp_path, tests, cases="[{id: du01_a}, {id: du02_b}]"))
    assert (done.returncode, done.stderr) == (1, "no test shows du02: du02_b\n")


def test_tests_that_cannot_be_collected_are_an_error_of_their_own(tmp_path: Path) -> None:
    done = run(house(tmp_path, "import nowhere\n"))
    assert done.returncode == 2
    assert "No module named 'nowhere'" in done.stderr


def test_rows_are_read_with_their_second_lines_and_no_id_twice() -> None:
    markdown = "# Title\n\nAs **G0** says.\n\n- **G1** One\n  and more.\n- **G2** Two.\n\nText.\n  Indented.\n"
    assert behaviours_of(markdown) == {"G1": "One and more.", "G2": "Two."}
    with pytest.raises(ValueError, match="G1 stands there twice"):
        behaviours_of("- **G1** One.\n- **G1** Again.\n")


def test_a_case_is_known_by_the_short_form_of_its_id() -> None:
    assert cases_of("[{id: du07_two_at_once}, {id: st01}]") == {"du07": "du07_two_at_once", "st01": "st01"}


def test_the_table_has_a_line_for_every_row_and_every_test() -> None:
    rows = {"G1": "One.", "G2": "Two."}
    assert table(rows, {"G1": ["a", "b"]}) == "G1    a\n      b\nG2    -\n"
    assert faults(rows, {"G1": ["a"], "G2": ["b"]}, where="there") == []
    assert faults(rows, {"G1": ["a"], "G2": ["b"], "P1": ["c"]}, where="there", known=["P1"]) == []
