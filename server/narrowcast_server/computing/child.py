"""The child process: reads jobs from standard input, writes results to standard output.

A frame is four bytes of length, most significant first, and JSON. A job is `{"task", "seconds", "items"}`,
each item the arguments of one call; each call's result has its own frame, so that finished results are kept
if a later call fails. The kernel kills the process when a job exceeds its processor time, whatever code is
running.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO, Final

from narrowcast_server.computing.differences import html_difference
from narrowcast_server.computing.highlight import highlighted

HEAD: Final = 4
_MAX_MEMORY: Final = 1 << 30
_TASKS: Final[dict[str, Callable[..., str | None]]] = {
    "difference": html_difference,
    "highlight": highlighted,
}


def main() -> None:
    """Processes jobs until the end of input."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    # A system with a lower limit, or without such limits, is fine too.
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    while (job := _read(sys.stdin.buffer)) is not None:
        signal.setitimer(signal.ITIMER_PROF, float(job["seconds"]))
        for item in job["items"]:
            _write(sys.stdout.buffer, _run(_TASKS[job["task"]], item))
        signal.setitimer(signal.ITIMER_PROF, 0)


def _run(task: Callable[..., str | None], arguments: list[str]) -> str | None:
    try:
        return task(*arguments)
    except Exception:
        # An error in user input must not end the process.
        return None


def frame(value: object) -> bytes:
    body = json.dumps(value).encode()
    return len(body).to_bytes(HEAD) + body


def _write(stream: BinaryIO, value: object) -> None:
    stream.write(frame(value))
    stream.flush()


def _read(stream: BinaryIO) -> dict[str, Any] | None:
    head = stream.read(HEAD)
    if len(head) < HEAD:
        return None
    job = json.loads(stream.read(int.from_bytes(head)))
    assert isinstance(job, dict)
    return job


if __name__ == "__main__":
    main()
