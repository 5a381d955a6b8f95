"""The home view, which is chosen in the user's settings: inbox, recent conversations or combined feed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.runtime.background import until
from narrowcast.runtime.context import app_of
from narrowcast_api.narrow.narrow import Narrow

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace
    from narrowcast_api.state.state import State

__all__ = ["begin_at_home", "home_command", "show_home"]


def home_command(state: State) -> str:
    """The id of the command that goes to the home view."""
    chosen = state.settings.text("web_home_view", state.settings.text("default_view", "all_messages"))
    return {"inbox": "go.inbox", "recent_topics": "go.recent", "recent": "go.recent"}.get(chosen, "go.all")


def show_home(screen: Workspace) -> None:
    """Goes to the home view."""
    screen.run(home_command(screen.session.state))


async def begin_at_home(screen: Workspace) -> None:
    """Goes to the home view once the settings are known, unless the user has done something else by then."""
    looking = app_of(screen).looking
    last_key = looking.last_key
    await until(screen.session, lambda: not screen.session.state.from_cache)
    is_untouched = (
        looking.last_key == last_key and screen.narrow == Narrow.all() and screen.messages.is_in_view
    )
    if is_untouched and home_command(screen.session.state) != "go.all":
        show_home(screen)
