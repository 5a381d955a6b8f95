"""Channels: list, create, change, archive (outside the contract)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from narrowcast_api.errors import InvalidInput, NarrowcastError
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import (
    OMIT,
    Bound,
    Done,
    Omit,
    Operations,
    drop_unsupported,
    given,
    ids,
    read,
    segment,
)
from narrowcast_api.model.user_groups import GroupSettingValue, setting_to_wire
from narrowcast_api.routes.subscriptions import subscribe
from narrowcast_api.server_info import ServerInfo
from narrowcast_api.wire.channels import Channel, ChannelEmail, ChannelId, ChannelList, ChannelResponse
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import ChannelSetting, TopicsPolicy

Permissions = Mapping[ChannelSetting, GroupSettingValue]
"""Who holds each permission of a channel: the id of a group, or a set of users and groups."""
_LOST_WHEN_CREATED: Final[Iterable[ChannelSetting]] = (
    ChannelSetting.CREATE_TOPIC,
    ChannelSetting.DELETE_ANY_MESSAGE,
    ChannelSetting.DELETE_OWN_MESSAGE,
)
"""Permissions that Zulip accepts for a new channel and forgets (in 12.0-dev, level 442)."""


async def list_channels(
    connection: Connection,
    *,
    include_public: bool | Omit = OMIT,
    include_web_public: bool | Omit = OMIT,
    include_subscribed: bool | Omit = OMIT,
    include_all: bool | Omit = OMIT,
    include_default: bool | Omit = OMIT,
    exclude_archived: bool = True,
) -> ChannelList:
    """GET /streams: the channels that the current user may see; with `include_all`, an administrator gets
    every channel.

    `include_default` fills `is_default`. From level 315 archived channels are included unless excluded.
    """
    server = await connection.identified()
    params = given(
        include_public=include_public,
        include_web_public=include_web_public,
        include_subscribed=include_subscribed,
        include_default=include_default,
    )
    params["include_all" if server.supports(Gate.ALL_CHANNELS) else "include_all_active"] = include_all
    if server.supports(Gate.EXCLUDE_ARCHIVED):
        params["exclude_archived"] = exclude_archived
    return read(ChannelList, await connection.request("GET", "/streams", params))


async def get_channel(connection: Connection, *, channel_id: int) -> Channel:
    """GET /streams/{stream_id}: one channel; level 132, else Unsupported."""
    path = f"/streams/{segment(channel_id, 'channel_id')}"
    (await connection.identified()).require(Gate.GET_CHANNEL)
    return read(ChannelResponse, await connection.request("GET", path)).stream


async def get_channel_id(connection: Connection, *, name: str) -> int:
    """GET /get_stream_id: returns the id of a channel by its name. Raises BadRequest if the current user can
    see no such channel.
    """
    return read(ChannelId, await connection.request("GET", "/get_stream_id", {"stream": name})).stream_id


async def create_channel(
    connection: Connection,
    *,
    name: str,
    subscribers: Iterable[int],
    description: str = "",
    announce: bool | Omit = OMIT,
    invite_only: bool | Omit = OMIT,
    is_web_public: bool | Omit = OMIT,
    is_default_stream: bool | Omit = OMIT,
    history_public_to_subscribers: bool | Omit = OMIT,
    message_retention_days: int | str | Omit = OMIT,
    topics_policy: TopicsPolicy | Omit = OMIT,
    folder_id: int | Omit | None = OMIT,
    default_push_notifications: bool | Omit = OMIT,
    permissions: Permissions | None = None,
) -> ChannelId:
    """POST /channels/create: create a channel with these subscribers; returns its id. PATCH /streams/{stream_id} then
    repeats the permissions that Zulip forgets at that; if it is refused or lost, the answer's `notices` say so.

    Below level 417 the channel is created by subscribing users to it, which needs at least one. Below level
    320 removing subscribers is the only permission, and must be given to a group. `message_retention_days` is
    a number of days, 'realm_default' or 'unlimited'; `folder_id` None means no folder;
    `default_push_notifications` may be set by administrators only, and is left out below level 507. Raises
    ChannelAlreadyExists if the name is taken; old servers report nothing and subscribe the users to the
    existing channel.
    """
    if not name.strip():
        raise InvalidInput("a channel needs a name")
    people = ids(subscribers, "subscribers")
    server = await connection.identified()
    by_list = is_default_stream is True and not server.supports(Gate.DEFAULT_BY_CHANNEL)
    params = given(
        announce=announce,
        invite_only=invite_only,
        is_web_public=is_web_public,
        is_default_stream=is_default_stream if server.supports(Gate.DEFAULT_BY_CHANNEL) else OMIT,
        history_public_to_subscribers=history_public_to_subscribers,
        message_retention_days=_retention(server, message_retention_days),
        topics_policy=topics_policy,
        folder_id=OMIT if folder_id is None else folder_id,  # only PATCH accepts null
        default_push_notifications=default_push_notifications,
    )
    notices = drop_unsupported(server, Gate.PUSH_BY_DEFAULT, params, "default_push_notifications")
    for setting, value in (permissions or {}).items():
        params[_wire_name(server, setting)] = _for_level(server, setting, value)
    if server.supports(Gate.CREATE_CHANNEL):
        params |= {"name": name, "description": description, "subscribers": people}
        response = await connection.request("POST", "/channels/create", params)
        made = read(ChannelId, response, notices)
        wanted = permissions or {}
        forgotten: Permissions = {one: wanted[one] for one in _LOST_WHEN_CREATED if one in wanted}
        if not forgotten:
            return made
        try:
            await update_channel(connection, channel_id=made.stream_id, permissions=forgotten)
        except NarrowcastError as error:  # the channel exists: an error would make the caller create it again
            names = ", ".join(_wire_name(server, one) for one in forgotten)
            notices.append(f"the channel may lack {names}: {error.user_message}")
        return read(ChannelId, response, notices)
    await subscribe(connection, channels={name: description}, principals=people, extra=params)
    made = ChannelId(stream_id=await get_channel_id(connection, name=name))
    if by_list:
        await add_default_channel(connection, channel_id=made.stream_id)
    return made


async def update_channel(
    connection: Connection,
    *,
    channel_id: int,
    new_name: str | Omit = OMIT,
    description: str | Omit = OMIT,
    is_private: bool | Omit = OMIT,
    is_web_public: bool | Omit = OMIT,
    is_default_stream: bool | Omit = OMIT,
    history_public_to_subscribers: bool | Omit = OMIT,
    message_retention_days: int | str | Omit = OMIT,
    topics_policy: TopicsPolicy | Omit = OMIT,
    folder_id: int | Omit | None = OMIT,
    default_push_notifications: bool | Omit = OMIT,
    permissions: Permissions | None = None,
    expected: Permissions | None = None,
) -> Done:
    """PATCH /streams/{stream_id}: change a channel; only what is given is sent.

    `message_retention_days` and `default_push_notifications` as in `create_channel`; `folder_id` None removes the
    channel from its folder.
    `permissions` are sent as new values, with the old value of each permission that is in `expected`: then
    ExpectationMismatch is raised if it was changed in the meantime. Raises ChannelAlreadyExists if the name
    is taken.
    """
    path = f"/streams/{segment(channel_id, 'channel_id')}"
    server = await connection.identified()
    done: Done | None = None
    if not isinstance(is_default_stream, Omit) and not server.supports(Gate.DEFAULT_BY_CHANNEL):
        change_list = add_default_channel if is_default_stream else remove_default_channel
        done, is_default_stream = await change_list(connection, channel_id=channel_id), OMIT
    params = given(
        new_name=new_name,
        description=description,
        is_private=is_private,
        is_web_public=is_web_public,
        is_default_stream=is_default_stream,
        history_public_to_subscribers=history_public_to_subscribers,
        message_retention_days=_retention(server, message_retention_days),
        topics_policy=topics_policy,
        folder_id=folder_id,
        default_push_notifications=default_push_notifications,
    )
    notices = drop_unsupported(server, Gate.PUSH_BY_DEFAULT, params, "default_push_notifications")
    for setting, value in (permissions or {}).items():
        new = _for_level(server, setting, value)
        if setting == ChannelSetting.REMOVE_SUBSCRIBERS and not server.supports(Gate.REMOVERS_OBJECT):
            params[_wire_name(server, setting)] = new
            continue
        change = {"new": new}
        if expected is not None and setting in expected:
            change["old"] = setting_to_wire(expected[setting])
        params[str(setting)] = change
    if not params and done is not None:
        return done
    if not params:
        raise InvalidInput("nothing to change")
    return read(Done, await connection.request("PATCH", path, params), notices)


def _retention(server: ServerInfo, days: int | str | Omit) -> int | str | Omit:
    """TODO(server-91): before, 'unlimited' was 'forever'."""
    return "forever" if days == "unlimited" and not server.supports(Gate.RETENTION_UNLIMITED) else days


def _wire_name(server: ServerInfo, setting: ChannelSetting) -> str:
    if setting == ChannelSetting.REMOVE_SUBSCRIBERS and not server.supports(Gate.REMOVERS_NAME):
        return "can_remove_subscribers_group_id"
    return str(setting)


def _for_level(server: ServerInfo, setting: ChannelSetting, value: GroupSettingValue) -> object:
    """Below level 320 the only permission of channels must be the id of a group."""
    wire = setting_to_wire(value)
    if setting == ChannelSetting.REMOVE_SUBSCRIBERS and not isinstance(wire, int):
        server.require(Gate.REMOVERS_OBJECT)
    return wire


async def archive_channel(connection: Connection, *, channel_id: int) -> Done:
    """DELETE /streams/{stream_id}: archive a channel; its messages remain readable."""
    path = f"/streams/{segment(channel_id, 'channel_id')}"
    return read(Done, await connection.request("DELETE", path))


async def unarchive_channel(connection: Connection, *, channel_id: int) -> Done:
    """PATCH /streams/{stream_id} with `is_archived` false; level 388, else Unsupported."""
    path = f"/streams/{segment(channel_id, 'channel_id')}"
    (await connection.identified()).require(Gate.UNARCHIVE)
    return read(Done, await connection.request("PATCH", path, {"is_archived": False}))


async def get_channel_email(connection: Connection, *, channel_id: int) -> str:
    """GET /streams/{stream_id}/email_address: the address at which emails become messages in the channel."""
    path = f"/streams/{segment(channel_id, 'channel_id')}/email_address"
    return read(ChannelEmail, await connection.request("GET", path)).email


async def add_default_channel(connection: Connection, *, channel_id: int) -> Done:
    """POST /default_streams: subscribe new users to this channel; administrators only."""
    params = {"stream_id": int(segment(channel_id, "channel_id"))}
    return read(Done, await connection.request("POST", "/default_streams", params))


async def remove_default_channel(connection: Connection, *, channel_id: int) -> Done:
    """DELETE /default_streams: no longer subscribe new users to this channel; administrators only."""
    params = {"stream_id": int(segment(channel_id, "channel_id"))}
    return read(Done, await connection.request("DELETE", "/default_streams", params))


class ChannelOperations(Operations):
    """Channels: list, read, create, change, archive."""

    list = Bound(list_channels)
    get = Bound(get_channel)
    get_id = Bound(get_channel_id)
    create = Bound(create_channel)
    update = Bound(update_channel)
    archive = Bound(archive_channel)
    unarchive = Bound(unarchive_channel)
    email = Bound(get_channel_email)
    add_default = Bound(add_default_channel)
    remove_default = Bound(remove_default_channel)
