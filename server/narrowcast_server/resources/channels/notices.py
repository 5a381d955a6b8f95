"""Notices of the notification bot in a channel's topic "channel events", when a user creates or changes the
channel, and where new channels are announced if their creator wants that.

See zulip.com/help/configure-automated-notices. The organization's setting `send_channel_events_messages`
turns on those in the channel.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from narrowcast_server.actions.quoting import quoted, silent_mention
from narrowcast_server.organization.models import Channel, User
from narrowcast_server.organization.realm_settings import FOREVER
from narrowcast_server.resources.messages.retention import days_kept
from narrowcast_server.resources.messages.sending import Origin, post_notice
from narrowcast_server.rules.access import subscriber_ids

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

TOPIC: Final = "channel events"


def created(organization: Organization, user: User, channel: Channel) -> None:
    """Posts who created the channel, and its description."""
    text = f"**{_privacy(channel)}** channel created by {silent_mention(user)}. **Description:**"
    _write(organization, channel, f"{text}\n{_quoted(channel.description)}", readers=[user.id])


def changed(organization: Organization, user: User, before: Channel) -> None:
    """Posts one message for each notable difference from `before`."""
    now = organization.channels[before.id]
    who = silent_mention(user)
    if now.name != before.name:
        _write(organization, now, f"{who} renamed channel **{before.name}** to **{now.name}**.")
    if now.description != before.description:
        _write(
            organization,
            now,
            f"{who} changed the description for this channel.\n\n"
            f"* **Old description:**\n{_quoted(before.description)}\n"
            f"* **New description:**\n{_quoted(now.description)}",
        )
    if _privacy(now) != _privacy(before):
        text = f"{who} changed the [access permissions](/help/channel-permissions) for this channel"
        _write(organization, now, f"{text} from **{_privacy(before)}** to **{_privacy(now)}**.")
    if now.message_retention_days != before.message_retention_days:
        _notify_of_retention(organization, user, before, now)
    old, new = (channel.settings["can_send_message_group"] for channel in (before, now))
    if old != new:
        _write(
            organization,
            now,
            f"{who} changed the [posting permissions](/help/channel-posting-policy) for this channel:\n\n"
            f"* **Old**: {_holders(organization, old)}\n* **New**: {_holders(organization, new)}",
        )
    if now.is_archived != before.is_archived:
        state = "has been archived" if now.is_archived else "un-archived"
        readers = subscriber_ids(organization, now.id) if now.is_archived else []
        _write(organization, now, f"Channel {now.name} {state}.", readers=readers)


def _notify_of_retention(organization: Organization, user: User, before: Channel, now: Channel) -> None:
    old, new = (days_kept(organization, channel) for channel in (before, now))
    if old == new:
        return
    kept = (
        "Messages in this channel will now be retained forever."
        if new == FOREVER
        else f"Messages in this channel will now be automatically deleted {new} days after they are sent."
    )
    text = (
        f"{silent_mention(user)} has changed the [message retention period](/help/message-retention-policy)"
    )
    _write(
        organization,
        now,
        f"{text} for this channel:\n* **Old retention period**: {_period(old)}\n"
        f"* **New retention period**: {_period(new)}\n\n{kept}",
    )


def _period(days: int) -> str:
    return "Forever" if days == FOREVER else f"{days} days"


def _privacy(channel: Channel) -> str:
    if channel.is_web_public:
        return "Web-public"
    if not channel.invite_only:
        return "Public"
    return f"Private, {'shared' if channel.history_public else 'protected'} history"


def _quoted(description: str) -> str:
    return quoted(description or "*No description.*", "````", " quote")


def _holders(organization: Organization, value: Any) -> str:
    """The groups and users that have a permission, groups first."""
    if isinstance(value, int):
        return f"@_*{organization.groups[value].name}*"
    groups = [f"@_*{organization.groups[identity].name}*" for identity in sorted(value["direct_subgroups"])]
    people = [silent_mention(organization.users[identity]) for identity in sorted(value["direct_members"])]
    return ", ".join([*groups, *people])


def _write(organization: Organization, channel: Channel, text: str, readers: Iterable[int] = ()) -> None:
    if organization.setting("send_channel_events_messages", bool):
        post_notice(organization, channel, TOPIC, text, Origin(client="Internal"), readers)


NEW_CHANNELS: Final = "new channels"


def announce(organization: Organization, creator: User, made: Sequence[Channel]) -> None:
    """Announces the public ones of the new channels in the organization's channel for announcements, if there
    is one.

    See zulip.com/help/configure-automated-notices#new-channel-announcements.
    """
    place = organization.channels.get(organization.setting("new_stream_announcements_stream_id", int))
    public = [f"#**{channel.name}**" for channel in made if not channel.invite_only]
    if place is None or place.is_archived or not public:
        return
    what = (
        f"a new channel {public[0]}" if len(public) == 1 else f"the following channels: {', '.join(public)}"
    )
    text = f"{silent_mention(creator)} created {what}."
    post_notice(organization, place, NEW_CHANNELS, text, Origin(client="Internal"), [creator.id])
