"""The line above the text in compose: where the message goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal

from narrowcast.text import names
from narrowcast.widgets.editor import Editor
from narrowcast.widgets.one_line import OneLine
from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination

if TYPE_CHECKING:
    from narrowcast_api.state.state import State


class TargetLine(Horizontal):
    """Channel and topic, or the people, each a field of its own."""

    DEFAULT_CSS = """
    TargetLine { height: 1; background: $panel; }
    TargetLine Editor { background: $panel; }
    TargetLine Editor:focus { background: $boost; }
    TargetLine OneLine { width: auto; }
    TargetLine #sign { width: 4; }
    TargetLine #channel { width: 20; max-width: 30%; }
    TargetLine #arrow { width: 3; }
    TargetLine #hint { width: 45; }
    TargetLine.-direct #channel, TargetLine.-direct #topic, TargetLine.-direct #arrow { display: none; }
    TargetLine.-channel #to { display: none; }
    TargetLine.-edit Editor, TargetLine.-edit #arrow { display: none; }
    TargetLine.-edit #sign { width: 1fr; }
    TargetLine.-narrow #hint { width: 24; }
    """

    def __init__(self) -> None:
        super().__init__(id="target", classes="-channel")
        self.sign = OneLine(id="sign")
        self.channel = Editor(placeholder="channel", id="channel")
        self.topic = Editor(placeholder="topic", id="topic")
        self.to = Editor(placeholder="names, separated by commas; nobody: notes to myself", id="to")
        self.hint = OneLine(id="hint")
        self._given: tuple[Destination | None, tuple[bool, str, str, str]] = (None, (False, "", "", ""))
        """What `show` was told, and what stood in the fields then: names change and are not unique."""

    def compose(self) -> ComposeResult:
        arrow = OneLine(id="arrow")
        arrow.show_pieces([(" › ", "dim")])
        yield self.sign
        yield self.channel
        yield arrow
        yield self.topic
        yield self.to
        yield self.hint

    @property
    def is_direct(self) -> bool:
        """Whether the message goes to people."""
        return self.has_class("-direct")

    def show_kind(self, direct: bool) -> None:
        """Fields for people, or for channel and topic."""
        self.set_class(direct, "-direct")
        self.set_class(not direct, "-channel")
        self.remove_class("-edit")
        self.sign.show_pieces([(" To " if direct else "  # ", "dim")])

    def show_edit(self, text: str) -> None:
        """No fields: an existing message is being edited."""
        self.add_class("-edit")
        self.sign.show_pieces([(text, "accent")])

    def show(self, state: State, where: Destination | None) -> None:
        """Fill the fields in."""
        if isinstance(where, DirectDestination):
            self.show_kind(True)
            self.to.text = names.recipients(state, where.user_ids)
        else:
            self.show_kind(False)
            self.channel.text = names.channel(state, where.channel_id) if where is not None else ""
            self.topic.text = where.topic if where is not None else ""
        self._given = (where, self._fields())

    def _fields(self) -> tuple[bool, str, str, str]:
        """What the fields say; those that are hidden say nothing."""
        if self.is_direct:
            return (True, "", "", self.to.text)
        return (False, self.channel.text, self.topic.text, "")

    def refresh_names(self, state: State) -> None:
        """Channels and people were told of or renamed: what nobody touched says the new names."""
        where, fields = self._given
        if where is not None and fields == self._fields() and not self.has_class("-edit"):
            self.show(state, where)

    def read(self, state: State) -> tuple[Destination | None, str]:
        """The destination that the fields say, or None and what is wrong with them."""
        where, fields = self._given
        if where is not None and fields == self._fields():
            return where, ""
        if self.is_direct:
            from narrowcast.panes.compose.completion import recipients

            ids, unknown = recipients(state, self.to.text)
            if unknown:
                return (
                    None,
                    f"Nobody, or more than one, is called {unknown[0]!r}. Tab in the field completes names.",
                )
            return DirectDestination(ids), ""
        name = self.channel.text.strip().lstrip("#")
        if not name:
            return None, "Which channel? Name one in the field above the text (Shift-Tab)."
        channel_id = state.channels.id_of(name)
        if channel_id is None:
            return None, f"There is no channel {name!r}. Tab in the field completes names."
        topic = self.topic.text.strip()
        limit = state.limits.max_topic_length
        if len(topic) > limit:
            return None, f"The topic is {len(topic)} characters long; {limit} are allowed."
        return ChannelDestination(channel_id, topic), ""
