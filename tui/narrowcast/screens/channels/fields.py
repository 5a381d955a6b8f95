"""Forms about a channel: create it, change it, and the user's personal settings for it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from narrowcast.runtime.context import app_of
from narrowcast.screens.dialogs.asking import Host, ask
from narrowcast.screens.dialogs.form_fields import (
    Field,
    LineField,
    OneOf,
    People,
    Text,
    UnusableValue,
    Values,
    YesNo,
)
from narrowcast.screens.settings.typed_values import NO_DAYS, days
from narrowcast_api import permissions
from narrowcast_api.http.encoding import OMIT, Omit
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import TopicsPolicy

if TYPE_CHECKING:
    from narrowcast_api.model.channels import Channel
    from narrowcast_api.state.state import State

PRIVACY: tuple[tuple[object, str], ...] = (
    ("public", "Public: anyone except guests can join"),
    ("private", "Private, shared history: new subscribers see old messages"),
    ("protected", "Private, protected history: new subscribers see new messages only"),
    ("web", "Web-public: anyone on the internet can read"),
)
TOPICS: tuple[tuple[object, str], ...] = (
    (TopicsPolicy.INHERIT.value, "Organization default"),
    (TopicsPolicy.ALLOW_EMPTY.value, "General chat topic allowed"),
    (TopicsPolicy.DISABLE_EMPTY.value, "No general chat topic"),
    (TopicsPolicy.EMPTY_ONLY.value, "Only general chat topic"),
)
NOTICES = {
    "desktop_notifications": "Desktop notifications",
    "audible_notifications": "Notification sound",
    "wildcard_mentions_notify": "Wildcard mentions",
}
_OWN_NOTICES = {
    "desktop_notifications": "enable_stream_desktop_notifications",
    "audible_notifications": "enable_stream_audible_notifications",
    "wildcard_mentions_notify": "wildcard_mentions_notify",
}
"""The personal setting that applies to each kind of notification until the channel has a value of its own."""
_COLOR = re.compile(r"#[0-9a-fA-F]{6}")


def privacy_of(channel: Channel) -> str:
    """The value in `PRIVACY` for who may see the channel."""
    if channel.is_web_public:
        return "web"
    if not channel.invite_only:
        return "public"
    return "private" if channel.history_public_to_subscribers else "protected"


class _Privacy(NamedTuple):
    """Who may see a channel, as parameters of the API."""

    private: bool | Omit = OMIT
    web_public: bool | Omit = OMIT
    history_public: bool | Omit = OMIT


_PRIVATE = ("private", "protected")


def _privacy(values: Values) -> _Privacy:
    kind = values["privacy"]
    return _Privacy(kind in _PRIVATE, kind == "web", kind != "protected")


def _kinds(state: State, channel: Channel | None) -> list[tuple[object, str]]:
    """The privacy options that the current user may choose for a channel, and its current one."""
    present = None if channel is None else privacy_of(channel)
    return [
        (kind, words)
        for kind, words in PRIVACY
        if kind == present
        or not permissions.privacy_refusal(state, private=kind in _PRIVATE, web_public=kind == "web")
    ]


def _about(state: State, channel: Channel | None, refused: str) -> list[Field]:
    """Name and description of a channel, new or not, and who has access to it."""
    limits = state.limits
    privacy = _kinds(state, channel)
    return [
        LineField(
            "name",
            "Name",
            needs=refused,
            value=channel.name if channel else "",
            required=True,
            limit=limits.max_channel_name_length,
        ),
        Text(
            "description",
            "Description",
            needs=refused,
            value=channel.description if channel else "",
            limit=limits.max_channel_description_length,
            rows=3,
        ),
        OneOf(
            "privacy",
            "Who can access this channel",
            needs=refused,
            section="Access",
            options=privacy,
            value=privacy_of(channel) if channel else privacy[0][0],
        ),
        YesNo(
            "default",
            "Default for new users",
            needs=refused or permissions.only_administrators(state, "decide this").short,
            value=channel is not None and channel.channel_id in state.channels.default_ids,
        ),
    ]


def _advanced(state: State, channel: Channel | None, refused: str) -> list[Field]:
    """The other settings of a channel, new or not."""
    folders: list[tuple[object, str]] = [(None, "None")]
    ordered = sorted(state.channels.folders, key=lambda folder: folder.order)
    folders += [(folder.id, folder.name) for folder in ordered if not folder.is_archived]
    topics = permissions.topics_policy_refusal(state).short
    administrators = permissions.only_administrators(state, "decide this").short
    return [
        OneOf(
            "folder",
            "Folder",
            needs=refused or permissions.level_needed(state, Gate.CHANNEL_FOLDERS),
            section="Advanced configuration",
            options=folders,
            value=channel.folder_id if channel else None,
        ),
        OneOf(
            "topics",
            "Topics",
            needs=refused or permissions.level_needed(state, Gate.TOPICS_POLICY) or topics,
            options=TOPICS,
            value=channel.topics_policy if channel else TopicsPolicy.INHERIT.value,
        ),
        YesNo(
            "push",
            "Mobile notifications",
            "Whether users who subscribe for the first time get them",
            needs=refused or permissions.level_needed(state, Gate.PUSH_BY_DEFAULT) or administrators,
            value=channel is not None and channel.default_push_notifications,
        ),
    ]


def new_channel(host: Host, created: Callable[[int], object]) -> None:
    """Creates a channel and subscribes the current user to it. ``created`` receives its id."""
    state = host.session.state
    if not _kinds(state, None):
        refusal = permissions.only_holders(state, "can_create_public_channel_group", "create channels")
        app_of(host).refuse(refusal)
        return

    async def submit(values: Values) -> int:
        _check_name(state, values)
        privacy = _privacy(values)
        _check_default(values, privacy)
        made = await host.session.client.channels.create(
            name=values.text("name"),
            description=values.text("description"),
            subscribers=[*dict.fromkeys((state.me, *values.ids("people")))],
            announce=values.flag("announce") and privacy.private is not True,
            is_default_stream=values.new_flag("default"),
            topics_policy=_topics(values),
            folder_id=_folder(values),
            default_push_notifications=values.new_flag("push"),
            invite_only=privacy.private,
            is_web_public=privacy.web_public,
            history_public_to_subscribers=privacy.history_public,
        )
        return made.stream_id

    fields = [
        *_about(state, None, ""),
        People("people", "Subscribers", "Besides yourself, separated by commas"),
        *_advanced(state, None, ""),
        _announcing(state),
    ]
    ask(host, "Create channel", fields, submit, verb="creates", done="Channel created.", then=created)


def _announcing(state: State) -> Field:
    """Whether to announce a new channel; disabled if the organization has no channel for announcements."""
    place = state.organization.get("new_stream_announcements_stream_id")
    channel = state.channels.get(place) if isinstance(place, int) else None
    hint = f"In #{channel.name}; public channels only" if channel is not None else ""
    needs = "" if channel is not None else "no channel for announcements"
    return YesNo("announce", "Announce new channel", hint, needs=needs, value=channel is not None)


def edit_channel(host: Host, channel: Channel) -> None:
    """Changes a channel's name, description and privacy."""
    state = host.session.state
    refused = permissions.channel_refusal(state, channel).short
    retention = (permissions.only_owners(state) or permissions.plan_refusal(state)).short
    kept = channel.message_retention_days

    async def submit(values: Values) -> None:
        if not any(values.changed(field.name) for field in fields):
            return
        if values.changed("name"):
            _check_name(state, values, channel)
        _check_default(values, _privacy(values))
        privacy = _privacy(values) if values.changed("privacy") else _Privacy()
        channels = host.session.client.channels
        if values.changed("default"):
            change = channels.add_default if values.flag("default") else channels.remove_default
            await change(channel_id=channel.channel_id)
        if not any(values.changed(field.name) for field in fields if field.name != "default"):
            return
        await channels.update(
            channel_id=channel.channel_id,
            new_name=values.new_text("name"),
            description=values.new_text("description"),
            is_private=privacy.private,
            is_web_public=privacy.web_public,
            history_public_to_subscribers=privacy.history_public,
            topics_policy=_topics(values),
            folder_id=_folder(values),
            default_push_notifications=values.new_flag("push"),
            message_retention_days=_retention(values),
        )

    fields = [
        *_about(state, channel, refused),
        *_advanced(state, channel, refused),
        LineField(
            "days",
            "Message retention (days)",
            "A number, or: forever; leave empty for the organization default",
            needs=refused or retention,
            value="" if kept is None else "forever" if kept < 0 else str(kept),
        ),
    ]
    ask(host, f"Channel #{channel.name}", fields, submit, done="Saved.")


