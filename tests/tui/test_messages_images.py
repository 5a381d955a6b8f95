"""Images: loaded only from the user's own server, only if harmless, and shown as the terminal can."""

from __future__ import annotations

import asyncio
import fcntl
import io
import os
import re
import struct
import termios
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path

import pytest
from httpx2 import Response
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image as Pillow
from textual.app import ComposeResult

from narrowcast.content.inlines import Target, TargetKind, is_picture
from narrowcast.panes.messages import requests
from narrowcast.screens.dialogs.ask import AskScreen
from narrowcast.screens.messages import picture as picture_module
from narrowcast.screens.messages.picture import PictureScreen
from narrowcast.terminal import images, picture_process
from narrowcast.terminal.terminal_filter import TerminalFilter
from narrowcast.widgets.half_blocks import HalfBlocks
from narrowcast.widgets.one_line import OneLine
from narrowcast.widgets.strips import plain_text
from narrowcast_api.files import downloads
from narrowcast_api.http.decoding import decoded
from support.message_stage import Stage, staged
from support.sessions import until
from support.small_apps import ThemedApp


def picture(kind: str = "PNG", size: tuple[int, int] = (40, 20)) -> bytes:
    """A red image with a transparent corner."""
    out = io.BytesIO()
    made = Pillow.new("RGB" if kind in ("JPEG", "BMP") else "RGBA", size, "red")
    made.save(out, kind)
    return out.getvalue()


