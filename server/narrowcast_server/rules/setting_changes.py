"""Changes of group-setting values in requests: {"new": value, "old": expected value} (GSV-04)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import ChannelSetting, ErrorCode
from narrowcast_server.organization.errors import ServiceError, field_missing
from narrowcast_server.rules.permissions import SettingValue, outgoing_value, setting_value

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

_IDS_BELOW: Final = {
    "can_access_all_users_group": Gate.REALM_HOLDERS,
    "create_multiuse_invite_group": Gate.REALM_HOLDERS,
    ChannelSetting.REMOVE_SUBSCRIBERS.value: Gate.REMOVERS_OBJECT,
}
"""Permissions that were bare group ids below a level."""

Check = Callable[["Organization", str, object], object]


def changed_value(
    organization: Organization, name: str, raw: object, present: object, check: Check | None = None
) -> SettingValue | object:
    """The checked new value.

    Raises BAD_REQUEST, or EXPECTATION_MISMATCH if `old` is not the current value (GSV-05).
    """
    if name in _IDS_BELOW and organization.level < _IDS_BELOW[name].level:
        if type(raw) is not int:
            raise ServiceError(f"{name} is not an integer")
        return (check or setting_value)(organization, name, raw)
    if isinstance(raw, dict) and "new" not in raw:
        raise field_missing(f'{name}["new"]')
    if not isinstance(raw, dict) or raw.keys() - {"new", "old"}:
        raise ServiceError(f"{name} does not have the expected format")
    value = (check or setting_value)(organization, name, raw["new"])
    old = raw.get("old")
    if old is not None and _holders(organization, _well_formed(name, old)) != _holders(organization, present):
        raise ServiceError(
            "'old' value does not match the expected value.",
            ErrorCode.EXPECTATION_MISMATCH.value,
            field_name="old",
        )
    return value


def _well_formed(name: str, raw: object) -> object:
    """A well-formed group-setting value, of any ids: `old` may name deleted groups and users."""
    if isinstance(raw, int) and not isinstance(raw, bool):
        return raw
    if isinstance(raw, dict):
        lists = [raw.get("direct_members", []), raw.get("direct_subgroups", [])]
        if all(isinstance(ids, list) and all(isinstance(i, int) for i in ids) for ids in lists):
            return {"direct_members": lists[0], "direct_subgroups": lists[1]}
    raise ServiceError(f"{name} does not have the expected format")


def _holders(organization: Organization, value: object) -> tuple[frozenset[int], frozenset[int]]:
    """The users and groups in a value, so that its two forms can be compared; without deactivated users."""
    if isinstance(value, int):
        return frozenset(), frozenset({value})
    assert isinstance(value, dict)
    present = {
        **value,
        "direct_members": [i for i in value.get("direct_members", ()) if organization.users.get(i)],
    }
    shown = outgoing_value(organization, present)
    assert isinstance(shown, dict)
    return frozenset(shown["direct_members"]), frozenset(shown.get("direct_subgroups", ()))
