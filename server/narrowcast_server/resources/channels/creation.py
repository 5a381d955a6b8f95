"""Creating channels, and the events of their changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import ChannelSetting
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import Channel, User
from narrowcast_server.organization.realm_settings import CHANNEL_GROUP_SETTINGS
from narrowcast_server.queries.channels import channel_object
from narrowcast_server.queries.rendering import rendered_apart
from narrowcast_server.rules.access import who_may_know
from narrowcast_server.rules.holders import check_topic_creators
from narrowcast_server.rules.permissions import system_group
from narrowcast_server.rules.quotas import check_room

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization


def name_is_taken(organization: Organization, name: str, except_id: int | None = None) -> bool:
    """Whether a channel of this name exists, whether or not the caller may know of it."""
    folded = name.casefold()
    return any(
        channel.name.casefold() == folded and channel.id != except_id
        for channel in organization.channels.all()
    )


def already_exists(name: str) -> ServiceError:
    """The error for creating a channel under a name that is taken."""
    return ServiceError(f"Channel '{name}' already exists", "CHANNEL_ALREADY_EXISTS", 409, channel_name=name)


def create_channel(
    organization: Organization,
    creator: User | None,
    name: str,
    *,
    description: str = "",
    invite_only: bool = False,
    history_public: bool | None = None,
    is_web_public: bool = False,
    is_default: bool = False,
    message_retention_days: int | None = None,
    topics_policy: str = "inherit",
    folder_id: int | None = None,
    settings: Mapping[str, object] | None = None,
    date_created: int | None = None,
) -> Channel:
    """Creates a channel and emits it to everyone who may know of it.

    `settings` are group-setting values that differ from the defaults; `history_public` None means: public
    history for public channels, protected history for private ones.
    """
    if creator is not None:
        check_room(organization, creator, "channels")
    values = {**_default_permissions(organization, creator), **(settings or {})}
    shares_history = not invite_only if history_public is None else history_public
    protected = invite_only and not shares_history
    check_topic_creators(organization, protected=protected, value=values[ChannelSetting.CREATE_TOPIC.value])
    channel_id = organization.channels.insert(
        name=name,
        description=description,
        rendered_description=rendered_description(organization, description),
        date_created=organization.now() if date_created is None else date_created,
        creator_id=None if creator is None else creator.id,
        invite_only=int(invite_only),
        history_public=int(shares_history),
        is_web_public=int(is_web_public),
        is_default=int(is_default),
        message_retention_days=message_retention_days,
        topics_policy=topics_policy,
        folder_id=folder_id,
        settings=values,
    )
    channel = organization.channels[channel_id]
    event = {"type": "stream", "op": "create", "streams": [channel_object(organization, channel)]}
    organization.emit(event, who_may_know(organization, channel))
    if is_default:
        emit_default_channels(organization)
    return channel


def _default_permissions(organization: Organization, creator: User | None) -> dict[str, object]:
    values: dict[str, object] = {
        setting: system_group(organization, holder).id for setting, holder in CHANNEL_GROUP_SETTINGS.items()
    }
    if creator is not None:
        own = {"direct_members": [creator.id], "direct_subgroups": []}
        values[ChannelSetting.ADMINISTER.value] = own
    return values


def rendered_description(organization: Organization, description: str) -> str:
    """A channel's description as HTML."""
    return rendered_apart(organization, description) if description else ""


def emit_default_channels(organization: Organization) -> None:
    """Emits `default_streams` to everyone but guests."""
    ids = [channel.id for channel in organization.channels.all() if channel.is_default]
    members = [user_id for user_id in organization.user_ids() if not organization.users[user_id].is_guest]
    organization.emit({"type": "default_streams", "default_streams": ids}, members)


def emit_channel_update(
    organization: Organization, channel: Channel, name: str, property_: str, value: object, **extra: object
) -> None:
    """Emits `stream` update of one property; `name` is the channel's name before the change."""
    organization.emit(
        {
            "type": "stream",
            "op": "update",
            "property": property_,
            "value": value,
            "stream_id": channel.id,
            "name": name,
            **extra,
        },
        who_may_know(organization, channel),
    )


def refresh_first_message(organization: Organization, channel_id: int) -> None:
    """Stores the id of the channel's oldest message and, from level 256, emits it if it changed (EVT-05)."""
    first = organization.store.integer("SELECT min(id) FROM messages WHERE channel_id = ?", channel_id)
    channel = organization.channels[channel_id]
    if channel.first_message_id == first:
        return
    organization.channels.update(channel_id, first_message_id=first)
    if organization.level >= Gate.FIRST_MESSAGE_EVENT.level:
        emit_channel_update(organization, channel, channel.name, "first_message_id", first)
