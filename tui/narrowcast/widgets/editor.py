"""A lean editor of one or more lines: a typed key repaints only the cells that changed.

The user's own text is filtered for display too: a pasted escape sequence is shown as text, not obeyed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.actions import SkipAction
from textual.binding import BindingType
from textual.geometry import Offset, Size
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from narrowcast.keys.registry import Context, bindings_for
from narrowcast.terminal.textual_reads import forget_row, has_plain_content
from narrowcast.text.safe_text import crop_cells, safe_line
from narrowcast.widgets.line_view import PaintsRows
from narrowcast.widgets.looks import Look, look_style
from narrowcast.widgets.style_sheet import style_sheet
from narrowcast.widgets.text_buffer import TextBuffer
from narrowcast.widgets.text_window import ShownRow, TextWindow, difference
from narrowcast.widgets.vim_keys import VimKeys

_PLACEHOLDER = Look("foreground 55%", ansi=Style(dim=True))
MODIFIED = ("alt+", "ctrl+", "super+", "meta+")
"""Modifiers with which terminals send a character that is not text input."""
INDENT = 4
"""Columns between the stops of `Editor.indent`: what Markdown needs for code and for the content of lists."""
_MARKED = Style(reverse=True)


class Editor(Widget, can_focus=True):
    """Text input with readline keys. ``multiline=False``: one line that scrolls sideways.

    What is selected is replaced by what is typed, pasted or cut next; any other motion of the cursor deselects it.
    `mark` selects all in a field that just got the focus.
    """

    DEFAULT_CSS = style_sheet(__name__)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.EDITOR)]

    class Changed(Message):
        """The text or the cursor moved. ``edited``: the text itself changed."""

        def __init__(self, editor: Editor, edited: bool) -> None:
            super().__init__()
            self.editor = editor
            self.edited = edited

        @property
        def control(self) -> Editor:
            return self.editor

    class Pasted(Message):
        """A text was pasted, and is in front of the cursor."""

        def __init__(self, editor: Editor, text: str) -> None:
            super().__init__()
            self.editor = editor
            self.text = text

        @property
        def control(self) -> Editor:
            return self.editor

    class ModeChanged(Message):
        """Posted when the vim mode changed."""

    class Submitted(Message):
        """Enter in a single-line editor."""

        def __init__(self, editor: Editor) -> None:
            super().__init__()
            self.editor = editor

        @property
        def control(self) -> Editor:
            return self.editor

    def __init__(
        self,
        text: str = "",
        *,
        multiline: bool = False,
        placeholder: str = "",
        password: bool = False,
        id: str | None = None,  # noqa: A002 - Textual's name
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.buffer = TextBuffer(text, multiline=multiline)
        self._placeholder = safe_line(placeholder)
        self.password = password
        self._window = TextWindow(self.buffer, password=password)
        self._shown: list[ShownRow] = []
        self._hinting = not text
        self._vim: VimKeys | None = None

    # text

    @property
    def text(self) -> str:
        return self.buffer.text

    @text.setter
    def text(self, text: str) -> None:
        self.buffer.anchor = None
        if text != self.buffer.text:
            self.buffer.reset(text)
            self._insert_again()
            self._repaint()

    @property
    def placeholder(self) -> str:
        """The text shown while the editor is empty. It may contain texts of the server."""
        return self._placeholder

    @placeholder.setter
    def placeholder(self, text: str) -> None:
        text = safe_line(text)
        if text != self._placeholder:
            self._placeholder = text
            if not self.buffer.text:
                self.refresh()

    def use_vim(self, vim: bool) -> None:
        """Turns vim's modal editing on or off."""
        if vim != (self._vim is not None):
            self._vim = VimKeys(self.buffer) if vim else None

    @property
    def in_normal_mode(self) -> bool:
        """Whether letters are commands (vim's normal mode)."""
        return self._vim is not None and not self._vim.inserting

    def mark(self) -> None:
        """Selects the whole text, if there is any."""
        self.select(0, len(self.buffer.text))

    def select(self, start: int, end: int) -> None:
        """Selects a part of the text, with the cursor at its end."""
        self.buffer.anchor, self.buffer.cursor = start, end
        self._changed(False, keeps_selection=True)

    def insert(self, text: str) -> None:
        """Inserts ``text`` at the cursor, as one undo step."""
        self.buffer.insert(text)
        self._changed(True)

    def paste(self, text: str) -> None:
        """Inserts ``text`` in place of the selection, as one undo step."""
        self.buffer.cut_selection()
        self.insert(text)
        self.post_message(self.Pasted(self, text))

    def indent(self) -> None:
        """Inserts spaces up to the next column that is a multiple of `INDENT`."""
        column = self.buffer.cursor - self.buffer.line_start()
        self.insert(" " * (INDENT - column % INDENT))

    def unindent(self) -> bool:
        """Removes the spaces at the start of the line, at most `INDENT`; False if there are none."""
        buffer, start = self.buffer, self.buffer.line_start()
        line = buffer.text[start : start + INDENT]
        spaces = len(line) - len(line.lstrip(" "))
        if spaces:
            cursor = max(start, buffer.cursor - spaces)
            buffer.replace(start, start + spaces, "")
            buffer.cursor = cursor
            self._changed(True)
        return bool(spaces)

    def replace(self, start: int, end: int, text: str) -> None:
        """Replaces the text from ``start`` to ``end`` by ``text``."""
        self.buffer.replace(start, end, text)
        self._changed(True)

    def _changed(self, edited: bool, *, keeps_selection: bool = False) -> None:
        if not keeps_selection:
            self.buffer.anchor = None
        self._repaint()
        self.post_message(self.Changed(self, edited))

    # painting

    @property
    def row_count(self) -> int:
        """Rows of the whole text at the current width."""
        return len(self._window.rows(self.size.width))

    def _visible(self) -> list[ShownRow]:
        return self._window.shown(self.size, is_focused=self.has_focus)

    def _repaint(self) -> None:
        """Refreshes the cells that differ from what is on the screen."""
        if not self.is_attached or not self.size:
            return
        before, rows_before = self._shown, self._window.row_count
        self._shown = self._visible()
        hinted, self._hinting = self._hinting, not self.buffer.text
        if hinted or self._hinting or not before or len(before) != len(self._shown):
            self.refresh()
            return
        if before == self._shown:
            return
        regions = {}
        for y, (old, new) in enumerate(zip(before, self._shown, strict=True)):
            if region := difference(old, new, y, self.size.width):
                regions[y] = region
        if not (rows_before == self._window.row_count and self._paint_now(regions)):
            self.refresh(*regions.values())

    def _paint_now(self, rows: Iterable[int]) -> bool:
        """Sends rows to the terminal at once; False if only a frame of the whole screen can show them."""
        app = self.app
        if not isinstance(app, PaintsRows) or not has_plain_content(self):
            return False
        if not app.output.send_rows(self, {y: self.render_line(y) for y in rows}, {}, None):
            return False
        for y in rows:
            forget_row(self, y)
        return True

    def render_line(self, y: int) -> Strip:
        """One row, without the cursor: the terminal shows its own at `caret`."""
        style = self.rich_style
        width = self.size.width
        if not self._shown:
            self._shown = self._visible()
        if not self.buffer.text and y == 0:
            hint = style + look_style(self, _PLACEHOLDER)
            text = crop_cells(self._placeholder, width - 1)
            return Strip([Segment(text, hint)]).adjust_cell_length(width, style)
        if y >= len(self._shown):
            return Strip.blank(width, style)
        row = self._shown[y]
        strip = Strip([Segment(row.text, style)]).adjust_cell_length(width, style)
        if row.lit is None:
            return strip
        first, last = row.lit
        return Strip.join(
            [strip.crop(0, first), strip.crop(first, last).apply_style(_MARKED), strip.crop(last)]
        )

    @property
    def caret(self) -> Offset | None:
        """The cell of the cursor within the content; None if the editor does not have the focus."""
        for y, row in enumerate(self._shown or self._visible()):
            if row.caret is not None:
                return Offset(min(row.caret, self.size.width - 1), y)
        return None

    def get_content_width(self, container: Size, viewport: Size) -> int:
        return container.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return max(1, len(self.buffer.rows(width))) if self.buffer.multiline else 1

    def on_resize(self, event: events.Resize) -> None:
        self._shown = []
        self.refresh()

    def on_focus(self) -> None:
        self._shown = []

    def on_blur(self) -> None:
        self._shown = []
        self.buffer.anchor = None
        self._insert_again()

    def _insert_again(self) -> None:
        if self._vim is not None:
            self._vim.enter_insert()

    # keys and mouse

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Printable keys are text here, even if outer panes bind them."""
        return character is not None and character.isprintable() and not key.startswith(MODIFIED)

    async def on_key(self, event: events.Key) -> None:
        if event.key == "enter" and event.character == "\n" and self._takes_line_break:
            event.stop()
            event.prevent_default()
            self.insert("\n")
        elif self._vim is not None and self._take_vim(self._vim, event):
            event.stop()
            event.prevent_default()
        elif event.is_printable and event.character and not event.key.startswith(MODIFIED):
            event.stop()
            event.prevent_default()
            self.buffer.cut_selection()
            self.buffer.insert(event.character, typed=True)
            self._changed(True)

    @property
    def _takes_line_break(self) -> bool:
        """Whether an Enter in pasted text is a new line here: see `narrowcast.terminal.keyboard`."""
        return self.buffer.multiline and not self.in_normal_mode

    def _take_vim(self, vim: VimKeys, event: events.Key) -> bool:
        text, inserting = self.buffer.text, vim.inserting
        character = event.character if event.is_printable and not event.key.startswith(MODIFIED) else None
        taken = vim.take(event.key, character)
        if taken:
            self._changed(self.buffer.text != text)
        if vim.inserting != inserting:
            self.post_message(self.ModeChanged())
        return taken

    async def on_paste(self, event: events.Paste) -> None:
        event.stop()
        self.paste(event.text)

    async def on_mouse_down(self, event: events.MouseDown) -> None:
        offset: Offset | None = event.get_content_offset(self)
        if offset is not None and not self.password:
            self.buffer.cursor = self._window.position_at(offset, self.size.width)
            self._changed(False)

    def _edit(self, done: bool) -> None:
        if done:
            self._changed(True)

    def _move(self) -> None:
        self._changed(False)

    def action_submit(self) -> None:
        if self.buffer.multiline:
            raise SkipAction
        self.post_message(self.Submitted(self))

    def action_compose_line_start(self) -> None:
        self.buffer.home()
        self._move()

    def action_compose_line_end(self) -> None:
        self.buffer.end()
        self._move()

    def action_compose_text_start(self) -> None:
        self.buffer.text_start()
        self._move()

    def action_compose_text_end(self) -> None:
        self.buffer.text_end()
        self._move()

    def _skip_if_empty(self) -> None:
        """Leaves a key to the panes around where it would do nothing: in an empty text of several lines."""
        if self.buffer.multiline and not self.buffer.text:
            raise SkipAction

    def action_compose_left(self) -> None:
        self._skip_if_empty()
        self.buffer.left()
        self._move()

    def action_compose_right(self) -> None:
        self.buffer.right()
        self._move()

    def action_compose_word_left(self) -> None:
        self.buffer.word_left()
        self._move()

    def action_compose_word_right(self) -> None:
        self.buffer.word_right()
        self._move()

    def _vertical(self, by: int) -> None:
        if not self.buffer.multiline:
            raise SkipAction
        if self.buffer.vertical(self._window.rows(self.size.width), by):
            self._move()

    def action_compose_up(self) -> None:
        self._skip_if_empty()
        self._vertical(-1)

    def action_compose_down(self) -> None:
        self._vertical(1)

    def action_compose_select(self, motion: str) -> None:
        """Moves the cursor and selects what it passes."""
        buffer = self.buffer
        anchor = buffer.cursor if buffer.anchor is None else buffer.anchor
        if motion in ("up", "down"):
            buffer.vertical(self._window.rows(self.size.width), -1 if motion == "up" else 1)
        else:
            getattr(buffer, motion)()
        self.select(anchor, buffer.cursor)

    def action_compose_backspace(self) -> None:
        self._edit(self.buffer.cut_selection() or self.buffer.backspace())

    def action_compose_delete(self) -> None:
        self._edit(self.buffer.cut_selection() or self.buffer.delete())

    def action_compose_kill_word(self) -> None:
        self._edit(self.buffer.cut_selection(kill=True) or self.buffer.kill_word())

    def action_compose_kill_word_right(self) -> None:
        self._edit(self.buffer.cut_selection(kill=True) or self.buffer.kill_word_right())

    def action_compose_kill_start(self) -> None:
        self._edit(self.buffer.cut_selection(kill=True) or self.buffer.kill_start())

    def action_compose_kill_end(self) -> None:
        if not (self.buffer.cut_selection(kill=True) or self.buffer.kill_end()):
            raise SkipAction  # nothing to cut: the panes around may handle the key
        self._changed(True)

    def action_compose_yank(self) -> None:
        self._edit(self.buffer.yank())

    def action_compose_undo(self) -> None:
        self._edit(self.buffer.undo())
