"""Settings of the current user: values, password, API key, muted users and alert words."""

from __future__ import annotations

from typing import Any

import pytest

from narrowcast_api.errors import InvalidInput, Unsupported
from narrowcast_api.http.secret import Secret
from support.api import at_levels, scripted_client

SETTINGS = "/api/v1/settings"
PASSWORDS = {"old": Secret("pw"), "new": Secret("longer pw")}


async def test_settings_are_changed_from_80() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare(
            "PATCH",
            SETTINGS,
            params={"enter_sends": "true", "old_password": "pw"},
            json={"ignored_parameters_unsupported": ["enter_sends"]},
        )
        done = await client.settings.update(settings={"enter_sends": True, "old_password": Secret("pw")})
        assert done.ignored_parameters_unsupported == ("enter_sends",)
        with pytest.raises(InvalidInput):
            await client.settings.update(settings={})
        for _ in at_levels(client, [79]):
            with pytest.raises(Unsupported):
                await client.settings.update(settings={"enter_sends": True})


async def test_administrators_change_the_settings_of_others_from_444() -> None:
    change: dict[str, Any] = {"settings": {"enter_sends": True}, "user_ids": [7, 8]}
    async with scripted_client(444) as (client, transport):
        target = '{"user_ids":[7,8],"group_ids":[],"skip_if_already_edited":true}'
        params = {"enter_sends": "true", "target_users": target}
        transport.prepare("PATCH", SETTINGS, params=params)
        await client.settings.update_of_users(**change, skip_if_already_edited=True)
        wrong: tuple[dict[str, Any], ...] = (
            {"settings": {}},
            {"settings": {"send_read_receipts": False}},
            {"user_ids": []},
        )
        for bad in wrong:
            with pytest.raises(InvalidInput):
                await client.settings.update_of_users(**{**change, **bad}, skip_if_already_edited=False)
        for _ in at_levels(client, [443]):
            with pytest.raises(Unsupported):
                await client.settings.update_of_users(**change, skip_if_already_edited=True)


async def test_changing_the_password_returns_the_new_key_if_there_is_one() -> None:
    sent = {"old_password": "pw", "new_password": "longer pw"}
    async with scripted_client() as (client, transport):
        transport.prepare("PATCH", SETTINGS, params=sent, json={"api_key": "rotated"})
        rotated = await client.settings.change_password(**PASSWORDS)
        assert rotated is not None
        assert (rotated.reveal(), "rotated" in repr(rotated)) == ("rotated", False)
        transport.prepare("PATCH", SETTINGS, params=sent, json={})
        assert await client.settings.change_password(**PASSWORDS) is None
        for _ in at_levels(client, [79]):
            with pytest.raises(Unsupported):
                await client.settings.change_password(**PASSWORDS)


async def test_a_new_api_key_is_requested() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", "/api/v1/users/me/api_key/regenerate", json={"api_key": "fresh-key"})
        fresh = await client.settings.regenerate_api_key()
        assert (fresh.reveal(), "fresh-key" in repr(fresh)) == ("fresh-key", False)


async def test_users_are_muted_and_unmuted_from_48() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", "/api/v1/users/me/muted_users/7")
        transport.prepare("DELETE", "/api/v1/users/me/muted_users/7")
        for level in at_levels(client, [47, 48]):
            if level < 48:
                with pytest.raises(Unsupported):
                    await client.settings.mute_user(user_id=7)
            else:
                await client.settings.mute_user(user_id=7)
                await client.settings.unmute_user(user_id=7)


async def test_alert_words_are_listed_added_and_removed() -> None:
    words = "/api/v1/users/me/alert_words"
    async with scripted_client() as (client, transport):
        transport.prepare("GET", words, json={"alert_words": ["a"]})
        assert await client.settings.alert_words() == ["a"]
        transport.prepare("POST", words, json={"alert_words": ["a", "b"]}, params={"alert_words": '["b"]'})
        assert await client.settings.add_alert_words(words=["b"]) == ["a", "b"]
        transport.prepare("DELETE", words, json={"alert_words": ["b"]}, params={"alert_words": '["a"]'})
        assert await client.settings.remove_alert_words(words=["a"]) == ["b"]
