"""API keys: shown only on request, replaced only after confirmation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from narrowcast.keys.hints import HasApp
from narrowcast.runtime.context import app_of
from narrowcast.screens.dialogs.confirm import Question, ask_first
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast_api.http.secret import Secret

if TYPE_CHECKING:
    from narrowcast_api.sync.session import Session


def show_key(screen: HasApp, title: str, key: Secret, token: Secret | None = None) -> None:
    """Shows the key until the user closes the dialog, and the token of an outgoing webhook; choosing one
    copies it.
    """

    app = app_of(screen)

    def key_copied() -> None:
        app.tell("API key copied. Anyone who has it can act as its owner.", severity="warning")

    def token_copied() -> None:
        app.tell("Webhook token copied. It proves that a call comes from this server.")

    def chosen(what: str | None) -> None:
        if what == "copy":
            app.copy(key.reveal(), key_copied)
        elif what == "copy token" and token is not None:
            app.copy(token.reveal(), token_copied)

    choices = [Choice("leave", key.reveal()), Choice("copy", "Copy")]
    if token:
        choices = [
            Choice("leave", key.reveal(), "API key"),
            Choice("copy", "Copy API key"),
            Choice("leave token", token.reveal(), "webhook token"),
            Choice("copy token", "Copy webhook token"),
        ]
    screen.app.push_screen(Picker(title, choices), chosen)


def regenerate_bot_key(
    screen: HasApp,
    session: Session,
    bot_id: int,
    name: str,
    then: Callable[[], None] | None = None,
) -> None:
    """Generates a new key for a bot, after confirmation."""

    async def replace() -> None:
        key = await session.client.bots.regenerate_key(bot_id=bot_id)
        if then is not None:
            then()
        show_key(screen, f"New API key of {name}", key)

    ask_first(
        screen,
        Question(
            f"Generate a new API key for {name}?",
            "Generate new key",
            "Programs that use the old key will stop working.",
        ),
        lambda: app_of(screen).spawn(replace(), f"generate a new API key for {name}"),
    )
