"""Personal settings: names, defaults and allowed values, as in registration and PATCH /settings."""

from __future__ import annotations

import zoneinfo
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.levels import Gate
from narrowcast_server.organization.errors import ServiceError

if TYPE_CHECKING:
    from narrowcast_server.organization.models import User
    from narrowcast_server.organization.organization import Organization

DEFAULTS: Final[dict[str, object]] = {
    "twenty_four_hour_time": False,
    "web_mark_read_on_scroll_policy": 1,
    "web_channel_default_view": 1,
    "starred_message_counts": True,
    "receives_typing_notifications": True,
    "fluid_layout_width": False,
    "high_contrast_mode": False,
    "color_scheme": 1,
    "web_font_size_px": 16,
    "web_line_height_percent": 140,
    "translate_emoticons": False,
    "display_emoji_reaction_users": True,
    "default_language": "en",
    "web_home_view": "inbox",
    "web_escape_navigates_to_home_view": True,
    "left_side_userlist": False,
    "emojiset": "text",
    "demote_inactive_streams": 1,
    "web_stream_unreads_count_display_policy": 2,
    "email_notifications_batching_period_seconds": 120,
    "enable_drafts_synchronization": True,
    "enable_stream_desktop_notifications": False,
    "enable_stream_email_notifications": False,
    "enable_stream_push_notifications": False,
    "enable_stream_audible_notifications": False,
    "wildcard_mentions_notify": True,
    "enable_followed_topic_desktop_notifications": True,
    "enable_followed_topic_email_notifications": True,
    "enable_followed_topic_push_notifications": True,
    "enable_followed_topic_audible_notifications": True,
    "enable_followed_topic_wildcard_mentions_notify": True,
    "notification_sound": "ding",
    "enable_desktop_notifications": True,
    "enable_sounds": True,
    "enable_offline_email_notifications": False,
    "enable_offline_push_notifications": False,
    "enable_online_push_notifications": False,
    "enable_digest_emails": False,
    "enable_login_emails": False,
    "enable_marketing_emails": False,
    "message_content_in_email_notifications": True,
    "pm_content_in_desktop_notifications": True,
    "desktop_icon_count_display": 1,
    "realm_name_in_email_notifications_policy": 1,
    "automatically_follow_topics_policy": 4,
    "automatically_unmute_topics_in_muted_streams_policy": 4,
    "automatically_follow_topics_where_mentioned": False,
    "presence_enabled": True,
    "enter_sends": True,
    "send_private_typing_notifications": True,
    "send_stream_typing_notifications": True,
    "send_read_receipts": True,
    "allow_private_data_export": False,
    "user_list_style": 2,
    "web_animate_image_previews": "on_hover",
    "email_address_visibility": 1,
    "web_navigate_to_sent_message": True,
    "web_suggest_update_timezone": True,
    "hide_ai_features": False,
    "resolved_topic_notice_auto_read_policy": "except_followed",
    "web_inbox_show_channel_folders": True,
    "web_left_sidebar_show_channel_folders": True,
    "web_left_sidebar_unreads_count_summary": True,
}
"""In the order in which Zulip servers complain about the parameters of a request."""

_HOME_VIEW: Final = "web_home_view"
_RECENT_TOPICS: Final = "recent_topics"
_RECENT: Final = "recent"
"""What `recent_topics` has been called since level 454."""

_CHOICES: Final[dict[str, tuple[object, ...]]] = {
    "automatically_follow_topics_policy": (1, 2, 3, 4),
    "automatically_unmute_topics_in_muted_streams_policy": (1, 2, 3, 4),
    "color_scheme": (1, 2, 3),
    "default_language": ("en", "de", "es", "fr", "tr"),
    "demote_inactive_streams": (1, 2, 3),
    "desktop_icon_count_display": (1, 2, 3, 4),
    "email_address_visibility": (1, 2, 3, 4, 5),
    "emojiset": ("google", "twitter", "text"),
    "realm_name_in_email_notifications_policy": (1, 2, 3),
    "resolved_topic_notice_auto_read_policy": ("always", "except_followed", "never"),
    "user_list_style": (1, 2, 3),
    "web_animate_image_previews": ("always", "on_hover", "never"),
    "web_channel_default_view": (1, 2, 3, 4),
    _HOME_VIEW: (_RECENT_TOPICS, "inbox", "all_messages"),
    "web_mark_read_on_scroll_policy": (1, 2, 3),
    "web_stream_unreads_count_display_policy": (1, 2, 3),
}

