"""The pictures of one message, one at a time and as large as the screen allows."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Center, Middle
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from narrowcast.content.inlines import Target
from narrowcast.keys.hints import hint_words, keys_of, with_keys
from narrowcast.keys.registry import Context, bindings_for
from narrowcast.runtime.background import Latest
from narrowcast.runtime.context import app_of
from narrowcast.screens.dialogs.dialog import Dialog
from narrowcast.terminal import images
from narrowcast.terminal.picture_process import decoded
from narrowcast.terminal.terminal_filter import TerminalFilter
from narrowcast.terminal.textual_reads import driver_of
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.half_blocks import HalfBlocks
from narrowcast.widgets.one_line import OneLine, Piece
from narrowcast.widgets.style_sheet import style_sheet
from narrowcast.widgets.transfer_row import arrived, transfer_row
from narrowcast_api.errors import NarrowcastError

if TYPE_CHECKING:
    from narrowcast_api.sync.session import Session

__all__ = ["PictureScreen", "images"]


class PictureScreen(Dialog[Target | None]):
    """Fetches pictures from the account's own server and shows them.

    Dismissed with the picture that the user wants to download, or None.
    """

    DEFAULT_CSS = style_sheet(__name__)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.PICTURE)]

    def __init__(self, session: Session, targets: Sequence[Target], index: int = 0) -> None:
        super().__init__()
        self._session = session
        self._targets = targets
        self._index = index
        self._drawing = ""
        self._data: bytes | None = None
        self._about = OneLine(id="about")
        self._showing = Latest(self)

    def compose(self) -> ComposeResult:
        """A placeholder for the picture, and its name."""
        with Middle(), Center(id="place"):
            yield Static("Loading image…", markup=False)
        yield self._about

    def on_mount(self) -> None:
        self._begin()

    def on_unmount(self) -> None:
        self._showing.cancel()

    def on_screen_suspend(self) -> None:
        """Removes the terminal's picture, which would cover the screen that is opened or shown again."""
        self._erase()

    def on_screen_resume(self) -> None:
        self._show_again()

    def on_resize(self) -> None:
        """Draws the picture again, scaled to the new size."""
        self._show_again()

    def _show_again(self) -> None:
        if self._data is not None:
            self._showing.begin(self._show(self._data), "show the image")

    @property
    def _target(self) -> Target:
        return self._targets[self._index]

    def _begin(self) -> None:
        self._data = None
        self._show_about()
        self._showing.begin(self._load(), "show the image")

    def _show_about(self, loaded: Sequence[Piece] = ()) -> None:
        """Names the picture and the keys, in a row as that of a download. ``loaded``: how much of it has arrived, in
        place of most keys.
        """
        keys, count = keys_of(self), len(self._targets)
        does = hint_words(keys, [("dialog.close", "closes")])
        if not loaded:
            does = [*hint_words(keys, [("picture.save", "downloads")]), *does]
        if not loaded and count > 1:
            others = with_keys(keys, "<picture.previous> <picture.next>")
            does = [f"{self._index + 1} of {count}: {others}", *does]
        self._about.show_pieces(*transfer_row(self._target.label, loaded, does))

    def _arrived(self, target: Target, received: int, total: int | None) -> None:
        if target is self._target:
            self._show_about(arrived(received, total))

    async def _load(self) -> None:
        try:
            data = await self._fetch()
        except NarrowcastError as error:
            self._show_about()
            await self._put(Static(Content(safe_line(error.user_message))))
            return
        self._show_about()
        await self._show(data)

    async def _show(self, data: bytes) -> None:
        """Decodes in a separate process and draws in a thread: both can take seconds."""
        cells = (max(10, self.size.width), max(5, self.size.height - 1))
        kind = images.graphics(os.environ, app_of(self).config.appearance.pictures)
        cell = images.cell_pixels(sys.__stderr__.fileno() if kind and sys.__stderr__ is not None else -1)
        try:
            picture = await decoded(data, cells, cell)
        except images.TooLarge as error:
            await self._put(Static(Content(safe_line(str(error)))))
            return
        drawing = await asyncio.to_thread(images.drawing, kind, picture, cells, cell)
        self._data = data
        if not drawing:
            await self._put(HalfBlocks(picture, cells))
            return
        if not self.is_active:
            return  # drawn once nothing covers this screen any more
        await self._put(Static(""))
        columns, rows = images.fitted(picture.size, cells, cell)
        place = f"\x1b[{(cells[1] - rows) // 2 + 1};{(cells[0] - columns) // 2 + 1}H"
        self._drawing = place + drawing
        self.call_after_refresh(self._draw_now, self._drawing)

    async def _put(self, widget: Widget) -> None:
        self._erase()
        place = self.query_one("#place")
        await place.remove_children()
        await place.mount(widget)

    async def _fetch(self) -> bytes:
        """Fetches the file itself; if that is too large or not on the server, the server's smaller copy."""
        target = self._target
        fetch = partial(
            self._session.client.uploads.fetch,
            max_bytes=images.MAX_BYTES,
            progress=partial(self._arrived, target),
        )
        try:
            return await fetch(url=target.value or target.src)
        except NarrowcastError:
            if not target.src:
                raise
            return await fetch(url=target.src)

    def _draw_now(self, drawing: str) -> None:
        """Draws the picture, unless the screen was closed, covered or given another one since."""
        if drawing is self._drawing and self.is_active:
            self._draw(drawing)

    def _draw(self, data: str) -> None:
        """Writes a picture in the terminal's graphics format, bypassing Textual, which only supports cells."""
        driver = driver_of(self.app)
        gate = getattr(driver, "gate", None)
        if driver is not None and isinstance(gate, TerminalFilter):
            gate.graphics = True
            driver.write(data)
            gate.graphics = False

    def _erase(self) -> None:
        """Removes the terminal's picture; everything else is drawn again."""
        if self._drawing:
            self._draw("\x1b_Ga=d,d=A,q=2\x1b\\" if "\x1b_G" in self._drawing else "\x1b[2J")
            self._drawing = ""
            self.app.call_later(self.app.run_action, "app_redraw")

    def action_step(self, by: int) -> None:
        if len(self._targets) > 1:
            self._index = (self._index + by) % len(self._targets)
            self._begin()

    def action_save(self) -> None:
        """Downloads the file into the download folder."""
        self._erase()
        self.dismiss(self._target)

    def action_leave(self) -> None:
        self._erase()
        self.dismiss(None)
