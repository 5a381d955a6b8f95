"""Channels, folders, subscriptions, and topic visibility policies."""

from __future__ import annotations

import re
from typing import Final

from narrowcast_api.wire.vocabulary import VisibilityPolicy
from narrowcast_server.actions.realm import retention_days
from narrowcast_server.organization.realm_settings import CHANNEL_GROUP_SETTINGS
from narrowcast_server.resources.channels.creation import rendered_description
from narrowcast_server.resources.subscriptions.changes import next_color
from narrowcast_server.rules.holders import check_topic_creators
from narrowcast_server.zulip_archive.numbers import CHANNEL_TOPICS, word_for
from narrowcast_server.zulip_archive.reading.groups import permissions
from narrowcast_server.zulip_archive.reading.intake import Intake
from narrowcast_server.zulip_archive.reading.recipients import RecipientReader
from narrowcast_server.zulip_archive.reading.rows import ArchiveRow, identities

_COLOR: Final = re.compile(r"#[0-9a-f]{3}(?:[0-9a-f]{3})?")
_OLD_POST_POLICY: Final = {2: "role:administrators", 3: "role:fullmembers", 4: "role:moderators"}
"""Who may post, in archives of converters that do not use groups."""
_CHOICES: Final = (
    "desktop_notifications",
    "audible_notifications",
    "push_notifications",
    "email_notifications",
    "wildcard_mentions_notify",
)


def folders(intake: Intake) -> None:
    limits = intake.organization.config.limits
    intake.folders.update(identities(intake.tables, "zerver_channelfolder"))
    for row in intake.rows("zerver_channelfolder"):
        identity = intake.folders[row.integer("id")]
        text = intake.texts.body(
            "descriptions of folders", row.text("description", ""), limits.max_channel_description_length
        )
        intake.execute(
            "INSERT INTO channel_folders VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            identity,
            intake.texts.line(
                "names of folders",
                row.text("name"),
                limits.max_channel_name_length,
                otherwise=f"Folder {identity}",
            ),
            text,
            rendered_description(intake.organization, text),
            row.integer("order", identity),
            row.time("date_created", 0),
            row.optional("creator", intake.users),
            int(row.flag("is_archived")),
        )


def channels(intake: Intake) -> None:
    intake.channels.update(identities(intake.tables, "zerver_stream"))
    defaults = {row.reference("stream", intake.channels) for row in intake.rows("zerver_defaultstream")}
    taken: set[str] = set()
    for row in intake.rows("zerver_stream"):
        identity = intake.channels[row.integer("id")]
        name = _name(intake, row, identity, taken)
        _channel(intake, row, identity, name, is_default=identity in defaults)
        taken.add(name.casefold())
    intake.organization.forget()


def _name(intake: Intake, row: ArchiveRow, identity: int, taken: set[str]) -> str:
    limit = intake.organization.config.limits.max_channel_name_length
    name = intake.texts.line("names of channels", row.text("name"), limit, otherwise=f"channel {identity}")
    return intake.texts.single("names of channels", name, taken, limit)


def _retention_days(value: object) -> int:
    """Retention days; -1 in the archive means forever."""
    return -1 if value == -1 else retention_days(value)


def _channel(intake: Intake, row: ArchiveRow, identity: int, name: str, *, is_default: bool) -> None:
    organization = intake.organization
    private, web_public = row.flag("invite_only"), row.flag("is_web_public")
    history = row.flag("history_public_to_subscribers", not private) or not private
    if private and web_public:
        row.fault("a channel cannot be both private and open to the web")
    settings = permissions(intake, row, "stream", _holders(row))
    with intake.aborting(row):
        check_topic_creators(organization, protected=not history, value=settings["can_create_topic_group"])
        days = (
            _retention_days(row.value("message_retention_days"))
            if row.has("message_retention_days")
            else None
        )
    text = intake.texts.body(
        "descriptions of channels",
        row.text("description", ""),
        organization.config.limits.max_channel_description_length,
    )
    organization.channels.insert(
        id=identity,
        name=name,
        description=text,
        rendered_description=rendered_description(organization, text),
        date_created=row.time("date_created"),
        creator_id=row.optional("creator", intake.users),
        invite_only=int(private),
        history_public=int(history),
        is_web_public=int(web_public),
        is_archived=int(row.flag("deactivated")),
        is_default=int(is_default),
        message_retention_days=days,
        topics_policy=word_for(CHANNEL_TOPICS, row.value("topics_policy"), "inherit"),
        folder_id=row.optional("folder", intake.folders),
        settings=settings,
    )


def _holders(row: ArchiveRow) -> dict[str, str]:
    """The default permissions for settings that the archive lacks."""
    holder = _OLD_POST_POLICY.get(row.integer("stream_post_policy", 1))
    changed = {} if holder is None else {"can_send_message_group": holder}
    return {**CHANNEL_GROUP_SETTINGS, **changed}


def subscriptions(intake: Intake, recipients: RecipientReader) -> None:
    """Subscriptions to channels; those to direct conversations were read by `Recipients`."""
    for row in intake.rows("zerver_subscription"):
        channel_id = recipients.channels.get(row.integer("recipient"))
        if channel_id is None:
            continue
        user_id = row.reference("user_profile", intake.users)
        color = row.text("color", "").lower()
        intake.execute(
            "INSERT OR REPLACE INTO subscriptions (user_id, channel_id, active, color, is_muted, pin_to_top,"
            " desktop_notifications, audible_notifications, push_notifications, email_notifications,"
            " wildcard_mentions_notify) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            user_id,
            channel_id,
            int(row.flag("active", True)),
            color if _COLOR.fullmatch(color) else next_color(intake.organization, user_id),
            int(row.flag("is_muted")),
            int(row.flag("pin_to_top")),
            *(row.choice(name) for name in _CHOICES),
        )


def topic_policies(intake: Intake) -> None:
    limit = intake.organization.config.limits.max_topic_length
    for row in intake.rows("zerver_usertopic"):
        policy = row.one_of("visibility_policy", tuple(VisibilityPolicy))
        if policy == VisibilityPolicy.NONE:
            continue
        intake.execute(
            "INSERT OR REPLACE INTO user_topics VALUES (?, ?, ?, ?, ?)",
            row.reference("user_profile", intake.users),
            row.reference("stream", intake.channels),
            intake.texts.line("topics", row.text("topic_name"), limit),
            policy,
            row.time("last_updated"),
        )
