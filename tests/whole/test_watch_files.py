"""Waiting for files: what counts as a change, when it is told, and that none is missed while nothing runs."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs
from watchfiles._rust_notify import WatchfilesRustInternalError

from overwinter.actors.confinement import Seen
from overwinter.actors.file_changes import FileChanged, changes
from overwinter.actors.file_hints import SystemFileHints
from overwinter.actors.ids import RandomIds
from overwinter.actors.jsontext import from_json
from overwinter.actors.run import Run
from overwinter.actors.trigger_kinds import FileChange, Starts, Trigger
from overwinter.actors.triggers import Triggers
from overwinter.actors.watching import TAKE_IN_EVERY_MS
from overwinter.bots.agents import Agent
from overwinter.bots.app import App
from overwinter.bots.scripted_model import ScriptedModel, calls, says
from overwinter.bots.testing.kit import Kit
from overwinter.bots.workflows import workflow
from overwinter.store.rows import PauseRow
from overwinter.store.store import Store


class NoHints:
    """An operating system that says nothing of files, as on many mounts; or that refuses to."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    async def run(self, folders: Sequence[Path], changed: Callable[[Path], None]) -> None:
        if self.error is not None:
            raise self.error
        await asyncio.get_running_loop().create_future()


class TellingHints:
    """An operating system that tells of a change when the test does."""

    def __init__(self) -> None:
        self.changed: Callable[[Path], None] = lambda _: None

    async def run(self, folders: Sequence[Path], changed: Callable[[Path], None]) -> None:
        self.changed = changed
        await asyncio.get_running_loop().create_future()


def kit_of(tmp_path: Path, arguments: dict[str, Any], *, hints: Any = None, app: App | None = None) -> Kit:
    script = ScriptedModel.by_turn([calls("watch_files", arguments), says("Seen.")])
    app = app or App(name="a", agents=[Agent(name="b", toolsets=["workspace_ext"], model=script)])
    return Kit(build=lambda: app, path=tmp_path / "w.db", file_hints=hints or NoHints())


async def begin(kit: Kit, **files: str) -> tuple[str, Path]:
    """Start a session whose workspace has some files already, and let it wait."""
    session_id = await kit.runtime.sessions.start(
        program="b", owner="olga", message="watch", tenant="default", surface="workspace", session_id="s1"
    )
    folder = kit.runtime.workspaces.folder(session_id)
    for name, text in files.items():
        write(folder / name.replace("__", "/").replace("_", "."), text)
    await kit.settle()
    [pause] = await kit.pending()
    assert pause.kind == "files"
    return session_id, folder


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


async def pass_time(kit: Kit) -> None:
    """Long enough for a look, and for a change to have settled."""
    for _ in range(3):
        await kit.advance(timedelta(seconds=16))


async def told(kit: Kit, session_id: str) -> list[tuple[str, str]]:
    """What the session was told has changed."""
    result = from_json((await kit.tool_results(session_id))["call_1"])
    assert result["status"] == "done"
    return [(each["event"], each["path"]) for each in result["changes"]]


async def is_waiting(kit: Kit) -> bool:
    return [pause.kind for pause in await kit.pending()] == ["files"]


@pytest.mark.behaviour("P24")
async def test_all_changes_are_one_list_with_what_happened_and_when(tmp_path: Path) -> None:
    kit = kit_of(tmp_path, {"paths": ["."]})
    async with kit.running():
        session_id, folder = await begin(kit, a_txt="a", b_txt="b", c_txt="c")
        write(folder / "new" / "d.txt", "d")
        write(folder / "a.txt", "other")
        write(folder / "a.txt", "another")
        os.utime(folder / "a.txt", ns=(0, 1_767_225_600_500_000_000))
        (folder / "b.txt").unlink()
        await pass_time(kit)
        assert await told(kit, session_id) == [
            ("modified", "a.txt"),
            ("deleted", "b.txt"),
            ("created", "new/d.txt"),
        ]
        result = from_json((await kit.tool_results(session_id))["call_1"])
        assert result["changes"][0]["mtime"] == "2026-01-01T00:00:00.500Z"
        assert set(result["changes"][0]) == {"path", "event", "mtime"}


