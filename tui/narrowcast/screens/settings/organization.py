"""The organization's settings and permissions, under headings."""

from __future__ import annotations

from narrowcast.screens.settings.catalog import Catalog, Kind, Setting, choice, flag


def _holders(name: str, title: str) -> Setting:
    return Setting(name, title, Kind.HOLDERS)


_POLICY = (
    (5, "everyone, guests too"),
    (1, "members, not guests"),
    (3, "full members"),
    (4, "moderators and above"),
    (2, "administrators"),
    (7, "owners"),
    (6, "nobody"),
)


def _policy(name: str, title: str) -> Setting:
    return choice(name, title, *_POLICY)


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
    "mandatory_topics": "topics_policy",
    "move_messages_between_streams_policy": "can_move_messages_between_channels_group",
    "private_message_policy": "direct_message_permission_group",
    "user_group_edit_policy": "can_create_groups",
    "wildcard_mention_policy": "can_mention_many_users_group",
}
"""Settings of older servers, by what took their place: newer servers tell both, and change only the new one."""

ORGANIZATION: Catalog = {
    "The organization": (
        Setting("name", "Name", Kind.TEXT),
        Setting("description", "Description (Markdown)", Kind.LONG_TEXT),
        choice(
            "org_type",
            "Kind",
            (0, "not said"),
            (10, "business"),
            (20, "open-source project"),
            (30, "education (non-profit)"),
            (35, "education (for-profit)"),
            (40, "research"),
            (50, "event or conference"),
            (60, "non-profit"),
            (70, "government"),
            (80, "political group"),
            (90, "community"),
            (100, "personal"),
            (1000, "other"),
        ),
        Setting("default_language", "Language of newcomers and invitations", Kind.TEXT),
        flag("want_advertise_in_communities_directory", "Listed in the directory of communities"),
    ),
    "Joining": (
        flag("invite_required", "Only who is invited may join"),
        _holders("can_invite_users_group", "Who may invite by email"),
        _holders("create_multiuse_invite_group", "Who may make invitation links"),
        flag("emails_restricted_to_domains", "Only addresses of the allowed domains"),
        flag("disallow_disposable_email_addresses", "No throw-away addresses"),
        Setting("waiting_period_threshold", "Days until a member is a full member", Kind.NUMBER),
        flag("send_welcome_emails", "Welcome newcomers by email"),
        Setting("welcome_message_custom_text", "Words of one's own to newcomers", Kind.LONG_TEXT),
        Setting("signup_announcements_stream_id", "Newcomers are announced in", Kind.CHANNEL),
    ),
    "People": (
        flag("name_changes_disabled", "Names cannot be changed by oneself"),
        flag("require_unique_names", "Names are unique"),
        flag("email_changes_disabled", "Addresses cannot be changed by oneself"),
        flag("avatar_changes_disabled", "Pictures cannot be changed by oneself"),
        flag("enable_read_receipts", "Read receipts"),
        flag("enable_guest_user_indicator", "Guests are marked behind their names"),
        flag("enable_guest_user_dm_warning", "A warning before writing to guests"),
        _holders("can_access_all_users_group", "Who sees everybody"),
        _holders("can_create_groups", "Who may make user groups"),
        _holders("can_manage_all_groups", "Who may manage every group"),
        _holders("can_create_bots_group", "Who may make bots"),
        _holders("can_create_write_only_bots_group", "Who may make incoming webhooks"),
        _holders("can_manage_billing_group", "Who manages billing"),
    ),
    "Channels": (
        _holders("can_create_public_channel_group", "Who may make public channels"),
        _holders("can_create_private_channel_group", "Who may make private channels"),
        _holders("can_create_web_public_channel_group", "Who may make web-public channels"),
        flag("enable_spectator_access", "Web-public channels"),
        _holders("can_add_subscribers_group", "Who may subscribe others"),
        Setting("new_stream_announcements_stream_id", "New channels are announced in", Kind.CHANNEL),
        flag("send_channel_events_messages", "Notices in channels about their changes"),
        choice(
            "topics_policy",
            "Topics",
            ("allow_empty_topic", "may be left empty"),
            ("disable_empty_topic", "must be given"),
        ),
        _holders("can_set_topics_policy_group", "Who may choose that by channel"),
    ),
    "Messages": (
        flag("allow_message_editing", "Messages can be edited"),
        Setting("message_content_edit_limit_seconds", "Time to edit", Kind.SECONDS),
        choice(
            "message_edit_history_visibility_policy",
            "Versions of messages show",
            ("all", "everything"),
            ("moves", "moves only"),
            ("none", "nothing"),
        ),
        _holders("can_delete_own_message_group", "Who may delete messages of their own"),
        Setting("message_content_delete_limit_seconds", "Time to delete one's own", Kind.SECONDS),
        _holders("can_delete_any_message_group", "Who may delete any message"),
        _holders("can_set_delete_message_policy_group", "Who may choose that by channel"),
        _holders("can_move_messages_between_topics_group", "Who may move messages between topics"),
        Setting("move_messages_within_stream_limit_seconds", "Time to move between topics", Kind.SECONDS),
        _holders("can_move_messages_between_channels_group", "Who may move messages between channels"),
        Setting("move_messages_between_streams_limit_seconds", "Time to move between channels", Kind.SECONDS),
        _holders("can_resolve_topics_group", "Who may resolve topics"),
        _holders("can_mention_many_users_group", "Who may mention many with @all"),
        _holders("direct_message_permission_group", "Who takes part in direct messages"),
        _holders("direct_message_initiator_group", "Who may begin direct messages"),
        _holders("can_summarize_topics_group", "Who may have topics summarized"),
        _holders("can_add_custom_emoji_group", "Who may add emoji"),
        Setting("message_retention_days", "Messages are kept", Kind.DAYS),
        Setting("moderation_request_channel_id", "Reported messages go to", Kind.CHANNEL),
        Setting("default_code_block_language", "Language of code that names none", Kind.TEXT),
    ),
    "Pictures, calls and mail": (
        flag("inline_image_preview", "Show pictures in messages"),
        flag("inline_url_embed_preview", "Show previews of linked sites"),
        choice(
            "giphy_rating",
            "GIF search",
            (0, "off"),
            (1, "rated G"),
            (2, "rated PG"),
            (3, "rated PG-13"),
            (4, "rated R"),
        ),
        Setting("video_chat_provider", "Video calls", Kind.CHOICE),
        Setting("jitsi_server_url", "Address of a Jitsi server", Kind.TEXT),
        flag("digest_emails_enabled", "Weekly digests by email"),
        choice(
            "digest_weekday",
            "Day of the digests",
            (0, "Monday"),
            (1, "Tuesday"),
            (2, "Wednesday"),
            (3, "Thursday"),
            (4, "Friday"),
            (5, "Saturday"),
            (6, "Sunday"),
        ),
        flag("message_content_allowed_in_email_notifications", "Emails may say what messages say"),
        flag("require_e2ee_push_notifications", "Phone notifications only with encryption end to end"),
        Setting("zulip_update_announcements_stream_id", "News of the server go to", Kind.CHANNEL),
    ),
    "Permissions of this older server": (
        _policy("invite_to_realm_policy", "Who may invite by email"),
        _policy("create_public_stream_policy", "Who may make public channels"),
        _policy("create_private_stream_policy", "Who may make private channels"),
        _policy("create_web_public_stream_policy", "Who may make web-public channels"),
        _policy("invite_to_stream_policy", "Who may subscribe others"),
        _policy("add_custom_emoji_policy", "Who may add emoji"),
        _policy("user_group_edit_policy", "Who may make and change user groups"),
        _policy("delete_own_message_policy", "Who may delete messages of their own"),
        _policy("edit_topic_policy", "Who may move messages between topics"),
        _policy("move_messages_between_streams_policy", "Who may move messages between channels"),
        _policy("wildcard_mention_policy", "Who may mention many with @all"),
        choice(
            "bot_creation_policy",
            "Who may make bots",
            (1, "members"),
            (2, "members, but generic ones administrators"),
            (3, "administrators"),
        ),
        choice("private_message_policy", "Direct messages", (1, "on"), (2, "off")),
        flag("mandatory_topics", "Topics must be given"),
    ),
}
