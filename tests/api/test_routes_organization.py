"""What an organization configures: emoji, profile fields, domains, default channels, folders, files,
navigation.
"""

from __future__ import annotations

import json

import pytest

from narrowcast_api.errors import InvalidInput, UnauthorizedPrincipal
from narrowcast_api.wire.vocabulary import ProfileFieldType
from support.api import scripted_client

REALM = "/api/v1/realm"


async def test_custom_emoji_are_listed_uploaded_and_deactivated() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", f"{REALM}/emoji", json={"emoji": {"4": {"id": "4", "name": "lamp"}, "5": 7}})
        assert {key: emoji.name for key, emoji in (await client.custom_emoji.list()).items()} == {"4": "lamp"}
        transport.prepare("POST", f"{REALM}/emoji/lamp")
        await client.custom_emoji.upload(emoji_name="lamp", image=b"\x89PNG", file_name="l.png")
        assert transport.last.headers["content-type"].startswith("multipart/form-data")
        assert b"\x89PNG" in transport.last.body
        transport.prepare("DELETE", f"{REALM}/emoji/lamp")
        await client.custom_emoji.deactivate(emoji_name="lamp")
        with pytest.raises(InvalidInput):
            await client.custom_emoji.deactivate(emoji_name="..")


SHIP = {"id": 1, "name": "Ship", "type": 1}


async def test_profile_fields_are_defined_changed_sorted_and_filled_in() -> None:
    fields = f"{REALM}/profile_fields"
    async with scripted_client() as (client, transport):
        transport.prepare(
            "GET", fields, json={"custom_fields": [SHIP, {**SHIP, "use_for_user_matching": True}]}
        )
        ship, searched = await client.profile_fields.list()
        assert ship.type == ProfileFieldType.SHORT_TEXT
        assert not ship.use_for_user_matching
        assert searched.use_for_user_matching
        choices = {"0": {"text": "Meridian", "order": "1"}}
        transport.prepare("POST", fields, json={"id": 2})
        made = await client.profile_fields.create(
            field_type=ProfileFieldType.SELECT, name="Ship", field_data=choices, required=True
        )
        assert made == 2
        assert set(transport.last.params) == {"field_type", "name", "field_data", "required"}
        assert transport.last.json("field_data") == choices
        transport.prepare("PATCH", f"{fields}/2", params={"hint": "which"})
        await client.profile_fields.update(field_id=2, hint="which")
        with pytest.raises(InvalidInput):
            await client.profile_fields.update(field_id=2)
        transport.prepare("PATCH", f"{fields}/2", params={"use_for_user_matching": "true"})
        await client.profile_fields.update(field_id=2, use_for_user_matching=True)
        transport.prepare("PATCH", fields, params={"order": "[2,1]"})
        await client.profile_fields.reorder(order=[2, 1])
        transport.prepare("DELETE", f"{fields}/2")
        await client.profile_fields.delete(field_id=2)
        transport.prepare("PATCH", "/api/v1/users/me/profile_data")
        await client.users.update_my_profile(values={1: "Meridian", 2: [12]})
        assert transport.last.json("data") == [{"id": 1, "value": "Meridian"}, {"id": 2, "value": [12]}]
        transport.prepare("DELETE", "/api/v1/users/me/profile_data", params={"data": "[1]"})
        await client.users.clear_my_profile(field_ids=[1])


async def test_settings_of_the_organization_change_by_name() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("PATCH", REALM, json={"ignored_parameters_unsupported": ["zzz"]})
        done = await client.organization.update(
            settings={"name": "Harbor", "can_invite_users_group": {"new": 50, "old": 49}, "zzz": None}
        )
        assert transport.last.params["name"] == "Harbor"
        assert json.loads(transport.last.params["can_invite_users_group"]) == {"new": 50, "old": 49}
        assert done.ignored_parameters_unsupported == ("zzz",)
        transport.prepare("PATCH", f"{REALM}/user_settings_defaults", params={"enter_sends": "true"})
        await client.organization.update_user_defaults(settings={"enter_sends": True})
        for empty in (client.organization.update, client.organization.update_user_defaults):
            with pytest.raises(InvalidInput):
                await empty(settings={})
        transport.prepare_error("PATCH", REALM, code="UNAUTHORIZED_PRINCIPAL", msg="Must be an owner")
        with pytest.raises(UnauthorizedPrincipal):
            await client.organization.update(settings={"name": "x"})


