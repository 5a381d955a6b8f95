"""The server's side of the child processes that compute."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from narrowcast_server.computing.child import HEAD, frame

_PROCESSES: Final = 2
_MAX_WAITING: Final = 16
_END_SECONDS: Final = 2.0
_MODULE: Final = "narrowcast_server.computing.child"


class Workers:
    """A few child processes, started on demand and ended when idle. For a single event loop."""

    def __init__(self, *, patience_seconds: float = 20.0) -> None:
        self._patience_seconds = patience_seconds
        """The longest wait for a process that gets no processor time; a last resort."""
        self._free = asyncio.Semaphore(_PROCESSES)
        self._waiting = 0
        self._working = 0
        self._resting: list[Process] = []
        self._killed: list[Process] = []
        self._used = False

    async def compute(self, task: str, items: Sequence[Sequence[str]], seconds: float) -> list[str | None]:
        """The results in order, None for those not finished in `seconds` of processor time in total.

        All are None if too many jobs are waiting: the caller needs a fallback.
        """
        if not items or self._waiting >= _MAX_WAITING:
            return [None] * len(items)
        self._waiting += 1
        try:
            async with self._free:
                return await self._job(task, items, seconds)
        finally:
            self._waiting -= 1

    async def _job(self, task: str, items: Sequence[Sequence[str]], seconds: float) -> list[str | None]:
        results: list[str | None] = []
        process: Process | None = None
        try:
            async with asyncio.timeout(self._patience_seconds):
                process = await self._process()
                self._working += 1
                assert process.stdin is not None
                process.stdin.write(frame({"task": task, "seconds": seconds, "items": items}))
                for _ in items:
                    results.append(await _read_result(process))
        except (OSError, EOFError, TimeoutError):
            results += [None] * (len(items) - len(results))
            if process is not None:
                await _end(process)
        except asyncio.CancelledError:
            # A process that still owes a result cannot be reused.
            if process is not None:
                with suppress(ProcessLookupError):
                    process.kill()
                self._killed = [one for one in self._killed if one.returncode is None] + [process]
            raise
        else:
            self._used = True
            self._resting.append(process)
        finally:
            if process is not None:
                self._working -= 1
        return results

    async def _process(self) -> Process:
        while self._resting:
            process = self._resting.pop()
            if process.returncode is None:
                return process
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", _MODULE, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=environment
        )

    @property
    def processes(self) -> list[int]:
        """The ids of the idle processes."""
        return [process.pid for process in self._resting]

    @property
    def busy(self) -> int:
        """The number of jobs being processed."""
        return self._working

    async def rest(self) -> None:
        """Ends the idle processes if no job has finished since the last call."""
        if self._used:
            self._used = False
            return
        await self.stop()

    async def stop(self) -> None:
        """Ends the idle processes, and waits for those that were killed."""
        resting, self._resting = self._resting, []
        killed, self._killed = self._killed, []
        for process in resting:
            await _end(process)
        for process in killed:
            await process.communicate()


async def _read_result(process: Process) -> str | None:
    assert process.stdout is not None
    head = await process.stdout.readexactly(HEAD)
    result = json.loads(await process.stdout.readexactly(int.from_bytes(head)))
    return result if isinstance(result, str) else None


async def _end(process: Process) -> None:
    """Closes the input, at which the process exits; most processes that get here have already exited."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        async with asyncio.timeout(_END_SECONDS):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
