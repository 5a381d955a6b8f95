"""Commands on channels: browse, subscribe, create, change, archive, link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from narrowcast.commands import targets
from narrowcast.content.addresses import view_address
from narrowcast.runtime.context import app_of
from narrowcast.screens.channels import fields, steps
from narrowcast.screens.channels.browse import ChannelsScreen
from narrowcast.screens.channels.default_groups import DefaultChannelGroupsScreen
from narrowcast.screens.channels.folders import FoldersScreen
from narrowcast.screens.channels.members import ChannelMembersScreen
from narrowcast.screens.channels.permissions import ChannelPermissionsScreen
from narrowcast.screens.dialogs.confirm import ask_first
from narrowcast_api import permissions as rules
from narrowcast_api.narrow.narrow import Narrow

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace
    from narrowcast_api.model.channels import Channel


def browse(screen: Workspace) -> None:
    """Lists all channels that the user may see."""
    browser = ChannelsScreen(screen.session)
    targets.open_list(screen, browser)
    here = targets.channel_here(screen)
    if here is not None:
        screen.call_after_refresh(browser.list.select_key, here.channel_id)


def new(screen: Workspace) -> None:
    fields.new_channel(screen, lambda channel_id: screen.go(Narrow.channel(channel_id)))


def edit(screen: Workspace) -> None:
    """Edits the channel's name, description and privacy."""
    if (channel := targets.channel_or_notify(screen)) is not None:
        fields.edit_channel(screen, channel)


def permissions(screen: Workspace) -> None:
    if (channel := targets.channel_or_notify(screen)) is not None:
        screen.app.push_screen(ChannelPermissionsScreen(screen.session, channel))


def own(screen: Workspace) -> None:
    if (channel := targets.channel_or_notify(screen)) is not None:
        fields.edit_personal_settings(screen, channel)


def members(screen: Workspace) -> None:
    channel = targets.channel_or_notify(screen)
    if channel is not None and not _is_frozen(screen, channel, "subscribers"):
        targets.open_list(screen, ChannelMembersScreen(screen.session, channel))


def default_groups(screen: Workspace) -> None:
    """Manages the groups of channels that new users choose from."""
    screen.app.push_screen(DefaultChannelGroupsScreen(screen.session))


def folders(screen: Workspace) -> None:
    """Manages the channel folders."""
    targets.open_list(screen, FoldersScreen(screen.session))


def subscribe(screen: Workspace) -> None:
    """Subscribes to the channel, or unsubscribes."""
    if (channel := targets.channel_or_notify(screen)) is not None:
        _take(screen, steps.subscription(screen.session, channel))


def _take(screen: Workspace, step: steps.Step) -> None:
    if screen.refuse(step.refusal):
        return

    async def act() -> None:
        await step.work()
        screen.tell(step.done)

    if step.question:
        ask_first(screen, step.question, lambda: screen.spawn(act(), step.what))
    else:
        screen.spawn(act(), step.what)


async def mute(screen: Workspace) -> None:
    """Mutes the channel, or unmutes it."""
    channel = targets.channel_or_notify(screen)
    if channel is not None and not _is_unsubscribed(screen, channel) and not _is_frozen(screen, channel):
        muted = not channel.is_muted
        update = screen.session.client.subscriptions.update
        await update(channel_id=channel.channel_id, properties={"is_muted": muted})
        screen.tell(f"#{channel.name} {'muted' if muted else 'unmuted'}.")


def _is_unsubscribed(screen: Workspace, channel: Channel) -> bool:
    """Shows that only subscribers have personal settings for a channel, and returns whether the user is none."""
    return screen.refuse("" if channel.is_subscribed else "You are not subscribed to this channel.")


def _is_frozen(screen: Workspace, channel: Channel, what: str = "personal settings") -> bool:
    """Shows that an archived channel cannot be changed, and returns whether it is archived."""
    return screen.refuse(rules.archived_change_refusal(screen.session.state, channel.channel_id, what))


async def pin(screen: Workspace) -> None:
    """Pins the channel to the top, or unpins it."""
    channel = targets.channel_or_notify(screen)
    if channel is not None and not _is_unsubscribed(screen, channel) and not _is_frozen(screen, channel):
        pinned = channel.subscription is not None and not channel.subscription.pin_to_top
        update = screen.session.client.subscriptions.update
        await update(channel_id=channel.channel_id, properties={"pin_to_top": pinned})
        screen.tell(f"#{channel.name} {'pinned' if pinned else 'unpinned'}.")


async def mark_read(screen: Workspace) -> None:
    """Marks all messages in the channel as read."""
    if (channel := targets.channel_or_notify(screen)) is not None:
        await screen.session.client.flags.mark_channel_as_read(channel_id=channel.channel_id)


def archive(screen: Workspace) -> None:
    """Archives the channel, or unarchives it."""
    if (channel := targets.channel_or_notify(screen)) is not None:
        _take(screen, steps.archiving(screen.session, channel))


async def copy_email(screen: Workspace) -> None:
    """Copies the address that turns emails into messages of the channel."""
    if (channel := targets.channel_or_notify(screen)) is not None:
        email = await screen.session.client.channels.email(channel_id=channel.channel_id)
        app_of(screen).copy(email, lambda: screen.tell(f"Copied: {email}"))


def copy_link(screen: Workspace) -> None:
    """Copies the link to the channel."""
    if (channel := targets.channel_or_notify(screen)) is not None:
        address = view_address(Narrow.channel(channel.channel_id), screen.session.state)
        app_of(screen).copy(address, lambda: screen.tell(f"Copied: {address}"))
