"""The guards of ``tests/conftest.py``, each seen to fail a test that breaks its rule."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CONFTEST = Path(__file__).parents[1] / "conftest.py"


def run(folder: Path, body: str) -> str:
    """Run one test file under a copy of the guards; return what pytest printed."""
    (folder / "conftest.py").write_text(CONFTEST.read_text())
    (folder / "test_it.py").write_text(f"import asyncio, socket, threading\nimport pytest\n\n{body}")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "--disable-plugin-autoload",
            "-p",
            "no:cacheprovider",
            f"--rootdir={folder}",
            ".",
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


def test_reaching_for_the_network_fails_a_test_that_swallows_the_error(tmp_path: Path) -> None:
    ways = {
        "connect": ("socket.socket().connect(('192.0.2.1', 80))", "192.0.2.1"),
        "connect_ex": ("socket.socket().connect_ex(('192.0.2.2', 80))", "192.0.2.2"),
        "datagram": ("socket.socket(type=socket.SOCK_DGRAM).sendto(b'', ('192.0.2.3', 53))", "192.0.2.3"),
        "name": ("socket.create_connection(('one.example', 443))", "one.example"),
        "asyncio": ("asyncio.run(asyncio.open_connection('192.0.2.4', 80))", "192.0.2.4"),
        "asyncio_name": ("asyncio.run(asyncio.open_connection('two.example', 443))", "two.example"),
    }
    printed = run(
        tmp_path,
        "".join(
            f"def test_{name}():\n    try:\n        {statement}\n    except Exception:\n        pass\n\n"
            for name, (statement, _) in ways.items()
        ),
    )
    assert f"{len(ways)} passed, {len(ways)} errors" in printed
    for name, (_, address) in ways.items():
        assert f"ERROR at teardown of test_{name} " in printed
        assert f"the test reached for the network: ('{address}'" in printed


def test_loopback_is_allowed(tmp_path: Path) -> None:
    body = """
async def talk():
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "localhost", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        reader, writer = await asyncio.open_connection("localhost", port)
        assert await reader.read() == b""
        writer.close()

def test_it():
    asyncio.run(talk())
"""
    assert "1 passed in" in run(tmp_path, body)


def test_a_thread_left_running_fails_the_test_that_left_it(tmp_path: Path) -> None:
    body = """
stop = threading.Event()

def test_leaves():
    threading.Thread(target=stop.wait, name="forgotten").start()

def test_is_tidy():
    stop.set()
"""
    printed = run(tmp_path, body)
    assert "2 passed, 1 error" in printed
    assert "ERROR at teardown of test_leaves" in printed
    assert "the test left threads running: forgotten" in printed


def test_threads_that_end_with_their_fixture_or_are_kept_on_purpose_are_no_leak(tmp_path: Path) -> None:
    body = """
@pytest.fixture
def worker():
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    yield
    stop.set()

@pytest.fixture(scope="session")
def server():
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait, name="kept-server")
    thread.start()
    yield
    stop.set()
    thread.join()

def test_one(worker, server):
    asyncio.run(asyncio.to_thread(int))

def test_two(server):
    pass
"""
    assert "2 passed in" in run(tmp_path, body)
