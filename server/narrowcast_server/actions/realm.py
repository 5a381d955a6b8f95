"""The organization's settings, its allowed email domains and the defaults of new users."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.vocabulary import MAX_WELCOME_TEXT, TopicsPolicy
from narrowcast_server.actions.urls import check_url
from narrowcast_server.actions.visibility import channels_may_open
from narrowcast_server.organization.checks import (
    check_integer,
    check_length,
    check_number_or_word,
    check_string,
)
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.personal import LANGUAGE_NAMES, outgoing
from narrowcast_server.organization.realm_settings import EDITABLE, FOREVER, outgoing_name
from narrowcast_server.queries.organization import personal_defaults
from narrowcast_server.rules.permissions import outgoing_value

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_MAX_LENGTHS: Final = {
    "name": 40,
    "description": 1000,
    "default_code_block_language": 40,
    "welcome_message_custom_text": MAX_WELCOME_TEXT,
}
_WAITING_PERIOD: Final = "waiting_period_threshold"
"""The setting that decides who is a full member."""
_SECONDS: Final = frozenset(
    {
        "message_content_edit_limit_seconds",
        "message_content_delete_limit_seconds",
        "move_messages_between_streams_limit_seconds",
        "move_messages_within_stream_limit_seconds",
    }
)
"""Limits that may be `unlimited`, which is stored as None."""
_NUMBERS_OR_WORDS: Final = _SECONDS | {"message_retention_days"}
_CHANNELS: Final = frozenset(
    {
        "new_stream_announcements_stream_id",
        "signup_announcements_stream_id",
        "moderation_request_channel_id",
        "zulip_update_announcements_stream_id",
    }
)
_CHOICES: Final[Mapping[str, tuple[object, ...]]] = {
    "message_edit_history_visibility_policy": ("all", "moves", "none"),
    "topics_policy": (TopicsPolicy.ALLOW_EMPTY.value, TopicsPolicy.DISABLE_EMPTY.value),
    "digest_weekday": tuple(range(7)),
    "giphy_rating": tuple(range(5)),
    "org_type": (0, 10, 20, 30, 35, 40, 50, 60, 70, 80, 90, 100, 1000),
    "video_chat_provider": (0, 1),
}
_LISTED_LATER: Final = frozenset({"giphy_rating", "video_chat_provider"})
"""Settings whose lists are checked after the form of all parameters."""
_MAX_DAYS: Final = 100_000
_DOMAIN: Final = re.compile(r"(?=.{1,253}$)([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}")
_IN_A_DICT: Final = _SECONDS | {"allow_message_editing", "topics_policy"}
"""Settings whose changes are sent as `update_dict`."""


def well_formed(name: str, value: object) -> object:
    """The value, if it has the setting's type, length and form; raises BAD_REQUEST. Zulip servers check this of
    all parameters of a request before anything else.
    """
    if name in _NUMBERS_OR_WORDS:
        check_number_or_word(name, value)
    elif name == "jitsi_server_url":
        _jitsi_server_url(name, value)
    else:
        default = EDITABLE[name]
        if type(value) is not type(default):
            raise ServiceError(f"{name} is not {_KINDS[type(default)]}")
        if type(value) is int and name not in _CHANNELS and check_integer(name, value) < 0:
            raise ServiceError(f"{name} is too small")
        if name not in _LISTED_LATER:
            _check_choice(name, value)
        if isinstance(value, str):
            check_length(name, value, _MAX_LENGTHS.get(name, 200))
    return value


def checked(organization: Organization, name: str, value: object) -> object:
    """A new value of a setting, as it is stored; raises BAD_REQUEST if it is invalid."""
    value = well_formed(name, value)
    if name in _SECONDS:
        return _seconds(name, value)
    if name in _CHANNELS:
        return _channel(organization, name, value)
    if name == "message_retention_days":
        return retention_days(value)
    if name == "jitsi_server_url":
        return _jitsi_server_url(name, value)
    if name == "default_language" and value not in LANGUAGE_NAMES:
        raise ServiceError(f"Invalid language '{value}'")
    if name == "name" and isinstance(value, str) and not value.strip():
        raise ServiceError("The name of the organization cannot be empty")
    _check_choice(name, value)
    return value


_KINDS: Final[Mapping[Callable[..., object], str]] = {bool: "a boolean", int: "an integer", str: "a string"}


def _check_choice(name: str, value: object) -> None:
    if name in _CHOICES and value not in _CHOICES[name]:
        raise ServiceError(f"Invalid {name}")


def _jitsi_server_url(name: str, value: object) -> str | None:
    """A URL, or None for the server's default."""
    if value == "default":
        return None
    return check_url(name, check_string(name, value))


def _seconds(name: str, value: object) -> int | None:
    if value == "unlimited":
        return None
    return _counted(name, value, 10**9)


def retention_days(value: object) -> int:
    """Days after which messages expire, `FOREVER` for never; raises BAD_REQUEST."""
    if value == "unlimited":
        return FOREVER
    return _counted("message_retention_days", value, _MAX_DAYS)


