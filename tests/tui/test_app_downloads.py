"""Downloads: their rows with bars, and the keys that cancel and repeat them."""

from __future__ import annotations

import re
import threading
from functools import partial
from io import FileIO
from pathlib import Path

import pytest

from narrowcast.screens.main import downloads as rows_of_downloads
from narrowcast.screens.main.links import follow
from narrowcast.widgets.editor import Editor
from narrowcast.widgets.one_line import OneLine
from narrowcast.widgets.transfer_row import arrived, bar, done, transfer_row
from narrowcast_api.files import downloads
from support.fault_proxy import Fault, FaultProxy
from support.sessions import until
from support.stage import Stage, behind_proxy, on_stage
from tui.test_app_uploads import attach, slow_uploads

PLAN = b"plan " * 120_000


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The download folder; rows are shown at once."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DOWNLOAD_DIR", str(tmp_path / "downloads"))
    monkeypatch.setattr(rows_of_downloads, "SHOWN_AFTER", 0.001)
    return tmp_path / "downloads"


async def uploaded(stage: Stage, name: str = "plan.txt", content: bytes = PLAN) -> str:
    """The path of a file on the server."""
    files = {"file": (name, content, "text/plain")}
    return str((await stage.server.raw("ada", "POST", "/user_uploads", files=files)).json()["url"])


def row_of(stage: Stage) -> str:
    """The row of the newest download."""
    lines = stage.screen.downloads.query(OneLine)
    return re.sub(" +", " ", lines.first().plain) if lines else ""


def plain(pieces: list[tuple[str, str]]) -> str:
    """The text of a part of a row."""
    return "".join(text for text, _ in pieces)


def test_a_bar_is_as_long_as_the_share_that_has_arrived() -> None:
    assert plain(arrived(250_000, 1_000_000)) == "━━━━────────────  25% of 977 KB"
    assert arrived(250_000, 1_000_000) == bar(0.25, "977 KB")
    assert plain(arrived(0, 0)).startswith("━" * 16 + " 100%")


def test_without_a_total_only_the_bytes_are_shown() -> None:
    assert plain(arrived(250_000, None)) == "244 KB"


@pytest.mark.parametrize(
    ("count", "total", "shown"),
    [
        (1_250, 5_000, "━━━━────────────  25% of 5,000 messages"),
        (6_000, 5_000, "━" * 16 + " 100% of 5,000 messages"),
        (5_000, None, "5,000 messages"),
        (5_000, 0, "5,000 messages"),
        (1, None, "1 message"),
    ],
)
def test_work_in_batches_has_the_same_bar_and_without_a_total_only_a_number(
    count: int, total: int | None, shown: str
) -> None:
    assert plain(done(count, total, "message")) == shown


def test_a_row_shows_no_control_characters_of_a_name() -> None:
    left, right = transfer_row("a\x1b[31m" + "b" * 90, arrived(1, 2), ["Alt-x cancels"])
    assert "\x1b" not in plain(left)
    assert len(plain(left)) + len(plain(right)) <= 80


