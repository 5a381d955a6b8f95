"""Users: accounts, settings, profiles, presence, status."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from narrowcast_server.organization.models import User
from narrowcast_server.organization.personal import DEFAULTS, outgoing, setting
from narrowcast_server.uploads.pictures import stored_picture
from narrowcast_server.zulip_archive.emoji import outgoing_emoji
from narrowcast_server.zulip_archive.layout import NO_DOMAIN, NOTIFICATION_BOT, REALM_ID, TargetServer
from narrowcast_server.zulip_archive.numbers import PERSONAL_NUMBERS
from narrowcast_server.zulip_archive.writing.export import ArchiveExport, Record

_EVERYONE: Final = 1
ADDRESS: Final = re.compile(
    r"[-!#$%&'*+/=?^_`{}|~0-9A-Za-z]+(\.[-!#$%&'*+/=?^_`{}|~0-9A-Za-z]+)*"
    r"@(localhost|([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z0-9-]{2,63}(?<!-))"
)
"""Email addresses that Zulip accepts; its import fails on others."""


def profiles(export: ArchiveExport) -> Iterator[Record]:
    """Accounts, without passwords and keys: people reset their passwords."""
    domain = str(export.source.settings["domain"])
    for user in export.source.people:
        yield _profile(export, user, domain)


def _profile(export: ArchiveExport, user: User, domain: str) -> Record:
    address = _usable(export, user)
    hidden = not user.is_bot and setting(user, "email_address_visibility") != _EVERYONE
    dummy = f"user{user.id}@{domain}"
    api_address = (dummy if ADDRESS.fullmatch(dummy) else f"user{user.id}@{NO_DOMAIN}") if hidden else address
    own_picture = stored_picture(user.avatar_url) is not None
    return {
        "id": user.id,
        "realm": REALM_ID,
        "delivery_email": address,
        "email": api_address,
        "full_name": user.full_name,
        "role": int(user.role),
        "is_active": user.is_active,
        "is_bot": user.is_bot,
        "bot_type": user.bot_type,
        "bot_owner": user.bot_owner_id,
        "date_joined": user.date_joined,
        "last_login": None,
        "last_reminder": None,
        "timezone": user.timezone,
        "avatar_source": "U" if own_picture else "G",
        "avatar_version": user.avatar_version,
        "can_change_user_emails": user.can_change_user_emails,
        "can_create_users": user.can_create_users,
        "can_forge_sender": False,
        "is_mirror_dummy": False,
        "is_staff": False,
        "is_superuser": False,
        "long_term_idle": False,
        "tos_version": None,
        "default_sending_stream": None,
        "default_events_register_stream": None,
        "default_all_public_streams": False,
        "last_active_message_id": None,
        "user_permissions": [],
        "groups": [],
        **personal_settings({**DEFAULTS, **user.settings}, export.target),
    }


def _usable(export: ArchiveExport, user: User) -> str:
    if ADDRESS.fullmatch(user.delivery_email):
        return user.delivery_email
    address = f"user{user.id}.no-address@{NO_DOMAIN}"
    export.changed.append(
        f"the address of {user.full_name} ({user.delivery_email}) is not one that Zulip accepts: it is {address} until"
        " an administrator sets another"
    )
    return address


def personal_settings(values: Mapping[str, object], target: TargetServer) -> Record:
    """Personal settings, or the defaults of new users, with the archive's numbers and the target's words."""
    return {
        name: PERSONAL_NUMBERS[name][str(values[name])]
        if name in PERSONAL_NUMBERS
        else outgoing(name, values[name], target.level)
        for name in DEFAULTS
    }


def system_bots(export: ArchiveExport) -> Iterator[Record]:
    """System bots; they have no recipient if direct conversations are groups."""
    for bot in export.source.system_bots:
        recipient_id = None if export.target.direct_groups else export.recipients.person(bot.id)
        yield {"id": bot.id, "email": NOTIFICATION_BOT, "recipient_id": recipient_id}


def presence(export: ArchiveExport) -> Iterator[Record]:
    """When users were last seen."""
    for number, row in enumerate(export.source.rows("SELECT * FROM presence ORDER BY user_id"), 1):
        yield {
            "id": number,
            "realm": REALM_ID,
            "user_profile": row["user_id"],
            "last_active_time": row["active_timestamp"],
            "last_connected_time": row["idle_timestamp"] or row["active_timestamp"],
            "last_update_id": row["update_id"],
        }


def presence_sequence(export: ArchiveExport) -> Iterator[Record]:
    """The number of the newest presence update."""
    newest = next(export.source.rows("SELECT max(update_id) FROM presence"))[0]
    yield {"id": 1, "realm": REALM_ID, "last_update_id": newest or 0}


def statuses(export: ArchiveExport) -> Iterator[Record]:
    """Status texts and emoji."""
    rows = export.source.rows(
        "SELECT * FROM statuses WHERE status_text != '' OR emoji_name != '' ORDER BY user_id"
    )
    for number, row in enumerate(rows, 1):
        emoji = outgoing_emoji(export, row, "statuses")
        yield {
            "id": number,
            "user_profile": row["user_id"],
            "client": export.clients.id("narrowcast"),
            "timestamp": export.now,
            "status_text": row["status_text"],
            "emoji_name": "",
            "emoji_code": "",
            "reaction_type": "unicode_emoji",
            **(emoji or {}),
        }


def profile_fields(export: ArchiveExport) -> Iterator[Record]:
    for row in export.source.rows("SELECT * FROM profile_fields ORDER BY position, id"):
        yield {
            "id": row["id"],
            "realm": REALM_ID,
            "name": row["name"],
            "hint": row["hint"],
            "order": row["position"],
            "field_type": row["type"],
            "field_data": row["field_data"],
            "required": bool(row["required"]),
            "editable_by_user": bool(row["editable_by_user"]),
            "display_in_profile_summary": bool(row["display_in_profile_summary"]),
        }


def profile_values(export: ArchiveExport) -> Iterator[Record]:
    rows = export.source.rows("SELECT * FROM profile_values ORDER BY user_id, field_id")
    for number, row in enumerate(rows, 1):
        yield {
            "id": number,
            "user_profile": row["user_id"],
            "field": row["field_id"],
            "value": row["value"],
            "rendered_value": row["rendered_value"],
        }


def muted_users(export: ArchiveExport) -> Iterator[Record]:
    for number, row in enumerate(
        export.source.rows("SELECT * FROM muted_users ORDER BY user_id, muted_id"), 1
    ):
        yield {
            "id": number,
            "user_profile": row["user_id"],
            "muted_user": row["muted_id"],
            "date_muted": row["timestamp"],
        }


def alert_words(export: ArchiveExport) -> Iterator[Record]:
    for number, row in enumerate(
        export.source.rows("SELECT * FROM alert_words ORDER BY user_id, position"), 1
    ):
        yield {"id": number, "realm": REALM_ID, "user_profile": row["user_id"], "word": row["word"]}


def snippets(export: ArchiveExport) -> Iterator[Record]:
    for row in export.source.rows("SELECT * FROM saved_snippets ORDER BY id"):
        yield {
            "id": row["id"],
            "realm": REALM_ID,
            "user_profile": row["user_id"],
            "title": row["title"],
            "content": row["content"],
            "date_created": row["date_created"],
        }


def navigation_views(export: ArchiveExport) -> Iterator[Record]:
    """Users' navigation views."""
    rows = export.source.rows("SELECT * FROM navigation_views ORDER BY user_id, fragment")
    for number, row in enumerate(rows, 1):
        yield {
            "id": number,
            "user": row["user_id"],
            "fragment": row["fragment"],
            "is_pinned": bool(row["is_pinned"]),
            "name": row["name"],
        }


def onboarding_steps(export: ArchiveExport) -> Iterator[Record]:
    """Onboarding steps that users have completed."""
    rows = export.source.rows("SELECT * FROM onboarding_steps ORDER BY user_id, step")
    for number, row in enumerate(rows, 1):
        yield {"id": number, "user": row["user_id"], "onboarding_step": row["step"], "timestamp": export.now}


def bot_services(export: ArchiveExport) -> Iterator[Record]:
    """Outgoing webhooks; Zulip creates new tokens."""
    for number, row in enumerate(export.source.rows("SELECT * FROM bot_services ORDER BY bot_id"), 1):
        yield {
            "id": number,
            "user_profile": row["bot_id"],
            "name": "service",
            "base_url": row["base_url"],
            "token": "",
            "interface": row["interface"],
        }


def bot_storage(export: ArchiveExport) -> Iterator[Record]:
    for number, row in enumerate(export.source.rows("SELECT * FROM bot_storage ORDER BY user_id, name"), 1):
        yield {"id": number, "bot_profile": row["user_id"], "key": row["name"], "value": row["value"]}
