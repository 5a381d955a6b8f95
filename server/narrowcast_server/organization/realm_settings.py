"""The organization's settings and their defaults, named as in registration but without `realm_`.

Values of `*_group` settings are names of system groups here; the first run replaces them with group-setting
values.
"""

from __future__ import annotations

from typing import Final

from narrowcast_api.wire.levels import Gate

GROUP_SETTINGS: Final[dict[str, str]] = {
    "create_multiuse_invite_group": "role:administrators",
    "can_access_all_users_group": "role:everyone",
    "can_add_subscribers_group": "role:members",
    "can_add_custom_emoji_group": "role:members",
    "can_create_bots_group": "role:members",
    "can_create_groups": "role:members",
    "can_create_public_channel_group": "role:members",
    "can_create_private_channel_group": "role:members",
    "can_create_web_public_channel_group": "role:owners",
    "can_create_write_only_bots_group": "role:members",
    "can_delete_any_message_group": "role:administrators",
    "can_delete_own_message_group": "role:everyone",
    "can_invite_users_group": "role:members",
    "can_manage_all_groups": "role:owners",
    "can_manage_billing_group": "role:administrators",
    "can_mention_many_users_group": "role:administrators",
    "can_move_messages_between_channels_group": "role:members",
    "can_move_messages_between_topics_group": "role:everyone",
    "can_resolve_topics_group": "role:everyone",
    "can_set_delete_message_policy_group": "role:moderators",
    "can_set_topics_policy_group": "role:members",
    "can_summarize_topics_group": "role:everyone",
    "direct_message_initiator_group": "role:everyone",
    "direct_message_permission_group": "role:everyone",
}
"""Each with the system group that has the permission by default."""

CHANNEL_GROUP_SETTINGS: Final[dict[str, str]] = {
    "can_add_subscribers_group": "role:nobody",
    "can_administer_channel_group": "role:nobody",
    "can_create_topic_group": "role:everyone",
    "can_delete_any_message_group": "role:nobody",
    "can_delete_own_message_group": "role:nobody",
    "can_move_messages_out_of_channel_group": "role:nobody",
    "can_move_messages_within_channel_group": "role:nobody",
    "can_send_message_group": "role:everyone",
    "can_remove_subscribers_group": "role:administrators",
    "can_resolve_topics_group": "role:nobody",
    "can_subscribe_group": "role:nobody",
}

USER_GROUP_SETTINGS: Final[dict[str, str]] = {
    "can_add_members_group": "role:nobody",
    "can_join_group": "role:nobody",
    "can_leave_group": "role:everyone",
    "can_manage_group": "role:nobody",
    "can_mention_group": "role:everyone",
    "can_remove_members_group": "role:nobody",
}

GIF_POLICY: Final = "gif_rating_policy"
"""What `giphy_rating` has been called since level 453."""

FOREVER: Final = -1
"""Instead of the days after which messages expire."""

EDITABLE: Final[dict[str, object]] = {
    "allow_message_editing": True,
    "avatar_changes_disabled": False,
    "default_code_block_language": "",
    "default_language": "en",
    "description": "",
    "digest_emails_enabled": False,
    "digest_weekday": 1,
    "disallow_disposable_email_addresses": False,
    "email_changes_disabled": False,
    "emails_restricted_to_domains": False,
    "enable_guest_user_dm_warning": True,
    "enable_guest_user_indicator": True,
    "enable_read_receipts": True,
    "enable_spectator_access": True,
    "giphy_rating": 0,
    "inline_image_preview": True,
    "inline_url_embed_preview": False,
    "invite_required": True,
    "jitsi_server_url": None,
    "message_content_allowed_in_email_notifications": True,
    "message_content_edit_limit_seconds": 600,
    "message_content_delete_limit_seconds": 600,
    "message_edit_history_visibility_policy": "all",
    "move_messages_between_streams_limit_seconds": 604_800,
    "move_messages_within_stream_limit_seconds": 604_800,
    "message_retention_days": FOREVER,
    "name": "Narrowcast",
    "name_changes_disabled": False,
    "require_e2ee_push_notifications": False,
    "require_unique_names": False,
    "send_channel_events_messages": False,
    "send_welcome_emails": False,
    "topics_policy": "allow_empty_topic",
    "video_chat_provider": 0,
    "waiting_period_threshold": 0,
    "want_advertise_in_communities_directory": False,
    "welcome_message_custom_text": "",
    "new_stream_announcements_stream_id": -1,
    "signup_announcements_stream_id": -1,
    "moderation_request_channel_id": -1,
    "zulip_update_announcements_stream_id": -1,
    "org_type": 10,
}
"""The settings that PATCH /realm changes, with the values of a new organization."""


def outgoing_name(name: str, level: int) -> str:
    """The name of a setting on servers of a level."""
    return GIF_POLICY if name == "giphy_rating" and level >= Gate.GIF_RATING_POLICY.level else name


READ_ONLY: Final[dict[str, object]] = {
    "owner_full_content_access": False,
    "presence_disabled": False,
}
"""Settings that registration reports and no request changes."""

DEFAULTS: Final[dict[str, object]] = {
    **EDITABLE,
    **READ_ONLY,
    **GROUP_SETTINGS,
    "domain": "localhost",
    "date_created": 0,
    "empty_topic_display_name": "general chat",
    "invitation_link_validity_minutes": 14_400,
    "icon_picture": None,
    "logo_picture": None,
    "night_logo_picture": None,
    "default_channel_groups": [],
    "personal_defaults": {},
}


REPORT_TYPES: Final[dict[str, str]] = {
    "spam": "Spam",
    "harassment": "Harassment",
    "inappropriate": "Inappropriate content",
    "norms": "Violates community norms",
    "other": "Other reason",
}

MAX_NOTIFIED_SUBSCRIBERS: Final = 100
"""A request that subscribes more users than this sends them no notification messages."""
