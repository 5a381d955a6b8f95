"""Records of the journal: what outbox, drafts, edits and uploads need after a crash."""

from __future__ import annotations

import enum
from pathlib import Path

from msgspec import Struct

from narrowcast_api.narrow.destinations import Destination
from narrowcast_api.resources.drafts import DraftVersion


class OutboxState(enum.Enum):
    """The state of a message that is being sent; the diagram is in `protocols/outbox.py`."""

    WAITING = "waiting"
    SENDING = "sending"
    UNCONFIRMED = "unconfirmed"
    FAILED = "failed"
    SENT = "sent"


class OutboxMessage(Struct, frozen=True):
    """One unsent message. `position` orders them, `created` is UTC seconds, `error` is a message for the
    user.

    `floor_id` is the newest message id known before the first attempt: if the message arrived, it has a
    greater one. `tried`: a request may have reached the server. `unknown`: it is FAILED because it could not
    be found out whether it arrived. `owner` is the window that sends it.
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
    """One local draft. `edited` is UTC seconds.

    `server_id` is set once the server has it, and `base` is the server's version on which the local one is
    based. `dirty`: the server must be updated. `deleted`: deleted by the user, but not on the server yet.
    `posting`: a request to create it may have reached the server, so check before repeating it.
    `conflict_with` is the draft that has the other text, if two devices wrote at the same time. `generation`
    grows each time that the draft was sent or deleted elsewhere while its text was changed: what is kept is a new
    draft. `missing_since` (UTC seconds) is set once the server was found not to have it any more: it is no draft then,
    but its text can be restored. `revision` changes each time that a window writes the draft. `error`, which is not in
    the journal: why the draft is only kept locally, for the user.
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
    generation: int = 0
    missing_since: float | None = None
    revision: str | None = None

    @property
    def destination(self) -> Destination | None:
        return self.version.destination

    @property
    def content(self) -> str:
        return self.version.content

    @property
    def is_listed(self) -> bool:
        """Whether it is one of the user's drafts: not deleted here, and not missing."""
        return not self.deleted and self.missing_since is None

    @property
    def synced(self) -> bool:
        """Whether the server has this text."""
        return self.server_id is not None and not self.dirty


class ActionRecord(Struct, frozen=True):
    """One action on a message that the server has not confirmed: `flag` set or cleared, or else a reaction
    added or removed. `position` orders them. `owner` is the window that sends it.
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
    """An unsaved edit of a message of the current user: the original text of the message, and the edited one.
    `destination` is where the message was. `owner` is the window in which it was written.
    """

    message_id: int
    original: str
    content: str
    destination: Destination | None = None
    owner: str | None = None


class StatusEndRecord(Struct, frozen=True):
    """The user's status is to be cleared at `at` (UTC seconds), if it still has this text and emoji."""

    at: float
    text: str
    emoji_name: str


class UploadState(enum.Enum):
    """The state of an upload; the diagram is in `protocols/uploads.py`."""

    WAITING = "waiting"
    SENDING = "sending"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class FileStamp(Struct, frozen=True):
    """Identifies the version of a file: its size in bytes, and the time of its last change in nanoseconds."""

    size: int
    changed: int


class UploadRecord(Struct, frozen=True):
    """One upload. `position` orders them, `error` is a message for the user, `link` is the Markdown once
    DONE.

    `stamp` is the version of the file when it was first sent. `resume_from` is the server's URL of a partial
    upload. `destination` and `draft_id` say to which text the link belongs. `owner` is the window that sends
    it.
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
