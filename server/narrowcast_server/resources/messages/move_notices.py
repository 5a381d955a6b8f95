"""Notices of the notification bot when topics are moved or resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from narrowcast_server.actions.new_organization import notification_bot
from narrowcast_server.actions.quoting import silent_mention
from narrowcast_server.markdown.context import LinkedChannel
from narrowcast_server.markdown.mentions import channel_url
from narrowcast_server.organization.models import Channel, Message, User
from narrowcast_server.resources.messages.changes import delete_messages
from narrowcast_server.resources.messages.sending import Origin, post_notice
from narrowcast_server.rules.access import newest_in_topic
from narrowcast_server.rules.edit_history import all_readers_may_know
from narrowcast_server.rules.moves import MessageMove

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

Place = tuple[Channel, str]
"""A channel and a topic in it."""
_RESOLVED: Final = "has marked this topic as {}."
_UNDONE_WITHIN: Final = 60
"""Seconds within which undoing a change deletes its notice instead of posting a second one."""


def post_move_notices(
    organization: Organization, user: User, move: MessageMove, *, old_thread: bool, new_thread: bool
) -> None:
    """Posts notices in the old and the new topic, as asked; for resolving and unresolving always."""
    person = silent_mention(user)
    origin = Origin(client="Internal")
    count = len(move.messages)
    went = not newest_in_topic(organization, user, move.source, move.old_topic, 1)
    came = went and len(newest_in_topic(organization, user, move.target, move.new_topic, count + 1)) == count
    new, old = (move.target, move.new_topic), (move.source, move.old_topic)
    if move.resolves is not None:
        if not _taken_back(organization, *new):
            state = "resolved" if move.resolves else "unresolved"
            post_notice(organization, *new, f"{person} {_RESOLVED.format(state)}", origin)
    elif new_thread:
        url = channel_url(
            LinkedChannel(move.target.id, move.target.name), move.new_topic, "near", move.messages[0].id
        ).lstrip("/")
        what = "This topic was" if came else f"[A message]({url}) was" if count == 1 else _counted(count)
        text = f"{what} moved here{_named(organization, move, 'from', old, new)} by {person}."
        post_notice(organization, *new, text, origin)
    if old_thread:
        what = "This topic was moved" if went else f"{_counted(count)} moved from this topic"
        text = f"{what}{_named(organization, move, 'to', new, old)} by {person}."
        post_notice(organization, *old, text, origin)


def _counted(count: int) -> str:
    return "A message was" if count == 1 else f"{count} messages were"


def _taken_back(organization: Organization, channel: Channel, topic: str) -> bool:
    """Deletes the notice of the undone change, if it is the newest message and recent; returns whether."""
    row = organization.store.one(
        "SELECT * FROM messages WHERE channel_id = ? AND topic = ? ORDER BY id DESC LIMIT 1",
        channel.id,
        topic,
    )
    if row is None or row["sender_id"] != notification_bot(organization).id:
        return False
    is_notice = row["content"].endswith((_RESOLVED.format("resolved"), _RESOLVED.format("unresolved")))
    if not is_notice or organization.now() - row["timestamp"] > _UNDONE_WITHIN:
        return False
    delete_messages(organization, [Message.of(row)])
    return True


def _named(organization: Organization, move: MessageMove, word: str, place: Place, readers: Place) -> str:
    """The other place, as text; empty unless all who read the notice may know of it."""
    (channel, topic), (here, _) = place, readers
    return (
        f" {word} #**{channel.name}>{topic}**"
        if all_readers_may_know(organization, here, channel, move.messages)
        else ""
    )
