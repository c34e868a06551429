"""Two rules that hold in every test: no network but loopback, and no thread left running.

An attempt to connect, to send or to resolve a name elsewhere raises where it happens, and fails the test even where the
code under test catches what is raised. Fixtures are not kept here: see ``tests/fixtures``.
"""

from __future__ import annotations

import ipaddress
import socket
import threading
from collections.abc import Callable, Generator
from typing import Any, cast

import pytest

GRACE_S = 1.0
"""How long a thread that was told to stop may take to do so after its test; waited only where one is still there."""

KEPT_THREAD_PREFIX = "kept-"
"""How the name of a thread begins that outlives the test which started it: that of a wider fixture."""


class NetworkForbiddenError(Exception):
    """A test reached for the network. Use a server on loopback, or a fake."""


def _is_allowed(address: object) -> bool:
    """Whether a socket address stays on this machine, as that of a Unix socket always does."""
    if not isinstance(address, tuple):
        return True
    host = cast("tuple[object, ...]", address)[0]
    if not isinstance(host, str):
        return True
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return host in ("", "localhost")
    return ip.is_loopback or ip.is_unspecified


class _Guard:
    """Stands before the socket module's ways out, and remembers what was refused."""

    def __init__(self) -> None:
        self.refused: list[str] = []

    def check(self, address: object) -> None:
        if not _is_allowed(address):
            self.refused.append(repr(address))
            raise NetworkForbiddenError(f"{NetworkForbiddenError.__doc__} It wanted {address!r}.")

    def over_method(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Guard a socket's method whose last positional argument is the address."""

        def guarded(sock: socket.socket, *args: Any) -> Any:
            self.check(args[-1])
            return original(sock, *args)

        return guarded

    def over_lookup(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Guard ``getaddrinfo``: a name that is not ours would be asked of a server elsewhere."""

        def guarded(host: bytes | str | None, *args: Any, **kwargs: Any) -> Any:
            name = host.decode() if isinstance(host, bytes) else host
            self.check((name,))
            return original(host, *args, **kwargs)

        return guarded


@pytest.fixture(scope="session", autouse=True)
def _network_guard() -> Generator[_Guard]:  # pyright: ignore[reportUnusedFunction]
    guard = _Guard()
    with pytest.MonkeyPatch.context() as patch:
        for name in ("connect", "connect_ex", "sendto"):
            patch.setattr(socket.socket, name, guard.over_method(getattr(socket.socket, name)))
        patch.setattr(socket, "getaddrinfo", guard.over_lookup(socket.getaddrinfo))
        yield guard


@pytest.fixture(autouse=True)
def _no_network(_network_guard: _Guard) -> Generator[None]:  # pyright: ignore[reportUnusedFunction]
    _network_guard.refused.clear()
    yield
    if _network_guard.refused:
        pytest.fail(f"the test reached for the network: {', '.join(_network_guard.refused)}")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    item.stash[_THREADS] = set(threading.enumerate())
    return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that leaves a thread: looked at last, when its fixtures are gone and its loop is closed."""
    result = yield
    left = [thread for thread in threading.enumerate() if _is_leftover(thread, before=item.stash[_THREADS])]
    for thread in left:
        thread.join(GRACE_S)
    names = sorted(thread.name for thread in left if thread.is_alive())
    if names:
        pytest.fail(f"the test left threads running: {', '.join(names)}; stop them, or name them {KEPT_THREAD_PREFIX}…")
    return result


_THREADS = pytest.StashKey[set[threading.Thread]]()


def _is_leftover(thread: threading.Thread, *, before: set[threading.Thread]) -> bool:
    return thread not in before and not thread.name.startswith(KEPT_THREAD_PREFIX)
