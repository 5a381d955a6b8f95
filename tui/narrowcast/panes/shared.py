"""What is in the messages of the open conversation: files and links, below its people."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import urlsplit

from msgspec import Struct
from rich.style import Style
from textual.strip import Strip

from narrowcast.content.addresses import External, resolve
from narrowcast.content.links import links_in
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.looks import Look
from narrowcast.widgets.strips import compose_line
from narrowcast.widgets.virtual_list import VirtualList

if TYPE_CHECKING:
    from narrowcast_api.model.messages import Message
    from narrowcast_api.state.state import State

__all__ = ["SharedItem", "SharedKind", "SharedList", "shared_in"]

MOST = 50
"""Maximum number of files, and of links."""


class SharedKind(Enum):
    """What is shared; the values are headings."""

    FILE = "Files"
    LINK = "Links"


class SharedItem(Struct, frozen=True):
    """A file or a link, or the heading above these: it has no address, and ``count`` says how many follow."""

    kind: SharedKind
    url: str = ""
    text: str = ""
    count: int = 0


def shared_in(messages: Iterable[Message], state: State) -> list[SharedItem]:
    """Files and links in these messages under their headings, each address once."""
    found: dict[SharedKind, dict[str, SharedItem]] = {SharedKind.FILE: {}, SharedKind.LINK: {}}
    for message in messages:
        for link in links_in(message.content):
            place = resolve(link.href, state)
            if not isinstance(place, External):
                continue
            is_file = place.own and "/user_uploads/" in urlsplit(place.url).path
            kind = SharedKind.FILE if is_file else SharedKind.LINK
            text = link.text.removeprefix("https://").removeprefix("http://")
            found[kind].setdefault(place.url, SharedItem(kind, place.url, text))
    rows: list[SharedItem] = []
    for kind, by_url in found.items():
        below = [*by_url.values()][:MOST]
        if below:
            rows += [SharedItem(kind, count=len(below)), *below]
    return rows


class SharedList(VirtualList[SharedItem]):
    """As tall as it needs, up to half of the pane; hidden if nothing is shared."""

    LOOKS: ClassVar[Mapping[str, Look]] = {
        "shared--heading": Look("text-muted", letters=Style(bold=True)),
        "shared--link": Look("text-primary"),
    }
    DEFAULT_CSS = """
    SharedList { background: $surface; max-height: 50%; display: none; }
    """

    def render_item(self, item: SharedItem, width: int, selected: bool) -> Sequence[Strip]:
        if not item.url:
            heading, dim = self.part_style("shared--heading"), self.part_style("virtual-list--dim")
            count = [(f"{item.count} ", dim)]
            title = compose_line(width, [(f" {item.kind.value.upper()}", heading)], count, base=Style.null())
            return [Strip.blank(width, self.base_style), title]
        sign = " ▤ " if item.kind is SharedKind.FILE else " ↗ "
        text = (safe_line(item.text, width), self.part_style("shared--link"))
        return [compose_line(width, [(sign, self.part_style("virtual-list--dim")), text], base=Style.null())]

    def rows_of(self, item: SharedItem) -> int:
        return 1 if item.url else 2

    def selectable(self, item: SharedItem) -> bool:
        return bool(item.url)

    def key_of(self, item: SharedItem) -> Hashable:
        return item.kind, item.url

    def text_of(self, item: SharedItem) -> str:
        return item.text

    def show(self, shared: Sequence[SharedItem]) -> None:
        """Shows these, in as many rows as they need."""
        if shared != self.items:
            self.styles.height = sum(map(self.rows_of, shared))
            self.display = bool(shared)
            self.set_items(shared)

    def rows_shown(self, height: int) -> int:
        """The rows that it takes of a pane of that height."""
        return min(sum(map(self.rows_of, self.items)), height // 2)
