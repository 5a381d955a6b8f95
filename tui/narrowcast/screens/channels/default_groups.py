"""Groups of channels that newcomers choose from: make, change, remove."""

from __future__ import annotations

from collections.abc import Sequence

from narrowcast.screens.dialogs.form_fields import Field, LineField, Refused, Text, Values
from narrowcast.screens.dialogs.manage import ListRow, ManageScreen
from narrowcast.text import names
from narrowcast_api import permissions
from narrowcast_api.model.default_channel_groups import DefaultChannelGroup
from narrowcast_api.state.changes import ChannelsChanged


class DefaultChannelGroupsScreen(ManageScreen[DefaultChannelGroup]):
    """Two lines a group: its name and description, and its channels."""

    TITLE_TEXT = "Channel groups for new users"
    KEYS = (("list.select", "edits"), ("manage.new", "creates"), ("manage.delete", "deletes"))
    EMPTY = "No channel groups."
    LINES = 2
    FOLLOWS = (ChannelsChanged,)

    def refusal(self) -> str:
        return permissions.only_administrators(self.state, "manage channel groups for new users")

    def rows(self) -> Sequence[ListRow[DefaultChannelGroup]]:
        return [
            ListRow(group.id, group, group.name, group.description, self._channels(group) or "no channels")
            for group in self.state.default_channel_groups
        ]

    def _channels(self, group: DefaultChannelGroup) -> str:
        return ", ".join(names.channel(self.state, channel_id) for channel_id in group.channel_ids)

    def new(self) -> None:
        if not self.refused():
            self._ask(None)

    def open(self, item: DefaultChannelGroup) -> None:
        if not self.refused():
            self._ask(item)

    def _ask(self, group: DefaultChannelGroup | None) -> None:
        async def submit(values: Values) -> object:
            channels = self._named(values)
            groups = self.session.client.default_channel_groups
            if group is None:
                await groups.create(
                    name=values.text("name"), description=values.text("description"), channels=channels
                )
                return True
            if values.changed("name") or values.changed("description"):
                await groups.update(
                    group_id=group.id,
                    name=values.new_text("name"),
                    description=values.new_text("description"),
                )
            present = [names.channel(self.state, channel_id) for channel_id in group.channel_ids]
            if added := [name for name in channels if name not in present]:
                await groups.add(group_id=group.id, channels=added)
            if removed := [name for name in present if name not in channels]:
                await groups.remove(group_id=group.id, channels=removed)
            return True

        fields: list[Field] = [
            LineField("name", "Name", value=group.name if group else "", required=True, limit=60),
            Text("description", "Description", value=group.description if group else "", limit=1024, rows=2),
            Text("channels", "Channels", "One channel per line", value="", rows=5)
            if group is None
            else Text(
                "channels",
                "Channels",
                "One channel per line",
                value="\n".join(names.channel(self.state, one) for one in group.channel_ids),
                rows=5,
            ),
        ]
        title = f"Channel group {group.name}" if group else "Create channel group"
        self.form(title, fields, submit, done="Saved.")

    def _named(self, values: Values) -> list[str]:
        """The channels that were written, as they are called."""
        channels = []
        for line in values.text("channels").splitlines():
            name = line.strip().removeprefix("#")
            if not name:
                continue
            channel_id = self.state.channels.id_of(name)
            if channel_id is None:
                raise Refused("channels", f"There is no channel {name!r}.")
            channels.append(names.channel(self.state, channel_id))
        return list(dict.fromkeys(channels))

    def question(self, item: DefaultChannelGroup) -> tuple[str, str]:
        if self.refused():
            return "", ""
        return f"Delete the channel group {item.name}? Its channels stay.", "Delete channel group"

    async def drop(self, item: DefaultChannelGroup) -> None:
        await self.session.client.default_channel_groups.delete(group_id=item.id)
