"""The output of `--json` of every command: one object per line, with its type in `kind`.

Fields are only ever added, never removed. Times are UTC seconds, ids are the server's, content is Markdown source.
"""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

__all__ = ["Finding", "MatchRecord", "MessageRecord", "OutboxRecord", "Person", "Record", "SentRecord"]


class Person(Struct, frozen=True):
    """A recipient of a direct message."""

    id: int
    email: str
    full_name: str


class MessageRecord(Struct, frozen=True, tag_field="kind", tag="message", omit_defaults=True):
    """A message, from `read`, `search`, `export` and `watch`.

    `type` is "channel", with `channel`, `channel_id` and `topic`, or "direct", with `recipients`. Only `watch` sets
    `account` and `reason`.
    """

    id: int
    type: str
    timestamp: float
    sender_id: int
    sender_email: str
    sender_full_name: str
    content: str
    flags: list[str] | UnsetType = UNSET
    reactions: list[str] | UnsetType = UNSET
    recipients: list[Person] | UnsetType = UNSET
    channel: str | UnsetType = UNSET
    channel_id: int | UnsetType | None = UNSET
    topic: str | UnsetType = UNSET
    account: str | UnsetType = UNSET
    reason: str | UnsetType | None = UNSET


class SentRecord(Struct, frozen=True, tag_field="kind", tag="sent"):
    """A message that `send` has sent: its id, the addresses of its files, relative to the organization's URL, and its
    own address with a Markdown link to it, from feature level 508.
    """

    id: int
    files: list[str]
    message_url: str | UnsetType = UNSET
    message_link: str | UnsetType = UNSET


class MatchRecord(Struct, frozen=True, tag_field="kind", tag="match"):
    """A message that `search --local` found: the part of its text that matched."""

    id: int
    sender_full_name: str
    snippet: str


class OutboxRecord(Struct, frozen=True, tag_field="kind", tag="outbox"):
    """An unsent message: `state` is waiting, sending, unconfirmed or failed; `error` is the reason for a failure."""

    id: str
    state: str
    created: float
    to: str
    content: str
    error: str | None


class Finding(Struct, frozen=True, tag_field="kind", tag="finding"):
    """One line of `doctor`: `level` is ok, note or problem."""

    area: str
    level: str
    text: str


Record = MessageRecord | MatchRecord | SentRecord | OutboxRecord | Finding
