"""When changes are told: all together where they come to rest together, else each that has, and none that goes on."""

from __future__ import annotations

from overwinter.actors.confinement import Seen
from overwinter.actors.file_changes import changes
from overwinter.actors.file_rests import SETTLED_MS, TOGETHER_MS, Unrest, after_telling

BOTH = ("created", "modified")


def files(**sizes: int) -> dict[str, Seen]:
    return {name: Seen(mtime_ns=size, size=size, inode=name) for name, size in sizes.items()}


class Watch:
    """Looks at files that are as is said, at the time that is said; before there were none but those given."""

    def __init__(self, *, events: tuple[str, ...] = BOTH, **before: int) -> None:
        self.events = events
        self.before = files(**before)
        self.unrest = Unrest()

    def look(self, at_ms: int, **sizes: int) -> tuple[list[str], int | None]:
        seen = files(**sizes)
        rested = self.unrest.look(changes(self.before, seen), seen, events=self.events, now_ms=at_ms)
        return [each.path for each in rested.told], rested.again_ms


def test_what_comes_to_rest_is_told_once_nothing_of_it_has_changed_for_a_moment() -> None:
    watch = Watch()
    assert watch.look(0) == ([], None)
    assert watch.look(10, a=1) == ([], 10 + SETTLED_MS)
    assert watch.look(400, a=1, b=1) == ([], 400 + SETTLED_MS)
    assert watch.look(10 + SETTLED_MS, a=1, b=1) == ([], 400 + SETTLED_MS), "they are told together"
    assert watch.look(400 + SETTLED_MS, a=1, b=1) == (["a", "b"], None)


def test_what_goes_on_for_ever_holds_up_nothing_else_and_is_not_told_itself() -> None:
    watch = Watch(log=1)
    told: dict[int, list[str]] = {}
    for at_ms in range(0, TOGETHER_MS + 2_000, 100):
        found, again_ms = watch.look(at_ms, log=at_ms + 2, **({"a": 1} if at_ms >= 1_000 else {}))
        assert again_ms is None or again_ms > at_ms
        if found:
            told[at_ms] = found
            watch.before |= files(a=1)
    assert told == {TOGETHER_MS: ["a"]}


def test_what_changes_last_is_not_told_before_it_has_come_to_rest_itself() -> None:
    watch = Watch(log=1)
    for at_ms in range(0, TOGETHER_MS, 100):
        assert watch.look(at_ms, log=at_ms + 2)[0] == []
    assert watch.look(TOGETHER_MS, log=9_999, a=1)[0] == []
    assert watch.look(TOGETHER_MS + SETTLED_MS - 1, log=10_000, a=1) == ([], TOGETHER_MS + SETTLED_MS)
    assert watch.look(TOGETHER_MS + SETTLED_MS, log=10_001, a=1)[0] == ["a"]


def test_a_change_that_is_undone_is_none() -> None:
    watch = Watch(a=1)
    assert watch.look(0, a=2) == ([], SETTLED_MS)
    assert watch.look(100, a=1) == ([], None)
    assert watch.look(200, a=2) == ([], 200 + SETTLED_MS), "it begins anew"


def test_only_what_is_waited_for_sets_off_but_all_that_rests_is_listed() -> None:
    watch = Watch(events=("created",), old=1, gone=1)
    assert watch.look(0, old=2) == ([], None)
    assert watch.look(9_000, old=2, new=1) == ([], 9_000 + SETTLED_MS)
    assert watch.look(9_000 + SETTLED_MS, old=2, new=1)[0] == ["gone", "new", "old"]


def test_a_clock_that_is_set_back_begins_anew_and_then_ends_all_the_same() -> None:
    watch = Watch()
    assert watch.look(10_000, a=1) == ([], 10_000 + SETTLED_MS)
    assert watch.look(100, a=1) == ([], 100 + SETTLED_MS)
    assert watch.look(100 + SETTLED_MS, a=1)[0] == ["a"]


def test_what_is_not_told_is_still_to_be_told() -> None:
    before, seen = files(log=1, gone=1, going=1), files(log=2, new=1, growing=5)
    found = changes(before, seen)
    told = [each for each in found if each.path in ("new", "gone")]
    left = after_telling(before, seen, found=found, told=told)
    assert left == files(log=1, going=1, new=1)
    assert [each.path for each in changes(left, seen)] == ["going", "growing", "log"]
    assert after_telling(before, seen, found=found, told=found) == seen
