"""Restores the draft and the second conversation that were open when the app ended."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from narrowcast.app.context import app_of
from narrowcast.app.waiting import until
from narrowcast.commands.hints import keys_of, with_keys
from narrowcast.panes.compose.edits import DELETED_MEANWHILE, destination_of, to_draft
from narrowcast.panes.compose.note import ComposeNote
from narrowcast.screens.main.side_by_side import BESIDE_FROM, SideNote
from narrowcast.text import names
from narrowcast_api.errors import BadRequest, NarrowcastError
from narrowcast_api.events.status import ConnectionKind
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.storage.folders import account_folder_name

if TYPE_CHECKING:
    from narrowcast.commands.workspace import Workspace
    from narrowcast_api.storage.records import Edit

T = TypeVar("T")

SIDE_FILE = "beside"


class Unfinished:
    """Saves which draft is in compose, and the second conversation, for the next start."""

    def __init__(self, screen: Workspace) -> None:
        self._screen = screen
        self._side: SideNote | None = None
        self._side_known = False
        self._turn = asyncio.Lock()

    def _folder(self) -> Path:
        account = self._screen.session.account
        return app_of(self._screen.navigation).paths.data / account_folder_name(account.site, account.email)

    @property
    def note(self) -> ComposeNote:
        """The note file of the account."""
        return ComposeNote(self._folder() / "compose")

    async def restore_side(self) -> None:
        """Open the second conversation of the previous run."""
        screen = self._screen
        note = await asyncio.to_thread(SideNote.read, self._folder() / SIDE_FILE)
        self._side, self._side_known = note, True
        if note is None or screen.side.other is not None or screen.size.width < BESIDE_FROM:
            return
        screen.open_beside(Narrow.load(note.narrow), left=note.left, share=note.share, keys=False)

    def save_side(self, note: SideNote | None) -> None:
        """Save the second conversation; ignored until the one of the previous run has been read."""
        if self._side_known and note != self._side:
            self._side = note
            self._screen.spawn(self._in_turn(self._write_side, note), "save the second conversation")

    def _write_side(self, note: SideNote | None) -> None:
        path = self._folder() / SIDE_FILE
        with contextlib.suppress(OSError):
            if note is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(msgspec.json.encode(note))

    async def restore(self) -> None:
        """Restore the draft of the previous run if the open view is its place, else show a notice that names its
        place.
        """
        screen = self._screen
        draft_id = await asyncio.to_thread(self.note.read)
        draft = screen.session.drafts.get(draft_id) if draft_id else None
        if draft is not None and not screen.writing.is_busy:
            here = screen.narrow.new_message_destination if screen.narrow is not None else None
            if here is None or (draft.destination is not None and here.key == draft.destination.key):
                screen.writing.begin.show_draft(draft.draft_id)
            else:
                whom = "no recipients yet"
                if draft.destination is not None:
                    whom = names.destination(screen.session.state, draft.destination)
                lists = with_keys(keys_of(screen.writing), "<go.drafts> lists drafts.")
                screen.tell(f"You have a draft for {whom}: {lists}")
        if edits := screen.session.edits.take_over():
            screen.spawn(self._tell_of_edits(edits), "check unsaved edits")
        screen.writing.draft.id_changed = self._write

    async def _tell_of_edits(self, edits: Sequence[Edit]) -> None:
        """Show a notice for each unsaved edit, unless the server has it: its request may have been under way when
        the app ended. That of a deleted message becomes a draft.
        """
        screen, session = self._screen, self._screen.session
        await until(session, lambda: session.status.kind is not ConnectionKind.CONNECTING)
        for edit in edits:
            source = await self._source_of(edit)
            if session.edits.get(edit.message_id) is not edit:
                continue  # it was continued or saved meanwhile
            if source is not None and source.strip() == edit.content.strip():
                session.edits.forget(edit.message_id)
                continue
            if source is None:
                to_draft(edit, session)
                screen.tell(DELETED_MEANWHILE)
                continue
            where = destination_of(edit.message_id, session) or edit.destination
            place = f" in {names.destination(session.state, where)}" if where is not None else ""
            screen.tell(
                f"You have an unsaved edit of a message{place}. It is restored when you edit it again."
            )

    async def _source_of(self, edit: Edit) -> str | None:
        """The source of the edited message: the original one if it cannot be fetched, None if there is no such
        message.
        """
        try:
            return await self._screen.messages.parts.clipboard.source_of(edit.message_id)
        except BadRequest:
            return None
        except NarrowcastError:
            return edit.original

    def _write(self, draft_id: str | None) -> None:
        self._screen.spawn(self._in_turn(self.note.write, draft_id), "save which draft is open")

    async def _in_turn(self, write: Callable[[T], None], value: T) -> None:
        """Write ``value`` in a thread, after earlier writes."""
        async with self._turn:
            await asyncio.to_thread(write, value)
