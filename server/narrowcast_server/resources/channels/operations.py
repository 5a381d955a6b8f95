"""Channels: all, one, by name, their email addresses, their topics (rows TOP); what creates and changes them."""

from __future__ import annotations

from typing import Final

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import ChannelSetting
from narrowcast_server.actions.realm import retention_days
from narrowcast_server.http.params import (
    Param,
    boolean,
    defaulted,
    integer,
    integers,
    natural,
    nullable,
    number_or_word,
    optional,
    required,
    string,
    text_without_null,
)
from narrowcast_server.http.permission_params import permission, permission_change
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.organization.models import Channel
from narrowcast_server.organization.organization import Organization
from narrowcast_server.organization.people import active_people
from narrowcast_server.queries.channels import channel_object, subscribers_by_channel, topics_of
from narrowcast_server.resources.bots import managed_bot
from narrowcast_server.resources.channel_folders import check_folder
from narrowcast_server.resources.channels import changes as channel_admin
from narrowcast_server.resources.channels import notices as channel_notices
from narrowcast_server.resources.channels.creation import already_exists, create_channel, name_is_taken
from narrowcast_server.resources.channels.notices import announce
from narrowcast_server.resources.default_channels import set_default
from narrowcast_server.resources.subscriptions.changes import subscribe
from narrowcast_server.rules import access
from narrowcast_server.rules.channels import (
    administered_channel,
    check_channel_name,
    check_may_be_default,
    check_may_create,
    check_may_open,
    check_may_open_to_the_web,
    check_policies,
    require_content,
)
from narrowcast_server.rules.holders import check_holder, check_topic_creators
from narrowcast_server.rules.messages import check_may_post_somewhere
from narrowcast_server.rules.permissions import Callers, require_administrator, require_owner, setting_value
from narrowcast_server.rules.setting_changes import changed_value

routes = Routes()

INCLUDE_PUBLIC = defaulted("include_public", boolean, True)
INCLUDE_WEB_PUBLIC = defaulted("include_web_public", boolean, False)
INCLUDE_SUBSCRIBED = defaulted("include_subscribed", boolean, True)
INCLUDE_ALL = defaulted("include_all", boolean, False, aliases=("include_all_active",))
INCLUDE_DEFAULT = defaulted("include_default", boolean, False)
EXCLUDE_ARCHIVED = defaulted("exclude_archived", boolean, True)
INCLUDE_OF_OWNER = defaulted("include_owner_subscribed", boolean, False)
INCLUDE_READABLE = defaulted("include_can_access_content", boolean, False)
STREAM = required("stream", string)
SENDER_ID = optional("sender_id", natural)
ALLOW_EMPTY = defaulted("allow_empty_topic_name", boolean, False, since=Gate.EMPTY_TOPIC.level)


@routes.get(
    "/streams",
    INCLUDE_PUBLIC,
    INCLUDE_WEB_PUBLIC,
    INCLUDE_SUBSCRIBED,
    EXCLUDE_ARCHIVED,
    INCLUDE_ALL,
    INCLUDE_DEFAULT,
    INCLUDE_OF_OWNER,
    INCLUDE_READABLE,
)
def get_streams(call: Call) -> ResponseBody:
    """The channels that the caller may know of, filtered by kind."""
    organization, user = call.organization, call.user
    subscribed = access.subscribed_ids(organization, user.id)
    counts = subscribers_by_channel(organization)
    of_owner = (
        access.subscribed_ids(organization, user.bot_owner_id or 0) if call[INCLUDE_OF_OWNER] else frozenset()
    )
    rows = []
    for channel in organization.channels.all():
        if channel.is_archived and call[EXCLUDE_ARCHIVED]:
            continue
        if not access.may_know(organization, user, channel, subscribed):
            continue
        if channel.id not in of_owner and not _is_wanted(call, channel, subscribed):
            continue
        row = channel_object(organization, channel, subscriber_count=len(counts.get(channel.id, ())))
        if call[INCLUDE_DEFAULT]:
            row["is_default"] = channel.is_default
        rows.append(row)
    return {"streams": rows}


def _is_wanted(call: Call, channel: Channel, subscribed: set[int]) -> bool:
    if call[INCLUDE_ALL]:
        return True
    if call[INCLUDE_READABLE] and access.may_read(call.organization, call.user, channel, subscribed):
        return True
    if channel.id in subscribed:
        return call[INCLUDE_SUBSCRIBED]
    if channel.is_web_public:
        return call[INCLUDE_WEB_PUBLIC] or (call[INCLUDE_PUBLIC] and not call.user.is_guest)
    return call[INCLUDE_PUBLIC] and not channel.invite_only


