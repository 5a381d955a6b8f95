"""Settings of the user and of the organization, and what the server sets: limits, periods, features.

A value that the server sends is never replaced; defaults for older servers are named.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from narrowcast_api.model.reading import RawRecord, boolean, integer, number, optional_bool, rows, table, text


class Settings:
    """Settings by their names on the wire, read with a type; a value of another type counts as missing."""

    def __init__(self, values: RawRecord | None = None) -> None:
        self._values: dict[str, object] = dict(values or {})

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def items(self) -> Iterator[tuple[str, object]]:
        """Every setting that the server sent."""
        return iter(self._values.items())

    def get(self, name: str, default: object = None) -> object:
        """The value as the server sent it, unchecked."""
        return self._values.get(name, default)

    def flag(self, name: str, default: bool = False) -> bool:
        """`default` if the value is missing or no boolean."""
        return boolean(self._values, name, default)

    def number(self, name: str, default: int = 0) -> int:
        """`default` if the value is missing or no integer."""
        return integer(self._values, name, default)

    def text(self, name: str, default: str = "") -> str:
        """`default` if the value is missing or no text."""
        return text(self._values, name, default)

    def put(self, name: str, value: object) -> None:
        self._values[name] = value


class Limits(NamedTuple):
    """Limits and periods of the server; periods in seconds, lengths in characters. A server with an upload
    limit of 0 MiB accepts no uploads.

    The typing defaults are those of servers that do not send them (before level 204; TYP-25, TYP-32).
    """

    max_message_length: int = 10000
    max_topic_length: int = 60
    max_file_upload_size_mib: int = 25
    max_avatar_file_size_mib: int = 5
    max_icon_file_size_mib: int = 5
    max_logo_file_size_mib: int = 5
    max_channel_name_length: int = 60
    max_channel_description_length: int = 1024
    max_folder_name_length: int = 60
    max_folder_description_length: int = 1024
    max_reminder_note_length: int = 500
    min_password_length: int = 1
    typing_started_wait: float = 10.0
    typing_stopped_wait: float = 5.0
    typing_started_expiry: float = 15.0
    presence_ping_interval: float = 60.0
    presence_offline_threshold: float = 140.0
    longpoll_timeout: float = 90.0
    empty_topic_name: str = "general chat"


def read_limits(response: RawRecord) -> Limits:
    """Reads the limits from a snapshot. A length of zero or less, or a period outside 0 to 86,400 seconds, is
    ignored.
    """
    plain = Limits()

    def length(name: str, default: int, least: int = 1) -> int:
        value = integer(response, name, default)
        return value if value >= least else default

    def seconds(name: str, default: float, unit: float = 1.0) -> float:
        value = number(response, name, default / unit) * unit
        return value if 0 < value < 86_400 else default

    return Limits(
        max_message_length=length("max_message_length", plain.max_message_length),
        max_topic_length=length("max_topic_length", plain.max_topic_length),
        max_file_upload_size_mib=length("max_file_upload_size_mib", plain.max_file_upload_size_mib, 0),
        max_avatar_file_size_mib=length("max_avatar_file_size_mib", plain.max_avatar_file_size_mib),
        max_icon_file_size_mib=length("max_icon_file_size_mib", plain.max_icon_file_size_mib),
        max_logo_file_size_mib=length("max_logo_file_size_mib", plain.max_logo_file_size_mib),
        max_channel_name_length=length("max_stream_name_length", plain.max_channel_name_length),
        max_channel_description_length=length(
            "max_stream_description_length", plain.max_channel_description_length
        ),
        max_folder_name_length=length("max_channel_folder_name_length", plain.max_folder_name_length),
        max_folder_description_length=length(
            "max_channel_folder_description_length", plain.max_folder_description_length
        ),
        max_reminder_note_length=length("max_reminder_note_length", plain.max_reminder_note_length),
        min_password_length=length("password_min_length", plain.min_password_length),
        typing_started_wait=seconds(
            "server_typing_started_wait_period_milliseconds", plain.typing_started_wait, 0.001
        ),
        typing_stopped_wait=seconds(
            "server_typing_stopped_wait_period_milliseconds", plain.typing_stopped_wait, 0.001
        ),
        typing_started_expiry=seconds(
            "server_typing_started_expiry_period_milliseconds", plain.typing_started_expiry, 0.001
        ),
        presence_ping_interval=seconds("server_presence_ping_interval_seconds", plain.presence_ping_interval),
        presence_offline_threshold=seconds(
            "server_presence_offline_threshold_seconds", plain.presence_offline_threshold
        ),
        longpoll_timeout=seconds("event_queue_longpoll_timeout_seconds", plain.longpoll_timeout),
        empty_topic_name=text(response, "realm_empty_topic_display_name", plain.empty_topic_name),
    )


def changed_limits(limits: Limits, values: RawRecord) -> Limits:
    """The limits after a change of the organization's settings; only the size of files can change (306)."""
    size = integer(values, "max_file_upload_size_mib", -1)
    return limits._replace(max_file_upload_size_mib=size) if size >= 0 else limits


