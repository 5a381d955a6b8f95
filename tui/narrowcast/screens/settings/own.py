"""Personal settings, under headings; the organization's defaults for new users have the same ones."""

from __future__ import annotations

from collections.abc import Sequence

from narrowcast.keys.registry import by_id
from narrowcast.screens.settings.catalog import Catalog, Option, Setting, SettingKind, choice, flag
from narrowcast_api.state.state import State
from narrowcast_api.wire.levels import Gate

_TOPICS = (
    (1, "Topics I participate in"),
    (2, "Topics I send a message to"),
    (3, "Topics I start"),
    (4, "Never"),
)
_AUTOMATIC = ((1, "Automatic"), (2, "Always"), (3, "Never"))

WEB_APP = "Web app settings (no effect in Narrowcast)"
"""The heading of settings that have no effect here."""

OWN: Catalog = {
    "Preferences": (
        choice(
            "web_home_view",
            "Home view",
            ("inbox", "Inbox"),
            ("recent_topics", "Recent conversations"),
            ("all_messages", "Combined feed"),
        ),
        flag("web_escape_navigates_to_home_view", "Escape key navigates to home view"),
        flag("translate_emoticons", "Convert emoticons before sending (:) becomes 😃)"),
        flag("display_emoji_reaction_users", "Display names of reacting users when few users have reacted"),
        choice(
            "web_mark_read_on_scroll_policy",
            "Automatically mark messages as read",
            (1, "Always"),
            (2, "Only in conversation views"),
            (3, "Never"),
        ),
        choice(
            "resolved_topic_notice_auto_read_policy",
            "Mark resolved topic notices as read",
            ("always", "Always"),
            ("except_followed", "Except in topics I follow"),
            ("never", "Never"),
        ),
        choice("automatically_follow_topics_policy", "Automatically follow topics", *_TOPICS),
        choice(
            "automatically_unmute_topics_in_muted_streams_policy",
            "Unmute topics in muted channels",
            *_TOPICS,
        ),
        flag(
            "automatically_follow_topics_where_mentioned", "Automatically follow topics where I'm mentioned"
        ),
        flag("starred_message_counts", "Show counts for starred messages"),
        choice(
            "web_stream_unreads_count_display_policy",
            "Show unread counts for",
            (1, "All channels and topics"),
            (2, "Unmuted channels and topics"),
            (3, "No channels"),
        ),
        choice("demote_inactive_streams", "Hide inactive channels", *_AUTOMATIC),
        flag("web_left_sidebar_show_channel_folders", "Group by channel folder in the channel list"),
        flag("hide_ai_features", "Hide AI features"),
    ),
    "Privacy": (
        choice(
            "email_address_visibility",
            "Who can see your email address",
            (1, "Admins, moderators, members, guests"),
            (2, "Admins, moderators, members"),
            (5, "Admins and moderators"),
            (3, "Admins only"),
            (4, "Nobody"),
        ),
        flag("presence_enabled", "Display my availability to other users"),
        flag("send_private_typing_notifications", "Let recipients see when I'm typing direct messages"),
        flag("send_stream_typing_notifications", "Let recipients see when I'm typing messages in channels"),
        flag("receives_typing_notifications", "Show when other users are typing"),
        flag("send_read_receipts", "Let others see when I've read messages"),
        flag("enable_drafts_synchronization", "Sync drafts across devices"),
        flag("allow_private_data_export", "Let administrators export my private data"),
    ),
    "Notifications": (
        flag("enable_desktop_notifications", "Desktop notifications: direct messages, mentions, and alerts"),
        flag(
            "pm_content_in_desktop_notifications",
            "Include content of direct messages in desktop notifications",
        ),
        flag("enable_stream_desktop_notifications", "Desktop notifications: channel messages"),
        flag("enable_followed_topic_desktop_notifications", "Desktop notifications: followed topics"),
        flag("wildcard_mentions_notify", "Wildcard mentions (@all)"),
        flag("enable_followed_topic_wildcard_mentions_notify", "Wildcard mentions in followed topics"),
        flag("enable_sounds", "Notification sound: direct messages, mentions, and alerts"),
        flag("enable_stream_audible_notifications", "Notification sound: channel messages"),
        flag("enable_followed_topic_audible_notifications", "Notification sound: followed topics"),
        Setting(
            "notification_sound", "Notification sound (anything but none rings the bell)", SettingKind.CHOICE
        ),
        choice(
            "desktop_icon_count_display",
            "Unread count in the window title",
            (1, "All unread messages"),
            (2, "DMs, mentions, and followed topics"),
            (3, "DMs and mentions"),
            (4, "None"),
        ),
    ),
    "Language and time": (
        Setting("default_language", "Language of emails (code, such as en)", SettingKind.TEXT),
        Setting("timezone", "Time zone", SettingKind.CHOICE),
        flag("twenty_four_hour_time", "24-hour time"),
    ),
    WEB_APP: (
        flag("enter_sends", "Enter sends when composing"),
        flag("web_suggest_update_timezone", "Suggest updating the time zone when travelling"),
        choice("color_scheme", "Theme", (1, "Automatic"), (2, "Dark"), (3, "Light")),
        choice(
            "web_channel_default_view",
            "Channel links go to",
            (1, "Top topic in channel"),
            (2, "Channel feed"),
            (3, "List of topics"),
            (4, "Top unread topic in channel"),
        ),
        choice(
            "user_list_style",
            "User list style",
            (1, "Compact"),
            (2, "Show status"),
            (3, "Show status and avatar"),
        ),
        choice(
            "web_animate_image_previews",
            "Play animated images",
            ("always", "Always"),
            ("on_hover", "On hover"),
            ("never", "In image viewer only"),
        ),
        Setting("emojiset", "Emoji style", SettingKind.CHOICE),
        flag("fluid_layout_width", "Use full width on wide screens"),
        flag("high_contrast_mode", "High contrast mode"),
        flag("left_side_userlist", "Show user list on the left in narrow windows"),
        flag("web_inbox_show_channel_folders", "Group by channel folder in the inbox"),
        flag("web_left_sidebar_unreads_count_summary", "Show unread counts in the left sidebar"),
        flag("web_navigate_to_sent_message", "Automatically go to conversation where a message was sent"),
        Setting("web_font_size_px", "Font size (pixels)", SettingKind.NUMBER),
        Setting("web_line_height_percent", "Line spacing (percent)", SettingKind.NUMBER),
    ),
}

