"""The organization's settings and domains (outside the contract, CONV-23)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from narrowcast_api.errors import InvalidInput
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.operations import OMIT, Bound, Done, Omit, Operations, given, read, text_segment
from narrowcast_api.server_info import ServerInfo
from narrowcast_api.wire.levels import Gate
from narrowcast_api.wire.organization import Domain, DomainList, TestMessage

_ONCE_IDS: Final = frozenset({"can_access_all_users_group", "create_multiuse_invite_group"})
_ONCE_UNLIMITED: Final[Mapping[str, tuple[Gate, object]]] = {
    "message_content_delete_limit_seconds": (Gate.DELETE_UNLIMITED, 0),
    "message_content_edit_limit_seconds": (Gate.EDIT_UNLIMITED, 0),
    "message_retention_days": (Gate.RETENTION_UNLIMITED, "forever"),
}
"""What older servers accept instead of "unlimited"."""


async def update_organization(connection: Connection, *, settings: Mapping[str, object]) -> Done:
    """PATCH /realm: change settings, named as in registration but without ``realm_``.

    Values are those of registration: True, 7, "en". A limit in seconds or days is a number or "unlimited",
    jitsi_server_url an address or "default"; the library encodes each (`wire.parameters`). Permissions are
    {"new": value, "old": value}. Raises UnauthorizedPrincipal if the current user is not an administrator or,
    for some settings, not an owner. The response's `ignored_parameters_unsupported` lists settings that the
    server does not know.
    """
    if not settings:
        raise InvalidInput("nothing to change")
    server = await connection.identified()
    sent = {name: _for_level(server, name, value) for name, value in settings.items()}
    return read(Done, await connection.request("PATCH", "/realm", sent))


def _for_level(server: ServerInfo, name: str, value: object) -> object:
    """A setting in the form of this server: below level 314 two permissions must be the ids of groups."""
    if value == "unlimited" and name in _ONCE_UNLIMITED:
        gate, before = _ONCE_UNLIMITED[name]
        return value if server.supports(gate) else before
    if name not in _ONCE_IDS or not isinstance(value, Mapping) or server.supports(Gate.REALM_HOLDERS):
        return value
    new = value.get("new")
    if type(new) is not int:
        server.require(Gate.REALM_HOLDERS)
    return new


async def update_user_defaults(connection: Connection, *, settings: Mapping[str, object]) -> Done:
    """PATCH /realm/user_settings_defaults: change the initial settings of new users."""
    if not settings:
        raise InvalidInput("nothing to change")
    return read(Done, await connection.request("PATCH", "/realm/user_settings_defaults", dict(settings)))


async def deactivate_organization(
    connection: Connection, *, deletion_delay_days: int | Omit | None = OMIT
) -> Done:
    """POST /realm/deactivate: close the organization for everybody; owners only. Nobody can log in afterwards.

    `deletion_delay_days`: days until its data is deleted, 0 for at once, None for never, OMIT for the server's default.
    """
    params = given(deletion_delay_days=deletion_delay_days)
    return read(Done, await connection.request("POST", "/realm/deactivate", params))


async def test_welcome_message(connection: Connection, *, welcome_message_custom_text: str) -> int:
    """POST /realm/test_welcome_bot_custom_message: send the current user the welcome message of new users
    (level 416); administrators only. Returns the id of the message.
    """
    params = {"welcome_message_custom_text": welcome_message_custom_text}
    response = await connection.request("POST", "/realm/test_welcome_bot_custom_message", params)
    return read(TestMessage, response).message_id


async def list_domains(connection: Connection) -> list[Domain]:
    """GET /realm/domains: the domains whose email addresses may join."""
    return list(read(DomainList, await connection.request("GET", "/realm/domains")).domains)


async def add_domain(connection: Connection, *, domain: str, allow_subdomains: bool = False) -> Done:
    """POST /realm/domains: allow users with an email address in `domain` to join."""
    params = {"domain": domain, "allow_subdomains": allow_subdomains}
    return read(Done, await connection.request("POST", "/realm/domains", params))


async def update_domain(connection: Connection, *, domain: str, allow_subdomains: bool) -> Done:
    """PATCH /realm/domains/{domain}: set whether its subdomains are allowed too."""
    path = f"/realm/domains/{text_segment(domain, 'domain')}"
    return read(Done, await connection.request("PATCH", path, {"allow_subdomains": allow_subdomains}))


async def remove_domain(connection: Connection, *, domain: str) -> Done:
    """DELETE /realm/domains/{domain}."""
    path = f"/realm/domains/{text_segment(domain, 'domain')}"
    return read(Done, await connection.request("DELETE", path))


class OrganizationOperations(Operations):
    """The organization's settings and domains."""

    update = Bound(update_organization)
    update_user_defaults = Bound(update_user_defaults)
    deactivate = Bound(deactivate_organization)
    test_welcome_message = Bound(test_welcome_message)
    domains = Bound(list_domains)
    add_domain = Bound(add_domain)
    update_domain = Bound(update_domain)
    remove_domain = Bound(remove_domain)
