"""Administrators' operations that the contract does not cover, against the embedded server."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from narrowcast_api.client import Client
from narrowcast_api.errors import BadRequest, InvalidInput, NarrowcastError, Unsupported
from narrowcast_api.wire.vocabulary import BotType, ExportType, WebhookInterface
from support.api import scripted_client
from support.server import TestServer
from support.uploads import PIXEL


async def test_an_outgoing_webhook_has_an_address_that_it_calls(server: TestServer, ada: Client) -> None:
    with pytest.raises(InvalidInput):
        await ada.bots.create(full_name="Echo", short_name="echo", bot_type=BotType.OUTGOING_WEBHOOK)
    with pytest.raises(InvalidInput):
        await ada.bots.create(full_name="Echo", short_name="echo", payload_url="https://x.example")
    with pytest.raises(BadRequest):
        await ada.bots.create(
            full_name="Echo",
            short_name="echo",
            bot_type=BotType.OUTGOING_WEBHOOK,
            payload_url="ftp://x.example",
        )
    listener = await server.listen("ada")
    made = await ada.bots.create(
        full_name="Echo",
        short_name="echo",
        bot_type=BotType.OUTGOING_WEBHOOK,
        payload_url="https://echo.example/hook",
        interface_type=WebhookInterface.SLACK,
    )
    assert made.user_id is not None
    told = [event["bot"] for event in await listener.events("realm_bot")]
    service = told[-1]["services"][0]
    assert (service["base_url"], service["interface"]) == ("https://echo.example/hook", 2)
    assert service["token"]
    await ada.bots.update(bot_id=made.user_id, payload_url="https://other.example/hook")
    for name, sees_token in (("ada", True), ("bruno", False)):
        bots = (await server.listen(name)).snapshot["realm_bots"]
        (own,) = next(bot for bot in bots if bot["user_id"] == made.user_id)["services"]
        assert (own["base_url"], own["interface"]) == ("https://other.example/hook", 1)
        assert ("token" in own) is sees_token
    with pytest.raises(BadRequest):
        await ada.bots.update(bot_id=server.id("iris"), payload_url="https://other.example/hook")


async def test_the_organization_has_an_icon_and_logos(server: TestServer, ada: Client) -> None:
    listener = await server.listen("dario")
    address = await ada.organization_pictures.set_icon(image=PIXEL)
    await ada.organization_pictures.set_logo(image=PIXEL)
    await ada.organization_pictures.set_logo(image=PIXEL, night=True)
    events = await listener.events("realm")
    assert [event["property"] for event in events] == ["icon", "logo", "night_logo"]
    assert events[0]["data"] == {"icon_url": address, "icon_source": "U"}
    snapshot = (await server.listen("dario")).snapshot
    assert snapshot["realm_icon_url"] == address
    assert (snapshot["realm_logo_source"], snapshot["realm_night_logo_source"]) == ("U", "U")
    assert snapshot["realm_logo_url"] != snapshot["realm_night_logo_url"]
    assert (await server.raw(None, "GET", address)).content == PIXEL
    assert (await ada.organization_pictures.remove_icon()).endswith("/static/images/icon.png")
    await ada.organization_pictures.remove_logo(night=True)
    snapshot = (await server.listen("dario")).snapshot
    assert (snapshot["realm_logo_source"], snapshot["realm_night_logo_source"]) == ("U", "D")
    assert (await server.raw(None, "GET", address)).status_code == 404
    with pytest.raises(BadRequest):
        await ada.organization_pictures.set_icon(image=b"no picture")
    async with Client.open(server.account("dario")) as dario:
        for request in (
            dario.organization_pictures.set_icon(image=PIXEL),
            dario.organization_pictures.set_logo(image=PIXEL),
            dario.organization_pictures.remove_icon(),
            dario.organization_pictures.remove_logo(),
        ):
            with pytest.raises(NarrowcastError, match="administrator"):
                await request


async def test_newcomers_choose_from_groups_of_channels(server: TestServer, ada: Client) -> None:
    groups = ada.default_channel_groups
    listener = await server.listen("dario")
    await groups.create(name="Builders", description="For who builds", channels=["engineering", "design"])
    (event,) = await listener.events("default_stream_groups")
    (made,) = event["default_stream_groups"]
    wanted = [server.channel("engineering"), server.channel("design")]
    assert (made["name"], made["description"], made["streams"]) == ("Builders", "For who builds", wanted)
    await groups.update(group_id=made["id"], name="Makers")
    await groups.add(group_id=made["id"], channels=["support"])
    await groups.remove(group_id=made["id"], channels=["design"])
    (changed,) = (await server.listen("dario")).snapshot["realm_default_stream_groups"]
    assert changed["name"] == "Makers"
    assert changed["streams"] == [server.channel("engineering"), server.channel("support")]
    with pytest.raises(BadRequest, match="already exists"):
        await groups.create(name="makers", description="", channels=[])
    with pytest.raises(BadRequest, match="Invalid channel name"):
        await groups.add(group_id=made["id"], channels=["nosuch"])
    with pytest.raises(BadRequest, match="'general' is a default channel"):
        await groups.add(group_id=made["id"], channels=["general"])
    await groups.delete(group_id=made["id"])
    with pytest.raises(BadRequest, match="does not exist"):
        await groups.delete(group_id=made["id"])
    assert (await server.listen("dario")).snapshot["realm_default_stream_groups"] == []
    async with Client.open(server.account("dario")) as dario:
        with pytest.raises(NarrowcastError, match="administrator"):
            await dario.default_channel_groups.create(name="x", description="", channels=[])


async def test_the_channels_of_somebody_are_those_that_one_may_know_of(
    server: TestServer, ada: Client
) -> None:
    newer = replace(await ada.connection.identified(), level=440)
    ada.connection.server = replace(newer, level=439, shown=frozenset())
    with pytest.raises(Unsupported):
        await ada.users.channels(user_id=server.id("bruno"))
    ada.connection.server = newer
    of_bruno = await ada.users.channels(user_id=server.id("bruno"))
    assert server.channel("operations") in of_bruno
    async with Client.open(server.account("elif")) as elif_:
        elif_.connection.server = newer
        seen = await elif_.users.channels(user_id=server.id("bruno"))
    assert server.channel("operations") not in seen
    assert server.channel("general") in seen


async def test_operations_that_this_server_lacks_are_reported(server: TestServer, ada: Client) -> None:
    narrow = [{"operator": "channel", "operand": server.channel("general")}]
    for request, words in (
        (ada.messages.summarize(narrow=narrow), "AI features are not enabled"),
        (ada.calls.zoom(), "Zoom credentials have not been configured"),
        (ada.calls.constructor_groups(), "Constructor Groups is not configured."),
        (ada.calls.nextcloud_talk(room_name="soup"), "Nextcloud Talk is not configured."),
        (ada.calls.webex(), "Webex credentials have not been configured"),
        (ada.organization.deactivate(), "for one organization"),
    ):
        with pytest.raises(BadRequest, match=words):
            await request
    with pytest.raises(BadRequest):
        await ada.calls.bigbluebutton(meeting_name="soup")
    async with Client.open(server.account("bruno")) as bruno:
        with pytest.raises(NarrowcastError, match="owner"):
            await bruno.organization.deactivate()


async def test_an_export_is_asked_for_in_the_words_of_the_level() -> None:
    async with scripted_client(448) as (client, transport):
        transport.prepare("POST", "/api/v1/export/realm", json={"id": 7})
        assert await client.exports.create(export_type=ExportType.FULL_WITH_CONSENT) == 7
        assert transport.last.params == {"export_type": "2"}
        with pytest.raises(Unsupported):
            await client.exports.create(export_type=ExportType.FULL_WITHOUT_CONSENT)
    async with scripted_client(449) as (client, transport):
        transport.prepare("POST", "/api/v1/export/realm", json={"id": 8})
        await client.exports.create(export_type=ExportType.FULL_WITHOUT_CONSENT)
        assert transport.last.params == {"export_type": "full_without_consent"}


async def test_responses_of_servers_that_have_them_are_read() -> None:
    async with scripted_client(442) as (client, transport):
        transport.prepare("GET", "/api/v1/messages/summary", json={"summary": "They had **soup**."})
        narrow = [{"operator": "is", "operand": "unread"}]
        assert await client.messages.summarize(narrow=narrow) == "They had **soup**."
        assert transport.last.json("narrow") == narrow
        transport.prepare("GET", "/api/v1/calls/bigbluebutton/create", json={"url": "/calls/x"})
        assert await client.calls.bigbluebutton(meeting_name="soup", voice_only=True) == "/calls/x"
        transport.prepare("POST", "/api/v1/calls/zoom/create", json={"url": "https://zoom.example/1"})
        assert await client.calls.zoom() == "https://zoom.example/1"
        row = {
            "id": 3,
            "acting_user_id": 8,
            "export_time": 1_700_000_000.5,
            "export_url": None,
            "pending": True,
        }
        transport.prepare("GET", "/api/v1/export/realm", json={"exports": [{**row, "export_type": 1}]})
        (export,) = await client.exports.list()
        assert (export.id, export.pending, export.export_url) == (3, True, None)
        transport.prepare("DELETE", "/api/v1/export/realm/3")
        await client.exports.delete(export_id=3)
        transport.prepare("POST", "/api/v1/realm/deactivate")
        await client.organization.deactivate(deletion_delay_days=None)
        assert transport.last.params == {"deletion_delay_days": "null"}
