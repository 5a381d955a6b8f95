"""One picture, as large as the screen allows."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Center, Middle
from textual.content import Content
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Static

from narrowcast.content.inlines import Spot
from narrowcast.platform import images
from narrowcast.platform.terminal_filter import TerminalFilter
from narrowcast.safe_text import safe_line
from narrowcast.widgets.half_blocks import HalfBlocks
from narrowcast_api.errors import NarrowcastError

if TYPE_CHECKING:
    from narrowcast_api.session import Session

__all__ = ["PictureScreen"]


class PictureScreen(ModalScreen[None]):
    """Fetches a picture from the account's own server and shows it; any of its keys leaves."""

    DEFAULT_CSS = """
    PictureScreen { background: $background; }
    PictureScreen #about { dock: bottom; height: 1; width: 1fr; color: $text-muted; }
    PictureScreen Center, PictureScreen Middle { height: 1fr; width: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,enter,v,space", "leave", "Leave", show=False)]

    def __init__(self, session: Session, spot: Spot) -> None:
        super().__init__()
        self._session = session
        self._spot = spot
        self._drawing = ""

    def compose(self) -> ComposeResult:
        """A place for the picture, and its name."""
        with Middle(), Center(id="place"):
            yield Static("Loading the picture…", markup=False)
        yield Static(Content(f" {safe_line(self._spot.label, 200)}   Esc leaves"), id="about")

    def on_mount(self) -> None:
        """Fetches in the background."""
        self.run_worker(self._show(), exit_on_error=False)

    async def _show(self) -> None:
        place = self.query_one("#place")
        try:
            data = await self._fetch()
            cells = (max(10, self.size.width), max(5, self.size.height - 1))
            picture = images.decode(data, cells)
            self._drawing = images.drawing(images.graphics(os.environ), picture, cells)
            widget: Widget = Static("") if self._drawing else HalfBlocks(picture, cells)
        except NarrowcastError as error:
            widget = Static(Content(safe_line(error.user_message)))
        except images.TooLarge as error:
            widget = Static(Content(safe_line(str(error))))
        await place.remove_children()
        await place.mount(widget)
        if self._drawing:
            self.call_after_refresh(self._draw, f"\x1b[1;1H{self._drawing}")

    async def _fetch(self) -> bytes:
        """The file itself, and if that is too large or elsewhere the server's own smaller copy."""
        fetch = self._session.client.uploads.fetch
        try:
            return await fetch(url=self._spot.value or self._spot.src, max_bytes=images.MAX_BYTES)
        except NarrowcastError:
            if not self._spot.src:
                raise
            return await fetch(url=self._spot.src, max_bytes=images.MAX_BYTES)

    def _draw(self, data: str) -> None:
        """Writes a picture of the terminal's own kind past Textual, which knows cells only."""
        driver = self.app._driver
        gate = getattr(driver, "gate", None)
        if driver is not None and isinstance(gate, TerminalFilter):
            gate.graphics = True
            driver.write(data)
            gate.graphics = False

    def action_leave(self) -> None:
        """Back to the messages; the terminal's picture goes with everything else that is drawn again."""
        if self._drawing:
            self._draw("\x1b_Ga=d,d=A,q=2\x1b\\" if self._drawing.startswith("\x1b_G") else "\x1b[2J")
            self.call_later(self.app.run_action, "app_redraw")
        self.dismiss(None)
