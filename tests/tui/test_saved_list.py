"""The message list that is saved with the last screen, and painted before the app is loaded."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from textual.geometry import Region

from narrowcast.app import accounts, early_messages
from narrowcast.app.config import Appearance, Config
from narrowcast.app.early_session import EarlySession
from narrowcast.commands.hints import default_keys
from narrowcast.panes.messages.message_list import MessageList
from narrowcast.panes.messages.saved_list import SavedList
from narrowcast.terminal import last_screen
from narrowcast.terminal.joining_letters import Cell
from narrowcast.terminal.paths import Paths
from narrowcast.terminal.screen_memory import ScreenMemory, WidgetRows
from narrowcast.terminal.screen_store import keep, stored
from narrowcast.terminal.textual_private import finish_of
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.sync.message_view import MessageView
from narrowcast_api.sync.session import Session
from support.server import TestServer
from support.sessions import until
from support.stage import Stage, on_stage

CONSOLE = Console(file=StringIO(), force_terminal=True, color_system="truecolor")
SIZE = (100, 30)
TEXTS = (
    "**bold** and `code` and a [link](https://example.com)",
    "```python\nfor one in many:\n    print(one)\n```",
    "> a quote\n\n* a list\n* of two",
    "@**Ada Moreno** 字 e\u0301 :tada:",
    "long " * 60,
)


def cells(update: WidgetRows) -> dict[int, list[Cell]]:
    """What a terminal shows after an update."""
    memory = ScreenMemory()
    memory.of_rows(update, CONSOLE)
    return memory.rows


def on_screen(shown: MessageList) -> dict[int, list[Cell]]:
    """What the app's list shows."""
    finish = finish_of(shown)
    rows = {y: finish(shown.row_at(y)) for y in range(shown.room.height)}
    return cells(WidgetRows(Region(shown.region.x, shown.region.y, *shown.room), rows, {}))


def saved_by(stage: Stage) -> SavedList:
    """The open list, as it would be saved when the app ends."""
    saved = SavedList.load(stage.screen.saved_list())
    assert saved is not None
    return saved


async def write(server: TestServer, count: int = 1) -> int:
    """Sends all texts to two topics that many times; returns the id of the last message."""
    last = 0
    for _ in range(count):
        for number, text in enumerate(TEXTS):
            last = await server.send("bruno" if number % 2 else "chiyo", "general", f"t{number % 2}", text)
    return last


@pytest.mark.parametrize("theme", ["narrowcast", "paper", "terminal"])
@pytest.mark.parametrize("tints", [True, False])
async def test_the_rows_are_those_that_the_app_shows(tmp_path: Path, theme: str, tints: bool) -> None:
    config = Config(appearance=Appearance(theme=theme, sender_colors=tints))
    async with on_stage(tmp_path, size=SIZE, config=config) as stage:
        last = await write(stage.server, 4)
        await until(lambda: last in stage.session.state.messages)
        for narrow in (Narrow.all(), Narrow.topic(stage.server.channel("general"), "t1")):
            view = await stage.go(narrow)
            await stage.shows(view.ids[-1])
            await stage.drawn()
            update = saved_by(stage).painted(stage.session, view, default_keys())
            assert update is not None
            assert cells(update) == on_screen(stage.screen.messages.list)


async def test_messages_that_came_later_are_shown_below(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=SIZE) as stage:
        view = await stage.go(Narrow.all())
        saved = saved_by(stage)
        await stage.shows(await write(stage.server))
        update = saved.painted(stage.session, view, default_keys())
        assert update is not None
        assert "long long" in update.rows[max(update.rows)].text


async def test_another_view_and_one_that_could_not_be_fetched_are_not_painted(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=SIZE) as stage:
        await write(stage.server)
        await stage.go(Narrow.all())
        saved = saved_by(stage)
        other = stage.session.view(Narrow.topic(stage.server.channel("general"), "t1"))
        assert saved.painted(stage.session, other, default_keys()) is None
        nothing = stage.session.view(Narrow.topic(stage.server.channel("general"), "no such topic"))
        await nothing.open()
        assert saved.painted(stage.session, nothing, default_keys()) is None


