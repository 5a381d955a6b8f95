"""Avatars, custom emoji, and other images that clients fetch outside the API."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest

from narrowcast_assets.emoji import emoji_names
from narrowcast_server.organization.errors import ServiceError
from support.server import TestServer, running_server
from support.uploads import header, png

PICTURE = png(header())


async def sent(server: TestServer, name: str, path: str, *files: bytes) -> httpx2.Response:
    """The response to a form with these files."""
    forms = {f"f{number}": (f"{number}.png", content) for number, content in enumerate(files)}
    return await server.raw(name, "POST", path, files=forms)


async def test_a_custom_emoji_is_added_shown_and_deactivated(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        listener = await server.listen("bruno")
        assert (await sent(server, "ada", "/realm/emoji/our_mast", PICTURE)).status_code == 200
        table = (await server.call("bruno", "GET", "/realm/emoji"))["emoji"]
        ((identity, emoji),) = table.items()
        assert (emoji["id"], emoji["name"], emoji["deactivated"]) == (identity, "our_mast", False)
        (event,) = await listener.events("realm_emoji")
        assert event["realm_emoji"] == table
        image = await server.raw(None, "GET", server.url + emoji["source_url"])
        assert (image.status_code, image.headers["content-type"]) == (200, "image/png")
        rendered = await server.call("ada", "POST", "/messages/render", {"content": ":our_mast:"})
        assert f'src="{emoji["source_url"]}"' in rendered["rendered"]
        await server.call("ada", "DELETE", "/realm/emoji/our_mast")
        rendered = await server.call("ada", "POST", "/messages/render", {"content": ":our_mast:"})
        assert rendered["rendered"] == "<p>:our_mast:</p>"
        assert (await server.call("bruno", "GET", "/realm/emoji"))["emoji"][identity]["deactivated"] is True
        await server.refusal("ada", "DELETE", "/realm/emoji/our_mast", status=404)


async def test_a_custom_emoji_requires_an_unused_plain_name_and_one_image(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        for name, files, code in (
            ("Bad Name!", [PICTURE], "BAD_REQUEST"),
            ("two", [PICTURE, PICTURE], "BAD_REQUEST"),
            ("none", [], "BAD_REQUEST"),
            ("text", [b"no picture"], "BAD_IMAGE"),
            ("drawn", [b"<svg></svg>"], "BAD_IMAGE"),
            ("bomb", [png(header(60_000, 60_000))], "BAD_IMAGE"),
        ):
            response = await sent(server, "ada", f"/realm/emoji/{name}", *files)
            assert (response.status_code, response.json()["code"]) == (400, code), name
        await sent(server, "ada", "/realm/emoji/twice", PICTURE)
        assert (await sent(server, "ada", "/realm/emoji/twice", PICTURE)).status_code == 400


async def test_only_its_author_or_an_administrator_can_remove_a_custom_emoji(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        assert (await sent(server, "dario", "/realm/emoji/mine", PICTURE)).status_code == 200
        await server.refusal("elif", "DELETE", "/realm/emoji/mine")
        await server.call("dario", "DELETE", "/realm/emoji/mine")
        assert (await sent(server, "hugo", "/realm/emoji/guests", PICTURE)).status_code == 400


async def test_a_new_avatar_is_announced_to_all_users(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        listener = await server.listen("bruno")
        response = await sent(server, "ada", "/users/me/avatar", PICTURE)
        url = response.json()["avatar_url"]
        assert (await server.raw(None, "GET", server.url + url)).status_code == 200
        (event,) = await listener.events("realm_user")
        person = event["person"]
        assert (person["user_id"], person["avatar_url"], person["avatar_source"]) == (
            server.id("ada"),
            url,
            "U",
        )
        body = await server.call("ada", "DELETE", "/users/me/avatar")
        assert body["avatar_url"] != url
        (event,) = await listener.events("realm_user")
        assert event["person"]["avatar_source"] == "G"
        assert (await sent(server, "ada", "/users/me/avatar")).json()["code"] == "BAD_REQUEST"


@pytest.mark.parametrize("path", ["1/../../secret", "1/secret", "1/emoji/images/" + "0" * 40 + ".png", "x"])
async def test_the_avatar_url_serves_only_images(tmp_path: Path, path: str) -> None:
    async with running_server(tmp_path) as server:
        assert (await server.raw(None, "GET", f"{server.url}/user_avatars/{path}")).status_code == 404


async def test_the_snapshot_has_the_url_of_the_emoji_names(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        listener = await server.listen("ada")
        response = await server.raw(None, "GET", listener.snapshot["server_emoji_data_url"])
        names = response.json()["code_to_names"]
        assert names["1f419"] == ["octopus"]
        assert names.keys() == emoji_names().code_to_names.keys()


async def test_the_snapshot_has_the_urls_of_the_organizations_images(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        snapshot = (await server.listen("ada")).snapshot
        names = ("realm_icon_url", "realm_logo_url", "realm_night_logo_url")
        urls = [snapshot[name] for name in names]
        urls += [server.url + bot["avatar_url"] for bot in snapshot["cross_realm_bots"]]
        for url in urls:
            response = await server.raw(None, "GET", url)
            assert (response.status_code, response.headers["content-type"]) == (200, "image/png")
        assert (await server.raw(None, "GET", f"{server.url}/static/images/other.png")).status_code == 404


async def test_users_who_see_a_poll_can_vote(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        message_id = await server.send("ada", "general", "lunch", "/poll Lunch?\nsoup\nnoodles")
        listener = await server.listen("bruno")
        vote = {
            "message_id": message_id,
            "msg_type": "widget",
            "content": '{"type":"vote","key":"canned,0","vote":1}',
        }
        await server.call("bruno", "POST", "/submessage", vote)
        (event,) = await listener.events("submessage")
        assert (event["message_id"], event["sender_id"], event["content"]) == (
            message_id,
            server.id("bruno"),
            vote["content"],
        )
        for wrong in (
            {**vote, "content": "nojson"},
            {**vote, "content": '{"type":"question","question":"?"}'},
            {**vote, "message_id": 0},
        ):
            await server.refusal("bruno", "POST", "/submessage", wrong)
        plain = await server.send("ada", "general", "lunch", "no poll")
        await server.refusal("bruno", "POST", "/submessage", {**vote, "message_id": plain})


async def test_an_image_is_kept_if_its_replacement_cannot_be_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with running_server(tmp_path) as server:
        address = (await sent(server, "ada", "/users/me/avatar", PICTURE)).json()["avatar_url"]

        def fail(organization: object, user: object) -> None:
            raise ServiceError("no room", status=507)

        monkeypatch.setattr("narrowcast_server.routes.pictures.emit_avatar", fail)
        assert (await sent(server, "ada", "/users/me/avatar", png(header(64)))).status_code == 507
        assert (await server.call("ada", "GET", "/users/me"))["avatar_url"] == address
        assert (await server.raw(None, "GET", server.url + address)).content == PICTURE


async def test_the_additional_emoji_zulip_has_an_image(server: TestServer) -> None:
    url = f"{server.url}/static/generated/emoji/images/emoji/unicode/zulip.svg"
    response = await server.raw(None, "GET", url)
    assert response.headers["content-type"] == "image/svg+xml"
    assert b"<svg" in response.content
