"""The base of all dialogs: a frame, the key that closes the dialog, and help on its keys."""

from __future__ import annotations

from typing import ClassVar, Protocol, Self, TypeVar, runtime_checkable

from textual.await_complete import AwaitComplete
from textual.await_remove import AwaitRemove
from textual.binding import BindingType
from textual.geometry import Region, Size
from textual.strip import Strip

from narrowcast.commands.hints import SEPARATOR, KeyHint, hint_words, keys_of
from narrowcast.commands.registry import Context, bindings_for
from narrowcast.terminal.textual_lean import OpensOver
from narrowcast.terminal.textual_private import focused_before, remove_screen, repaint_parts, screen_below

__all__ = ["Dialog"]

T = TypeVar("T")


@runtime_checkable
class KnowsTerminal(Protocol):
    """An app that can report whether it knows what the terminal currently shows."""

    def knows_terminal(self) -> bool: ...


class Dialog(OpensOver[T]):
    """Dismissed with None when it is closed.

    The screen behind is shown untinted: a tint would send the whole screen twice for each dialog, and Textual would
    redraw all of it for each key pressed in the dialog.
    """

    DEFAULT_CSS = """
    Dialog { align: center top; background: transparent; }
    Dialog > Vertical {
        width: 72; max-width: 96%; height: auto; margin-top: 1;
        background: $surface; border: round $primary; padding: 0 1;
    }
    Dialog OneLine { background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.DIALOG)]

    _behind: list[Strip] | None = None
    _behind_size = Size()
    _has_behind_changed = False
    _outcome: tuple[T | None] | None = None

    def start_over(self) -> None:
        """Resets the screen so that it can be shown again like a new one."""
        self.is_new = True
        self._behind = None
        self._has_behind_changed = False
        self._outcome = None

    def is_below_known(self) -> bool:
        return (
            not self._has_behind_changed and isinstance(self.app, KnowsTerminal) and self.app.knows_terminal()
        )

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
        """The area around the dialog: the screen below, rendered again only after it has changed."""
        if self.paints_alone:
            return [Strip.blank(crop.width)] * crop.height
        if self._behind is None or self._behind_size != self.size:
            self._behind, self._behind_size = screen_below(self), self.size
        if self._behind is None:
            return super().render_lines(crop)
        strips = self._behind[crop.y : crop.bottom]
        if crop.column_span == (0, self.size.width):
            return strips
        return [strip.crop(*crop.column_span) for strip in strips]

    def behind_changed(self) -> None:
        """Called when a screen below has changed."""
        self._behind = None
        self._has_behind_changed = True

    def refresh(
        self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False
    ) -> Self:
        """Screens below call this with the regions that changed; dialogs in between are updated too."""
        if regions:
            for screen in self.app.screen_stack:
                if isinstance(screen, Dialog):
                    screen.behind_changed()
            repaint_parts(self, regions)
            repaint = False
        return super().refresh(*regions, repaint=repaint, layout=layout, recompose=recompose)

    def remove(self) -> AwaitRemove:
        return remove_screen(self)

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
