"""Default channels, which new users are subscribed to, and groups of them to choose from (outside the contract)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from narrowcast_server.http.params import integer, optional, required, string, strings, text_without_null
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.checks import check_length
from narrowcast_server.organization.errors import ServiceError, invalid_channel_id
from narrowcast_server.organization.models import Channel
from narrowcast_server.organization.organization import Organization
from narrowcast_server.queries.snapshot.parts import Snapshot, part
from narrowcast_server.resources.channels.creation import emit_default_channels
from narrowcast_server.rules import access
from narrowcast_server.rules.permissions import Callers


def set_default(organization: Organization, channel: Channel, is_default: bool) -> None:
    """Sets whether new users are subscribed to the channel."""
    if is_default and channel.invite_only:
        raise ServiceError("A default channel cannot be private.")
    if channel.is_default == is_default:
        return
    organization.channels.update(channel.id, is_default=int(is_default))
    emit_default_channels(organization)


@part("default_streams")
def default_channels(request: Snapshot) -> dict[str, object]:
    """Ids of the default channels of new users; empty for guests."""
    if request.user.is_guest:
        return {"realm_default_streams": []}
    return {
        "realm_default_streams": [
            channel.id for channel in request.organization.channels.all() if channel.is_default
        ]
    }


routes = Routes()

CHANNEL = required("stream_id", integer)


def _channel(call: Call) -> Channel:
    channel = call.organization.channels.get(call[CHANNEL])
    if channel is None:
        raise invalid_channel_id()
    return channel


@routes.post("/default_streams", CHANNEL, callers=Callers.ADMINISTRATORS)
def post_default_channel(call: Call) -> ResponseBody:
    """Makes a channel a default one, which new users are subscribed to."""
    channel = _channel(call)
    if channel.is_archived:
        raise invalid_channel_id()
    if channel.invite_only:
        raise ServiceError("Private channels cannot be made default.")
    set_default(call.organization, channel, True)
    return {}


@routes.delete("/default_streams", CHANNEL, callers=Callers.ADMINISTRATORS)
def delete_default_channel(call: Call) -> ResponseBody:
    set_default(call.organization, _channel(call), False)
    return {}


MAX_NAME: Final = 60
MAX_DESCRIPTION: Final = 1024


def groups_of(organization: Organization) -> list[dict[str, Any]]:
    """All groups, without channels that were archived or made private later."""
    stored = cast("Sequence[Mapping[str, Any]]", organization.settings["default_channel_groups"])
    shown = {
        channel.id
        for channel in organization.channels.all()
        if not (channel.is_archived or channel.invite_only)
    }
    return [{**group, "streams": [one for one in group["streams"] if one in shown]} for group in stored]


@part("default_stream_groups")
def default_channel_groups(request: Snapshot) -> dict[str, object]:
    """Default channel groups; empty for guests."""
    groups = [] if request.user.is_guest else groups_of(request.organization)
    return {"realm_default_stream_groups": groups}


NAME = required("group_name", text_without_null)
DESCRIPTION = required("description", text_without_null)
NEW_NAME = optional("new_group_name", text_without_null)
NEW_DESCRIPTION = optional("new_description", text_without_null)
CHANNELS = required("stream_names", strings)
OPERATION = required("op", string)


@routes.post("/default_stream_groups/create", NAME, DESCRIPTION, CHANNELS, callers=Callers.ADMINISTRATORS)
def post_group(call: Call) -> ResponseBody:
    groups = groups_of(call.organization)
    name = _checked_name(groups, call[NAME])
    identity = max((group["id"] for group in groups), default=0) + 1
    group = {
        "id": identity,
        "name": name,
        "description": _checked_description(call[DESCRIPTION]),
        "streams": _new_channel_ids(call, name),
    }
    _store(call.organization, [*groups, group])
    return {}


@routes.patch("/default_stream_groups/{group_id}", NEW_NAME, NEW_DESCRIPTION, callers=Callers.ADMINISTRATORS)
def patch_group(call: Call) -> ResponseBody:
    """Changes a group's name or description."""
    groups = groups_of(call.organization)
    if call[NEW_NAME] is None and call[NEW_DESCRIPTION] is None:
        raise ServiceError('You must pass "new_description" or "new_group_name".')
    group = _group(call, groups)
    if call[NEW_NAME] is not None and call[NEW_NAME] != group["name"]:
        group["name"] = _checked_name(groups, call[NEW_NAME] or "")
    if call[NEW_DESCRIPTION] is not None:
        group["description"] = _checked_description(call[NEW_DESCRIPTION] or "")
    _store(call.organization, groups)
    return {}


