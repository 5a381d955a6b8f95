"""What the outbox shows and what it asks for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from narrowcast_api.narrow.destinations import ChannelDestination, Destination
from narrowcast_api.storage.records import OutboxRecord, OutboxState

__all__ = [
    "FindMessages",
    "FoundMessage",
    "MessageLimits",
    "OutboxEntry",
    "OutboxState",
    "SendMessage",
    "ShowMessage",
]

TAKEN_BACK = "Canceled before it was sent. Resend or cancel it."
_INTERRUPTED = "Narrowcast quit while this was being sent. Checking whether it was sent."

SHOW_AFTER = 0.5
"""Seconds that a message may be on its way before a view says so."""

HOLDS_FOR = 30.0
"""Seconds for which a message that was lost on its way holds up those written after it, so that it can be sent
again in its place."""

SILENCE_AFTER = 5.0
"""Seconds without an answer after which a view says so."""

OFFER_AFTER = 10.0
"""Seconds after which a message that is still on its way may be taken back."""


CHECK_EVERY = 5.0
"""Seconds between two looks whether the connection is back, should nobody say so."""


class MessageLimits(Struct, frozen=True):
    """In code points (LIM-03), as the registration said; None where it did not."""

    max_content: int | None = None
    max_topic: int | None = None


class Misfit(Struct, frozen=True):
    """Why a message does not fit: 'null' for a null character in it, or by how many characters its 'content' or
    'topic' is too long.
    """

    kind: str
    over: int = 0


class OutboxEntry(Struct, frozen=True):
    """One message on its way, for a view to show after the messages of its conversation.

    `created` is UTC seconds. `error` says what happened and what to do. `message_id` is the server's once the
    message is SENT. `sent_at` is when the request left (UTC seconds), while no answer has come. `waits_for` is
    the earlier message of the conversation that is being tried or looked for. `elsewhere`: another window sends it.
    """

    local_id: str
    destination: Destination
    content: str
    state: OutboxState
    created: float
    error: str | None = None
    message_id: int | None = None
    waits_for: str | None = None
    sent_at: float | None = None
    elsewhere: bool = False


class FoundMessage(Struct, frozen=True):
    """A message of one's own on the server, with its Markdown source."""

    message_id: int
    content: str


class SendMessage(Protocol):
    """POST /messages: returns the new message's id, raises what `narrowcast_api.errors` has."""

    async def __call__(
        self,
        destination: Destination,
        content: str,
        *,
        local_id: str,
        queue_id: str | None,
        read_by_sender: bool,
    ) -> int: ...


class FindMessages(Protocol):
    """One's own messages in a conversation with greater ids than `after_id`: GET /messages, as source."""

    async def __call__(self, destination: Destination, after_id: int) -> Sequence[FoundMessage]: ...


class ShowMessage(Protocol):
    """Fetch a message of one's own and show it where it belongs: no event about it came."""

    async def __call__(self, message_id: int) -> None: ...


class OutboxItem(Struct):
    """An entry as the outbox holds it: what is in the journal, and what only matters while it runs.

    `resend`: the user asked to send it again, so it goes out if looking does not find it. `unheard`: nothing came
    back when it was tried, as on a dead connection, so it goes out again by itself if looking never finds it.
    `sent_at` is when the request left (UTC seconds), while it is under way. `take_back`: the
    user wants it back, which is possible unless it arrives. `looks` counts looks since the last try, `faults`
    those that were not answered; `due` is the monotonic time of the next step, `holds_until` that until which it
    holds up others after it failed. `sought`: it counts as failed although it may have arrived, and is looked for.
    `reason`: why it failed, while it is looked for once more. `elsewhere`: another
    window of the account sends it; it holds up those of this one for a while, so that they go out in the order of
    writing.
    """

    record: OutboxRecord
    message_id: int | None = None
    resend: bool = False
    unheard: bool = False
    take_back: bool = False
    looks: int = 0
    faults: int = 0
    sought: bool = False
    reason: str | None = None
    holds_until: float = 0.0
    due: float = 0.0
    sent_at: float | None = None
    elsewhere: bool = False

    @property
    def place(self) -> tuple[int, float, str]:
        """By which they are ordered."""
        return (self.record.position, self.record.created, self.record.local_id)

    @property
    def state(self) -> OutboxState:
        return self.record.state

    @property
    def key(self) -> tuple[object, ...]:
        return self.record.destination.key

    def holds(self, now: float) -> bool:
        """Whether later messages of its conversation wait for this one."""
        if self.elsewhere:
            return now < self.holds_until and self.state is not OutboxState.FAILED
        if self.state is OutboxState.FAILED:
            return now < self.holds_until
        return self.state is not OutboxState.SENT

    def shown(self, waits_for: str | None) -> OutboxEntry:
        """What a view gets to see."""
        record = self.record
        return OutboxEntry(
            record.local_id,
            record.destination,
            record.content,
            record.state,
            record.created,
            record.error,
            self.message_id,
            waits_for,
            self.sent_at,
            self.elsewhere,
        )


def recovered(record: OutboxRecord) -> OutboxItem:
    """A record of the journal at the start: a request that was under way at the end has an unknown outcome, and one
    that had failed may have arrived after all, since nobody looked.
    """
    if record.state is OutboxState.SENDING:
        record = replace(record, state=OutboxState.UNCONFIRMED, error=_INTERRUPTED)
    return OutboxItem(record, sought=record.tried and record.state is OutboxState.FAILED)


def matching(content: str, candidates: Sequence[FoundMessage], taken: Collection[int]) -> int | None:
    """The oldest message with these words that is not another entry's. Servers trim what they store."""
    words = content.strip()
    ids = [entry.message_id for entry in candidates if entry.content.strip() == words]
    return min((number for number in ids if number not in taken), default=None)


def unfit(limits: MessageLimits, destination: Destination | None, content: str) -> Misfit | None:
    """Why a server would surely refuse or cut this message, so that trying makes no sense."""
    topic = destination.topic if isinstance(destination, ChannelDestination) else ""
    if "\0" in content or "\0" in topic:
        return Misfit("null")
    for kind, text, most in (("content", content, limits.max_content), ("topic", topic, limits.max_topic)):
        if most is not None and len(text) > most:
            return Misfit(kind, len(text) - most)
    return None


def refusal(misfit: Misfit | None) -> str | None:
    """The words for a message that is not sent for this."""
    if misfit is None:
        return None
    if misfit.kind == "null":
        return "The message holds a null character, which cannot be sent. Cancel it and remove the character."
    what = "message" if misfit.kind == "content" else "topic"
    return f"The {what} is {misfit.over} characters over the limit of this server. Shorten it and resend."
