"""The server's side of the child processes that compute."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

from narrowcast_server.computing.child import HEAD, frame

_PROCESSES: Final = 2
_MAX_WAITING: Final = 16
_END_SECONDS: Final = 2.0
_MODULE: Final = "narrowcast_server.computing.child"

Reply = dict[str, object]
DONE: Final[Reply] = {}
"""What a job's caller returns for its last frame."""


class Workers:
    """A few child processes, started on demand and ended when idle. For a single event loop."""

    def __init__(
        self, module: str = _MODULE, processes: int = _PROCESSES, *, patience_seconds: float = 20.0
    ) -> None:
        """`module`: the program that the processes run."""
        self._module = module
        self._patience_seconds = patience_seconds
        """The longest wait for a process that gets no processor time; a last resort."""
        self._free = asyncio.Semaphore(processes)
        self._waiting = 0
        self._working = 0
        self._resting: list[Process] = []
        self._killed: list[Process] = []
        self._used = False

    async def compute(self, task: str, items: Sequence[Sequence[str]], seconds: float) -> list[str | None]:
        """The results in order, None for those not finished in `seconds` of processor time in total.

        All are None if too many jobs are waiting: the caller needs a fallback.
        """
        results: list[str | None] = []

        def take(result: Any) -> Reply | None:
            results.append(result if isinstance(result, str) else None)
            return DONE if len(results) == len(items) else None

        if items and self._waiting < _MAX_WAITING:
            await self.run({"task": task, "seconds": seconds, "items": items}, take)
        return results + [None] * (len(items) - len(results))

    async def run(self, job: Reply, take: Callable[[Any], Reply | None]) -> bool:
        """Sends a job to a process and passes each frame that comes back to `take`, until that returns DONE.
        Another value than None is sent as a reply. Returns whether the job was finished.
        """
        self._waiting += 1
        try:
            async with self._free:
                return await self._run(job, take)
        finally:
            self._waiting -= 1

    async def _run(self, job: Reply, take: Callable[[Any], Reply | None]) -> bool:
        process: Process | None = None
        try:
            async with asyncio.timeout(self._patience_seconds):
                process = await self._process()
                self._working += 1
                await _converse(process, job, take)
        except (OSError, EOFError, TimeoutError):
            if process is not None:
                await _end(process)
            return False
        except BaseException:
            # A process that still owes a result cannot be reused.
            if process is not None:
                with suppress(ProcessLookupError):
                    process.kill()
                self._killed = [one for one in self._killed if one.returncode is None] + [process]
            raise
        else:
            self._used = True
            self._resting.append(process)
            return True
        finally:
            if process is not None:
                self._working -= 1

    async def _process(self) -> Process:
        while self._resting:
            process = self._resting.pop()
            if process.returncode is None:
                return process
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", self._module, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=environment
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


async def _converse(process: Process, job: Reply, take: Callable[[Any], Reply | None]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    reply: Reply | None = job
    while reply is not DONE:
        if reply is not None:
            process.stdin.write(frame(reply))
        head = await process.stdout.readexactly(HEAD)
        reply = take(json.loads(await process.stdout.readexactly(int.from_bytes(head))))


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
