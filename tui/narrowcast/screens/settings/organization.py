"""The organization's settings and permissions, under headings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.screens.settings.catalog import Catalog, Setting, SettingKind, choice, flag

if TYPE_CHECKING:
    from narrowcast_api.state.settings import Settings


def _holders(name: str, title: str) -> Setting:
    return Setting(name, title, SettingKind.HOLDERS)


_POLICY = (
    (5, "Everyone including guests"),
    (1, "Everyone except guests"),
    (3, "Full members"),
    (4, "Admins and moderators"),
    (2, "Admins"),
    (7, "Owners"),
    (6, "Nobody"),
)


def _policy(name: str, title: str) -> Setting:
    return choice(name, title, *_POLICY)


_GIF_RATINGS = (
    (0, "GIFs disabled"),
    (1, "Include GIFs rated G"),
    (2, "Include GIFs rated PG"),
    (3, "Include GIFs rated PG-13"),
    (4, "Include GIFs rated R"),
)

REPLACED = {
    "add_custom_emoji_policy": "can_add_custom_emoji_group",
    "bot_creation_policy": "can_create_bots_group",
    "create_private_stream_policy": "can_create_private_channel_group",
    "create_public_stream_policy": "can_create_public_channel_group",
    "create_web_public_stream_policy": "can_create_web_public_channel_group",
    "delete_own_message_policy": "can_delete_own_message_group",
    "edit_topic_policy": "can_move_messages_between_topics_group",
    "invite_to_realm_policy": "can_invite_users_group",
    "invite_to_stream_policy": "can_add_subscribers_group",
    "giphy_rating": "gif_rating_policy",
    "mandatory_topics": "topics_policy",
    "move_messages_between_streams_policy": "can_move_messages_between_channels_group",
    "private_message_policy": "direct_message_permission_group",
    "user_group_edit_policy": "can_create_groups",
    "wildcard_mention_policy": "can_mention_many_users_group",
}
"""Settings of older servers, and their replacements: newer servers report both, but only change the replacement."""


def is_current(setting: Setting, values: Settings) -> bool:
    """Whether the server has this setting, and none that replaces it."""
    return setting.name in values and REPLACED.get(setting.name, "") not in values


ORGANIZATION: Catalog = {
    "Organization profile": (
        Setting("name", "Name", SettingKind.TEXT),
        Setting("description", "Organization description", SettingKind.LONG_TEXT),
        choice(
            "org_type",
            "Organization type",
            (0, "Unspecified"),
            (10, "Business"),
            (20, "Open-source project"),
            (30, "Education (non-profit)"),
            (35, "Education (for-profit)"),
            (40, "Research"),
            (50, "Event"),
            (60, "Non-profit (registered)"),
            (70, "Government"),
            (80, "Political group"),
            (90, "Community"),
            (100, "Personal"),
            (1000, "Other"),
        ),
        Setting(
            "default_language", "Language for automated messages and invitation emails", SettingKind.TEXT
        ),
        flag(
            "want_advertise_in_communities_directory",
            "Advertise organization in the Zulip communities directory",
        ),
    ),
    "Joining the organization": (
        flag("invite_required", "Invitations are required for joining this organization"),
        _holders("can_invite_users_group", "Who can send email invitations to new users"),
        _holders("create_multiuse_invite_group", "Who can create reusable invitation links"),
        flag("emails_restricted_to_domains", "Restrict email domains of new users"),
        flag("disallow_disposable_email_addresses", "Don't allow disposable email addresses"),
        Setting(
            "waiting_period_threshold",
            "Waiting period before new members become full members (days)",
            SettingKind.NUMBER,
        ),
        flag("send_welcome_emails", "Send emails introducing Zulip to new users"),
        Setting("welcome_message_custom_text", "Custom welcome message", SettingKind.LONG_TEXT),
        Setting("signup_announcements_stream_id", "New user announcements", SettingKind.CHANNEL),
    ),
    "User identity and groups": (
        flag("name_changes_disabled", "Prevent users from changing their name"),
        flag("require_unique_names", "Require unique names"),
        flag("email_changes_disabled", "Prevent users from changing their email address"),
        flag("avatar_changes_disabled", "Prevent users from changing their avatar"),
        choice(
            "default_avatar_source", "Avatars of new users", ("G", "Gravatar"), ("J", "Generated (Jdenticon)")
        ),
        flag("enable_read_receipts", "Enable read receipts"),
        flag("enable_guest_user_indicator", "Display “(guest)” after names of guest users"),
        flag("enable_guest_user_dm_warning", "Warn when composing a direct message to a guest"),
        _holders("can_access_all_users_group", "Who can view all other users in the organization"),
        _holders("can_create_groups", "Who can create user groups"),
        _holders("can_manage_all_groups", "Who can administer all user groups"),
        _holders("can_create_bots_group", "Who can add bots"),
        _holders("can_create_write_only_bots_group", "Who can create bots that send messages only"),
        _holders("workplace_users_group", "Who counts as a workplace user for billing"),
        _holders("can_manage_billing_group", "Who can manage plans and billing"),
    ),
    "Channels": (
        _holders("can_create_public_channel_group", "Who can create public channels"),
        _holders("can_create_private_channel_group", "Who can create private channels"),
        _holders("can_create_web_public_channel_group", "Who can create web-public channels"),
        flag("enable_spectator_access", "Allow creating web-public channels"),
        _holders("can_add_subscribers_group", "Who can add users to channels"),
        Setting("new_stream_announcements_stream_id", "New channel announcements", SettingKind.CHANNEL),
        flag("send_channel_events_messages", "Send automated notices about channel changes"),
        choice(
            "topics_policy",
            "General chat topic",
            ("allow_empty_topic", "Allowed"),
            ("disable_empty_topic", "Not allowed"),
        ),
        _holders("can_set_topics_policy_group", "Who can configure per-channel topic settings"),
    ),
    "Messages": (
        flag("allow_message_editing", "Allow message editing"),
        Setting("message_content_edit_limit_seconds", "Time limit for editing messages", SettingKind.SECONDS),
        choice(
            "message_edit_history_visibility_policy",
            "Message edit history",
            ("all", "Show edits and moves"),
            ("moves", "Show moves only"),
            ("none", "Don't show"),
        ),
        _holders("can_delete_own_message_group", "Who can delete their own messages"),
        Setting(
            "message_content_delete_limit_seconds", "Time limit for deleting messages", SettingKind.SECONDS
        ),
        _holders("can_delete_any_message_group", "Who can delete any message"),
        _holders("can_set_delete_message_policy_group", "Who can configure per-channel deletion settings"),
        _holders("can_move_messages_between_topics_group", "Who can move messages to another topic"),
        Setting(
            "move_messages_within_stream_limit_seconds",
            "Time limit for moving messages between topics",
            SettingKind.SECONDS,
        ),
        _holders("can_move_messages_between_channels_group", "Who can move messages to another channel"),
        Setting(
            "move_messages_between_streams_limit_seconds",
            "Time limit for moving messages between channels",
            SettingKind.SECONDS,
        ),
        _holders("can_resolve_topics_group", "Who can resolve topics"),
        _holders(
            "can_mention_many_users_group", "Who can notify a large number of users with a wildcard mention"
        ),
        _holders("direct_message_permission_group", "Who can authorize a direct message conversation"),
        _holders("direct_message_initiator_group", "Who can start a direct message conversation"),
        _holders("can_summarize_topics_group", "Who can use AI summaries"),
        _holders("can_add_custom_emoji_group", "Who can add custom emoji"),
        Setting("message_retention_days", "Message retention period", SettingKind.DAYS),
        Setting("moderation_request_channel_id", "Moderation requests", SettingKind.CHANNEL),
        Setting("default_code_block_language", "Default language for code blocks", SettingKind.TEXT),
    ),
    "Other settings": (
        flag("inline_image_preview", "Show previews of uploaded and linked images and videos"),
        flag("inline_url_embed_preview", "Show previews of linked websites"),
        choice(
            "media_preview_size",
            "Size of image and video previews",
            (100, "100%"),
            (150, "150%"),
            (200, "200%"),
        ),
        choice("giphy_rating", "GIF integration", *_GIF_RATINGS),
        choice("gif_rating_policy", "GIF integration", *_GIF_RATINGS),
        Setting("video_chat_provider", "Call provider", SettingKind.CHOICE),
        Setting("jitsi_server_url", "Jitsi server URL", SettingKind.TEXT, emptied="default"),
        flag("digest_emails_enabled", "Send weekly digest emails to inactive users"),
        choice(
            "digest_weekday",
            "Day of the week to send digests",
            (0, "Monday"),
            (1, "Tuesday"),
            (2, "Wednesday"),
            (3, "Thursday"),
            (4, "Friday"),
            (5, "Saturday"),
            (6, "Sunday"),
        ),
        flag(
            "message_content_allowed_in_email_notifications",
            "Allow message content in message notification emails",
        ),
        flag("require_e2ee_push_notifications", "Require end-to-end encryption for push notifications"),
        Setting("zulip_update_announcements_stream_id", "Zulip update announcements", SettingKind.CHANNEL),
    ),
    "Permissions (older server)": (
        _policy("invite_to_realm_policy", "Who can send email invitations to new users"),
        _policy("create_public_stream_policy", "Who can create public channels"),
        _policy("create_private_stream_policy", "Who can create private channels"),
        _policy("create_web_public_stream_policy", "Who can create web-public channels"),
        _policy("invite_to_stream_policy", "Who can add users to channels"),
        _policy("add_custom_emoji_policy", "Who can add custom emoji"),
        _policy("user_group_edit_policy", "Who can create and manage user groups"),
        _policy("delete_own_message_policy", "Who can delete their own messages"),
        _policy("edit_topic_policy", "Who can move messages to another topic"),
        _policy("move_messages_between_streams_policy", "Who can move messages to another channel"),
        _policy("wildcard_mention_policy", "Who can notify a large number of users with a wildcard mention"),
        choice(
            "bot_creation_policy",
            "Who can add bots",
            (1, "Members"),
            (2, "Members, but only admins can add generic bots"),
            (3, "Admins"),
        ),
        choice("private_message_policy", "Direct messages", (1, "Allowed"), (2, "Disabled")),
        flag("mandatory_topics", "Require topics in channel messages"),
    ),
}
