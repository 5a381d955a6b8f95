"""The main screen: what reading, writing and the lists ask of each other."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from textual import events, on

from narrowcast.app.context import app_of, focus_now
from narrowcast.panes.compose.edits import Edit
from narrowcast.panes.compose.note import ComposeNote
from narrowcast.panes.compose.pane import ComposePane
from narrowcast.panes.compose.uploads import UploadRows
from narrowcast.panes.messages.pane import MessagesPane
from narrowcast.screens.main.layout import CSS
from narrowcast.screens.main.outside import OutsideScreen
from narrowcast.text import names

if TYPE_CHECKING:
    from narrowcast_api.wire.messages import MessageAnswer
from narrowcast_api.narrow.destinations import Destination
from narrowcast_api.narrow.narrow import Narrow
from narrowcast_api.protocols.outbox_item import OutboxEntry, OutboxState
from narrowcast_api.storage.folders import account_folder_name


class MainScreen(OutsideScreen):
    """See the module's description."""

    DEFAULT_CSS = CSS

    def on_mount(self) -> None:
        """Open the view of last time, at once from the cache, so that the first paint shows it."""
        self.open(self.session.last_narrow or Narrow.all())
        self.call_after_refresh(self._take_up_draft)

    async def _take_up_draft(self) -> None:
        draft_id = await asyncio.to_thread(self._note.read)
        draft = self.session.drafts.get(draft_id) if draft_id else None
        if draft is not None and not self.writing.is_busy:
            here = self.narrow.written_to if self.narrow is not None else None
            if here is None or (draft.destination is not None and here.key == draft.destination.key):
                self.writing.take_up(draft.draft_id)
            else:
                whom = "no recipients yet"
                if draft.destination is not None:
                    whom = names.destination(self.session.state, draft.destination)
                self.tell(f"You have a draft for {whom}: d lists drafts.")
        self.writing.draft.noted = self._note_draft

    def _note_draft(self, draft_id: str | None) -> None:
        self.spawn(asyncio.to_thread(self._note.write, draft_id), "note what is being written")

    @property
    def _note(self) -> ComposeNote:
        """Which draft stands in compose, for the next start."""
        account = self.session.account
        name = account_folder_name(account.site, account.email)
        return ComposeNote(app_of(self).paths.data / name / "compose")

    def keep(self) -> None:
        """The app ends: nothing written may be lost."""
        self.writing.keep_draft()
        self.session.drafts.flush()
        if self.narrow is not None:
            self.session.remember(self.narrow, self.messages.selected_id)

    # the messages pane asks

    @on(MessagesPane.NarrowRequested)
    def _open_narrow(self, event: MessagesPane.NarrowRequested) -> None:
        self.go(event.narrow, event.message_id)

    @on(MessagesPane.ReplyRequested)
    def _reply(self, event: MessagesPane.ReplyRequested) -> None:
        self.writing.reply(event.destination, event.quote)

    @on(MessagesPane.EditRequested)
    def _edit(self, event: MessagesPane.EditRequested) -> None:
        self.spawn(self._begin_edit(event.message_id), "load the message")

    async def _begin_edit(self, message_id: int) -> None:
        """Editing needs the source; the state has only what the server made of it."""
        request = self.session.client.messages.get(message_id=message_id, apply_markdown=False)
        answer = await self.messages.waiting(request, "Loading message…")
        message = self.session.state.messages.get(message_id)
        if message is not None and message.sender_id == self.session.state.me:
            self.writing.edit(message_id, _source(answer))
        else:
            self.refuse("You can only edit your own messages.")

    @on(MessagesPane.StatusRequested)
    def _tell_status(self, event: MessagesPane.StatusRequested) -> None:
        if event.refused:
            self.refuse(event.text)
        else:
            self.tell(event.text)

    @on(MessagesPane.HintChanged)
    def _tell_hint(self) -> None:
        self.update_status()

    # compose asks

    def on_paste(self, event: events.Paste) -> None:
        """Text pasted anywhere else than in a field is meant for compose."""
        event.stop()
        self.writing.text.insert(event.text)
        focus_now(self.writing.text)

    @on(ComposePane.Left)
    def _leave_compose(self) -> None:
        app_of(self).field_left()
        self.focus_messages()

    @on(ComposePane.Sent)
    def _sent(self, event: ComposePane.Sent) -> None:
        """Show the conversation that was written to, so that the message is seen."""
        narrow = Narrow.from_destination(event.destination)
        here = self.narrow
        if here is None or (here != narrow and here.terms and not self._shows(here, narrow)):
            self.go(narrow, focus=False)
        else:
            self.messages.show_sent()

    @staticmethod
    def _shows(view: Narrow, conversation: Narrow) -> bool:
        """Whether a message to ``conversation`` is seen in ``view`` as well."""
        if view == Narrow.directs():
            return conversation.direct_user_ids is not None
        return (
            len(view.terms) == 1
            and view.channel_id is not None
            and view.channel_id == conversation.channel_id
        )

    @on(ComposePane.EditDone)
    def _save_edit(self, event: ComposePane.EditDone) -> None:
        self.spawn(self._edit_message(event.edit), "edit the message")
        self.focus_messages()

    async def _edit_message(self, edit: Edit) -> None:
        """A refused edit gives the text back to its writer."""
        try:
            request = self.session.client.messages.edit(message_id=edit.message_id, content=edit.content)
            await self.messages.waiting(request, "Saving…")
        except Exception:
            self.writing.give_back(edit)
            raise

    @on(ComposePane.EditorWanted)
    def _external_editor(self) -> None:
        self.spawn(self._write_outside(), "start the editor")

    async def _write_outside(self) -> None:
        from narrowcast.terminal.editor import edit_outside

        app = app_of(self)
        self.writing.keep_draft()
        text = await edit_outside(app, self.writing.text.text, app.config.compose.editor)
        if text is not None and text != self.writing.text.text:
            self.writing.text.text = ""
            self.writing.text.insert(text)
        focus_now(self.writing.text)

    @on(ComposePane.AttachWanted)
    def _choose_file(self) -> None:
        from narrowcast.screens.dialogs.attach import AttachScreen

        def chosen(path: str | None) -> None:
            if path:
                where, _ = self.writing.target.read(self.session.state)
                self.writing.keep_draft()
                self.writing.uploads.start(Path(path), where, self.writing.draft.id)
            focus_now(self.writing.text)

        self.app.push_screen(AttachScreen(self.session.state.limits.max_file_upload_size_mib), chosen)

    @on(UploadRows.Done)
    def _attached(self, event: UploadRows.Done) -> None:
        upload = event.upload
        where = self.writing.take_link(upload.link or "", upload.destination, upload.draft_id)
        self.session.uploads.dismiss(upload)
        if where is not None:
            place = names.destination(self.session.state, where)
            self.tell(f"{upload.name} uploaded. Its link is in your draft to {place}.")

    # commands of the registry

    def action_write_channel(self) -> None:
        self.writing.write_channel(self.default_channel())

    def action_write_direct(self) -> None:
        self.writing.write_direct()

    def action_go_drafts(self) -> None:
        from narrowcast.screens.messages.drafts import DraftsScreen

        def chosen(draft_id: object) -> None:
            if isinstance(draft_id, str):
                self._open_draft(draft_id)

        self.app.push_screen(DraftsScreen(self.session), chosen)

    def _open_draft(self, draft_id: str) -> None:
        """Go on writing a draft in its conversation; one for nobody yet, in the view that is open."""
        draft = self.session.drafts.get(draft_id)
        if draft is not None and draft.destination is not None:
            narrow = Narrow.from_destination(draft.destination)
            if self.narrow != narrow and not self._is_begun_here(draft.destination):
                self.go(narrow)
        if not self.writing.open_draft(draft_id):
            self.tell("This draft no longer exists.")

    def _is_begun_here(self, where: Destination) -> bool:
        """Whether the open view is that of a channel, and a draft is for the channel without a topic yet."""
        here = self.narrow.written_to if self.narrow is not None else None
        return here is not None and here.key == where.key

    def action_go_outbox(self) -> None:
        from narrowcast.screens.messages.outbox import OutboxScreen

        def chosen(result: object) -> None:
            match result:
                case ("go", OutboxEntry() as entry):
                    self.go(Narrow.from_destination(entry.destination), "newest")
                case ("take-back", OutboxEntry() as entry):
                    self._take_back(entry)

        self.app.push_screen(OutboxScreen(self.session), chosen)

    def _unsent(self) -> list[OutboxEntry]:
        """What was not sent, of this conversation first."""
        waiting = [entry for entry in self.session.outbox.entries() if entry.state is not OutboxState.SENT]
        here = self.narrow.destination if self.narrow is not None else None
        waiting.sort(key=lambda entry: here is None or entry.destination.key != here.key)
        return waiting

    def action_write_outbox_retry(self) -> None:
        """All that failed in one conversation: this one, or another one if nothing failed here."""
        failed = [entry for entry in self._unsent() if entry.state is OutboxState.FAILED]
        if not failed:
            self.refuse("No failed messages.")
        for entry in failed:
            if entry.destination.key == failed[0].destination.key:
                self.session.outbox.retry(entry.local_id)

    def action_write_outbox_cancel(self) -> None:
        unsent = self._unsent()
        if not unsent:
            self.refuse("No unsent messages.")
            return
        first = unsent[0].destination.key
        self._take_back([entry for entry in unsent if entry.destination.key == first][-1])

    def _take_back(self, unsent: OutboxEntry) -> None:
        entry = self.session.outbox.cancel(unsent.local_id)
        if entry is None:
            self.tell("This message is already being sent and cannot be canceled.", severity="warning")
            return
        self.go(Narrow.from_destination(entry.destination))
        self.writing.reply(entry.destination)
        before = self.writing.text.text
        self.writing.text.insert(("\n" if before and not before.endswith("\n") else "") + entry.content)
        self.tell("Canceled. The text is back in the compose box.")


def _source(answer: MessageAnswer) -> str:
    """The Markdown of a message; old servers send it beside the message, newer ones in it."""
    if answer.message is not None:
        return answer.message.content
    return answer.raw_content or ""
