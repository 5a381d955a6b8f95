"""Completion in compose: the list of completions above the current field."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING

from narrowcast.keys.hints import keys_of
from narrowcast.panes.compose import completion
from narrowcast.panes.compose.completion import Completion
from narrowcast.panes.compose.fields import TargetLine
from narrowcast.runtime.context import ExtensionsContext, app_of
from narrowcast.screens.dialogs.picker import Choice, ChoiceList
from narrowcast.widgets.editor import Editor
from narrowcast_api.errors import NarrowcastError

if TYPE_CHECKING:
    from textual.widget import Widget

    from narrowcast_api.state.state import State
    from narrowcast_api.sync.session import Session


def _added(extensions: ExtensionsContext, typed: str) -> tuple[int, Iterable[Completion]] | None:
    """Completions by extensions for the text before the cursor."""
    line_start = typed.rfind("\n") + 1
    added = extensions.offers(typed[line_start:])
    if added is None:
        return None
    offered = [Completion(one.label or one.insert, one.insert, one.detail) for one in added[1]]
    return line_start + added[0], offered


class Offers:
    """Shows completions, and inserts the chosen one into its field. ``host``: the widget over which they are shown."""

    def __init__(self, host: Widget, session: Session, target: TargetLine, text: Editor) -> None:
        self._host = host
        self._session = session
        self._target = target
        self._text = text
        self._offered: tuple[Editor, int] | None = None
        self._loading: set[int] = set()
        """Channels whose topics are being fetched."""
        self._was_moved = False
        """Whether another row than the first was chosen with the arrows."""

    @property
    def _state(self) -> State:
        return self._session.state

    @property
    def field(self) -> Editor | None:
        """The field that is being completed; None if there are no completions."""
        return self._offered[0] if self._offered is not None else None

    @cached_property
    def list(self) -> ChoiceList[Completion]:
        """The list of current completions; created with the first of them."""
        offers: ChoiceList[Completion] = ChoiceList(id="offers")
        offers.can_focus = False
        self._host.mount(offers, before=0)
        return offers

    def _completions(self, field: Editor, asked: bool) -> tuple[int, Iterable[Completion]] | None:
        typed = field.text[: field.buffer.cursor]
        if field is self._text:
            extensions = app_of(self._host).extensions
            if typed.startswith("/") and (
                commands := completion.slash_commands(typed, extensions.slash_commands)
            ):
                return 0, commands
            if (added := _added(extensions, typed)) is not None:
                return added
            offered = completion.offers(self._state, field.text, field.buffer.cursor, asked=asked)
            return (offered.start, offered.completions) if offered is not None else None
        last = typed.rpartition(",")[2] if field is self._target.to else typed
        if not asked and not last.strip():
            return None
        if field is self._target.to:
            return completion.recipient_names(self._state, typed)
        if field is self._target.channel:
            return 0, completion.channel_names(self._state, typed)
        channel_id = self._state.channels.id_of(self._target.channel.text.strip())
        if channel_id is not None and not self._state.topics.is_loaded(channel_id):
            self._load_topics(channel_id, field)
        return 0, completion.topic_names(self._state, channel_id, typed)

    def _load_topics(self, channel_id: int, field: Editor) -> None:
        """Fetches the topics of a channel, without which it is not known whether a topic is new."""
        if channel_id in self._loading or not self._session.is_live:
            return
        self._loading.add(channel_id)
        app_of(self._host).spawn(self._offer_loaded(channel_id, field), "topics")

    async def _offer_loaded(self, channel_id: int, field: Editor) -> None:
        try:
            await self._session.loader.topics(channel_id)
        except NarrowcastError:
            return  # what is known is offered
        finally:
            self._loading.discard(channel_id)
        if self.field is field and self._host.is_attached and not self._was_moved:
            self.offer(field, True)

    def offer(self, field: Editor, edited: bool, *, asked: bool = False) -> None:
        """Shows completions for the word at the cursor: after typing, or if ``asked`` for by a key."""
        if not edited and self._offered is None:
            return
        if self._host.screen.focused is not field:
            self.close()
            return
        offered = self._completions(field, asked)
        completions = [*offered[1]] if offered is not None else []
        typed = field.text[: field.buffer.cursor]
        if offered is None or not completions or (len(completions) == 1 and completions[0].insert == typed):
            self.close()
            return
        self._offered = (field, offered[0])
        self._was_moved = False
        self.list.set_items([Choice(offer, offer.label, offer.detail) for offer in completions])
        rows = len(completions) + 2  # with the frame
        self.list.styles.height = rows
        self.list.styles.offset = (1, -rows)
        self.list.action_first()
        self._host.add_class("-offering")

    def close(self) -> None:
        self._offered = None
        self._host.remove_class("-offering")

    def take(self) -> None:
        """Inserts the chosen completion into its field."""
        if self._offered is None:
            return
        field, start = self._offered
        item = self.list.selected_item
        self.close()
        if item is not None:
            field.replace(start, field.buffer.cursor, item.value.insert)
            self.close()

    def move(self, key: str) -> bool:
        """Moves the selection if ``key`` is that of a line up or down; returns whether it was moved."""
        keys = keys_of(self._host)
        up, down = key in keys["compose.up"], key in keys["compose.down"]
        if self._offered is None or not (up or down):
            return False
        self.list.action_cursor_up() if up else self.list.action_cursor_down()
        self._was_moved = True
        return True
