"""Settings and fixtures of all tests: property tests are deterministic, files are kept in memory if there is
room, since most waiting is for disks, and the slowest tests start first.
"""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
from collections.abc import AsyncIterator, Generator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support import delays, properties

if TYPE_CHECKING:
    from support.clock import VirtualClock
    from support.mailbox import Mailbox
    from support.server import TestServer

_MEMORY = Path("/dev/shm")
_ROOM = 2 << 30
_WAITING = ("faults", "e2e")
"""Folders whose files wait for processes and timeouts: most of the time, one runs beside others that need the
processors.
"""
_SPREAD = 0.8
"""The share of all other files among which those that wait are spread; the last ones need time to end."""
_FIRST = ("simulation", "tui", "attacks", "server")
"""Of the other folders, those with the slowest files: started last, one of them would keep one worker busy
while all others are idle.
"""
_SLOW = ("test_wire_hostile", "test_served_routes", "test_architecture", "test_state_convergence")
"""The slowest files of the remaining folders, started first of these for the same reason."""
_MORE_WORKERS = 3
"""More workers than processors, since tests wait for processes, sockets and frames half of their time."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--delays", type=int, metavar="SEED", help="random delays and order: see support/delays.py"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Runs before pytest creates its folder; child processes and workers inherit it. A TMPDIR that is set is
    kept.

    Signals that are ignored, because of `nohup` or a shell that started the tests in the background, get a
    handler without effect: unlike an ignored signal it is not inherited, and some tests end programs with
    these signals.
    """
    properties.load_profile()
    if (seed := config.getoption("delays")) is not None:
        delays.install(seed)
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
    if "TMPDIR" not in os.environ and os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > _ROOM:
        os.environ["TMPDIR"] = str(_MEMORY)
        tempfile.tempdir = None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """The number of workers for `--numprocesses auto`."""
    return (os.cpu_count() or 1) + _MORE_WORKERS


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Lets each worker start with another part of a folder. A changed file is compiled by the worker that loads
    it first: workers that load the same files at the same time would all compile all of them.
    """
    report = yield
    if isinstance(collector, pytest.Directory) and (worker := os.environ.get("PYTEST_XDIST_WORKER")):
        number, count = int(worker.removeprefix("gw")), int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
        start = len(report.result) * number // count
        report.result = report.result[start:] + report.result[:start]
    return report


def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    """Requires `--no-loadscope-reorder`; otherwise files with few tests come last, however slow they are."""

    def rank(file: Path) -> int:
        order = (*_WAITING, *_FIRST)
        if file.parent.name in order:
            return order.index(file.parent.name)
        return len(order) + (file.stem not in _SLOW)

    files = sorted({item.path for item in items}, key=lambda file: (rank(file), file))
    waiting = [file for file in files if file.parent.name in _WAITING]
    others = [file for file in files if file.parent.name not in _WAITING]
    distance = _SPREAD * len(others) / max(1, len(waiting))
    place = {file: float(number) for number, file in enumerate(others)}
    place |= {file: number * distance - 0.5 for number, file in enumerate(waiting)}
    items.sort(key=lambda item: (place[item.path], item.path))  # two files may have the same place
    if (seed := config.getoption("delays")) is not None:
        items[:] = delays.shuffled(items, seed)


def pytest_collection_finish() -> None:
    """Excludes objects that live until the end from garbage collection, and collects less often: apps are
    large, and a tenth of their tests' time was spent on collection, then still a twentieth with a tenth of these.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@pytest.fixture
def clock() -> VirtualClock:
    """The clock of `server` in tests that use it."""
    from support.clock import VirtualClock  # most tests need no clock

    return VirtualClock()


@pytest.fixture
async def server(tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[TestServer]:
    """The small world of `support.world` on a server, at the newest level of the contract."""
    from support.server import running_server  # most tests need no server

    clock = request.getfixturevalue("clock") if "clock" in request.fixturenames else None
    async with running_server(tmp_path / "data", clock=clock) as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The data of `server` while it is not served."""
    from support import world

    data = tmp_path / "data"
    world.lay_out(data)
    return data


@pytest.fixture
async def hiding(server: TestServer) -> TestServer:
    """`server` with an organization that hides its users from guests. Hugo, a guest, can only see Elif, Dario
    and the bots.
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
    """A server that sends its emails to `box`."""
    from narrowcast_server.organization.config import ServerConfig
    from support.server import running_server

    async with running_server(tmp_path / "data", config=ServerConfig(mail=box.settings())) as running:
        yield running
