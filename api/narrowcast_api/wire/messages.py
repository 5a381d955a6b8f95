"""Messages and what is done with them (NAR, FLG and RXN rows)."""

from __future__ import annotations

from typing import Any

from pydantic import Field, field_validator

from .base import Good, GoodList, Id, Int, Seconds, WireModel, either


class Recipient(WireModel):
    """One person of a direct conversation, as messages name them."""

    id: Id
    email: str = ""
    full_name: str = ""


class ReactionUser(WireModel):
    """Who reacted, as old servers tell it."""

    user_id: Id | None = Field(default=None, validation_alias=either("user_id", "id"))
    email: str = ""
    full_name: str = ""


class Reaction(WireModel):
    """One person's reaction. Its key is (``reaction_type``, ``emoji_code``), never the name."""

    emoji_name: str
    emoji_code: str
    reaction_type: str = "unicode_emoji"
    user_id: Id | None = None
    user: ReactionUser | None = None

    @property
    def reactor_id(self) -> int | None:
        """The reacting user's id, wherever the server put it."""
        if self.user_id is not None:
            return self.user_id
        return self.user.user_id if self.user is not None else None


class Submessage(WireModel):
    """A part of a poll or todo; ``content`` is JSON text."""

    id: Id
    message_id: Id
    sender_id: Id
    msg_type: str
    content: str


class TopicLink(WireModel):
    """A link that a linkifier found in a topic."""

    text: str = ""
    url: str = ""


class EditHistoryEntry(WireModel):
    """One edit, as messages carry it; only what changed is there."""

    user_id: Id | None = None
    timestamp: Seconds = 0
    prev_content: str | None = None
    prev_rendered_content: str | None = None
    prev_stream: Id | None = None
    stream: Id | None = None
    prev_topic: str | None = Field(default=None, validation_alias=either("prev_topic", "prev_subject"))
    topic: str | None = None


def _links(value: Any) -> Any:
    """Old servers list bare addresses."""
    if isinstance(value, list):
        return [{"url": item} if isinstance(item, str) else item for item in value]
    return value


class Message(WireModel):
    """A message as the service sends it. ``timestamp`` is in seconds since 1970; ``content`` is HTML.

    In channels ``display_recipient`` is the channel's name and ``stream_id`` is set; in direct conversations
    it lists the people, oneself included. ``type`` is ``stream`` or ``private``.
    """

    id: Id
    type: str
    sender_id: Id
    content: str
    timestamp: Seconds
    sender_full_name: str = ""
    sender_email: str = ""
    sender_realm_str: str = ""
    avatar_url: str | None = None
    client: str = ""
    content_type: str = "text/html"
    is_me_message: bool = False
    display_recipient: str | GoodList[Recipient] = ""
    recipient_id: Id | None = None
    stream_id: Id | None = None
    topic: str = Field(default="", validation_alias=either("subject", "topic"))
    topic_links: GoodList[TopicLink] = []
    flags: GoodList[str] = []
    reactions: GoodList[Reaction] = []
    submessages: GoodList[Submessage] = []
    edit_history: GoodList[EditHistoryEntry] = []
    last_edit_timestamp: Seconds | None = None
    last_moved_timestamp: Seconds | None = None
    match_content: str | None = None
    match_topic: str | None = Field(default=None, validation_alias=either("match_subject", "match_topic"))

    @field_validator("topic_links", mode="before")
    @classmethod
    def _bare_links(cls, value: Any) -> Any:
        return _links(value)

    @property
    def is_direct(self) -> bool:
        """Whether this belongs to a conversation between people."""
        return self.type in ("private", "direct")

    @property
    def direct_user_ids(self) -> tuple[int, ...] | None:
        """The people of a direct conversation, oneself included, ascending; None in a channel."""
        if not self.is_direct or isinstance(self.display_recipient, str):
            return None
        return tuple(sorted(person.id for person in self.display_recipient))


class MessagePage(WireModel):
    """Answer of GET /messages, oldest first. ``anchor`` is the one that the server resolved."""

    messages: GoodList[Message] = []
    anchor: Int | None = None
    found_anchor: bool = False
    found_oldest: bool = False
    found_newest: bool = False
    history_limited: bool = False


class MessageAnswer(WireModel):
    """Answer of GET /messages/{id}; before level 120 only ``raw_content``."""

    message: Message | None = None
    raw_content: str | None = None


class SentMessage(WireModel):
    """Answer of POST /messages."""

    id: Id
    automatic_new_visibility_policy: Int | None = None


class DetachedUpload(WireModel):
    """A file that an edit removed from its last message."""

    id: Id
    name: str = ""
    path_id: str = ""
    size: Int = 0


class EditResult(WireModel):
    """Answer of PATCH /messages/{id}."""

    detached_uploads: GoodList[DetachedUpload] = []


class HistoryEntry(WireModel):
    """One state of a message, oldest first in the list; unlike ``EditHistoryEntry`` it is whole."""

    timestamp: Seconds
    content: str = ""
    rendered_content: str = ""
    topic: str = ""
    user_id: Id | None = None
    prev_content: str | None = None
    prev_rendered_content: str | None = None
    content_html_diff: str | None = None
    prev_topic: str | None = None
    stream: Id | None = None
    prev_stream: Id | None = None


class MessageHistory(WireModel):
    """Answer of GET /messages/{id}/history."""

    message_history: GoodList[HistoryEntry] = []


class ReadReceipts(WireModel):
    """Answer of GET /messages/{id}/read_receipts."""

    user_ids: GoodList[Id] = []


class RenderedMessage(WireModel):
    """Answer of POST /messages/render."""

    rendered: str


class FlagsChanged(WireModel):
    """Answer of POST /messages/flags: the ids that changed (FLG rows).

    ``ignored_because_not_subscribed_channels`` is None where the server did not say (before level 355).
    """

    messages: GoodList[Id] = []
    ignored_because_not_subscribed_channels: GoodList[Id] | None = None


class NarrowFlagsChanged(WireModel):
    """Answer of POST /messages/flags/narrow: one batch; go on from ``last_processed_id``."""

    processed_count: Int = 0
    updated_count: Int = 0
    first_processed_id: Id | None = None
    last_processed_id: Id | None = None
    found_oldest: bool = False
    found_newest: bool = False
    ignored_because_not_subscribed_channels: GoodList[Id] | None = None


class MarkAllRead(WireModel):
    """Answer of POST /mark_all_as_read; False means: ask again."""

    complete: bool = True


class MessageMatch(WireModel):
    """How a message matches a search, as HTML; fits into a ``Message`` (NAR rows)."""

    match_content: str = ""
    match_topic: str = Field(default="", validation_alias=either("match_subject", "match_topic"))


class NarrowMatches(WireModel):
    """Answer of GET /messages/matches_narrow: the messages that match, by id."""

    messages: Good[dict[int, MessageMatch]] = {}


class UploadResult(WireModel):
    """Answer of POST /user_uploads: ``url`` was ``uri`` before level 272 (UPL rows)."""

    url: str = Field(validation_alias=either("url", "uri"))
    filename: str | None = None


class TemporaryUrl(WireModel):
    """Answer of GET /user_uploads/...: a link that works without signing in, for a short time."""

    url: str


class MessagesSummary(WireModel):
    """Answer of GET /messages/summary: Markdown."""

    summary: str
