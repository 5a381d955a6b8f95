"""Automatic replies while you are away: ``/away back at 14:00`` turns them on, ``/away`` or the command turns them off.

Each sender of a direct message gets one reply; bots and automatic replies get none.

    [extensions.away]
    mentions = true        # reply to mentions in channels too, with a direct message
"""

from __future__ import annotations

from dataclasses import dataclass, field

from narrowcast.extend import App, DirectDestination, Extension, Message

PREFIX = "[Automatic reply]"


@dataclass(frozen=True)
class Settings:
    """``[extensions.away]``."""

    mentions: bool = False


@dataclass
class Away:
    """The reply text of an account, and the users who have received it."""

    text: str = ""
    answered: set[int] = field(default_factory=set)


states: dict[str, Away] = {}
"""By account."""


def state(app: App[Settings]) -> Away:
    """The state of the account for which a function is called."""
    return states.setdefault(app.account, Away())


extension = Extension("away", "Replies to direct messages while you are away", settings=Settings)


@extension.slash("away", "reply automatically to direct messages: /away back at 14:00")
async def start(app: App[Settings], text: str) -> None:
    """Turns replies on with a text, off without one."""
    states[app.account] = Away(text)
    app.redraw()
    app.tell(f"Automatic replies are on: {text}" if text else "Automatic replies are off.")
    await app.set_status(text[:60], "palm_tree" if text else "")


@extension.command("stop", "Away: turn off automatic replies")
async def stop(app: App[Settings]) -> None:
    """Does the same as ``/away`` without a text."""
    await start(app, "")


@extension.segment()
def segment(app: App[Settings]) -> str:
    """Shows that automatic replies are on."""
    return "away" if state(app).text else ""


@extension.on_message
async def on_direct_message(app: App[Settings], message: Message) -> None:
    """Replies to a direct message between two users."""
    where = app.conversation(message)
    if isinstance(where, DirectDestination) and where.user_ids == {message.sender_id}:
        reply(app, message)


@extension.on_mention
async def on_mention(app: App[Settings], message: Message) -> None:
    """Replies to a mention by name, if enabled."""
    if app.settings.mentions and message.channel_id is not None and "mentioned" in message.flags:
        reply(app, message)


def reply(app: App[Settings], message: Message) -> None:
    """Replies to the sender, once."""
    sender, away = app.user(message.sender_id), state(app)
    if not away.text or sender is None or sender.is_bot or sender.user_id in away.answered | {app.me.user_id}:
        return
    if app.text(message).startswith(PREFIX):
        return  # two users with automatic replies would reply to each other forever
    if not app.takes("answer"):
        return  # another window of the account replies
    away.answered.add(sender.user_id)
    app.send(DirectDestination(frozenset({sender.user_id})), f"{PREFIX} {away.text}")
