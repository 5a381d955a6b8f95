"""Parameters with permissions: a group-setting value, in changes {"new": value, "old": expected value} (GSV-04).

Whether the groups and users exist is checked after the form of all parameters.
"""

from __future__ import annotations

from typing import Final

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import ChannelSetting, GroupSetting
from narrowcast_server.http.params import Param, Parser, integer, optional
from narrowcast_server.organization.checks import check_group_setting, json_value
from narrowcast_server.organization.errors import ServiceError, field_missing


def permission(name: str, *, since: int = 0, until: int | None = None) -> Param[object | None]:
    """An optional parameter with a group-setting value."""
    return optional(name, _value, since=since, until=until)


def permission_change(name: str, *, since: int = 0) -> Param[object | None]:
    """An optional parameter with the new value, and the old one if the caller expects one; a bare value below the
    level that brought them. Other keys are ignored, as Zulip servers do.
    """
    return optional(name, _change, since=since, parse_below=_BARE_BELOW.get(name))


def _value(name: str, text: str) -> object:
    return check_group_setting(name, json_value(name, text))


def _change(name: str, text: str) -> object:
    value = json_value(name, text)
    if not isinstance(value, dict):
        raise ServiceError(f"{name} does not have the expected format")
    if "new" not in value:
        raise field_missing(f'{name}["new"]')
    check_group_setting(f'{name}["new"]', value["new"])
    if value.get("old") is not None:
        check_group_setting(f'{name}["old"]', value["old"])
    return value


_BARE_BELOW: Final[dict[str, tuple[int, Parser[object]]]] = {
    "can_access_all_users_group": (Gate.REALM_HOLDERS.level, integer),
    "create_multiuse_invite_group": (Gate.REALM_HOLDERS.level, integer),
    ChannelSetting.REMOVE_SUBSCRIBERS.value: (Gate.REMOVERS_OBJECT.level, integer),
    GroupSetting.MENTION.value: (Gate.GROUP_MENTION_OBJECT.level, _value),
}
"""Permissions that were bare values below a level: of the first three, ids of groups."""
