"""Restores the drafts and the second conversation that were open when the app ended."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from narrowcast.keys.hints import keys_of, with_keys
from narrowcast.panes.compose.drafts import DELETED_MEANWHILE, ComposeNote, destination_of, to_draft
from narrowcast.runtime.background import until
from narrowcast.runtime.context import app_of
from narrowcast.screens.main.side_by_side import BESIDE_FROM
from narrowcast.text import names
from narrowcast_api.errors import BadRequest, NarrowcastError
from narrowcast_api.events.status import ConnectionKind
from narrowcast_api.narrow.destinations import same_conversation
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.storage.folders import account_folder_name

if TYPE_CHECKING:
    from narrowcast.screens.workspace import Workspace
    from narrowcast_api.narrow.destinations import Destination
    from narrowcast_api.storage.records import Draft, Edit


class RestoredCompose:
    """Restores what was open, and saves which drafts are in compose for the next start."""

    def __init__(self, screen: Workspace) -> None:
        self._screen = screen
        self._beside: Destination | None = None
        """Where a message from the second conversation of the previous run goes."""
        self._drafts: list[str] | None = None
        self._turn = asyncio.Lock()

    @property
    def note(self) -> ComposeNote:
        """The account's note of the drafts in compose."""
        account = self._screen.session.account
        folder = app_of(self._screen.navigation).paths.data / account_folder_name(account.site, account.email)
        return ComposeNote(folder / "compose")

    async def restore_side(self) -> None:
        """Opens the second conversation of the previous run."""
        screen = self._screen
        note = await screen.side.read_note()
        if note is None or screen.side.other is not None or screen.size.width < BESIDE_FROM:
            return
        narrow = Narrow.load(note.narrow)
        self._beside = narrow.new_message_destination
        screen.open_beside(narrow, left=note.left, share=note.share, keys=False)

    async def restore(self) -> None:
        """Restores the drafts of the previous run: the one for the open view is shown there, notices name the
        places of others.
        """
        screen = self._screen
        for draft_id in await asyncio.to_thread(self.note.read):
            if (draft := screen.session.drafts.get(draft_id)) is not None:
                self._restore_draft(draft)
        if edits := screen.session.edits.take_over():
            screen.spawn(self._tell_of_edits(edits), "check unsaved edits")
        self._drafts = self._drafts_here()
        self.note_drafts()

    def _restore_draft(self, draft: Draft) -> None:
        screen = self._screen
        is_shown = any(draft.draft_id == one.writing.draft.id for one in screen.side.all)
        if is_shown or same_conversation(draft.destination, self._beside):
            return
        here = screen.narrow.new_message_destination if screen.narrow is not None else None
        is_place = here is None or same_conversation(here, draft.destination)
        if is_place and not screen.writing.is_in_use:
            screen.writing.begin.show_draft(draft.draft_id)
            return
        whom = "no recipients yet"
        if draft.destination is not None:
            whom = names.destination(screen.session.state, draft.destination)
        lists = with_keys(keys_of(screen.writing), "<go.drafts> lists drafts.")
        screen.tell(f"You have a draft for {whom}: {lists}")

    def _drafts_here(self) -> list[str]:
        """The drafts in compose, from left to right."""
        return [draft_id for one in self._screen.side.all if (draft_id := one.writing.draft.id) is not None]

    def note_drafts(self) -> None:
        """Saves which drafts are in compose, and does so whenever another one is; ignored until those of the
        previous run have been read.
        """
        if self._drafts is None:
            return
        for one in self._screen.side.all:
            one.writing.draft.id_changed = self.note_drafts
        if (now := self._drafts_here()) != self._drafts:
            self._drafts = now
            self._screen.spawn(self._write(self.note, now), "save which drafts are open")

    async def _tell_of_edits(self, edits: Sequence[Edit]) -> None:
        """Shows a notice for each unsaved edit, unless the server has it: its request may have been under way
        when the app ended. That of a deleted message becomes a draft.
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

    async def _write(self, note: ComposeNote, drafts: Sequence[str]) -> None:
        """Writes which drafts are in compose in a thread, after earlier writes."""
        async with self._turn:
            await asyncio.to_thread(note.write, drafts)