BY_SERVER = frozenset(
    {
        "translate_emoticons",
        "resolved_topic_notice_auto_read_policy",
        "automatically_follow_topics_policy",
        "automatically_unmute_topics_in_muted_streams_policy",
        "automatically_follow_topics_where_mentioned",
        "email_address_visibility",
        "receives_typing_notifications",
        "send_read_receipts",
        "allow_private_data_export",
        "default_language",
    }
)
"""Settings that the server applies, whatever the app."""

ELSEWHERE: Catalog = {
    "Email and mobile notifications": (
        flag("enable_offline_email_notifications", "Email: DMs, mentions, and alerts"),
        flag("enable_stream_email_notifications", "Email: channel messages"),
        flag("enable_followed_topic_email_notifications", "Email: followed topics"),
        flag("message_content_in_email_notifications", "Email: include message content"),
        Setting(
            "email_notifications_batching_period_seconds",
            "Email: delay before sending message notification emails",
            SettingKind.PERIOD,
        ),
        choice(
            "realm_name_in_email_notifications_policy",
            "Email: include organization name in subject",
            *_AUTOMATIC,
        ),
        flag("enable_offline_push_notifications", "Mobile: DMs, mentions, and alerts"),
        flag("enable_online_push_notifications", "Mobile: send even if I'm online"),
        flag("enable_stream_push_notifications", "Mobile: channel messages"),
        flag("enable_followed_topic_push_notifications", "Mobile: followed topics"),
        flag("enable_digest_emails", "Email: digest when I'm away"),
        flag("enable_login_emails", "Email: new logins to my account"),
        flag("enable_marketing_emails", "Email: product updates"),
    ),
}
"""Settings without effect in this app: shown only where administrators set the defaults for new users."""

ACCOUNT: Catalog = {
    "Account": tuple(
        Setting(name, f"{by_id()[name].title}…", SettingKind.COMMAND)
        for name in ("account.email", "account.password", "account.two-factor", "account.key")
    )
}
"""Credentials of the account."""


def options_at(state: State, setting: Setting) -> Sequence[Option]:
    """The values to choose from on the server: some are different on older or newer servers."""
    if setting.name == "desktop_icon_count_display" and not state.supports(Gate.UNREAD_COUNT_FOLLOWED):
        return ((1, "All unread messages"), (2, "DMs and mentions"), (3, "None"))
    if setting.name == "web_home_view" and state.supports(Gate.RECENT_VIEW_NAME):
        later = {"recent_topics": "recent"}
        return [(later.get(str(value), value), label) for value, label in setting.options]
    return setting.options
