"""The operator's connection to a running server: a socket in its data folder that only its owner can open.

One line of JSON each way: `{"command", "arguments"}`, then `{"lines"}` or `{"fault"}`. If no server is
running, a command opens the folder itself.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from typing import Final

from narrowcast_server.operator import server_file
from narrowcast_server.operator.access import NEED_ADDRESS
from narrowcast_server.operator.arguments import Arguments, Fault
from narrowcast_server.operator.commands import run
from narrowcast_server.organization.config import ServerConfig
from narrowcast_server.organization.organization import DATABASE, Organization
from narrowcast_server.storage.store import StoreError

NAME: Final = "control.sock"
_MAX_BYTES: Final = 64 * 1024
_MAX_PATH: Final = 100
"""The longest path of a socket; systems allow little more."""
_SECONDS: Final = 30.0
_log = logging.getLogger("narrowcast.server")


@asynccontextmanager
async def controlled(organization: Organization) -> AsyncIterator[None]:
    """Accepts operator commands until the block ends."""
    path = organization.folder / NAME
    if len(os.fsencode(path)) > _MAX_PATH:
        _log.warning(
            "the path of %s is too long for a socket: stop the server before admin commands",
            organization.folder,
        )
        yield
        return

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer), suppress(ConnectionError, TimeoutError):
            async with asyncio.timeout(_SECONDS):
                writer.write(
                    json.dumps(await _response(organization, await reader.readline())).encode() + b"\n"
                )
                await writer.drain()

    _clear(path)
    # Others may have access to the folder: the socket is created for its owner only.
    bound = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        bound.bind(os.fspath(path))
    finally:
        os.umask(before)
    server = await asyncio.start_unix_server(talk, sock=bound, limit=_MAX_BYTES)
    try:
        yield
    finally:
        server.close()
        path.unlink(missing_ok=True)


def _clear(path: Path) -> None:
    """Removes the socket of an earlier server; raises StoreError if something else is in the way."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"{path} is in the way: {error.strerror or error}") from error


async def _response(organization: Organization, line: bytes) -> dict[str, object]:
    try:
        request = json.loads(line)
        changes = organization.store.changes
        lines = await run(
            organization, str(request["command"]), {k: str(v) for k, v in request["arguments"].items()}
        )
        await organization.until_durable(changes)
    except Fault as fault:
        return {"fault": fault.message}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {"fault": "this is not a command"}
    return {"lines": lines}


async def ask(folder: Path, command: str, arguments: Arguments) -> list[str]:
    """Runs a command in the server that uses the folder, or in this process if there is none. Raises Fault."""
    if not (folder / DATABASE).is_file():
        raise Fault(f"{folder} holds no organization")
    try:
        reader, writer = await asyncio.open_unix_connection(os.fspath(folder / NAME), limit=1 << 24)
    except OSError:
        return await _alone(folder, command, arguments)
    with closing(writer):
        writer.write(json.dumps({"command": command, "arguments": dict(arguments)}).encode() + b"\n")
        try:
            async with asyncio.timeout(_SECONDS):
                response = json.loads(await reader.readline())
        except (TimeoutError, ValueError) as error:
            raise Fault("the server does not respond") from error
    if "fault" in response:
        raise Fault(response["fault"])
    return [str(line) for line in response["lines"]]


async def _alone(folder: Path, command: str, arguments: Arguments) -> list[str]:
    if command in NEED_ADDRESS:
        # Links contain the server's address.
        raise Fault("the server is not running: start it first")
    try:
        file = server_file.read(folder)
        organization = Organization(folder, file.configure(ServerConfig(durable=False)))
    except (StoreError, server_file.ServerFileError) as error:
        raise Fault(str(error)) from error
    with closing(organization):
        return await run(organization, command, arguments)
