"""The table of a pause's states, whole: what is in it, and that nothing else is."""

from __future__ import annotations

from itertools import product

import pytest

from overwinter.store.pause_states import TRANSITIONS, PauseEvent, after
from overwinter.store.rows import PauseStatus


@pytest.mark.behaviour("G26")
def test_only_these_five_transitions_exist() -> None:
    found = {
        (status.value, event, after(status.value, event))
        for status, event in product(PauseStatus, PauseEvent)
        if after(status.value, event) is not None
    }
    assert found == {
        ("pending", PauseEvent.RESOLVE, "resolved"),
        ("pending", PauseEvent.CLOSE, "cancelled"),
        ("resolved", PauseEvent.TAKE, "taken"),
        ("pending", PauseEvent.END, "cancelled"),
        ("resolved", PauseEvent.END, "cancelled"),
    }


def test_final_states_have_no_way_out() -> None:
    assert not {status for status, _ in TRANSITIONS} & {"taken", "cancelled"}