@pytest.mark.behaviour("P24")
async def test_what_changes_while_no_process_runs_is_found_by_the_next(tmp_path: Path) -> None:
    kit = kit_of(tmp_path, {"paths": ["in"]})
    async with kit.running():
        session_id, folder = await begin(kit)
    write(folder / "in" / "order.json", "{}")
    async with kit.running():
        await pass_time(kit)
        assert await told(kit, session_id) == [("created", "in/order.json")]


async def test_what_was_there_before_and_what_is_elsewhere_is_no_change(tmp_path: Path) -> None:
    kit = kit_of(tmp_path, {"paths": ["in", "a.txt"]})
    async with kit.running():
        session_id, folder = await begin(kit, a_txt="a", in__b_txt="b")
        write(folder / "other.txt", "x")
        write(folder / "a.txt.bak", "x")
        await pass_time(kit)
        assert await is_waiting(kit)
        write(folder / "a.txt", "A")
        await pass_time(kit)
        assert await told(kit, session_id) == [("modified", "a.txt")]


async def test_a_file_that_still_grows_is_told_of_when_it_has_settled(tmp_path: Path) -> None:
    kit = kit_of(tmp_path, {"paths": ["."]})
    async with kit.running():
        session_id, folder = await begin(kit)
        for size in range(1, 8):
            write(folder / "big.csv", "x" * size)
            kit.runtime._note_wait((await kit.pending())[0])  # pyright: ignore[reportPrivateUsage]  as a hint does
            await kit.settle()
            await kit.advance(timedelta(milliseconds=400))
            assert await is_waiting(kit)
        await kit.advance(timedelta(milliseconds=100))
        await kit.advance(timedelta(milliseconds=500))
        assert await told(kit, session_id) == [("created", "big.csv")]


async def test_the_same_size_written_in_the_same_second_is_a_change(tmp_path: Path) -> None:
    kit = kit_of(tmp_path, {"paths": ["a.txt"]})
    async with kit.running():
        session_id, folder = await begin(kit, a_txt="yes")
        times = (folder / "a.txt").stat()
        with (folder / "a.txt").open("r+") as file:
            file.write("no!")
        os.utime(folder / "a.txt", ns=(times.st_atime_ns, times.st_mtime_ns))
        await pass_time(kit)
        assert await told(kit, session_id) == [("modified", "a.txt")]


@pytest.mark.case("ti13")
async def test_a_file_renamed_over_another_is_one_change_each_time(tmp_path: Path) -> None:
    script = ScriptedModel.by_turn(
        [
            calls("watch_files", {"paths": ["a.txt"]}),
            calls("watch_files", {"paths": ["a.txt"]}, call_id="c2"),
            says("ok"),
        ]
    )
    app = App(name="a", agents=[Agent(name="b", toolsets=["workspace_ext"], model=script)])
    kit = kit_of(tmp_path, {}, app=app)
    async with kit.running():
        session_id, folder = await begin(kit, a_txt="one")
        for call_id, text in (("call_1", "two"), ("c2", "three")):
            write(folder / "a.tmp", text)
            (folder / "a.tmp").rename(folder / "a.txt")
            await pass_time(kit)
            result = from_json((await kit.tool_results(session_id))[call_id])
            assert [(each["event"], each["path"]) for each in result["changes"]] == [("modified", "a.txt")]


@pytest.mark.case("ti14")
async def test_a_file_that_is_always_written_to_holds_up_nothing_else(tmp_path: Path) -> None:
    hints = TellingHints()
    kit = kit_of(tmp_path, {"paths": ["."]}, hints=hints)
    async with kit.running():
        session_id, folder = await begin(kit, app_log="0")
        write(folder / "report.txt", "done")
        for size in range(1, 40):
            write(folder / "app.log", "x" * size)
            await kit.advance(timedelta(milliseconds=400))
            hints.changed(tmp_path)
            await kit.settle()
        assert await told(kit, session_id) == [("created", "report.txt")]


