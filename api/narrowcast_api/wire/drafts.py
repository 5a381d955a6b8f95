"""Responses about texts kept before sending: drafts, scheduled messages (DRF, SCH)."""

from __future__ import annotations

from typing import Annotated

from narrowcast_api.model import drafts, scheduled_messages

from .model import GoodList, Id, Int, WireModel, read_by

Draft = Annotated[drafts.ServerDraft, read_by(drafts.read_draft)]
ScheduledMessage = Annotated[
    scheduled_messages.ScheduledMessage, read_by(scheduled_messages.read_scheduled_message)
]


class DraftList(WireModel):
    """Response of GET /drafts, oldest first."""

    drafts: GoodList[Draft] = []
    count: Int = 0


class CreatedDrafts(WireModel):
    """Response of POST /drafts: ids in the order of the request."""

    ids: list[Id]


class ScheduledMessageList(WireModel):
    """Response of GET /scheduled_messages, next delivery first."""

    scheduled_messages: GoodList[ScheduledMessage] = []


class CreatedScheduledMessage(WireModel):
    """Response of POST /scheduled_messages."""

    scheduled_message_id: Id
