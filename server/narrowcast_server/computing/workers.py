"""The server's side of the processes that compute beside it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Sequence
from typing import Final

from narrowcast_server.computing.child import HEAD, frame

_PROCESSES: Final = 2
_MOST_WAITING: Final = 16
_END_SECONDS: Final = 2.0
_MODULE: Final = "narrowcast_server.computing.child"


class Workers:
    """A few processes, started when there is something to do and ended when there is not.

    Not for several event loops.
    """

    def __init__(self, *, patience_seconds: float = 20.0) -> None:
        self._patience_seconds = patience_seconds
        """The longest that a job waits for a process that gets no processor time; a limit of last resort."""
        self._free = asyncio.Semaphore(_PROCESSES)
        self._waiting = 0
        self._working = 0
        self._resting: list[Process] = []
        self._used = False

    async def compute(self, task: str, items: Sequence[Sequence[str]], seconds: float) -> list[str | None]:
        """The answers in order, None for those that could not be had in `seconds` of processor time altogether.

        All are None while too many others wait: who asks must have a plain answer of their own.
        """
        if not items or self._waiting >= _MOST_WAITING:
            return [None] * len(items)
        self._waiting += 1
        try:
            async with self._free:
                return await self._job(task, items, seconds)
        finally:
            self._waiting -= 1

    async def _job(self, task: str, items: Sequence[Sequence[str]], seconds: float) -> list[str | None]:
        answers: list[str | None] = []
        process: Process | None = None
        try:
            async with asyncio.timeout(self._patience_seconds):
                process = await self._process()
                self._working += 1
                assert process.stdin is not None
                process.stdin.write(frame({"task": task, "seconds": seconds, "items": items}))
                for _ in items:
                    answers.append(await _answer(process))
        except (OSError, EOFError, TimeoutError):
            answers += [None] * (len(items) - len(answers))
            if process is not None:
                await _end(process)
        except asyncio.CancelledError:
            # A process that owes an answer is of no use to others.
            if process is not None:
                process.kill()
            raise
        else:
            self._used = True
            self._resting.append(process)
        finally:
            if process is not None:
                self._working -= 1
        return answers

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
        """The ids of the processes that wait for work."""
        return [process.pid for process in self._resting]

    @property
    def busy(self) -> int:
        """How many jobs are being worked on."""
        return self._working

    async def rest(self) -> None:
        """Ends the processes that have had nothing to do since the last call."""
        if self._used:
            self._used = False
            return
        await self.stop()

    async def stop(self) -> None:
        """Ends the processes that have nothing to do."""
        resting, self._resting = self._resting, []
        for process in resting:
            await _end(process)


async def _answer(process: Process) -> str | None:
    assert process.stdout is not None
    head = await process.stdout.readexactly(HEAD)
    answer = json.loads(await process.stdout.readexactly(int.from_bytes(head)))
    return answer if isinstance(answer, str) else None


async def _end(process: Process) -> None:
    """Without input a process ends by itself; most of those that come here have ended already."""
    assert process.stdin is not None
    process.stdin.close()
    try:
        async with asyncio.timeout(_END_SECONDS):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
