"""Completion in compose: the offers above the field in which one types."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache, cached_property
from typing import TYPE_CHECKING

from textual import events
from textual.containers import Vertical

from narrowcast.panes.compose.fields import TargetLine
from narrowcast.widgets.editor import Editor

if TYPE_CHECKING:
    from narrowcast.panes.compose.completion import Completion
    from narrowcast.screens.dialogs.picker import ChoiceList
    from narrowcast_api.state.state import State
    from narrowcast_api.sync.session import Session


@cache
def emoji_names() -> tuple[str, ...]:
    """The names of the usual emoji; read when the first colon is typed."""
    from narrowcast_assets.emoji import emoji_names as table

    return tuple(table().name_to_code)


class ComposeOffers(Vertical):
    """The part of the compose pane that offers, lets choose and takes completions."""

    session: Session
    target: TargetLine
    text: Editor
    _offered: tuple[Editor, int] | None = None

    @property
    def state(self) -> State:
        """The live account's state."""
        return self.session.state

    @cached_property
    def offers(self) -> ChoiceList[Completion]:
        """The completions offered now; there is no list before the first of them."""
        from narrowcast.screens.dialogs.picker import ChoiceList

        offers: ChoiceList[Completion] = ChoiceList(id="offers")
        offers.can_focus = False
        self.mount(offers, before=0)
        return offers

    def _completions(self, field: Editor, asked: bool) -> tuple[int, Iterable[Completion]] | None:
        from narrowcast.panes.compose import completion

        typed = field.text[: field.buffer.cursor]
        if field is self.text:
            found = completion.offers(self.state, field.text, field.buffer.cursor, emoji_names, asked=asked)
            return (found.start, found.completions) if found is not None else None
        start = 0
        if field is self.target.to:
            start, people = completion.recipient_names(self.state, typed)
        if not asked and not typed[start:].strip():
            return None
        if field is self.target.channel:
            return 0, completion.channel_names(self.state, typed)
        if field is self.target.topic:
            channel_id = self.state.channels.id_of(self.target.channel.text.strip())
            return 0, completion.topic_names(self.state, channel_id, typed)
        return start, people

    def _offer(self, field: Editor, edited: bool, *, asked: bool = False) -> None:
        if not edited and self._offered is None:
            return
        if self.screen.focused is not field:
            self._close_offers()
            return
        found = self._completions(field, asked)
        completions = list(found[1]) if found is not None else []
        typed = field.text[: field.buffer.cursor]
        if found is None or not completions or (len(completions) == 1 and completions[0].insert == typed):
            self._close_offers()
            return
        self._offered = (field, found[0])
        from narrowcast.screens.dialogs.picker import Choice

        self.offers.set_items([Choice(offer, offer.label, offer.detail) for offer in completions])
        self.offers.styles.height = len(completions)
        self.offers.styles.offset = (2, -len(completions))
        self.offers.action_first()
        self.add_class("-offering")

    def _close_offers(self) -> None:
        self._offered = None
        self.remove_class("-offering")

    def _take_offer(self) -> None:
        if self._offered is None:
            return
        field, start = self._offered
        item = self.offers.selected_item
        self._close_offers()
        if item is not None:
            field.replace(start, field.buffer.cursor, item.value.insert)
            self._close_offers()

    async def _on_key(self, event: events.Key) -> None:
        if self._offered is not None and event.key in {"up", "down"}:
            event.stop()
            event.prevent_default()
            self.offers.action_cursor_up() if event.key == "up" else self.offers.action_cursor_down()
