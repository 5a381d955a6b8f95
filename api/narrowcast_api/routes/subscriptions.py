"""Subscriptions to channels: join, leave, list subscribers, personal settings (USUB rows)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from narrowcast_api.errors import BadPrincipal, InvalidInput, UnauthorizedPrincipal
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import (
    OMIT,
    Bound,
    Done,
    Omit,
    Operations,
    drop_unsupported,
    given,
    read,
    segment,
    texts,
)
from narrowcast_api.model import reading
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
    """GET /users/me/subscriptions: the channels that the current user is subscribed to (outside the contract)."""
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
    """POST /users/me/subscriptions: join channels by name, or add other users (outside the contract).

    `channels` are names, or a mapping of names to descriptions; a channel that does not exist is created,
    with the settings given (`extra` contains further ones by their wire names). `principals` are user ids, or
    API email addresses; below level 9 ids are replaced by addresses. Raises BadPrincipal, which is a
    BadRequest, for unknown users.
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
    notices = drop_unsupported(server, Gate.SUBSCRIPTION_NOTICES, params, "send_new_subscription_messages")
    params |= {**(extra or {}), "subscriptions": subscriptions}
    if not isinstance(principals, Omit):
        params["principals"] = await _principals(connection, principals)
    response = await _change(connection, "POST", params)
    return read(SubscribeResult, response, notices)


async def unsubscribe(
    connection: Connection,
    *,
    channels: Iterable[str],
    principals: Iterable[int | str] | Omit = OMIT,
    archived: bool = False,
) -> UnsubscribeResult:
    """DELETE /users/me/subscriptions: leave channels by name, or remove other users from them (USUB-01).

    `principals` are user ids (preferred) or API email addresses; the default is the current user. Below level
    9 the server accepts addresses only, so ids are replaced by addresses (USUB-04). `archived`: a channel is
    archived, which needs level 362 (else Unsupported). `removed` and `not_removed` are names, each once
    (USUB-17). Raises StreamDoesNotExist, which names the channel; BadRequest for unknown or deactivated
    users, BadPrincipal below level 208 (USUB-14); PermissionDenied or BadRequest if the current user may not
    remove others. A failed request may have had a partial effect.
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
    """GET /streams/{stream_id}/members: the ids of a channel's subscribers (outside the contract)."""
    path = f"/streams/{segment(channel_id, 'channel_id')}/members"
    response = await connection.request("GET", path)
    addresses = reading.texts(response.get("subscribers"))
    if not addresses:
        return read(Subscribers, response).subscribers
    # TODO(server-79): before, subscribers were API email addresses.
    known = {user.email: user.user_id for user in (await list_users(connection)).members}
    return [known[address] for address in addresses if address in known]


async def is_subscribed(connection: Connection, *, user_id: int, channel_id: int) -> bool:
    """GET /users/{user_id}/subscriptions/{stream_id}: whether a user is in a channel (outside the contract)."""
    path = f"/users/{segment(user_id, 'user_id')}/subscriptions/{segment(channel_id, 'channel_id')}"
    return read(SubscriptionStatus, await connection.request("GET", path)).is_subscribed


async def update_subscription(
    connection: Connection, *, channel_id: int, properties: Mapping[str, object]
) -> Done:
    """POST /users/me/subscriptions/properties: the current user's personal settings for a channel (outside
    the contract).

    Properties are color, is_muted, pin_to_top, desktop_notifications, audible_notifications,
    push_notifications, email_notifications and wildcard_mentions_notify. A value is True, False or a color. A
    property that follows the user's general setting is None in the snapshot, but no server accepts None
    (InvalidInput). Below level 139 is_muted is sent as its opposite, in_home_view.
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


class SubscriptionOperations(Operations):
    """Subscribers of channels, and their personal settings for them."""

    list = Bound(list_subscriptions)
    add = Bound(subscribe)
    remove = Bound(unsubscribe)
    members = Bound(list_subscribers)
    is_subscribed = Bound(is_subscribed)
    update = Bound(update_subscription)
