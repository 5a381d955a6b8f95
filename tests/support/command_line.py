"""The command line as a user runs it: in a process with a home directory of its own."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from support.server import TestServer
from support.terminal import home, narrowcast


@dataclass(frozen=True)
class Outcome:
    """The result of a command."""

    code: int
    out: str
    err: str


async def run(folder: Path, *arguments: str, stdin: str = "", env: dict[str, str] | None = None) -> Outcome:
    """Runs ``narrowcast`` with a home directory of its own; the server keeps running meanwhile."""
    process = await asyncio.create_subprocess_exec(
        *narrowcast(*arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**_environment(folder), "TERM": "xterm-256color", **(env or {})},
    )
    out, err = await process.communicate(stdin.encode())
    return Outcome(process.returncode or 0, out.decode(errors="replace"), err.decode(errors="replace"))


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