@routes.patch(
    "/default_stream_groups/{group_id}/streams", OPERATION, CHANNELS, callers=Callers.ADMINISTRATORS
)
def patch_channels(call: Call) -> ResponseBody:
    """Adds channels to a group, or removes some."""
    groups = groups_of(call.organization)
    group = _group(call, groups)
    present: list[int] = group["streams"]
    if call[OPERATION] == "add":
        group["streams"] = list(dict.fromkeys([*present, *_new_channel_ids(call, group["name"])]))
    elif call[OPERATION] != "remove":
        raise ServiceError('Invalid value for "op". Specify one of "add" or "remove".')
    else:
        gone = _channel_ids(call)
        group["streams"] = [one for one in present if one not in gone]
    _store(call.organization, groups)
    return {}


@routes.delete("/default_stream_groups/{group_id}", callers=Callers.ADMINISTRATORS)
def delete_group(call: Call) -> ResponseBody:
    """Removes a group; its channels stay."""
    groups = groups_of(call.organization)
    gone = _group(call, groups)
    _store(call.organization, [group for group in groups if group is not gone])
    return {}


def _group(call: Call, groups: Sequence[dict[str, Any]]) -> dict[str, Any]:
    identity = call.path_id("group_id")
    group = next((group for group in groups if group["id"] == identity), None)
    if group is None:
        raise ServiceError(f"Default channel group with id '{identity}' does not exist.")
    return group


def _checked_name(groups: Sequence[Mapping[str, Any]], name: str) -> str:
    name = name.strip()
    if not name or len(name) > MAX_NAME:
        raise ServiceError(f"Invalid default channel group name '{name[:MAX_NAME]}'")
    if any(group["name"].casefold() == name.casefold() for group in groups):
        raise ServiceError(f"Default channel group '{name}' already exists")
    return name


def _checked_description(text: str) -> str:
    check_length("description", text, MAX_DESCRIPTION)
    return text


def _channel_ids(call: Call) -> list[int]:
    ids = []
    for name in call[CHANNELS]:
        channel = access.channel_named(call.organization, call.user, name)
        if channel is None or channel.is_archived:
            raise ServiceError(f"Invalid channel name '{name}'")
        if channel.invite_only:
            raise ServiceError("A default channel cannot be private.")
        ids.append(channel.id)
    return list(dict.fromkeys(ids))


def _new_channel_ids(call: Call, group: str) -> list[int]:
    """Ids of the channels to add to a group. Default channels are rejected: new users are subscribed to them anyway."""
    ids = _channel_ids(call)
    for channel in (call.organization.channels[one] for one in ids):
        if channel.is_default:
            raise ServiceError(f"'{channel.name}' is a default channel and cannot be added to '{group}'")
    return ids


def _store(organization: Organization, groups: Sequence[Mapping[str, Any]]) -> None:
    if list(groups) == organization.settings["default_channel_groups"]:
        return
    organization.set_settings(default_channel_groups=list(groups))
    event = {"type": "default_stream_groups", "default_stream_groups": groups_of(organization)}
    organization.emit(
        event, [user.id for user in organization.users.all() if user.is_active and not user.is_guest]
    )
