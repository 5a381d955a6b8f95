"""The unsent messages of all conversations: why each is unsent, and what the user can do."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import ClassVar

from textual.binding import BindingType

from narrowcast.keys.registry import Context, bindings_for
from narrowcast.screens.dialogs.manage import ManageScreen
from narrowcast.screens.dialogs.manage_list import ListRow
from narrowcast.text import names
from narrowcast.text.formats import has_long_clock, moment
from narrowcast.text.unsent import reason, resend_refusal
from narrowcast.widgets.empty import Empty
from narrowcast_api.protocols.outbox_item import OutboxEntry
from narrowcast_api.state.changes import ConnectionChanged, OutboxChanged


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
    EMPTY = Empty("No unsent messages", "Messages wait here until the server has received them.")
    LINES = 3
    FOLLOWS = (OutboxChanged, ConnectionChanged)
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_for(Context.OUTBOX)]

    def rows(self) -> Sequence[ListRow[OutboxEntry]]:
        return [self._row(entry) for entry in self.session.outbox.unsent()]

    def _row(self, entry: OutboxEntry) -> ListRow[OutboxEntry]:
        where = names.destination(self.state, entry.destination)
        when = moment(entry.created, time.time(), long=has_long_clock(self.state))
        why, warn = reason(entry, self.session.is_live)
        return ListRow(entry.local_id, entry, where, when, entry.content, warn=warn, last=why)

    def open(self, item: OutboxEntry) -> None:
        self.dismiss(("go", item))

    def action_delete(self) -> None:
        """Cancels the selected message; its text returns to compose."""
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
