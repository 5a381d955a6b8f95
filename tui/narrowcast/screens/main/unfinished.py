"""What was being written when the app ended, taken up at the next start."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from narrowcast.app.context import app_of
from narrowcast.commands.hints import keys_of, with_keys
from narrowcast.panes.compose.note import ComposeNote
from narrowcast.text import names
from narrowcast_api.storage.folders import account_folder_name

if TYPE_CHECKING:
    from narrowcast.commands.workspace import Workspace


class Unfinished:
    """Notes which draft stands in compose, for the next start."""

    def __init__(self, screen: Workspace) -> None:
        self._screen = screen

    @property
    def note(self) -> ComposeNote:
        """The account's own file."""
        account = self._screen.session.account
        name = account_folder_name(account.site, account.email)
        return ComposeNote(app_of(self._screen.writing).paths.data / name / "compose")

    async def take_up(self) -> None:
        """Show the draft of last time if the open view is the place for it, else say where it is."""
        screen = self._screen
        draft_id = await asyncio.to_thread(self.note.read)
        draft = screen.session.drafts.get(draft_id) if draft_id else None
        if draft is not None and not screen.writing.is_busy:
            here = screen.narrow.written_to if screen.narrow is not None else None
            if here is None or (draft.destination is not None and here.key == draft.destination.key):
                screen.writing.begin.take_up(draft.draft_id)
            else:
                whom = "no recipients yet"
                if draft.destination is not None:
                    whom = names.destination(screen.session.state, draft.destination)
                lists = with_keys(keys_of(screen.writing), "<go.drafts> lists drafts.")
                screen.tell(f"You have a draft for {whom}: {lists}")
        screen.writing.draft.noted = self._write

    def _write(self, draft_id: str | None) -> None:
        self._screen.spawn(asyncio.to_thread(self.note.write, draft_id), "note what is being written")
