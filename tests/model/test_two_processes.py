"""Histories of two processes on one database, of which one is cut off in the midst of steps and comes back too late."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from .deaths import TwoProcesses
from .histories import missing, office_in, play

pytestmark = pytest.mark.heavy

PARTS = 5
EXAMPLES = 140
HISTORIES = 1000
"""So many at least come of it: a run of a machine plays one or two."""

counts: Counter[str] = Counter()


@pytest.mark.parametrize("part", range(PARTS))
def test_a_session_is_where_the_model_is(part: int, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    with office_in(tmp_path, processes=2) as office:
        play(TwoProcesses, office, counts, part=100 + part, examples=EXAMPLES, config=pytestconfig)


def test_every_kind_of_node_verdict_and_event_occurs() -> None:
    """So that the histories cannot become poor without anybody noticing."""
    if counts["history"] < EXAMPLES * PARTS:
        pytest.skip("not all histories were played: run the whole file, without --model-examples")
    assert counts["history"] >= HISTORIES
    # The rarest verdicts come of a few histories, which two processes do not play alike each time.
    left = ("event wrong", "verdict First late", "verdict First failed")
    assert missing(counts, more=["event freeze in a body"], left_to_others=left) == {}
