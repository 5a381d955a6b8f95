"""Messages in responses and events, and who has read them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from narrowcast_server.markdown import topic_links
from narrowcast_server.organization.dialect import outgoing_reaction_type
from narrowcast_server.organization.models import Message, User
from narrowcast_server.organization.personal import switched_on
from narrowcast_server.queries.rendering import RenderingContext
from narrowcast_server.queries.users import avatar_by_provider, avatar_url, people
from narrowcast_server.rules import access, edit_history
from narrowcast_server.rules.addresses import api_address
from narrowcast_server.rules.edit_history import EditHistoryFilter

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

Object = dict[str, Any]


def message_objects(
    organization: Organization, messages: Sequence[Message], history_filter: EditHistoryFilter | None = None
) -> list[Object]:
    """Messages in full form, from which `event_variants.message_variant` makes the form that a client asked
    for.

    Their edit history is the part that `history_filter` lets its user see; None: they have no edit history.
    """
    ids = json.dumps([message.id for message in messages])
    reactions = _reactions(organization, ids)
    submessages = _submessages(organization, ids)
    objects = []
    for message in messages:
        made = _object(organization, message, reactions.get(message.id, []), submessages.get(message.id, []))
        if history_filter is not None and (
            history := _visible_history(organization, message, history_filter)
        ):
            made["edit_history"] = history
        objects.append(made)
    return objects


def _object(
    organization: Organization, message: Message, reactions: list[Object], submessages: list[Object]
) -> Object:
    sender = organization.users[message.sender_id]
    result: Object = {
        "id": message.id,
        "sender_id": message.sender_id,
        "content": message.rendered,
        "recipient_id": recipient_id(message),
        "timestamp": message.timestamp,
        "client": message.client,
        "subject": message.topic,
        "topic_links": [],
        "is_me_message": message.is_me,
        "reactions": reactions,
        "submessages": submessages,
        "sender_full_name": sender.full_name,
        "sender_email": api_address(organization, sender),
        "sender_realm_str": "",
        "avatar_url": avatar_url(sender),
        "content_type": "text/html",
        "_source": message.content,
        "_avatar_by_provider": avatar_by_provider(sender),
    }
    if message.channel_id is None:
        assert message.conversation_id is not None
        result |= {
            "type": "private",
            "display_recipient": participants(organization, message.conversation_id),
        }
    else:
        channel = organization.channels[message.channel_id]
        result |= {"type": "stream", "display_recipient": channel.name, "stream_id": channel.id}
        result["topic_links"] = topic_links(message.topic, RenderingContext(organization, sender))
    if message.last_edited is not None:
        result["last_edit_timestamp"] = message.last_edited
    if message.last_moved is not None:
        result["last_moved_timestamp"] = message.last_moved
    return result


def _visible_history(
    organization: Organization, message: Message, history_filter: EditHistoryFilter
) -> list[Object]:
    """The edit history as the organization's policy (all, moves, none) and `history_filter` let the user see it."""
    policy = organization.settings["message_edit_history_visibility_policy"]
    if message.history == "[]" or policy == "none":
        return []
    entries = history_filter.visible_entries(message.id, json.loads(message.history))
    shown = edit_history.shown([entry for entry in entries if policy == "all" or "prev_content" not in entry])
    for entry in shown:
        entry.pop("prev_rendered_content_version", None)
    return shown


def recipient_id(message: Message) -> int:
    """A number for the recipient of a message: even for channels, odd for direct conversations."""
    if message.channel_id is not None:
        return message.channel_id * 2
    assert message.conversation_id is not None
    return message.conversation_id * 2 + 1


def member_ids(organization: Organization, conversation_id: int) -> list[int]:
    """Ids of all users in a direct conversation, ascending."""
    row = organization.store.one("SELECT members FROM conversations WHERE id = ?", conversation_id)
    assert row is not None
    return [int(part) for part in row["members"].split(",")]


def participants(organization: Organization, conversation_id: int) -> list[Object]:
    """`display_recipient` of a direct message."""
    return [
        participant(organization, organization.users[identity])
        for identity in member_ids(organization, conversation_id)
    ]


def participant(organization: Organization, user: User) -> Object:
    """One user in `display_recipient`."""
    return {
        "id": user.id,
        "email": api_address(organization, user),
        "full_name": user.full_name,
        "is_mirror_dummy": False,
    }


def audience_of(organization: Organization, message: Message) -> set[int]:
    """Users notified of changes to a message: who received and may read it, and who may read it as a subscriber."""
    people = set(
        organization.store.integers("SELECT user_id FROM user_messages WHERE message_id = ?", message.id)
    )
    if message.channel_id is None:
        return people
    channel = organization.channels[message.channel_id]
    subscribers = set(access.subscriber_ids(organization, channel.id))
    if access.history_is_protected(channel):
        return people & subscribers
    readers = {
        identity
        for identity in people
        if access.may_read(organization, organization.users[identity], channel)
    }
    return readers | subscribers


def _reactions(organization: Organization, ids: str) -> dict[int, list[Object]]:
    result: dict[int, list[Object]] = defaultdict(list)
    for row in organization.store.all(
        "SELECT * FROM reactions WHERE message_id IN (SELECT value FROM json_each(?)) ORDER BY rowid", ids
    ):
        result[row["message_id"]].append(
            {
                "emoji_name": row["emoji_name"],
                "emoji_code": row["emoji_code"],
                "reaction_type": outgoing_reaction_type(organization.config, row["reaction_type"]),
                "user_id": row["user_id"],
            }
        )
    return result


def has_widget(organization: Organization, message_id: int) -> bool:
    """Whether a message is a poll, a to-do list or another widget."""
    return (
        organization.store.one("SELECT 1 FROM submessages WHERE message_id = ? LIMIT 1", message_id)
        is not None
    )


def _submessages(organization: Organization, ids: str) -> dict[int, list[Object]]:
    result: dict[int, list[Object]] = defaultdict(list)
    for row in organization.store.all(
        "SELECT * FROM submessages WHERE message_id IN (SELECT value FROM json_each(?)) ORDER BY id", ids
    ):
        result[row["message_id"]].append(dict(row))
    return result


def readers_of(organization: Organization, viewer: User, message: Message) -> list[int]:
    """Ids of the users who have read a message and send read receipts, except its sender and users muted by
    or muting `viewer`.
    """
    readers = organization.store.integers(
        "SELECT user_id FROM user_messages WHERE message_id = ? AND flags & 257 = 1"
        " AND user_id NOT IN (SELECT muted_id FROM muted_users WHERE user_id = ?)"
        " AND user_id NOT IN (SELECT user_id FROM muted_users WHERE muted_id = ?) ORDER BY user_id",
        message.id,
        viewer.id,
        viewer.id,
    )
    telling = {
        person.id
        for person in people(organization)
        if person.is_active and switched_on(person, "send_read_receipts")
    }
    return [reader for reader in readers if reader in telling and reader != message.sender_id]
