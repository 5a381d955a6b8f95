"""API keys: shown only to who asks, replaced only after a question."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from narrowcast.app.context import InApp, app_of
from narrowcast.screens.dialogs.confirm import ask_first
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast_api.http.secret import Secret

if TYPE_CHECKING:
    from narrowcast_api.sync.session import Session


def show_key(screen: InApp, title: str, key: Secret) -> None:
    """The key on screen until one leaves; y or Enter copies it."""

    def chosen(what: str | None) -> None:
        if what == "copy":
            screen.app.copy_to_clipboard(key.reveal())
            app_of(screen).tell("API key copied. Anyone who has it can act as its owner.", severity="warning")

    choices = [Choice("leave", key.reveal()), Choice("copy", "Copy")]
    screen.app.push_screen(Picker(title, choices), chosen)


def regenerate_bot_key(
    screen: InApp,
    session: Session,
    bot_id: int,
    name: str,
    then: Callable[[], None] | None = None,
) -> None:
    """A new key for a bot, after a question."""

    async def replace() -> None:
        key = await session.client.bots.regenerate_key(bot_id=bot_id)
        if then is not None:
            then()
        show_key(screen, f"New API key of {name}", key)

    ask_first(
        screen,
        f"Generate a new API key for {name}? Programs that use the old key will stop working.",
        "Generate new key",
        lambda: app_of(screen).spawn(replace(), f"generate a new API key for {name}"),
    )
