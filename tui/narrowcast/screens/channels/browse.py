"""All channels that the user may see: subscribe, unsubscribe, create, change, archive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType

from narrowcast.keys.registry import Context, bindings_for
from narrowcast.screens.channels import steps
from narrowcast.screens.channels.fields import edit_channel, edit_personal_settings, new_channel
from narrowcast.screens.channels.members import ChannelMembersScreen
from narrowcast.screens.channels.permissions import ChannelPermissionsScreen
from narrowcast.screens.dialogs.confirm import Question, ask_first
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.text import names
from narrowcast.text.formats import counted
from narrowcast.widgets.empty import Empty
from narrowcast_api import permissions
from narrowcast_api.model.channels import Channel
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state.changes import ChannelsChanged


class ChannelsScreen(ManageScreen[Channel]):
    """Two lines per channel: its name and whether the user is subscribed, then its description."""

    TITLE_TEXT = "Channels"
    KEYS = (
        ("list.select", "opens"),
        ("channels.subscribe", "subscribes/unsubscribes"),
        ("channels.edit", "edits"),
        ("channels.permissions", "permissions"),
        ("channels.members", "subscribers"),
        ("channels.own", "personal settings"),
        ("manage.new", "creates"),
        ("manage.delete", "archives"),
        ("channels.restore", "unarchives"),
    )
    EMPTY = Empty("No channels", "There are none that you can view in this organization.")
    LINES = 2
    FOLLOWS = (ChannelsChanged,)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.CHANNELS)]

    def rows(self) -> Sequence[ListRow[Channel]]:
        channels = sorted(
            self.state.channels,
            key=lambda channel: (channel.is_archived, not channel.is_subscribed, channel.name.casefold()),
        )
        return [self._row(channel) for channel in channels]

    def _row(self, channel: Channel) -> ListRow[Channel]:
        count = channel.subscriber_count
        facts = ["archived" if channel.is_archived else ""]
        facts.append("subscribed" if channel.is_subscribed else "")
        facts.append("private" if channel.invite_only else "web-public" if channel.is_web_public else "")
        facts.append("" if count is None else counted(count, "subscriber"))
        return ListRow(
            channel.channel_id,
            channel,
            channel.name,
            " · ".join(filter(None, facts)),
            names.about(channel) or "No description",
            names.channel_sign(channel),
            dim=channel.is_archived,
        )

    def open(self, item: Channel) -> None:
        self.dismiss(Narrow.channel(item.channel_id))

    def new(self) -> None:
        new_channel(self, lambda channel_id: self.dismiss(Narrow.channel(channel_id)))

    def question(self, item: Channel) -> Question | None:
        if item.is_archived:
            self.say("This channel is already archived.")
            return None
        step = steps.archiving(self.session, item)
        return None if self.refused(step.refusal) else step.question

    async def delete(self, item: Channel) -> None:
        await steps.archiving(self.session, item).work()

    def action_subscribe(self) -> None:
        if (channel := self.selected) is not None:
            self._take(steps.subscription(self.session, channel))

    def _take(self, step: steps.Step) -> None:
        if self.refused(step.refusal):
            return

        def act() -> None:
            self.work(step.work(), done=step.done)

        if step.question and not step.reversible:
            ask_first(self, step.question, act)
        else:
            act()

    def action_edit(self) -> None:
        if (channel := self.selected) is not None:
            edit_channel(self, channel)

    def action_permissions(self) -> None:
        if (channel := self.selected) is not None:
            self.app.push_screen(ChannelPermissionsScreen(self.session, channel))

    def action_own(self) -> None:
        if (channel := self.selected) is not None:
            edit_personal_settings(self, channel)

    def action_members(self) -> None:
        channel = self.selected
        if channel is None:
            return
        if not self.refused(
            permissions.archived_change_refusal(self.state, channel.channel_id, "subscribers")
        ):
            self.app.push_screen(ChannelMembersScreen(self.session, channel), self._go_on)

    def _go_on(self, result: object) -> None:
        if isinstance(result, Narrow):
            self.dismiss(result)

    def action_restore(self) -> None:
        channel = self.selected
        if channel is None or not channel.is_archived:
            self.say("This channel is not archived.")
        else:
            self._take(steps.archiving(self.session, channel))
