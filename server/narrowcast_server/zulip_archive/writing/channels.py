"""Channels, folders, subscriptions, and topic visibility policies."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from narrowcast_server.organization.realm_settings import CHANNEL_GROUP_SETTINGS
from narrowcast_server.zulip_archive.layout import REALM_ID
from narrowcast_server.zulip_archive.numbers import CHANNEL_TOPICS
from narrowcast_server.zulip_archive.writing.export import ArchiveExport, Record


def channels(export: ArchiveExport) -> Iterator[Record]:
    """Channels, including archived ones. Zulip determines their first messages itself."""
    rows = export.source.rows(
        "SELECT channel_id, count(*) FROM subscriptions s JOIN users u ON u.id = s.user_id"
        " WHERE s.active = 1 AND u.is_active = 1 GROUP BY channel_id"
    )
    subscribers = {channel_id: number for channel_id, number in rows}  # noqa: C416  # rows are no pairs
    for channel in export.source.channels:
        permissions = {
            name: export.permissions.group(
                channel.settings.get(name, export.permissions.system(CHANNEL_GROUP_SETTINGS[name]))
            )
            for name in CHANNEL_GROUP_SETTINGS
        }
        yield {
            "id": channel.id,
            "realm": REALM_ID,
            "name": channel.name,
            "description": channel.description,
            "rendered_description": channel.rendered_description,
            "date_created": channel.date_created,
            "creator": channel.creator_id,
            "deactivated": channel.is_archived,
            "invite_only": channel.invite_only,
            "history_public_to_subscribers": channel.history_public,
            "is_web_public": channel.is_web_public,
            "message_retention_days": channel.message_retention_days,
            "topics_policy": CHANNEL_TOPICS[channel.topics_policy],
            "folder": channel.folder_id,
            "first_message_id": None,
            "is_recently_active": True,
            "subscriber_count": subscribers.get(channel.id, 0),
            **permissions,
        }


def default_channels(export: ArchiveExport) -> Iterator[Record]:
    """Channels that new users are subscribed to."""
    defaults = [channel for channel in export.source.channels if channel.is_default]
    for number, channel in enumerate(defaults, 1):
        yield {"id": number, "realm": REALM_ID, "stream": channel.id}


def folders(export: ArchiveExport) -> Iterator[Record]:
    for row in export.source.rows("SELECT * FROM channel_folders ORDER BY position, id"):
        yield {
            "id": row["id"],
            "realm": REALM_ID,
            "name": row["name"],
            "description": row["description"],
            "rendered_description": row["rendered_description"],
            "order": row["position"],
            "date_created": row["date_created"],
            "creator": row["creator_id"],
            "is_archived": bool(row["is_archived"]),
        }


def subscriptions(export: ArchiveExport) -> Iterator[Record]:
    """Subscriptions to channels, of users to their own recipients, and of members to their direct conversations."""
    ids = count(1)
    active = {user.id: user.is_active for user in export.source.users.values()}
    for row in export.source.rows("SELECT * FROM subscriptions ORDER BY channel_id, user_id"):
        yield {
            **_subscription(
                next(ids),
                row["user_id"],
                export.recipients.channel(row["channel_id"]),
                active[row["user_id"]],
            ),
            "active": bool(row["active"]),
            "color": row["color"],
            "is_muted": bool(row["is_muted"]),
            "pin_to_top": bool(row["pin_to_top"]),
            "desktop_notifications": _choice(row["desktop_notifications"]),
            "audible_notifications": _choice(row["audible_notifications"]),
            "push_notifications": _choice(row["push_notifications"]),
            "email_notifications": _choice(row["email_notifications"]),
            "wildcard_mentions_notify": _choice(row["wildcard_mentions_notify"]),
        }
    for user_id, recipient_id in export.recipients.subscribed_people():
        yield _subscription(next(ids), user_id, recipient_id, active[user_id])
    for group in export.recipients.groups:
        for user_id in group.members:
            yield _subscription(next(ids), user_id, group.recipient_id, active[user_id])


def _subscription(identity: int, user_id: int, recipient_id: int, active: bool) -> Record:
    return {
        "id": identity,
        "user_profile": user_id,
        "recipient": recipient_id,
        "active": True,
        "is_user_active": active,
        "is_muted": False,
        "color": "#c2c2c2",
        "pin_to_top": False,
        "desktop_notifications": None,
        "audible_notifications": None,
        "push_notifications": None,
        "email_notifications": None,
        "wildcard_mentions_notify": None,
    }


def _choice(value: int | None) -> bool | None:
    return None if value is None else bool(value)


def recipients(export: ArchiveExport) -> Iterator[Record]:
    return export.recipients.rows()


def direct_groups(export: ArchiveExport) -> Iterator[Record]:
    """Direct conversations with their own recipient; Zulip computes the hash from the subscriptions."""
    for group in export.recipients.groups:
        yield {"id": group.id, "huddle_hash": f"group-{group.id}", "group_size": len(group.members)}


def topic_policies(export: ArchiveExport) -> Iterator[Record]:
    """Topic visibility policies. Zulip ignores case in topics, so for each topic the newest policy is written."""
    newest: dict[tuple[int, int, str], Record] = {}
    for row in export.source.rows(
        "SELECT * FROM user_topics ORDER BY last_updated, user_id, channel_id, topic"
    ):
        newest[row["user_id"], row["channel_id"], row["topic"].lower()] = {
            "user_profile": row["user_id"],
            "stream": row["channel_id"],
            "recipient": export.recipients.channel(row["channel_id"]),
            "topic_name": row["topic"],
            "last_updated": row["last_updated"],
            "visibility_policy": row["policy"],
        }
    for number, record in enumerate(newest.values(), 1):
        yield {"id": number, **record}
