"""The user's own status: a few words, an emoji, and when to clear it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.screens.dialogs.asking import ask
from narrowcast.screens.dialogs.form_fields import DateTimeField, LineField, UnusableValue, Values
from narrowcast.text.formats import has_long_clock, moment
from narrowcast.text.names import SEE_MATCHES, emoji
from narrowcast_api import permissions
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import MAX_STATUS_TEXT
from narrowcast_assets.emoji import emoji_names

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace
    from narrowcast_api.state.state import State


def set_status(screen: Workspace) -> None:
    """Asks for the new status."""
    state = screen.session.state
    now = state.statuses.get(state.me)
    emoji_there = state.supports(Gate.STATUS_EMOJI)

    async def submit(values: Values) -> str:
        name, text = values.text("emoji").strip(":"), values.text("text")
        code, kind = _emoji(state, name) if name else ("", "")
        status = screen.session.client.status
        if emoji_there and name:
            await status.set(status_text=text, emoji_name=name, emoji_code=code, reaction_type=kind)
        elif emoji_there:
            await status.set(status_text=text, emoji_name="")
        else:
            await status.set(status_text=text)
        at = values.moment("until")
        screen.session.status_end.forget()
        if not text and not name:
            return "Status cleared."
        if at is not None:
            _clear_later(screen, at, text, name)
        return "Status set."

    fields = [
        LineField(
            "text", "Status", value=now.text if now else "", placeholder="at lunch", limit=MAX_STATUS_TEXT
        ),
        LineField(
            "emoji",
            "Emoji",
            "Name of an emoji",
            needs=permissions.level_needed(state, Gate.STATUS_EMOJI),
            value=now.emoji_name if now else "",
            suggest=lambda _typed: emoji(state),
            describe=_with_emoji,
        ),
        DateTimeField(
            "until", "Clear after", "Optional. Narrowcast clears it at that time, or at its next start"
        ),
    ]
    ask(screen, "Set status", fields, submit, then=screen.tell)


def _with_emoji(name: str) -> str:
    """An emoji's name with its character; custom emoji, which are images, by name only."""
    character = emoji_names().character(name)
    return f"{character} {name}" if character else f":{name}:"


def _emoji(state: State, name: str) -> tuple[str, str]:
    """The code and type of the emoji with this name. Raises UnusableValue if there is none."""
    for custom in state.custom_emoji:
        if custom.name == name and not custom.deactivated:
            return custom.code, "realm_emoji"
    code = emoji_names().code(name)
    if code is None:
        raise UnusableValue("emoji", f"No emoji named {name!r}. {SEE_MATCHES}")
    return code, "unicode_emoji"


def _clear_later(screen: Workspace, at: int, text: str, emoji: str) -> None:
    """Clears the status at its time, unless it has been changed by then."""
    session = screen.session
    session.status_end.set(at, text, emoji)
    when = moment(at, session.clock.now(), long=has_long_clock(session.state))
    screen.tell(f"Status will be cleared {when}, or at the next start of Narrowcast.")
