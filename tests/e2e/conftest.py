"""Real processes in pseudo-terminals, with a separate home for each test."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from narrowcast_api.account import Account
from support.server import serving
from support.tasks import tasks
from support.terminal import PATIENCE, Terminal, home, narrowcast

from .walking import Walk, Walks


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
    with serving(folder / "data") as url:
        for file in (folder / "data" / "accounts").glob("*.zuliprc"):
            begin_with_the_feed(url, Account.from_zuliprc(file))
    return folder / "data"


def begin_with_the_feed(url: str, account: Account) -> None:
    """Makes the combined feed the home view of an account: the inbox would cover the status line."""
    request = Request(
        f"{url}/api/v1/settings",
        data=b"web_home_view=all_messages",
        headers={"Authorization": f"Basic {account.credentials()}"},
        method="PATCH",
    )
    with suppress(HTTPError), urlopen(request):  # bots have no settings
        pass


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
            folder = tmp_path / f"home-{owner or rc.stem}"
            is_new, env = not folder.exists(), home(folder)
            terminal = stack.enter_context(Terminal(narrowcast("--rc", str(rc)), env=env, size=size))
            terminal.wait_for(r"● live", PATIENCE)
            if is_new:  # the first start opens the feed at the first unread message
                terminal.press("G")
            return terminal

        yield start


@pytest.fixture(scope="module")
def walks(tmp_path_factory: pytest.TempPathFactory, demo_world: Path) -> Iterator[Walks]:
    """The app of Ada in which the tasks of a file are done one after another, and its server."""
    folder = tmp_path_factory.mktemp("walks")
    shutil.copytree(demo_world, folder / "server")
    with serving(folder / "server") as url:
        opened = Walks(Served(url, folder / "server"), folder / "home")
        try:
            yield opened
        finally:
            opened.close()


@pytest.fixture
def walk(walks: Walks, request: pytest.FixtureRequest) -> Iterator[Walk]:
    """The app, for the tasks that the marks of the test name. All that docs/tasks.md names for them must be pressed."""
    known = tasks()
    before = request.session.testsfailed
    opened = walks.begin(known[mark.args[0]] for mark in request.node.iter_markers("task"))
    yield opened
    if request.session.testsfailed > before:
        walks.close()  # what the test has left open would disturb those after it
    else:
        assert opened.not_done == [], "docs/tasks.md names keys that the test has not pressed"
