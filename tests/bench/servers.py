"""Servers in processes of their own, and the client's cache filled beforehand."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from bench.watched import environment, python
from support.terminal import narrowcast


@dataclass(frozen=True, slots=True)
class Served:
    """A server that answers at ``url``."""

    url: str
    data: Path
    pid: int

    def auth(self, name: str) -> httpx.BasicAuth:
        """The credentials of somebody."""
        email, key = (self.data / f"{name}.key").read_text().split()
        return httpx.BasicAuth(email, key)

    def rc(self, name: str, url: str = "") -> Path:
        """The account file of somebody, for ``url`` where a proxy stands before the server."""
        email, key = (self.data / f"{name}.key").read_text().split()
        path = self.data / f"{name}-{hash(url)}.zuliprc"
        path.touch(mode=0o600)
        path.write_text(f"[api]\nemail={email}\nkey={key}\nsite={url or self.url}\n")
        return path


PLENTY = "1000000/60"
"""Requests and seconds: what is measured asks more than a person does."""


@contextmanager
def served(folder: Path, kind: str) -> Iterator[Served]:
    """A server of an organization of `bench.worlds`."""
    env = environment(folder / "server-home")
    data = folder / "server"
    subprocess.run(python("bench.worlds", str(data), kind), env=env, check=True)
    process = subprocess.Popen(
        narrowcast("serve", "--port", "0", "--data", str(data), "--rate-limit", PLENTY),
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
    """Does ``work`` while the caller watches a terminal."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def say(text: str) -> None:
    """Tells whoever waits what is being measured."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()
