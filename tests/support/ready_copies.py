"""A process that has imported the command line and runs each command in a copy of itself.

A command then costs what it does, and not the imports, which take four times as long. Everything else is as in
a process that Python has started: its own arguments, environment, folder, standard streams and end.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

_MAX_REQUEST = 1 << 20
_PATIENCE = 30.0
"""Seconds that the process may take to end."""
_TESTS = Path(__file__).parents[1]


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

    def start(self, arguments: Sequence[str], env: Mapping[str, str], streams: Sequence[int]) -> None:
        """Runs ``narrowcast``. ``streams``: the files for its input, output and errors, and one to which the exit
        code is written when it has ended.
        """
        request = {"arguments": list(arguments), "env": dict(env), "folder": os.getcwd()}
        socket.send_fds(self._here, [json.dumps(request).encode()], list(streams))

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


def _next_request(channel: socket.socket) -> dict[str, Any] | None:
    """Waits for requests, and returns one in a copy of this process for each; None in this process at the end."""
    while True:
        data, streams, _, _ = socket.recv_fds(channel, _MAX_REQUEST, 4)
        if not data:
            return None
        if os.fork() == 0:
            channel.close()
            return _begin(json.loads(data), streams)
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
        return request
    for number in range(len(standard)):
        os.close(number)  # only the command has them
    _, status = os.waitpid(child, 0)
    os.write(ended, str(os.waitstatus_to_exitcode(status)).encode())
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
