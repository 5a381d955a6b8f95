"""The start of the demo: the welcome conversation, from its first message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from narrowcast.runtime.context import in_app
from narrowcast.screens.main.screen import MainScreen
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state.changes import Change, StateReplaced

if TYPE_CHECKING:
    from textual.screen import Screen

CHANNEL, TOPIC = "onboarding", "welcome"


def begin_at_welcome(screen: Screen[object]) -> None:
    """Goes to the welcome conversation once the channels are known, unless the user has gone elsewhere by then."""
    if not isinstance(screen, MainScreen):  # the account could not be opened, which is reported elsewhere
        return
    began = screen.narrow

    def look(changes: Sequence[Change]) -> None:
        channel_id = screen.session.state.channels.id_of(CHANNEL)
        if StateReplaced() not in changes or channel_id is None:
            return
        unsubscribe()
        if screen.narrow == began and screen.messages.has_focus_within:
            screen.open(Narrow.topic(channel_id, TOPIC), "oldest")

    unsubscribe = screen.session.subscribe(in_app(look))
