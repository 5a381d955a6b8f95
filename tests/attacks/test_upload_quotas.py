"""Limits on files: bytes per user and in total, concurrent uploads, and free disk space."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from support.clock import VirtualClock
from support.server import JsonObject, TestServer, limited, running_server
from support.timing import held
from support.uploads import PIXEL


async def upload(server: TestServer, name: str, size: int) -> JsonObject:
    response = await server.raw(name, "POST", "/user_uploads", files={"file": ("a.txt", b"x" * size)})
    body: JsonObject = response.json()
    return body


TUS = {"Tus-Resumable": "1.0.0"}


async def begun(server: TestServer, name: str, length: int) -> JsonObject | str:
    """The URL of a new resumable upload, or the error."""
    response = await server.raw(name, "POST", "/tus", headers={**TUS, "Upload-Length": str(length)})
    if response.status_code == 201:
        return str(response.headers["location"])
    body: JsonObject = response.json()
    return body


async def test_the_uploads_of_a_user_are_limited_in_total_size(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(upload_mib_a_person=1)) as server:
        assert (await upload(server, "hugo", 600_000))["result"] == "success"
        refusal = await upload(server, "hugo", 600_000)
        assert (refusal["code"], "more than 1 MiB" in refusal["msg"]) == ("REALM_UPLOAD_QUOTA", True)
        assert (await upload(server, "dario", 600_000))["result"] == "success"


async def test_all_uploads_together_are_limited_in_total_size(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(upload_mib=1)) as server:
        assert (await upload(server, "hugo", 600_000))["result"] == "success"
        refusal = await upload(server, "dario", 600_000)
        assert refusal["code"] == "REALM_UPLOAD_QUOTA"
        assert "Upload would exceed your organization's upload quota" in refusal["msg"]


async def test_a_rejected_file_leaves_nothing_on_the_disk(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(attachments=0)) as server:
        assert (await upload(server, "hugo", 1_000))["result"] == "error"
        assert [path for path in (tmp_path / "uploads").rglob("*") if path.is_file()] == []


async def test_deleting_an_upload_makes_room(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(attachments=1)) as server:
        await upload(server, "hugo", 10)
        assert (await upload(server, "hugo", 10))["result"] == "error"
        [own] = (await server.call("hugo", "GET", "/attachments"))["attachments"]
        await server.call("hugo", "DELETE", f"/attachments/{own['id']}")
        assert (await upload(server, "hugo", 10))["result"] == "success"


async def test_unfinished_uploads_have_a_limit(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(unfinished_uploads=2)) as server:
        addresses = [await begun(server, "hugo", 100) for _ in range(2)]
        refusal = await begun(server, "hugo", 100)
        assert isinstance(refusal, dict)
        assert "unfinished" in refusal["msg"]
        assert isinstance(await begun(server, "dario", 100), str)
        await server.raw("hugo", "DELETE", f"{server.url}{addresses[0]}", headers=TUS)
        assert isinstance(await begun(server, "hugo", 100), str)


async def test_the_announced_size_counts_before_the_bytes_arrive(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(upload_mib_a_person=1)) as server:
        assert isinstance(await begun(server, "hugo", 700_000), str)
        assert isinstance(await begun(server, "hugo", 700_000), dict)


async def test_expired_uploads_make_room(tmp_path: Path) -> None:
    clock = VirtualClock()
    async with running_server(tmp_path, config=limited(unfinished_uploads=1), clock=clock) as server:
        assert isinstance(await begun(server, "hugo", 100), str)
        assert isinstance(await begun(server, "hugo", 100), dict)
        clock.jump(25 * 3600)
        assert isinstance(await begun(server, "hugo", 100), str)
        assert len(list((tmp_path / "uploads" / "resumable").glob("*.json"))) == 1


async def test_unfinished_uploads_count_after_a_restart(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(unfinished_uploads=1)) as server:
        assert isinstance(await begun(server, "hugo", 100), str)
    (tmp_path / "uploads" / "resumable" / "nonsense.json").write_text("{")
    async with running_server(tmp_path, config=limited(unfinished_uploads=1)) as server:
        assert isinstance(await begun(server, "hugo", 100), dict)
    assert not (tmp_path / "uploads" / "resumable" / "nonsense.json").exists()


async def test_starting_an_upload_does_not_read_other_uploads(
    server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(server, "hugo", 100)

    def refuse(path: Path, *arguments: object, **options: object) -> str:
        raise AssertionError(path)

    monkeypatch.setattr(Path, "read_text", refuse)
    assert isinstance(await begun(server, "hugo", 100), str)


async def test_a_new_image_replaces_the_old_one_on_the_disk(server: TestServer, tmp_path: Path) -> None:
    for _ in range(3):
        response = await server.raw("hugo", "POST", "/users/me/avatar", files={"file": ("a.png", PIXEL)})
        assert response.json()["result"] == "success"
    assert len(list((tmp_path / "data" / "uploads" / "public").iterdir())) == 1


async def test_of_simultaneous_new_images_one_stays_on_the_disk(server: TestServer, tmp_path: Path) -> None:
    picture = {"files": {"file": ("a.png", PIXEL)}}
    await asyncio.gather(*[server.raw("hugo", "POST", "/users/me/avatar", **picture) for _ in range(20)])
    assert len(list((tmp_path / "data" / "uploads" / "public").iterdir())) == 1


@pytest.mark.parametrize("path", ["/users/me/avatar", "/realm/emoji/mast", "/realm/icon"])
async def test_images_are_rejected_if_the_disk_is_almost_full(tmp_path: Path, path: str) -> None:
    async with running_server(tmp_path, config=limited(spare_disk_mib=1 << 30)) as server:
        response = (await server.raw("ada", "POST", path, files={"file": ("a.png", PIXEL)})).json()
        assert "The server has no room for this file." in response["msg"]


@pytest.mark.parametrize(
    ("path", "folder", "table"),
    [("/user_uploads", "files", "attachments"), ("/realm/emoji/{}", "public", "custom_emoji")],
)
async def test_a_file_that_cannot_be_recorded_is_not_kept(
    server: TestServer, tmp_path: Path, path: str, folder: str, table: str
) -> None:
    pages = server.organization.store.integer("PRAGMA page_count") or 0
    server.organization.store.integer(f"PRAGMA max_page_count = {pages}")
    responses = [
        await server.raw("ada", "POST", path.format(f"{number:x>50}"), files={"f": ("a.png", PIXEL)})
        for number in range(60)
    ]
    assert {response.status_code for response in responses} == {200, 507}
    files = [each for each in (tmp_path / "data" / "uploads" / folder).rglob("*") if each.is_file()]
    assert len(files) == server.organization.store.integer(f"SELECT count(*) FROM {table}")


async def test_an_image_with_only_headers_is_rejected_quickly(server: TestServer) -> None:
    endless = b"\xff\xd8" + b"\xff\xe1\x00\x02" * 1_200_000
    with held() as watch:
        response = await server.raw("hugo", "POST", "/users/me/avatar", files={"file": ("a.jpg", endless)})
        await server.raw("hugo", "POST", "/user_uploads", files={"file": ("a.jpg", endless)})
    assert response.json()["code"] == "BAD_IMAGE"
    assert watch.longest < 0.25, watch


async def test_uploads_are_rejected_if_the_disk_is_almost_full(tmp_path: Path) -> None:
    async with running_server(tmp_path, config=limited(spare_disk_mib=1 << 30)) as server:
        response = (await server.raw("ada", "POST", "/user_uploads", files={"file": ("a.txt", b"a")})).json()
        assert response["result"] == "error"
        assert "The server has no room for this file." in response["msg"]
        assert await server.send("ada", "general", "t")


async def test_a_full_disk_is_reported_and_acknowledged_data_are_kept(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        kept = await server.send("ada", "general", "t", "kept")
        pages = server.organization.store.integer("PRAGMA page_count") or 0
        server.organization.store.integer(f"PRAGMA max_page_count = {pages}")
        refusals = []
        for _ in range(40):
            fields = {"type": "channel", "to": server.channel("general"), "topic": "t", "content": "x" * 9000}
            response = await server.raw("ada", "POST", "/messages", fields)
            if response.status_code != 200:
                refusals.append(response)
        assert {response.status_code for response in refusals} == {507}
        assert refusals[0].json()["msg"] == "The server's disk is full. Tell its operator."
        assert (await server.call("ada", "GET", f"/messages/{kept}"))["message"]["content"] == "<p>kept</p>"
        server.organization.store.integer("PRAGMA max_page_count = 1000000")
        assert await server.send("ada", "general", "t", "there is room again")


async def test_a_file_in_thousands_of_messages_does_not_block_the_server(server: TestServer) -> None:
    url = (await upload(server, "dario", 1))["url"]
    note = await server.send_direct("dario", ["dario"], f"[a]({url})")
    store = server.organization.store
    with server.organization.transaction():
        columns = "sender_id, conversation_id, topic, content, rendered, timestamp, client"
        for _ in range(2_000):
            copied = store.insert(
                f"INSERT INTO messages ({columns}) SELECT {columns} FROM messages WHERE id = ?", note
            )
            store.execute(
                "INSERT INTO message_attachments SELECT ?, attachment_id FROM message_attachments"
                " WHERE message_id = ?",
                copied,
                note,
            )
    owner = await server.listen("dario", event_types=["attachment"])
    with held() as watch:
        many = {"content": f"![a]({url}) " * 140}
        assert "inline" not in (await server.call("elif", "POST", "/messages/render", many))["rendered"]
        sent = await server.send("dario", "general", "files", f"[a]({url})")
    assert watch.longest < 0.25, watch
    (event,) = await owner.events()
    linking = [message["id"] for message in event["attachment"]["messages"]]
    assert len(linking) == 100
    assert linking[-1] == sent
