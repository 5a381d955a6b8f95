"""The muted users."""

from __future__ import annotations

from collections.abc import Sequence

from narrowcast.screens.dialogs.confirm import Question
from narrowcast.screens.dialogs.form_fields import People, Values
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.screens.people.card import PersonScreen
from narrowcast.text import formats
from narrowcast.widgets.empty import Empty
from narrowcast_api import permissions
from narrowcast_api.state.changes import UsersChanged
from narrowcast_api.wire.levels import Gate


class MutedPeopleScreen(ManageScreen[int]):
    """The muted users, who can be unmuted here."""

    TITLE_TEXT = "Muted users"
    KEYS = (("list.select", "user card"), ("manage.new", "mutes"), ("manage.delete", "unmutes"))
    EMPTY = Empty("No muted users", "Messages of muted users are hidden.")
    FOLLOWS = (UsersChanged,)

    def refusal(self) -> str:
        return permissions.level_refusal(self.state, Gate.MUTED_USERS)

    def rows(self) -> Sequence[ListRow[int]]:
        return [
            ListRow(user_id, user_id, self.state.users.name(user_id), _day(since))
            for user_id, since in sorted(self.state.users.muted.items(), key=lambda pair: -pair[1])
        ]

    def open(self, item: int) -> None:
        self.app.push_screen(PersonScreen(self.session, item))

    def new(self) -> None:
        if self.refused():
            return

        async def mute(values: Values) -> object:
            for user_id in values.ids("people"):
                if user_id not in self.state.users.muted:
                    await self.session.client.settings.mute_user(user_id=user_id)
            return True

        self.form("Mute users", [People("people", "Users", required=True)], mute, verb="mutes")

    def question(self, item: int) -> Question:
        return Question(f"Unmute {self.state.users.name(item)}?", "Unmute")

    async def delete(self, item: int) -> None:
        await self.session.client.settings.unmute_user(user_id=item)


def _day(seconds: float) -> str:
    return formats.day(formats.local(seconds)) if seconds else ""
