"""Storage of the outbox: in memory and in the journal, in the order of writing."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from concurrent.futures import Future

from msgspec.structs import replace

from narrowcast_api.narrow.destinations import ChannelDestination, same_conversation
from narrowcast_api.protocols.context import SessionContext
from narrowcast_api.protocols.outbox_item import BLOCKS_FOR, OutboxItem, recovered
from narrowcast_api.state.changes import OutboxChanged
from narrowcast_api.storage.records import OutboxMessage, OutboxState

WAITING, SENDING, UNCONFIRMED = OutboxState.WAITING, OutboxState.SENDING, OutboxState.UNCONFIRMED
FAILED, SENT = OutboxState.FAILED, OutboxState.SENT

_STEPS = {
    WAITING: {SENDING, FAILED, SENT},
    SENDING: {WAITING, UNCONFIRMED, FAILED, SENT},
    UNCONFIRMED: {WAITING, FAILED, SENT},
    FAILED: {WAITING, UNCONFIRMED, SENT},
    SENT: set[OutboxState](),
}


class InvalidTransition(Exception):
    """A transition that is not in the diagram of the outbox: a bug there."""


class OutboxStore:
    """Items by their local ids. A change is written to the journal before views are notified.

    Items of other windows of the account are included as the journal has them, to be shown and to keep the
    order. Only the window that owns an item changes it.
    """

    def __init__(self, context: SessionContext) -> None:
        self._context = context
        self._journal = context.journal
        now = context.clock.monotonic()
        self._items = {record.local_id: self._item(record, now) for record in self._journal.load_outbox()}
        self._position = 0
        self._see_positions()
        self._journal.looked_through()

    def _item(self, record: OutboxMessage, now: float) -> OutboxItem:
        if record.owner == self._journal.window:
            item = recovered(record, now, is_behind=self._journal.is_behind)
            if item.record != record and record.state is not SENDING:
                self._journal.put_outbox(item.record)
            return item
        return OutboxItem(record, elsewhere=True, blocks_until=now + BLOCKS_FOR)

    def _see_positions(self) -> None:
        last = max((item.record.position for item in self._items.values()), default=0)
        self._position = max(self._position, last)

    def take_in(self, records: Mapping[str, OutboxMessage | None], now: float) -> None:
        """Takes in items that other windows have written, and those that this window now owns."""
        for local_id, record in records.items():
            before = self._items.get(local_id)
            if record is None:
                self._items.pop(local_id, None)
            elif before is None or before.elsewhere or record.owner != self._journal.window:
                item = self._item(record, now)
                if before is not None and before.elsewhere and item.elsewhere:
                    item.blocks_until = before.blocks_until
                self._items[local_id] = item
        self._see_positions()
        self._journal.looked_through()
        self._context.publish(OutboxChanged(tuple(records)))

    def next_position(self) -> int:
        """The position after all messages written so far."""
        self._position += 1
        return self._position

    def put(self, record: OutboxMessage) -> None:
        """Adds a message, to the journal first."""
        record = replace(record, owner=self._journal.window)
        self._items[record.local_id] = OutboxItem(record)
        self._journal.put_outbox(record)
        self._publish(record.local_id)

    def get(self, local_id: str) -> OutboxItem | None:
        """An item by its local id; None once it has been removed."""
        return self._items.get(local_id)

    def all(self) -> list[OutboxItem]:
        """Every item, in the order of writing, which is the same in all windows."""
        return sorted(self._items.values(), key=lambda item: item.sort_key)

    def own(self) -> list[OutboxItem]:
        """The items that this window sends."""
        return [item for item in self.all() if not item.elsewhere]

    def has(self, item: OutboxItem) -> bool:
        """Whether the item is still in the outbox: it may be removed while a request is in progress."""
        return self._items.get(item.record.local_id) is item

    def heads(self, busy: Collection[tuple[object, ...]], now: float) -> list[OutboxItem]:
        """The first unsettled message of each conversation that is not `busy`, whichever window owns it."""
        heads: dict[tuple[object, ...], OutboxItem] = {}
        for item in self.all():
            if item.blocks(now):
                heads.setdefault(item.key, item)
        return [item for key, item in heads.items() if key not in busy]

    def has_rival(self, item: OutboxItem) -> bool:
        """Whether a matching message on the server may belong to another window with the same text, which
        will know soon. An item that was looked for before and not found comes last.
        """
        last = item.reason is not None
        return any(
            (other.key, other.record.content) == (item.key, item.record.content)
            and (
                other.state is SENDING
                or (other.state is UNCONFIRMED and (last or other.sort_key < item.sort_key))
            )
            for other in self._items.values()
            if other.elsewhere
        )

    def yield_to_other_windows(self, now: float) -> None:
        """The connection is live again: let earlier messages of other windows go first, if they are sent soon."""
        for item in self._items.values():
            if item.elsewhere:
                item.blocks_until = now + BLOCKS_FOR

    def step(
        self, item: OutboxItem, state: OutboxState, error: str | None = None, *, unknown: bool = False
    ) -> Future[bool]:
        """Changes the state; returns the write to the journal. `unknown`: it fails because it is not known
        whether it arrived. Raises InvalidTransition for a step that is not in the diagram.
        """
        if state is not item.state and state not in _STEPS[item.state]:
            raise InvalidTransition(f"{item.state} to {state}")
        item.record = replace(item.record, state=state, error=error, unknown=unknown)
        if state is SENT:
            written = self._journal.delete_outbox(item.record.local_id, item.message_id)
        else:
            written = self._journal.put_outbox(item.record)
        self._publish(item.record.local_id)
        return written

    def readdress(self, old: ChannelDestination, new: ChannelDestination) -> None:
        """Messages of this window for `old` of which no request was made are for `new`."""
        for item in self.own():
            untried = item.state in (WAITING, FAILED) and not item.record.tried
            if untried and same_conversation(item.record.destination, old):
                item.record = replace(item.record, destination=new)
                self._journal.put_outbox(item.record)
                self._publish(item.record.local_id)

    def forget(self, item: OutboxItem) -> None:
        """Removes an item that the user cancelled, from the journal too."""
        del self._items[item.record.local_id]
        self._journal.delete_outbox(item.record.local_id)
        self._publish(item.record.local_id)

    def drop(self, item: OutboxItem) -> bool:
        """Removes an item whose message is in the state now; returns whether the item was still here."""
        if self._items.pop(item.record.local_id, None) is None:
            return False
        self._publish(item.record.local_id)
        return True

    def _publish(self, local_id: str) -> None:
        self._context.publish(OutboxChanged((local_id,)))
