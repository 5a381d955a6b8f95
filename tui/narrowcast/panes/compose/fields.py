"""The line above the text in compose, with the destination of the message, and how its fields are read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widget import Widget

from narrowcast.keys.hints import keys_of, with_keys
from narrowcast.panes.open_view import OpenView
from narrowcast.text import names
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.editor import Editor
from narrowcast.widgets.frame_edge import FrameEdge
from narrowcast.widgets.one_line import OneLine
from narrowcast.widgets.style_sheet import style_sheet
from narrowcast_api import permissions
from narrowcast_api.narrow.destinations import ChannelDestination, Destination, DirectDestination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.narrow.resolve import Unresolved, channel_id, person_id
from narrowcast_api.wire.vocabulary import TopicsPolicy

if TYPE_CHECKING:
    from narrowcast_api.model.channels import Channel
    from narrowcast_api.state.state import State

TO_NAMES = "names, separated by commas; empty: to yourself"
TO_YOURSELF = "yourself"
TYPED_TO_YOURSELF = f"{TO_YOURSELF} (or names, separated by commas)"
"""The same while the field has the focus."""

Fields = tuple[bool, str, str, str]
"""Whether it is a direct message; the texts of channel, topic and recipients, which are empty for hidden fields."""


ARROW = 2
LEAST_EDGE = 6
"""Cells of the frame's upper edge that are never covered by fields."""
TYPED, TYPED_MORE = 20, 8
"""Least cells of a field with the focus, and by how many it grows: not with each letter."""


class Given(Struct, frozen=True):
    """What the fields were filled from. ``narrow``: the only view for which this is valid."""

    narrow: Narrow | None = None
    where: Destination | None = None
    fields: Fields = (False, "", "", "")


