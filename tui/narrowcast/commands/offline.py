"""What each command does without a connection: it works, it waits in the journal, or it is refused at once.

Every command that neither waits nor needs the server works with what is known here. docs/offline.md is made from this.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from narrowcast.commands.command import Command
from narrowcast_api.events.status import ConnectionKind

if TYPE_CHECKING:
    from narrowcast_api.sync.session import Session

__all__ = ["NEEDS_SERVER", "WAITS", "Offline", "offline", "offline_refusal"]


class Offline(Enum):
    """What a command does without a connection."""

    WORKS = "works"
    WAITS = "waits and is sent in order"
    REFUSED = "is refused at once"


WAITS = frozenset(
    {
        "compose.attach",
        "compose.enter",
        "compose.other-enter",
        "compose.send",
        "message.collapse",
        "message.react",
        "message.react-first",
        "message.star",
        "message.thumbs-up",
        "outbox.resend",
        "write.outbox-retry",
    }
)
"""Done here at once, kept in the journal, and sent when the server answers."""

NEEDS_SERVER = frozenset(
    {
        "account.bots",
        "account.deactivate",
        "account.email",
        "account.key",
        "account.password",
        "account.picture",
        "account.profile",
        "account.settings",
        "account.two-factor",
        "channel.archive",
        "channel.edit",
        "channel.members",
        "channel.mark-read",
        "channel.mute",
        "channel.new",
        "channel.own",
        "channel.permissions",
        "channel.pin",
        "channel.subscribe",
        "message.delete",
        "message.edit",
        "message.history",
        "message.poll-add",
        "message.poll-question",
        "message.receipts",
        "message.remind",
        "message.report",
        "message.unread",
        "message.vote",
        "navigation.mark-read",
        "navigation.mute",
        "navigation.pin",
        "organization.deactivate",
        "organization.exports",
        "organization.newcomers",
        "organization.pictures",
        "organization.settings",
        "own.clear-status",
        "own.files",
        "own.presence",
        "own.read-all",
        "own.status",
        "people.invitations",
        "topic.delete",
        "topic.follow",
        "topic.mark-read",
        "topic.mark-unread",
        "topic.move",
        "topic.mute",
        "topic.resolve",
        "topic.summarize",
        "topic.visibility",
        "write.call",
        "write.preview",
        "write.save-snippet",
        "write.schedule",
    }
)
"""What others may have changed meanwhile, or what only the server knows: it would come too late, or to another end."""

_GONE = {ConnectionKind.OFFLINE, ConnectionKind.REFUSED}


def offline(command: Command) -> Offline:
    """What a command does without a connection."""
    if command.id in WAITS:
        return Offline.WAITS
    return Offline.REFUSED if command.id in NEEDS_SERVER else Offline.WORKS


def offline_refusal(command: Command, session: Session) -> str:
    """Why a command cannot be done now; empty where it can, or where a try may tell."""
    if session.status.kind not in _GONE or offline(command) is not Offline.REFUSED:
        return ""
    return f"{command.title}: needs the server, and you are offline. Nothing was changed."
