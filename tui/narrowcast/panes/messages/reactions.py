"""Reactions to the selected message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.panes.messages.context import PaneContext
from narrowcast.panes.messages.rows import reaction_text
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast.text.formats import counted
from narrowcast_api.model.messages import Reaction, grouped
from narrowcast_assets.emoji import character_of, emoji_names

if TYPE_CHECKING:
    from narrowcast_api.model.messages import Message
    from narrowcast_api.state.state import State

__all__ = ["Reactions"]

UNICODE = "unicode_emoji"
THUMBS_UP = (UNICODE, "1f44d", "+1")
Emoji = tuple[str, str, str]
"""Type, code and name of an emoji, as the service defines them."""

USUAL = ("1f44d", "2764", "1f389", "1f602", "1f642", "1f440", "2705", "1f64f", "1f680", "1f914")
"""The emoji that are most used in reactions: offered first, before anything is typed."""


class Reactions:
    """Adds and removes reactions, and asks for an emoji."""

    def __init__(self, pane: PaneContext) -> None:
        self._pane = pane

    def thumbs_up(self) -> None:
        """Adds or removes a thumbs-up reaction."""
        if (message := self._pane.message_or_notify()) is not None:
            self.toggle(message, *THUMBS_UP)

    def join_first(self) -> None:
        """Adds the first reaction of the message for the user too, or removes it."""
        message = self._pane.message_or_notify()
        if message is None:
            return
        if not message.reactions:
            self._pane.refuse(self._pane.with_keys("No reactions yet. Press <message.react> to add one."))
            return
        first: Reaction = message.reactions[0]
        self.toggle(message, first.reaction_type, first.emoji_code, first.emoji_name)

    def toggle(self, message: Message, reaction_type: str, code: str, name: str) -> None:
        """Adds or removes an own reaction."""
        session = self._pane.session
        if not self._pane.may_act_or_notify(message):
            return
        reaction = Reaction(name, code, reaction_type, session.state.me)
        own = any((one.key, one.user_id) == (reaction.key, reaction.user_id) for one in message.reactions)
        self._pane.work(session.acts.reaction(message.id, reaction, not own), "change the reaction")

    def choose(self) -> None:
        """Asks for an emoji and reacts with it."""
        message = self._pane.message_or_notify()
        if message is None or not self._pane.may_act_or_notify(message):
            return
        choices = _choices(message, self._pane.session.state)
        message_id = message.id

        def chosen(value: Emoji | None) -> None:
            if value is not None and (now := self._pane.still_there_or_notify(message_id)) is not None:
                self.toggle(now, *value)

        self._pane.ask(Picker("React with", choices), chosen)


def _choices(message: Message, state: State) -> list[Choice[Emoji]]:
    """Each emoji once: those on the message, the popular ones, the organization's own, all others."""
    own = {one.key for one in message.reactions if one.user_id == state.me}
    names_by_code = emoji_names().code_to_names
    choices: dict[tuple[str, str], Choice[Emoji]] = {}

    def add(kind: str, code: str, name: str, *, detail: str = "", shown: str = "") -> None:
        names = names_by_code.get(code, ()) if kind == UNICODE else ()
        also = " ".join(other for other in names if other != name)
        choices.setdefault((kind, code), Choice((kind, code, name), name, detail, shown, also))

    for group in grouped(message.reactions):
        key = (group.reaction_type, group.emoji_code)
        detail = "remove yours" if key in own else counted(len(group.user_ids), "reaction")
        add(*key, group.emoji_name, detail=detail, shown=reaction_text(*key, group.emoji_name))
    for code in USUAL:
        add(UNICODE, code, names_by_code[code][0], shown=character_of(code) or "")
    for custom in state.custom_emoji:
        if not custom.deactivated:
            add("realm_emoji", custom.code, custom.name, detail="custom emoji")
    for code, names in names_by_code.items():
        add(UNICODE, code, names[0], shown=character_of(code) or "")
    return [*choices.values()]