class TargetLine(Horizontal):
    """Fields for channel and topic, or for the recipients.

    Their content is valid only for the view in which it was chosen. After another view is opened, the line
    shows where a message from that view goes: an address left over from the previous view is never used.
    """

    DEFAULT_CSS = style_sheet(__name__)

    def __init__(self, view: OpenView) -> None:
        super().__init__(id="target", classes="-channel")
        self._view = view
        self.sign = OneLine(id="sign")
        self.channel = Editor(placeholder="channel", id="channel")
        self.topic = Editor(placeholder="topic", id="topic")
        self.to = Editor(placeholder=TO_NAMES, id="to")
        self.edge = FrameEdge(last="╮", id="edge")
        """The rest of the frame's upper edge; shows the keys while nothing below it does."""
        self.hint = FrameEdge("╰", "╯", id="hint")
        """The frame's lower edge, with the keys."""
        self._given = Given()

    def compose(self) -> ComposeResult:
        arrow = OneLine(id="arrow")
        arrow.show_pieces([("› ", "dim")])
        yield FrameEdge("╭", id="corner")
        yield self.sign
        yield self.channel
        yield arrow
        yield self.topic
        yield self.to
        yield self.edge

    def on_resize(self) -> None:
        self.fit()

    def fit(self) -> None:
        """Makes the fields as wide as their texts, and wider while they have the focus, as far as there is room."""
        room = self.size.width - LEAST_EDGE
        if room <= 0:
            return  # not laid out yet
        if self.has_class("-edit"):
            _set_width(self.sign, min(room, cell_len(self.sign.plain)))
            return
        _set_width(self.sign, cell_len(self.sign.plain))
        room -= cell_len(self.sign.plain)
        if self.is_direct:
            if self.to.placeholder != TO_NAMES:
                self.to.placeholder = TYPED_TO_YOURSELF if self.to.has_focus else TO_YOURSELF
            _set_width(self.to, min(room, _wanted(self.to)))
            return
        channel, topic = _wanted(self.channel), _wanted(self.topic) if self.has_topics else 0
        room -= ARROW if self.has_topics else 0
        if channel + topic > room:  # the longer one is cut first
            channel = min(channel, max(room - topic, room // 3))
        _set_width(self.channel, max(1, channel))
        _set_width(self.topic, max(1, min(topic, room - channel)))

    @property
    def is_direct(self) -> bool:
        """Whether the fields are those of a direct message."""
        return self.has_class("-direct")

    def show_kind(self, direct: bool) -> None:
        """Shows the field for recipients, or those for channel and topic."""
        if direct != self.is_direct or self.has_class("-edit"):
            self.set_class(direct, "-direct", update=False)
            self.set_class(not direct, "-channel", update=False)
            self.remove_class("-edit", update=False)
            self.update_node_styles()  # once for the whole line
        self._show_sign()
        self.fit()

    def show_edit(self, text: str) -> None:
        """Hides the fields, because an existing message is being edited."""
        self.add_class("-edit")
        self.sign.show_pieces([(f" {text.strip()} ", "accent")])
        self.fit()

    def show_view(self, state: State) -> None:
        """Fills the fields with the destination of a message from the open view."""
        narrow = self._view.narrow
        self.show(state, narrow.new_message_destination if narrow is not None else None)

    def show(self, state: State, where: Destination | None) -> None:
        """Fills the fields with a destination that was chosen in the open view."""
        if isinstance(where, DirectDestination):
            self.show_kind(True)
            self.to.text = names.recipients(state, where.user_ids)
            self.to.placeholder = TO_NAMES if where.user_ids else TO_YOURSELF
            self.channel.text = self.topic.text = ""
        else:
            self.show_kind(False)
            self.to.placeholder = TO_NAMES
            self.channel.text = names.channel(state, where.channel_id) if where is not None else ""
            self.topic.text = where.topic if where is not None else ""
            self.to.text = ""
        self._given = Given(self._view.narrow, where, self._fields())
        self.fit()

    def view_moved(self) -> None:
        """Keeps the fields, although the view has another narrow now."""
        self._given = replace(self._given, narrow=self._view.narrow)

    def show_rules(self, state: State) -> None:
        """Shows whether the channel has topics, and whether one is required, before the user writes."""
        channel_id = None if self.is_direct else self._channel_id(state)
        policy = (
            TopicsPolicy.ALLOW_EMPTY if channel_id is None else permissions.topics_policy(state, channel_id)
        )
        self._show_sign(state.channels.get(channel_id) if channel_id is not None else None)
        self.set_class(policy is TopicsPolicy.EMPTY_ONLY and not self.is_direct, "-no-topics")
        if policy is TopicsPolicy.EMPTY_ONLY and self.topic.text:
            self.topic.text = ""
        required = "topic" if channel_id is None else "topic (required)"
        optional = f"topic (empty: {names.topic(state, '')})"
        self.topic.placeholder = optional if policy is TopicsPolicy.ALLOW_EMPTY and channel_id else required
        self.fit()

    def _show_sign(self, channel: Channel | None = None) -> None:
        """Shows what the fields are for: of a channel its sign, in its color, as elsewhere."""
        if self.has_class("-edit"):
            return
        sign = "To" if self.is_direct else names.channel_sign(channel) if channel is not None else "#"
        color = names.channel_color(channel) if channel is not None else ""
        self.sign.show_pieces([(f" {sign} ", color or "dim")])

    @property
    def has_topics(self) -> bool:
        """Whether the channel has topics."""
        return not self.has_class("-no-topics")

    def _fields(self) -> Fields:
        if self.is_direct:
            return (True, "", "", self.to.text)
        return (False, self.channel.text, self.topic.text, "")

    @property
    def _is_left_over(self) -> bool:
        return self._given.narrow != self._view.narrow

    def refresh_names(self, state: State) -> None:
        """Shows the new names after channels or people were loaded or renamed, unless the user changed the fields."""
        given = self._given
        if given.where is not None and given.fields == self._fields() and not self.has_class("-edit"):
            self.show(state, given.where)

    def read(self, state: State) -> tuple[Destination | None, str]:
        """The destination in the fields, or None and what is wrong with it."""
        if self._is_left_over:
            self.show_view(state)
        if (given := self._unchanged_destination) is not None:
            return given, ""
        return self._read_people(state) if self.is_direct else self._read_channel(state)

    def complete_names(self, state: State) -> None:
        """Replaces parts of names that match only one person or channel by the full name."""
        if self.is_direct:
            self.to.text = people_in_full(state, self.to.text)
        else:
            self.channel.text = channel_in_full(state, self.channel.text)
        self.fit()

    def separate_names(self, state: State) -> None:
        """Completes a name once a comma is typed behind it, with a blank behind that, which may be typed too."""
        if self.to.text.endswith(","):
            self.complete_names(state)
        elif self.to.text.endswith(",  "):
            self.to.text = self.to.text[:-1]

    def name_problem(self, state: State, field: Editor) -> str:
        """What is wrong with the names in an address field; empty if they are known, or none is there."""
        if self._unchanged_destination is not None:
            return ""
        if field is self.to:
            return self._read_people(state)[1]
        if field is self.channel and self._channel_name and self._channel_id(state) is None:
            return self._no_channel()
        return ""

    @property
    def _unchanged_destination(self) -> Destination | None:
        """The destination that the fields were filled from; None after the user changed them."""
        return self._given.where if self._given.fields == self._fields() else None

    def _with_keys(self, text: str) -> str:
        return with_keys(keys_of(self), text)

    def _read_people(self, state: State) -> tuple[Destination | None, str]:
        ids, unknown = recipients(state, self.to.text)
        if unknown:
            return None, f"No unique user matches {unknown[0]!r}. {names.SEE_MATCHES}"
        return DirectDestination(ids), ""

    def _no_channel(self) -> str:
        return f"No channel named {self._channel_name!r}. {names.SEE_MATCHES}"

    @property
    def _channel_name(self) -> str:
        return self.channel.text.strip().lstrip("#")

    def _channel_id(self, state: State) -> int | None:
        """The id of the channel in the field. One that was filled in stays valid if the user loses access to it."""
        given = self._given
        if isinstance(given.where, ChannelDestination) and self.channel.text == given.fields[1]:
            return given.where.channel_id
        return state.channels.id_of(self._channel_name)

    def _read_channel(self, state: State) -> tuple[Destination | None, str]:
        if not self._channel_name:
            return (
                None,
                self._with_keys(
                    "Select a channel in the field above the text (<compose.previous-field>), or press "
                    "<compose.leave>, <write.direct> for a direct message."
                ),
            )
        channel_id = self._channel_id(state)
        if channel_id is None:
            return None, self._no_channel()
        topic = self.topic.text.strip()
        limit = state.limits.max_topic_length
        if len(topic) > limit:
            return None, f"The topic is {len(topic)} characters long; {limit} are allowed."
        return ChannelDestination(channel_id, topic), ""


def _wanted(field: Editor) -> int:
    """The cells that the text of a field needs, with a blank or the cursor behind it."""
    cells = cell_len(safe_line(field.text) or field.placeholder) + 1
    if not field.has_focus:
        return cells
    return max(TYPED, -(-(cells + 1) // TYPED_MORE) * TYPED_MORE)


def _set_width(widget: Widget, cells: int) -> None:
    """Sets a width, which lays out the screen, only if it is another one."""
    if widget.styles.width is None or widget.styles.width.value != cells:
        widget.styles.width = cells


def recipients(state: State, typed: str) -> tuple[frozenset[int], list[str]]:
    """The ids for a list of names, without the current user, and the names that match no user, or more than one."""
    ids: set[int] = set()
    unknown: list[str] = []
    for name in filter(None, (part.strip() for part in typed.split(","))):
        user_id = state.user_id(name)
        if user_id is None or state.users.get(user_id) is None:
            unknown.append(name)
        else:
            ids.add(user_id)
    return frozenset(ids - {state.me}), unknown


def people_in_full(state: State, typed: str) -> str:
    """A list of names in which each part that matches only one person's name is replaced by the full name."""
    return ", ".join(_person_in_full(state, part.strip()) for part in typed.split(","))


def _person_in_full(state: State, name: str) -> str:
    if not name or state.user_id(name) is not None:
        return name
    try:
        return names.recipient(state, person_id(name, state.users, state.me))
    except Unresolved:
        return name


def channel_in_full(state: State, typed: str) -> str:
    """The name of the only channel whose name contains ``typed``; else ``typed``."""
    name = typed.strip().removeprefix("#")
    if not name or state.channels.id_of(name) is not None:
        return typed
    channels = (channel for channel in state.channels if not channel.is_archived)
    try:
        return state.channels.name(channel_id(name, channels)) or typed
    except Unresolved:
        return typed
