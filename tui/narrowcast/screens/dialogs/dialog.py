"""The base of all dialogs: a frame with the title on its upper edge and the keys on its lower one, and beside a list
what there is to see of the selected item.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self, TypeVar

from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.geometry import Region, Size
from textual.screen import ModalScreen, Screen
from textual.strip import Strip
from textual.widget import Widget

from narrowcast.keys.hints import SEPARATOR, KeyHint, hint_words, keys_of
from narrowcast.keys.registry import Context, bindings_for, by_id
from narrowcast.screens.dialogs.behind import dimmed
from narrowcast.screens.dialogs.key_line import LOW, KeyLine
from narrowcast.terminal.textual_fixes import FixedScreen
from narrowcast.terminal.textual_reads import focused_before, rows_of
from narrowcast.widgets.frame_edge import FrameEdge
from narrowcast.widgets.line_view import LineView
from narrowcast.widgets.notices import after_layouts, hide_notices, notice_places
from narrowcast.widgets.one_line import OneLine
from narrowcast.widgets.style_sheet import style_sheet
from narrowcast.widgets.virtual_list import VirtualList

__all__ = ["LARGE", "MEDIUM", "SMALL", "BesidePreview", "Dialog", "DialogBody", "DialogFrame", "PreviewPane"]

T = TypeVar("T")

SMALL, MEDIUM, LARGE = 60, 72, 88
"""Columns of a question, of a form or a list to choose from, and of a list to manage or a text."""
BESIDE, ABOVE = 4, 3
"""Columns at each side and rows above and below a dialog that stay free, on terminals with room for them."""
LEAST_WIDTH, LEAST_HEIGHT = 72, 18
"""What a dialog takes before anything stays free beside it, or above it."""
PREVIEW_FROM, LEAST_WITH_PREVIEW = 100, 12
"""Columns of the terminal from which a preview is shown, and rows of a list with one beside it."""


class PreviewPane(LineView, can_focus=False):
    """Shows something about an item. It does not scroll."""

    def show(self, about: object) -> None:
        """Shows what there is to see of it; called again for the same one after each change of the layout."""
        raise NotImplementedError

    def scroll_rows(self, delta: int) -> None:
        """It does not scroll."""

    def scroll_to_share(self, share: float) -> None:
        """It does not scroll."""


class BesidePreview(Horizontal):
    """A list, and a preview of its selected item at the right."""

    DEFAULT_CSS = """
    BesidePreview { height: auto; }
    """

    def __init__(self, listing: VirtualList[Any], preview: PreviewPane) -> None:
        super().__init__(listing, preview)


class DialogFrame(Vertical):
    """All of a dialog."""


class DialogBody(Vertical):
    """What is between the edges of a dialog."""


class Dialog(ModalScreen[T], FixedScreen[T]):
    """Dismissed with None when it is closed. Its first base is the one whose style sheet it inherits.

    The screen behind is dimmed once, when it has changed: Textual's tint would redraw all of it for each key pressed
    in the dialog.
    """

    DEFAULT_CSS = style_sheet(__name__)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.DIALOG), by_id()["app.suspend"].binding()]

    DIMS: ClassVar[bool] = True
    """Whether the screen behind is dimmed."""
    FRAMED: ClassVar[bool] = True
    """Whether there is a frame, whose size is that of what it shows."""
    WIDTH: ClassVar[int] = MEDIUM
    TITLE_TEXT: ClassVar[str] = ""
    KEYS: ClassVar[Sequence[KeyHint]] = ()
    """The keys shown on the lower edge."""
    preview: PreviewPane | None = None
    """Shows something about what is selected, beside the list, where there is room."""
    _behind: list[Strip] | None = None
    _behind_size = Size()
    _outcome: tuple[T | None] | None = None
    notice_rows = 0
    """The rows that notices take now."""

    def __init__(self) -> None:
        super().__init__()
        self.head: OneLine = FrameEdge("╭", "╮") if self.FRAMED else OneLine()
        self.key_line = KeyLine(framed=self.FRAMED)
        self.frame = DialogFrame()
        self._lists: list[VirtualList[Any]] = []

    def compose(self) -> ComposeResult:
        with self.frame:
            yield self.head
            with DialogBody():
                for widget in self.body():
                    if isinstance(widget, VirtualList):
                        self._lists.append(widget)
                    yield widget
            yield self.key_line
        self.show_title()
        self.show_keys()
        self.fit()

    def body(self) -> ComposeResult:
        """What is between the edges."""
        yield from ()

    def title_text(self) -> str:
        return self.TITLE_TEXT

    def about(self) -> str:
        """What stands at the right of the title, such as a number of things."""
        return ""

    def show_title(self) -> None:
        about = self.about()
        look = "title" if self.FRAMED else "strong"
        self.head.show_pieces([(self.title_text(), look)], [(about, "dim")] if about else [])

    def show_keys(self) -> None:
        """Shows the keys on the lower edge."""
        self.key_line.show_keys(self.KEYS)

    def on_resize(self) -> None:
        self.fit()

    def fit(self) -> None:
        """Sizes the dialog to the terminal: its lists scroll if they do not fit. Its upper edge never moves."""
        if not self.FRAMED:
            return
        self.set_class(self.app.size.height < LOW, "-low")
        self.frame.styles.width = self.columns
        self.frame.styles.margin = (self._above, 0, 0, 0)
        for listing in self._lists:
            listing.styles.max_height = max(1, self.rows_left(self.rows_beside()) // len(self._lists))
        if self.preview is not None:
            self.preview.display = self.shows_preview
            self.set_class(self.shows_preview, "-preview")
            self.show_preview()

    def fit_preview(self, listing: VirtualList[Any], rows: int) -> None:
        """Gives the list, and the preview beside it, so many rows: more where a preview needs them."""
        if self.preview is not None and self.shows_preview:
            rows = max(rows, min(LEAST_WITH_PREVIEW, self.rows_left(self.rows_beside())))
            self.preview.styles.height = rows
        listing.styles.height = rows

    @property
    def columns(self) -> int:
        """The columns of the whole dialog."""
        width = self.app.size.width
        wanted = max(self.WIDTH, LARGE) if self.shows_preview else self.WIDTH
        return min(wanted, width - 2 * min(BESIDE, max(0, (width - LEAST_WIDTH) // 2)))

    @property
    def shows_preview(self) -> bool:
        """Whether there is a preview and room for it."""
        return self.preview is not None and self.app.size.width >= PREVIEW_FROM

    def with_preview(self, listing: VirtualList[Any]) -> Widget:
        """The list, with the preview at its right if the dialog has one."""
        return listing if self.preview is None else BesidePreview(listing, self.preview)

    def previewed(self) -> object:
        """What the preview is about: what is selected."""
        return None

    def show_preview(self) -> None:
        """Shows a preview of what is selected now."""
        if self.preview is not None and self.shows_preview:
            self.preview.show(self.previewed())

    @property
    def _above(self) -> int:
        return min(ABOVE, max(0, (self.app.size.height - LEAST_HEIGHT) // 2))

    def rows_beside(self) -> int:
        """The rows of the body that are not those of its lists."""
        return 0

    def rows_left(self, beside: int) -> int:
        """The rows that the terminal leaves to what scrolls, if the rest of the body takes ``beside`` rows."""
        height = self.app.size.height
        edges = 1 + int(height >= LOW) + self.key_line.rows_at(self.columns)
        below = max(self._above, self.notice_rows)
        return max(1, height - self._above - below - edges - beside)

    def on_mount(self) -> None:
        """Takes the focus also while another window of the desktop has it, when Textual focuses no widget of
        a new screen and gives it back to none that is covered.
        """
        after_layouts(self, self.leave_rows)
        if self.app.app_focus:
            return
        if (before := focused_before(self.app)) is not None and before.is_attached:
            before.screen.set_focus(before)
        for widget in self.query(self.AUTO_FOCUS) if self.AUTO_FOCUS else ():
            if widget.focusable:
                self.set_focus(widget)
                return

    def leave_rows(self) -> None:
        """Leaves rows to notices: on low terminals, fewer are free below than a notice takes."""
        rows = sum(place.height for place in notice_places(self))
        if rows != self.notice_rows:
            self.notice_rows = rows
            self.fit()

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

    def on_screen_suspend(self) -> None:
        """Shows no notice twice."""
        hide_notices(self)

    def _close(self) -> AwaitComplete:
        if self._outcome is None or not (self.is_attached and self.is_active):
            return AwaitComplete()
        (result,), self._outcome = self._outcome, None
        return super().dismiss(result)

    def action_leave(self) -> None:
        self.dismiss(None)
