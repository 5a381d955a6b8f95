"""GET /server_settings (rows SRV): what a client may know before logging in."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.vocabulary import API_PREFIX
from narrowcast_server.http.routing import Call, ResponseBody, Routes
from narrowcast_server.organization.config import ServedDialect, ServerConfig
from narrowcast_server.organization.dialect import version_fields
from narrowcast_server.queries.organization import picture_path
from narrowcast_server.resources.channels.creation import rendered_description

if TYPE_CHECKING:
    from narrowcast_server.organization.organization import Organization

routes = Routes()

STREAM_PATH: Final = f"{API_PREFIX}/events/stream"
_SECOND_CODE_HOST: Final = "gitlab"
LOGIN_METHODS: Final = ("password", "dev", "email", "ldap", "remoteuser", "saml", "openid connect")
_PROVIDERS: Final = ("azuread", "github", _SECOND_CODE_HOST, "apple", "google")


@routes.get("/server_settings", public=True)
def get_server_settings(call: Call) -> ResponseBody:
    """The server's feature level and version, its ways to log in, and the organization's name and pictures."""
    organization = call.organization
    config = organization.config
    agent = call.request.headers.get("user-agent", "")
    body: ResponseBody = {
        "authentication_methods": _authentication_methods(organization),
        "external_authentication_methods": [asdict(login) for login in config.external_logins],
        **version_fields(config),
        "push_notifications_enabled": False,
        "is_incompatible": agent.startswith(config.incompatible_agents)
        if config.incompatible_agents
        else False,
        "email_auth_enabled": True,
        "require_email_format_usernames": not config.ldap,
        **event_stream_fields(config),
    }
    if not config.root_domain:
        body |= _realm(organization, base_url(call))
    return body


def event_stream_fields(config: ServerConfig) -> ResponseBody:
    """Where the queue's events can be received over a WebSocket; absent in Zulip's dialect, as Zulip servers only
    have long polls.
    """
    return {} if config.dialect is ServedDialect.ZULIP else {"event_stream_path": STREAM_PATH}


def _authentication_methods(organization: Organization) -> dict[str, bool]:
    methods = dict.fromkeys((*LOGIN_METHODS, *_PROVIDERS), False)
    methods |= {"password": True, "email": True, "ldap": organization.config.ldap}
    if organization.level < Gate.SECOND_CODE_HOST.level:
        del methods[_SECOND_CODE_HOST]
    return methods


def _realm(organization: Organization, url: str) -> ResponseBody:
    body: ResponseBody = {
        "realm_uri": url,
        "realm_name": organization.settings["name"],
        "realm_icon": url + picture_path(organization, "icon"),
        "realm_description": rendered_description(organization, organization.setting("description", str)),
    }
    if organization.level >= Gate.REALM_URL.level:
        body["realm_url"] = url
    if organization.level >= Gate.WEB_PUBLIC_ACCESS.level:
        body["realm_web_public_access_enabled"] = organization.setting(
            "enable_spectator_access", bool
        ) and any(
            channel.is_web_public and not channel.is_archived for channel in organization.channels.all()
        )
    return body


def base_url(call: Call) -> str:
    """The organization's URL: the configured one, or else that of the request."""
    return call.organization.config.url or str(call.request.base_url).rstrip("/")
