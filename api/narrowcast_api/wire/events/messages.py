"""Events about messages: new, changed and deleted messages, reactions, flags."""

from __future__ import annotations

from typing import Annotated, Literal

from narrowcast_api.model import messages
from narrowcast_api.model.reading import RawRecord
from narrowcast_api.wire.event import Event
from narrowcast_api.wire.model import Good, GoodList, Id, Seconds, WireModel, either, read_by


class MessageEvent(Event):
    """A new message. On the wire the current user's ``flags`` of it and the sender's ``local_message_id`` are
    beside the message; ``message`` includes both.
    """

    type: Literal["message"] = "message"
    message: Annotated[messages.Message, read_by(messages.read_message)]
    flags: GoodList[str] = []
    local_message_id: str | None = None


class UpdateMessageEvent(Event):
    """A change of content (of ``message_id``), of topic or channel (of all ``message_ids``), or of both.

    ``topic`` and ``new_stream_id`` are None if they did not change; a move to another channel alone has no
    ``topic``. With ``rendering_only`` only the HTML changed and nobody edited the message: ``user_id`` is
    None.
    """

    type: Literal["update_message"] = "update_message"
    message_id: Id
    message_ids: list[Id] = []
    user_id: Id | None = None
    edit_timestamp: Seconds = 0
    rendering_only: bool = False
    flags: GoodList[str] = []
    is_me_message: bool | None = None
    content: str | None = None
    rendered_content: str | None = None
    orig_content: str | None = None
    orig_rendered_content: str | None = None
    stream_id: Id | None = None
    stream_name: str | None = None
    new_stream_id: Id | None = None
    propagate_mode: str | None = None
    orig_topic: Annotated[str | None, either("orig_subject", "orig_topic")] = None
    topic: Annotated[str | None, either("subject", "topic")] = None

    @classmethod
    def prepared(cls, row: RawRecord) -> RawRecord:
        if "rendering_only" not in row:  # TODO(server-114): before, only edits by users had a `user_id`
            row = {**row, "rendering_only": row.get("user_id") is None}
        if not row.get("message_ids") and "message_id" in row:
            return {**row, "message_ids": [row["message_id"]]}
        return row

    @property
    def moved_to(self) -> tuple[int, str] | None:
        """The channel and topic of all ``message_ids`` after a move; None if neither changed."""
        if self.topic is None and self.new_stream_id is None:
            return None
        channel_id = self.stream_id if self.new_stream_id is None else self.new_stream_id
        topic = self.orig_topic if self.topic is None else self.topic
        return None if channel_id is None or topic is None else (channel_id, topic)


class DeleteMessageEvent(Event):
    """Messages were deleted; a single deletion is read as a list of one."""

    type: Literal["delete_message"] = "delete_message"
    message_ids: list[Id]
    message_type: str = ""
    stream_id: Id | None = None
    topic: str | None = None

    @classmethod
    def prepared(cls, row: RawRecord) -> RawRecord:
        if "message_ids" not in row and "message_id" in row:
            return {**row, "message_ids": [row["message_id"]]}
        return row


class ReactionEvent(Event):
    """A user added (``op`` add) or removed (remove) a reaction."""

    type: Literal["reaction"] = "reaction"
    op: Literal["add", "remove"]
    message_id: Id
    reaction: Annotated[messages.Reaction, read_by(messages.read_reaction)]

    @classmethod
    def prepared(cls, row: RawRecord) -> RawRecord:
        return {**row, "reaction": row}


class UnreadDetail(WireModel):
    """The conversation of a message that was marked as unread, which may not have been loaded."""

    type: str
    mentioned: bool = False
    user_ids: list[Id] | None = None
    stream_id: Id | None = None
    topic: str | None = None
    unmuted_stream_msg: bool | None = None

    @property
    def is_direct(self) -> bool:
        """Whether it is a direct message; ``user_ids`` are the other participants."""
        return self.type in ("private", "direct")


class UpdateMessageFlagsEvent(Event):
    """The current user's flag on messages was set (``op`` add) or cleared (remove); ``all`` means every message."""

    type: Literal["update_message_flags"] = "update_message_flags"
    op: Annotated[Literal["add", "remove"], either("op", "operation")]
    flag: str
    messages: list[Id] = []
    all: bool = False
    message_details: Good[dict[int, UnreadDetail]] = {}


class SubmessageEvent(Event):
    """A vote or change in a poll or to-do list; ``content`` is JSON text."""

    type: Literal["submessage"] = "submessage"
    message_id: Id
    submessage_id: Id
    sender_id: Id
    msg_type: str = "widget"
    content: str
