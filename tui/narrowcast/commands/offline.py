"""What each command does without a connection: it works, it waits in the journal, or it is refused at once.

Commands that neither wait nor need the server work with the data on this machine. docs/offline.md is generated from
this.
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
"""Takes effect here at once, is kept in the journal, and is sent when the server is reachable."""

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
        "message.mark-read",
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
"""Commands that depend on what only the server knows, or on what others may change meanwhile: sent later, they
could have another effect than intended."""

_GONE = {ConnectionKind.OFFLINE, ConnectionKind.REFUSED}


def offline(command: Command) -> Offline:
    """What a command does without a connection."""
    if command.id in WAITS:
        return Offline.WAITS
    return Offline.REFUSED if command.id in NEEDS_SERVER else Offline.WORKS


def offline_refusal(command: Command, session: Session) -> str:
    """Why a command cannot run now; empty if it can, or if only an attempt will show."""
    if session.status.kind not in _GONE or offline(command) is not Offline.REFUSED:
        return ""
    return f"{command.title}: needs the server, and you are offline. Nothing was changed."
