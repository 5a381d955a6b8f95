"""GET /server_settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from narrowcast_api.wire.levels import SERVED_LEVEL
from narrowcast_server.organization.config import ExternalLogin, ServerConfig
from support.ledger import proves
from support.server import JsonObject, TestServer, running_server


async def settings(server: TestServer) -> JsonObject:
    return await server.call(None, "GET", "/server_settings")


@proves("SRV-01", "SRV-02", "SRV-11", "SRV-13", "SRV-14", "SRV-15", "SRV-16", "SRV-20", "SRV-21", "SRV-22")
async def test_server_settings_are_returned_in_full_without_credentials(server: TestServer) -> None:
    response = await settings(server)
    assert isinstance(response["service_version"], str)
    for name in (
        "push_notifications_enabled",
        "is_incompatible",
        "email_auth_enabled",
        "require_email_format_usernames",
        "realm_web_public_access_enabled",
    ):
        assert isinstance(response[name], bool)
    assert response["realm_name"] == "Demo"
    assert response["realm_icon"].startswith(server.url)
    assert response["realm_description"] == "<p>For <em>tests</em>.</p>"


@proves("SRV-03", "SRV-04", "SRV-05", "SRV-26", "VER-03")
async def test_the_old_map_of_login_methods_is_still_returned(server: TestServer) -> None:
    methods = (await settings(server))["authentication_methods"]
    assert len(methods) == 12
    assert all(isinstance(value, bool) for value in methods.values())
    assert {"password", "dev", "email", "ldap", "remoteuser", "saml", "openid connect"} <= methods.keys()
    assert all(name == name.lower() for name in methods)


@proves("SRV-06")
async def test_the_second_code_host_is_returned_from_level_1(server: TestServer) -> None:
    server.set_level(0)
    assert len((await settings(server))["authentication_methods"]) == 11
    server.set_level(1)
    assert len((await settings(server))["authentication_methods"]) == 12


@proves("SRV-07", "SRV-08")
async def test_external_methods_keep_their_order_and_fields(tmp_path: Path) -> None:
    logins = (
        ExternalLogin("zeta", "Zeta", "/login/zeta", "/signup/zeta"),
        ExternalLogin("alpha", "Alpha", "/login/alpha", "/signup/alpha", "https://x.example/a.png"),
    )
    async with running_server(tmp_path, config=ServerConfig(external_logins=logins)) as server:
        assert (await settings(server))["external_authentication_methods"] == [
            {
                "name": "zeta",
                "display_name": "Zeta",
                "display_icon": None,
                "login_url": "/login/zeta",
                "signup_url": "/signup/zeta",
            },
            {
                "name": "alpha",
                "display_name": "Alpha",
                "display_icon": "https://x.example/a.png",
                "login_url": "/login/alpha",
                "signup_url": "/signup/alpha",
            },
        ]


@proves("SRV-09", "SRV-10", "VER-04", "VER-06", "VER-08")
async def test_the_configured_level_is_returned_and_absent_at_0(server: TestServer) -> None:
    assert (await settings(server))["service_feature_level"] == SERVED_LEVEL
    server.set_level(300)
    assert (await settings(server))["service_feature_level"] == 300
    server.set_level(5000)
    assert (await settings(server))["service_feature_level"] == SERVED_LEVEL
    server.set_level(0)
    response = await settings(server)
    assert "service_feature_level" not in response
    assert "zulip_feature_level" not in response


@proves("SRV-12")
async def test_the_merge_base_is_returned_from_level_88(server: TestServer) -> None:
    server.set_level(87)
    assert "service_merge_base" not in await settings(server)
    server.set_level(88)
    response = await settings(server)
    assert response["service_merge_base"] == response["service_version"]


@proves("SRV-14", "SRV-27")
async def test_the_user_agent_determines_is_incompatible(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=ServerConfig(incompatible_agents=("OldApp/1.",))) as server:
        for agent, incompatible in (("OldApp/1.2", True), ("OldApp/2.0", False), ("narrowcast/1", False)):
            response = await server.raw(None, "GET", "/server_settings", headers={"User-Agent": agent})
            assert response.json()["is_incompatible"] is incompatible


@proves("SRV-16")
async def test_with_ldap_user_names_need_not_be_emails(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=ServerConfig(ldap=True)) as server:
        response = await settings(server)
        assert response["require_email_format_usernames"] is False
        assert response["authentication_methods"]["ldap"] is True


@proves("SRV-17", "SRV-18", "SRV-19", "VER-03")
async def test_the_url_has_two_names_from_257(server: TestServer) -> None:
    server.set_level(256)
    response = await settings(server)
    assert "realm_url" not in response
    assert response["realm_uri"] == server.url
    server.set_level(257)
    response = await settings(server)
    assert response["realm_url"] == response["realm_uri"] == server.url


@proves("SRV-23", "SRV-24")
async def test_web_public_access_requires_the_setting_and_a_channel(server: TestServer) -> None:
    server.set_level(116)
    assert (await settings(server))["realm_web_public_access_enabled"] is True
    await server.call("ada", "DELETE", f"/streams/{server.channel('support')}")
    assert (await settings(server))["realm_web_public_access_enabled"] is False
    server.set_level(115)
    assert "realm_web_public_access_enabled" not in await settings(server)


@proves("SRV-25")
async def test_a_root_domain_returns_no_fields_of_an_organization(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=ServerConfig(root_domain=True)) as server:
        response = await settings(server)
        assert not [name for name in response if name.startswith("realm_")]
        assert response["service_feature_level"] == SERVED_LEVEL


@pytest.mark.parametrize(
    ("dialect", "service", "zulip"),
    [("service", True, True), ("zulip", False, True), ("service-only", True, False)],
)
async def test_the_dialect_determines_the_names_of_fields(
    tmp_path: Path, dialect: str, service: bool, zulip: bool
) -> None:
    async with running_server(tmp_path, dialect=dialect) as server:
        for response in (await settings(server), (await server.listen("ada")).snapshot):
            for name in ("version", "feature_level", "merge_base"):
                assert (f"service_{name}" in response) is service
                assert (f"zulip_{name}" in response) is zulip
            assert ("event_stream_path" in response) is service
        message_id = await server.send("ada", "general", "t")
        fields = {"emoji_name": "zulip", "emoji_code": "zulip", "reaction_type": "zulip_extra_emoji"}
        await server.call("dario", "POST", f"/messages/{message_id}/reactions", fields)
        message = (await server.call("ada", "GET", f"/messages/{message_id}"))["message"]
        expected = "service_extra_emoji" if service else "zulip_extra_emoji"
        assert message["reactions"][0]["reaction_type"] == expected