@routes.get("/streams/{stream_id}")
def get_stream(call: Call) -> ResponseBody:
    channel = access.known_channel(call.organization, call.user, call.path_id("stream_id"))
    return {"stream": channel_object(call.organization, channel)}


@routes.get("/get_stream_id", STREAM)
def get_stream_id(call: Call) -> ResponseBody:
    """The id of the channel with this name."""
    channel = access.readable_channel_named(call.organization, call.user, call[STREAM])
    if channel is None:
        raise ServiceError(f"Invalid channel name '{call[STREAM]}'")
    return {"stream_id": channel.id}


@routes.get("/streams/{stream_id}/email_address", SENDER_ID)
def get_email_address(call: Call) -> ResponseBody:
    """The email address of a channel. It only identifies the channel: this server receives no email."""
    organization, user = call.organization, call.user
    channel = access.readable_channel(organization, user, call.path_id("stream_id"))
    if call.level >= Gate.CHANNEL_EMAIL_OF_POSTERS.level:
        check_may_post_somewhere(organization, user, channel)
    sender_id = call[SENDER_ID]
    if sender_id is not None and sender_id != user.id:
        managed_bot(organization, user, sender_id)
    return {"email": f"channel-{channel.id}@{organization.setting('domain', str)}"}


@routes.get("/users/me/{stream_id}/topics", ALLOW_EMPTY)
def get_topics(call: Call) -> ResponseBody:
    """The topics that the caller can read, most recent first."""
    organization, user = call.organization, call.user
    channel = access.readable_channel(organization, user, call.path_id("stream_id"))
    empty = "" if call[ALLOW_EMPTY] else organization.empty_topic_name
    return {
        "topics": [
            {"name": name or empty, "max_id": newest}
            for name, newest in topics_of(organization, user, channel)
        ]
    }


NAME = required("name", text_without_null)
SUBSCRIBERS = required("subscribers", integers)
DESCRIPTION = defaulted("description", text_without_null, "")
PRIVATE = defaulted("invite_only", boolean, False)
WEB_PUBLIC = defaulted("is_web_public", boolean, False)
HISTORY: Param[bool | None] = optional("history_public_to_subscribers", boolean)
DEFAULT = defaulted("is_default_stream", boolean, False)
FOLDER: Param[int | None] = optional("folder_id", integer)
NEW_FOLDER: Param[int | None] = optional("folder_id", nullable(integer))
TOPICS_POLICY = optional("topics_policy", text_without_null)
RETENTION = optional("message_retention_days", number_or_word)
ANNOUNCE = defaulted("announce", boolean, False)
NEW_NAME = optional("new_name", text_without_null)
NEW_DESCRIPTION = optional("description", text_without_null)
NEW_PRIVATE = optional("is_private", boolean)
NEW_WEB_PUBLIC = optional("is_web_public", boolean)
NEW_DEFAULT = optional("is_default_stream", boolean)
ARCHIVED = optional("is_archived", boolean)
PERMISSIONS: Final = {setting: permission(setting.value) for setting in ChannelSetting}
NEW_PERMISSIONS: Final = {setting: permission_change(setting.value) for setting in ChannelSetting}


def _retention(call: Call, raw: object) -> int | None:
    """Days, None for the organization's default, -1 for unlimited; only owners may set it."""
    require_owner(call.user)
    if raw == "realm_default":
        return None
    return retention_days(raw)


@routes.post(
    "/channels/create", NAME, SUBSCRIBERS, DESCRIPTION, PRIVATE, WEB_PUBLIC, HISTORY, DEFAULT, FOLDER,
    TOPICS_POLICY, RETENTION, ANNOUNCE, *PERMISSIONS.values(),
    callers=Callers.NO_GUESTS,
)  # fmt: skip
def create(call: Call) -> ResponseBody:
    """Creates a channel with its first subscribers."""
    organization = call.organization
    check_may_create(organization, call.user, invite_only=call[PRIVATE], web_public=call[WEB_PUBLIC])
    if call[DEFAULT]:
        check_may_be_default(call.user, invite_only=call[PRIVATE])
    name = check_channel_name(organization, call[NAME])
    if name_is_taken(organization, name):
        raise already_exists(name)
    people = active_people(organization, call[SUBSCRIBERS])
    settings = {
        setting.value: setting_value(organization, call[param])
        for setting, param in PERMISSIONS.items()
        if call.given(param)
    }
    for setting_name, value in settings.items():
        check_holder(organization, "stream", setting_name, value)
    check_policies(organization, call.user, settings, topics=call[TOPICS_POLICY] not in (None, "inherit"))
    folder = call[FOLDER]
    policy = call[TOPICS_POLICY]
    channel = create_channel(
        organization,
        call.user,
        name,
        description=channel_admin.check_description(organization, call[DESCRIPTION]),
        invite_only=call[PRIVATE],
        history_public=call[HISTORY],
        is_web_public=call[WEB_PUBLIC],
        is_default=call[DEFAULT],
        message_retention_days=_retention(call, call[RETENTION]) if call.given(RETENTION) else None,
        topics_policy="inherit" if policy is None else channel_admin.check_topics_policy(policy),
        folder_id=None if folder is None else check_folder(organization, folder),
        settings=settings,
    )
    subscribe(organization, [channel], people)
    if call[ANNOUNCE]:
        announce(organization, call.user, [channel])
    channel_notices.created(organization, call.user, channel)
    return {"id": channel.id}