EMOJISETS: Final = [
    {"key": "google", "text": "Google"},
    {"key": "twitter", "text": "Twitter"},
    {"key": "text", "text": "Plain text"},
]
_BATCHING: Final = range(1, 7 * 86_400 + 1)
SOUNDS: Final = ["chime", "ding", "zulip"]
LANGUAGE_NAMES: Final = {"en": "English", "de": "Deutsch", "es": "Español", "fr": "Français", "tr": "Türkçe"}


def listed(name: str) -> tuple[object, ...]:
    """The values of a setting that are checked with the form of the request; none if other checks decide."""
    if name == _HOME_VIEW:
        return (*_CHOICES[name], _RECENT)  # which of the names is valid depends on the level
    return () if name == "default_language" else _CHOICES.get(name, ())


def setting(user: User, name: str) -> object:
    """The user's value of a setting."""
    return user.settings.get(name, DEFAULTS[name])


def switched_on(user: User, name: str) -> bool:
    """The user's value of a boolean setting."""
    return setting(user, name) is True


def outgoing(name: str, value: object, level: int) -> object:
    """The value of a setting on servers of a level: one home view has been renamed."""
    is_renamed = name == _HOME_VIEW and level >= Gate.RECENT_VIEW_NAME.level
    return _RECENT if is_renamed and value == _RECENT_TOPICS else value


def settings_of(user: User, level: int) -> dict[str, object]:
    """All settings, as in `user_settings` of registration."""
    return {
        **{name: outgoing(name, setting(user, name), level) for name in DEFAULTS},
        "timezone": user.timezone,
        "emojiset_choices": EMOJISETS,
        "available_notification_sounds": SOUNDS,
    }


def check(name: str, value: object, level: int) -> object:
    """Returns the value as it is stored, if it is valid at the level; raises BAD_REQUEST otherwise."""
    default = DEFAULTS[name]
    if name == _HOME_VIEW and value == _RECENT and level >= Gate.RECENT_VIEW_NAME.level:
        value = _RECENT_TOPICS
    if type(value) is not type(default):
        raise ServiceError(f"{name} is not {_KINDS[type(default)]}")
    if name in _CHOICES and value not in _CHOICES[name]:
        raise ServiceError(f"Invalid {name}")
    if isinstance(value, str) and len(value) > 100:
        raise ServiceError(f"{name} is too long (limit: 100 characters)")
    if name == "email_notifications_batching_period_seconds" and value not in _BATCHING:
        raise ServiceError(f"Invalid email batching period: {value} seconds")
    if name == "notification_sound" and value not in (*SOUNDS, "none"):
        raise ServiceError(f"Invalid notification sound '{value}'")
    if isinstance(value, int) and not 0 <= value <= 1_000_000:
        raise ServiceError(f"Invalid {name}")
    return value


_KINDS: Final[dict[Callable[..., object], str]] = {bool: "a boolean", int: "an integer", str: "a string"}


_time_zones = cache(zoneinfo.available_timezones)
"""Cached because Python reads all files of the time zone database on each call."""


def check_timezone(value: str) -> str:
    """Returns a time zone name or the empty string; raises BAD_REQUEST for anything else."""
    if value and value not in _time_zones():
        raise ServiceError("Invalid timezone: Not a recognized time zone")
    return value


def change(organization: Organization, user: User, values: dict[str, object]) -> User:
    """Stores validated settings and sends the events to the user's clients."""
    changed = {name: value for name, value in values.items() if setting(user, name) != value}
    if not changed:
        return user
    user = organization.users.update(user.id, settings={**user.settings, **changed})
    for name, value in changed.items():
        event: dict[str, object] = {
            "type": "user_settings",
            "op": "update",
            "property": name,
            "value": outgoing(name, value, organization.level),
        }
        if name == "default_language":
            event["language_name"] = LANGUAGE_NAMES[str(value)]
        organization.emit(event, [user.id])
    return user