def png_that_claims(width: int, height: int) -> bytes:
    """A few bytes whose header claims millions of pixels."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    chunk = struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))
    return b"\x89PNG\r\n\x1a\n" + chunk + picture()[33:]


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP"])
def test_a_picture_is_reduced_to_what_the_screen_can_show(kind: str) -> None:
    decoded = images.decode(picture(kind, (3000, 1500)), (80, 24))
    assert decoded.width <= 800
    assert decoded.height <= 480
    assert decoded.convert("RGB").getpixel((5, 5))[0] > 200  # type: ignore[index]  # a pixel of RGB


@pytest.mark.parametrize(
    "data",
    [
        png_that_claims(50_000, 50_000),
        png_that_claims(100_000_000, 1),
        picture("TIFF"),
        picture("ICO"),
        b"",
        b"<svg/>",
        picture()[:60],
        b"\x00" * (images.MAX_BYTES + 1),
    ],
    ids=["50k x 50k", "long", "tiff", "ico", "empty", "svg", "cut", "too many bytes"],
)
def test_a_decompression_bomb_or_unknown_format_is_rejected_before_it_is_decoded(data: bytes) -> None:
    with pytest.raises(images.TooLarge):
        images.decode(data, (80, 24))


async def test_a_file_that_is_too_large_is_refused_before_there_is_a_process_for_it() -> None:
    with pytest.raises(images.TooLarge, match=r"^The image is larger than 20 MiB\.$"):
        await picture_process.decoded(b"\x00" * (images.MAX_BYTES + 1), (80, 24))


@given(st.binary(max_size=200), st.integers(0, 60))
def test_no_bytes_break_the_decoder(noise: bytes, at: int) -> None:
    with suppress(images.TooLarge):
        images.decode(picture()[:at] + noise, (80, 24))


@pytest.mark.parametrize(
    ("environment", "kind"),
    [
        ({"TERM": "xterm-kitty"}, "kitty"),
        ({"TERM": "xterm-ghostty"}, "kitty"),
        ({"TERM": "foot"}, "sixel"),
        ({"TERM_PROGRAM": "WezTerm"}, "sixel"),
        ({"TERM": "xterm-256color"}, ""),
        ({"TERM": "xterm-kitty", "TMUX": "/tmp/x"}, ""),
    ],
)
def test_the_kind_of_graphics_is_detected_from_the_environment(
    environment: dict[str, str], kind: str
) -> None:
    assert images.graphics(environment) == kind
    assert images.graphics(environment, "sixel") == "sixel"
    assert images.graphics(environment, "cells") == ""


@pytest.mark.parametrize("kind", ["kitty", "sixel"])
def test_image_sequences_pass_the_terminal_filter_only_where_images_are_enabled(kind: str) -> None:
    decoded = images.decode(picture(size=(300, 200)), (40, 20))
    data = images.drawing(kind, decoded, (40, 20))
    assert data.startswith({"kitty": "\x1b_G", "sixel": "\x1bP"}[kind])
    assert TerminalFilter(graphics=True)(data) == data
    assert TerminalFilter()(data) == ""


def test_other_terminals_get_half_blocks() -> None:
    assert images.drawing("", images.decode(picture(), (40, 20)), (40, 20)) == ""


@pytest.mark.parametrize("size", [(1, 10_000), (10_000, 1), (7, 7), (4000, 3000)])
def test_a_drawing_fits_the_screen(size: tuple[int, int]) -> None:
    columns, rows = images.fitted(size, (80, 24))
    assert 1 <= columns <= 80
    assert 1 <= rows <= 24


@pytest.mark.parametrize(
    ("window", "cell"),
    [
        ((24, 80, 720, 432), (9, 18)),
        ((24, 80, 8_000, 8_000), images.MAX_CELL),
        ((24, 80, 0, 0), images.CELL),
        ((0, 0, 0, 0), images.CELL),
        ((24, 80, 80, 24), images.CELL),
    ],
)
def test_cells_are_as_large_as_the_terminal_says(
    window: tuple[int, int, int, int], cell: tuple[int, int]
) -> None:
    master, slave = os.openpty()
    try:
        fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", *window))
        assert images.cell_pixels(slave) == cell
    finally:
        os.close(master)
        os.close(slave)
    assert images.cell_pixels(-1) == images.CELL


@pytest.mark.parametrize("cell", [(5, 11), (9, 18), (20, 40)])
def test_sixels_are_no_larger_than_the_cells_that_they_take(
    cell: tuple[int, int], capfd: pytest.CaptureFixture[str]
) -> None:
    decoded = images.decode(picture(size=(1000, 600)), (40, 20), cell)
    data = images.drawing("sixel", decoded, (40, 20), cell)
    size = re.search(r'"1;1;(\d+);(\d+)', data)
    assert size is not None
    columns, rows = images.fitted(decoded.size, (40, 20), cell)
    assert int(size[1]) <= columns * cell[0]
    assert int(size[2]) <= rows * cell[1]
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize("src", ["/user_uploads/1/a.mp4", "/user_uploads/1/a.mp3?x=1", ""])
def test_videos_and_sounds_are_no_pictures(src: str) -> None:
    assert not is_picture(Target(TargetKind.MEDIA, "/x", "x", src))


class PictureApp(ThemedApp):
    def __init__(self, size: tuple[int, int], cells: tuple[int, int]) -> None:
        super().__init__()
        self.blocks = HalfBlocks(Pillow.new("RGBA", size, "blue"), cells)

    def compose(self) -> ComposeResult:
        yield self.blocks


@pytest.mark.parametrize("size", [(400, 200), (1, 900), (900, 1), (3, 3)])
async def test_half_blocks_keep_the_shape_and_fit(size: tuple[int, int]) -> None:
    app = PictureApp(size, (60, 20))
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.pause()
        assert app.blocks.size.width <= 60
        assert app.blocks.size.height <= 20
        style = next(iter(app.blocks.render_line(0))).style
        assert style is not None
        assert style.color == style.bgcolor


async def test_an_image_of_the_own_server_is_shown_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "graphics", lambda *_: "")
    async with staged(tmp_path, (60, 20)) as stage:
        file = tmp_path / "red.png"
        file.write_bytes(picture())
        uploaded = await stage.session.client.uploads.upload(path=file)
        await stage.server.send("ada", "general", "soup", f"[red.png]({uploaded.url})")
        await stage.show(stage.topic, "newest")
        await stage.see("▣ red.png")
        await stage.press("v")
        await until(lambda: list(stage.app.screen.query(HalfBlocks)))
        blocks = stage.app.screen.query_one(HalfBlocks)
        assert "▀" in plain_text([blocks.render_line(3)])
        await stage.press("escape")
        assert not isinstance(stage.app.screen, PictureScreen)


@pytest.mark.parametrize(
    ("content", "seen", "opened"),
    [
        ("https://pictures.example/a.png", "▣", "https://pictures.example/a.png"),
        ("[notes.txt](/user_uploads/2/ab/notes.txt)", "notes.txt", "/user_uploads/2/ab/notes.txt"),
    ],
)
async def test_images_of_other_servers_and_other_files_are_links_and_are_not_fetched(
    tmp_path: Path, content: str, seen: str, opened: str
) -> None:
    async with staged(tmp_path, (60, 20)) as stage:
        await stage.server.send("ada", "general", "soup", content)
        await stage.show(stage.topic, "newest")
        await stage.see(seen)
        await stage.press("v")
        link = stage.app.asked[-1]
        assert isinstance(link, requests.LinkRequested)
        assert link.url.endswith(opened)


async def test_a_file_that_is_not_an_image_is_reported(tmp_path: Path) -> None:
    async with staged(tmp_path, (60, 20)) as stage:
        await stage.show(stage.topic)
        stage.app.push_screen(
            PictureScreen(stage.session, [Target(TargetKind.MEDIA, "/api/v1/server_settings", "x", "/x")])
        )
        await stage.pilot.pause()
        screen = stage.app.screen
        await until(lambda: "cannot be shown" in str([one.render() for one in screen.query("Static")]))


async def test_the_pictures_of_a_message_are_gone_through_and_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "graphics", lambda *_: "")
    async with staged(tmp_path, (60, 20)) as stage:
        links = []
        for name in ("red.png", "two.png"):
            (tmp_path / name).write_bytes(picture())
            links.append((name, (await stage.session.client.uploads.upload(path=tmp_path / name)).url))
        await stage.server.send("ada", "general", "soup", " ".join(f"[{name}]({url})" for name, url in links))
        await stage.show(stage.topic, "newest")
        await stage.see("▣ two.png")
        await stage.press("v")
        screen = stage.app.screen
        assert isinstance(screen, PictureScreen)

        def about() -> str:
            return screen.query_one("#about", OneLine).plain

        assert "red.png" in about()
        assert "1 of 2: ← → · d downloads · Esc closes" in about()
        await until(lambda: list(screen.query(HalfBlocks)))
        await stage.press("right")
        assert "two.png" in about()
        assert "2 of 2" in about()
        await until(lambda: list(screen.query(HalfBlocks)))
        await stage.press("d")
        await until(lambda: stage.app.asked)
        link = stage.app.asked[-1]
        assert isinstance(link, requests.LinkRequested)
        assert link.url.endswith("two.png")


async def test_while_a_picture_arrives_a_bar_shows_how_much_of_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "graphics", lambda *_: "")
    go_on = asyncio.Event()

    async def in_halves(response: Response, limit: int | None) -> AsyncIterator[bytes]:
        data = b"".join([part async for part in decoded(response, limit)])
        yield data[: len(data) // 2]
        await go_on.wait()
        yield data[len(data) // 2 :]

    async with staged(tmp_path, (80, 24)) as stage:
        (tmp_path / "red.png").write_bytes(picture(size=(400, 200)))
        uploaded = await stage.session.client.uploads.upload(path=tmp_path / "red.png")
        monkeypatch.setattr(downloads, "decoded", in_halves)
        target = Target(TargetKind.MEDIA, uploaded.url, "red.png", uploaded.url)
        screen = PictureScreen(stage.session, [target])
        stage.app.push_screen(screen)
        await until(lambda: screen.is_mounted and bool(screen.query(OneLine)))
        about = screen.query_one("#about", OneLine)
        await until(lambda: f"{'━' * 8}" in about.plain)
        assert re.search(r"━{8}─{8} +50% of \d+ B", about.plain)
        go_on.set()
        await until(lambda: list(screen.query(HalfBlocks)))
        assert "━" not in about.plain


async def test_a_picture_follows_the_size_of_the_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "graphics", lambda *_: "")
    async with staged(tmp_path, (60, 20)) as stage:
        (tmp_path / "red.png").write_bytes(picture(size=(400, 200)))
        uploaded = await stage.session.client.uploads.upload(path=tmp_path / "red.png")
        target = Target(TargetKind.MEDIA, uploaded.url, "red.png", uploaded.url)
        stage.app.push_screen(PictureScreen(stage.session, [target]))
        await until(lambda: [one for one in stage.app.screen.query(HalfBlocks) if one.size.width > 50])
        await stage.pilot.resize_terminal(30, 20)
        await until(lambda: [one for one in stage.app.screen.query(HalfBlocks) if 20 < one.size.width <= 30])


class GraphicsTerminal:
    """What a terminal with graphics is sent beside the frames: each drawing, and each removal of all drawings."""

    def __init__(self) -> None:
        self.gate = TerminalFilter()
        self.sent: list[str] = []

    def write(self, data: str) -> None:
        self.sent.append("removed" if "a=d" in data else "drawn")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> GraphicsTerminal:
    made = GraphicsTerminal()
    monkeypatch.setattr(images, "graphics", lambda *_: "kitty")
    monkeypatch.setattr(picture_module, "driver_of", lambda _: made)
    return made


async def pictured(stage: Stage, tmp_path: Path) -> PictureScreen:
    """The viewer with a picture that is being fetched."""
    (tmp_path / "red.png").write_bytes(picture())
    uploaded = await stage.session.client.uploads.upload(path=tmp_path / "red.png")
    screen = PictureScreen(stage.session, [Target(TargetKind.MEDIA, uploaded.url, "red.png", uploaded.url)])
    stage.app.push_screen(screen)
    return screen


async def test_a_picture_of_the_terminal_does_not_cover_a_dialog_that_is_opened_above_it(
    tmp_path: Path, terminal: GraphicsTerminal
) -> None:
    async with staged(tmp_path, (60, 20)) as stage:
        screen = await pictured(stage, tmp_path)
        await until(lambda: terminal.sent == ["drawn"])
        stage.app.push_screen(AskScreen("Above"))
        await until(lambda: terminal.sent == ["drawn", "removed"])
        stage.app.pop_screen()
        await until(lambda: terminal.sent == ["drawn", "removed", "drawn"])
        screen.dismiss(None)
        await until(lambda: terminal.sent == ["drawn", "removed", "drawn", "removed"])


async def test_a_picture_whose_viewer_is_closed_before_it_is_drawn_is_not_drawn(
    tmp_path: Path, terminal: GraphicsTerminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    later = PictureScreen.call_after_refresh

    def later_and_closed(screen: PictureScreen, *call: Callable[[], object]) -> bool:
        scheduled = later(screen, *call)
        screen.call_later(screen.action_leave)
        return scheduled

    async with staged(tmp_path, (60, 20)) as stage:
        monkeypatch.setattr(PictureScreen, "call_after_refresh", later_and_closed)
        await pictured(stage, tmp_path)
        await until(lambda: "removed" in terminal.sent)
        await stage.pilot.pause()
        assert not isinstance(stage.app.screen, PictureScreen)
        assert terminal.sent == ["removed"]
