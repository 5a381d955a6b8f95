"""The organization: settings, domains, linkifiers, playgrounds, emoji, audit log events."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Final

from narrowcast_server.organization.personal import DEFAULTS
from narrowcast_server.organization.realm_settings import EDITABLE
from narrowcast_server.zulip_archive.layout import REALM_ID
from narrowcast_server.zulip_archive.numbers import (
    NOT_EXPORTED,
    REALM_CHANNELS,
    REALM_NUMBERS,
    AuditEvent,
)
from narrowcast_server.zulip_archive.writing.export import ArchiveExport, Record
from narrowcast_server.zulip_archive.writing.people import personal_settings

_MAX_NAME: Final = 40
_SELF_HOSTED: Final = 1


def realm(export: ArchiveExport) -> Iterator[Record]:
    """The organization. The import asks for its subdomain."""
    settings = export.source.settings
    plain = {
        name: settings[name]
        for name in EDITABLE
        if name not in NOT_EXPORTED and name not in REALM_CHANNELS.values() and name not in REALM_NUMBERS
    }
    numbers = {name: numbers[str(settings[name])] for name, numbers in REALM_NUMBERS.items()}
    if export.target.mandatory_topics:
        plain["mandatory_topics"] = settings["topics_policy"] == "disable_empty_topic"
    there = {channel.id for channel in export.source.channels}
    channels = {
        theirs: settings[ours] if settings[ours] in there else None for theirs, ours in REALM_CHANNELS.items()
    }
    permissions = {
        name: export.permissions.group(
            settings[name] if name in settings else export.permissions.system(holder)
        )
        for name, holder in export.target.realm_permissions.items()
    }
    yield {
        **plain,
        **numbers,
        **channels,
        **permissions,
        "id": REALM_ID,
        "string_id": "narrowcast",
        "name": str(settings["name"])[:_MAX_NAME],
        "date_created": settings["date_created"],
        "deactivated": False,
        "plan_type": _SELF_HOSTED,
        "icon_source": "U" if settings["icon_picture"] else "G",
        "icon_version": 1,
        "logo_source": "U" if settings["logo_picture"] else "D",
        "logo_version": 1,
        "night_logo_source": "U" if settings["night_logo_picture"] else "D",
        "night_logo_version": 1,
        "push_notifications_enabled_end_timestamp": None,
        "demo_organization_scheduled_deletion_date": None,
        "scheduled_deletion_date": None,
    }


def new_people(export: ArchiveExport) -> Iterator[Record]:
    """The default settings of new users."""
    own = export.source.settings["personal_defaults"]
    assert isinstance(own, dict)
    yield {"id": 1, "realm": REALM_ID, **personal_settings({**DEFAULTS, **own}, export.target)}


def authentication_methods(export: ArchiveExport) -> Iterator[Record]:
    """Email and password are the only login method."""
    yield {"id": 1, "realm": REALM_ID, "name": "Email"}


def domains(export: ArchiveExport) -> Iterator[Record]:
    """Email domains that may join."""
    for number, row in enumerate(export.source.rows("SELECT * FROM domains ORDER BY domain"), 1):
        yield {
            "id": number,
            "realm": REALM_ID,
            "domain": row["domain"],
            "allow_subdomains": bool(row["allow_subdomains"]),
        }


def linkifiers(export: ArchiveExport) -> Iterator[Record]:
    for row in export.source.rows("SELECT * FROM linkifiers ORDER BY position, id"):
        yield {
            "id": row["id"],
            "realm": REALM_ID,
            "pattern": row["pattern"],
            "url_template": row["url_template"],
            "order": row["position"],
        }


def playgrounds(export: ArchiveExport) -> Iterator[Record]:
    for row in export.source.rows("SELECT * FROM playgrounds ORDER BY id"):
        yield {
            "id": row["id"],
            "realm": REALM_ID,
            "name": row["name"],
            "pygments_language": row["language"],
            "url_template": row["url_template"],
        }


def emoji(export: ArchiveExport) -> Iterator[Record]:
    for row in export.source.rows("SELECT * FROM custom_emoji ORDER BY id"):
        yield {
            "id": row["id"],
            "realm": REALM_ID,
            "name": row["name"],
            "author": row["author_id"],
            "file_name": emoji_file(row["id"], row["source_url"]),
            "is_animated": row["still_url"] is not None,
            "deactivated": bool(row["deactivated"]),
        }


def emoji_file(identity: int, source_url: str) -> str:
    """The file name of an emoji in the archive."""
    return f"{identity}.{source_url.rpartition('.')[2]}"


def audit_log(export: ArchiveExport) -> Iterator[Record]:
    """When the organization, its users and subscriptions began and ended, as far as known."""
    ids = count(1)
    created = export.source.settings["date_created"]
    yield _event(next(ids), AuditEvent.REALM_CREATED, created)
    joined: dict[int, int] = {}
    for user in export.source.people:
        joined[user.id] = user.date_joined
        yield _event(next(ids), AuditEvent.USER_CREATED, user.date_joined, user_id=user.id)
        if not user.is_active:
            yield _event(next(ids), AuditEvent.USER_DEACTIVATED, export.now, user_id=user.id)
    for row in export.source.rows("SELECT user_id, channel_id, active FROM subscriptions ORDER BY 2, 1"):
        user_id, channel_id = row["user_id"], row["channel_id"]
        since = joined.get(user_id, created)
        yield _event(
            next(ids), AuditEvent.SUBSCRIPTION_CREATED, since, user_id=user_id, channel_id=channel_id
        )
        if not row["active"]:
            yield _event(
                next(ids),
                AuditEvent.SUBSCRIPTION_DEACTIVATED,
                export.now,
                user_id=user_id,
                channel_id=channel_id,
            )


def _event(
    identity: int,
    event: AuditEvent,
    time: object,
    *,
    user_id: int | None = None,
    channel_id: int | None = None,
) -> Record:
    return {
        "id": identity,
        "realm": REALM_ID,
        "event_type": int(event),
        "event_time": time,
        "backfilled": True,
        "extra_data": {},
        "event_last_message_id": None if channel_id is None else 0,
        "acting_user": None,
        "modified_user": user_id,
        "modified_stream": channel_id,
        "modified_user_group": None,
        "modified_channel_folder": None,
    }
