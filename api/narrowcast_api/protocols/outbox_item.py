"""What the outbox shows."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from narrowcast_api.narrow.destinations import ChannelDestination, Destination
from narrowcast_api.state.settings import Limits
from narrowcast_api.storage.records import OutboxMessage, OutboxState

__all__ = [
    "FoundMessage",
    "OutboxEntry",
    "OutboxState",
    "ShowMessage",
]

CANCELLED = "Canceled before it was sent. Resend or cancel it."
_INTERRUPTED = "Narrowcast quit while this was being sent. Checking whether it was sent."

_DISK_WAS_FULL = "The disk was full when Narrowcast quit. Checking whether this was sent."
_DISK_WAS_FULL_UNKNOWN = (
    "The disk was full when Narrowcast quit, so it is not known whether this was sent. Resend or cancel it."
)

SHOW_AFTER = 0.5
"""Seconds after which a view shows that a message is being sent."""

SEARCH_AFTER = (1.0, 3.0)
"""Seconds before each search for a message whose outcome is unknown: a slow server may still be storing it."""

BLOCKS_FOR = 30.0
"""Seconds for which a message that was lost in transit holds back later ones, so that it can be sent again in
its place.
"""

SILENCE_AFTER = 5.0
"""Seconds without a response after which a view says that the server does not respond."""

OFFER_AFTER = 10.0
"""Seconds after which a message that is still being sent may be cancelled."""


CHECK_EVERY = 5.0
"""Seconds between two checks of the connection, in case `wake` is not called."""


class Misfit(Struct, frozen=True):
    """Why a message does not fit: 'null' for a null character in it, or 'content' or 'topic' if that is
    `over` characters too long.
    """

    kind: str
    over: int = 0


class OutboxEntry(Struct, frozen=True):
    """A message that is being sent, for a view to show after the messages of its conversation.

    `created` is UTC seconds. `error` says what happened and what to do. `message_id` is the server's once the
    message is SENT. `sent_at` is when the request left (UTC seconds), until the response arrives. `waits_for` is
    the earlier message of the conversation that is being sent or looked for. `elsewhere`: another window
    sends it. `held_for`: seconds for which it is held back, for the user to cancel it.
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
    held_for: float = 0.0


class FoundMessage(Struct, frozen=True):
    """A message of the current user on the server; `content` is the Markdown source that was sent.

    `is_original` is False if the message was edited and the server does not show its first text: `content` is
    the present one.
    """

    message_id: int
    content: str
    is_original: bool = True


class ShowMessage(Protocol):
    """Fetch a message of the current user for which no event arrived, and show it in its views."""

    async def __call__(self, message_id: int) -> None: ...


class OutboxItem(Struct):
    """An entry inside the outbox: its journal record, and fields that only matter while the outbox runs.

    `resend`: the user asked to send it again, so it is sent if it is not found on the server.
    `got_no_response`: the attempt got no response, as on a dead connection, so it is sent again automatically if
    it is never found. `sent_at` is when the request left (UTC seconds), while it is in progress.
    `cancel_requested`: the user has cancelled it, which works unless it arrives. `searches` counts the
    finished searches on the server since the last attempt, `failures` the failed ones; `due` is the
    monotonic time of the next step; `held_until`: that of the first request, if the user wants time to cancel it.
    `extra_search`: look for it now too, because a message that may be it has
    arrived; that search does not count. `blocks_until` is the time until which it holds back later messages after it
    failed. `still_searched`: it counts as failed, but may have arrived and is still looked for. `reason`: why
    it failed, while it is looked for once more. `elsewhere`: another window of the account sends it; it holds
    back those of this window for a while, so that they are sent in the order of writing.
    """

    record: OutboxMessage
    message_id: int | None = None
    resend: bool = False
    got_no_response: bool = False
    cancel_requested: bool = False
    searches: int = 0
    failures: int = 0
    still_searched: bool = False
    reason: str | None = None
    blocks_until: float = 0.0
    due: float = 0.0
    held_until: float = 0.0
    extra_search: bool = False
    sent_at: float | None = None
    elsewhere: bool = False

    @property
    def sort_key(self) -> tuple[int, float, str]:
        """Orders the outbox: by position, then by age."""
        return (self.record.position, self.record.created, self.record.local_id)

    @property
    def state(self) -> OutboxState:
        return self.record.state

    @property
    def key(self) -> tuple[object, ...]:
        return self.record.destination.key

    def blocks(self, now: float) -> bool:
        """Whether later messages of its conversation wait for this one."""
        if self.elsewhere:
            return now < self.blocks_until and self.state is not OutboxState.FAILED
        if self.state is OutboxState.FAILED:
            return now < self.blocks_until
        return self.state is not OutboxState.SENT

    def to_entry(self, waits_for: str | None, now: float) -> OutboxEntry:
        """Returns the entry that views show."""
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
            max(0.0, self.held_until - now) if self.state is OutboxState.WAITING else 0.0,
        )


def recovered(record: OutboxMessage, now: float, *, is_behind: bool = False) -> OutboxItem:
    """Returns the item for a journal record at startup, or from a window that has ended: the outcome of a
    request that was in progress is unknown, and the server may still be storing it. A message that failed after
    an attempt may have arrived, because nobody has looked for it since. If the journal `is_behind`, each message may
    have been sent or cancelled since its record was written.
    """
    if record.state is OutboxState.SENDING:
        record = replace(record, state=OutboxState.UNCONFIRMED, error=_INTERRUPTED)
    elif is_behind and record.floor_id is None:
        # Without the newest id before it, an older message with the same text would be taken for it.
        record = replace(record, state=OutboxState.FAILED, error=record.error or _DISK_WAS_FULL_UNKNOWN)
    elif is_behind and record.state is OutboxState.WAITING:
        record = replace(record, state=OutboxState.UNCONFIRMED, error=_DISK_WAS_FULL, tried=True)
    elif is_behind:
        record = replace(record, tried=True)
    due = now + SEARCH_AFTER[0] if record.state is OutboxState.UNCONFIRMED else 0.0
    still_searched = record.tried and record.state is OutboxState.FAILED
    return OutboxItem(record, due=due, still_searched=still_searched)


def matching(content: str, candidates: Sequence[FoundMessage], taken: Collection[int]) -> int | None:
    """The oldest message with this text that does not belong to another entry. Servers trim the text that
    they store.
    """
    words = content.strip()
    ids = [entry.message_id for entry in candidates if entry.content.strip() == words]
    return min((number for number in ids if number not in taken), default=None)


def find_misfit(limits: Limits, destination: Destination | None, content: str) -> Misfit | None:
    """Why a server would surely reject or truncate this message, so that it is not sent; None if it fits."""
    topic = destination.topic if isinstance(destination, ChannelDestination) else ""
    if "\0" in content or "\0" in topic:
        return Misfit("null")
    for kind, text, most in (
        ("content", content, limits.max_message_length),
        ("topic", topic, limits.max_topic_length),
    ):
        if len(text) > most:
            return Misfit(kind, len(text) - most)
    return None


def refusal(misfit: Misfit | None) -> str | None:
    """The error text for a message that is not sent for this reason."""
    if misfit is None:
        return None
    if misfit.kind == "null":
        return "The message holds a null character, which cannot be sent. Cancel it and remove the character."
    what = "message" if misfit.kind == "content" else "topic"
    return f"The {what} is {misfit.over} characters over the limit of this server. Shorten it and resend."
