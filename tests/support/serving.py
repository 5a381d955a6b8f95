"""A demo server in a process of its own, for tests of real processes."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.terminal import home, narrowcast

END_SECONDS = 20
"""After which a server that was told to end is killed."""


@contextmanager
def serving(data: Path, own_home: Path, port: str = "0") -> Iterator[str]:
    """`narrowcast serve --demo`, on a free port unless one is given; its address."""
    process = subprocess.Popen(
        narrowcast("serve", "--demo", "--port", port, "--data", str(data)),
        env={"PATH": "/usr/bin:/bin", **home(own_home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        line = process.stdout.readline()
        if not line.startswith("listening on "):
            process.kill()
            raise AssertionError(f"the server did not start: {process.stderr.read()}")
        yield line.removeprefix("listening on ").strip()
        if process.poll() is not None:
            raise AssertionError(f"the server ended by itself: {process.stderr.read()}")
    finally:
        process.terminate()
        try:
            process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
        process.stderr.close()