async def test_a_trigger_beside_a_file_that_is_always_written_to_fires_for_all_else_and_for_that_when_it_rests(
    tmp_path: Path,
) -> None:
    inbox = tmp_path / "inbox"
    write(inbox / "app.log", "0")
    trigger = Trigger(slug="inbox", when=FileChange(folder=str(inbox)))
    agent = Agent(name="b", model=ScriptedModel([]))
    hints = TellingHints()
    kit = kit_of(tmp_path, {}, hints=hints, app=App(name="a", agents=[agent], triggers=[trigger]))
    async with kit.running():
        await kit.settle()
        await pass_time(kit)
        for size in range(1, 80):
            if size in (5, 40):
                write(inbox / f"{size}.txt", "done")
            write(inbox / "app.log", "x" * size)
            await kit.advance(timedelta(milliseconds=400))
            hints.changed(tmp_path)
            await kit.settle()
        await pass_time(kit)
        fires = await kit.runtime.triggers.fires_of("default", "inbox", limit=9)
        changed = [from_json(fire.payload_json or "")["changes"] for fire in reversed(fires)]
        assert [[(each["event"], each["path"]) for each in one] for one in changed] == [
            [("created", "5.txt")],
            [("created", "40.txt")],
            [("modified", "app.log")],
        ]


@pytest.mark.parametrize("events", [["created"], ["created", "modified"], ["deleted"]])
async def test_a_deletion_counts_only_if_asked_for_and_what_is_made_again_counts(
    tmp_path: Path, events: list[str]
) -> None:
    kit = kit_of(tmp_path, {"paths": ["d/a.txt"], "events": events})
    async with kit.running():
        session_id, folder = await begin(kit, d__a_txt="one")
        (folder / "d" / "a.txt").unlink()
        (folder / "d").rmdir()
        await pass_time(kit)
        assert await is_waiting(kit) == ("deleted" not in events)
        if "deleted" in events:
            assert await told(kit, session_id) == [("deleted", "d/a.txt")]
            return
        write(folder / "unrelated", "so that the file that comes is another one")
        write(folder / "d" / "a.txt", "two")
        await pass_time(kit)
        assert await told(kit, session_id) == [("modified", "d/a.txt")]


@pytest.mark.case("ti16")
async def test_a_link_that_leads_elsewhere_now_is_a_change_of_the_file_behind_it(tmp_path: Path) -> None:
    kit = kit_of(tmp_path, {"paths": ["cfg"]})
    async with kit.running():
        session_id = await kit.runtime.sessions.start(
            program="b", owner="o", message="watch", tenant="default", surface="workspace", session_id="s1"
        )
        folder = kit.runtime.workspaces.folder(session_id)
        for version in ("v1", "v2"):
            write(folder / version / "cfg", version)
            os.utime(folder / version / "cfg", ns=(0, 10**18))
        (folder / "..data").symlink_to("v1")
        (folder / "cfg").symlink_to("..data/cfg")
        await kit.settle()
        (folder / "..new").symlink_to("v2")
        (folder / "..new").rename(folder / "..data")
        await pass_time(kit)
        assert await told(kit, session_id) == [("modified", "cfg")]
        assert (folder / "cfg").read_text() == "v2"


@pytest.mark.parametrize("path", ["../other", "/etc/passwd", "a/../../b", "", "a\0b"])
async def test_a_path_that_could_lead_out_is_refused(tmp_path: Path, path: str) -> None:
    kit = kit_of(tmp_path, {"paths": [path]})
    async with kit.running():
        session_id = await kit.start("b", "watch", surface="workspace")
        assert "is no path inside the workspace" in (await kit.tool_results(session_id))["call_1"]
        assert await kit.pending() == ()


@pytest.mark.parametrize("path", ["*.csv", "**/*.csv", "in/*"])
async def test_a_pattern_is_refused_and_not_waited_for_as_a_name(tmp_path: Path, path: str) -> None:
    kit = kit_of(tmp_path, {"paths": ["a.txt", path]})
    async with kit.running():
        session_id = await kit.start("b", "watch", surface="workspace")
        assert "patterns are not read: give the folder" in (await kit.tool_results(session_id))["call_1"]
        assert await kit.pending() == ()


