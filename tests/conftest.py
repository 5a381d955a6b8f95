"""What holds for every test: property tests try the same each time, files are kept in memory where there is room,
because most of the waiting is for disks, and what takes longest begins first.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support import exploring

if TYPE_CHECKING:
    from support.clock import VirtualClock
    from support.mailbox import Mailbox
    from support.server import TestServer

_MEMORY = Path("/dev/shm")
_ROOM = 2 << 30
_WAITING = ("faults", "e2e")
"""Folders whose files wait for processes and time-outs: each runs beside one that computes."""
_FIRST = ("simulation", "tui", "attacks", "server")
"""Of the others, folders whose files take longest: at the end a single one would keep one worker busy and all others
idle.
"""
_MORE_WORKERS = 2
"""Than processors, since tests wait for processes, sockets and frames half of their time."""


def pytest_configure() -> None:
    """Before pytest makes its folder; child processes and workers inherit it. A TMPDIR that is set stays.

    Signals that are ignored, by `nohup` or a shell that began the tests in the background, stay without effect here,
    but by a handler, which they do not inherit: some tests end programs by these signals.
    """
    exploring.load_profile()
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    if "TMPDIR" not in os.environ and os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _ROOM:
        os.environ["TMPDIR"] = str(_MEMORY)
        tempfile.tempdir = None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """For `--numprocesses auto`."""
    return (os.cpu_count() or 1) + _MORE_WORKERS


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Needs `--no-loadscope-reorder`, without which files of few tests come last, whatever they take."""

    def rank(file: Path) -> int:
        order = (*_WAITING, *_FIRST)
        return order.index(file.parent.name) if file.parent.name in order else len(order)

    files = sorted(dict.fromkeys(item.path for item in items), key=rank)
    waiting = [file for file in files if file.parent.name in _WAITING]
    place = {file: 2 * number for number, file in enumerate(waiting)}
    place |= {file: 2 * number + 1 for number, file in enumerate(file for file in files if file not in place)}
    items.sort(key=lambda item: place[item.path])


def pytest_collection_finish() -> None:
    """What stays until the end need not be looked through again at every collection of garbage, and what a test leaves
    behind is looked for less often: apps are large, and a tenth of their tests' time went into the search.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 20, 50)


@pytest.fixture
def clock() -> VirtualClock:
    """The time of `server` in tests that use it."""
    from support.clock import VirtualClock  # most tests need none

    return VirtualClock()


@pytest.fixture
async def server(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[TestServer]:
    """The small world of `support.world` behind a server of its own, at the newest level of the contract."""
    from support.server import running_server  # most tests need no server

    clock = request.getfixturevalue("clock") if "clock" in request.fixturenames else None
    async with running_server(tmp_path / "data", clock=clock) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The data of `server` while nobody serves it."""
    from support import world

    data = tmp_path / "data"
    world.lay_out(data)
    return data


@pytest.fixture
async def hiding(server: TestServer) -> TestServer:
    """`server` with an organization that hides its people from guests. Hugo, who is one, knows of Elif, Dario and the
    bots alone.
    """
    value = {"new": server.group("role:members")}
    await server.call("ada", "PATCH", "/realm", {"can_access_all_users_group": value})
    return server


@pytest.fixture
async def box() -> AsyncIterator[Mailbox]:
    """A mail server."""
    from support.mailbox import mailbox  # few tests need one

    async with mailbox() as open_box:
        yield open_box


@pytest.fixture
async def mailing(tmp_path: Path, box: Mailbox) -> AsyncIterator[TestServer]:
    """A server that sends its mail to `box`."""
    from narrowcast_server.organization.config import Config
    from support.server import running_server

    async with running_server(tmp_path / "data", config=Config(mail=box.settings())) as running:
        yield running
