"""Servers in processes of their own, and caches of the client that are filled beforehand."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from bench.watched import environment, python
from support.terminal import narrowcast


@dataclass(frozen=True, slots=True)
class Served:
    """A server that responds at ``url``."""

    url: str
    data: Path
    pid: int

    def auth(self, name: str) -> httpx2.BasicAuth:
        """The credentials of a user."""
        email, key = (self.data / f"{name}.key").read_text().split()
        return httpx2.BasicAuth(email, key)

    def rc(self, name: str, url: str = "") -> Path:
        """Writes the account file of a user, for ``url`` if there is a proxy in front of the server."""
        email, key = (self.data / f"{name}.key").read_text().split()
        path = self.data / f"{name}-{hash(url)}.zuliprc"
        path.touch(mode=0o600)
        path.write_text(f"[api]\nemail={email}\nkey={key}\nsite={url or self.url}\n")
        return path


PLENTY = "1000000/60"
"""A rate limit (requests and seconds) that benchmarks do not reach."""


@contextmanager
def served(folder: Path, kind: str, *options: str) -> Iterator[Served]:
    """Starts a server of an organization of `bench.worlds`, with more options of `narrowcast serve`."""
    env = environment(folder / "server-home")
    data = folder / "server"
    subprocess.run(python("bench.worlds", str(data), kind), env=env, check=True)
    process = subprocess.Popen(
        narrowcast("serve", "--port", "0", "--data", str(data), "--rate-limit", PLENTY, *options),
        env=env,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().removeprefix("listening on ").strip()
        if not url:
            raise RuntimeError("the server did not start")
        yield Served(url, data, process.pid)
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process.stdout is not None:
            process.stdout.close()


def in_background(work: Callable[[], object]) -> threading.Thread:
    """Runs ``work`` in a thread while the caller reads a terminal."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def say(text: str) -> None:
    """Prints what is being measured."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()