def _counted(name: str, value: object, most: int) -> int:
    """A number from 1 to `most`; raises the same error for unknown words as for numbers out of range."""
    check_number_or_word(name, value)
    if not isinstance(value, int) or not 0 < check_integer(name, value) <= most:
        shown = f"Bad value for '{name}': {value}"
        raise ServiceError(shown, "REQUEST_VARIABLE_INVALID", var_name=name, bad_value=value)
    return value


def _channel(organization: Organization, name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ServiceError(f"{name} is not an integer")
    channel = organization.channels.get(value)
    if value != -1 and channel is None:
        raise ServiceError("Invalid channel ID")
    if name == "moderation_request_channel_id" and channel is not None and not channel.invite_only:
        raise ServiceError("Moderation request channel must be private.")
    return value


def change(organization: Organization, values: Mapping[str, object]) -> dict[str, object]:
    """Stores checked settings and notifies everyone; returns those that changed."""
    changed = {name: value for name, value in values.items() if organization.settings[name] != value}
    with channels_may_open(organization, organization.user_ids() if _WAITING_PERIOD in changed else ()):
        organization.set_settings(**changed)
    together: dict[str, object] = {}
    for name, value in changed.items():
        if name in _IN_A_DICT or name not in EDITABLE:
            together[name] = outgoing_value(organization, value)
        else:
            sent = outgoing_name(name, organization.level)
            event = {"type": "realm", "op": "update", "property": sent, "value": value}
            organization.emit(event, organization.user_ids())
    if "topics_policy" in together:
        together["mandatory_topics"] = together["topics_policy"] == TopicsPolicy.DISABLE_EMPTY
    if together:
        event = {"type": "realm", "op": "update_dict", "property": "default", "data": together}
        organization.emit(event, organization.user_ids())
    return {outgoing_name(name, organization.level): value for name, value in changed.items()}


def forget_channel(organization: Organization, channel_id: int) -> None:
    """Unsets the settings of the organization that refer to an archived channel."""
    if data := dict.fromkeys(
        sorted(name for name in _CHANNELS if organization.settings[name] == channel_id), -1
    ):
        organization.set_settings(**data)
        organization.emit(
            {"type": "realm", "op": "update_dict", "property": "default", "data": data},
            organization.user_ids(),
        )


# --- domains ---------------------------------------------------------------------------------------------------


def add_domain(organization: Organization, domain: str, allow_subdomains: bool) -> None:
    name = domain.strip().lower()
    if not _DOMAIN.fullmatch(name):
        raise ServiceError("Invalid domain: Domain must have at least one dot (.)")
    if organization.store.one("SELECT 1 FROM domains WHERE domain = ?", name) is not None:
        raise ServiceError(f"The domain {name} is already a part of your organization.")
    organization.store.execute("INSERT INTO domains VALUES (?, ?)", name, int(allow_subdomains))
    row = {"domain": name, "allow_subdomains": allow_subdomains}
    organization.emit({"type": "realm_domains", "op": "add", "realm_domain": row}, organization.user_ids())


def change_domain(organization: Organization, domain: str, allow_subdomains: bool) -> None:
    """Changes whether subdomains of a domain are allowed."""
    name = domain.strip().lower()
    present = organization.store.integer("SELECT allow_subdomains FROM domains WHERE domain = ?", name)
    if present is None:
        raise ServiceError(f"No entry found for domain {name}.")
    if present == allow_subdomains:
        return
    organization.store.execute(
        "UPDATE domains SET allow_subdomains = ? WHERE domain = ?", int(allow_subdomains), name
    )
    row = {"domain": name, "allow_subdomains": allow_subdomains}
    organization.emit({"type": "realm_domains", "op": "change", "realm_domain": row}, organization.user_ids())


def remove_domain(organization: Organization, domain: str) -> None:
    name = domain.strip().lower()
    if organization.store.execute("DELETE FROM domains WHERE domain = ?", name) == 0:
        raise ServiceError(f"No entry found for domain {name}.")
    organization.emit({"type": "realm_domains", "op": "remove", "domain": name}, organization.user_ids())
    if organization.store.one("SELECT 1 FROM domains") is None:
        # With the restriction, nobody could join any more.
        change(organization, {"emails_restricted_to_domains": False})


# --- defaults of new users ---------------------------------------------------------------------------------------


def change_personal_defaults(organization: Organization, values: Mapping[str, object]) -> None:
    """Stores checked defaults and notifies everyone."""
    present = personal_defaults(organization)
    changed = {name: value for name, value in values.items() if present[name] != value}
    if not changed:
        return
    stored = organization.settings["personal_defaults"]
    assert isinstance(stored, dict)
    organization.set_settings(personal_defaults={**stored, **changed})
    for name, value in changed.items():
        event = {
            "type": "realm_user_settings_defaults",
            "op": "update",
            "property": name,
            "value": outgoing(name, value, organization.level),
        }
        organization.emit(event, organization.user_ids())
