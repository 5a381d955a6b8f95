"""The organization's custom emoji: view one, add one from an image file, deactivate one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from narrowcast.content.inlines import Target, TargetKind
from narrowcast.screens.dialogs.confirm import Question
from narrowcast.screens.dialogs.form_fields import LineField, UnusableValue, Values
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.screens.messages.picture import PictureScreen
from narrowcast.screens.messages.picture_file import picture_question, read_picture
from narrowcast.widgets.empty import Empty
from narrowcast_api import permissions
from narrowcast_api.resources.custom_emoji import CustomEmoji
from narrowcast_api.state.changes import CustomEmojiChanged


class EmojiScreen(ManageScreen[CustomEmoji]):
    """Lists the active emoji; deactivated ones only appear in old messages."""

    TITLE_TEXT = "Custom emoji"
    KEYS = (("list.select", "shows"), ("manage.new", "adds"), ("manage.delete", "deactivates"))
    EMPTY = Empty("No custom emoji", "Pictures added here can be used as emoji and reactions.")
    FOLLOWS = (CustomEmojiChanged,)

    def refusal(self) -> str:
        return permissions.only_holders(self.state, "can_add_custom_emoji_group", "add custom emoji")

    def rows(self) -> Sequence[ListRow[CustomEmoji]]:
        users = self.state.users
        used = [emoji for emoji in self.state.custom_emoji if not emoji.deactivated]
        return [
            ListRow(
                emoji.code,
                emoji,
                f":{emoji.name}:",
                f"added by {users.name(emoji.author_id)}" if emoji.author_id is not None else "",
            )
            for emoji in sorted(used, key=lambda emoji: emoji.name)
        ]

    def open(self, item: CustomEmoji) -> None:
        target = Target(TargetKind.MEDIA, item.source_url, f":{item.name}:", src=item.source_url)
        self.app.push_screen(PictureScreen(self.session, [target]))

    def new(self) -> None:
        if not self.refused():
            most = self.state.limits.max_file_upload_size_mib
            self.app.push_screen(picture_question("Image for the new emoji", most), self._ask_name)

    def _ask_name(self, path: str | None) -> None:
        if not path:
            return

        async def upload(values: Values) -> object:
            name = values.text("name").strip(":").lower()
            if any(emoji.name == name and not emoji.deactivated for emoji in self.state.custom_emoji):
                raise UnusableValue("name", f"A custom emoji with this name already exists: :{name}:")
            data, file_name, kind = await read_picture(path, self.state.limits.max_file_upload_size_mib)
            return await self.session.client.custom_emoji.upload(
                emoji_name=name, image=data, file_name=file_name, content_type=kind
            )

        stem = re.sub(r"[^a-z0-9]+", "_", Path(path).stem.lower()).strip("_")
        field = LineField(
            "name", "Name", "Lowercase letters, digits, _ and -", value=stem, required=True, limit=50
        )
        self.form("Add custom emoji", [field], upload, verb="adds", note=path, done="Added.")

    def question(self, item: CustomEmoji) -> Question | None:
        refusal = "" if item.author_id == self.state.me else self._others_refusal()
        if self.refused(refusal):
            return None
        return Question(f"Deactivate :{item.name}:?", "Deactivate emoji")

    def _others_refusal(self) -> str:
        return permissions.only_administrators(self.state, "deactivate emoji of other users")

    async def delete(self, item: CustomEmoji) -> None:
        await self.session.client.custom_emoji.deactivate(emoji_name=item.name)
