"""Parts of the snapshot: the organization's settings, its domains, and the server's limits."""

from __future__ import annotations

from typing import Final

from narrowcast_api.wire.levels import Gate
from narrowcast_server.organization.realm_settings import (
    EDITABLE,
    GROUP_SETTINGS,
    MAX_NOTIFIED_SUBSCRIBERS,
    READ_ONLY,
    REPORT_TYPES,
    outgoing_name,
)
from narrowcast_server.queries.organization import domains_of, picture_source, picture_url
from narrowcast_server.queries.snapshot.parts import Snapshot, part
from narrowcast_server.rules.holders import supported
from narrowcast_server.rules.permissions import outgoing_value, realm_allows

_JITSI: Final = "https://meet.jit.si"
"""Where calls take place unless the organization has a server of its own."""


@part("realm")
def realm_settings(request: Snapshot) -> dict[str, object]:
    """`realm_*`: the organization's settings."""
    organization = request.organization
    settings = organization.settings
    result: dict[str, object] = {
        f"realm_{outgoing_name(name, organization.level)}": settings[name] for name in (*EDITABLE, *READ_ONLY)
    }
    result |= {f"realm_{name}": outgoing_value(organization, settings[name]) for name in GROUP_SETTINGS}
    return result | {
        "realm_allow_edit_history": settings["message_edit_history_visibility_policy"] == "all",
        "realm_authentication_methods": {"Email": {"enabled": True, "available": True}},
        "realm_available_video_chat_providers": {
            "disabled": {"name": "None", "id": 0},
            "jitsi_meet": {"name": "Jitsi Meet", "id": 1},
        },
        "realm_bot_domain": settings["domain"],
        "realm_create_private_stream_policy": 1,
        "realm_create_public_stream_policy": 1,
        "realm_create_web_public_stream_policy": 7,
        "realm_date_created": settings["date_created"],
        "realm_default_external_accounts": {},
        "realm_email_auth_enabled": True,
        "realm_empty_topic_display_name": settings["empty_topic_display_name"],
        "realm_icon_source": picture_source(organization, "icon"),
        "realm_icon_url": picture_url(organization, "icon"),
        "realm_logo_source": picture_source(organization, "logo"),
        "realm_logo_url": picture_url(organization, "logo"),
        "realm_mandatory_topics": settings["topics_policy"] == "disable_empty_topic",
        "realm_night_logo_source": picture_source(organization, "night_logo"),
        "realm_night_logo_url": picture_url(organization, "night_logo"),
        "realm_password_auth_enabled": True,
        "realm_plan_type": 1,
        "realm_push_notifications_enabled": False,
        "realm_push_notifications_enabled_end_timestamp": None,
        "realm_upload_quota_mib": None,
        "realm_uri": organization.url,
        "realm_url": organization.url,
        "realm_wildcard_mention_policy": 5,
    }


@part("realm")
def server_facts(request: Snapshot) -> dict[str, object]:
    """Properties of the server, independent of the organization."""
    organization = request.organization
    rating = "gif_rating_policy" if organization.level >= Gate.GIF_RATING_POLICY.level else "gif_rating"
    return {
        "development_environment": False,
        f"{rating}_options": {"disabled": {"name": "GIF integration disabled", "id": 0}},
        "jitsi_server_url": organization.settings["jitsi_server_url"] or _JITSI,
        "server_avatar_changes_disabled": False,
        "server_can_summarize_topics": False,
        "server_emoji_data_url": f"{organization.url}/static/emoji.json",
        "server_generation": organization.generation,
        "server_inline_image_preview": True,
        "server_inline_url_embed_preview": False,
        "server_jitsi_server_url": _JITSI,
        "server_max_deactivated_realm_deletion_days": None,
        "server_min_deactivated_realm_deletion_days": None,
        "server_name_changes_disabled": False,
        "server_needs_upgrade": False,
        "server_report_message_types": [{"key": key, "name": name} for key, name in REPORT_TYPES.items()],
        "server_supported_permission_settings": supported(),
        "server_thumbnail_formats": [],
        "server_web_public_streams_enabled": True,
        "settings_send_digest_emails": False,
        "upgrade_text_for_wide_organization_logo": "",
        "zulip_plan_is_not_limited": True,
    }


@part("realm")
def limits(request: Snapshot) -> dict[str, object]:
    """Sizes and periods (LIM-02, TYP-25)."""
    bounds = request.organization.config.limits
    return {
        "event_queue_longpoll_timeout_seconds": bounds.longpoll_seconds,
        "max_avatar_file_size_mib": 5,
        "max_bulk_new_subscription_messages": MAX_NOTIFIED_SUBSCRIBERS,
        "max_channel_folder_description_length": 1024,
        "max_channel_folder_name_length": 60,
        "max_file_upload_size_mib": bounds.max_file_upload_mib,
        "max_icon_file_size_mib": 5,
        "max_logo_file_size_mib": 5,
        "max_message_length": bounds.max_message_length,
        "max_reminder_note_length": 1000,
        "max_stream_description_length": bounds.max_channel_description_length,
        "max_stream_name_length": bounds.max_channel_name_length,
        "max_topic_length": bounds.max_topic_length,
        "password_max_length": 100,
        "password_min_guesses": 0,
        "password_min_length": 8,
        "server_presence_offline_threshold_seconds": bounds.presence_offline_seconds,
        "server_presence_ping_interval_seconds": bounds.presence_ping_seconds,
        "server_typing_started_expiry_period_milliseconds": bounds.typing_started_expiry_ms,
        "server_typing_started_wait_period_milliseconds": bounds.typing_started_wait_ms,
        "server_typing_stopped_wait_period_milliseconds": bounds.typing_stopped_wait_ms,
    }


@part("realm_user")
def own_permissions(request: Snapshot) -> dict[str, object]:
    """What the user may create, and whether they may invite others."""
    organization, user = request.organization, request.user
    public = realm_allows(organization, user, "can_create_public_channel_group")
    private = realm_allows(organization, user, "can_create_private_channel_group")
    return {
        "can_create_private_streams": private,
        "can_create_public_streams": public,
        "can_create_streams": public or private,
        "can_create_web_public_streams": realm_allows(
            organization, user, "can_create_web_public_channel_group"
        ),
        "can_invite_others_to_realm": realm_allows(organization, user, "can_invite_users_group"),
    }


@part("realm_domains")
def domains(request: Snapshot) -> dict[str, object]:
    """Email domains whose addresses may join."""
    return {"realm_domains": domains_of(request.organization)}
