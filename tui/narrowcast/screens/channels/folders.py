"""The folders that group channels: create, rename, reorder, archive."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType

from narrowcast.keys.registry import Context, bindings_for
from narrowcast.screens.dialogs.asking import ask
from narrowcast.screens.dialogs.confirm import Question
from narrowcast.screens.dialogs.form_fields import LineField, Text, Values
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.text import names
from narrowcast.text.formats import counted
from narrowcast.widgets.empty import Empty
from narrowcast_api import permissions
from narrowcast_api.resources.channel_folders import ChannelFolder
from narrowcast_api.state.changes import ChannelsChanged


class FoldersScreen(ManageScreen[ChannelFolder]):
    TITLE_TEXT = "Channel folders"
    KEYS = (
        ("list.select", "edits"),
        ("manage.new", "creates"),
        ("ordered.up", "moves up"),
        ("ordered.down", "moves down"),
        ("manage.delete", "archives"),
        ("folders.restore", "unarchives"),
    )
    EMPTY = Empty(
        "No channel folders", "A folder is a section of the channel list; channel settings choose it."
    )
    LINES = 2
    FOLLOWS = (ChannelsChanged,)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.ORDERED, Context.FOLDERS)]

    def _folders(self) -> list[ChannelFolder]:
        folders = self.state.channels.folders
        return sorted(folders, key=lambda folder: (folder.is_archived, folder.order, folder.id))

    def rows(self) -> Sequence[ListRow[ChannelFolder]]:
        rows = []
        for folder in self._folders():
            inside = sum(channel.folder_id == folder.id for channel in self.state.channels)
            about = counted(inside, "channel")
            detail = "archived" if folder.is_archived else about
            rows.append(
                ListRow(
                    folder.id,
                    folder,
                    folder.name,
                    detail,
                    names.about(folder) or "No description",
                    dim=folder.is_archived,
                )
            )
        return rows

    def _refused(self) -> bool:
        problem = permissions.only_administrators(self.state, "manage channel folders")
        if problem:
            self.say(problem, bad=True)
        return bool(problem)

    def new(self) -> None:
        if not self._refused():
            self._ask(None)

    def open(self, item: ChannelFolder) -> None:
        if not self._refused():
            self._ask(item)

    def _ask(self, folder: ChannelFolder | None) -> None:
        async def submit(values: Values) -> None:
            folders = self.session.client.channel_folders
            if folder is None:
                await folders.create(name=values.text("name"), description=values.text("description"))
            elif values.changed("name") or values.changed("description"):
                await folders.update(
                    channel_folder_id=folder.id,
                    name=values.new_text("name"),
                    description=values.new_text("description"),
                )

        limits = self.state.limits
        fields = [
            LineField(
                "name",
                "Name",
                value=folder.name if folder else "",
                required=True,
                limit=limits.max_folder_name_length,
            ),
            Text(
                "description",
                "Description",
                value=folder.description if folder else "",
                limit=limits.max_folder_description_length,
                rows=3,
            ),
        ]
        ask(self, f"Folder {folder.name}" if folder else "Create channel folder", fields, submit)

    def question(self, item: ChannelFolder) -> Question | None:
        if self._refused() or item.is_archived:
            return None
        return Question(f"Archive the channel folder {item.name}?", "Archive folder", "Its channels stay.")

    async def delete(self, item: ChannelFolder) -> None:
        await self.session.client.channel_folders.update(channel_folder_id=item.id, is_archived=True)

    def action_restore(self) -> None:
        folder = self.selected
        if folder is not None and folder.is_archived and not self._refused():
            update = self.session.client.channel_folders.update
            self.work(update(channel_folder_id=folder.id, is_archived=False))

    def action_shift(self, by: int) -> None:
        order = [folder.id for folder in self._folders() if not folder.is_archived]
        folder = self.selected
        if folder is None or folder.is_archived or self._refused():
            return
        place = order.index(folder.id)
        other = place + by
        if 0 <= other < len(order):
            order[place], order[other] = order[other], order[place]
            rest = [one.id for one in self._folders() if one.is_archived]
            self.work(self.session.client.channel_folders.reorder(order=[*order, *rest]))
