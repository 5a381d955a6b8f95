"""Channels, presence, settings, polls."""

from __future__ import annotations

import json

import pytest

from narrowcast_api.errors import ChannelAlreadyExists, InvalidInput, Unsupported
from narrowcast_api.http.secret import Secret
from narrowcast_api.model.user_groups import AdHocGroup
from narrowcast_api.wire.vocabulary import ChannelSetting, PresenceStatus
from support.api import at_levels, scripted_client

SEVEN = "/api/v1/streams/7"


async def test_channels_are_listed_by_what_the_level_has() -> None:
    async with scripted_client() as (client, transport):
        for level, expected in (
            (314, {"include_all_active": "true"}),
            (315, {"include_all_active": "true", "exclude_archived": "false"}),
            (355, {"include_all_active": "true", "exclude_archived": "false"}),
            (356, {"include_all": "true", "exclude_archived": "false"}),
        ):
            for _ in at_levels(client, [level]):
                transport.prepare("GET", "/api/v1/streams", json={"streams": [{"stream_id": 7, "name": "a"}]})
                listed = await client.channels.list(include_all=True, exclude_archived=False)
                assert transport.last.params == expected
                assert listed.streams[0].channel_id == 7


async def test_a_channel_is_made_by_subscribing_below_417() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare(
            "POST",
            "/api/v1/channels/create",
            json={"id": 9},
            params={
                "name": "new",
                "description": "d",
                "subscribers": "[1]",
                "invite_only": "true",
                "can_send_message_group": "11",
            },
        )
        made = await client.channels.create(
            name="new",
            description="d",
            subscribers=[1],
            invite_only=True,
            permissions={ChannelSetting.SEND_MESSAGE: 11},
        )
        assert made.stream_id == 9
        for _ in at_levels(client, [416]):
            transport.prepare("POST", "/api/v1/users/me/subscriptions", json={"subscribed": {}})
            transport.prepare("GET", "/api/v1/get_stream_id", json={"stream_id": 9}, params={"stream": "new"})
            assert (
                await client.channels.create(name="new", subscribers=[1], invite_only=True)
            ).stream_id == 9
            assert transport.requests[-2].params == {
                "subscriptions": '[{"name":"new"}]',
                "principals": "[1]",
                "invite_only": "true",
            }
        transport.prepare_error("POST", "/api/v1/channels/create", code="CHANNEL_ALREADY_EXISTS", status=409)
        for _ in at_levels(client, [417]):
            with pytest.raises(ChannelAlreadyExists):
                await client.channels.create(name="new", subscribers=[])
            with pytest.raises(InvalidInput):
                await client.channels.create(name=" ", subscribers=[])


async def test_a_channel_is_changed_with_old_and_new_permissions() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("PATCH", SEVEN)
        await client.channels.update(
            channel_id=7,
            new_name="b",
            folder_id=None,
            permissions={
                ChannelSetting.SEND_MESSAGE: AdHocGroup(frozenset({1}), frozenset()),
                ChannelSetting.SUBSCRIBE: 12,
            },
            expected={ChannelSetting.SEND_MESSAGE: 11},
        )
        assert transport.last.params["new_name"] == "b"
        assert transport.last.params["folder_id"] == "null"
        assert transport.last.json("can_send_message_group") == {
            "new": {"direct_members": [1], "direct_subgroups": []},
            "old": 11,
        }
        assert transport.last.json("can_subscribe_group") == {"new": 12}
        with pytest.raises(InvalidInput):
            await client.channels.update(channel_id=7)


async def test_the_rest_of_channels() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("DELETE", SEVEN)
        await client.channels.archive(channel_id=7)
        transport.prepare("PATCH", SEVEN, params={"is_archived": "false"})
        await client.channels.unarchive(channel_id=7)
        transport.prepare("GET", SEVEN, json={"stream": {"stream_id": 7, "name": "a"}})
        assert (await client.channels.get(channel_id=7)).name == "a"
        transport.prepare("GET", f"{SEVEN}/email_address", json={"email": "a@b"})
        assert await client.channels.email(channel_id=7) == "a@b"
        transport.prepare("POST", "/api/v1/default_streams", params={"stream_id": "7"})
        await client.channels.add_default(channel_id=7)
        transport.prepare("DELETE", "/api/v1/default_streams", params={"stream_id": "7"})
        await client.channels.remove_default(channel_id=7)
        for _ in at_levels(client, [131]):
            with pytest.raises(Unsupported):
                await client.channels.get(channel_id=7)
        for _ in at_levels(client, [387]):
            with pytest.raises(Unsupported):
                await client.channels.unarchive(channel_id=7)


