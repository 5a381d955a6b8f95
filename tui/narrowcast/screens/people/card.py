"""A user's card: facts about them, and actions."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.binding import BindingType

from narrowcast.commands import writing
from narrowcast.content.inlines import Target, TargetKind
from narrowcast.keys.registry import Context, bindings_for
from narrowcast.runtime.context import app_of
from narrowcast.screens.dialogs.late import RequestOrigin
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.screens.dialogs.picker import Choice, Picker
from narrowcast.screens.messages.picture import PictureScreen
from narrowcast.screens.people.about import facts
from narrowcast.screens.people.administration import Administration, offers
from narrowcast.screens.people.profile import profile_form
from narrowcast.screens.workspace import Workspace, workspace_of
from narrowcast.text.safe_text import safe_line
from narrowcast.widgets.empty import Empty
from narrowcast_api import permissions
from narrowcast_api.narrow.narrow import Narrow, Term
from narrowcast_api.state.changes import (
    PresenceChanged,
    ProfileFieldsChanged,
    UserGroupsChanged,
    UsersChanged,
)
from narrowcast_api.wire.levels import Gate

if TYPE_CHECKING:
    from narrowcast_api.model.users import User
    from narrowcast_api.sync.session import Session

LABELS = (14, 24)
"""Minimum and maximum width of the label column."""
TEXT = 56
"""Maximum width of a text before it continues in the next row."""
AT_ONCE = 4
"""Maximum number of concurrent requests, and of channels checked, when looking for shared channels."""
CHANNELS = 60
MANAGE = "manage"
"""The row that leads to the changes that the current user may make."""


class PersonScreen(ManageScreen[str]):
    """Facts as rows; Enter copies one. The first row leads to administrative actions, if any are allowed."""

    KEYS = (
        ("person.write", "direct message"),
        ("person.mention", "mentions"),
        ("person.sent", "messages sent"),
        ("person.channels", "shared channels"),
        ("person.mute", "mutes"),
        ("person.picture", "picture"),
        ("person.manage", "manages"),
    )
    EMPTY = Empty("Unknown user", "The server does not show this user.")
    COUNTS = False
    FOLLOWS = (UsersChanged, PresenceChanged, UserGroupsChanged, ProfileFieldsChanged)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.PERSON)]

    def __init__(self, session: Session, user_id: int, fetched: User | None = None) -> None:
        """``fetched``: the user as fetched from the server, if the state does not have them."""
        super().__init__(session)
        self.user_id = user_id
        self._fetched = fetched
        self._shared: str = ""

    @property
    def user(self) -> User | None:
        """The user in the current state."""
        return self.state.users.get(self.user_id) or self._fetched

    def title_text(self) -> str:
        name = self.user.full_name if self.user is not None else self.state.users.name(self.user_id)
        return name + (" (you)" if self.user_id == self.state.me else "")

    def rows(self) -> Sequence[ListRow[str]]:
        user = self.user
        if user is None:
            return []
        about = [(safe_line(label), text) for label, text in facts(self.state, user, time.time())]
        if self._shared:
            about.append((safe_line("Channels"), self._shared))
        least, most = LABELS
        width = max(least, *(cells for label, _ in about if (cells := cell_len(label)) <= most))
        found = []
        if user.user_id != self.state.me and not permissions.may_administer(self.state, user):
            found.append(ListRow(MANAGE, MANAGE, "Manage this user …"))
        for place, (label, text) in enumerate(about):
            lines = wrap(text[:2000], TEXT) or [""]
            for number, line in enumerate(lines):
                head = label if number == 0 else ""
                pad = " " * (width - cell_len(head))
                found.append(ListRow((place, number), text, f"{head}{pad} {line}"))
        return found

    def open(self, item: str) -> None:
        if item == MANAGE:
            self.action_more()
        else:
            self.copy(item)

    # actions with the user

    def _to_main(self) -> Workspace | None:
        """Closes this card and all dialogs below it, down to the messages."""
        main, main_screen = workspace_of(self), app_of(self).accounts.screen
        while main is not None and self.app.screen is not main_screen and len(self.app.screen_stack) > 1:
            self.app.pop_screen()
        return main

    def _go(self, narrow: Narrow) -> None:
        """Closes the card and shows a view."""
        if (main := self._to_main()) is not None:
            main.go(narrow)

    def action_write(self) -> None:
        if (main := self._to_main()) is not None:
            main.go(Narrow.direct(frozenset({self.user_id}) - {self.state.me}))

    def action_sent(self) -> None:
        if (main := self._to_main()) is not None:
            main.go(Narrow((Term("sender", self.user_id),)))

    def action_mention(self) -> None:
        user = self.user
        if user is None or (main := self._to_main()) is None:
            return
        writing.begin_text(main)
        main.writing.begin.insert(f"@**{user.full_name}|{user.user_id}** ")

    def action_mute(self) -> None:
        if self.user_id == self.state.me:
            self.say("You cannot mute yourself.", bad=True)
            return
        if self.refused(permissions.level_refusal(self.state, Gate.MUTED_USERS)):
            return
        settings = self.session.client.settings
        if self.user_id in self.state.users.muted:
            self.work(settings.unmute_user(user_id=self.user_id), done="Unmuted.")
        else:
            self.work(settings.mute_user(user_id=self.user_id), done="Muted. Their messages will be hidden.")

    def action_channels(self) -> None:
        """Finds the channels to which both users are subscribed, with one request per channel."""
        self.say("Loading channels…")
        self.work(self._find_shared())

    async def _find_shared(self) -> None:
        turn = asyncio.Semaphore(AT_ONCE)
        is_subscribed = self.session.client.subscriptions.is_subscribed
        own = self.state.channels.subscribed()

        async def shares(channel_id: int) -> bool:
            async with turn:
                return await is_subscribed(user_id=self.user_id, channel_id=channel_id)

        asked = own[:CHANNELS]
        found = await asyncio.gather(*(shares(channel.channel_id) for channel in asked))
        names = [f"#{channel.name}" for channel, shared in zip(asked, found, strict=True) if shared]
        rest = f" (of your first {CHANNELS})" if len(own) > CHANNELS else ""
        self._shared = (", ".join(names) or "no shared channels") + rest
        self.show_keys()

    def action_picture(self) -> None:
        self.work(self._show_picture())

    async def _show_picture(self) -> None:
        attention = RequestOrigin(self)
        user = await self.session.client.users.get(user_id=self.user_id, client_gravatar=False)
        address = user.avatar.url if user.avatar is not None else None
        if not address:
            self.say("This user has no profile picture.")
            return
        target = Target(TargetKind.MEDIA, address, user.full_name, src=address)
        attention.open(
            PictureScreen(self.session, [target]),
            what="The profile picture",
            again="<person.picture> opens it.",
        )

    # changes to the user

    def action_edit(self) -> None:
        """Edits the current user's own profile, or manages another user's account."""
        user = self.user
        if user is None:
            return
        if user.user_id == self.state.me:
            self.app.push_screen(profile_form(self.session), lambda _: self.refresh_rows())
        else:
            self.action_more()

    def action_more(self) -> None:
        """Lists the possible changes, with the reason for those that are not allowed."""
        user = self.user
        if user is None:
            return
        administration = Administration(self, user, self._go)
        choices = [
            Choice(offer.name, offer.title, offer.refusal.short or offer.detail)
            for offer in offers(self.state, user)
        ]
        refusals = {offer.name: offer.refusal for offer in offers(self.state, user)}

        def chosen(name: str | None) -> None:
            if name is not None and not self.refused(refusals[name]):
                administration.start(name)

        self.app.push_screen(Picker(f"Manage {user.full_name}", choices), chosen)
