"""What a user keeps before sending: drafts, scheduled messages, reminders, snippets (DRF, SCH, SNP)."""

from __future__ import annotations

from .base import GoodList, Id, Int, Seconds, WireModel


class Draft(WireModel):
    """A draft. ``id`` is there only when it comes from the server (DRF-04).

    ``timestamp`` in seconds since 1970.
    """

    type: str
    to: list[Id] = []
    topic: str = ""
    content: str = ""
    timestamp: Seconds | None = None
    id: Id | None = None


class DraftList(WireModel):
    """Answer of GET /drafts, oldest first."""

    drafts: GoodList[Draft] = []
    count: Int = 0


class CreatedDrafts(WireModel):
    """Answer of POST /drafts: ids in the order of the request."""

    ids: list[Id]


class ScheduledMessage(WireModel):
    """A message to be sent later.

    ``to`` is a channel id or a list of user ids; ``failed`` marks a failed try.
    """

    scheduled_message_id: Id
    type: str
    to: Id | list[Id]
    content: str
    rendered_content: str = ""
    topic: str = ""
    scheduled_delivery_timestamp: Seconds = 0
    failed: bool = False

    @property
    def is_direct(self) -> bool:
        """Whether it goes to people."""
        return self.type in ("private", "direct")


class ScheduledMessageList(WireModel):
    """Answer of GET /scheduled_messages, next delivery first."""

    scheduled_messages: GoodList[ScheduledMessage] = []


class CreatedScheduledMessage(WireModel):
    """Answer of POST /scheduled_messages."""

    scheduled_message_id: Id


class Reminder(WireModel):
    """A reminder of a message, delivered to oneself."""

    reminder_id: Id
    reminder_target_message_id: Id
    to: list[Id] = []
    type: str = "private"
    content: str = ""
    rendered_content: str = ""
    scheduled_delivery_timestamp: Seconds = 0
    failed: bool = False


class ReminderList(WireModel):
    """Answer of GET /reminders."""

    reminders: GoodList[Reminder] = []


class CreatedReminder(WireModel):
    """Answer of POST /reminders."""

    reminder_id: Id


class SavedSnippet(WireModel):
    """A text to insert; Markdown (SNP rows)."""

    id: Id
    title: str
    content: str
    date_created: Seconds = 0


class SavedSnippetList(WireModel):
    """Answer of GET /saved_snippets."""

    saved_snippets: GoodList[SavedSnippet] = []


class CreatedSavedSnippet(WireModel):
    """Answer of POST /saved_snippets."""

    saved_snippet_id: Id
