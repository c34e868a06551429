"""``make behaviours``: which tests show which behaviour and which case, and what no test shows.

pytest itself is asked what it would run, so marks on classes, modules and parameters count, and a test that is deselected,
skipped or expected to fail shows nothing. Ends with 1 where a behaviour of ``tests/behaviours.md`` or a case is shown by no
test, or a mark names one that is not there; with 2 where the tests cannot be collected.

    python tests/house/behaviours.py [ROOT]
"""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]

SHOWN_WHOLE = ("durable_resume", "email_replies", "interpretation", "slack", "timers_files")
"""The files of ``tests/cases`` each of whose cases must be shown; the others are on their way there."""

Shown = dict[str, list[str]]
"""Id -> the tests that carry it, once each, in the order in which they run."""

_ROW = re.compile(r"^- \*\*([A-Z]\d+)\*\* (\S.*)$")


def behaviours_of(markdown: str) -> dict[str, str]:
    """Id -> sentence, in the order of the file; a sentence may go on in indented lines.

    Raises:
        ValueError: an id stands there twice.
    """
    rows: dict[str, str] = {}
    last: str | None = None
    for line in markdown.splitlines():
        if (row := _ROW.match(line)) is not None:
            identity: str = row[1]
            if identity in rows:
                raise ValueError(f"{identity} stands there twice")
            rows[identity], last = row[2], identity
        elif last is not None and line.startswith("  "):
            rows[last] += " " + line.strip()
        else:
            last = None
    return rows


def cases_of(yaml_text: str) -> dict[str, str]:
    """Short id -> whole id of each case: ``du01`` -> ``du01_parallel_answers_in_other_order``."""
    cases: list[dict[str, Any]] = yaml.safe_load(yaml_text)
    return {case["id"].partition("_")[0]: case["id"] for case in cases}


class Collector:
    """A pytest plugin that reads the marks of the tests that would run."""

    def __init__(self) -> None:
        self.behaviours: Shown = {}
        self.cases: Shown = {}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            if item.get_closest_marker("skip") or item.get_closest_marker("xfail"):
                continue
            test = item.nodeid.partition("[")[0]
            for name, shown in (("behaviour", self.behaviours), ("case", self.cases)):
                for mark in item.iter_markers(name):
                    for identity in mark.args:
                        tests = shown.setdefault(identity, [])
                        if test not in tests:
                            tests.append(test)


def collect(root: Path) -> Collector:
    """Ask pytest for the tests under a root.

    Raises:
        RuntimeError: they cannot be collected; says what pytest said.
    """
    collector = Collector()
    printed = io.StringIO()
    arguments = [
        "--collect-only",
        "-q",
        "--capture=no",
        "-p",
        "no:cacheprovider",
        f"--rootdir={root}",
        str(root / "tests"),
    ]
    with redirect_stdout(printed):
        status = pytest.main(arguments, plugins=[collector])
    if status != pytest.ExitCode.OK:
        raise RuntimeError(printed.getvalue())
    return collector


def table(rows: Iterable[str], shown: Shown) -> str:
    """One line a test, the id before the first of its tests."""
    lines = [
        f"{identity if place == 0 else '':<6}{test}"
        for identity in rows
        for place, test in enumerate(shown.get(identity, ["-"]))
    ]
    return "".join(f"{line}\n" for line in lines)


def faults(rows: Mapping[str, str], shown: Shown, *, where: str, known: Iterable[str] = ()) -> list[str]:
    """What is wrong, a line each: no test shows a row; a mark names none.

    Args:
        known: ids that may be marked besides the rows.
    """
    missing = [f"no test shows {identity}: {sentence}" for identity, sentence in rows.items() if identity not in shown]
    unknown = sorted(shown.keys() - rows.keys() - set(known))
    return missing + [
        f"{identity} is not in {where}, but {shown[identity][0]} is marked with it" for identity in unknown
    ]


def main(root: Path) -> int:
    behaviours = behaviours_of((root / "tests" / "behaviours.md").read_text())
    files = {path.stem: cases_of(path.read_text()) for path in sorted((root / "tests" / "cases").glob("*.yaml"))}
    wanted = {short: name for stem in SHOWN_WHOLE for short, name in files.get(stem, {}).items()}
    known = [short for cases in files.values() for short in cases]
    try:
        collector = collect(root)
    except RuntimeError as error:
        sys.stderr.write(f"{error}\nThe tests cannot be collected.\n")
        return 2
    sys.stdout.write(table(behaviours, collector.behaviours) + "\n" + table(wanted, collector.cases))
    wrong = [
        *faults(behaviours, collector.behaviours, where="tests/behaviours.md"),
        *faults(wanted, collector.cases, where="tests/cases", known=known),
    ]
    sys.stderr.write("".join(f"{fault}\n" for fault in wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT))
