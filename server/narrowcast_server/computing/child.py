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
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Final

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
    for job in jobs():
        for item in job["items"]:
            send(_run(_TASKS[job["task"]], item))


def jobs() -> Iterator[dict[str, Any]]:
    """The jobs from standard input, until it ends. Each has its limit of processor time until the next is read."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    # A system with a lower limit, or without such limits, is fine too.
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (_MAX_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    while (job := receive()) is not None:
        signal.setitimer(signal.ITIMER_PROF, float(job["seconds"]))
        yield job
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


def send(value: object) -> None:
    """Writes a frame to standard output."""
    sys.stdout.buffer.write(frame(value))
    sys.stdout.buffer.flush()


def receive() -> dict[str, Any] | None:
    """The next frame from standard input; None at its end."""
    head = sys.stdin.buffer.read(HEAD)
    if len(head) < HEAD:
        return None
    received = json.loads(sys.stdin.buffer.read(int.from_bytes(head)))
    assert isinstance(received, dict)
    return received


if __name__ == "__main__":
    main()
