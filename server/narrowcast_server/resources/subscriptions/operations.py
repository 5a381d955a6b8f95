"""Subscriptions: the caller's own list, subscribing, unsubscribing (rows USUB), properties, members."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import TopicsPolicy
from narrowcast_server.actions.realm import retention_days
from narrowcast_server.http.params import (
    boolean,
    choice,
    defaulted,
    integer,
    objects,
    optional,
    required,
    strings,
)
from narrowcast_server.http.permission_params import permission
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.checks import check_bool, check_list, check_string, json_value
from narrowcast_server.organization.errors import (
    ServiceError,
    field_missing,
    insufficient_permission,
    no_such_user,
)
from narrowcast_server.organization.models import Channel, User
from narrowcast_server.organization.people import check_active, person
from narrowcast_server.organization.realm_settings import CHANNEL_GROUP_SETTINGS, MAX_NOTIFIED_SUBSCRIBERS
from narrowcast_server.queries.snapshot.channels import subscription_rows
from narrowcast_server.resources import personal_notices
from narrowcast_server.resources.channel_folders import check_folder
from narrowcast_server.resources.channels import notices as channel_notices
from narrowcast_server.resources.channels.changes import check_description
from narrowcast_server.resources.channels.creation import create_channel, name_is_taken
from narrowcast_server.resources.channels.notices import announce
from narrowcast_server.resources.subscriptions.changes import subscribe, unsubscribe
from narrowcast_server.resources.subscriptions.properties import check_color
from narrowcast_server.rules import access
from narrowcast_server.rules.channels import (
    check_channel_name,
    check_may_be_default,
    check_may_create,
    check_policies,
    may_remove_subscriber,
    may_subscribe_others,
    may_subscribe_self,
)
from narrowcast_server.rules.holders import check_holder
from narrowcast_server.rules.permissions import (
    Callers,
    require_member,
    require_owner,
    setting_value,
)
from narrowcast_server.rules.recipients import channel_does_not_exist, principals_of
from narrowcast_server.rules.visibility import check_sees

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

routes = Routes()

_MESSAGES_SENT: Final = "new_subscription_messages_sent"
_INCLUDE_SUBSCRIBERS: Final = {"true": True, "false": False, "partial": True}


def include_subscribers(name: str, text: str) -> bool:
    """Parses true, false or partial (for which this server sends all subscribers)."""
    try:
        return _INCLUDE_SUBSCRIBERS[text.strip('"').lower()]
    except KeyError:
        pass
    try:
        value = json_value(name, text)
    except ServiceError as error:
        raise ServiceError(f"Invalid {name}") from error
    return check_bool(name, value)


def principals(name: str, text: str) -> list[str | int]:
    """A list of user ids or of email addresses."""
    items = check_list(name, json_value(name, text))
    ids = [item for item in items if isinstance(item, int) and not isinstance(item, bool)]
    addresses = [item for item in items if isinstance(item, str)]
    if len(ids) != len(items) and len(addresses) != len(items):
        raise ServiceError(f"{name} is not a list of integers or of strings")
    return [*ids, *addresses]


def retention(name: str, text: str) -> int | None:
    """Days, -1 for unlimited, or None for the organization's default."""
    value = json_value(name, text)
    if value == "realm_default":
        return None
    return retention_days(value)


@dataclass(frozen=True, slots=True)
class NewSubscription:
    """A channel to subscribe to, by name; with `description` it is created if it does not exist."""

    name: str
    color: str | None
    description: str


def new_subscriptions(name: str, text: str) -> list[NewSubscription]:
    """Parses a list of {name, color, description}, of which only the name is required."""
    return [_new_subscription(f"{name}[{index}]", item) for index, item in enumerate(objects(name, text))]


def _new_subscription(place: str, item: dict[str, object]) -> NewSubscription:
    if "name" not in item:
        raise field_missing(f'{place}["name"]')
    color, description = item.get("color"), item.get("description")
    return NewSubscription(
        check_string(f'{place}["name"]', item["name"]),
        None if color is None else check_color(f"Invalid {place}: add.color", color),
        "" if description is None else check_string(f'{place}["description"]', description),
    )


SUBSCRIPTIONS = required("subscriptions", new_subscriptions)
NAMES = required("subscriptions", strings)
PRINCIPALS = optional("principals", principals)
INVITE_ONLY = defaulted("invite_only", boolean, False)
HISTORY_PUBLIC = optional("history_public_to_subscribers", boolean)
WEB_PUBLIC = defaulted("is_web_public", boolean, False)
DEFAULT_CHANNEL = defaulted("is_default_stream", boolean, False)
ANNOUNCE = defaulted("announce", boolean, False)
NEW_MESSAGES = defaulted("send_new_subscription_messages", boolean, True)
FATAL = defaulted("authorization_errors_fatal", boolean, True)
RETENTION = optional("message_retention_days", retention)
TOPICS_POLICY = optional("topics_policy", choice(*(policy.value for policy in TopicsPolicy)))
FOLDER = optional("folder_id", integer)
GROUP_PARAMS = {name: permission(name) for name in CHANNEL_GROUP_SETTINGS}
INCLUDE_SUBSCRIBERS = defaulted("include_subscribers", include_subscribers, False)
ADD = optional("add", new_subscriptions)
DELETE = optional("delete", strings)


