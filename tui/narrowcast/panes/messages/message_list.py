"""The message list: any number of messages, newest at the bottom; the cost depends only on what is on the screen.

The widget combines four parts: the rows of the items (`feed`), the scroll position (`position`), the painting
of rows (`row_painter`), and the selected text (`selection`).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from rich.style import Style
from textual import events
from textual.binding import BindingType
from textual.message import Message as TextualMessage
from textual.selection import Selection
from textual.strip import Strip

from narrowcast.config.config import Appearance
from narrowcast.content.inlines import Target
from narrowcast.content.palette import Palette
from narrowcast.keys.hints import keys_of
from narrowcast.keys.registry import Context, bindings_for
from narrowcast.panes.messages.items import ItemRows, Key, MessageItems
from narrowcast.panes.messages.painting import GUTTER, Overlay, RowPainter
from narrowcast.panes.messages.position import Position
from narrowcast.panes.messages.row_values import Cards, StateNames, Tints
from narrowcast.panes.messages.rows import RowMaker
from narrowcast.panes.messages.selection import TextSelection
from narrowcast.widgets.empty import EMPTY_LOOKS, Empty, empty_row
from narrowcast.widgets.line_view import LineView
from narrowcast.widgets.looks import Look
from narrowcast.widgets.tints import ground_of

log = logging.getLogger(__name__)

__all__ = ["MessageList"]

AIRY_COLUMNS = 60
"""Columns of the narrowest list that has air between messages, unless it is set to be comfortable."""

NEAR_EDGE = 50
"""Number of items from the oldest (or newest) loaded one at which the next page is requested."""


class MessageList(LineView):
    """Shows a `MessageItems`. The pane that owns it handles the session; the list only rows and positions."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.FOUND)]
    LOOKS: ClassVar[Mapping[str, Look]] = {
        **EMPTY_LOOKS,
        **{f"messages--{part}": Look() for part in Palette.parts()},
        "messages--dim": Look("text-muted", ansi=Style(dim=True)),
        "messages--link": Look("text-primary", letters=Style(underline=True)),
        "messages--code": Look("text-secondary"),
        "messages--heading": Look(letters=Style(bold=True)),
        "messages--title": Look("text-primary", letters=Style(bold=True)),
        "messages--literal": Look("text-warning", ground="panel"),
        "messages--block": Look(ground="surface"),
        "messages--mention": Look("text-primary", ground="primary-muted"),
        "messages--own": Look("text-warning", letters=Style(bold=True, reverse=True)),
        "messages--sender": Look("text-accent", letters=Style(bold=True)),
        "messages--place": Look("text-primary", letters=Style(bold=True)),
        "messages--mark": Look("text-primary"),
        "messages--chip": Look("text-muted", ground="panel", ansi=Style(dim=True)),
        "messages--own_chip": Look("text-primary", ground="primary-muted", letters=Style(bold=True)),
        "messages--bar": Look("line", ansi=Style(dim=True)),
        "messages--error": Look("text-error"),
        "messages--found": Look(letters=Style(reverse=True)),
        "messages--keyword": Look("text-primary", letters=Style(bold=True)),
        "messages--string": Look("text-success"),
        "messages--number": Look("text-warning"),
        "messages--comment": Look("text-muted", letters=Style(italic=True), ansi=Style(dim=True)),
        "messages--name": Look("text-accent"),
        "messages--builtin": Look("text-secondary"),
        "messages--deleted": Look("text-error"),
        "messages--inserted": Look("text-success"),
        "messages--mentioned": Look("text-warning 70%"),
        "messages--chosen": Look(ground="selection"),
        "messages--cursor": Look("text-muted 60%", ansi=Style(dim=True)),
        "messages--focused": Look("text-primary 60%", ansi_color="primary"),
        "messages--hint": Look("background", ground="accent", letters=Style(bold=True)),
        "messages--selection": Look(
            "foreground", ground="screen-selection-background", ansi_color="screen-selection-foreground"
        ),
    }
    DEFAULT_CSS = """
    MessageList { background: $background; }
    """

    class Moved(TextualMessage):
        """The viewport or the selection moved. `ends`: ids of the messages whose ends are in view now."""

        def __init__(self, ends: Sequence[int]) -> None:
            super().__init__()
            self.ends = ends

    class HeadingChosen(TextualMessage):
        """The heading of the conversation of a message was clicked."""

        def __init__(self, key: Key) -> None:
            super().__init__()
            self.key = key

    class TargetChosen(TextualMessage):
        """A target in a message was clicked or chosen by its hint."""

        def __init__(self, key: Key, target: Target) -> None:
            super().__init__()
            self.key = key
            self.target = target

    class PageWanted(TextualMessage):
        """The viewport is near the end of the loaded messages."""

        def __init__(self, older: bool) -> None:
            super().__init__()
            self.older = older

    class TextSelected(TextualMessage):
        """Text was selected, or the selection was cleared."""

        def __init__(self, selected: bool) -> None:
            super().__init__()
            self.selected = selected

    def __init__(self, *, wall: Callable[[], float] = time.time, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.rows = ItemRows(self._new_maker, wall)
        self.position = Position(self.rows, lambda: self.content_size.height, self.changed)
        self.selection = TextSelection(self, self.rows, self.position)
        self.overlay: Overlay | None = None
        self._cards: Cards | None = None
        self.empty = Empty()
        """What is shown if there are no messages."""
        self.appearance = Appearance()
        self._painter = RowPainter(self, self.rows, self.position)
        self._has_selection = False

    # Used by the pane.

    @property
    def feed(self) -> MessageItems | None:
        return self.rows.feed

    @property
    def selected(self) -> Key | None:
        """The key of the selected item; None if there is none."""
        return self.position.selected

    def show_feed(self, feed: MessageItems | None) -> None:
        """Shows another view, from its start; `position.jump` then sets the position."""
        self.rows.show(feed)
        self.position.reset()
        self.overlay = None
        self._arrange()
        self.changed()

    def forget_echoes(self) -> None:
        """Lays out echoes again: the text about them depends on their age."""
        self.rows.forget_echoes()

    def use_cards(self, cards: Cards | None) -> None:
        """Lays everything in view out again after a change of the cards of extensions."""
        self._cards = cards
        self.rows.forget_looks()
        self.changed()

    def refresh_looks(self) -> None:
        """Lays everything in view out again after a change of the keys named in rows, or of settings of their look."""
        self._lay_out_again()
        self.changed()

    def names_changed(self) -> None:
        """Lays everything in view out again after a change of the names of people, groups or channels."""
        self.rows.forget()
        self.changed()

    def reshape(self, key: Key, **changes: object) -> None:
        """Changes how a message is expanded or panned."""
        self.rows.reshape(key, **changes)
        self.changed()

    def targets_in_view(self) -> dict[tuple[Key, int], int]:
        """The first screen row of each target in view, by its item and number, from top to bottom."""
        targets: dict[tuple[Key, int], int] = {}
        for y in range(len(self.position.places)):
            for target in self._targets_in(y):
                targets.setdefault(target, y)
        return targets

    def targets_beginning(self, y: int) -> set[tuple[Key, int]]:
        """The targets whose first row in view is the screen row `y`, by their item and number."""
        above = self._targets_in(y - 1) if y > 0 else []
        return set(self._targets_in(y)).difference(above)

    def _targets_in(self, y: int) -> list[tuple[Key, int]]:
        """The targets in one screen row, from left to right."""
        feed = self.feed
        place = self.position.places[y] if y < len(self.position.places) else None
        if place is None or feed is None:
            return []
        key = feed.key(place.index)
        numbers = (_target_of(segment.style) for segment in self.rows.at(place.index).rows[place.row].strip)
        return [(key, number) for number in numbers if number is not None]

    def ids_in_view(self) -> set[int]:
        """The ids of messages with at least one row on the screen."""
        feed = self.feed
        if feed is None:
            return set()
        keys = {feed.key(place.index) for place in self.position.shown}
        return {key for key in keys if isinstance(key, int)}

    # LineView.

    def _new_maker(self, names: StateNames) -> RowMaker:
        palette = Palette.read(lambda part: self.part_style(f"messages--{part}"), self.app.no_color)
        width = self.content_size.width - GUTTER - 1
        tints = Tints.on(ground_of(self), people=self.appearance.sender_colors)
        air = self.has_air
        return RowMaker(names, palette, self.base_style, width, self._cards, keys_of(self), tints, air)

    @property
    def has_air(self) -> bool:
        """Whether there are blank rows between messages, and tiles beside them."""
        has_air = self.appearance.has_air(self.app.size.height)
        is_chosen = self.appearance.density == "comfortable"
        return has_air and (is_chosen or self.content_size.width >= AIRY_COLUMNS)

    def thumb(self) -> tuple[int, int] | None:
        """The scroll thumb: its row and length, measured in messages, not rows."""
        return self.position.thumb

    def scroll_rows(self, delta: int) -> None:
        self.position.scroll(delta)

    def scroll_to_share(self, share: float) -> None:
        """Scrolls to a share of the loaded messages, for the scroll thumb."""
        self.position.scroll_to_share(share)

    def repaint_changes(self) -> None:
        """Positions the viewport, reports what was seen, and repaints what differs."""
        self._arrange()
        super().repaint_changes()

    def compose_row(self, y: int) -> Strip:
        """Row `y` of the screen; blank and logged if painting it fails."""
        feed = self.feed
        try:
            if feed is None or not len(feed):
                return empty_row(self, self.empty, y)
            return self._painter.row(y, feed, self.overlay)
        except Exception:
            log.exception("row %s of the messages cannot be drawn", y)
            return Strip.blank(self.room.width, self.base_style)

    def decorate_row(self, y: int, strip: Strip) -> Strip:
        """Marks the text of rows for the mouse; returns the row unmarked and logs it if that fails."""
        try:
            return self.selection.mark(y, strip)
        except Exception:
            log.exception("row %s of the messages cannot be marked", y)
            return strip

    def looks_changed(self, resized: bool) -> None:
        """Lays everything out again: in other colours, too, messages can have other heights."""
        self._lay_out_again()

    def _lay_out_again(self) -> None:
        """Drops all rows; the selected message stays in view, or else the first one in view."""
        was_in_view = self.position.is_selected_in_view
        self.rows.forget_looks()
        self._painter.forget_looks()
        self._arrange()
        if was_in_view:
            self.position.keep_selected_in_view()

    def _arrange(self) -> None:
        """Positions the viewport, posts what came into view, and requests the adjacent pages. Does nothing before the
        list has a size.
        """
        if not self.content_size.height:
            return
        self.position.arrange()
        feed, shown = self.feed, self.position.shown
        if feed is None or not shown:
            return
        if shown[0].index < NEAR_EDGE and not feed.view.found_oldest:
            self.post_message(self.PageWanted(older=True))
        if len(feed.ids) - shown[-1].index < NEAR_EDGE and not feed.view.found_newest:
            self.post_message(self.PageWanted(older=False))
        self.post_message(self.Moved(self.position.take_ends(feed)))

    # Textual.

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enables the commands of `Context.FOUND` only while there is a match or selection for them."""
        return action != "command" or parameters[0] in self._for_now

    def action_found(self, command_id: str) -> None:
        self._for_now[command_id]()

    @property
    def _for_now(self) -> Mapping[str, Callable[[], None]]:
        """The handlers of the commands of `Context.FOUND` at the moment."""
        if self.overlay is not None:
            return self.overlay.commands
        return {"found.close": self.screen.clear_selection} if self.screen.selections else {}

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        if self.feed is None or not len(self.feed):
            return None
        return self.selection.text(selection), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self.refresh()
        if self._has_selection != (selection is not None):
            self._has_selection = selection is not None
            self.post_message(self.TextSelected(self._has_selection))

    def on_click(self, event: events.Click) -> None:
        """Selects the clicked message, and follows the clicked target, unless text was selected by dragging."""
        feed, places = self.feed, self.position.places
        offset = self.clicked(event)
        event.prevent_default()  # Textual would select everything at a double click
        if offset is None or self.text_selection is not None:
            return
        place = places[offset.y] if offset.y < len(places) else None
        is_heading = bool(event.style.meta.get("conversation")) if event.style.meta else False
        if place is None and is_heading:  # the sticky heading, which belongs to the first message in view
            place = next(iter(self.position.shown), None)
        if feed is None or place is None:
            return
        key = feed.key(place.index)
        if is_heading:
            self.post_message(self.HeadingChosen(key))
            return
        self.position.choose(key)
        if event.chain > 1:
            self.selection.select_text_of(key)
            return
        number, targets = _target_of(event.style), self.rows.at(place.index).targets
        if number is not None and number < len(targets):
            self.post_message(self.TargetChosen(key, targets[number]))


def _target_of(style: Style | None) -> int | None:
    """The target number in a style."""
    number = style.meta.get("target") if style is not None and style.meta else None
    return number if isinstance(number, int) else None
