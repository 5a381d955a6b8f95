"""The unsent messages of all conversations: why each is unsent, and what the user can do."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType

from narrowcast.commands.registry import Context, bindings_for
from narrowcast.screens.dialogs.manage import ListRow, ManageScreen
from narrowcast.text import names
from narrowcast.text.formats import has_long_clock, moment
from narrowcast_api.protocols.outbox_item import OutboxEntry, OutboxState
from narrowcast_api.state.changes import ConnectionChanged, OutboxChanged

if TYPE_CHECKING:
    from narrowcast_api.sync.session import Session


def unsent(session: Session) -> list[OutboxEntry]:
    """The messages that are not confirmed to be on the server, oldest first."""
    return [entry for entry in session.outbox.entries() if entry.state is not OutboxState.SENT]


def reason(entry: OutboxEntry, live: bool) -> tuple[str, bool]:
    """Why a message is unsent, and whether that needs the user's attention."""
    if entry.state is OutboxState.FAILED:
        return f"Failed to send: {entry.error or 'the server refused it'}", True
    if entry.state is OutboxState.UNCONFIRMED:
        return entry.error or "May have been sent. Checking…", True
    if entry.waits_for is not None:
        return "Waiting for the previous message", False
    if entry.state is OutboxState.WAITING and not live:
        return "Waiting for the connection", False
    return "Sending…", False


def resend_refusal(entry: OutboxEntry) -> str:
    """Why a message cannot be resent; empty if it can."""
    if entry.state is OutboxState.FAILED:
        return ""
    if entry.state is OutboxState.UNCONFIRMED:
        return "This message may have arrived. Narrowcast checks that first."
    return "This message has not failed; it will be sent automatically."


class OutboxScreen(ManageScreen[OutboxEntry]):
    """Three lines per message: destination and time, its beginning, why it is unsent.

    Dismissed with what the caller should do: `go` or `take-back`, with the message.
    """

    TITLE_TEXT = "Outbox: unsent messages"
    KEYS = (
        ("list.select", "goes to the conversation"),
        ("outbox.resend", "resends"),
        ("manage.delete", "cancels"),
    )
    EMPTY = "No unsent messages."
    LINES = 3
    FOLLOWS = (OutboxChanged, ConnectionChanged)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.OUTBOX)]

    def rows(self) -> Sequence[ListRow[OutboxEntry]]:
        return [self._row(entry) for entry in unsent(self.session)]

    def _row(self, entry: OutboxEntry) -> ListRow[OutboxEntry]:
        where = names.destination(self.state, entry.destination)
        when = moment(entry.created, time.time(), long=has_long_clock(self.state))
        why, warn = reason(entry, self.session.is_live)
        return ListRow(entry.local_id, entry, where, when, entry.content, warn=warn, last=why)

    def open(self, item: OutboxEntry) -> None:
        self.dismiss(("go", item))

    def action_delete(self) -> None:
        """Cancel the selected message; its text returns to compose."""
        if (entry := self.selected) is not None:
            self.dismiss(("take-back", entry))

    def action_again(self) -> None:
        entry = self.selected
        if entry is None:
            return
        if refusal := resend_refusal(entry):
            self.say(refusal)
        else:
            self.work(self._resend(entry.local_id))

    async def _resend(self, local_id: str) -> None:
        await self.session.outbox.claim(local_id)
        self.session.outbox.retry(local_id)