_REALM_TABLES = frozenset(
    {
        "realm_users",
        "realm_non_active_users",
        "realm_user_groups",
        "realm_bots",
        "realm_embedded_bots",
        "realm_incoming_webhook_bots",
        "realm_emoji",
        "realm_linkifiers",
        "realm_filters",
        "realm_playgrounds",
        "realm_default_streams",
        "realm_default_stream_groups",
        "realm_user_settings_defaults",
        "realm_domains",
    }
)

_ACCOUNT_KEYS = (
    "twenty_four_hour_time",
    "enter_sends",
    "color_scheme",
    "default_language",
    "timezone",
    "presence_enabled",
    "send_private_typing_notifications",
    "send_stream_typing_notifications",
    "send_read_receipts",
    "enable_desktop_notifications",
    "pm_content_in_desktop_notifications",
    "wildcard_mentions_notify",
    "enable_stream_desktop_notifications",
    "enable_stream_audible_notifications",
    "enable_sounds",
    "notification_sound",
    "desktop_icon_count_display",
)


def read_organization_settings(response: RawRecord) -> Settings:
    """Every `realm_...` value of a snapshot that is not a table, under its name without the prefix."""
    prefix = "realm_"
    return Settings(
        {
            key.removeprefix(prefix): value
            for key, value in response.items()
            if key.startswith(prefix) and key not in _REALM_TABLES
        }
    )


def read_user_settings(response: RawRecord) -> Settings:
    """The user's own settings. TODO(server-89): before `user_settings` they were on the top level of the snapshot."""
    values = {key: response[key] for key in _ACCOUNT_KEYS if key in response}
    return Settings({**values, **table(response.get("user_settings"))})


def read_newcomer_settings(response: RawRecord) -> Settings:
    """The default settings of new users, by the same names as the user's own."""
    return Settings(table(response.get("realm_user_settings_defaults")))


class ServerOffers(NamedTuple):
    """Features and restrictions that depend on the server's configuration, not on its level, as sent by
    registration; false or empty if the server sends nothing.
    """

    report_types: tuple[tuple[str, str], ...] = ()
    """Key and name of each kind of report to moderators."""
    summaries: bool = False
    """Whether the server can summarize topics with a language model."""
    names_fixed: bool = False
    """Whether only administrators may change names, whatever the organization's settings."""
    pictures_fixed: bool = False
    """Whether only administrators may change profile pictures, whatever the organization's settings."""
    web_public: bool = False
    """Whether organizations may have web-public channels."""
    jitsi_url: str = ""
    """The URL of the Jitsi server for video calls, unless the organization has set its own."""
    webex_login: bool | None = None
    """Whether the current user is logged in at Webex; None if the server does not say (below level 493)."""


def read_server_offers(response: RawRecord) -> ServerOffers:
    """Reads the configuration from a snapshot."""
    return ServerOffers(
        report_types=tuple(
            (key, text(row, "name", key))
            for row in rows(response.get("server_report_message_types"))
            if (key := text(row, "key"))
        ),
        summaries=boolean(response, "server_can_summarize_topics"),
        names_fixed=boolean(response, "server_name_changes_disabled"),
        pictures_fixed=boolean(response, "server_avatar_changes_disabled"),
        web_public=boolean(response, "server_web_public_streams_enabled"),
        webex_login=optional_bool(response, "has_webex_token"),
        jitsi_url=text(response, "server_jitsi_server_url") or text(response, "jitsi_server_url"),
    )
