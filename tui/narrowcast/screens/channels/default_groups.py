"""Groups of channels that new users choose from: create, change, delete."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from narrowcast.screens.dialogs.confirm import Question
from narrowcast.screens.dialogs.form_fields import Field, LineField, Names, Text, Values
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.text import names
from narrowcast.widgets.empty import Empty
from narrowcast_api import permissions
from narrowcast_api.resources.default_channel_groups import DefaultChannelGroup
from narrowcast_api.state.changes import ChannelsChanged


class DefaultChannelGroupsScreen(ManageScreen[DefaultChannelGroup]):
    """Two lines per group: its name and description, then its channels."""

    TITLE_TEXT = "Channel groups for new users"
    KEYS = (("list.select", "edits"), ("manage.new", "creates"), ("manage.delete", "deletes"))
    EMPTY = Empty("No channel groups", "New users can choose a group of channels when they join.")
    LINES = 2
    FOLLOWS = (ChannelsChanged,)

    def refusal(self) -> str:
        return permissions.only_administrators(self.state, "manage channel groups for new users")

    def rows(self) -> Sequence[ListRow[DefaultChannelGroup]]:
        return [
            ListRow(
                group.id,
                group,
                group.name,
                group.description,
                ", ".join(self._names(group.channel_ids)) or "no channels",
            )
            for group in self.state.default_channel_groups
        ]

    def _names(self, channel_ids: Iterable[int]) -> list[str]:
        return [names.channel(self.state, channel_id) for channel_id in channel_ids]

    def new(self) -> None:
        if not self.refused():
            self._ask(None)

    def open(self, item: DefaultChannelGroup) -> None:
        if not self.refused():
            self._ask(item)

    def _ask(self, group: DefaultChannelGroup | None) -> None:
        async def submit(values: Values) -> object:
            chosen = values.ids("channels")
            groups = self.session.client.default_channel_groups
            if group is None:
                await groups.create(
                    name=values.text("name"),
                    description=values.text("description"),
                    channels=self._names(chosen),
                )
                return True
            if values.changed("name") or values.changed("description"):
                await groups.update(
                    group_id=group.id,
                    name=values.new_text("name"),
                    description=values.new_text("description"),
                )
            if added := [one for one in chosen if one not in present]:
                await groups.add(group_id=group.id, channels=self._names(added))
            if removed := [one for one in present if one not in chosen]:
                await groups.remove(group_id=group.id, channels=self._names(removed))
            return True

        present = group.channel_ids if group else ()
        known = {**dict(zip(present, self._names(present), strict=True)), **names.open_channels(self.state)}
        fields: list[Field] = [
            LineField("name", "Name", value=group.name if group else "", required=True, limit=60),
            Text("description", "Description", value=group.description if group else "", limit=1024, rows=2),
            Names("channels", "Channels", what="channel", known=known, value=present),
        ]
        title = f"Channel group {group.name}" if group else "Create channel group"
        self.form(title, fields, submit, done="Saved.")

    def question(self, item: DefaultChannelGroup) -> Question | None:
        if self.refused():
            return None
        return Question(
            f"Delete the channel group {item.name}?", "Delete channel group", "Its channels stay."
        )

    async def delete(self, item: DefaultChannelGroup) -> None:
        await self.session.client.default_channel_groups.delete(group_id=item.id)
