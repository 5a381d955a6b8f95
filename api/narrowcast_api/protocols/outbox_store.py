"""Where the outbox keeps what is on its way: in memory and in the journal, in the order of writing."""

from __future__ import annotations

from collections.abc import Callable, Collection

from msgspec.structs import replace

from narrowcast_api.protocols.outbox_item import OutboxItem, recovered
from narrowcast_api.state.changes import Change, OutboxChanged
from narrowcast_api.storage.journal import Journal
from narrowcast_api.storage.records import OutboxRecord, OutboxState

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
    """A step that the diagram of the outbox does not have: a mistake in it."""


class OutboxStore:
    """Items by their local ids. What changes is written down first and told to the views after."""

    def __init__(self, journal: Journal, changed: Callable[[Change], None]) -> None:
        self._journal = journal
        self._changed = changed
        self._items = {record.local_id: OutboxItem(recovered(record)) for record in journal.load_outbox()}
        self._position = max((item.record.position for item in self._items.values()), default=0)

    def next_position(self) -> int:
        """The place after everything that was ever written here."""
        self._position += 1
        return self._position

    def put(self, record: OutboxRecord) -> None:
        """Take over a message."""
        self._items[record.local_id] = OutboxItem(record)
        self._journal.put_outbox(record)
        self._publish(record.local_id)

    def get(self, local_id: str) -> OutboxItem | None:
        """One item."""
        return self._items.get(local_id)

    def all(self) -> list[OutboxItem]:
        """Every item, in the order of writing."""
        return sorted(self._items.values(), key=lambda item: item.record.position)

    def has(self, item: OutboxItem) -> bool:
        """Whether it is still on its way: requests end when it may be gone."""
        return self._items.get(item.record.local_id) is item

    def heads(self, busy: Collection[tuple[object, ...]], now: float) -> list[OutboxItem]:
        """The first unsettled message of each conversation that is not `busy`."""
        heads: dict[tuple[object, ...], OutboxItem] = {}
        for item in self.all():
            if item.holds(now):
                heads.setdefault(item.key, item)
        return [item for key, item in heads.items() if key not in busy]

    def step(self, item: OutboxItem, state: OutboxState, error: str | None = None) -> None:
        """Into another state. Raises InvalidTransition for one that the diagram does not have."""
        if state is not item.state and state not in _STEPS[item.state]:
            raise InvalidTransition(f"{item.state} to {state}")
        item.record = replace(item.record, state=state, error=error)
        if state is SENT:
            self._journal.delete_outbox(item.record.local_id)
        else:
            self._journal.put_outbox(item.record)
        self._publish(item.record.local_id)

    def forget(self, item: OutboxItem) -> None:
        """The user took it back."""
        del self._items[item.record.local_id]
        self._journal.delete_outbox(item.record.local_id)
        self._publish(item.record.local_id)

    def drop(self, item: OutboxItem) -> bool:
        """The views have the message itself now; whether it was still here."""
        if self._items.pop(item.record.local_id, None) is None:
            return False
        self._publish(item.record.local_id)
        return True

    def _publish(self, local_id: str) -> None:
        self._changed(OutboxChanged((local_id,)))
