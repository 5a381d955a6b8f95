"""Channels: list, make, change, archive (outside the contract)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.connection import Connection
from narrowcast_api.model.user_groups import GroupSettingValue, setting_to_wire
from narrowcast_api.routes.common import OMIT, Bound, Done, Group, Omit, given, ids, read, segment
from narrowcast_api.routes.subscriptions import subscribe
from narrowcast_api.wire.channels import Channel, ChannelAnswer, ChannelEmail, ChannelId, ChannelList
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import ChannelSetting, TopicsPolicy

Permissions = Mapping[ChannelSetting, GroupSettingValue]
"""Who holds which permission of a channel: a group's id, or people and groups."""


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
    """GET /streams: the channels one may see. With `include_all`, an administrator sees every one.

    `include_default` fills `is_default`. Archived ones come from level 315 on when not excluded.
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
    return read(ChannelAnswer, await connection.request("GET", path)).stream


async def get_channel_id(connection: Connection, *, name: str) -> int:
    """GET /get_stream_id: the id of a channel by its name. BadRequest when there is none that one may see."""
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
    permissions: Permissions | None = None,
) -> ChannelId:
    """POST /channels/create: make a channel with these people in it; gives its id.

    Below level 417 it is made by subscribing them, which needs at least one. `message_retention_days` is a
    number of days, 'realm_default' or 'unlimited'; `folder_id` None is no folder.
    ChannelAlreadyExists when the name is taken (BadRequest on old servers says nothing: the people are
    subscribed to the old channel).
    """
    if not name.strip():
        raise InvalidInput("a channel needs a name")
    people = ids(subscribers, "subscribers")
    server = await connection.identified()
    params = given(
        announce=announce,
        invite_only=invite_only,
        is_web_public=is_web_public,
        is_default_stream=is_default_stream,
        history_public_to_subscribers=history_public_to_subscribers,
        message_retention_days=message_retention_days,
        topics_policy=topics_policy,
        folder_id=OMIT if folder_id is None else folder_id,  # null is understood by changes alone
    )
    params |= {str(key): setting_to_wire(value) for key, value in (permissions or {}).items()}
    if server.supports(Gate.CREATE_CHANNEL):
        params |= {"name": name, "description": description, "subscribers": people}
        return read(ChannelId, await connection.request("POST", "/channels/create", params))
    await subscribe(connection, channels={name: description}, principals=people, extra=params)
    return ChannelId(stream_id=await get_channel_id(connection, name=name))


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
    permissions: Permissions | None = None,
    expected: Permissions | None = None,
) -> Done:
    """PATCH /streams/{stream_id}: change a channel; only what is given is sent.

    `message_retention_days` as in `create_channel`; `folder_id` None takes the channel out of its folder.
    `permissions` travel as the new value, with the old one beside it where `expected` names it: then
    ExpectationMismatch says that somebody else changed it first. ChannelAlreadyExists for a name that is
    taken.
    """
    path = f"/streams/{segment(channel_id, 'channel_id')}"
    params = given(
        new_name=new_name,
        description=description,
        is_private=is_private,
        is_web_public=is_web_public,
        is_default_stream=is_default_stream,
        history_public_to_subscribers=history_public_to_subscribers,
        message_retention_days=message_retention_days,
        topics_policy=topics_policy,
        folder_id=folder_id,
    )
    for setting, value in (permissions or {}).items():
        change = {"new": setting_to_wire(value)}
        if expected is not None and setting in expected:
            change["old"] = setting_to_wire(expected[setting])
        params[str(setting)] = change
    if not params:
        raise InvalidInput("nothing to change")
    return read(Done, await connection.request("PATCH", path, params))


async def archive_channel(connection: Connection, *, channel_id: int) -> Done:
    """DELETE /streams/{stream_id}: archive a channel; its messages stay readable."""
    path = f"/streams/{segment(channel_id, 'channel_id')}"
    return read(Done, await connection.request("DELETE", path))


async def unarchive_channel(connection: Connection, *, channel_id: int) -> Done:
    """PATCH /streams/{stream_id} with `is_archived` false; level 388, else Unsupported."""
    path = f"/streams/{segment(channel_id, 'channel_id')}"
    (await connection.identified()).require(Gate.UNARCHIVE)
    return read(Done, await connection.request("PATCH", path, {"is_archived": False}))


async def get_channel_email(connection: Connection, *, channel_id: int) -> str:
    """GET /streams/{stream_id}/email_address: where mail becomes a message of the channel."""
    path = f"/streams/{segment(channel_id, 'channel_id')}/email_address"
    return read(ChannelEmail, await connection.request("GET", path)).email


async def add_default_channel(connection: Connection, *, channel_id: int) -> Done:
    """POST /default_streams: newcomers are subscribed to it; administrators only."""
    params = {"stream_id": int(segment(channel_id, "channel_id"))}
    return read(Done, await connection.request("POST", "/default_streams", params))


async def remove_default_channel(connection: Connection, *, channel_id: int) -> Done:
    """DELETE /default_streams: newcomers are no longer subscribed to it; administrators only."""
    params = {"stream_id": int(segment(channel_id, "channel_id"))}
    return read(Done, await connection.request("DELETE", "/default_streams", params))


class Channels(Group):
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
