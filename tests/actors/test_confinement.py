"""Looking at files inside a folder, and at nothing outside of it whatever links there are, or come while it looks."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from overwinter.actors.confinement import MAX_FILES, look
from overwinter.actors.errors import WorkspacePathError
from overwinter.actors.workspaces import Workspaces


def paths_in(root: Path, *paths: str) -> list[str]:
    return sorted(look(root, paths or (".",), racy_ns=0))


@pytest.mark.parametrize("path", ["..", "a/..", "/a", "", "a/../b", "a\0"])
def test_a_path_that_could_lead_out_is_refused_whether_or_not_there_is_a_folder(tmp_path: Path, path: str) -> None:
    for root in (tmp_path, tmp_path / "missing"):
        with pytest.raises(WorkspacePathError) as raised:
            look(root, (path,), racy_ns=0)
        assert raised.value.code == "workspace.path"
    with pytest.raises(WorkspacePathError):
        Workspaces(tmp_path).path("s1", path)
    assert not any(tmp_path.iterdir())


def test_a_path_that_is_a_link_out_is_refused(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "secret").write_text("s")
    (root / "link").symlink_to("../outside")
    (root / "absolute").symlink_to(outside)
    (root / "loop").symlink_to("loop")
    for path in ("link", "link/secret", "absolute/secret", "loop"):
        with pytest.raises(WorkspacePathError):
            look(root, (path,), racy_ns=0)
    assert paths_in(root) == ["absolute", "link", "loop"]


def test_links_inside_are_followed_to_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "v1").mkdir()
    (tmp_path / "v1" / "cfg").write_text("1")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "up").symlink_to("../v1/cfg")
    (tmp_path / "folder").symlink_to("v1")
    assert paths_in(tmp_path, "deep/up", "folder/cfg") == ["deep/up", "folder/cfg"]
    # A link to a folder is seen, and what is in it is seen where it is.
    assert paths_in(tmp_path) == ["deep/up", "folder", "v1/cfg"]


def test_a_folder_that_is_swapped_for_a_link_all_the_time_never_leads_out(tmp_path: Path) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    (root / "real").mkdir(parents=True)
    outside.mkdir()
    (root / "real" / "inside").write_text("i")
    (outside / "secret").write_text("s")
    (root / "a").mkdir()
    (root / "b").symlink_to(outside)
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            for old, new in (("a", "t"), ("b", "a"), ("t", "b")):
                os.rename(root / old, root / new)

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        for _ in range(300):
            assert not any("secret" in path for path in paths_in(root))
    finally:
        stop.set()
        swapping.join()


def test_names_that_are_no_text_and_things_that_are_no_files_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    os.mkfifo(tmp_path / "pipe")
    with open(os.fsencode(tmp_path) + b"/\xff", "w"):
        pass
    assert paths_in(tmp_path) == ["a.txt", "pipe"]


def test_more_files_than_can_be_kept_are_refused(tmp_path: Path) -> None:
    for number in range(MAX_FILES + 1):
        os.close(os.open(tmp_path / str(number), os.O_CREAT))
    with pytest.raises(WorkspacePathError, match="smaller folder"):
        look(tmp_path, (".",), racy_ns=2**62)


@pytest.mark.parametrize("session_id", ["../../etc", "a/b", "", ".", "ä" * 300, "\0"])
def test_the_workspace_of_any_session_is_in_the_folder_of_all(tmp_path: Path, session_id: str) -> None:
    workspaces = Workspaces(tmp_path)
    folder = workspaces.folder(session_id)
    assert folder.parent == tmp_path
    assert folder.is_dir()
    assert workspaces.folder("other") != folder


LOSES_SIGHT = """
import os, sys
from pathlib import Path
from overwinter.actors.confinement import look
from overwinter.actors.file_changes import changes

os.chdir(sys.argv[1])
if os.geteuid() == 0:
    os.setresuid(65534, 65534, 65534)
root = Path()
Path("open").mkdir()
Path("shut/deep").mkdir(parents=True)
for name in ("open/a", "shut/b", "shut/deep/c", "gone"):
    Path(name).write_text(name)

def seen(*paths, known=None):
    return look(root, paths, racy_ns=0, known=known)

for paths in ((".",), ("shut", "open", "gone"), ("shut/b", "shut/deep", "open/a", "gone")):
    before = seen(*paths)
    assert sorted(before) == ["gone", "open/a", "shut/b", "shut/deep/c"], before
    for mode in (0o000, 0o400):
        os.chmod("shut", mode)
        Path("gone").unlink()
        now = seen(*paths, known=before)
        print([(each.event, each.path) for each in changes(before, now)])
        assert "shut/b" not in seen(*paths), "of what was never seen nothing is known"
        os.chmod("shut", 0o700)
        Path("gone").write_text("gone")
    Path("shut/b").unlink()
    print([each.path for each in changes(before, seen(*paths, known=before)) if each.event == "deleted"])
    Path("shut/b").write_text("b")

sys.stdout.flush()
os._exit(0)  # what is run at an end, as measuring coverage is, may not write where it wants to
"""


def test_what_may_not_be_looked_at_any_more_is_not_taken_to_be_gone(tmp_path: Path) -> None:
    """In a process of its own, which may give up its rights where it has them all."""
    tmp_path.chmod(0o777)
    done = subprocess.run(
        [sys.executable, "-c", LOSES_SIGHT, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == ["[('deleted', 'gone')]", "[('deleted', 'gone')]", "['shut/b']"] * 3
