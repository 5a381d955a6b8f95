"""A list to choose from by typing: the base of the switcher, the palette and smaller pickers."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import ClassVar, Generic, TypeVar

from msgspec import Struct
from rich.style import Style
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.strip import Strip
from textual.timer import Timer

from narrowcast.keys.hints import keys_of, with_keys
from narrowcast.keys.registry import Context, bindings_for
from narrowcast.runtime.context import app_of
from narrowcast.screens.dialogs.dialog import Dialog, PreviewPane
from narrowcast.text.matching import shown_matches
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.editor import Editor
from narrowcast.widgets.empty import Empty
from narrowcast.widgets.looks import PRESENCE_LOOKS, Look
from narrowcast.widgets.strips import Part, compose_line
from narrowcast.widgets.tints import channel_tint, ground_of
from narrowcast.widgets.virtual_list import Searched, VirtualList

__all__ = ["Choice", "ChoiceList", "Picker"]

T = TypeVar("T")

LEAST_ROWS, MOST_ROWS = 3, 18
BEHIND = 0.1
"""Seconds for which the list may be behind the field while more keys wait."""


class Choice(Struct, Generic[T], frozen=True, gc=False):
    """One option. ``text`` and ``detail`` may come from anywhere; ``also`` is searched but not shown; ``written``
    is its name as it is written in messages, such as `#general` or `#general>lunch`.

    ``disabled``: why it cannot be chosen, such as "only organization owners"; empty if it can. ``faint``: it can be
    chosen, but is shown dim. ``rank``: among the choices with words that match, those of a lower one come first.
    ``color``: that of a channel, as the server stores it; its sign has it, and stands where other marks do.
    """

    value: T
    text: str
    detail: str = ""
    mark: str = ""
    also: str = ""
    disabled: str = ""
    faint: bool = False
    written: str = ""
    rank: int = 0
    color: str = ""


class ChoiceList(VirtualList[Choice[T]]):
    """Choices: mark, text, and a dim detail on the right."""

    DEFAULT_CSS = """
    ChoiceList { background: $surface; }
    """
    LOOKS: ClassVar[Mapping[str, Look]] = {
        **PRESENCE_LOOKS,
        "choice--lit": Look("text-primary", letters=Style(bold=True), ansi=Style(underline=True)),
    }
    MOST = 500

    def render_item(self, item: Choice[T], width: int, selected: bool) -> Sequence[Strip]:
        dim = self.part_style("virtual-list--dim")
        detail = item.disabled or item.detail
        if len(detail) > width // 2:
            detail = detail.partition(" (")[0]  # choosing it shows the full reason
        detail = safe_line(detail, max(0, width // 2))
        look = dim if item.disabled or item.faint else Style.null()
        mark, text = item.mark, item.text
        if item.color and not mark and text.startswith("#"):
            mark, text = "#", text[1:]
        left = [(f"{safe_line(mark, 3)} ", self._look_of(mark, item.color))] if mark else []
        right = [(detail + " ", dim)] if detail else []
        return [
            compose_line(width, [*left, *self._lit(safe_line(text, width), look)], right, base=Style.null())
        ]

    def _lit(self, text: str, look: Style) -> Sequence[Part]:
        """The text, with what was typed told apart from the rest."""
        parts: list[Part] = []
        end = 0
        for start, stop in shown_matches(self.filtered_by, text):
            if start >= end:
                parts += [(text[end:start], look), (text[start:stop], look + self.part_style("choice--lit"))]
                end = stop
        return [*parts, (text[end:], look)]

    def _look_of(self, mark: str, color: str) -> Style:
        """The look of a mark: as in the side panes, those of channels and presence have colors."""
        part = mark if mark in PRESENCE_LOOKS else "virtual-list--dim"
        return (channel_tint(ground_of(self), color) if color else None) or self.part_style(part)

    def key_of(self, item: Choice[T]) -> Hashable:
        return item.value if isinstance(item.value, Hashable) else id(item)

    def text_of(self, item: Choice[T]) -> str:
        return item.text

    def written_of(self, item: Choice[T]) -> str:
        return item.written

    def hidden_of(self, item: Choice[T]) -> str:
        return f"{item.text} {item.also} {item.written}" if item.also else ""

    def rank_of(self, item: Choice[T]) -> int:
        return item.rank


class Picker(Dialog[T | None], Generic[T]):
    """A list filtered by typing. Dismissed with the chosen value, or None. Unless it ``is_complete``, the rest of its
    choices comes later, and then `complete`, for which Enter after typed letters waits.

    ``elsewhere``: where to find what is not in the list, with the ids of commands as for `with_keys`; shown
    when nothing matches. ``preview``: shows something about the value of the selected choice.
    """

    DEFAULT_CSS = """
    Picker Editor { background: $panel; padding: 0 1; margin: 0 1 1 1; }
    """
    KEYS = (("picker.select", "selects"), ("dialog.close", "cancels"))
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.PICKER)]
    AUTO_FOCUS = "Editor"

    def __init__(
        self,
        title: str,
        choices: Sequence[Choice[T]],
        *,
        placeholder: str = "type to filter",
        elsewhere: str = "",
        is_complete: bool = True,
        preview: PreviewPane | None = None,
    ) -> None:
        super().__init__()
        self.preview = preview
        self._is_complete = is_complete
        self._takes = False
        self._late: Timer | None = None
        """Filters the list; None unless it is behind the field."""
        self._title = title
        self._placeholder = placeholder
        self._elsewhere = elsewhere
        self.list: ChoiceList[T] = ChoiceList(choices, empty=Empty("Nothing to choose from"))
        self.list.can_focus = False
        self.list.lead(True)

    def title_text(self) -> str:
        return self._title

    def about(self) -> str:
        return self.list.counted

    def body(self) -> ComposeResult:
        self.list.unmatched_hint = with_keys(keys_of(self), self._elsewhere)
        yield Editor(placeholder=self._placeholder)
        yield self.with_preview(self.list)

    def previewed(self) -> object:
        item = self.list.selected_item
        return item.value if item is not None else None

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        event.stop()
        self.show_preview()

    def set_choices(self, choices: Sequence[Choice[T]], searched: Searched[Choice[T]] | None = None) -> None:
        """Replaces the choices; filter and selection stay. ``searched``: their `searched_of`."""
        self.list.set_items(choices, searched=searched)
        if self.is_mounted:
            self.show_keys()
            self.fit()
        self.show_title()
        self.call_later(self.list.prepare)

    def complete(self) -> None:
        """All choices are there: takes the best match if Enter was pressed before."""
        self._is_complete = True
        if self._takes and self.is_attached:
            self._catch_up()
            self.list.action_first()
            self.action_take()

    def show_keys(self) -> None:
        """Leaves out the key that selects while there is nothing to select."""
        keys = [hint for hint in self.KEYS if self.list.shown or hint[0] != "picker.select"]
        self.key_line.show_keys(keys)

    def on_mount(self) -> None:
        self.call_after_refresh(self.list.prepare)

    def fit(self) -> None:
        """Takes as many rows as there are choices. While one types, fewer match, but nothing moves."""
        super().fit()
        room = self.rows_left(self.rows_beside())
        self.fit_preview(self.list, max(LEAST_ROWS, min(len(self.list.items), MOST_ROWS, room)))

    def rows_beside(self) -> int:
        return 2

    def on_editor_changed(self, event: Editor.Changed) -> None:
        """Filters the list. If more keys wait, a moment later: they change the text again."""
        if event.edited and app_of(self).keys_wait:
            self._late = self._late or self.set_timer(BEHIND, self._filter)
        elif event.edited:
            self._filter()

    def _filter(self) -> None:
        if self._late is not None:
            self._late.stop()
            self._late = None
        self.list.set_filter(self.query_one(Editor).text)
        self.show_keys()
        self.show_title()

    def _catch_up(self) -> None:
        """Filters the list if it is behind the field."""
        if self._late is not None:
            self._filter()

    def on_editor_submitted(self) -> None:
        """Enter in the field chooses the selected line."""
        self.action_take()

    def on_virtual_list_selected(self, event: VirtualList.Selected) -> None:
        event.stop()
        self.action_take()

    def action_take(self) -> None:
        if not self._is_complete and self.query_one(Editor).text.strip():
            self._takes = True
            return
        self._catch_up()
        item = self.list.selected_item
        if item is not None and item.disabled:
            app_of(self).tell(f"{item.text}: {item.disabled}.", severity="warning")
        elif item is not None:
            self.dismiss(item.value)

    def action_down(self) -> None:
        self._catch_up()
        self.list.action_cursor_down()

    def action_up(self) -> None:
        self._catch_up()
        self.list.action_cursor_up()

    def action_page_down(self) -> None:
        self._catch_up()
        self.list.action_page_down()

    def action_page_up(self) -> None:
        self._catch_up()
        self.list.action_page_up()
