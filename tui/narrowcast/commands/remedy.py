"""Acting on the notice above the text in compose: subscribing, subscribing somebody else, unresolving the topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.panes.compose.banners import PastedFiles, Remedy
from narrowcast.screens.main.moves import follow_topic
from narrowcast.text import names
from narrowcast_api import permissions
from narrowcast_api.model.topics import unresolved_name
from narrowcast_api.narrow.destinations import ChannelDestination

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace


def _upload(screen: Workspace, files: PastedFiles) -> None:
    """Uploads files in place of their paths in the text."""
    writing = screen.writing
    if screen.refuse(permissions.upload_refusal(screen.session.state)):
        return
    if (start := writing.text.text.find(files.text)) >= 0:
        writing.text.replace(start, start + len(files.text), "")
    writing.keep_draft()
    for path in files.paths:
        writing.uploads.start(path, writing.links.place)
    writing.banners.done()


async def act(screen: Workspace) -> None:
    """Does what the notice above the text in compose offers."""
    writing, session = (
        screen.writing,
        screen.session,
    )  # another conversation may have the focus after the request
    banner, where = writing.banners.now, writing.destination()[0]
    if banner is not None and banner.files is not None:
        _upload(screen, banner.files)
        return
    channel = session.state.channels.get(where.channel_id) if isinstance(where, ChannelDestination) else None
    if (
        banner is None
        or banner.remedy is None
        or channel is None
        or not isinstance(where, ChannelDestination)
    ):
        screen.refuse("No notice above the text offers anything to do.")
        return
    client = session.client
    match banner.remedy:
        case Remedy.SUBSCRIBE:
            await client.subscriptions.add(channels=[channel.name])
            screen.tell(f"You are subscribed to #{channel.name} now.")
        case Remedy.SUBSCRIBE_OTHER:
            await client.subscriptions.add(channels=[channel.name], principals=[banner.user_id])
            screen.tell(
                f"{names.people(session.state, [banner.user_id])} is subscribed to #{channel.name} now."
            )
        case Remedy.UNRESOLVE:
            await client.topics.resolve(channel_id=where.channel_id, topic=where.topic, resolved=False)
            now = ChannelDestination(where.channel_id, unresolved_name(where.topic))
            follow_topic(screen, where, now, is_own=True)
            screen.tell("Topic unresolved.")
    writing.banners.done()