async def test_a_file_whose_name_has_a_star_is_waited_for_if_it_is_there(tmp_path: Path) -> None:
    kit = kit_of(tmp_path, {"paths": ["2*2.txt"]})
    async with kit.running():
        write(kit.runtime.workspaces.folder("s1") / "2*2.txt", "4")
        session_id, folder = await begin(kit)
        write(folder / "2*2.txt", "four")
        await pass_time(kit)
        assert await told(kit, session_id) == [("modified", "2*2.txt")]


async def test_a_link_that_leads_out_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    write(outside / "secret.txt", "s")
    kit = kit_of(tmp_path, {"paths": ["."]})
    async with kit.running():
        session_id = await kit.runtime.sessions.start(
            program="b", owner="o", message="watch", tenant="default", surface="workspace", session_id="s1"
        )
        folder = kit.runtime.workspaces.folder(session_id)
        (folder / "file").symlink_to(outside / "secret.txt")
        (folder / "folder").symlink_to("../../outside")
        await kit.settle()
        write(outside / "secret.txt", "changed, and longer")
        write(outside / "more.txt", "m")
        await pass_time(kit)
        assert await is_waiting(kit)
        write(folder / "own.txt", "o")
        await pass_time(kit)
        assert await told(kit, session_id) == [("created", "own.txt")]


@pytest.mark.case("ti17")
@pytest.mark.parametrize(
    "error", [OSError(28, os.strerror(28)), OSError(24, os.strerror(24)), WatchfilesRustInternalError("lost"), None]
)
async def test_where_the_system_watches_nothing_files_are_looked_at_all_the_same(
    tmp_path: Path, error: Exception | None
) -> None:
    with capture_logs() as logs:
        kit = kit_of(tmp_path, {"paths": ["."]}, hints=NoHints(error))
        async with kit.running():
            session_id, folder = await begin(kit)
            await kit.advance(timedelta(seconds=20))
            assert await is_waiting(kit)
            write(folder / "a.txt", "a")
            await pass_time(kit)
            assert await told(kit, session_id) == [("created", "a.txt")]
    warned = [entry for entry in logs if entry["event"] == "files.no-hints"]
    assert len(warned) == (0 if error is None else 1), "it is not tried again at once"
    assert all("fs.inotify.max_user_watches" in entry["remedy"] for entry in warned)


@pytest.mark.behaviour("P39")
async def test_a_wait_for_files_ends_at_its_time_or_by_an_operator(tmp_path: Path) -> None:
    for name, ends, expected in (
        ("one", None, {"status": "timed_out", "elapsed_s": 30.0}),
        ("two", "never mind", {"status": "cancelled", "elapsed_s": 10.0, "reason": "never mind"}),
    ):
        (tmp_path / name).mkdir()
        kit = kit_of(tmp_path / name, {"paths": ["."], "timeout_s": 30})
        async with kit.running():
            session_id, _ = await begin(kit)
            await kit.advance(timedelta(seconds=10))
            if ends is not None:
                [pause] = await kit.pending()
                await kit.runtime.answering.cancel(tenant="default", pause_id=pause.pause_id, by="ops", reason=ends)
            await kit.advance(timedelta(seconds=20))
            assert from_json((await kit.tool_results(session_id))["call_1"]) == expected


async def test_a_file_trigger_starts_a_session_for_what_has_changed_and_watches_on(tmp_path: Path) -> None:
    seen: list[Any] = []
    inbox = tmp_path / "inbox"
    inbox.mkdir()

    async def keep(fire: dict[str, Any]) -> None:
        seen.append([(each["event"], each["path"]) for each in fire["payload"]["changes"]])

    @workflow(version="1")
    async def take_in(run: Run, fire: dict[str, Any]) -> None:
        await run.step(keep, fire)

    trigger = Trigger(slug="inbox", when=FileChange(folder=str(inbox)), starts=Starts(bot="take_in"))
    app = App(name="a", workflows=[take_in], triggers=[trigger])
    write(inbox / "old.txt", "o")
    kit = kit_of(tmp_path, {}, app=app)
    async with kit.running():
        await kit.settle()
        await pass_time(kit)
        assert seen == []
        write(inbox / "a.txt", "a")
        await pass_time(kit)
        await kit.restart()
        await pass_time(kit)
        assert seen == [[("created", "a.txt")]]
    write(inbox / "b.txt", "b")
    async with kit.running():
        await pass_time(kit)
        assert seen == [[("created", "a.txt")], [("created", "b.txt")]]


