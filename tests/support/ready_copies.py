"""A process that has imported the command line, and for terminals the app, and runs each command in a copy of itself.

A command then costs what it does, and not the imports, which take four times as long. Everything else is as in
a process that Python has started: its own arguments, environment, folder, standard streams, session and end.
"""

from __future__ import annotations

import atexit
import fcntl
import gc
import importlib
import io
import json
import os
import pkgutil
import select
import signal
import socket
import subprocess
import sys
import tempfile
import termios
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

_MAX_REQUEST = 1 << 20
_PATIENCE = 30.0
"""Seconds that the process may take to end."""
_TESTS = Path(__file__).parents[1]


class Copy:
    """A command that runs in a terminal; what `subprocess.Popen` has of it."""

    def __init__(self, reports: int) -> None:
        """``reports``: where its id can be read, and its exit code when it has ended."""
        self._reports = io.FileIO(reports)
        if not self._is_told(_PATIENCE):
            raise TimeoutError("the process that is copied does not respond")
        self.pid = int(self._reports.readline())
        self.returncode: int | None = None

    def _is_told(self, seconds: float | None) -> bool:
        return bool(select.select([self._reports], [], [], seconds)[0])

    def poll(self) -> int | None:
        """The exit code, once it has ended."""
        with suppress(subprocess.TimeoutExpired):
            self.wait(0.0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Waits for its end. Raises subprocess.TimeoutExpired after ``timeout`` seconds."""
        if self.returncode is None:
            if not self._is_told(timeout):
                raise subprocess.TimeoutExpired("narrowcast", timeout or 0.0)
            self.returncode = int(self._reports.readline())
            self._reports.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Sends it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kills it."""
        self.send_signal(signal.SIGKILL)


class ReadyCopies:
    """Starts copies of one process, which ends with this object's process."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with there:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "support.ready_copies", str(there.fileno())],
                stdin=subprocess.PIPE,  # its streams are pipes, as those of the copies are
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=dict(env),
                cwd=_TESTS,
                pass_fds=[there.fileno()],
            )
        atexit.register(self.close)

    def start(
        self,
        arguments: Sequence[str],
        env: Mapping[str, str],
        streams: Sequence[int],
        *,
        folder: Path | None = None,
        in_terminal: bool = False,
    ) -> None:
        """Runs ``narrowcast``. ``streams``: the files for its input, output and errors, and one to which a line with
        its id is written, and one with the exit code when it has ended.
        """
        request = {
            "arguments": list(arguments),
            "env": dict(env),
            "folder": str(folder or Path.cwd()),
            "in_terminal": in_terminal,
        }
        socket.send_fds(self._here, [json.dumps(request).encode()], list(streams))

    def open(
        self, arguments: Sequence[str], env: Mapping[str, str], terminal: int, folder: Path | None
    ) -> Copy:
        """Runs ``narrowcast`` in a session whose terminal this is."""
        reports, written = os.pipe()
        self.start(arguments, env, [terminal] * 3 + [written], folder=folder, in_terminal=True)
        os.close(written)
        return Copy(reports)

    def close(self) -> None:
        """Ends the process; copies that run go on."""
        self._here.close()
        try:
            self._process.communicate(timeout=_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()


@cache
def ready_copies() -> ReadyCopies:
    """Those of this process. Python itself starts with these variables; a command whose own differ needs another."""
    names = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")
    python = {name: os.environ[name] for name in names if name in os.environ}
    return ReadyCopies({"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **python})


def _import_all() -> None:
    import narrowcast.cli

    for module in pkgutil.iter_modules(narrowcast.cli.__path__, "narrowcast.cli."):
        importlib.import_module(module.name)
    for name in ("narrowcast_api.sync.session", "narrowcast_api.client"):
        importlib.import_module(name)


@cache
def _import_app() -> None:
    importlib.import_module("narrowcast.app.app")
    gc.freeze()


def _next_request(channel: socket.socket) -> dict[str, Any] | None:
    """Waits for requests, and returns one in a copy of this process for each; None in this process at the end."""
    while True:
        data, streams, _, _ = socket.recv_fds(channel, _MAX_REQUEST, 4)
        if not data:
            return None
        request: dict[str, Any] = json.loads(data)
        if request["in_terminal"]:
            _import_app()
        if os.fork() == 0:
            channel.close()
            return _begin(request, streams)
        for stream in streams:
            os.close(stream)


def _begin(request: dict[str, Any], streams: list[int]) -> dict[str, Any]:
    """Returns in a copy that has its streams; reports its end from the process between them."""
    *standard, ended = streams
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, stream in enumerate(standard):
        os.dup2(stream, number)
        os.close(stream)
    if (child := os.fork()) == 0:
        os.close(ended)
        if request["in_terminal"]:
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # as Python does for a terminal
        return request
    for number in range(len(standard)):
        os.close(number)  # only the command has them
    os.write(ended, f"{child}\n".encode())
    _, status = os.waitpid(child, 0)
    os.write(ended, f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def _run() -> int:
    """Runs in the process that is copied, and then in each copy."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    _import_all()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the processes between
    request = _next_request(channel)
    if request is None:
        return 0
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["folder"])
    tempfile.tempdir = None
    sys.argv = ["narrowcast", *request["arguments"]]
    from narrowcast.cli.entry import main  # only in the copy that runs the command

    return main()


if __name__ == "__main__":
    sys.exit(_run())
