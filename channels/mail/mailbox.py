"""One connection to an IMAP mailbox, as blocking calls; ``imap`` runs them in a thread of their own.

The library connects, logs in and idles. Fetching and marking are done by plain commands: the library's own would parse every
message that strangers send, and expunge what others have marked as deleted.
"""

from __future__ import annotations

import imaplib
import re
import selectors
import socket
import ssl
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, cast

from imap_tools import BaseMailBox, MailBox, MailBoxStartTls, MailBoxUnencrypted
from imap_tools.errors import ImapToolsError

from ...store.values import value
from .servers import ImapServer, Tls

FAILURES: tuple[type[Exception], ...] = (imaplib.IMAP4.error, ImapToolsError, OSError)
"""What a connection raises that is gone, or a server that does not do as it should."""


class ImapRefusedError(imaplib.IMAP4.error):
    """The server will not do something to one message; the connection is as good as before."""


_MOST_HEAD_BYTES = 64 * 1024
_SIZE = re.compile(rb"RFC822\.SIZE (\d+)")


@value
class Fetched:
    """One message.

    Attributes:
        is_whole: False if ``raw`` is its beginning alone.
    """

    raw: bytes
    is_whole: bool


class Mailbox:
    """A mailbox that is selected, once it is connected.

    Attributes:
        uid_validity: as long as it is the same, a UID means the same message.
        can_idle: the server tells of what arrives; else it has to be asked.
        uid_next: what the next message gets at the least, when it was selected.
    """

    def __init__(self, server: ImapServer) -> None:
        self._server = server
        self._connection: BaseMailBox | None = None
        self.can_idle = False
        self.uid_validity = 0
        self.uid_next = 0

    def connect(self) -> None:
        """Connect, log in and select.

        Raises:
            Exception: one of ``FAILURES``.
        """
        server = self._server
        self._connection = box = _connected(server)
        is_ascii = server.user.isascii() and server.password.isascii()
        (box.login if is_ascii else box.login_utf8)(server.user, server.password, server.mailbox)
        self.uid_validity = self._told("UIDVALIDITY")
        self.uid_next = self._told("UIDNEXT", default=0) or max(self.search("ALL"), default=0) + 1
        self.can_idle = "IDLE" in box.client.capabilities

    @property
    def _box(self) -> BaseMailBox:
        if self._connection is None:
            raise ConnectionError("there is no connection")
        return self._connection

    def search(self, criteria: str) -> list[int]:
        """The UIDs that match, in order."""
        return sorted(int(uid) for uid in self._box.uids(criteria, charset=None))

    def has_news(self) -> bool:
        """Whether the server has said since this was asked last, beside its answers, that something arrived.

        It says so once. Whoever waits without having asked this would wait for what was said already.
        """
        return self._box.client.response("EXISTS")[1] != [None]

    def fetch(self, uid: int, *, most_bytes: int) -> Fetched | None:
        """One message; its beginning alone if it is larger than that; None if it is not there any more.

        Raises:
            ImapRefusedError: the server cannot give it, now or for ever.
            Exception: another of ``FAILURES``.
        """
        answer = self._uid("FETCH", uid, "(RFC822.SIZE)")
        size = next((int(found[1]) for found in map(_SIZE.search, _lines(answer)) if found), None)
        if size is None:
            return None
        is_whole = size <= most_bytes
        raw = _literal(self._uid("FETCH", uid, "(BODY.PEEK[])" if is_whole else f"(BODY.PEEK[]<0.{_MOST_HEAD_BYTES}>)"))
        return None if raw is None else Fetched(raw=raw, is_whole=is_whole)

    def mark_seen(self, uid: int) -> None:
        """Mark a message as seen; one that is gone needs no mark. Raises as ``fetch``."""
        self._uid("STORE", uid, r"(\Seen)", "+FLAGS.SILENT")

    def wait(self, timeout_s: float) -> None:
        """Return when something has changed, or after a while, with the connection known to be alive.

        Raises:
            Exception: one of ``FAILURES``: the server did not answer when it was asked whether it is still there.
        """
        if not self.can_idle:
            self._pause(timeout_s)
            self._box.client.noop()
            return
        self._box.idle.start()
        try:
            # What came in one piece with the server's word that it idles is read already: the socket says nothing of it.
            if not self._has_read_ahead():
                self._box.idle.poll(timeout=timeout_s)
        finally:
            self._box.idle.stop()

    def hang_up(self) -> None:
        """Close the connection under whoever waits for it; may be called from another thread, and again."""
        with suppress(OSError):
            self._box.client.sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Say goodbye where somebody listens."""
        with suppress(*FAILURES):
            self._box.client.logout()
        with suppress(*FAILURES):
            self._box.client.shutdown()

    def _has_read_ahead(self) -> bool:
        """Take a line that has been received and not been looked at, if there is one."""
        client = self._box.client
        before = client.sock.gettimeout()
        client.sock.settimeout(0)
        try:
            return client.readline() != b""
        except OSError:  # there is nothing, or no connection, which whoever reads next finds
            return False
        finally:
            client.sock.settimeout(before)

    def _pause(self, timeout_s: float) -> None:
        """Wait for the socket: a server that cannot idle says nothing by itself, but it may hang up."""
        with selectors.DefaultSelector() as selector:
            selector.register(self._box.client.sock, selectors.EVENT_READ)
            selector.select(min(timeout_s, 30.0))

    def _told(self, name: str, *, default: int | None = None) -> int:
        """A number that the server gave when the mailbox was selected."""
        found = self._box.client.response(name)[1][-1]
        if found is not None:
            return int(found)
        if default is None:
            raise imaplib.IMAP4.error(f"the server told no {name}")
        return default

    def _uid(self, command: str, uid: int, what: str, how: str | None = None) -> Sequence[Any]:
        arguments = (str(uid), what) if how is None else (str(uid), how, what)
        status, answer = self._box.client.uid(command, *arguments)
        if status != "OK":
            told = b" ".join(_lines(answer)).decode("utf-8", "replace")
            raise ImapRefusedError(f"the server answers {status} to {command}: {told}")
        return answer


def _connected(server: ImapServer) -> BaseMailBox:
    # Without a context the standard library would take any certificate.
    context = server.tls_context or ssl.create_default_context()
    match server.tls:
        case Tls.TLS:
            return MailBox(server.host, server.port, timeout=server.timeout_s, ssl_context=context)
        case Tls.STARTTLS:
            return MailBoxStartTls(server.host, server.port, timeout=server.timeout_s, ssl_context=context)
        case Tls.NONE:
            return MailBoxUnencrypted(server.host, server.port, timeout=server.timeout_s)


def _lines(answer: Sequence[Any]) -> list[bytes]:
    """What the server said beside the literals."""
    return [cast("bytes", each[0] if isinstance(each, tuple) else each) for each in answer if each]


def _literal(answer: Sequence[Any]) -> bytes | None:
    pairs = [cast("tuple[bytes, bytes]", each) for each in answer if isinstance(each, tuple)]
    return pairs[0][1] if pairs else None
