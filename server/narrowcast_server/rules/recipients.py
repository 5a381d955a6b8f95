"""Recipients of messages, typing notifications and drafts, read from what a client sent."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from narrowcast_server.organization.checks import MAX_VALUES
from narrowcast_server.organization.errors import ServiceError, no_such_user
from narrowcast_server.organization.models import Channel, User
from narrowcast_server.rules import access
from narrowcast_server.rules.addresses import user_at
from narrowcast_server.rules.channels import check_channel_name
from narrowcast_server.rules.visibility import visible_ids

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


def channel_does_not_exist(name_or_id: str | int) -> ServiceError:
    """The error for a channel that does not exist, with its id or name (ERR-03)."""
    if isinstance(name_or_id, int):
        return ServiceError(
            f"Channel with ID '{name_or_id}' does not exist", "STREAM_DOES_NOT_EXIST", stream_id=name_or_id
        )
    return ServiceError(f"Channel '{name_or_id}' does not exist", "STREAM_DOES_NOT_EXIST", stream=name_or_id)


def channel_of(organization: Organization, user: User, text: str) -> Channel:
    """The channel of `to`: an id, a name, or a JSON list of exactly one of these."""
    target: object = text
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        parsed = None
    if (isinstance(parsed, int | list) and not isinstance(parsed, bool)) or isinstance(parsed, str):
        target = parsed
    if isinstance(parsed, float | dict) or text == "null":
        raise ServiceError("Invalid data type for channel")
    if isinstance(target, list):
        if len(target) != 1:
            raise ServiceError("Expected exactly one channel")
        target = target[0]
    if isinstance(target, int) and not isinstance(target, bool):
        return channel_by_id(organization, user, target)
    if not isinstance(target, str):
        raise ServiceError("Invalid data type for channel")
    channel = access.channel_named(organization, user, check_channel_name(organization, target))
    if channel is None:
        raise channel_does_not_exist(target)
    return channel


def channel_by_id(organization: Organization, user: User, channel_id: int) -> Channel:
    """The channel with this id; raises STREAM_DOES_NOT_EXIST if the user may not know of it."""
    channel = organization.channels.get(channel_id)
    if channel is None or not access.may_know(organization, user, channel):
        raise channel_does_not_exist(channel_id)
    return channel


def people_of(organization: Organization, sender: User, text: str) -> list[User]:
    """The users of `to`: a JSON list of ids or of email addresses, or email addresses separated by commas."""
    try:
        parsed: object = json.loads(text)
    except (ValueError, RecursionError):
        parsed = text
    if isinstance(parsed, str):
        parsed = _separated(parsed)
    if not isinstance(parsed, list):
        raise ServiceError("Invalid data type for recipients")
    if not parsed:
        raise ServiceError("Message must have recipients")
    if all(isinstance(item, int) and not isinstance(item, bool) for item in parsed):
        return people_by_id(organization, parsed)
    if all(isinstance(item, str) for item in parsed):
        return _people_by_address(organization, sender, parsed)
    raise ServiceError("Recipient lists may contain emails or user IDs, but not both.")


def _separated(text: str) -> list[str]:
    if text.count(",") >= MAX_VALUES:
        raise ServiceError(f"Too many recipients (limit: {MAX_VALUES})")
    return [part.strip() for part in text.split(",") if part.strip()]


def people_by_id(organization: Organization, ids: Sequence[int]) -> list[User]:
    """Users by id; raises BAD_REQUEST at the first that does not exist."""
    users = []
    for identity in ids:
        user = organization.users.get(identity)
        if user is None:
            raise ServiceError(f"Invalid user ID {identity}")
        users.append(user)
    return users


def _people_by_address(organization: Organization, sender: User, addresses: Sequence[str]) -> list[User]:
    users = []
    seen = visible_ids(organization, sender)
    for address in dict.fromkeys(addresses):
        user = user_at(organization, address)
        if user is None or (seen is not None and user.id not in seen):
            raise ServiceError(f"Invalid email '{address}'")
        users.append(user)
    return users


def principals_of(organization: Organization, caller: User, principals: Sequence[str | int]) -> list[User]:
    """Users by id or email address, without repetitions; raises BAD_REQUEST at the first unknown or deactivated one."""
    users: dict[int, User] = {}
    seen = visible_ids(organization, caller)
    for principal in dict.fromkeys(principals):
        by_id = isinstance(principal, int)
        user = organization.users.get(int(principal)) if by_id else user_at(organization, str(principal))
        if user is None or not user.is_active or not (by_id or seen is None or user.id in seen):
            raise no_such_user()
        users[user.id] = user
    return list(users.values())