async def test_presence_asks_for_changes_from_263() -> None:
    path = "/api/v1/users/me/presence"
    answer: dict[str, object] = {
        "presences": {"7": {"active_timestamp": 5, "idle_timestamp": 6}},
        "presence_last_update_id": 9,
    }
    async with scripted_client() as (client, transport):
        for level in at_levels(client, [262, 263]):
            transport.prepare("POST", path, json=answer)
            got = await client.presence.update(status=PresenceStatus.ACTIVE, last_update_id=-1)
            expected = {
                "status": "active",
                "new_user_input": "false",
                "ping_only": "false",
                "slim_presence": "true",
            }
            assert transport.last.params == expected | ({"last_update_id": "-1"} if level >= 263 else {})
            assert got.by_user_id()[7].active == 5
        transport.prepare("GET", "/api/v1/realm/presence", json={"presences": {}})
        await client.presence.list()
        transport.prepare("GET", "/api/v1/users/7/presence", json={"presence": {}})
        await client.presence.get(user_id=7)


async def test_settings_mutes_and_alert_words() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare(
            "PATCH",
            "/api/v1/settings",
            params={"enter_sends": "true", "old_password": "pw"},
            json={"ignored_parameters_unsupported": ["enter_sends"]},
        )
        done = await client.settings.update(settings={"enter_sends": True, "old_password": Secret("pw")})
        assert done.ignored_parameters_unsupported == ("enter_sends",)
        with pytest.raises(InvalidInput):
            await client.settings.update(settings={})
        passwords = {"old": Secret("pw"), "new": Secret("longer pw")}
        sent = {"old_password": "pw", "new_password": "longer pw"}
        transport.prepare("PATCH", "/api/v1/settings", params=sent, json={"api_key": "rotated"})
        rotated = await client.settings.change_password(**passwords)
        assert rotated is not None
        assert (rotated.reveal(), "rotated" in repr(rotated)) == ("rotated", False)
        transport.prepare("PATCH", "/api/v1/settings", params=sent, json={})
        assert await client.settings.change_password(**passwords) is None
        transport.prepare("POST", "/api/v1/users/me/api_key/regenerate", json={"api_key": "fresh-key"})
        fresh = await client.settings.regenerate_api_key()
        assert (fresh.reveal(), "fresh-key" in repr(fresh)) == ("fresh-key", False)
        transport.prepare("POST", "/api/v1/users/me/muted_users/7")
        await client.settings.mute_user(user_id=7)
        transport.prepare("DELETE", "/api/v1/users/me/muted_users/7")
        await client.settings.unmute_user(user_id=7)
        words = "/api/v1/users/me/alert_words"
        transport.prepare("GET", words, json={"alert_words": ["a"]})
        assert await client.settings.alert_words() == ["a"]
        transport.prepare("POST", words, json={"alert_words": ["a", "b"]}, params={"alert_words": '["b"]'})
        assert await client.settings.add_alert_words(words=["b"]) == ["a", "b"]
        transport.prepare("DELETE", words, json={"alert_words": ["b"]}, params={"alert_words": '["a"]'})
        assert await client.settings.remove_alert_words(words=["a"]) == ["b"]
        for level in at_levels(client, [47, 79]):
            with pytest.raises(Unsupported):
                await client.settings.update(settings={"enter_sends": True})
            with pytest.raises(Unsupported):
                await client.settings.change_password(**passwords)
            if level < 48:
                with pytest.raises(Unsupported):
                    await client.settings.mute_user(user_id=7)


async def test_polls_and_tasks_are_parts_of_json() -> None:
    async with scripted_client() as (client, transport):

        async def sent() -> object:
            params = transport.last.params
            assert (params["message_id"], params["msg_type"]) == ("5", "widget")
            value: object = json.loads(params["content"])
            return value

        for _ in range(6):
            transport.prepare("POST", "/api/v1/submessage")
        polls = client.submessages
        await polls.vote(message_id=5, option_key="canned,0")
        assert await sent() == {"type": "vote", "key": "canned,0", "vote": 1}
        await polls.vote(message_id=5, option_key="7,1", yes=False)
        assert await sent() == {"type": "vote", "key": "7,1", "vote": -1}
        await polls.add_option(message_id=5, number=1, option="tea")
        assert await sent() == {"type": "new_option", "idx": 1, "option": "tea"}
        await polls.change_question(message_id=5, question="what?")
        assert await sent() == {"type": "question", "question": "what?"}
        await polls.add_task(message_id=5, number=1, task="z")
        assert await sent() == {"type": "new_task", "key": 1, "task": "z", "desc": "", "completed": False}
        await polls.toggle_task(message_id=5, task_key="0,canned")
        assert await sent() == {"type": "strike", "key": "0,canned"}
        with pytest.raises(InvalidInput):
            await polls.send(message_id=5, content=object())
