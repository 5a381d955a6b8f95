"""The command line as a user runs it: in a process with a home directory of its own."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from support.ready_copies import ready_copies
from support.server import TestServer
from support.terminal import home, narrowcast

PIPE_BUFFER = 65536
"""Bytes that fit into a pipe before anybody reads it."""


@dataclass(frozen=True)
class Outcome:
    """The result of a command."""

    code: int
    out: str
    err: str


async def run(folder: Path, *arguments: str, stdin: str = "", env: dict[str, str] | None = None) -> Outcome:
    """Runs ``narrowcast`` with a home directory of its own; the server keeps running meanwhile."""
    environment = {**_environment(folder), "TERM": "xterm-256color", **(env or {})}
    typed = stdin.encode()
    if env is None and sys.platform == "linux" and len(typed) <= PIPE_BUFFER:
        return await _run_copy(arguments, environment, typed)
    process = await asyncio.create_subprocess_exec(
        *narrowcast(*arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=environment,
    )
    out, err = await process.communicate(typed)
    return Outcome(process.returncode or 0, out.decode(errors="replace"), err.decode(errors="replace"))


async def _run_copy(arguments: Sequence[str], env: Mapping[str, str], stdin: bytes) -> Outcome:
    """Runs it in a copy of a process that has imported it."""
    (typed, typing), *pipes = (os.pipe() for _ in range(4))
    os.write(typing, stdin)
    os.close(typing)
    given = [typed, *(write for _, write in pipes)]
    ready_copies().start(arguments, env, given)
    for number in given:
        os.close(number)
    out, err, reported = await asyncio.gather(*(_read(number) for number, _ in pipes))
    _, code = reported.split()
    return Outcome(int(code), out.decode(errors="replace"), err.decode(errors="replace"))


async def _read(number: int) -> bytes:
    """Everything that comes through a pipe."""
    reader = asyncio.StreamReader()
    with open(number, "rb", buffering=0) as file:
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), file
        )
        try:
            return await reader.read()
        finally:
            transport.close()


def rc_of(server: TestServer, folder: Path, person: str = "ada") -> str:
    """Returns the account file of a user, for `--rc`."""
    path = folder / f"{person}.zuliprc"
    server.account(person).write_zuliprc(path)
    return str(path)


def _environment(folder: Path) -> dict[str, str]:
    return {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **home(folder)}


@asynccontextmanager
async def running(
    folder: Path, *arguments: str, before: Sequence[str] = ()
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Runs ``narrowcast`` during the block, for commands that do not end by themselves; ``before`` is the
    start of the command line, such as `nohup`.
    """
    process = await asyncio.create_subprocess_exec(
        *before,
        *narrowcast(*arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=_environment(folder),
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
