"""An IMAP server that refuses what it is told to refuse, as servers do whose own store is broken, or that lend a mailbox out.

To a client that idles it says what it is told to say, and nothing more.
"""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from overwinter.channels.mail.servers import ImapServer, Tls

_FETCH = re.compile(r"(\d+) \((RFC822\.SIZE|BODY\.PEEK\[\])\)")
_RANGE = re.compile(r"UID (\d+):\*")


@dataclass
class ImapFake:
    """A mailbox.

    Attributes:
        mails: by UID.
        seen: the UIDs that are marked.
        unreadable: those that cannot be fetched.
        takes_marks: False for a mailbox that may only be read.
        idling: what is sent, in one piece, to a client that idles; None for a server that cannot do it.
        asked: what clients asked, a command's name each.
        fetched: every UID whose body was asked for.
    """

    mails: dict[int, bytes] = field(default_factory=dict[int, bytes])
    seen: set[int] = field(default_factory=set[int])
    unreadable: set[int] = field(default_factory=set[int])
    takes_marks: bool = True
    idling: bytes | None = None
    asked: list[str] = field(default_factory=list[str])
    fetched: list[int] = field(default_factory=list[int])
    connections: int = 0
    port: int = 0
    _writers: list[asyncio.StreamWriter] = field(default_factory=list[asyncio.StreamWriter])

    def server(self) -> ImapServer:
        return ImapServer(host="127.0.0.1", port=self.port, user="u", password="p", tls=Tls.NONE, idle_s=0.02)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._writers.append(writer)
        writer.write(b"* OK ready\r\n")
        while line := (await reader.readline()).decode().strip():
            tag, _, command = line.partition(" ")
            self.asked.append(command.partition(" ")[0])
            if command == "IDLE" and self.idling is not None:
                writer.write(self.idling)
                assert await reader.readline() == b"DONE\r\n"
            said, status = self._answer(command)
            writer.write(b"".join(each + b"\r\n" for each in said) + f"{tag} {status} done\r\n".encode())
            if command == "LOGOUT":
                break
        writer.close()

    def hang_up(self) -> None:
        """Close every connection."""
        for writer in self._writers:
            writer.close()

    def _answer(self, command: str) -> tuple[list[bytes], str]:
        match command.split():
            case ["CAPABILITY"]:
                return [b"* CAPABILITY IMAP4rev1" + (b"" if self.idling is None else b" IDLE")], "OK"
            case ["SELECT", *_]:
                facts = [
                    f"* {len(self.mails)} EXISTS",
                    "* OK [UIDVALIDITY 7]",
                    f"* OK [UIDNEXT {max(self.mails, default=0) + 1}]",
                ]
                return [each.encode() for each in facts], "OK [READ-WRITE] selected"
            case ["UID", "SEARCH", *_]:
                return [f"* SEARCH {' '.join(map(str, self._found(command)))}".encode()], "OK"
            case ["UID", "FETCH", *_]:
                return self._fetched(command)
            case ["UID", "STORE", uid, *_] if self.takes_marks:
                self.seen.add(int(uid))
                return [], "OK"
            case ["UID", "STORE", *_]:
                return [], "NO [NOPERM] this mailbox is lent out"
            case _:
                return [], "OK"

    def _found(self, command: str) -> list[int]:
        after = _RANGE.search(command)
        if after is not None:
            return [uid for uid in sorted(self.mails) if uid >= int(after[1])]
        return [uid for uid in sorted(self.mails) if uid not in self.seen or "UNSEEN" not in command]

    def _fetched(self, command: str) -> tuple[list[bytes], str]:
        match = _FETCH.search(command)
        assert match is not None, command
        uid, what = int(match[1]), match[2]
        if what != "RFC822.SIZE":
            self.fetched.append(uid)
            if uid in self.unreadable:
                return [], "NO [SERVERBUG] this message cannot be read"
        raw = self.mails[uid]
        shown = f"RFC822.SIZE {len(raw)}".encode() if what == "RFC822.SIZE" else b"BODY[] {%d}\r\n%b" % (len(raw), raw)
        return [b"* 1 FETCH (UID %d %b)" % (uid, shown)], "OK"


@asynccontextmanager
async def imap_fake(*, context: ssl.SSLContext | None = None) -> AsyncGenerator[ImapFake]:
    """A server that listens until the block ends; with a context, by TLS."""
    fake = ImapFake()
    server = await asyncio.start_server(fake.handle, "127.0.0.1", 0, ssl=context)
    fake.port = server.sockets[0].getsockname()[1]
    try:
        yield fake
    finally:
        server.close()
