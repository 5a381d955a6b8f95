"""Notices of the notification bot about new channels that their creator wants announced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from narrowcast_server.actions.messages import Origin, post_notice
from narrowcast_server.actions.quoting import silent_mention
from narrowcast_server.organization.models import Channel, User

if TYPE_CHECKING:
    from narrowcast_server.organization.core import Core

TOPIC: Final = "new channels"


def announce(core: Core, creator: User, made: Sequence[Channel]) -> None:
    """Announces the public ones of the new channels in the organization's channel for announcements, if there
    is one.

    See zulip.com/help/configure-automated-notices#new-channel-announcements.
    """
    place = core.channels.get(core.setting("new_stream_announcements_stream_id", int))
    public = [f"#**{channel.name}**" for channel in made if not channel.invite_only]
    if place is None or place.is_archived or not public:
        return
    what = (
        f"a new channel {public[0]}" if len(public) == 1 else f"the following channels: {', '.join(public)}"
    )
    text = f"{silent_mention(creator)} created {what}."
    post_notice(core, place, TOPIC, text, Origin(client="Internal"), [creator.id])
