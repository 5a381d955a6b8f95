"""Responses about messages and operations on them (NAR, FLG and RXN rows).

The messages themselves are `narrowcast_api.model.messages`.
"""

from __future__ import annotations

from typing import Annotated

from narrowcast_api.model import messages as model

from .model import Good, GoodList, Id, Int, Seconds, WireModel, either, read_by

FetchedMessage = Annotated[model.FetchedMessage, read_by(model.read_fetched_message)]


class MessagePage(WireModel):
    """Response of GET /messages, oldest first. ``anchor`` is the id that the server resolved."""

    fetched: Annotated[GoodList[FetchedMessage], either("messages")] = []
    anchor: Int | None = None
    found_anchor: bool = False
    found_oldest: bool = False
    found_newest: bool = False
    history_limited: bool = False

    @property
    def messages(self) -> list[model.Message]:
        return [fetched.message for fetched in self.fetched]

    @property
    def matches(self) -> dict[int, model.Match]:
        """The matches in the response to a search, by message id."""
        return {one.message.id: one.match for one in self.fetched if one.match is not None}


class MessageResponse(WireModel):
    """Response of GET /messages/{id}; before level 120 only ``raw_content``."""

    fetched: Annotated[FetchedMessage | None, either("message")] = None
    raw_content: str | None = None

    @property
    def message(self) -> model.Message | None:
        return self.fetched.message if self.fetched is not None else None


class SentMessage(WireModel):
    """Response of POST /messages. From level 508 with the absolute address of the message, and a Markdown link to it;
    both are empty below.
    """

    id: Id
    message_url: str = ""
    message_link: str = ""
    automatic_new_visibility_policy: Int | None = None


class DetachedUpload(WireModel):
    """A file to which no message links after an edit."""

    id: Id
    name: str = ""
    path_id: str = ""
    size: Int = 0


class EditResult(WireModel):
    """Response of PATCH /messages/{id}."""

    detached_uploads: GoodList[DetachedUpload] = []


class HistoryEntry(WireModel):
    """A version of a message in GET /messages/{id}/history, oldest first: complete, unlike the `edit_history` of a
    message, which only has the changes.
    """

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
    """Response of GET /messages/{id}/history."""

    message_history: GoodList[HistoryEntry] = []


class ReadReceipts(WireModel):
    """Response of GET /messages/{id}/read_receipts."""

    user_ids: GoodList[Id] = []


class RenderedMessage(WireModel):
    """Response of POST /messages/render."""

    rendered: str


class FlagsChanged(WireModel):
    """Response of POST /messages/flags: the ids that changed (FLG rows).

    ``ignored_because_not_subscribed_channels`` is None if the server did not send it (below level 355).
    """

    messages: GoodList[Id] = []
    ignored_because_not_subscribed_channels: GoodList[Id] | None = None


class NarrowFlagsChanged(WireModel):
    """Response of POST /messages/flags/narrow: one batch; the next one starts at ``last_processed_id``."""

    processed_count: Int = 0
    updated_count: Int = 0
    first_processed_id: Id | None = None
    last_processed_id: Id | None = None
    found_oldest: bool = False
    found_newest: bool = False
    ignored_because_not_subscribed_channels: GoodList[Id] | None = None


class MarkAllRead(WireModel):
    """Response of POST /mark_all_as_read; False means that the request must be repeated."""

    complete: bool = True


Match = Annotated[model.Match, read_by(model.read_match)]


class NarrowMatches(WireModel):
    """Response of GET /messages/matches_narrow: the matching messages, by id."""

    messages: Good[dict[int, Match]] = {}


class UploadResult(WireModel):
    """Response of POST /user_uploads: ``url`` was ``uri`` before level 272 (UPL rows)."""

    url: Annotated[str, either("url", "uri")]
    filename: str | None = None


class TemporaryUrl(WireModel):
    """Response of GET /user_uploads/...: a temporary link that works without logging in."""

    url: str


class MessagesSummary(WireModel):
    """Response of GET /messages/summary: Markdown."""

    summary: str
