"""Events about the current user's own data: drafts, scheduled messages, snippets, settings, files."""

from __future__ import annotations

from typing import Any, Literal

from narrowcast_api.wire.drafts import Draft, Reminder, SavedSnippet, ScheduledMessage
from narrowcast_api.wire.model import GoodList, Id, Int
from narrowcast_api.wire.organization import Attachment, NavigationView, OnboardingStep

from .base import Event


class DraftsEvent(Event):
    """Base class of draft events (EVT-04)."""

    type: Literal["drafts"] = "drafts"


class DraftsAddEvent(DraftsEvent):
    """New drafts; may arrive before the response to the request that created them."""

    op: Literal["add"] = "add"
    drafts: GoodList[Draft]


class DraftsUpdateEvent(DraftsEvent):
    """A changed draft, complete."""

    op: Literal["update"] = "update"
    draft: Draft


class DraftsRemoveEvent(DraftsEvent):
    """A draft was deleted or sent."""

    op: Literal["remove"] = "remove"
    draft_id: Id


class ScheduledMessagesEvent(Event):
    """Base class of events about scheduled messages."""

    type: Literal["scheduled_messages"] = "scheduled_messages"


class ScheduledMessagesAddEvent(ScheduledMessagesEvent):
    """New scheduled messages."""

    op: Literal["add"] = "add"
    scheduled_messages: GoodList[ScheduledMessage]


class ScheduledMessagesUpdateEvent(ScheduledMessagesEvent):
    """A changed scheduled message; a failed delivery is an update with ``failed``."""

    op: Literal["update"] = "update"
    scheduled_message: ScheduledMessage


class ScheduledMessagesRemoveEvent(ScheduledMessagesEvent):
    """A scheduled message was sent or deleted."""

    op: Literal["remove"] = "remove"
    scheduled_message_id: Id


class RemindersEvent(Event):
    """Base class of reminder events."""

    type: Literal["reminders"] = "reminders"


class RemindersAddEvent(RemindersEvent):
    """Reminders were created."""

    op: Literal["add"] = "add"
    reminders: GoodList[Reminder]


class RemindersRemoveEvent(RemindersEvent):
    """A reminder was delivered or deleted."""

    op: Literal["remove"] = "remove"
    reminder_id: Id


class SavedSnippetsEvent(Event):
    """Base class of events about saved snippets."""

    type: Literal["saved_snippets"] = "saved_snippets"


class SavedSnippetsAddEvent(SavedSnippetsEvent):
    """A saved snippet was created."""

    op: Literal["add"] = "add"
    saved_snippet: SavedSnippet


class SavedSnippetsUpdateEvent(SavedSnippetsEvent):
    """A changed snippet, complete."""

    op: Literal["update"] = "update"
    saved_snippet: SavedSnippet


class SavedSnippetsRemoveEvent(SavedSnippetsEvent):
    """A saved snippet was deleted."""

    op: Literal["remove"] = "remove"
    saved_snippet_id: Id


class UserSettingsEvent(Event):
    """One of the current user's settings changed."""

    type: Literal["user_settings"] = "user_settings"
    op: Literal["update"] = "update"
    property: str
    value: Any = None


class LegacySettingEvent(Event):
    """One of the current user's settings changed, in the form for clients that do not support ``user_settings``."""

    type: Literal["update_display_settings", "update_global_notifications"]
    setting_name: str = ""
    notification_name: str = ""
    setting: Any = None

    @property
    def property(self) -> str:
        return self.setting_name or self.notification_name


class OnboardingStepsEvent(Event):
    """The onboarding hints that have not been dismissed yet."""

    type: Literal["onboarding_steps"] = "onboarding_steps"
    onboarding_steps: GoodList[OnboardingStep]


class AttachmentEvent(Event):
    """A file of the current user was added, changed (linked in messages) or removed (then only its id is valid)."""

    type: Literal["attachment"] = "attachment"
    op: Literal["add", "update", "remove"]
    attachment: Attachment
    upload_space_used: Int = 0


class NavigationViewEvent(Event):
    """Base class of events about the current user's navigation views."""

    type: Literal["navigation_view"] = "navigation_view"


class NavigationViewAddEvent(NavigationViewEvent):
    """A navigation view was added."""

    op: Literal["add"] = "add"
    navigation_view: NavigationView


class NavigationViewUpdateEvent(NavigationViewEvent):
    """Fields of a navigation view changed; ``data`` contains the new values by name."""

    op: Literal["update"] = "update"
    fragment: str
    data: dict[str, Any]


class NavigationViewRemoveEvent(NavigationViewEvent):
    """A navigation view was removed."""

    op: Literal["remove"] = "remove"
    fragment: str
