"""Moving messages to other topics and channels, resolving topics, and the notices about both."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import PropagateMode, VisibilityPolicy
from narrowcast_server.actions.new_organization import notification_bot
from narrowcast_server.actions.quoting import silent_mention
from narrowcast_server.markdown.context import LinkedChannel
from narrowcast_server.markdown.mentions import channel_url
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import Channel, FlagBit, Message, User
from narrowcast_server.queries.messages import audience_of
from narrowcast_server.resources.channels.creation import refresh_first_message
from narrowcast_server.resources.message_flags import emit_flags
from narrowcast_server.resources.messages.changes import add_history, delete_messages, emit_deleted
from narrowcast_server.resources.messages.sending import Origin, post_notice
from narrowcast_server.resources.user_topics import policy_of, set_policy
from narrowcast_server.rules import access, topics
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
_ADDED: Final = int(FlagBit.READ | FlagBit.HISTORICAL)


def plan(
    organization: Organization,
    user: User,
    message: Message,
    topic: str | None,
    channel: Channel | None,
    mode: PropagateMode,
) -> MessageMove:
    """The move that a change of topic or channel makes; with protected history, only of messages that `user`
    received.

    Raises BAD_REQUEST for direct messages, and if nothing would change.
    """
    if message.channel_id is None:
        what = "be moved to channels." if channel is not None else "have topics."
        raise ServiceError(f"Direct messages cannot {what}")
    source = organization.channels[message.channel_id]
    target = channel or source
    new_topic = message.topic if topic is None else topic
    if target.id == source.id and new_topic == message.topic:
        raise ServiceError("Nothing to change")
    condition = {
        PropagateMode.CHANGE_ONE: "id = ?",
        PropagateMode.CHANGE_LATER: "id >= ?",
        PropagateMode.CHANGE_ALL: "id >= 0 * ?",
    }[mode]
    rows = organization.store.all(
        f"SELECT * FROM messages WHERE channel_id = ? AND topic = ? AND {condition} ORDER BY id",
        source.id,
        message.topic,
        message.id,
    )
    messages = [Message.of(row) for row in rows]
    if access.history_is_protected(source):
        delivered = set(access.delivered_ids(organization, user.id, [message.id for message in messages]))
        messages = [message for message in messages if message.id in delivered]
    return MessageMove(messages, source, target, message.topic, new_topic)


Audience = dict[int, list[int]]
"""User id -> ids of the messages in the event to that user."""


def apply(
    organization: Organization, user: User, move: MessageMove
) -> tuple[dict[str, object], Audience, Audience]:
    """Moves the messages; returns the fields for `update_message`, the users who receive it with their
    messages, and the users to whom the messages only arrive (`arrival`), likewise.

    The event goes to those who saw the messages and still may, and to subscribers of the new channel who may
    see them now. For those of the latter who may not know of the old place, the messages only arrive.
    """
    saw: set[int] = set()
    for message in move.messages:
        saw |= audience_of(organization, message)
    if not move.source.invite_only:
        saw |= set(access.subscriber_ids(organization, move.source.id))
    now = organization.now()
    entry: dict[str, object] = {"user_id": user.id, "timestamp": now}
    if move.changes_topic:
        entry |= {"topic": move.new_topic, "prev_topic": move.old_topic}
    if move.changes_channel:
        entry |= {"stream": move.target.id, "prev_stream": move.source.id}
    for message in move.messages:
        moved = {} if move.resolves is not None else {"last_moved": now}
        add_history(organization, message, entry, channel_id=move.target.id, topic=move.new_topic, **moved)
    organization.store.execute_many(
        "UPDATE message_words SET topic = ? WHERE rowid = ?",
        [(move.new_topic, message.id) for message in move.messages],
    )
    _move_policies(organization, move)
    if move.changes_channel:
        _change_access(organization, move, saw)
        refresh_first_message(organization, move.source.id)
        refresh_first_message(organization, move.target.id)
    receivers = _readers(organization, move.target, saw) | set(
        access.subscriber_ids(organization, move.target.id)
    )
    knowing = (
        saw
        if access.history_is_protected(move.source)
        else saw | _readers(organization, move.source, receivers)
    )
    return (
        _event(move),
        _seen_by(organization, move, receivers & knowing),
        _seen_by(organization, move, receivers - knowing),
    )


def _readers(organization: Organization, channel: Channel, people: Iterable[int]) -> set[int]:
    return {
        user_id for user_id in people if access.may_read(organization, organization.users[user_id], channel)
    }


def arrival(move: MessageMove) -> dict[str, object]:
    """Fields for `update_message` without the old place, for users who may not know of it."""
    return {
        "stream_name": move.target.name,
        "stream_id": move.target.id,
        "new_stream_id": move.target.id,
        "orig_subject": move.new_topic,
        "subject": move.new_topic,
        "topic_links": [],
    }


def _seen_by(organization: Organization, move: MessageMove, receivers: Iterable[int]) -> Audience:
    """Ids of the moved messages that each user may see in the new place."""
    ids = [message.id for message in move.messages]
    if not access.history_is_protected(move.target):
        return dict.fromkeys(receivers, ids)
    seen = {user_id: access.delivered_ids(organization, user_id, ids) for user_id in receivers}
    return {user_id: own for user_id, own in seen.items() if own}


def _event(move: MessageMove) -> dict[str, object]:
    event: dict[str, object] = {"orig_subject": move.old_topic}
    if move.changes_topic:
        event |= {"subject": move.new_topic, "topic_links": []}
    if move.changes_channel:
        event["new_stream_id"] = move.target.id
    return event


def _move_policies(organization: Organization, move: MessageMove) -> None:
    """If no message is left in the old topic, moves its visibility policies; of two policies the stronger is
    kept. Those of users who may not read the old place stay, since an event would tell them of the move.
    """
    if topics.exists(organization, move.source.id, move.old_topic):
        return
    rows = organization.store.all(
        "SELECT user_id, policy FROM user_topics WHERE channel_id = ? AND topic = ?",
        move.source.id,
        move.old_topic,
    )
    for row in rows:
        user_id, policy = row["user_id"], VisibilityPolicy(row["policy"])
        if not move.changes_channel and move.old_topic.casefold() == move.new_topic.casefold():
            continue
        if not access.may_read(organization, organization.users[user_id], move.source):
            continue
        set_policy(organization, user_id, move.source.id, move.old_topic, VisibilityPolicy.NONE)
        if access.may_read(organization, organization.users[user_id], move.target):
            present = policy_of(organization, user_id, move.target.id, move.new_topic)
            set_policy(organization, user_id, move.target.id, move.new_topic, max(policy, present))


def _change_access(organization: Organization, move: MessageMove, saw: set[int]) -> None:
    """Removes the messages from the history of users who cannot read the new channel, also of those who left
    the old one; marks them as read for non-subscribers. With protected history, adds them to the history of
    all subscribers.
    """
    ids = [message.id for message in move.messages]
    listed = json.dumps(ids)
    subscribed = set(access.subscriber_ids(organization, move.target.id))
    for user_id in sorted(saw):
        user = organization.users[user_id]
        if not access.may_read(organization, user, move.target):
            protected = access.history_is_protected(move.source)
            seen = access.delivered_ids(organization, user_id, ids) if protected else ids
            emit_deleted(organization, move.source.id, move.old_topic, seen, [user_id])
        elif user_id not in subscribed:
            mark_read(organization, user, ids)
    holders = organization.store.integers(
        "SELECT DISTINCT user_id FROM user_messages WHERE message_id IN (SELECT value FROM json_each(?))",
        listed,
    )
    for user_id in set(holders) - _readers(organization, move.target, holders):
        organization.store.execute(
            "DELETE FROM user_messages WHERE user_id = ? AND message_id IN (SELECT value FROM json_each(?))",
            user_id,
            listed,
        )
    if access.history_is_protected(move.target):
        organization.store.execute(
            "INSERT OR IGNORE INTO user_messages (user_id, message_id, flags)"
            " SELECT u.value, m.value, ? FROM json_each(?) u, json_each(?) m",
            _ADDED,
            json.dumps(sorted(subscribed)),
            listed,
        )


def mark_read(organization: Organization, user: User, ids: Sequence[int]) -> None:
    """Marks the unread ones of these messages as read, and notifies the user's clients."""
    unread = organization.store.integers(
        "SELECT message_id FROM user_messages WHERE user_id = ? AND flags & 1 = 0"
        " AND message_id IN (SELECT value FROM json_each(?)) ORDER BY message_id",
        user.id,
        json.dumps(list(ids)),
    )
    if unread:
        organization.store.execute(
            "UPDATE user_messages SET flags = flags | 1 WHERE user_id = ?"
            " AND message_id IN (SELECT value FROM json_each(?))",
            user.id,
            json.dumps(unread),
        )
        emit_flags(organization, user, unread, FlagBit.READ, add=True)


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