async def test_a_list_below_a_dialog_is_not_saved(tmp_path: Path) -> None:
    async with on_stage(tmp_path, size=SIZE) as stage:
        assert stage.screen.saved_list()
        await stage.press("question_mark")
        await until(lambda: stage.app.screen is not stage.screen)
        assert stage.screen.saved_list() == b""


@pytest.mark.parametrize("data", [b"", b"\x81", b"\x93\x01\x02\x03", b"nonsense"])
def test_what_cannot_be_read_is_no_list(data: bytes) -> None:
    assert SavedList.load(data) is None


class Terminal:
    """A terminal that shows a saved screen, and what is written to it until an app takes it over."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, cache: Path, messages: bytes) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
        blank: dict[int, list[Cell]] = {y: [(" ", None)] * SIZE[0] for y in range(SIZE[1])}
        keep([], SIZE, blank, CONSOLE, "saved", messages)
        wanted = last_screen.signature([], SIZE)
        assert wanted is not None
        kept = last_screen.read(last_screen.path_for([]), wanted)
        assert kept is not None
        self.shown: last_screen.Shown | None = last_screen.Shown([], SIZE, kept[1])
        self.size = SIZE
        self.written = b""
        monkeypatch.setattr(last_screen, "shown", lambda: self.shown)
        monkeypatch.setattr(last_screen, "write", self._take)
        monkeypatch.setattr(early_messages, "get_terminal_size", lambda _descriptor: self.size)

    def _take(self, data: bytes) -> None:
        self.written += data


@pytest.fixture
async def left(tmp_path: Path, server: TestServer) -> tuple[Path, Paths, bytes]:
    """A stored account, its folders, and the list that was on screen when its app ended."""
    paths = Paths.under(tmp_path / "home-ada")
    file = accounts.store(server.account("ada"), paths.accounts)
    async with on_stage(tmp_path, size=SIZE, server=server, stored=["ada"]) as stage:
        await write(server)
        await stage.go(Narrow.all())
        return file, paths, stage.screen.saved_list()


async def started(file: Path, paths: Paths) -> tuple[EarlySession, Session, MessageView]:
    """A start up to the moment at which the first messages are shown, if they are."""
    early = EarlySession(file, paths, Config())
    await early.load_painting()
    session, _ = await early.take()
    view = session.view(Narrow.all())
    await view.open()
    await early.shown_first.wait()
    return early, session, view


async def test_a_start_shows_new_messages_before_there_is_an_app(
    left: tuple[Path, Paths, bytes], server: TestServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, paths, messages = left
    terminal = Terminal(monkeypatch, tmp_path / "cache", messages)
    await server.send("bruno", "general", "lunch", "Nachricht")
    _, session, _ = await started(file, paths)
    assert b"Nachricht" in terminal.written
    assert terminal.shown is not None
    shown = stored(terminal.shown).memory.rows
    assert any("Nachricht" in "".join(character for character, _ in row) for row in shown.values())
    await session.close()


async def test_a_failure_while_painting_makes_the_app_paint_everything(
    left: tuple[Path, Paths, bytes], server: TestServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(data: bytes) -> None:
        raise OSError("the terminal is gone")

    file, paths, messages = left
    terminal = Terminal(monkeypatch, tmp_path / "cache", messages)
    monkeypatch.setattr(last_screen, "write", fail)
    _, session, _ = await started(file, paths)
    assert terminal.shown is not None
    assert stored(terminal.shown).memory.rows == {}
    await session.close()


@pytest.mark.parametrize("gone", ["app", "size", "list"])
async def test_nothing_is_written_to_a_terminal_that_shows_something_else(
    left: tuple[Path, Paths, bytes],
    server: TestServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    gone: str,
) -> None:
    file, paths, messages = left
    terminal = Terminal(monkeypatch, tmp_path / "cache", b"" if gone == "list" else messages)
    if gone == "app":
        terminal.shown = None
    if gone == "size":
        terminal.size = (80, 24)
    _, session, _ = await started(file, paths)
    assert terminal.written == b""
    await session.close()
