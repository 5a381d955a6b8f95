"""Events about the current user's own settings and hints."""

from __future__ import annotations

from typing import Any, Literal

from narrowcast_api.wire.event import Event
from narrowcast_api.wire.model import GoodList
from narrowcast_api.wire.organization import OnboardingStep


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


class HasWebexTokenEvent(Event):
    """The current user has logged in at Webex, or logged out there."""

    type: Literal["has_webex_token"] = "has_webex_token"
    value: bool
