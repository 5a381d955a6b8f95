"""Lists of one's own: muted people, words to hear of, uploaded files, views of the navigation."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType

from narrowcast import permits
from narrowcast.owner import app_of
from narrowcast.screens.form_fields import Field, Line, People, Refused, Values, YesNo
from narrowcast.screens.guarded import GuardedScreen
from narrowcast.screens.manage import Row
from narrowcast_api.levels import Beyond
from narrowcast_api.narrow import Narrow, Term
from narrowcast_api.state.changes import Change, SettingsChanged, UsersChanged
from narrowcast_api.state.tables import NavigationView

if TYPE_CHECKING:
    from narrowcast_api.session import Session
    from narrowcast_api.wire.organization import Attachment


class MutedPeopleScreen(GuardedScreen[int]):
    """Whose messages are hidden."""

    TITLE_TEXT = "Muted people"
    KEYS = "Enter card · n mutes somebody · x unmutes"
    EMPTY = "Nobody is muted."
    FOLLOWS = (UsersChanged,)

    def refusal(self) -> str:
        """Old servers cannot."""
        return permits.below(self.state, Beyond.MUTED_USERS)

    def rows(self) -> Sequence[Row[int]]:
        """Who, and since when."""
        return [
            Row(user_id, user_id, self.state.users.name(user_id), _day(since))
            for user_id, since in sorted(self.state.users.muted.items(), key=lambda pair: -pair[1])
        ]

    def open(self, item: int) -> None:
        """The card."""
        from narrowcast.screens.people.card import PersonScreen

        self.app.push_screen(PersonScreen(self.session, item))

    def new(self) -> None:
        """Mute people."""
        if self.refused():
            return

        async def mute(values: Values) -> object:
            for user_id in values.people("people"):
                if user_id not in self.state.users.muted:
                    await self.session.client.settings.mute_user(user_id=user_id)
            return True

        self.form("Mute people", [People("people", "People", required=True)], mute, verb="mutes")

    def question(self, item: int) -> tuple[str, str]:
        """Ask first."""
        return f"Show again what {self.state.users.name(item)} writes?", "Unmute"

    async def drop(self, item: int) -> None:
        """Unmute."""
        await self.session.client.settings.unmute_user(user_id=item)


class AlertWordsScreen(GuardedScreen[str]):
    """Words that count as a mention."""

    TITLE_TEXT = "Words to hear of"
    KEYS = "Enter searches for it · n new · x removes"
    EMPTY = "No words: n adds some."
    FOLLOWS = (SettingsChanged, UsersChanged)

    def rows(self) -> Sequence[Row[str]]:
        """The words."""
        return [Row(word, word, word) for word in sorted(self.state.users.alert_words, key=str.casefold)]

    def open(self, item: str) -> None:
        """What was said with it."""
        main = app_of(self).main_screen
        if main is not None:
            self.dismiss(None)
            main.go(Narrow((Term("search", item),)))

    def new(self) -> None:
        """Add words."""

        async def add(values: Values) -> object:
            words = [word.strip() for word in values.text("words").split(",") if word.strip()]
            return await self.session.client.settings.add_alert_words(words=words)

        field = Line("words", "Words", "Separated by commas", required=True)
        self.form("New words", [field], add, verb="adds them", done="Added.")

    def question(self, item: str) -> tuple[str, str]:
        """Ask first."""
        return f"Hear no more of {item!r}?", "Remove it"

    async def drop(self, item: str) -> None:
        """Remove it."""
        await self.session.client.settings.remove_alert_words(words=[item])


class UploadsScreen(GuardedScreen["Attachment"]):
    """The files that one has uploaded, newest first."""

    KEYS = "Enter fetches it · y copies a link · m its message · x deletes it from the server"
    EMPTY = "You have uploaded no files."
    LINES = 2
    FOLLOWS = (SettingsChanged,)
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "copy_link", "Copy the link", show=False),
        Binding("m", "message", "Its message", show=False),
    ]

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._files: list[Attachment] = []
        self._used: int | None = None

    def title_text(self) -> str:
        """With the space that all files of the organization take."""
        used = f", {size(self._used)} used in the organization" if self._used is not None else ""
        return "My files" + used

    async def load(self) -> None:
        """Ask the server."""
        answer = await self.session.client.uploads.list()
        self._files, self._used = list(answer.attachments), answer.upload_space_used

    def _on_changes(self, changes: Sequence[Change]) -> None:
        if any(isinstance(change, SettingsChanged) and "attachments" in change.names for change in changes):
            self.work(self.load())

    def rows(self) -> Sequence[Row[Attachment]]:
        """Name, size, day; where it is."""
        order = sorted(self._files, key=lambda file: -(file.create_time or 0))
        return [
            Row(
                file.id,
                file,
                file.name,
                f"{size(file.size)} · {_day((file.create_time or 0) / 1000)}",
                self._where(file),
            )
            for file in order
        ]

    def _where(self, file: Attachment) -> str:
        if not file.messages:
            return "in no message: nobody but you can open it"
        count = len(file.messages)
        return "in a message" if count == 1 else f"in {count} messages"

    def _url(self, file: Attachment) -> str:
        return f"/user_uploads/{file.path_id}"

    def open(self, item: Attachment) -> None:
        """Into the folder for downloads."""
        self.say("Fetching the file…")
        self.work(self._fetch(item))

    async def _fetch(self, item: Attachment) -> None:
        from platformdirs import user_downloads_path

        folder = user_downloads_path()
        folder.mkdir(parents=True, exist_ok=True)
        fetched = await self.session.client.uploads.download(url=self._url(item), folder=folder)
        self.say(f"Saved as {fetched.path}")

    def action_copy_link(self) -> None:
        """As Markdown, for a message."""
        from narrowcast_api.files.names import markdown_link

        if (file := self.selected) is not None:
            self.copy(markdown_link(file.name, self._url(file)), "the link, for a message")

    def action_message(self) -> None:
        """To the newest message with it."""
        file = self.selected
        main = app_of(self).main_screen
        if file is None or main is None:
            return
        if not file.messages:
            self.say("It is in no message.")
            return
        newest = max(message.id for message in file.messages)
        self.dismiss(None)
        main.go(Narrow((Term("id", newest),)), newest)

    def question(self, item: Attachment) -> tuple[str, str]:
        """Messages keep a link that leads nowhere."""
        return f"Delete {item.name} from the server? Links to it lead nowhere then.", "Delete it for ever"

    async def drop(self, item: Attachment) -> None:
        """Delete it."""
        await self.session.client.uploads.delete(attachment_id=item.id)
        await self.load()


class NavigationViewsScreen(GuardedScreen[NavigationView]):
    """Views that one has pinned in apps that follow the account."""

    TITLE_TEXT = "Pinned views (apps that follow the account)"
    KEYS = "Enter pins or unpins · n new · e name · x removes"
    EMPTY = "No views of your own."
    FOLLOWS = (SettingsChanged,)
    BINDINGS: ClassVar[list[BindingType]] = [Binding("e", "edit", "Name", show=False)]

    def rows(self) -> Sequence[Row[NavigationView]]:
        """Name, and where it leads."""
        return [
            Row(
                view.fragment,
                view,
                view.name or view.fragment,
                "pinned" if view.is_pinned else "",
                view.fragment,
            )
            for view in self.state.navigation_views
        ]

    def open(self, item: NavigationView) -> None:
        """The other way."""
        views = self.session.client.navigation_views
        self.work(views.update(fragment=item.fragment, is_pinned=not item.is_pinned), done="Saved.")

    def new(self) -> None:
        """Add one."""

        async def add(values: Values) -> object:
            fragment = values.text("fragment").lstrip("#")
            if not fragment:
                raise Refused("fragment", "The part after # of the view's address.")
            name = values.text("name")
            views = self.session.client.navigation_views
            if not name:
                return await views.add(fragment=fragment, is_pinned=values.flag("pinned"))
            return await views.add(fragment=fragment, is_pinned=values.flag("pinned"), name=name)

        fields: list[Field] = [
            Line(
                "fragment", "View", "After the # of its address: inbox, or narrow/is/starred", required=True
            ),
            Line("name", "Name", "Needed for views that are not built in"),
            YesNo("pinned", "Pinned", value=True),
        ]
        self.form("New view", fields, add, verb="adds it", done="Added.")

    def action_edit(self) -> None:
        """Another name."""
        view = self.selected
        if view is None:
            return

        async def rename(values: Values) -> object:
            views = self.session.client.navigation_views
            return await views.update(fragment=view.fragment, name=values.text("name"))

        field = Line("name", "Name", value=view.name or "", required=True)
        self.form(view.fragment, [field], rename, done="Saved.")

    def question(self, item: NavigationView) -> tuple[str, str]:
        """Ask first."""
        return f"Remove {item.name or item.fragment}?", "Remove it"

    async def drop(self, item: NavigationView) -> None:
        """Remove it."""
        await self.session.client.navigation_views.remove(fragment=item.fragment)


def size(count: int) -> str:
    """Bytes in a unit that is easy to read."""
    amount = float(count)
    for unit in ("B", "KiB", "MiB"):
        if amount < 1024:
            return f"{amount:.0f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GiB"


def _day(seconds: float) -> str:
    return time.strftime("%d %b %Y", time.localtime(seconds)) if seconds else ""


__all__ = [
    "AlertWordsScreen",
    "MutedPeopleScreen",
    "NavigationViewsScreen",
    "UploadsScreen",
    "size",
]
