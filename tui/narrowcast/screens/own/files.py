"""The user's uploaded files: the messages that use them, their size; delete them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType

from narrowcast.keys.registry import Context, bindings_for
from narrowcast.screens.dialogs.confirm import Question
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.screens.main.choices import go_to_message
from narrowcast.text import formats
from narrowcast.widgets.empty import Empty
from narrowcast_api.resources.attachments import Attachment
from narrowcast_api.state.changes import SettingsChanged


class FilesScreen(ManageScreen[Attachment]):
    TITLE_TEXT = "Uploaded files"
    KEYS = (
        ("list.select", "goes to the message"),
        ("files.copy", "copies the link"),
        ("manage.delete", "deletes"),
    )
    EMPTY = Empty("No files", "Files that you upload are listed here.")
    LINES = 2
    FOLLOWS = (SettingsChanged,)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.FILES)]

    async def load(self) -> None:
        response = await self.session.client.uploads.list()
        self.state.attachments.replace(response.attachments)

    def rows(self) -> Sequence[ListRow[Attachment]]:
        attachments = sorted(self.state.attachments.all(), key=lambda one: -one.id)
        return [self._row(one) for one in attachments]

    def _row(self, one: Attachment) -> ListRow[Attachment]:
        when = formats.day(formats.local(one.created / 1000))
        uses = len(one.message_ids)
        note = "not used in any message" if not uses else f"used in {formats.counted(uses, 'message')}"
        return ListRow(one.id, one, one.name, f"{formats.size(one.size)}  {when}", note, mark="▤")

    def open(self, item: Attachment) -> None:
        if item.message_ids:
            self.work(go_to_message(self, max(item.message_ids)))
        else:
            self.say("No message contains this file.")

    def action_copy(self) -> None:
        if (item := self.selected) is not None:
            self.copy(f"[{item.name}](/user_uploads/{item.path_id})")

    def question(self, item: Attachment) -> Question:
        return Question(f"Delete {item.name}?", "Delete file", "Links to it in messages will stop working.")

    async def delete(self, item: Attachment) -> None:
        await self.session.client.uploads.delete(attachment_id=item.id)
        self.state.attachments.remove(item.id)
