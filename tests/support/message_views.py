"""Views of many messages without a server, for tests and benchmarks of the message list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC

from msgspec.structs import replace
from textual.app import ComposeResult

from narrowcast.panes.messages.items import MessageItems
from narrowcast.panes.messages.message_list import MessageList
from narrowcast.panes.messages.row_values import StateNames
from narrowcast.widgets.strips import plain_text
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.model.messages import Match, Message
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state.state import State
from narrowcast_api.state.timeline import Gap
from support import live
from support.small_apps import ContextApp

FIRST_TIME = 1_700_000_000
SENTENCE = "Some words of a message that is as long as messages are, which is not very long, but may wrap. "


@dataclass
class StillView:
    """A view whose ids the test sets."""

    narrow: Narrow = field(default_factory=lambda: Narrow.topic(live.GENERAL, "tests"))
    ids: Sequence[int] = ()
    gaps: Sequence[Gap] = ()
    found_oldest: bool = True
    found_newest: bool = True
    first_unread: int | None = None
    error: NarrowcastError | None = None
    matches: Mapping[int, Match] = field(default_factory=dict)


def message(number: int, content: str | None = None, **fields: object) -> Message:
    """A message of Bruno's or Chiyo's, who take turns every three messages, one minute after the previous one."""
    html = f"<p>{number} {SENTENCE * (number % 4)}</p>" if content is None else content
    base = Message(
        number,
        2 + number // 3 % 2,
        "somebody",
        "",
        FIRST_TIME + 60 * number,
        html,
        channel_id=live.GENERAL,
        topic="tests",
        flags=frozenset({"read"}),
    )
    return replace(base, **fields)


def short(number: int, **fields: object) -> Message:
    """A message of two words."""
    return message(number, f"<p>text {number}</p>", **fields)


def state_with(messages: Sequence[Message]) -> State:
    """Ada's state with these messages."""
    state = live.make_state()
    state.add_messages(messages)
    return state


class ListApp(ContextApp):
    """The list alone, on a view that does not change."""

    def __init__(self, messages: Sequence[Message], **view: object) -> None:
        super().__init__()
        self.state = state_with(messages)
        self.view = StillView(ids=[one.id for one in messages], **view)  # type: ignore[arg-type]  # fields of StillView
        self.feed = MessageItems(self.view, StateNames(self.state, UTC))
        self.list = MessageList(wall=lambda: FIRST_TIME)
        self.ended: list[int] = []
        self.pages: list[bool] = []

    def compose(self) -> ComposeResult:
        """The list."""
        yield self.list

    def on_mount(self) -> None:
        """Shows the view."""
        self.list.show_feed(self.feed)
        self.list.focus()

    def on_message_list_moved(self, event: MessageList.Moved) -> None:
        """Records which messages were on the screen to their end."""
        self.ended.extend(one for one in event.ends if one not in self.ended)

    def on_message_list_page_wanted(self, event: MessageList.PageWanted) -> None:
        """Records which pages were requested."""
        self.pages.append(event.older)

    def put(self, *messages: Message) -> None:
        """Updates messages, and notifies the list."""
        self.state.add_messages(messages)
        self.view.ids = sorted({*self.view.ids, *(one.id for one in messages)})
        self.list.position.feed_changed()

    def drop(self, *ids: int) -> None:
        """Removes messages."""
        self.state.messages.remove(ids)
        self.view.ids = [one for one in self.view.ids if one not in ids]
        self.list.position.feed_changed()

    def rows(self) -> list[str]:
        """Returns the screen as text, without the scroll thumb."""
        height = self.list.content_size.height
        return plain_text(self.list.compose_row(y) for y in range(height)).split("\n")
