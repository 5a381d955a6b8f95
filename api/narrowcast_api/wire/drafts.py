"""Responses about texts kept before sending: drafts, scheduled messages, reminders, snippets (DRF, SCH, SNP)."""

from __future__ import annotations

from typing import Annotated

from narrowcast_api.model import drafts, reminders, saved_snippets, scheduled_messages

from .model import GoodList, Id, Int, WireModel, read_by

Draft = Annotated[drafts.ServerDraft, read_by(drafts.read_draft)]
ScheduledMessage = Annotated[
    scheduled_messages.ScheduledMessage, read_by(scheduled_messages.read_scheduled_message)
]
Reminder = Annotated[reminders.Reminder, read_by(reminders.read_reminder)]
SavedSnippet = Annotated[saved_snippets.SavedSnippet, read_by(saved_snippets.read_saved_snippet)]


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


class ReminderList(WireModel):
    """Response of GET /reminders."""

    reminders: GoodList[Reminder] = []


class CreatedReminder(WireModel):
    """Response of POST /reminders."""

    reminder_id: Id


class SavedSnippetList(WireModel):
    """Response of GET /saved_snippets."""

    saved_snippets: GoodList[SavedSnippet] = []


class CreatedSavedSnippet(WireModel):
    """Response of POST /saved_snippets."""

    saved_snippet_id: Id