def _check_name(state: State, values: Values, own: Channel | None = None) -> None:
    """Raises UnusableValue if another channel has the name: old servers would subscribe to that one instead of
    returning an error.
    """
    holder = state.channels.id_of(values.text("name"))
    if holder is not None and (own is None or holder != own.channel_id):
        raise UnusableValue("name", "A channel with this name already exists.")


def _check_default(values: Values, privacy: _Privacy) -> None:
    """Raises UnusableValue if the channel is private: new users are not subscribed to private channels by default."""
    if values.flag("default") and privacy.private is True:
        raise UnusableValue("default", "A private channel cannot be a default channel for new users.")


def _topics(values: Values) -> TopicsPolicy | Omit:
    return TopicsPolicy(str(values["topics"])) if values.changed("topics") else OMIT


def _folder(values: Values) -> int | Omit | None:
    if not values.changed("folder"):
        return OMIT
    chosen = values["folder"]
    return chosen if isinstance(chosen, int) else None


def _retention(values: Values) -> int | str | Omit:
    if not values.changed("days"):
        return OMIT
    if not values.text("days"):
        return "realm_default"
    try:
        return days(values.text("days"))
    except ValueError:
        raise UnusableValue("days", NO_DAYS) from None


def _notice(state: State, name: str) -> tuple[tuple[object, str], ...]:
    """On, off, or the user's default. Servers store only on or off: choosing the default saves its current value."""
    usual = "On" if state.settings.flag(_OWN_NOTICES[name]) else "Off"
    return (None, f"Default ({usual})"), (True, "On"), (False, "Off")


