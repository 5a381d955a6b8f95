"""The progress of work that takes several requests, with a way to stop it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType

from narrowcast.keys.registry import Context, bindings_for
from narrowcast.runtime.context import app_of
from narrowcast.screens.dialogs.dialog import SMALL, Dialog
from narrowcast.widgets.one_line import OneLine, Piece


class ProgressScreen(Dialog[None]):
    """Shows the progress that ``work`` reports, and closes when it is done. ``work`` returns the final message."""

    WIDTH = SMALL
    KEYS = (("dialog.close", "stops"),)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.PROGRESS)]

    def __init__(self, title: str, work: Callable[[ProgressScreen], Awaitable[str]]) -> None:
        super().__init__()
        self._title = title
        self._work = work
        self._line = OneLine()
        self._shown: Sequence[Piece] = [("Please wait…", "dim")]
        self.stopped = False

    def title_text(self) -> str:
        return self._title

    def body(self) -> ComposeResult:
        yield self._line

    def on_mount(self) -> None:
        self.show(self._shown)
        app_of(self).spawn(self._run(), self._title[:1].lower() + self._title[1:])

    async def _run(self) -> None:
        try:
            last = await self._work(self)
        finally:
            self.dismiss(None)
        app_of(self).tell(last)

    def show(self, pieces: Sequence[Piece]) -> None:
        """Shows how far the work is: a bar or a count, as of `transfer_row.done`."""
        self._shown = pieces
        self._line.show_pieces([*pieces, *([("  Stopping…", "warn")] if self.stopped else [])])

    def action_leave(self) -> None:
        """Stops after the current batch; what is done stays done."""
        self.stopped = True
        self.show(self._shown)