async def test_a_trigger_that_a_command_adds_sees_what_changes_a_moment_later_whatever_else_is_watched(
    tmp_path: Path,
) -> None:
    """While something is watched that the system tells of, all is looked at every 15 seconds only."""
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    watched = Trigger(slug="old", when=FileChange(folder=str(tmp_path / "old")))
    agent = Agent(name="b", model=ScriptedModel([]))
    kit = kit_of(tmp_path, {}, app=App(name="a", agents=[agent], triggers=[watched]))
    async with kit.running():
        await kit.settle()
        await pass_time(kit)
        write(tmp_path / "new" / "before.txt", "b")
        heard = kit.store.subscribe()
        await heard.wait()
        command = await Store.open(tmp_path / "w.db")
        added = Triggers(
            triggers=command.triggers, fires=command.fires, clock=kit.clock, ids=RandomIds(), fired=lambda: None
        )
        await added.add("default", Trigger(slug="new", when=FileChange(folder=str(tmp_path / "new"))))
        await heard.wait()
        heard.close()
        await command.aclose()
        await kit.advance(timedelta(milliseconds=TAKE_IN_EVERY_MS))
        write(tmp_path / "new" / "after.txt", "a")
        await pass_time(kit)
        (fire,) = await kit.runtime.triggers.fires_of("default", "new", limit=9)
        changed = from_json(fire.payload_json or "")["changes"]
        assert [(each["event"], each["path"]) for each in changed] == [("created", "after.txt")]