async def test_a_download_that_takes_its_time_has_a_bar_and_ends_in_the_folder(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, go_on = threading.Event(), threading.Event()
    write = downloads._write

    def slow(out: FileIO, data: bytes) -> None:
        if first.is_set():
            assert go_on.wait(20)
        first.set()
        write(out, data)

    async with on_stage(tmp_path) as stage:
        url = await uploaded(stage)
        monkeypatch.setattr(downloads, "_write", slow)
        follow(stage.screen, f"{stage.server.url}{url}", "plan.txt")
        try:
            await until(lambda: re.match(r" plan\.txt ━+─+ \d+% of 586 KB Alt-x cancels ", row_of(stage)))
        finally:
            go_on.set()
        await stage.told(f"Downloaded to {folder / 'plan.txt'}")
        assert row_of(stage) == ""
        assert (folder / "plan.txt").read_bytes() == PLAN


@pytest.mark.parametrize("in_compose", [False, True])
async def test_a_download_is_cancelled_by_the_key_in_its_row(
    tmp_path: Path, folder: Path, in_compose: bool
) -> None:
    async with behind_proxy(tmp_path) as (stage, proxy):
        await held(stage, proxy)
        if in_compose:
            await stage.in_topic()
            await stage.press("c")
        await until(lambda: "Alt-x cancels" in row_of(stage))
        await stage.press("alt+x")
        await until(lambda: row_of(stage) == "")
        await stage.told("Download canceled: plan.txt")
        assert not folder.exists() or list(folder.iterdir()) == []
        await stage.press("alt+x")
        await stage.told("Nothing is uploaded or downloaded.")


async def held(stage: Stage, proxy: FaultProxy) -> None:
    """Begins a download whose response never comes."""
    url = await uploaded(stage)
    proxy.fail(Fault.HELD_BEFORE, "GET", "/user_uploads")
    follow(stage.screen, f"{proxy.url}{url}", "plan.txt")
    await until(lambda: proxy.held)


async def test_a_failed_download_says_why_and_is_repeated_by_the_key_in_its_row(
    tmp_path: Path, folder: Path
) -> None:
    async with behind_proxy(tmp_path) as (stage, proxy):
        url = await uploaded(stage)
        proxy.fail(Fault.CUT_IN_BODY, "GET", "/user_uploads", 1)
        follow(stage.screen, f"{proxy.url}{url}", "plan.txt")
        await until(lambda: "Ctrl-x tries again · Alt-x removes" in row_of(stage))
        await stage.told("plan.txt: ")
        assert list(folder.iterdir()) == []
        await stage.press("ctrl+x")
        await stage.told("Downloaded to")
        assert row_of(stage) == ""
        assert (folder / "plan.txt").read_bytes() == PLAN


async def test_while_there_is_an_upload_the_key_acts_on_it_and_only_its_row_names_the_key(
    tmp_path: Path, folder: Path
) -> None:
    async with behind_proxy(tmp_path) as (stage, proxy):
        await stage.in_topic("general", "lunch", "Soup")
        await held(stage, proxy)
        await until(lambda: "Alt-x cancels" in row_of(stage))
        with slow_uploads() as slow:
            await attach(stage, tmp_path / "map.txt", slow)
            await until(lambda: "Alt-x" not in row_of(stage))
            assert not isinstance(stage.app.focused, Editor)
            await stage.press("alt+x")
            assert stage.session.uploads.all() == []
            await until(lambda: "Alt-x cancels" in row_of(stage))
            await stage.press("alt+x")
            await stage.told("Download canceled: plan.txt")


def names_first(stage: Stage, name: str) -> bool:
    """Whether the row of the newest download has this name."""
    return f" {name} " in row_of(stage)


async def test_many_downloads_have_four_rows_at_most_the_newest_first(tmp_path: Path, folder: Path) -> None:
    async with on_stage(tmp_path) as stage:
        for number in range(6):
            follow(stage.screen, f"{stage.server.url}/user_uploads/gone/{number}.txt", "x")
            await until(partial(names_first, stage, f"{number}.txt"))
        assert len(stage.screen.downloads.query(OneLine)) == 6
        await until(lambda: stage.screen.downloads.size.height == 4)
        await stage.press("alt+x")
        await until(lambda: names_first(stage, "4.txt"))


async def test_a_download_goes_on_when_its_row_is_gone_with_the_account(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, go_on = threading.Event(), threading.Event()
    write = downloads._write

    def slow(out: FileIO, data: bytes) -> None:
        first.set()
        assert go_on.wait(20)
        write(out, data)

    async with on_stage(tmp_path) as stage:
        url = await uploaded(stage)
        monkeypatch.setattr(downloads, "_write", slow)
        follow(stage.screen, f"{stage.server.url}{url}", "plan.txt")
        try:
            await until(lambda: first.is_set() and "Alt-x cancels" in row_of(stage))
            await stage.screen.downloads.remove()
        finally:
            go_on.set()
        await stage.told(f"Downloaded to {folder / 'plan.txt'}")
        assert (folder / "plan.txt").read_bytes() == PLAN
