"""Help: every key, made from the registry of actions and the user's own keymap."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.style import Style
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.strip import Strip

from narrowcast.commands.keymap import key_label
from narrowcast.commands.registry import groups
from narrowcast.widgets.line_view import compose_line
from narrowcast.widgets.looks import Look
from narrowcast.widgets.one_line import OneLine
from narrowcast.widgets.virtual_list import VirtualList

FIRST_STEPS = (
    ("Tab", "goes from pane to pane: channels, messages, writing"),
    ("j k", "move in a list, Enter opens what is selected"),
    ("r", "replies to the selected message; c writes to a channel, x to a person"),
    ("Ctrl-k", "goes anywhere: type a few letters of a channel, topic or name"),
    ("Ctrl-p", "finds any action by its name"),
    ("Esc", "leaves what you are in; what you wrote is kept as a draft"),
)


@dataclass(frozen=True, slots=True)
class HelpRow:
    """A heading, a key with what it does, or an empty line."""

    keys: str = ""
    title: str = ""
    detail: str = ""


class HelpList(VirtualList[HelpRow]):
    """The rows of help."""

    DEFAULT_CSS = """
    HelpList { background: $surface; }
    """
    LOOKS: ClassVar[Mapping[str, Look]] = {
        "help--heading": Look("accent", letters=Style(bold=True)),
        "help--keys": Look("primary", letters=Style(bold=True)),
    }

    def render_item(self, item: HelpRow, width: int, selected: bool) -> Sequence[Strip]:
        """One row."""
        if not item.keys:
            return [compose_line(width, [(item.title, self.part_style("help--heading"))], base=Style.null())]
        column = 24 if width >= 70 else 16
        keys = item.keys if len(item.keys) < column else item.keys[: column - 2] + "…"
        left = [(f" {keys:<{column}}", self.part_style("help--keys")), (item.title, Style.null())]
        right = [(item.detail, self.part_style("virtual-list--dim"))] if width >= 90 else []
        return [compose_line(width, left, right, base=Style.null())]

    def selectable(self, item: HelpRow) -> bool:
        """Headings and gaps only separate."""
        return bool(item.keys)

    def key_of(self, item: HelpRow) -> Hashable:
        """Rows are values."""
        return item


class HelpScreen(ModalScreen[None]):
    """All keys by heading; any key that leaves closes it."""

    DEFAULT_CSS = """
    HelpScreen { align: center middle; background: $background 40%; }
    HelpScreen > Vertical {
        width: 100; max-width: 96%; height: 92%; background: $surface; border: round $primary; padding: 0 1;
    }
    HelpScreen OneLine { background: $surface; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,f1,enter", "leave", "Close", show=False, priority=True),
    ]

    def __init__(self, keys: Mapping[str, tuple[str, ...]]) -> None:
        super().__init__()
        self._keys = keys

    def compose(self) -> ComposeResult:
        with Vertical():
            title = OneLine()
            title.show_pieces([("Keys", "strong")], [("j k scroll · Esc closes", "dim")])
            yield title
            yield HelpList(self._rows())

    def _rows(self) -> list[HelpRow]:
        rows = [HelpRow(title="First steps")]
        rows += [HelpRow(keys, title) for keys, title in FIRST_STEPS]
        for group, actions in groups().items():
            rows += [HelpRow(), HelpRow(title=group)]
            for action in actions:
                keys = "  ".join(key_label(key) for key in self._keys.get(action.id, action.keys))
                rows.append(HelpRow(keys or "(Ctrl-p)", action.title, action.id))
        return rows

    def action_leave(self) -> None:
        """Close help."""
        self.dismiss(None)
