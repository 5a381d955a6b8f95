"""Events about the organization, and about the connection itself."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from narrowcast_api.wire.event import Event
from narrowcast_api.wire.model import Id, Int, dialects
from narrowcast_api.wire.organization import (
    Domain,
)


class RealmEvent(Event):
    """Base class of events about the organization's settings."""

    type: Literal["realm"] = "realm"

    def changes(self) -> dict[str, Any]:
        """The new values by name, without the prefix ``realm_`` of registration."""
        return {}


class RealmUpdateEvent(RealmEvent):
    """One setting of the organization changed."""

    op: Literal["update"] = "update"
    property: str
    value: Any = None

    def changes(self) -> dict[str, Any]:
        return {self.property: self.value}


class RealmUpdateDictEvent(RealmEvent):
    """Several settings changed."""

    op: Literal["update_dict"] = "update_dict"
    property: str = "default"
    data: dict[str, Any]

    def changes(self) -> dict[str, Any]:
        """All new values. The names of icon, logo and night_logo already include the prefix."""
        return dict(self.data)


class RealmDeactivatedEvent(RealmEvent):
    """The organization was closed."""

    op: Literal["deactivated"] = "deactivated"
    realm_id: Id | None = None


class RealmUserSettingsDefaultsEvent(Event):
    """An initial setting of new users changed."""

    type: Literal["realm_user_settings_defaults"] = "realm_user_settings_defaults"
    op: Literal["update"] = "update"
    property: str
    value: Any = None


class RealmDomainsEvent(Event):
    """Base class of events about the organization's email domains."""

    type: Literal["realm_domains"] = "realm_domains"


class RealmDomainsAddEvent(RealmDomainsEvent):
    """A domain was added, or changed (``change``)."""

    op: Literal["add", "change"]
    realm_domain: Domain


class RealmDomainsRemoveEvent(RealmDomainsEvent):
    """An email domain was removed."""

    op: Literal["remove"] = "remove"
    domain: str


class HeartbeatEvent(Event):
    """An event without content, which keeps the connection alive; its id counts as received."""

    type: Literal["heartbeat"] = "heartbeat"


class RestartEvent(Event):
    """The server was restarted and may have a different level (VER-06)."""

    type: Literal["restart"] = "restart"
    version: Annotated[str | None, dialects("version")] = None
    merge_base: Annotated[str | None, dialects("merge_base")] = None
    feature_level: Annotated[Int | None, dialects("feature_level")] = None
    server_generation: Int | None = None
    immediate: bool = False


class WebReloadClientEvent(Event):
    """The web app should reload; other clients can ignore it."""

    type: Literal["web_reload_client"] = "web_reload_client"
    immediate: bool = False
