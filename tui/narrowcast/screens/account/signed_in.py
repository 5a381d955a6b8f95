"""The accounts on this machine: switch to one, add one, log out, change their order."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from narrowcast.config.config import ConfigError
from narrowcast.keys.registry import Context, bindings_for
from narrowcast.runtime.context import ListedAccount, app_of
from narrowcast.screens.dialogs.confirm import Question
from narrowcast.screens.dialogs.manage import ManageScreen, moved
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.screens.main.choices import ChoiceTarget
from narrowcast.screens.start.login import LoginScreen
from narrowcast.text.formats import at_least
from narrowcast_api.account import Account, AccountError
from narrowcast_api.state.changes import ConnectionChanged, UnreadsChanged

if TYPE_CHECKING:
    from narrowcast_api.sync.session import Session

__all__ = ["SignedInScreen"]


class SignedInScreen(ManageScreen[Path]):
    """Two lines per account: its name with the unread count, then its user and organization."""

    TITLE_TEXT = "Accounts"
    LINES = 2
    KEYS = (
        ("list.select", "switches"),
        ("manage.new", "adds"),
        ("manage.delete", "logs out"),
        ("ordered.up", "moves up"),
        ("ordered.down", "moves down"),
    )
    FOLLOWS = (UnreadsChanged, ConnectionChanged)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.ORDERED)]

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._who: dict[Path, str] = {}

    async def load(self) -> None:
        """Reads the files of accounts that are not open for their user and organization."""
        files = [one.file for one in app_of(self).accounts.listed() if one.session is None]
        self._who = await asyncio.to_thread(_read, files)

    def rows(self) -> Sequence[ListRow[Path]]:
        return [self._row(one) for one in app_of(self).accounts.listed()]

    def _row(self, one: ListedAccount) -> ListRow[Path]:
        about, trouble = [], one.trouble
        if one.session is None:
            about = ["not open"]
        else:
            unreads = one.session.state.unreads
            unread, mentions = unreads.count_all(), unreads.count_mentions()
            about = [f"{at_least(unread, more=unreads.old_missing)} unread"] if unread else []
            about += [f"@{mentions}"] if mentions else []
        about += ["on screen"] if one.file == app_of(self).accounts.file else []
        who = self._who.get(one.file, "") if one.session is None else _about(one.session.account)
        note = trouble or who
        return ListRow(one.file, one.file, one.name, " · ".join(about), note, one.mark, warn=bool(trouble))

    def open(self, item: Path) -> None:
        self.dismiss(None if item == app_of(self).accounts.file else ChoiceTarget(account=item))

    def new(self) -> None:
        self.dismiss(LoginScreen())

    def question(self, item: Path) -> Question:
        return Question(f"Log out of {item.stem}?", "Log out", "Its API key is removed from this machine.")

    async def delete(self, item: Path) -> None:
        context = app_of(self)
        if item == context.accounts.file:
            self.dismiss(None)
        await context.accounts.sign_out(item)

    def action_shift(self, by: int) -> None:
        """Moves the selected account up or down in the list."""
        if (item := self.selected) is not None:
            self.work(self._shift(item, by))

    async def _shift(self, item: Path, by: int) -> None:
        def names() -> list[str]:
            order: list[Hashable] = [row.key for row in self.rows()]
            return [file.stem for file in moved(order, item, by) or order if isinstance(file, Path)]

        try:
            await app_of(self).change_config("accounts.order", names)
        except ConfigError as error:
            self.say(error.problems[0], bad=True)


def _about(account: Account) -> str:
    return f"{account.email} · {account.site}"


def _read(files: Iterable[Path]) -> dict[Path, str]:
    """The user and organization of each account file, or the problem with the file."""
    about: dict[Path, str] = {}
    for file in files:
        try:
            about[file] = _about(Account.from_zuliprc(file))
        except AccountError as error:
            about[file] = str(error)
    return about
