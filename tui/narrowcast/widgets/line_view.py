"""A widget of lines that sends only changes to the terminal.

Textual's own `ScrollView` repaints its whole region for each scrolled line, including padding and scrollbar,
which is noticeable over a slow link. `LineView` keeps the rows it painted last; after any change it composes
the rows of the viewport again (subclasses cache them) and sends only the rows that differ: at once if nothing
covers the widget, else with the next frame of the screen.

Subclasses implement `compose_row(y)` for each row of the viewport and call `changed()` after a change. They
also implement scrolling: `scroll_rows`, `scroll_to_share` and `thumb`.
"""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Protocol, runtime_checkable

from msgspec import Struct
from rich.style import Style
from textual import events
from textual.geometry import Offset, Region, Size
from textual.strip import Strip
from textual.widget import Widget

from narrowcast.terminal.screen_memory import Move
from narrowcast.terminal.textual_reads import finish_of, has_plain_box
from narrowcast.widgets.looks import Look, look_style
from narrowcast.widgets.strips import THUMB, thumb_strip

__all__ = ["LineView"]

WHEEL_ROWS = 3
MANY = 3
"""Maximum number of changed rows for which no search for moved rows is made."""


class _Line(Struct):
    """A row, and the strip that replaces its last column. ``ready``: both combined for the compositor."""

    strip: Strip
    edge: Strip | None = None
    ready: Strip | None = None

    def looks_like(self, other: _Line) -> bool:
        """Whether both look the same; rows that only moved are identical objects."""
        return self.edge is other.edge and (
            self.strip is other.strip or list(self.strip) == list(other.strip)
        )


class SendsRows(Protocol):
    """Sends rows of a widget to the terminal without a frame of the whole screen."""

    def send_rows(
        self, widget: Widget, rows: Mapping[int, Strip], edges: Mapping[int, Strip], move: Move | None
    ) -> bool:
        """Sends rows by their index in the content of ``widget``, ``edges`` over their last column; ``move``:
        which of them were elsewhere before. Returns False and sends nothing if only a frame can show them.
        """


@runtime_checkable
class PaintsRows(Protocol):
    """An app whose widgets can send their own rows."""

    @property
    def output(self) -> SendsRows: ...


