"""The subscribers of a channel: add and remove them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from narrowcast.screens.dialogs.asking import ask
from narrowcast.screens.dialogs.confirm import Question
from narrowcast.screens.dialogs.form_fields import People, UnusableValue, Values
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.text import names
from narrowcast.text.presence import of_person
from narrowcast.widgets.empty import Empty
from narrowcast_api import permissions
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.state.changes import Change, ChannelsChanged, PresenceChanged, StateReplaced, UsersChanged

if TYPE_CHECKING:
    from narrowcast_api.model.channels import Channel
    from narrowcast_api.sync.session import Session


class ChannelMembersScreen(ManageScreen[int]):
    KEYS = (
        ("list.select", "sends a direct message"),
        ("manage.new", "adds subscribers"),
        ("manage.delete", "unsubscribes"),
    )
    EMPTY = Empty("No subscribers", "Nobody is subscribed to this channel.")
    FOLLOWS = (ChannelsChanged, UsersChanged, PresenceChanged)

    def __init__(self, session: Session, channel: Channel) -> None:
        super().__init__(session)
        self._channel_id = channel.channel_id
        self._ids: list[int] = []

    @property
    def _channel_name(self) -> str:
        """The current name: the server would create a channel for an old one."""
        return names.channel(self.state, self._channel_id)

    def title_text(self) -> str:
        return f"Subscribers of #{self._channel_name}"

    async def load(self) -> None:
        self._ids = await self.session.client.subscriptions.members(channel_id=self._channel_id)

    def _on_changes(self, changes: Sequence[Change]) -> None:
        for change in changes:
            if isinstance(change, StateReplaced) or (
                isinstance(change, ChannelsChanged) and self._channel_id in change.ids
            ):
                self.work(self.reload())
                return

    def rows(self) -> Sequence[ListRow[int]]:
        users, now = self.state.users, time.time()
        rows = []
        for user_id in sorted(self._ids, key=lambda one: users.name(one).casefold()):
            user = users.get(user_id)
            role = "" if user is None else "bot" if user.is_bot else permissions.role_name(user.role)
            you = " (you)" if user_id == self.state.me else ""
            email = "" if user is None else user.shown_email
            presence = of_person(self.state, user_id, now)
            rows.append(
                ListRow(
                    user_id,
                    user_id,
                    users.name(user_id) + you,
                    f"{email}  {role}",
                    mark=presence.mark,
                    dim=presence.is_grey,
                )
            )
        return rows

    def open(self, item: int) -> None:
        self.dismiss(Narrow.direct(frozenset({item}) - {self.state.me}))

    def new(self) -> None:
        async def submit(values: Values) -> None:
            missing = [one for one in values.ids("people") if one not in self._ids]
            if not missing:
                raise UnusableValue("people", "Already subscribed.")
            added = await self.session.client.subscriptions.add(
                channels=[self._channel_name], principals=missing
            )
            if added.unauthorized:
                raise UnusableValue(
                    "people", f"You do not have permission to add subscribers to #{self._channel_name}."
                )
            await self.reload()
            self.refresh_rows()

        fields = [People("people", "Users", "Separated by commas", required=True)]
        ask(
            self,
            f"Add subscribers to #{self._channel_name}",
            fields,
            submit,
            verb="adds",
            done="Added.",
        )

    def question(self, item: int) -> Question:
        name = self.state.users.name(item)
        return Question(f"Unsubscribe {name} from #{self._channel_name}?", "Unsubscribe")

    async def delete(self, item: int) -> None:
        await self.session.client.subscriptions.remove(channels=[self._channel_name], principals=[item])
        await self.reload()
