"""Commands on the selected row of the channels pane: a channel, a topic or a direct message conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.commands import channels, topics
from narrowcast.panes.navigation.rows import Kind

if TYPE_CHECKING:
    from narrowcast.commands.workspace import Workspace


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
        unread = screen.session.state.unreads.direct_ids(row.narrow.direct_user_ids)
        if unread:
            await screen.session.client.flags.change(message_ids=unread, op="add", flag="read")
    else:
        screen.refuse("No channel, topic or conversation selected.")
