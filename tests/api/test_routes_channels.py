"""Listing, creating, changing and archiving channels."""

from __future__ import annotations

import pytest

from narrowcast_api.errors import ChannelAlreadyExists, InvalidInput, Unsupported
from narrowcast_api.model.user_groups import AdHocGroup, GroupSettingValue
from narrowcast_api.wire.vocabulary import ChannelSetting
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


async def test_permissions_that_zulip_forgets_when_it_creates_a_channel_are_sent_again() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", "/api/v1/channels/create", json={"id": 7})
        transport.prepare("PATCH", SEVEN)
        permissions: dict[ChannelSetting, GroupSettingValue] = {
            ChannelSetting.SEND_MESSAGE: 11,
            ChannelSetting.CREATE_TOPIC: 12,
            ChannelSetting.DELETE_ANY_MESSAGE: 13,
            ChannelSetting.DELETE_OWN_MESSAGE: AdHocGroup(frozenset({1}), frozenset()),
        }
        made = await client.channels.create(name="new", subscribers=[1], permissions=permissions)
        assert made.stream_id == 7
        assert transport.last.params == {
            "can_create_topic_group": '{"new":12}',
            "can_delete_any_message_group": '{"new":13}',
            "can_delete_own_message_group": '{"new":{"direct_members":[1],"direct_subgroups":[]}}',
        }


async def test_a_channel_whose_permissions_could_not_be_sent_again_is_created_all_the_same() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", "/api/v1/channels/create", json={"id": 7})
        refusal = {"result": "error", "code": "BAD_REQUEST", "msg": "You may not administer this channel"}
        transport.prepare("PATCH", SEVEN, status=400, json=refusal)
        made = await client.channels.create(
            name="new", subscribers=[1], permissions={ChannelSetting.CREATE_TOPIC: 12}
        )
        assert made.stream_id == 7
        assert ["can_create_topic_group" in one and "administer" in one for one in made.notices] == [True]


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


async def test_a_channel_is_archived() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("DELETE", SEVEN)
        await client.channels.archive(channel_id=7)


async def test_a_channel_is_unarchived_from_388() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("PATCH", SEVEN, params={"is_archived": "false"})
        for level in at_levels(client, [387, 388]):
            if level < 388:
                with pytest.raises(Unsupported):
                    await client.channels.unarchive(channel_id=7)
            else:
                await client.channels.unarchive(channel_id=7)


async def test_a_channel_is_fetched_by_its_id_from_132() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", SEVEN, json={"stream": {"stream_id": 7, "name": "a"}})
        for level in at_levels(client, [131, 132]):
            if level < 132:
                with pytest.raises(Unsupported):
                    await client.channels.get(channel_id=7)
            else:
                assert (await client.channels.get(channel_id=7)).name == "a"


async def test_the_email_address_of_a_channel_is_fetched() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("GET", f"{SEVEN}/email_address", json={"email": "a@b"})
        assert await client.channels.email(channel_id=7) == "a@b"


async def test_default_channels_are_added_and_removed() -> None:
    async with scripted_client() as (client, transport):
        transport.prepare("POST", "/api/v1/default_streams", params={"stream_id": "7"})
        await client.channels.add_default(channel_id=7)
        transport.prepare("DELETE", "/api/v1/default_streams", params={"stream_id": "7"})
        await client.channels.remove_default(channel_id=7)
