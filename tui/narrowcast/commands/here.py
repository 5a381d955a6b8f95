"""Commands on the open view, and on the selected row of the channels pane: a channel, a topic or a direct message
conversation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.commands import channels, own, topics
from narrowcast.panes.navigation.rows import Kind
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace
    from narrowcast_api.narrow.narrow import Narrow


async def mute(screen: Workspace) -> None:
    """Mutes or unmutes the selected channel or topic."""
    row = screen.navigation.list.selected_item
    if row is not None and row.kind is Kind.TOPIC:
        await topics.mute(screen)
    elif row is not None and row.kind is Kind.CHANNEL:
        await channels.mute(screen)
    else:
        screen.refuse("No channel or topic selected.")


async def pin(screen: Workspace) -> None:
    """Pins or unpins the selected channel, or that of the selected topic."""
    await channels.pin(screen)


async def mark_read(screen: Workspace) -> None:
    """Marks all messages of the selected channel, topic or conversation as read."""
    row = screen.navigation.list.selected_item
    if row is not None and row.kind is Kind.TOPIC:
        await topics.mark_read(screen)
    elif row is not None and row.kind is Kind.CHANNEL:
        await channels.mark_read(screen)
    elif row is not None and row.narrow is not None and row.narrow.direct_user_ids is not None:
        await _mark_narrow_read(screen, row.narrow)
    else:
        screen.refuse("No channel, topic or conversation selected.")


async def mark_view_read(screen: Workspace) -> None:
    """Marks all messages of the open view as read; those of the combined feed after asking."""
    narrow = screen.narrow
    if narrow is None:
        return
    if not narrow.terms:
        own.read_all(screen)
        return
    await _mark_narrow_read(screen, narrow)
    screen.tell("All messages in this view are marked as read.")


async def _mark_narrow_read(screen: Workspace, narrow: Narrow) -> None:
    """Marks all messages of a narrow as read, also those that are not loaded."""
    state, flags = screen.session.state, screen.session.client.flags
    match narrow.new_message_destination:
        case DirectDestination(user_ids):
            if unread := state.unreads.direct_ids(user_ids):
                await flags.change(message_ids=unread, op="add", flag="read")
        case ChannelDestination(channel_id, topic) if narrow.is_conversation:
            await flags.mark_topic_as_read(channel_id=channel_id, topic=topic)
        case ChannelDestination(channel_id):
            await flags.mark_channel_as_read(channel_id=channel_id)
        case _:
            await flags.change_whole_narrow(narrow=narrow.to_wire(state.server, state, state.me))