async def test_domains_come_and_go() -> None:
    async with scripted_client() as (client, transport):
        listed = {"domains": [{"domain": "demo.example", "allow_subdomains": True}]}
        transport.prepare("GET", f"{REALM}/domains", json=listed)
        assert (await client.organization.domains())[0].allow_subdomains
        sent = {"domain": "demo.example", "allow_subdomains": "false"}
        transport.prepare("POST", f"{REALM}/domains", params=sent)
        await client.organization.add_domain(domain="demo.example")
        transport.prepare("PATCH", f"{REALM}/domains/demo.example", params={"allow_subdomains": "true"})
        await client.organization.update_domain(domain="demo.example", allow_subdomains=True)
        transport.prepare("DELETE", f"{REALM}/domains/demo.example")
        await client.organization.remove_domain(domain="demo.example")


async def test_channel_folders_are_listed_made_changed_and_sorted() -> None:
    folders = "/api/v1/channel_folders"
    async with scripted_client() as (client, transport):
        transport.prepare("GET", folders, json={"channel_folders": [{"id": 2, "name": "Harbor"}]})
        assert (await client.channel_folders.list())[0].name == "Harbor"
        transport.prepare("POST", f"{folders}/create", json={"channel_folder_id": 2})
        assert await client.channel_folders.create(name="Harbor") == 2
        transport.prepare("PATCH", f"{folders}/2", params={"is_archived": "true"})
        await client.channel_folders.update(channel_folder_id=2, is_archived=True)
        with pytest.raises(InvalidInput):
            await client.channel_folders.update(channel_folder_id=2)
        transport.prepare("PATCH", folders, params={"order": "[2,1]"})
        await client.channel_folders.reorder(order=[2, 1])


async def test_uploaded_files_are_listed_and_deleted() -> None:
    async with scripted_client() as (client, transport):
        listed = {"attachments": [{"id": 7, "name": "c.txt", "size": 9}], "upload_space_used": 9}
        transport.prepare("GET", "/api/v1/attachments", json=listed)
        assert (await client.uploads.list()).upload_space_used == 9
        transport.prepare("DELETE", "/api/v1/attachments/7")
        await client.uploads.delete(attachment_id=7)


async def test_navigation_entries_keep_their_slashes_and_cannot_leave_their_path() -> None:
    views = "/api/v1/navigation_views"
    async with scripted_client() as (client, transport):
        view = {"fragment": "narrow/is/starred", "is_pinned": True, "name": None}
        transport.prepare("GET", views, json={"navigation_views": [view]})
        assert (await client.navigation_views.list())[0].fragment == "narrow/is/starred"
        transport.prepare("POST", views, params={"fragment": "narrow/is/starred", "is_pinned": "true"})
        await client.navigation_views.add(fragment="narrow/is/starred", is_pinned=True)
        transport.prepare("PATCH", f"{views}/narrow/is/starred", params={"is_pinned": "false"})
        await client.navigation_views.update(fragment="narrow/is/starred", is_pinned=False)
        transport.prepare("DELETE", f"{views}/narrow/is/starred")
        await client.navigation_views.remove(fragment="narrow/is/starred")
        for wrong in ("", "../users", "narrow/../..", "/narrow"):
            with pytest.raises(InvalidInput):
                await client.navigation_views.remove(fragment=wrong)
        with pytest.raises(InvalidInput):
            await client.navigation_views.update(fragment="narrow/is/starred")
