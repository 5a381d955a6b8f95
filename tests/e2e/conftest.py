"""Real processes in pseudo-terminals, with a separate home for each test."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.serving import serving
from support.terminal import PATIENCE, Terminal, home, narrowcast


@dataclass(frozen=True)
class Served:
    """A demo server."""

    url: str
    data: Path

    def rc(self, person: str) -> Path:
        """The account file of a user of the demo world."""
        return self.data / "accounts" / f"{person}.zuliprc"


@pytest.fixture(scope="session")
def demo_world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data folder of a stopped demo server: creating its world takes as long as the rest of a start."""
    folder = tmp_path_factory.mktemp("demo-world")
    with serving(folder / "data"):
        pass
    return folder / "data"


@pytest.fixture
def served(tmp_path: Path, demo_world: Path) -> Iterator[Served]:
    """A demo server with a fresh copy of the world."""
    data = tmp_path / "server"
    shutil.copytree(demo_world, data)
    with serving(data) as url:
        yield Served(url, data)


OpenApp = Callable[..., Terminal]


@pytest.fixture
def open_app(tmp_path: Path) -> Iterator[OpenApp]:
    """Opens an account's app in a terminal; `owner` names the home folder, so that it can be reopened."""
    with ExitStack() as stack:

        def start(rc: Path, *, owner: str = "", size: tuple[int, int] = (120, 40)) -> Terminal:
            env = home(tmp_path / f"home-{owner or rc.stem}")
            terminal = stack.enter_context(Terminal(narrowcast("--rc", str(rc)), env=env, size=size))
            terminal.wait_for(r"● live", PATIENCE)
            return terminal

        yield start