def edit_personal_settings(host: Host, channel: Channel) -> None:
    """Changes the user's personal settings for a channel: muted, pinned, color, notifications."""
    state = host.session.state
    own = channel.subscription
    if own is None:
        app_of(host).refuse("You are not subscribed to this channel.")
        return
    if app_of(host).refuse(
        permissions.archived_change_refusal(state, channel.channel_id, "personal settings")
    ):
        return

    async def submit(values: Values) -> None:
        if not _COLOR.fullmatch(values.text("color")) and values.changed("color"):
            raise UnusableValue("color", "Enter a color such as #76ce90.")
        changed = {
            name: state.settings.flag(_OWN_NOTICES[name]) if values[name] is None else values[name]
            for name in names_of_fields
            if values.changed(name)
        }
        if changed:
            await host.session.client.subscriptions.update(channel_id=channel.channel_id, properties=changed)

    fields: list[Field] = [
        YesNo("is_muted", "Mute channel", "", value=own.is_muted),
        YesNo("pin_to_top", "Pin channel to top", value=own.pin_to_top),
        LineField("color", "Color", "Such as #76ce90", value=own.color),
    ]
    fields += [
        OneOf(
            name,
            words,
            section="" if number else "Notifications",
            options=_notice(state, name),
            value=getattr(own, name),
        )
        for number, (name, words) in enumerate(NOTICES.items())
    ]
    names_of_fields = [field.name for field in fields]
    ask(host, f"Personal settings for #{channel.name}", fields, submit, done="Saved.")