async def test_the_folder_of_a_trigger_may_be_a_link_and_may_lead_elsewhere_later(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    inbox = tmp_path / "inbox"
    inbox.symlink_to(tmp_path / "one")
    trigger = Trigger(slug="inbox", when=FileChange(folder=str(inbox)))
    app = App(name="a", agents=[Agent(name="b", model=ScriptedModel([]))], triggers=[trigger])
    kit = kit_of(tmp_path, {}, app=app)
    async with kit.running():
        await pass_time(kit)
        write(tmp_path / "one" / "a.txt", "a")
        await pass_time(kit)
        inbox.unlink()
        inbox.symlink_to(tmp_path / "two")
        write(tmp_path / "two" / "b.txt", "b")
        await pass_time(kit)
        fires = await kit.runtime.triggers.fires_of("default", "inbox", limit=9)
        found = [from_json(fire.payload_json or "")["changes"] for fire in reversed(fires)]
        assert [[(each["event"], each["path"]) for each in changes] for changes in found] == [
            [("created", "a.txt")],
            [("deleted", "a.txt"), ("created", "b.txt")],
        ]


async def test_what_one_session_does_to_its_files_keeps_nobody_else_from_being_told(tmp_path: Path) -> None:
    kit = kit_of(tmp_path, {"paths": ["."]})
    async with kit.running():
        session_id, folder = await begin(kit)
        other = await kit.start("b", "watch", surface="workspace")
        deep = os.open(folder, os.O_RDONLY)
        for _ in range(600):
            os.mkdir("d", dir_fd=deep)
            inner = os.open("d", os.O_RDONLY, dir_fd=deep)
            os.close(deep)
            deep = inner
        os.close(deep)
        write(kit.runtime.workspaces.folder(other) / "a.txt", "a")
        with capture_logs() as logs:
            await pass_time(kit)
        assert [each["error"] for each in logs if each["event"] == "files.not-seen"] == [
            "there are more than 100 folders in each other; watch one that is not so deep"
        ]
        assert await told(kit, other) == [("created", "a.txt")]
        result = from_json((await kit.tool_results(session_id))["call_1"])
        assert (result["status"], result["reason"]) == (
            "refused",
            "there are more than 100 folders in each other; watch one that is not so deep",
        )


async def test_a_trigger_whose_files_cannot_be_looked_at_says_so_every_hour_and_goes_on_when_they_can(
    tmp_path: Path,
) -> None:
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    (inbox / "in").symlink_to("..")
    trigger = Trigger(slug="inbox", when=FileChange(folder=str(inbox), paths=("in",)))
    app = App(name="a", agents=[Agent(name="b", model=ScriptedModel([]))], triggers=[trigger])
    kit = kit_of(tmp_path, {}, app=app)
    async with kit.running():
        with capture_logs() as logs:
            for _ in range(30):
                await kit.advance(timedelta(minutes=5))
        assert [each["error"] for each in logs if each["event"] == "files.not-seen"] == [
            "'in' leads out of the workspace"
        ] * 3
        (inbox / "in").unlink()
        await pass_time(kit)
        write(inbox / "in" / "a.txt", "a")
        await pass_time(kit)
        [fire] = await kit.runtime.triggers.fires_of("default", "inbox", limit=9)
        assert [each["path"] for each in from_json(fire.payload_json or "")["changes"]] == ["in/a.txt"]


async def test_a_wait_that_cannot_be_ended_keeps_no_other_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kit = kit_of(tmp_path, {"paths": ["."]})
    async with kit.running():
        session_id, folder = await begin(kit)
        other = await kit.start("b", "watch", surface="workspace")
        fire_wait = kit.runtime.answering.fire

        async def fire(pause: PauseRow, *, answer: Any, by: str | None = None) -> bool:
            if pause.session_id == session_id:
                raise ValueError("its row cannot be read")
            return await fire_wait(pause, answer=answer, by=by)

        monkeypatch.setattr(kit.runtime.answering, "fire", fire)
        write(folder / "a.txt", "a")
        write(kit.runtime.workspaces.folder(other) / "a.txt", "a")
        await pass_time(kit)
        assert await told(kit, other) == [("created", "a.txt")]
        monkeypatch.undo()
        await pass_time(kit)
        assert await told(kit, session_id) == [("created", "a.txt")]


@pytest.mark.case("ti10")
async def test_a_change_that_settles_while_the_clock_is_set_back_is_told_all_the_same(tmp_path: Path) -> None:
    kit = kit_of(tmp_path, {"paths": ["."]})
    async with kit.running():
        session_id, folder = await begin(kit)
        write(folder / "a.txt", "a")
        await kit.advance(timedelta(seconds=2))
        assert await is_waiting(kit), "it may change on"
        await kit.advance(timedelta(hours=-1))
        await pass_time(kit)
        assert await told(kit, session_id) == [("created", "a.txt")]


async def test_the_operating_system_tells_of_a_change_at_once(tmp_path: Path) -> None:
    changed: asyncio.Queue[Path] = asyncio.Queue()
    watching = asyncio.create_task(SystemFileHints().run([tmp_path], changed.put_nowait))
    try:
        async with asyncio.timeout(20):
            found = None
            for number in range(400):  # it may take a moment until it has begun to watch
                write(tmp_path / "a.txt", str(number))
                waiting = asyncio.create_task(changed.get())
                done, _ = await asyncio.wait({waiting}, timeout=0.1)
                if done:
                    found = waiting.result()
                    break
                waiting.cancel()
            assert found == tmp_path / "a.txt"
    finally:
        watching.cancel()
        await asyncio.wait({watching})


@pytest.mark.parametrize(
    ("mtime_ns", "told"),
    [
        (10**24, "9999-12-31T23:59:59.999Z"),
        (-(10**24), "0001-01-01T00:00:00.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
        (1_772_452_830_123_999_999, "2026-03-02T12:00:30.123Z"),
    ],
)
def test_a_file_may_have_a_time_that_no_calendar_has(mtime_ns: int, told: str) -> None:
    change = FileChanged(path="a.txt", event="modified", mtime_ns=mtime_ns)
    assert change.to_json() == {"path": "a.txt", "event": "modified", "mtime": told}


def test_a_file_that_was_gone_in_between_was_made_anew_whatever_number_the_file_system_gives_it() -> None:
    old, new = Seen(mtime_ns=1, size=3, inode="1:7"), Seen(mtime_ns=2, size=3, inode="1:7")
    [modified] = changes({"a": old}, {"a": new})
    assert not modified.is_one_of(["created"])
    [made_anew] = changes({"a": old}, {"a": new}, gone={"a"})
    assert made_anew.is_one_of(["created"])
    assert made_anew.event == "modified"
