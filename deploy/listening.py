"""Looks whether the service can listen where it is to."""

from __future__ import annotations

import asyncio
import errno

from .doctor import Finding, failed, ok, skipped, unseen


class ListeningCheck:
    """Listens where the service would, for a moment.

    Args:
        name: what is looked at.
        table: of the configuration, as ``webhooks``; it has a host and a port.
        address: None if the table is not there.
    """

    def __init__(self, name: str, address: tuple[str, int] | None, *, table: str) -> None:
        self.name = name
        self._address = address
        self._table = table

    async def run(self) -> Finding:
        if self._address is None:
            return skipped(f"it is not configured ([{self._table}])")
        host, port = self._address
        elsewhere = f"set host and port in the table [{self._table}] to another address of this machine"
        try:
            server = await asyncio.get_running_loop().create_server(asyncio.Protocol, host, port)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return unseen(f"something listens at {host}:{port}: the service, if it runs", f"if not, {elsewhere}")
            return failed(f"nothing can listen at {host}:{port}: {why_not(error)}", elsewhere)
        server.close()
        await server.wait_closed()
        return ok(f"{host}:{port} is free; the service listens there")


def why_not(error: OSError) -> str:
    """What is wrong with an address, in the words of the operating system."""
    return (error.strerror or str(error)).rpartition(": ")[2]
