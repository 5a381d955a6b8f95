"""Being in channels: join, leave, see who is there, how one sees them (USUB rows)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from narrowcast_api.errors import BadPrincipal, InvalidInput, UnauthorizedPrincipal
from narrowcast_api.http.connection import Connection
from narrowcast_api.routes.common import OMIT, Bound, Done, Group, Omit, dropped, given, read, segment, texts
from narrowcast_api.routes.users import list_users
from narrowcast_api.wire.channels import (
    SubscribeResult,
    Subscribers,
    SubscriptionList,
    SubscriptionStatus,
    UnsubscribeResult,
)
from narrowcast_api.wire.levels import Gate


async def list_subscriptions(
    connection: Connection, *, include_subscribers: bool = False
) -> SubscriptionList:
    """GET /users/me/subscriptions: the channels one is in (outside the contract)."""
    params = {"include_subscribers": include_subscribers}
    return read(SubscriptionList, await connection.request("GET", "/users/me/subscriptions", params))


async def subscribe(
    connection: Connection,
    *,
    channels: Iterable[str] | Mapping[str, str],
    principals: Iterable[int | str] | Omit = OMIT,
    invite_only: bool | Omit = OMIT,
    is_web_public: bool | Omit = OMIT,
    history_public_to_subscribers: bool | Omit = OMIT,
    announce: bool | Omit = OMIT,
    authorization_errors_fatal: bool | Omit = OMIT,
    send_new_subscription_messages: bool | Omit = OMIT,
    extra: Mapping[str, object] | None = None,
) -> SubscribeResult:
    """POST /users/me/subscriptions: join channels by name, or add others (outside the contract).

    `channels` are names, or a mapping of names to descriptions; a channel that does not exist is made, with
    the settings given (`extra` holds further ones by their wire names). `principals` are user ids, or API
    email addresses; below level 9 ids are looked up. BadPrincipal, which is a BadRequest, for unknown people.
    """
    named = channels if isinstance(channels, Mapping) else dict.fromkeys(texts(channels, "channels"), "")
    subscriptions = [
        {"name": name, "description": description} if description else {"name": name}
        for name, description in named.items()
    ]
    if not subscriptions:
        raise InvalidInput("no channel given")
    server = await connection.identified()
    params = given(
        invite_only=invite_only,
        is_web_public=is_web_public,
        history_public_to_subscribers=history_public_to_subscribers,
        announce=announce,
        authorization_errors_fatal=authorization_errors_fatal,
        send_new_subscription_messages=send_new_subscription_messages,
    )
    notices = dropped(server, Gate.SUBSCRIPTION_NOTICES, params, "send_new_subscription_messages")
    params |= {**(extra or {}), "subscriptions": subscriptions}
    if not isinstance(principals, Omit):
        params["principals"] = await _principals(connection, principals)
    answer = await _change(connection, "POST", params)
    return read(SubscribeResult, answer, notices)


async def unsubscribe(
    connection: Connection,
    *,
    channels: Iterable[str],
    principals: Iterable[int | str] | Omit = OMIT,
    archived: bool = False,
) -> UnsubscribeResult:
    """DELETE /users/me/subscriptions: leave channels by name, or take others out of them (USUB-01).

    `principals` are user ids (preferred) or API email addresses; left out, it is oneself. Below level 9 the
    server takes addresses only, so ids are looked up (USUB-04). `archived` says that a channel is archived:
    then level 362 is needed (Unsupported). `removed` and `not_removed` are names, each once (USUB-17).
    StreamDoesNotExist names the channel; BadRequest for unknown or deactivated people, BadPrincipal below
    level 208 (USUB-14); PermissionDenied or BadRequest when one may not remove others. Nothing is promised
    about a partial effect of a request that failed.
    """
    names = texts(channels, "channels")
    if not names:
        raise InvalidInput("no channel given")
    server = await connection.identified()
    if archived:
        server.require(Gate.ARCHIVED_SUBSCRIPTIONS)
    params: dict[str, object] = {"subscriptions": names}
    if not isinstance(principals, Omit):
        params["principals"] = await _principals(connection, principals)
    result = read(UnsubscribeResult, await _change(connection, "DELETE", params))
    return replace(
        result,
        removed=list(dict.fromkeys(result.removed)),
        not_removed=list(dict.fromkeys(result.not_removed)),
    )


async def _change(connection: Connection, method: str, params: Mapping[str, object]) -> dict[str, object]:
    principal: BadPrincipal
    try:
        return await connection.request(method, "/users/me/subscriptions", params)
    except UnauthorizedPrincipal as error:
        if connection.server.supports(Gate.PRINCIPAL_ERRORS) or "principals" not in params:
            raise
        principal = BadPrincipal(error.code, error.msg, error.status, error.extra)
    raise principal


async def _principals(connection: Connection, principals: Iterable[int | str]) -> list[int | str]:
    people_named = list(principals)
    if not people_named:
        raise InvalidInput("no people given")
    server = await connection.identified()
    if server.supports(Gate.PRINCIPAL_IDS) or all(isinstance(one, str) for one in people_named):
        return people_named
    people = await list_users(connection)
    addresses = {user.user_id: user.email for user in people.members}
    missing = [one for one in people_named if isinstance(one, int) and one not in addresses]
    if missing:
        raise InvalidInput(f"there is no user {missing[0]}")
    return [addresses[one] if isinstance(one, int) else one for one in people_named]


async def list_subscribers(connection: Connection, *, channel_id: int) -> list[int]:
    """GET /streams/{stream_id}/members: the ids of who is in a channel (outside the contract)."""
    path = f"/streams/{segment(channel_id, 'channel_id')}/members"
    return read(Subscribers, await connection.request("GET", path)).subscribers


async def is_subscribed(connection: Connection, *, user_id: int, channel_id: int) -> bool:
    """GET /users/{user_id}/subscriptions/{stream_id}: whether somebody is in a channel (outside the
    contract).
    """
    path = f"/users/{segment(user_id, 'user_id')}/subscriptions/{segment(channel_id, 'channel_id')}"
    return read(SubscriptionStatus, await connection.request("GET", path)).is_subscribed


async def update_subscription(
    connection: Connection, *, channel_id: int, properties: Mapping[str, object]
) -> Done:
    """POST /users/me/subscriptions/properties: how one sees a channel (outside the contract).

    Properties are color, is_muted, pin_to_top, desktop_notifications, audible_notifications,
    push_notifications, email_notifications and wildcard_mentions_notify. A value is True, False or a color; what
    follows one's own settings has None in the snapshot, but no server takes None back (InvalidInput). Below level
    139 is_muted travels as in_home_view, its opposite.
    """
    channel = int(segment(channel_id, "channel_id"))
    if not properties:
        raise InvalidInput("nothing to change")
    for name, value in properties.items():
        if not isinstance(value, bool | str):
            raise InvalidInput(f"{name} must be true, false or a text")
    server = await connection.identified()
    values = dict(properties)
    if "is_muted" in values and not server.supports(Gate.IS_MUTED):
        values["in_home_view"] = not values.pop("is_muted")
    data = [{"stream_id": channel, "property": name, "value": value} for name, value in values.items()]
    params = {"subscription_data": data}
    return read(Done, await connection.request("POST", "/users/me/subscriptions/properties", params))


class Subscriptions(Group):
    """Who is in which channel, and how they see it."""

    list = Bound(list_subscriptions)
    add = Bound(subscribe)
    remove = Bound(unsubscribe)
    members = Bound(list_subscribers)
    is_subscribed = Bound(is_subscribed)
    update = Bound(update_subscription)