@routes.get("/users/me/subscriptions", INCLUDE_SUBSCRIBERS)
def get_subscriptions(call: Call) -> ResponseBody:
    """What the caller is subscribed to."""
    subscribed, _unsubscribed, _never = subscription_rows(
        call.organization, call.user, include_subscribers=call[INCLUDE_SUBSCRIBERS], with_archived=False
    )
    return {"subscriptions": subscribed}


@routes.post(
    "/users/me/subscriptions",
    SUBSCRIPTIONS,
    INVITE_ONLY,
    WEB_PUBLIC,
    DEFAULT_CHANNEL,
    HISTORY_PUBLIC,
    RETENTION,
    TOPICS_POLICY,
    FOLDER,
    *GROUP_PARAMS.values(),
    ANNOUNCE,
    NEW_MESSAGES,
    PRINCIPALS,
    FATAL,
    callers=Callers.NO_GUESTS,
)
def add_subscriptions(call: Call) -> ResponseBody:
    """Subscribes the caller or others; channels that do not exist are created."""
    return _subscribe(call, call[SUBSCRIPTIONS], call[PRINCIPALS])


def _subscribe(call: Call, items: Sequence[NewSubscription], who: Sequence[str | int] | None) -> ResponseBody:
    organization, user = call.organization, call.user
    require_member(user)
    settings = group_settings(call) if call.endpoint.method == "POST" else {}
    people = [user] if who is None else principals_of(organization, user, who)
    check_size(organization, len(items), len(people))
    names: dict[str, NewSubscription] = {}
    for item in items:
        name = check_channel_name(organization, item.name)
        names.setdefault(name.casefold(), replace(item, name=name))
    colors: dict[int, str] = {}
    channels: list[Channel] = []
    refused: list[str] = []
    known = {channel.id for channel in organization.channels.all()}
    for item in names.values():
        channel = _existing_or_new(call, item, settings, refused, others=people != [user])
        if channel is not None:
            channels.append(channel)
            if item.color is not None:
                colors[channel.id] = item.color
    if refused and call.endpoint.method == "POST" and call[FATAL]:
        raise ServiceError(f"Unable to access channel ({', '.join(refused)}).")
    added, already = subscribe(organization, channels, people, colors)
    body: ResponseBody = {
        "subscribed": {str(key): [channel.name for channel in value] for key, value in added.items()},
        "already_subscribed": {
            str(key): [channel.name for channel in value] for key, value in already.items()
        },
    }
    made = [channel for channel in channels if channel.id not in known]
    body |= _notify(call, added, made) if call.endpoint.method == "POST" else {_MESSAGES_SENT: True}
    if refused:
        body["unauthorized"] = refused
    return body


def _notify(call: Call, added: dict[int, list[Channel]], made: Sequence[Channel]) -> ResponseBody:
    """Sends the notices of new subscriptions and channels; returns whether users were notified of subscriptions."""
    organization, user = call.organization, call.user
    notifies = call[NEW_MESSAGES] and len(added) <= MAX_NOTIFIED_SUBSCRIBERS
    if notifies:
        personal_notices.subscribed(organization, user, added, {channel.id for channel in made})
    if call[ANNOUNCE]:
        announce(organization, user, made)
    for channel in made:
        channel_notices.created(organization, user, channel)
    return {_MESSAGES_SENT: notifies} if call[NEW_MESSAGES] else {}


def check_size(organization: Organization, channels: int, people: int) -> None:
    """Raises BAD_REQUEST if a request names too many channels or users."""
    quotas = organization.config.quotas
    if channels > quotas.channels_a_request:
        raise ServiceError(f"Too many channels in one request (limit: {quotas.channels_a_request}).")
    if channels * people > quotas.subscriptions_a_request:
        raise ServiceError(
            f"Too many subscriptions in one request (limit: {quotas.subscriptions_a_request}, people times channels)."
        )


def _existing_or_new(
    call: Call, item: NewSubscription, settings: dict[str, object], refused: list[str], *, others: bool
) -> Channel | None:
    organization, user = call.organization, call.user
    name = item.name
    channel = access.channel_named(organization, user, name)
    if channel is None and name_is_taken(organization, name):
        refused.append(name)
        return None
    if channel is None:
        return _create(call, name, item.description, settings)
    subscribed = access.is_subscribed(organization, user.id, channel.id)
    if channel.is_archived:
        raise ServiceError(f"Unable to access channel ({channel.name}).")
    if not subscribed and not may_subscribe_self(organization, user, channel):
        refused.append(channel.name)
        return None
    if others and not may_subscribe_others(organization, user, channel):
        raise insufficient_permission()
    return channel


