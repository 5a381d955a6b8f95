"""The conversations on the main screen: one, or two side by side if they fit; one of them is active. The second one is
saved for the next start.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from narrowcast.runtime.context import app_of
from narrowcast.screens.main.conversation_pane import ConversationPane
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.regular_files import regular
from narrowcast_api.storage.folders import account_folder_name

if TYPE_CHECKING:
    from textual.widget import Widget

    from narrowcast_api.sync.session import Session

__all__ = ["BESIDE_FROM", "SideBySide", "SideNote"]

BESIDE_FROM = 160
"""Minimum columns for two conversations."""
MIN_SHARE, MAX_SHARE, STEP = 30, 70, 5
"""Minimum and maximum width of the left conversation, and the step of a change, in percent."""
SIDE_FILE = "beside"
"""The file of a `SideNote`, in the account's folder."""


class SideNote(Struct, frozen=True):
    """What is saved for the next start: the narrow of the second conversation, its side, and the width of the left
    one.
    """

    narrow: str
    left: bool = False
    share: int = 50

    @classmethod
    def read(cls, path: Path) -> SideNote | None:
        """The note in a file; None if the file is missing or invalid."""
        try:
            note = msgspec.json.decode(regular(path).read_bytes(), type=cls)
            Narrow.load(note.narrow)
        except (OSError, ValueError):
            return None
        return msgspec.structs.replace(note, share=min(max(note.share, MIN_SHARE), MAX_SHARE))

    def write(self, path: Path) -> None:
        path.write_bytes(msgspec.json.encode(self))


class SideBySide:
    """Holds the conversations, from left to right; ``active`` is the one with the focus.

    ``make`` creates a conversation; ``changed`` is called when another one becomes active or their number changes.
    """

    def __init__(
        self, session: Session, make: Callable[[], ConversationPane], changed: Callable[[], None]
    ) -> None:
        self._session = session
        self._make = make
        self._changed = changed
        self._share = 50
        self._saved: SideNote | None = None
        self._is_read = False
        """Whether the note of the previous run was read: it must not be replaced before."""
        self._turn = asyncio.Lock()
        self.active = make()
        self.all = [self.active]

    @property
    def other(self) -> ConversationPane | None:
        """The conversation that is not active, if there are two."""
        return next((one for one in self.all if one is not self.active), None)

    def showing(self, narrow: Narrow) -> ConversationPane | None:
        """The other conversation, if it shows this narrow: no view is shown, or written to, in two places."""
        other = self.other
        return other if other is not None and other.narrow == narrow else None

    async def add(self, place: Widget, *, left: bool = False, share: int = 50) -> ConversationPane:
        """Mounts a second conversation into ``place`` beside the current one. It counts as one of them, and
        can be activated, only once it is fully mounted.
        """
        made = self._make()
        if left:
            await place.mount(made, before=self.active)
        else:
            await place.mount(made, after=self.active)
        self._share = share
        self.all = [made, self.active] if left else [self.active, made]
        self._lay_out()
        return made

    def enter(self, conversation: ConversationPane) -> None:
        """Makes ``conversation`` the active one."""
        if conversation is self.active or conversation not in self.all:
            return
        self.active = conversation
        if conversation.narrow is not None:
            self._session.view(conversation.narrow)  # marks it as the view used last
        self.save()
        self._changed()

    def close_other(self) -> bool:
        """Closes the conversation that is not active, and keeps its draft; False if there is none."""
        other = self.other
        if other is None:
            return False
        other.save_before_closing()
        self.all = [self.active]
        other.remove()
        self._lay_out()
        self.save()
        return True

    def swap(self) -> bool:
        """Swaps left and right; False if there is only one."""
        if self.other is None:
            return False
        first, second = self.all
        parent = first.parent
        if parent is not None:
            parent.move_child(first, after=second)  # type: ignore[attr-defined]
        self.all = [second, first]
        self._lay_out()
        self.save()
        return True

    def widen(self, by: int) -> bool:
        """Makes the active conversation wider by so many steps; narrower if ``by`` is negative."""
        if self.other is None:
            return False
        step = STEP * by * (1 if self.active is self.all[0] else -1)
        self._share = min(max(self._share + step, MIN_SHARE), MAX_SHARE)
        self._lay_out()
        self.save()
        return True

    def show_in(self, width: int) -> None:
        """On a screen of this width, show both conversations or only the active one."""
        two = len(self.all) == 2 and width >= BESIDE_FROM
        for one in self.all:
            one.display = two or one is self.active
            one.set_class(two, "-beside")
            one.set_class(two and one is self.all[0], "-left")

    async def read_note(self) -> SideNote | None:
        """The second conversation of the previous run; None if there was none."""
        self._saved = await asyncio.to_thread(SideNote.read, self._file())
        self._is_read = True
        return self._saved

    def save(self) -> None:
        """After a change of view, side or width: keep both views in sync, and save them for the next start."""
        other = self.other
        narrow = other.narrow if other is not None else None
        self._session.views.beside = narrow
        note = None
        if other is not None and narrow is not None:
            note = SideNote(narrow.dump(), left=other is self.all[0], share=self._share)
        if self._is_read and note != self._saved:
            self._saved = note
            app_of(self.active).spawn(self._write(self._file(), note), "save the second conversation")

    async def _write(self, file: Path, note: SideNote | None) -> None:
        """Writes the note in a thread, after earlier writes."""
        async with self._turn:
            with suppress(OSError):
                await asyncio.to_thread(note.write if note is not None else _remove, file)

    def _file(self) -> Path:
        account = self._session.account
        return app_of(self.active).paths.data / account_folder_name(account.site, account.email) / SIDE_FILE

    def _lay_out(self) -> None:
        two = len(self.all) == 2
        for place, one in enumerate(self.all):
            share = (self._share, 100 - self._share)[place] if two else 1
            one.styles.width = f"{share}fr"
        self._changed()


def _remove(file: Path) -> None:
    file.unlink(missing_ok=True)
