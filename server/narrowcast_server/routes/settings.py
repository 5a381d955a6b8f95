"""Personal settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import NOT_FOR_OTHERS
from narrowcast_server.actions.keys import replace_key
from narrowcast_server.http.call_limits import address_of
from narrowcast_server.http.params import (
    Param,
    boolean,
    choice,
    integer,
    integer_choice,
    limited,
    mapping,
    optional,
    string,
    takes_text,
)
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization import personal
from narrowcast_server.organization.checks import check_bool, check_integer, check_list
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import User
from narrowcast_server.organization.passwords import MAX_PASSWORD, MIN_PASSWORD
from narrowcast_server.queries.users import avatar_url, has_password, password_hash_of
from narrowcast_server.resources.drafts import forget_drafts
from narrowcast_server.resources.exports import CONSENT, emit_consent
from narrowcast_server.resources.password_resets import end_links
from narrowcast_server.resources.presence import change_settings
from narrowcast_server.resources.users.accounts import (
    check_full_name,
    emit_avatar,
    emit_delivery_email,
    emit_person,
)
from narrowcast_server.rules.accounts import may_change_own_name
from narrowcast_server.rules.addresses import api_address
from narrowcast_server.rules.permissions import Callers, all_members, require_administrator

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

routes = Routes()


def _declared() -> dict[str, Param[object]]:
    declared: dict[str, Param[object]] = {}
    for name, default in personal.DEFAULTS.items():
        listed = personal.listed(name)
        if isinstance(default, bool):
            declared[name] = optional(name, boolean)
        elif isinstance(default, int):
            numbers = [value for value in listed if isinstance(value, int)]
            declared[name] = optional(name, integer_choice(*numbers) if numbers else integer)
        else:
            words = [value for value in listed if isinstance(value, str)]
            declared[name] = optional(name, choice(*words) if words else string)
    return declared


@dataclass(frozen=True, slots=True)
class SettingsTarget:
    """Whose settings an administrator changes: of these users, and of the members of these groups."""

    user_ids: Sequence[int]
    group_ids: Sequence[int]
    skip_if_already_edited: bool
    """Whether users who have changed a setting keep theirs."""


def target(name: str, text: str) -> SettingsTarget:
    """Parses `target_users`."""
    given = mapping(name, text)

    def ids(key: str) -> list[int]:
        items = check_list(f'{name}["{key}"]', given.get(key, []))
        return [check_integer(f'{name}["{key}"][{index}]', item) for index, item in enumerate(items)]

    skip = check_bool(f'{name}["skip_if_already_edited"]', given.get("skip_if_already_edited", False))
    return SettingsTarget(ids("user_ids"), ids("group_ids"), skip)


@takes_text
def _timezone(name: str, text: str) -> str:
    return personal.check_timezone(string(name, text))


SETTINGS = _declared()
FULL_NAME = optional("full_name", string)
TIMEZONE = optional("timezone", _timezone)
OLD_PASSWORD = optional("old_password", string)
NEW_PASSWORD = optional("new_password", limited(MAX_PASSWORD))


TARGET = optional("target_users", target, since=Gate.SETTINGS_OF_OTHERS.level)
_BEFORE_TIMEZONE: Final = list(SETTINGS).index("web_stream_unreads_count_display_policy") + 1
PARAMS: Final = (
    FULL_NAME,
    OLD_PASSWORD,
    NEW_PASSWORD,
    *list(SETTINGS.values())[:_BEFORE_TIMEZONE],
    TIMEZONE,
    *list(SETTINGS.values())[_BEFORE_TIMEZONE:],
    TARGET,
)


@routes.patch("/settings", *PARAMS, callers=Callers.PEOPLE)
async def update_settings(call: Call) -> ResponseBody:
    """Changes the settings that the request carries. A new password replaces the API key (`api_key`)."""
    if (targets := call[TARGET]) is not None:
        with call.organization.transaction():
            call.confirm()
            _change_others(call, targets)
        return {}
    before = password_hash_of(call.organization, call.user)
    password_hash = await _new_password_hash(call)
    with call.organization.transaction():
        call.confirm()
        if password_hash is not None and password_hash_of(call.organization, call.user) != before:
            raise ServiceError("Wrong password!")
        _change(call)
        if password_hash is None:
            return {}
        call.organization.users.update(call.user.id, password_hash=password_hash)
        end_links(call.organization, call.user)
        return {"api_key": replace_key(call.organization, call.user)}


def _change_others(call: Call, targets: SettingsTarget) -> None:
    """Changes the settings of other people, if the caller is an administrator."""
    organization = call.organization
    require_administrator(call.user)
    values = _values(call)
    own = sorted(name for name in call.declared() if name not in values and name != TARGET.name)
    if refused := own + sorted(NOT_FOR_OTHERS & values.keys()):
        raise ServiceError(f"{refused[0]} cannot be changed for other users")
    for user in _people(organization, targets):
        kept = user.settings if targets.skip_if_already_edited else {}
        fresh = {name: value for name, value in values.items() if name not in kept}
        _apply(call, user, fresh)


def _people(organization: Organization, targets: SettingsTarget) -> list[User]:
    """The active people of a target; raises BAD_REQUEST for users and groups that do not exist."""
    ids = set(targets.user_ids)
    if unknown := [identity for identity in targets.user_ids if organization.users.get(identity) is None]:
        raise ServiceError(f"Invalid user ID: {unknown[0]}")
    for group_id in targets.group_ids:
        if organization.groups.get(group_id) is None:
            raise ServiceError("Invalid user group")
        ids |= all_members(organization, group_id)
    people = [organization.users[identity] for identity in sorted(ids)]
    return [user for user in people if user.is_active and not user.is_bot]


def _change(call: Call) -> None:
    values = _values(call)
    _rename(call)
    _move_timezone(call)
    _apply(call, call.organization.users[call.user.id], values)


def _values(call: Call) -> dict[str, object]:
    level = call.organization.level
    return {
        name: personal.check(name, call[param], level)
        for name, param in SETTINGS.items()
        if call.given(param)
    }


def _apply(call: Call, before: User, values: dict[str, object]) -> None:
    if not values:
        return
    organization = call.organization
    after = change_settings(organization, before, values)
    if "email_address_visibility" in values:
        _emit_address_changes(call, before, after)
    if CONSENT in values and personal.switched_on(before, CONSENT) != personal.switched_on(after, CONSENT):
        emit_consent(organization, after)
    if "enable_drafts_synchronization" in values and not values["enable_drafts_synchronization"]:
        forget_drafts(organization, after)


def _rename(call: Call) -> None:
    name = call[FULL_NAME]
    if name is None or name.strip() == call.user.full_name:
        return
    name = check_full_name(call.organization, name, call.user)
    if not may_change_own_name(call.organization, call.user):
        return
    user = call.organization.users.update(call.user.id, full_name=name)
    emit_person(call.organization, user, full_name=name)


def _move_timezone(call: Call) -> None:
    timezone = call[TIMEZONE]
    if timezone is None or timezone == call.user.timezone:
        return
    user = call.organization.users.update(call.user.id, timezone=timezone)
    event = {"type": "user_settings", "op": "update", "property": "timezone", "value": timezone}
    call.organization.emit(event, [user.id])
    emit_person(call.organization, user, email=api_address(call.organization, user), timezone=timezone)


async def _new_password_hash(call: Call) -> str | None:
    """The hash of the new password, None if there is none; raises BAD_REQUEST if the old password is wrong."""
    organization, new = call.organization, call[NEW_PASSWORD]
    if new is None:
        return None
    # The response has the new API key, which does not require the old password if there is none.
    call.require_main_key()
    if len(new) < MIN_PASSWORD:
        raise ServiceError("New password is too weak!")
    if password_hash_of(organization, call.user) is not None:
        place = address_of(call.request)
        organization.login_limits.hit(call.user.id, "", place)
        if not await has_password(organization, call.user, call[OLD_PASSWORD] or "", place):
            raise ServiceError("Wrong password!")
        organization.login_limits.succeeded(call.user.id, place)
    return await organization.passwords.hashed(new)


def _emit_address_changes(call: Call, before: User, after: User) -> None:
    """Sends the events of a changed email visibility: API address, avatar, and whether others see the real address."""
    organization = call.organization
    old, new = api_address(organization, before), api_address(organization, after)
    if old != new:
        emit_person(organization, after, new_email=new)
    if avatar_url(before) != avatar_url(after):
        emit_avatar(organization, after)
    viewers = {
        user_id: organization.users[user_id]
        for user_id in organization.listening_ids()
        if user_id != after.id
    }
    emit_delivery_email(organization, after, viewers)