def _create(call: Call, name: str, description: str, settings: dict[str, object]) -> Channel:
    if call.endpoint.method != "POST":
        check_may_create(call.organization, call.user, invite_only=False, web_public=False)
        return create_channel(
            call.organization, call.user, name, description=check_description(call.organization, description)
        )
    private, web_public = call[INVITE_ONLY], call[WEB_PUBLIC]
    check_may_create(call.organization, call.user, invite_only=private, web_public=web_public)
    if call[DEFAULT_CHANNEL]:
        check_may_be_default(call.user, invite_only=private)
    retention_days = call[RETENTION]
    if retention_days is not None:
        require_owner(call.user)
    check_policies(
        call.organization, call.user, settings, topics=call[TOPICS_POLICY] not in (None, TopicsPolicy.INHERIT)
    )
    folder = call[FOLDER]
    return create_channel(
        call.organization,
        call.user,
        name,
        description=check_description(call.organization, description),
        invite_only=private,
        history_public=call[HISTORY_PUBLIC],
        is_web_public=web_public,
        is_default=call[DEFAULT_CHANNEL],
        message_retention_days=retention_days,
        topics_policy=call[TOPICS_POLICY] or TopicsPolicy.INHERIT.value,
        folder_id=None if folder is None else check_folder(call.organization, folder),
        settings=settings,
    )


def group_settings(call: Call) -> dict[str, object]:
    """The channel's group-valued settings that the request carries."""
    values: dict[str, object] = {
        name: setting_value(call.organization, call[param])
        for name, param in GROUP_PARAMS.items()
        if call.given(param)
    }
    for name, value in values.items():
        check_holder(call.organization, "stream", name, value)
    return values


@routes.delete("/users/me/subscriptions", NAMES, PRINCIPALS)
def remove_subscriptions(call: Call) -> ResponseBody:
    """Unsubscribes the caller or others, from all of the channels or none (USUB-16)."""
    return _unsubscribe(call, call[NAMES], call[PRINCIPALS])


def _unsubscribe(call: Call, names: Sequence[str], who: Sequence[str | int] | None) -> ResponseBody:
    organization, user = call.organization, call.user
    people = [user] if who is None else _principals(call, who)
    channels = []
    check_size(organization, len(dict.fromkeys(names)), len(people))
    for name in dict.fromkeys(names):
        channel = access.channel_named(organization, user, name)
        if channel is None:
            raise channel_does_not_exist(name)
        if channel.is_archived and call.level < Gate.ARCHIVED_SUBSCRIPTIONS.level:
            raise ServiceError(f"Channel '{name}' is archived")
        channels.append(channel)
    for one in people:
        if one.id != user.id and not all(
            may_remove_subscriber(organization, user, one, channel) for channel in channels
        ):
            raise insufficient_permission()
    removed, not_removed = unsubscribe(organization, channels, people)
    return {
        "removed": [channel.name for channel in removed],
        "not_removed": [channel.name for channel in not_removed],
    }


def _principals(call: Call, who: Sequence[str | int]) -> list[User]:
    if call.level < Gate.PRINCIPAL_IDS.level and any(isinstance(principal, int) for principal in who):
        raise ServiceError("principals is not a list of strings")
    try:
        return principals_of(call.organization, call.user, who)
    except ServiceError as error:
        if call.level >= Gate.PRINCIPAL_ERRORS.level:
            raise
        raise ServiceError(no_such_user().message, "UNAUTHORIZED_PRINCIPAL", 403) from error


@routes.patch("/users/me/subscriptions", DELETE, ADD)
def update_subscriptions(call: Call) -> ResponseBody:
    add, delete = call[ADD], call[DELETE]
    if not add and not delete:
        raise ServiceError('Nothing to do. Specify at least one of "add" or "delete".')
    return {**(_subscribe(call, add, None) if add else {}), **_unsubscribe(call, delete or [], None)}


@routes.get("/users/{user_id}/subscriptions/{stream_id}")
def get_subscription_status(call: Call) -> ResponseBody:
    """Whether a user is subscribed to a channel."""
    user = person(call.organization, call.path_id("user_id"))
    check_sees(call.organization, call.user, user)
    check_active(user)
    channel = access.known_channel(call.organization, call.user, call.path_id("stream_id"))
    return {"is_subscribed": access.is_subscribed(call.organization, user.id, channel.id)}


@routes.get("/users/{user_id}/channels")
def get_user_channels(call: Call) -> ResponseBody:
    """Ids of a user's subscribed channels that the caller may know of."""
    user = person(call.organization, call.path_id("user_id"))
    check_sees(call.organization, call.user, user)
    ids = access.subscribed_ids(call.organization, user.id)
    visible = [
        i for i in sorted(ids) if access.may_know(call.organization, call.user, call.organization.channels[i])
    ]
    return {"subscribed_channel_ids": visible}


@routes.get("/streams/{stream_id}/members")
def get_members(call: Call) -> ResponseBody:
    """Ids of a channel's subscribers."""
    channel = access.known_channel(call.organization, call.user, call.path_id("stream_id"))
    return {"subscribers": access.subscriber_ids(call.organization, channel.id)}
