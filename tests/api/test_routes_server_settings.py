"""GET /server_settings: the first request of a client."""

from __future__ import annotations

from typing import Any

import pytest

from narrowcast_api.http.connection import Connection
from narrowcast_api.routes.auth import get_server_settings, list_dev_users
from narrowcast_api.wire.server import ServerSettings
from narrowcast_api.wire.vocabulary import Dialect
from support.api import ACCOUNT, make_connection
from support.ledger import proves
from support.scripted import ScriptedTransport

PATH = "/api/v1/server_settings"

FULL: dict[str, Any] = {
    "authentication_methods": {
        "password": True,
        "dev": False,
        "email": True,
        "ldap": False,
        "remoteuser": False,
        "saml": False,
        "openid connect": False,
        "someprovider": True,
    },
    "external_authentication_methods": [
        {
            "name": "saml:b",
            "display_name": "B",
            "display_icon": None,
            "login_url": "/accounts/login/b",
            "signup_url": "/accounts/register/b",
        },
        {
            "name": "saml:a",
            "display_name": "A",
            "display_icon": "/a.png",
            "login_url": "/accounts/login/a",
            "signup_url": "/accounts/register/a",
        },
    ],
    "service_feature_level": 372,
    "service_version": "11.0-5-gabc",
    "service_merge_base": "11.0",
    "push_notifications_enabled": True,
    "is_incompatible": False,
    "email_auth_enabled": True,
    "require_email_format_usernames": True,
    "realm_url": "https://chat.example.org",
    "realm_uri": "https://old.example.org",
    "realm_name": "Example",
    "realm_icon": "/icon.png",
    "realm_description": "<p>Hi</p>",
    "realm_web_public_access_enabled": True,
}


async def settings(response: dict[str, Any]) -> tuple[ServerSettings, Connection, ScriptedTransport]:
    transport = ScriptedTransport()
    transport.prepare("GET", PATH, json=response)
    connection = make_connection(transport, level=1)
    return await get_server_settings(connection), connection, transport


@proves("SRV-01", "SRV-02")
async def test_the_settings_are_asked_for_without_parameters_or_credentials() -> None:
    _, _, transport = await settings(FULL)
    assert transport.last.params == {}
    assert transport.last.authorization is None
    transport.finish()


@proves("SRV-03", "SRV-04", "SRV-05", "SRV-07", "SRV-08", "SRV-11", "SRV-13", "SRV-15", "SRV-16")
@proves("SRV-17", "SRV-19", "SRV-20", "SRV-21", "SRV-22", "SRV-23", "SRV-12", "SRV-09")
async def test_every_field_is_typed_and_methods_keep_their_order() -> None:
    read, connection, _ = await settings(FULL)
    assert read.authentication_methods == FULL["authentication_methods"]
    assert [dict(method.__rich_repr__()) for method in read.external_authentication_methods] == FULL[
        "external_authentication_methods"
    ]
    assert (read.feature_level, read.version, read.merge_base) == (372, "11.0-5-gabc", "11.0")
    assert read.push_notifications_enabled
    assert read.email_auth_enabled
    assert read.require_email_format_usernames
    assert read.realm_url == "https://chat.example.org", "the alias is not preferred"
    assert (read.realm_name, read.realm_icon, read.realm_description) == ("Example", "/icon.png", "<p>Hi</p>")
    assert read.realm_web_public_access_enabled
    assert (connection.server.level, connection.server.version) == (372, "11.0-5-gabc")


@proves("SRV-10", "SRV-24", "SRV-25", "SRV-26", "SRV-06")
async def test_an_empty_response_means_level_zero_and_defaults() -> None:
    read, connection, _ = await settings({})
    assert (connection.server.level, read.feature_level) == (0, 0)
    assert connection.server.known
    assert (read.merge_base, read.realm_url, read.realm_name, read.realm_icon) == (None, "", "", "")
    for name in (
        "push_notifications_enabled",
        "is_incompatible",
        "email_auth_enabled",
        "require_email_format_usernames",
        "realm_web_public_access_enabled",
    ):
        assert getattr(read, name) is False, name
    assert not read.authentication_methods.get("anything", False)
    assert read.external_authentication_methods == []


@pytest.mark.parametrize("level", [None, "372", 3.5, -1, True, [], 10**15])
async def test_an_invalid_feature_level_does_no_harm(level: object) -> None:
    with ScriptedTransport() as transport:
        transport.prepare("GET", PATH, json={"service_feature_level": level})
        async with Connection("https://chat.example.org", transport=transport) as connection:
            info = await connection.identify()
    assert 0 <= info.level <= 2**31


@proves("SRV-18")
async def test_below_257_the_address_is_under_its_old_name() -> None:
    response = {key: value for key, value in FULL.items() if key != "realm_url"}
    read, _, _ = await settings({**response, "service_feature_level": 256})
    assert read.realm_url == "https://old.example.org"


@proves("SRV-14")
async def test_a_client_that_is_too_old_is_told_so() -> None:
    read, connection, _ = await settings({**FULL, "is_incompatible": True})
    assert read.is_incompatible
    assert connection.server.is_incompatible
    connection.record_server({"queue_id": "q", "service_feature_level": 372})
    assert connection.server.is_incompatible, "registration does not say, so it stays"


@pytest.mark.parametrize(
    ("response", "dialect"),
    [
        ({"service_feature_level": 5, "service_version": "1"}, Dialect.SERVICE),
        ({"zulip_feature_level": 5, "zulip_version": "1", "zulip_merge_base": "m"}, Dialect.ZULIP),
        ({"zulip_version": "2.1"}, Dialect.ZULIP),
        ({"service_version": "1"}, Dialect.SERVICE),
        ({}, Dialect.SERVICE),
        ({"zulip_feature_level": 5, "service_feature_level": 5}, Dialect.SERVICE),
    ],
)
async def test_both_dialects_are_read_alike(response: dict[str, Any], dialect: Dialect) -> None:
    read, connection, _ = await settings(response)
    assert (read.dialect, connection.server.dialect) == (dialect, dialect)
    assert read.feature_level == connection.server.level
    assert read.version == connection.server.version
    assert (read.merge_base or "") == connection.server.merge_base


async def test_people_of_a_development_server_are_those_of_its_organization_if_one_has_its_name() -> None:
    transport = ScriptedTransport()
    connection = make_connection(transport)
    for site, found in (
        (ACCOUNT.site, ["ada@demo.example", "dev@demo.example"]),
        ("http://localhost:9991", ["dev@demo.example"]),
        ("http://[", ["dev@demo.example"]),
    ):
        people = [{"email": "ada@demo.example", "realm_url": site}, "dev@demo.example"]
        other = {"email": "zoe@other.example", "realm_url": "http://other.example:9991"}
        transport.prepare(
            "GET", "/api/v1/dev_list_users", json={"direct_admins": [other], "direct_users": people}
        )
        assert await list_dev_users(connection) == found
    transport.prepare(
        "GET", "/api/v1/dev_list_users", json={"direct_admins": [other], "direct_users": people[:1]}
    )
    assert await list_dev_users(connection) == ["zoe@other.example", "ada@demo.example"]
