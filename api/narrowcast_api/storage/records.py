"""Rows of the journal: what outbox, drafts, edits and uploads must know again after a crash."""

from __future__ import annotations

import enum
from pathlib import Path

from msgspec import Struct

from narrowcast_api.model.drafts import DraftVersion
from narrowcast_api.narrow.destinations import Destination


class OutboxState(enum.Enum):
    """Where a message of one's own is on its way; the diagram is in `protocols/outbox.py`."""

    WAITING = "waiting"
    SENDING = "sending"
    UNCONFIRMED = "unconfirmed"
    FAILED = "failed"
    SENT = "sent"


class OutboxRecord(Struct, frozen=True):
    """One message on its way. `position` orders them, `created` is UTC seconds, `error` is for people.

    `floor_id` is the newest message id known before the first try: the message, if it arrived, has a greater
    one. `tried` tells whether a request may have reached the server. `unknown`: it is FAILED because nobody could say
    whether it arrived. `owner` is the window that sends it.
    """

    local_id: str
    position: int
    destination: Destination
    content: str
    state: OutboxState
    created: float
    error: str | None = None
    floor_id: int | None = None
    tried: bool = False
    unknown: bool = False
    owner: str | None = None


class Draft(Struct, frozen=True):
    """One draft as it is here. `edited` is UTC seconds.

    `server_id` is set once the server has it, and `base` is the server's version that ours came from.
    `dirty`: the server has to be told. `deleted`: gone for the user, the server still has to be told.
    `posting`: a request to create it may have reached the server, so look before repeating it.
    `conflict_with` is the draft that holds the other text, where two devices wrote at the same time.
    `revision` is another one each time that a window writes it down.
    `error`, which the journal does not keep: why it is kept here only, for people.
    """

    draft_id: str
    version: DraftVersion
    edited: float
    server_id: int | None = None
    base: DraftVersion | None = None
    dirty: bool = True
    deleted: bool = False
    posting: bool = False
    conflict_with: str | None = None
    error: str | None = None
    revision: str | None = None

    @property
    def destination(self) -> Destination | None:
        return self.version.destination

    @property
    def content(self) -> str:
        return self.version.content

    @property
    def synced(self) -> bool:
        """Whether the server has this text."""
        return self.server_id is not None and not self.dirty


class ActRecord(Struct, frozen=True):
    """One thing that was done to a message and that the server has not taken yet: `flag` set or cleared, or else a
    reaction added or removed. `position` orders them. `owner` is the window that sends it.
    """

    act_id: str
    position: int
    message_id: int
    flag: str | None
    emoji_name: str | None
    emoji_code: str | None
    reaction_type: str | None
    is_on: bool
    owner: str | None = None


class Edit(Struct, frozen=True):
    """A change of a message of one's own that the server does not have: the text that the message had, and the text
    that it shall have. `destination` is where the message was. `owner` is the window in which it was written.
    """

    message_id: int
    original: str
    content: str
    destination: Destination | None = None
    owner: str | None = None


class StatusEndRecord(Struct, frozen=True):
    """That one's own status is to be cleared at `at` (UTC seconds), if it is still this one."""

    at: float
    text: str
    emoji_name: str


class UploadState(enum.Enum):
    """Where a file is on its way; the diagram is in `protocols/uploads.py`."""

    WAITING = "waiting"
    SENDING = "sending"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class FileStamp(Struct, frozen=True):
    """By which a file is known again: its size in bytes, and when it was changed, in nanoseconds."""

    size: int
    changed: int


class UploadRecord(Struct, frozen=True):
    """One file on its way. `position` orders them, `error` is for people, `link` is the Markdown once DONE.

    `stamp` is what the file was when it was first sent. `resume_from` is the server's address of what it has
    of the file already. `destination` and `draft_id` tell in which text the link belongs. `owner` is the window
    that sends it.
    """

    upload_id: str
    position: int
    path: Path
    destination: Destination | None = None
    draft_id: str | None = None
    stamp: FileStamp | None = None
    resume_from: str | None = None
    state: UploadState = UploadState.WAITING
    error: str | None = None
    link: str | None = None
    owner: str | None = None
