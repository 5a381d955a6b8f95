"""Events about what belongs to the caller alone: drafts, what is scheduled, snippets, settings, files."""

from __future__ import annotations

from typing import Any, Literal

from narrowcast_api.wire.drafts import Draft, Reminder, SavedSnippet, ScheduledMessage
from narrowcast_api.wire.model import GoodList, Id, Int
from narrowcast_api.wire.organization import Attachment, NavigationView, OnboardingStep

from .base import Event


class DraftsEvent(Event):
    """Root of what happens to drafts (EVT-04)."""

    type: Literal["drafts"] = "drafts"


class DraftsAddEvent(DraftsEvent):
    """New drafts; may come before the answer to their creation."""

    op: Literal["add"] = "add"
    drafts: GoodList[Draft]


class DraftsUpdateEvent(DraftsEvent):
    """A draft, whole, after a change."""

    op: Literal["update"] = "update"
    draft: Draft


class DraftsRemoveEvent(DraftsEvent):
    """A draft was deleted or sent."""

    op: Literal["remove"] = "remove"
    draft_id: Id


class ScheduledMessagesEvent(Event):
    """Root of what happens to scheduled messages."""

    type: Literal["scheduled_messages"] = "scheduled_messages"


class ScheduledMessagesAddEvent(ScheduledMessagesEvent):
    """New scheduled messages."""

    op: Literal["add"] = "add"
    scheduled_messages: GoodList[ScheduledMessage]


class ScheduledMessagesUpdateEvent(ScheduledMessagesEvent):
    """A scheduled message after a change; a failed delivery is an update with ``failed``."""

    op: Literal["update"] = "update"
    scheduled_message: ScheduledMessage


class ScheduledMessagesRemoveEvent(ScheduledMessagesEvent):
    """A scheduled message was sent or deleted."""

    op: Literal["remove"] = "remove"
    scheduled_message_id: Id


class RemindersEvent(Event):
    """Root of what happens to reminders."""

    type: Literal["reminders"] = "reminders"


class RemindersAddEvent(RemindersEvent):
    """Reminders were scheduled."""

    op: Literal["add"] = "add"
    reminders: GoodList[Reminder]


class RemindersRemoveEvent(RemindersEvent):
    """A reminder was delivered or deleted."""

    op: Literal["remove"] = "remove"
    reminder_id: Id


class SavedSnippetsEvent(Event):
    """Root of what happens to saved snippets."""

    type: Literal["saved_snippets"] = "saved_snippets"


class SavedSnippetsAddEvent(SavedSnippetsEvent):
    """A saved snippet was created."""

    op: Literal["add"] = "add"
    saved_snippet: SavedSnippet


class SavedSnippetsUpdateEvent(SavedSnippetsEvent):
    """A snippet, whole, after a change."""

    op: Literal["update"] = "update"
    saved_snippet: SavedSnippet


class SavedSnippetsRemoveEvent(SavedSnippetsEvent):
    """A saved snippet was deleted."""

    op: Literal["remove"] = "remove"
    saved_snippet_id: Id


class UserSettingsEvent(Event):
    """One of the caller's settings changed."""

    type: Literal["user_settings"] = "user_settings"
    op: Literal["update"] = "update"
    property: str
    value: Any = None


class LegacySettingEvent(Event):
    """One of the caller's settings, as servers tell clients that know no ``user_settings``."""

    type: Literal["update_display_settings", "update_global_notifications"]
    setting_name: str = ""
    notification_name: str = ""
    setting: Any = None

    @property
    def property(self) -> str:
        return self.setting_name or self.notification_name


class OnboardingStepsEvent(Event):
    """The hints that are still to be shown."""

    type: Literal["onboarding_steps"] = "onboarding_steps"
    onboarding_steps: GoodList[OnboardingStep]


class AttachmentEvent(Event):
    """A file of the caller was added, changed (linked in messages) or removed (only its id counts then)."""

    type: Literal["attachment"] = "attachment"
    op: Literal["add", "update", "remove"]
    attachment: Attachment
    upload_space_used: Int = 0


class NavigationViewEvent(Event):
    """Root of what happens to the caller's own navigation."""

    type: Literal["navigation_view"] = "navigation_view"


class NavigationViewAddEvent(NavigationViewEvent):
    """An entry of the navigation was added."""

    op: Literal["add"] = "add"
    navigation_view: NavigationView


class NavigationViewUpdateEvent(NavigationViewEvent):
    """Fields of an entry changed; ``data`` holds the new values by name."""

    op: Literal["update"] = "update"
    fragment: str
    data: dict[str, Any]


class NavigationViewRemoveEvent(NavigationViewEvent):
    """An entry of the navigation was removed."""

    op: Literal["remove"] = "remove"
    fragment: str
