"""Where the outbox keeps what is on its way: in memory and in the journal, in the order of writing."""

from __future__ import annotations

from collections.abc import Callable, Collection

from msgspec.structs import replace

from narrowcast_api.protocols.outbox_item import Parcel, recovered
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


class Shelf:
    """Parcels by their local ids. What changes is written down first and told to the views after."""

    def __init__(self, journal: Journal, changed: Callable[[Change], None]) -> None:
        self._journal = journal
        self._changed = changed
        self._parcels = {record.local_id: Parcel(recovered(record)) for record in journal.load_outbox()}
        self._position = max((parcel.record.position for parcel in self._parcels.values()), default=0)

    def next_position(self) -> int:
        """The place after everything that was ever written here."""
        self._position += 1
        return self._position

    def put(self, record: OutboxRecord) -> None:
        """Take over a message."""
        self._parcels[record.local_id] = Parcel(record)
        self._journal.put_outbox(record)
        self._publish(record.local_id)

    def get(self, local_id: str) -> Parcel | None:
        """One parcel."""
        return self._parcels.get(local_id)

    def all(self) -> list[Parcel]:
        """Every parcel, in the order of writing."""
        return sorted(self._parcels.values(), key=lambda parcel: parcel.record.position)

    def has(self, parcel: Parcel) -> bool:
        """Whether it is still on its way: requests end when it may be gone."""
        return self._parcels.get(parcel.record.local_id) is parcel

    def heads(self, busy: Collection[tuple[object, ...]], now: float) -> list[Parcel]:
        """The first unsettled message of each conversation that is not `busy`."""
        heads: dict[tuple[object, ...], Parcel] = {}
        for parcel in self.all():
            if parcel.holds(now):
                heads.setdefault(parcel.key, parcel)
        return [parcel for key, parcel in heads.items() if key not in busy]

    def step(self, parcel: Parcel, state: OutboxState, error: str | None = None) -> None:
        """Into another state. Raises InvalidTransition for one that the diagram does not have."""
        if state is not parcel.state and state not in _STEPS[parcel.state]:
            raise InvalidTransition(f"{parcel.state} to {state}")
        parcel.record = replace(parcel.record, state=state, error=error)
        if state is SENT:
            self._journal.delete_outbox(parcel.record.local_id)
        else:
            self._journal.put_outbox(parcel.record)
        self._publish(parcel.record.local_id)

    def forget(self, parcel: Parcel) -> None:
        """The user took it back."""
        del self._parcels[parcel.record.local_id]
        self._journal.delete_outbox(parcel.record.local_id)
        self._publish(parcel.record.local_id)

    def drop(self, parcel: Parcel) -> bool:
        """The views have the message itself now; whether it was still here."""
        if self._parcels.pop(parcel.record.local_id, None) is None:
            return False
        self._publish(parcel.record.local_id)
        return True

    def _publish(self, local_id: str) -> None:
        self._changed(OutboxChanged((local_id,)))
