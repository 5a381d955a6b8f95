"""An answer while one is away: ``/away back at 14:00`` begins it, ``/away`` or the command ends it.

Whoever writes a direct message gets the answer once; bots, and messages that are answers themselves, get none.

    [extensions.away]
    mentions = true        # also those who mention you in a channel, in a direct message
"""

from __future__ import annotations

from dataclasses import dataclass, field

from narrowcast.extend import App, DirectDestination, Extension, Message

SIGN = "[Automatic answer]"


@dataclass(frozen=True)
class Settings:
    """``[extensions.away]``."""

    mentions: bool = False


@dataclass
class Away:
    """What is answered for an account, and who had the answer already."""

    text: str = ""
    told: set[int] = field(default_factory=set)


states: dict[str, Away] = {}
"""By account: nobody is answered for another one."""


def state(app: App[Settings]) -> Away:
    """That of the account for which a function is called."""
    return states.setdefault(app.account, Away())


extension = Extension("away", "Answers direct messages while you are away", settings=Settings)


@extension.slash("away", "answer direct messages for you: /away back at 14:00")
async def begin(app: App[Settings], text: str) -> None:
    """Begin with a text, or end without one."""
    states[app.account] = Away(text)
    app.redraw()
    app.tell(f"Direct messages are answered: {text}" if text else "Nothing is answered for you any more.")
    await app.set_status(text[:60], "palm_tree" if text else "")


@extension.command("end", "Away: end automatic answers")
async def end(app: App[Settings]) -> None:
    """The same as ``/away`` without a text."""
    await begin(app, "")


@extension.segment()
def segment(app: App[Settings]) -> str:
    """Says that one answers automatically."""
    return "away" if state(app).text else ""


@extension.on_message
async def answer(app: App[Settings], message: Message) -> None:
    """Answer a direct message between two people."""
    where = app.conversation(message)
    if isinstance(where, DirectDestination) and where.user_ids == {message.sender_id}:
        tell(app, message)


@extension.on_mention
async def answer_mention(app: App[Settings], message: Message) -> None:
    """Answer a mention by name, if that is wanted."""
    if app.settings.mentions and message.channel_id is not None and "mentioned" in message.flags:
        tell(app, message)


def tell(app: App[Settings], message: Message) -> None:
    """Answer the sender once."""
    sender, away = app.user(message.sender_id), state(app)
    if not away.text or sender is None or sender.is_bot or sender.user_id in away.told | {app.me.user_id}:
        return
    if app.text(message).startswith(SIGN):
        return  # two who are away would go on for ever
    if not app.takes("answer"):
        return  # another window of the account answers
    away.told.add(sender.user_id)
    app.send(DirectDestination(frozenset({sender.user_id})), f"{SIGN} {away.text}")
