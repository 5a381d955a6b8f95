"""What a server says of itself: every field optional, both dialects, and the level from the level alone."""

from __future__ import annotations

from typing import Any

import pytest

from narrowcast_api.client import Client
from narrowcast_api.server_info import ServerInfo
from narrowcast_api.wire.server import ServerSettings
from narrowcast_api.wire.vocabulary import Dialect
from support.api import ACCOUNT, scripted_client
from support.captures import fixture
from support.ledger import proves
from support.scripted import ScriptedTransport

PATH = "/api/v1/server_settings"
PLAIN = ("password", "dev", "email", "ldap", "remoteuser", "saml", "openid connect")


def _answer(**changes: object) -> dict[str, Any]:
    answer: dict[str, Any] = fixture("answers.json")["GET server_settings"]
    return {**answer, **changes}


async def _settings(answer: dict[str, Any]) -> ServerSettings:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", PATH, json=answer)
        return await client.server.settings()


@proves("SRV-01", "SRV-02", "AUTH-01", "SRV-09")
async def test_the_first_question_carries_no_credentials_and_teaches_the_level() -> None:
    with ScriptedTransport() as transport:
        async with Client.open(ACCOUNT, transport=transport) as client:
            transport.prepare("GET", PATH, json=_answer(), params={})
            transport.prepare("GET", "/api/v1/users/me/31/topics", json={"topics": []})
            # The first call that depends on the level asks for it by itself, once.
            await client.topics.list(channel_id=31)
            asked, used = transport.requests
            assert asked.authorization is None
            assert used.authorization is not None
            assert used.authorization.startswith("Basic ")
            assert client.connection.server.level == 400


@proves("SRV-03", "SRV-04", "SRV-05", "SRV-06")
async def test_ways_to_sign_in_are_read_by_any_key_and_an_absent_one_is_off() -> None:
    methods = {**dict.fromkeys(PLAIN, True), "second forge": True, "apple tree": False, "odd": "maybe?"}
    settings = await _settings(_answer(authentication_methods=methods))
    assert all(settings.authentication_methods[name] for name in PLAIN)
    assert settings.authentication_methods["second forge"]
    assert "odd" not in settings.authentication_methods
    older = await _settings(
        _answer(authentication_methods=dict.fromkeys(PLAIN, True), service_feature_level=0)
    )
    assert not older.authentication_methods.get("second forge", False)


@proves("SRV-07", "SRV-08")
async def test_external_methods_keep_their_order_and_may_have_no_icon() -> None:
    methods = [
        {"name": "b", "display_name": "B", "display_icon": None, "login_url": "/l/b", "signup_url": "/s/b"},
        {
            "name": "a",
            "display_name": "A",
            "display_icon": "/a.png",
            "login_url": "/l/a",
            "signup_url": "/s/a",
        },
        {"display_name": "nameless"},
    ]
    settings = await _settings(_answer(external_authentication_methods=methods))
    assert [method.name for method in settings.external_authentication_methods] == ["b", "a"]
    assert settings.external_authentication_methods[0].display_icon is None
    assert settings.external_authentication_methods[1].login_url == "/l/a"


@proves("SRV-10", "SRV-24", "SRV-26")
async def test_an_empty_answer_has_level_zero_and_a_default_for_everything() -> None:
    settings = await _settings({})
    assert settings.feature_level == 0
    assert settings.merge_base is None
    flags = (
        settings.push_notifications_enabled,
        settings.is_incompatible,
        settings.email_auth_enabled,
        settings.require_email_format_usernames,
        settings.realm_web_public_access_enabled,
    )
    assert not any(flags)
    texts = (settings.version, settings.realm_name, settings.realm_icon, settings.realm_description)
    assert texts == ("", "", "", "")


@proves("SRV-11", "VER-08")
@pytest.mark.parametrize("version", ["1.2", "abc", "12.0-dev+git-1-gdeadbeef", ""])
async def test_the_version_is_a_label_and_never_decides(version: str) -> None:
    settings = await _settings(_answer(service_version=version, service_feature_level=300))
    assert (settings.version, settings.feature_level) == (version, 300)
    assert ServerInfo.from_answer(_answer(service_version=version, service_feature_level=300)).level == 300


@proves("SRV-12")
async def test_the_merge_base_may_be_absent_or_empty() -> None:
    absent = _answer()
    del absent["service_merge_base"]
    assert (await _settings(absent)).merge_base is None
    assert (await _settings(_answer(service_merge_base=""))).merge_base == ""


@proves("SRV-13", "SRV-15", "SRV-16", "SRV-20", "SRV-21", "SRV-22", "SRV-23")
async def test_the_organization_is_read_as_it_describes_itself() -> None:
    script = "<script>alert(1)</script>"
    settings = await _settings(_answer(realm_description=script, push_notifications_enabled=True))
    assert settings.push_notifications_enabled
    assert settings.email_auth_enabled
    assert settings.require_email_format_usernames
    assert settings.realm_web_public_access_enabled
    assert (settings.realm_name, settings.realm_icon) == ("Harbor watch", "/static/icon.png")
    assert settings.realm_description == script


@proves("SRV-14")
async def test_a_server_that_deems_us_too_old_is_remembered() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", PATH, json=_answer(is_incompatible=True))
        assert (await client.server.settings()).is_incompatible
        assert client.connection.server.is_incompatible


@proves("SRV-17", "SRV-18", "SRV-19")
async def test_the_address_comes_by_its_new_name_and_else_by_its_old_one() -> None:
    both = _answer(realm_url="https://new.example", realm_uri="https://old.example")
    assert (await _settings(both)).realm_url == "https://new.example"
    old = _answer(realm_uri="https://old.example")
    del old["realm_url"]
    assert (await _settings(old)).realm_url == "https://old.example"
    new = _answer(realm_url="https://new.example")
    del new["realm_uri"]
    assert (await _settings(new)).realm_url == "https://new.example"


@proves("SRV-25")
async def test_the_root_of_many_organizations_says_nothing_of_any() -> None:
    root = {name: value for name, value in _answer().items() if not name.startswith("realm_")}
    settings = await _settings(root)
    assert settings.feature_level == 400
    assert settings.realm_url == ""


@proves("SRV-27")
async def test_the_client_names_itself() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", PATH, json=_answer())
        await client.server.settings()
        assert transport.last.headers["user-agent"].startswith("Narrowcast/")


@pytest.mark.parametrize("dialect", list(Dialect))
async def test_both_dialects_read_alike_and_are_told_apart(dialect: Dialect) -> None:
    answer = {f"{dialect}_feature_level": 123, f"{dialect}_version": "v", f"{dialect}_merge_base": "b"}
    settings = await _settings(answer)
    assert (settings.feature_level, settings.version, settings.merge_base) == (123, "v", "b")
    assert settings.dialect is dialect
    assert ServerInfo.from_answer(answer).dialect is dialect