class LineView(Widget, can_focus=True):
    """Base class of lists: composes rows, sends changed ones. See the module's description."""

    LOOKS: ClassVar[Mapping[str, Look]] = {THUMB: Look("line", ansi=Style(dim=True))}
    """The looks of parts by name; those of the base classes are included."""
    DEFAULT_CSS = """
    LineView { height: 1fr; width: 1fr; }
    """

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(name=name, id=id, classes=classes)
        self._painted: dict[int, _Line] = {}
        self._lines_by_row: dict[int, _Line] = {}
        self._thumbs: dict[bool, Strip] = {}
        self._parts: dict[str, Style] = {}
        self._change_pending = False
        self._base: Style | None = None
        self._ground: tuple[object, ...] = ()
        self._restyled = True
        self._plain = False
        """Whether only the rows are drawn: no border, padding, tint or transparency."""
        self._dragging = False
        self._pressed: Offset | None = None
        """Where the mouse button was pressed last."""
        self._room = Size()

    # Implemented by subclasses.

    def compose_row(self, y: int) -> Strip:
        """Row `y` of the viewport, exactly `room.width` cells wide."""
        raise NotImplementedError

    def scroll_rows(self, delta: int) -> None:
        """Moves the viewport by `delta` rows, down if positive."""
        raise NotImplementedError

    def scroll_to_share(self, share: float) -> None:
        """Moves the viewport to `share` (0 to 1) of the whole content; called when the thumb is dragged."""
        raise NotImplementedError

    def thumb(self) -> tuple[int, int] | None:
        """First row and length of the scroll thumb within the viewport; None if everything is in view."""
        return None

    def decorate_row(self, y: int, strip: Strip) -> Strip:
        """Adds styles for the compositor that do not count as a change, such as selection offsets."""
        return strip

    def looks_changed(self, resized: bool) -> None:
        """The theme, the colours or, if `resized`, the size changed: subclasses drop the rows composed before."""

    # Used by subclasses.

    @property
    def room(self) -> Size:
        """The size for which rows are composed: that of the content at the last paint, because asking Textual
        takes longer than composing a row.
        """
        return self._room or self.content_size

    @property
    def base_style(self) -> Style:
        """The widget's own colours, below all parts of all rows."""
        if self._base is None:
            self._base = self.rich_style
        return self._base

    @classmethod
    def parts(cls) -> Mapping[str, Look]:
        """The looks of all parts, those of the base classes included."""
        return ChainMap(*(vars(kind)["LOOKS"] for kind in cls.__mro__ if "LOOKS" in vars(kind)))

    def part_style(self, part: str) -> Style:
        """The style of a part named in `LOOKS`, to be laid over `base_style`."""
        style = self._parts.get(part)
        if style is None:
            style = self._parts[part] = look_style(self, self.parts()[part])
        return style

    def changed(self) -> None:
        """Schedules a comparison of all rows, which happens once, after the current message."""
        if not self._change_pending and self.is_attached:
            self._change_pending = True
            self.call_next(self.repaint_changes)

    def repaint_changes(self) -> None:
        """Paints the rows that differ from what was painted last."""
        self._change_pending = False
        self._take_looks()
        changed: list[int] = []
        for y in range(self._room.height):
            old, new = self._painted.get(y), self._line_at(y)
            if old is not None and old.looks_like(new):
                self._lines_by_row[y] = old
            else:
                self._lines_by_row[y] = new
                changed.append(y)
        if changed and not (self._plain and self._paint_now(changed)):
            self.refresh(*(Region(0, y, self._room.width, 1) for y in changed))

    def _paint_now(self, changed: Sequence[int]) -> bool:
        """Sends rows to the terminal at once; False if only a frame of the whole screen can show them."""
        if not isinstance(self.app, PaintsRows):
            return False
        lines = {y: self._lines_by_row[y] for y in changed}
        rows = {y: line.strip for y, line in lines.items()}
        if self.text_selection is not None:
            rows = {y: self.decorate_row(y, strip) for y, strip in rows.items()}
        edges = {y: line.edge for y, line in lines.items() if line.edge is not None}
        if not self.app.output.send_rows(self, rows, edges, self._moved() if len(changed) > MANY else None):
            return False
        self._painted |= lines
        return True

    def _moved(self) -> Move | None:
        """The move after which most rows are those of the last paint, shifted up or down; None if there is none."""
        before = {id(line.strip): y for y, line in self._painted.items()}
        height = self._room.height
        steps = Counter(
            before[strip] - y for y in range(height) if (strip := id(self._lines_by_row[y].strip)) in before
        )
        steps.pop(0, None)
        if not steps:
            return None
        ((by, _),) = steps.most_common(1)
        there = [y for y in range(height) if before.get(id(self._lines_by_row[y].strip)) == y + by]
        return Move(there[0], there[-1], by) if len(there) > MANY else None

    def row_at(self, y: int) -> Strip:
        """Row `y` with the scroll thumb in its last column."""
        line = self._line_at(y)
        return self._with_edge(line.strip, line.edge)

    def _with_edge(self, strip: Strip, edge: Strip | None) -> Strip:
        if edge is None:
            return strip
        return Strip([*strip.crop(0, self._room.width - 1), *edge], self._room.width)

    def _line_at(self, y: int) -> _Line:
        thumb = self.thumb()
        if thumb is None:
            return _Line(self.compose_row(y))
        start, length = thumb
        return _Line(self.compose_row(y), self._thumb_strip(start <= y < start + length))

    def _thumb_strip(self, here: bool) -> Strip:
        strip = self._thumbs.get(here)
        if strip is None:
            strip = self._thumbs[here] = thumb_strip(here, self.base_style + self.part_style(THUMB))
        return strip

    # Textual.

    def render_line(self, y: int) -> Strip:
        """One row for the compositor; records it as painted.

        While a comparison is pending, returns the row as last painted: the screen also requests rows to find
        what is under the mouse, and a row recorded too early would never be repainted.
        """
        line = self._line_for_frame(y)
        return self._with_edge(self.decorate_row(y, line.strip), line.edge)

    def _line_for_frame(self, y: int) -> _Line:
        painted = self._painted.get(y)
        if painted is not None and self._change_pending:
            return painted
        line = self._lines_by_row.pop(y, None) or painted or self._line_at(y)
        self._painted[y] = line
        return line

    def _ready_rows(self, rows: Iterable[int]) -> list[Strip]:
        """Completes rows for the terminal; each is cached until it changes."""
        finish, is_selected = finish_of(self), self.text_selection is not None
        ready: list[Strip] = []
        for y in rows:
            line = self._line_for_frame(y)
            strip = line.ready
            if strip is None or is_selected:
                strip = finish(self._with_edge(self.decorate_row(y, line.strip), line.edge))
                line.ready = None if is_selected else strip
            ready.append(strip)
        return ready

    def watch_has_focus(self, has_focus: bool) -> None:
        """Repaints, as the selected row looks different with the focus."""
        super().watch_has_focus(has_focus)
        self.changed()

    def notify_style_update(self) -> None:
        """The stylesheet was applied, as at each change of the focus: usually without any effect."""
        super().notify_style_update()
        self._base = None
        self._restyled = True

    def _take_looks(self) -> bool:
        """Takes over the styles and the size of now, both at once, so that rows are laid out only once; drops what was
        painted with others, and returns whether they differ.
        """
        restyled = self._take_style()
        resized = self._room != self.content_size
        if restyled or resized:
            self._room = self.content_size
            self._forget()
            self.looks_changed(resized)
        return restyled or resized

    def _take_style(self) -> bool:
        if not self._restyled:
            return False
        self._restyled = False
        self._plain = has_plain_box(self)
        ground = (self.app.theme, self.background_colors, self.rich_style)
        if ground == self._ground:
            return False
        self._ground = ground
        self._parts.clear()
        return True

    def render_lines(self, crop: Region) -> list[Strip]:
        """Renders rows; the first paint takes the size from the layout, because Textual reports it only afterwards.

        After the widget is removed, all rows are blank.
        """
        if not self.is_attached:
            return [Strip.blank(crop.width)] * crop.height
        self._take_looks()
        if not self._plain:
            return super().render_lines(crop)
        strips = self._ready_rows(crop.line_range)
        left, right = crop.column_span
        return (
            strips
            if (left, right) == (0, self._room.width)
            else [strip.crop(left, right) for strip in strips]
        )

    def on_resize(self, _event: events.Resize) -> None:
        """Drops what was painted at the old size."""
        if self._take_looks():
            self.changed()

    def _forget(self) -> None:
        self._base = None
        self._painted.clear()
        self._lines_by_row.clear()
        self._thumbs.clear()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """Scrolls the viewport; the selection stays."""
        event.stop()
        event.prevent_default()
        self.scroll_rows(WHEEL_ROWS)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """Scrolls the viewport; the selection stays."""
        event.stop()
        event.prevent_default()
        self.scroll_rows(-WHEEL_ROWS)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Starts dragging the thumb if the last column is pressed."""
        offset = self._pressed = event.get_content_offset(self)
        if offset is not None and self._is_thumb(offset):
            event.stop()
            self._dragging = True
            self.capture_mouse()
            self._drag_to(offset.y)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        if self._dragging:
            self._drag_to(event.y - self.gutter.top)

    def on_mouse_up(self, _event: events.MouseUp) -> None:
        if self._dragging:
            self._dragging = False
            self.release_mouse()

    def clicked(self, event: events.Click) -> Offset | None:
        """The place that was clicked in the viewport; None if the mouse was dragged to another row, or if it is the
        column of the scroll thumb.
        """
        offset, pressed = event.get_content_offset(self), self._pressed
        if offset is None or pressed is None or offset.y != pressed.y:
            return None
        return None if self._is_thumb(offset) or self._is_thumb(pressed) else offset

    def _is_thumb(self, offset: Offset) -> bool:
        return offset.x == self.content_size.width - 1 and self.thumb() is not None

    def _drag_to(self, y: int) -> None:
        height = max(1, self.content_size.height - 1)
        self.scroll_to_share(min(1.0, max(0.0, y / height)))
