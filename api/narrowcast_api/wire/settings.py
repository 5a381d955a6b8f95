"""A user's own settings, as registration sends them and PATCH /settings changes them."""

from __future__ import annotations

from .base import Int, WireModel


class UserSettings(WireModel):
    """What a terminal client uses, with defaults for servers that lack it; other settings are extras."""

    twenty_four_hour_time: bool | None = False
    timezone: str = ""
    default_language: str = "en"
    enter_sends: bool = False
    web_home_view: str = "inbox"
    web_mark_read_on_scroll_policy: Int = 1
    demote_inactive_streams: Int = 1
    display_emoji_reaction_users: bool = True
    starred_message_counts: bool = True
    fluid_layout_width: bool = False
    high_contrast_mode: bool = False
    color_scheme: Int = 1
    emojiset: str = ""
    translate_emoticons: bool = False
    user_list_style: Int = 1
    presence_enabled: bool = True
    send_private_typing_notifications: bool = True
    send_stream_typing_notifications: bool = True
    receives_typing_notifications: bool = True
    send_read_receipts: bool = True
    email_address_visibility: Int = 1
    enable_drafts_synchronization: bool = True
    enable_desktop_notifications: bool = True
    enable_sounds: bool = True
    notification_sound: str = ""
    enable_stream_desktop_notifications: bool = False
    enable_stream_audible_notifications: bool = False
    enable_followed_topic_desktop_notifications: bool = True
    enable_followed_topic_audible_notifications: bool = True
    pm_content_in_desktop_notifications: bool = True
    wildcard_mentions_notify: bool = True
    automatically_follow_topics_policy: Int = 3
    automatically_unmute_topics_in_muted_streams_policy: Int = 2
    automatically_follow_topics_where_mentioned: bool = True
    resolved_topic_notice_auto_read_policy: str = "except_followed"
