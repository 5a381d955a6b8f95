"""A widget of lines that sends to the terminal only what changed.

Textual's own `ScrollView` repaints its whole region for each scrolled line, padding included, and its
scrollbar with it. Over a slow link those bytes are what one feels. `LineView` keeps the rows it painted last;
after any change it composes the rows of the viewport again (subclasses cache them), and asks for a repaint of
just the rows that differ, each up to the column where both the old and the new row are blank.

Subclasses give `compose_row(y)` for each row of the viewport and call `changed()` after a change. Scrolling
is theirs: they override `scroll_rows`, `scroll_to_share` and `thumb`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.strip import Strip
from textual.widget import Widget

from narrowcast.text.safe_text import SafeText, crop_cells
from narrowcast.widgets.looks import Look, look_style

__all__ = ["LineView", "Part", "compose_line", "lean_strip", "plain_text"]

Part = tuple[str, Style]
"""A piece of one line and its style; the text must be safe to show."""

WHEEL_ROWS = 3
KEPT_LINES = 1_000
"""Lines that are kept together with their piece of the thumb."""


def _shows_on_blanks(style: Style) -> bool:
    """Whether blanks in `style` look different from blanks that only share its background."""
    return bool(
        style.underline or style.reverse or style.strike or style.overline or style.underline2 or style.meta
    )


def lean_strip(segments: Iterable[Segment], width: int) -> Strip:
    """A strip of `width` cells with as few style changes as show the same: each costs some 40 bytes.

    Segments of one style are joined, and blanks join the text before or after them when only the foreground
    differs, which blanks do not show.
    """
    joined: list[tuple[str, Style]] = []
    for text, style, _ in segments:
        style = style or Style.null()
        if joined:
            before_text, before = joined[-1]
            same_ground = before.bgcolor == style.bgcolor
            if before == style:
                joined[-1] = (before_text + text, style)
                continue
            if same_ground and text.isspace() and not (_shows_on_blanks(before) or _shows_on_blanks(style)):
                joined[-1] = (before_text + text, before)
                continue
            if (
                same_ground
                and before_text.isspace()
                and not (_shows_on_blanks(before) or _shows_on_blanks(style))
            ):
                joined[-1] = (before_text + text, style)
                continue
        joined.append((text, style))
    return Strip([Segment(text, style) for text, style in joined], width)


def compose_line(width: int, left: Sequence[Part], right: Sequence[Part] = (), *, base: Style) -> Strip:
    """One line of exactly `width` cells: `left` cut with an ellipsis, `right` flush right and not cut.

    The styles of the parts are laid over `base`, which also fills the gap.
    """
    right_segments = [Segment(text, base + style) for text, style in right if text]
    right_cells = sum(segment.cell_length for segment in right_segments)
    if right_cells > width:
        right_segments, right_cells = [], 0
    room = width - right_cells - (1 if right_segments else 0)
    segments: list[Segment] = []
    for text, style in left:
        if not text:
            continue
        cut = crop_cells(text, room)
        segment = Segment(cut, base + style)
        segments.append(segment)
        room -= segment.cell_length
        if len(cut) != len(text) or room <= 0:
            break
    used = sum(segment.cell_length for segment in segments)
    gap = width - right_cells - used
    if gap > 0:
        segments.append(Segment(" " * gap, base))
    return lean_strip([*segments, *right_segments], width)


def _differs_until(old: Strip, new: Strip) -> int:
    """The first column from which `old` and `new` look the same to their end."""
    if old.cell_length != new.cell_length:
        return max(old.cell_length, new.cell_length)
    before, after = list(old), list(new)
    same = 0
    old_text, new_text = "", ""
    while True:
        if not old_text:
            if not before:
                break
            old_text, old_style, _ = before.pop()
        if not new_text:
            if not after:
                break
            new_text, new_style, _ = after.pop()
        if old_style is not new_style and old_style != new_style:
            break
        length = min(len(old_text), len(new_text))
        if old_text[-length:] != new_text[-length:]:
            equal = 0
            while old_text[-1 - equal] == new_text[-1 - equal]:
                equal += 1
            same += cell_len(old_text[len(old_text) - equal :])
            break
        same += cell_len(old_text[-length:])
        old_text, new_text = old_text[:-length], new_text[:-length]
    return new.cell_length - same


class LineView(Widget, can_focus=True):
    """Base of the lists: rows in, changed cells out. See the module's description."""

    LOOKS: ClassVar[Mapping[str, Look]] = {"line-view--thumb": Look("foreground 50%")}
    """The looks of parts by name; those of the base classes are known as well."""
    DEFAULT_CSS = """
    LineView { height: 1fr; width: 1fr; }
    """

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(name=name, id=id, classes=classes)
        self._painted: dict[int, Strip] = {}
        self._composed: dict[int, Strip] = {}
        self._thumbed: dict[tuple[int, str], tuple[Strip, Strip]] = {}
        self._parts: dict[str, Style] = {}
        self._change_pending = False
        self._base: Style | None = None
        self._ground: tuple[object, ...] = ()
        self._restyled = True
        self._dragging = False
        self._room = Size()

    # What a subclass gives.

    def compose_row(self, y: int) -> Strip:
        """Row `y` of the viewport, exactly `content_size.width` cells wide."""
        raise NotImplementedError

    def scroll_rows(self, delta: int) -> None:
        """Moves the viewport by `delta` rows, down if positive."""
        raise NotImplementedError

    def scroll_to_share(self, share: float) -> None:
        """Moves the viewport to `share` (0 to 1) of all there is; called when the thumb is dragged."""
        raise NotImplementedError

    def thumb(self) -> tuple[int, int] | None:
        """First row and length of the scroll thumb within the viewport; None if everything is in view."""
        return None

    def decorate_row(self, y: int, strip: Strip) -> Strip:
        """Last touch on its way to the compositor that must not count as a change: selection offsets."""
        return strip

    def room_changed(self) -> None:
        """Another size: subclasses drop what they composed for the old one."""

    def styles_changed(self) -> None:
        """The theme or the colours of the widget changed: subclasses drop what they composed with the old ones."""

    # What a subclass uses.

    @property
    def base_style(self) -> Style:
        """Colours of the widget itself; below every part of every row."""
        if self._base is None:
            self._base = self.rich_style
        return self._base

    def part_style(self, part: str) -> Style:
        """The style of a part named in `LOOKS`, to be laid over `base_style`."""
        style = self._parts.get(part)
        if style is None:
            look = next(
                looks[part] for kind in type(self).__mro__ if part in (looks := vars(kind).get("LOOKS", {}))
            )
            style = self._parts[part] = look_style(self, look)
        return style

    def changed(self) -> None:
        """Says that rows may differ; the comparison happens once, after the present message."""
        if not self._change_pending and self.is_attached:
            self._change_pending = True
            self.call_next(self.repaint_changes)

    def repaint_changes(self) -> None:
        """Asks for a repaint of the rows that differ from what was painted last."""
        self._change_pending = False
        self._take_style()
        self._take_room()
        width, height = self._room
        regions: list[Region] = []
        for y in range(height):
            old = self._painted.get(y)
            new = self._composed[y] = self.row_at(y)
            if old is None:
                regions.append(Region(0, y, width, 1))
            elif old is not new and list(old) != list(new):
                regions.append(Region(0, y, max(1, _differs_until(old, new)), 1))
        if regions:
            self.refresh(*regions)

    def row_at(self, y: int) -> Strip:
        """Row `y` with the scroll thumb in its last column."""
        strip = self.compose_row(y)
        thumb = self.thumb()
        if thumb is None:
            return strip
        start, length = thumb
        return self._beside_thumb(strip, "▐" if start <= y < start + length else " ")

    def _beside_thumb(self, strip: Strip, glyph: str) -> Strip:
        """``strip`` with a piece of the thumb; the same one while both are the same, so that comparing is quick."""
        key = id(strip), glyph
        of, line = self._thumbed.get(key, (None, None))
        if of is not strip or line is None:
            if len(self._thumbed) > KEPT_LINES:
                self._thumbed.clear()
            width = self._room.width
            style = self.base_style + self.part_style("line-view--thumb")
            line = Strip([*strip.crop(0, width - 1), Segment(glyph, style)], width)
            self._thumbed[key] = (strip, line)
        return line

    # Textual.

    def render_line(self, y: int) -> Strip:
        """One row for the compositor; remembers it as painted.

        While a comparison is due, the row is what it was: the screen also asks for rows to find what lies
        under the mouse, and a row noted as painted too early would never be repainted.
        """
        strip = self._painted.get(y) if self._change_pending else None
        strip = strip or self._composed.pop(y, None) or self.row_at(y)
        self._painted[y] = strip
        return self.decorate_row(y, strip)

    def notify_style_update(self) -> None:
        """The stylesheet was applied, as it is at each change of the focus: mostly to the same effect."""
        super().notify_style_update()
        self._base = None
        self._restyled = True

    def _take_style(self) -> None:
        """Forgets all that was composed with the old styles if these are others than at the last paint."""
        if not self._restyled:
            return
        self._restyled = False
        ground = (self.app.theme, self.background_colors, self.rich_style)
        if ground != self._ground:
            self._ground = ground
            self._parts.clear()
            self._forget()
            self.styles_changed()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The first paint comes before Textual tells the size: it is taken from the layout then."""
        self._take_style()
        self._take_room()
        return super().render_lines(crop)

    def on_resize(self, _event: events.Resize) -> None:
        """Forgets what was painted at the old size."""
        if self._take_room():
            self.changed()

    def _take_room(self) -> bool:
        """Whether the size is another than that of the last paint; if so, what was painted is forgotten."""
        if self._room == self.content_size:
            return False
        self._room = self.content_size
        self._forget()
        self.room_changed()
        return True

    def _forget(self) -> None:
        self._base = None
        self._painted.clear()
        self._composed.clear()
        self._thumbed.clear()

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """The wheel moves the viewport, not the selection."""
        event.stop()
        event.prevent_default()
        self.scroll_rows(WHEEL_ROWS)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """The wheel moves the viewport, not the selection."""
        event.stop()
        event.prevent_default()
        self.scroll_rows(-WHEEL_ROWS)

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """A press in the last column takes the thumb."""
        offset = event.get_content_offset(self)
        if offset is not None and offset.x == self.content_size.width - 1 and self.thumb() is not None:
            event.stop()
            self._dragging = True
            self.capture_mouse()
            self._drag_to(offset.y)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drags the thumb."""
        if self._dragging:
            self._drag_to(event.y - self.gutter.top)

    def on_mouse_up(self, _event: events.MouseUp) -> None:
        """Lets the thumb go."""
        if self._dragging:
            self._dragging = False
            self.release_mouse()

    def _drag_to(self, y: int) -> None:
        height = max(1, self.content_size.height - 1)
        self.scroll_to_share(min(1.0, max(0.0, y / height)))


def plain_text(strips: Iterable[Strip]) -> SafeText:
    """The text of strips as lines without trailing blanks; for copying and for tests."""
    return SafeText("\n".join(strip.text.rstrip() for strip in strips))
