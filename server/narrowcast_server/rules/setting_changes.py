"""Changes of permissions by requests, whose old value must be the expected one (GSV-04)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from narrowcast_api.wire.vocabulary import ErrorCode
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.rules.permissions import SettingValue, outgoing_value, setting_value

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

Check = Callable[["Organization", str, object], object]


def changed_value(
    organization: Organization, name: str, raw: object, present: object, check: Check | None = None
) -> SettingValue | object:
    """The checked new value of a permission, from the value of a `permission_change`.

    Raises BAD_REQUEST, or EXPECTATION_MISMATCH if `old` is not the current value (GSV-05).
    """
    change = raw if isinstance(raw, dict) and "new" in raw else {"new": raw}
    value = (
        setting_value(organization, change["new"])
        if check is None
        else check(organization, name, change["new"])
    )
    old = change.get("old")
    if old is not None and _holders(organization, old) != _holders(organization, present):
        raise ServiceError(
            "'old' value does not match the expected value.",
            ErrorCode.EXPECTATION_MISMATCH.value,
            field_name="old",
        )
    return value


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
