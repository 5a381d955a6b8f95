"""The base of all dialogs: a frame, the key that closes the dialog, and help on its keys."""

from __future__ import annotations

from typing import ClassVar, Self, TypeVar

from textual.await_complete import AwaitComplete
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.screen import ModalScreen, Screen
from textual.strip import Strip

from narrowcast.keys.hints import SEPARATOR, KeyHint, hint_words, keys_of
from narrowcast.keys.registry import Context, bindings_for, by_id
from narrowcast.screens.dialogs.behind import dimmed
from narrowcast.terminal.textual_fixes import FixedScreen
from narrowcast.terminal.textual_reads import focused_before, rows_of

__all__ = ["Dialog"]

T = TypeVar("T")


class Dialog(ModalScreen[T], FixedScreen[T]):
    """Dismissed with None when it is closed. Its first base is the one whose style sheet it inherits.

    The screen behind is dimmed once, when it has changed: Textual's tint would redraw all of it for each key pressed
    in the dialog.
    """

    DEFAULT_CSS = """
    Dialog { align: center top; background: transparent; }
    Dialog > Vertical {
        width: 72; max-width: 96%; height: auto; margin-top: 1;
        background: $surface; border: round $primary; padding: 0 1;
    }
    Dialog OneLine { background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.DIALOG), by_id()["app.suspend"].binding()]

    DIMS: ClassVar[bool] = True
    """Whether the screen behind is dimmed."""
    _behind: list[Strip] | None = None
    _behind_size = Size()
    _outcome: tuple[T | None] | None = None

    def on_mount(self) -> None:
        """Takes the focus also while another window of the desktop has it, when Textual focuses no widget of
        a new screen and gives it back to none that is covered.
        """
        if self.app.app_focus:
            return
        if (before := focused_before(self.app)) is not None and before.is_attached:
            before.screen.set_focus(before)
        for widget in self.query(self.AUTO_FOCUS) if self.AUTO_FOCUS else ():
            if widget.focusable:
                self.set_focus(widget)
                return

    def render_lines(self, crop: Region) -> list[Strip]:
        """The screen below, drawn again only after it has changed."""
        stack = self.app.screen_stack
        below = stack[: stack.index(self)] if self in stack else []
        if not below:
            return super().render_lines(crop)
        if self._behind is None or self._behind_size != self.size:
            self._behind, self._behind_size = self._rows_behind(below[-1]), self.size
        return [strip.crop(*crop.column_span) for strip in self._behind[crop.y : crop.bottom]]

    def _rows_behind(self, screen: Screen[object]) -> list[Strip]:
        rows, app = rows_of(screen), self.app
        if not self.DIMS:
            return rows
        return dimmed(rows, dark=app.current_theme.dark, has_shades=not app.native_ansi_color)

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Self:
        """A screen below calls this with the regions that it has changed, for the screen on top: dialogs in between
        show them too.
        """
        for screen in self.app.screen_stack if regions else [self]:
            if isinstance(screen, Dialog):
                screen._behind = None
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def hints(self, *hints: KeyHint) -> str:
        """A line of keys and what they do."""
        return SEPARATOR.join(hint_words(keys_of(self), hints))

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """As Textual's, but closes only this screen, once, and as soon as no other screen is above it: that one
        would be closed instead, or a screen behind it by a second click. The result is passed on when it closes.
        """
        self._outcome = (result,)
        return self._close()

    def on_screen_resume(self) -> None:
        self._close()

    def _close(self) -> AwaitComplete:
        if self._outcome is None or not (self.is_attached and self.is_active):
            return AwaitComplete()
        (result,), self._outcome = self._outcome, None
        return super().dismiss(result)

    def action_leave(self) -> None:
        self.dismiss(None)