@routes.patch(
    "/streams/{stream_id}", NEW_DESCRIPTION, NEW_PRIVATE, NEW_DEFAULT, NEW_FOLDER, TOPICS_POLICY, HISTORY,
    NEW_WEB_PUBLIC, NEW_NAME, RETENTION, ARCHIVED, *NEW_PERMISSIONS.values(),
)  # fmt: skip
def update(call: Call) -> ResponseBody:
    """Changes the properties of a channel that the request carries."""
    organization = call.organization
    channel_id = call.path_id("stream_id")
    channel = administered_channel(organization, call.user, channel_id)
    if call[ARCHIVED] is not None and not (call[ARCHIVED] and channel.is_archived):
        channel_admin.set_archived(organization, channel, bool(call[ARCHIVED]))
    _update_plain(call, organization.channels[channel_id])
    _update_privacy(call, organization.channels[channel_id])
    for setting, param in NEW_PERMISSIONS.items():
        if call.given(param):
            present = organization.channels[channel_id]
            value = changed_value(organization, setting.value, call[param], present.settings[setting.value])
            check_holder(organization, "stream", setting.value, value)
            if value != present.settings[setting.value]:
                check_policies(organization, call.user, [setting.value])
                check_may_open(organization, call.user, present, setting.value)
            channel_admin.set_permission(organization, present, setting.value, value)
    _check_topic_creators(organization.channels[channel_id], organization)
    channel_notices.changed(organization, call.user, channel)
    return {}


def _update_plain(call: Call, channel: Channel) -> None:
    organization = call.organization
    if call[NEW_NAME] is not None:
        channel_admin.rename(organization, channel, call[NEW_NAME] or "")
    if call[NEW_DESCRIPTION] is not None:
        channel_admin.describe(organization, channel, call[NEW_DESCRIPTION] or "")
    if call[TOPICS_POLICY] is not None:
        policy = channel_admin.check_topics_policy(call[TOPICS_POLICY] or "")
        check_policies(organization, call.user, topics=True)
        channel_admin.check_topics_fit_policy(organization, channel, policy)
        channel_admin.set_property(organization, channel, "topics_policy", policy)
    if call.given(RETENTION):
        days = _retention(call, call[RETENTION])
        channel_admin.set_property(organization, channel, "message_retention_days", days)
    if call.given(NEW_FOLDER):
        folder = call[NEW_FOLDER]
        checked = None if folder is None else check_folder(organization, folder)
        channel_admin.set_property(organization, channel, "folder_id", checked)


def _check_topic_creators(channel: Channel, organization: Organization) -> None:
    check_topic_creators(
        organization,
        protected=channel.invite_only and not channel.history_public,
        value=channel.settings[ChannelSetting.CREATE_TOPIC.value],
    )


def _update_privacy(call: Call, channel: Channel) -> None:
    private, web_public, history = call[NEW_PRIVATE], call[NEW_WEB_PUBLIC], call[HISTORY]
    if private is not None or web_public is not None or history is not None:
        if private is not None:
            require_content(call.organization, call.user, channel)
            check_may_create(call.organization, call.user, invite_only=private, web_public=False)
        if web_public:
            check_may_open_to_the_web(call.organization, call.user)
        becomes_private = channel.invite_only if private is None else private
        keeps = channel.history_public if private is None and history is None else history
        becomes_web = (channel.is_web_public and not becomes_private) if web_public is None else web_public
        channel_admin.set_privacy(
            call.organization,
            call.user,
            channel,
            private=becomes_private,
            history_public=keeps,
            web_public=becomes_web,
        )
    if call[NEW_DEFAULT] is not None:
        require_administrator(call.user)
        set_default(call.organization, call.organization.channels[channel.id], bool(call[NEW_DEFAULT]))


@routes.delete("/streams/{stream_id}")
def archive(call: Call) -> ResponseBody:
    channel = administered_channel(call.organization, call.user, call.path_id("stream_id"))
    channel_admin.set_archived(call.organization, channel, True)
    channel_notices.changed(call.organization, call.user, channel)
    return {}
