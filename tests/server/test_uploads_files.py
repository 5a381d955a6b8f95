"""POST /user_uploads, and who may download the uploaded files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from narrowcast_server.organization.config import ServerConfig, ServiceLimits
from support.clock import VirtualClock
from support.ledger import proves
from support.server import JsonObject, TestServer, running_server
from support.uploads import header, png


async def upload(
    server: TestServer, name: str, filename: str = "hello.txt", content: bytes = b"hello", field: str = "file"
) -> JsonObject:
    """Uploads a file, asserts success and returns the response."""
    response = await server.raw(name, "POST", "/user_uploads", files={field: (filename, content)})
    body: JsonObject = response.json()
    assert response.status_code == 200, body
    return body


async def opened(server: TestServer, name: str | None, url: str) -> tuple[int, bytes]:
    """Status and body of a download."""
    response = await server.raw(name, "GET", f"{server.url}{url}")
    return response.status_code, response.content


@proves("UPL-01", "UPL-03", "UPL-05", "UPL-06", "UPL-17")
async def test_an_upload_is_stored_and_can_be_fetched_by_its_path(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        response = await upload(server, "ada", "hello.txt", b"hello upload")
        assert response["result"] == "success"
        assert response["url"] == response["uri"]
        assert response["filename"] == "hello.txt"
        assert response["url"].startswith("/user_uploads/1/")
        assert response["url"].endswith("/hello.txt")
        assert await opened(server, "ada", response["url"]) == (200, b"hello upload")


@proves("UPL-04", "UPL-05", "UPL-07")
async def test_url_and_filename_are_returned_from_their_levels(tmp_path: Path) -> None:
    async with running_server(tmp_path, feature_level=271) as server:
        assert {"url", "filename"}.isdisjoint(await upload(server, "ada"))
        assert "uri" in await upload(server, "ada")
        server.set_level(272)
        assert "url" in await upload(server, "ada")
        server.set_level(284)
        response = await upload(server, "ada")
        assert "url" in response
        assert "filename" not in response
        server.set_level(285)
        assert (await upload(server, "ada"))["filename"] == "hello.txt"


@proves("UPL-16")
async def test_the_file_may_be_in_any_single_field(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        for field in ("file", "filename", "anything"):
            assert (await upload(server, "ada", field=field))["filename"] == "hello.txt"


@proves("UPL-02")
async def test_exactly_one_file_is_required(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        for options in (
            {},
            {"data": {"file": "no file"}},
            {"files": {"a": ("a.txt", b"a"), "b": ("b.txt", b"b")}},
            {"content": b"nonsense", "headers": {"content-type": "multipart/form-data"}},
            {"content": b"--x\r\nbroken", "headers": {"content-type": "multipart/form-data; boundary=x"}},
        ):
            response = await server.raw("ada", "POST", "/user_uploads", **options)
            assert (response.status_code, response.json()["code"]) == (400, "BAD_REQUEST"), options
        assert (await server.call("ada", "GET", "/attachments"))["attachments"] == []


@proves("UPL-12")
async def test_a_file_beyond_the_limit_is_rejected_and_not_stored(tmp_path: Path) -> None:
    config = ServerConfig(limits=replace(ServiceLimits(), max_file_upload_mib=1))
    async with running_server(tmp_path, config=config) as server:
        await upload(server, "ada", content=b"x" * (1 << 20))
        response = await server.raw(
            "ada", "POST", "/user_uploads", files={"f": ("big", b"x" * ((1 << 20) + 1))}
        )
        assert (response.status_code, response.json()["code"]) == (400, "BAD_REQUEST")
        assert "1 MiB" in response.json()["msg"]
        assert len((await server.call("ada", "GET", "/attachments"))["attachments"]) == 1
        assert list((tmp_path / "uploads" / "partial").iterdir()) == []


@proves("UPL-08", "UPL-09")
async def test_a_file_is_private_to_the_uploader_until_a_message_links_to_it(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        url = (await upload(server, "ada"))["url"]
        assert (await opened(server, "bruno", url))[0] == 403
        assert (await opened(server, None, url))[0] == 401
        await server.send_direct("ada", ["bruno"], f"[hello.txt]({url})")
        assert await opened(server, "bruno", url) == (200, b"hello")
        assert (await opened(server, "chiyo", url))[0] == 403
        assert (await opened(server, None, url))[0] == 401


@proves("UPL-09")
async def test_linking_to_the_file_of_another_user_gives_no_access(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        url = (await upload(server, "ada"))["url"]
        await server.send_direct("bruno", ["bruno"], f"[mine now]({url})")
        assert (await opened(server, "bruno", url))[0] == 403


async def test_an_edited_message_keeps_its_file_when_the_message_that_gave_access_is_gone(
    server: TestServer,
) -> None:
    url = (await upload(server, "ada"))["url"]
    given = await server.send_direct("ada", ["dario"], f"[hello.txt]({url})")
    shared = await server.send("dario", "general", "files", f"[hello.txt]({url})")
    await server.call("ada", "DELETE", f"/messages/{given}")
    await server.call("dario", "PATCH", f"/messages/{shared}", {"content": f"See [hello.txt]({url})"})
    assert (await opened(server, "elif", url))[0] == 200
    await server.call("dario", "PATCH", f"/messages/{shared}", {"content": "nothing"})
    assert (await opened(server, "elif", url))[0] == 403


async def test_a_file_in_protected_history_opens_for_users_who_received_a_message_with_it(
    server: TestServer,
) -> None:
    url = (await upload(server, "bruno"))["url"]
    await server.send("bruno", "operations", "files", f"[hello.txt]({url})")
    await server.subscribe("bruno", "operations", "elif")
    assert (await opened(server, "dario", url))[0] == 200
    assert (await opened(server, "elif", url))[0] == 403
    await server.send("bruno", "operations", "files", f"[hello.txt]({url})")
    assert (await opened(server, "elif", url))[0] == 200


async def test_a_temporary_url_opens_the_file_for_a_minute_without_credentials(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        url = (await upload(server, "ada"))["url"]
        temporary = (await server.call("ada", "GET", url))["url"]
        assert temporary.startswith("/user_uploads/temporary/")
        assert await opened(server, None, temporary) == (200, b"hello")
        forged = temporary.replace("temporary/3", "temporary/2", 1)
        assert (await opened(server, None, forged))[0] == 400
        assert (await opened(server, None, "/user_uploads/temporary/zz/hello.txt"))[0] == 400
        await server.refusal("bruno", "GET", url, status=403)
        await server.refusal("ada", "GET", "/user_uploads/1/ab/nothing/none.txt", status=404)


async def test_a_temporary_url_expires(server: TestServer, clock: VirtualClock) -> None:
    temporary = (await server.call("ada", "GET", (await upload(server, "ada"))["url"]))["url"]
    await clock.advance(59)
    assert (await opened(server, None, temporary))[0] == 200
    await clock.advance(2)
    assert (await opened(server, None, temporary))[0] == 400


async def test_parts_of_a_file_can_be_fetched(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        url = (await upload(server, "ada", content=b"0123456789"))["url"]
        response = await server.raw("ada", "GET", f"{server.url}{url}", headers={"Range": "bytes=2-4"})
        assert (response.status_code, response.content) == (206, b"234")
        assert response.headers["content-range"] == "bytes 2-4/10"
        beyond = await server.raw("ada", "GET", f"{server.url}{url}", headers={"Range": "bytes=20-"})
        assert beyond.status_code == 416


@pytest.mark.parametrize(
    ("filename", "disposition", "media_type"),
    [
        ("a.png", "inline", "image/png"),
        ("a.txt", "inline", "text/plain; charset=utf-8"),
        ("a.mp4", "inline", "video/mp4"),
        ("a.html", "attachment", "text/html; charset=utf-8"),
        ("a.svg", "attachment", "image/svg+xml"),
        ("a.js", "attachment", None),
        ("noext", "attachment", "application/octet-stream"),
    ],
)
async def test_uploaded_files_cannot_run_scripts_in_browsers(
    tmp_path: Path, filename: str, disposition: str, media_type: str | None
) -> None:
    async with running_server(tmp_path) as server:
        url = (await upload(server, "ada", filename))["url"]
        headers = (await server.raw("ada", "GET", f"{server.url}{url}")).headers
        assert headers["content-disposition"].startswith(disposition)
        assert headers["x-content-type-options"] == "nosniff"
        assert "sandbox" in headers["content-security-policy"]
        if media_type is not None:
            assert headers["content-type"] == media_type
        download = url.replace("/user_uploads/", "/user_uploads/download/")
        headers = (await server.raw("ada", "GET", f"{server.url}{download}")).headers
        assert headers["content-disposition"].startswith("attachment")


@pytest.mark.parametrize(
    ("sent", "name", "ending"),
    [
        ("ünïcödé файл 文.txt", "ünïcödé файл 文.txt", "/ünïcödé-файл-文.txt"),
        ("a b#c?d&e%.txt", "a b#c?d&e%.txt", "/a-bcde.txt"),
        ("../../etc/passwd", "passwd", "/passwd"),
        ("..", "uploaded-file", "/uploaded-file"),
        ("n" * 400 + ".txt", "n" * 251 + ".txt", "/" + "n" * 251 + ".txt"),
        (".bashrc", ".bashrc", "/bashrc"),
        ("a & b - (final).pdf", "a & b - (final).pdf", "/a-b-final.pdf"),
        ("evil\x1b[31m.txt", "evil[31m.txt", "/evil31m.txt"),
    ],
)
async def test_file_names_are_kept_and_made_safe_in_urls(
    tmp_path: Path, sent: str, name: str, ending: str
) -> None:
    async with running_server(tmp_path) as server:
        response = await upload(server, "ada", sent)
        assert response["filename"] == name
        assert response["url"].endswith(ending)
        assert (await opened(server, "ada", response["url"]))[0] == 200
        stored = [path for path in (tmp_path / "uploads" / "files").rglob("*") if path.is_file()]
        assert len(stored) == 1
        assert len(stored[0].name) == 24


@pytest.mark.parametrize(
    "path",
    ["../../narrowcast.db", "%2e%2e/%2e%2e/narrowcast.db", "1/ab/..", "1/ab/" + "x" * 24, "1//etc/passwd"],
)
async def test_no_url_leads_out_of_the_folder_of_uploads(tmp_path: Path, path: str) -> None:
    async with running_server(tmp_path) as server:
        status, _ = await opened(server, "ada", f"/user_uploads/{path}")
        assert status == 404


async def test_an_image_is_shown_with_its_size_and_its_thumbnail_opens(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        url = (await upload(server, "ada", "pic.png", png(header(640, 480))))["url"]
        message_id = await server.send("ada", "general", "pictures", f"[pic.png]({url})")
        response = await server.call("ada", "GET", f"/messages/{message_id}", {"apply_markdown": True})
        content = response["message"]["content"]
        assert 'data-original-dimensions="640x480"' in content
        thumbnail = f"{url.replace('/user_uploads/', '/user_uploads/thumbnail/')}/840x560.webp"
        assert thumbnail in content
        assert (await opened(server, "ada", thumbnail))[0] == 200
        assert (await opened(server, None, thumbnail))[0] == 401


async def test_a_file_that_only_claims_to_be_an_image_has_no_preview(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        for content in (b"", b"<svg onload=alert(1)>", png(header(0, 5)), png(header(1 << 25, 4))):
            url = (await upload(server, "ada", "pic.png", content))["url"]
            response = await server.call("ada", "POST", "/messages/render", {"content": f"[x]({url})"})
            assert "message_inline_image" not in response["rendered"]


async def test_uploads_are_listed_announced_and_removed_by_their_owner(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        listener = await server.listen("ada")
        url = (await upload(server, "ada", content=b"12345"))["url"]
        message_id = await server.send("ada", "general", "files", f"[x]({url})")
        listed = await server.call("ada", "GET", "/attachments")
        (attachment,) = listed["attachments"]
        assert attachment["path_id"] == url.removeprefix("/user_uploads/")
        assert (attachment["name"], attachment["size"]) == ("hello.txt", 5)
        assert [message["id"] for message in attachment["messages"]] == [message_id]
        assert listed["upload_space_used"] == 5
        assert [event["op"] for event in await listener.events("attachment")] == ["add", "update"]
        await server.refusal("bruno", "DELETE", f"/attachments/{attachment['id']}")
        await server.call("ada", "DELETE", f"/attachments/{attachment['id']}")
        (event,) = await listener.events("attachment")
        assert (event["op"], event["attachment"], event["upload_space_used"]) == (
            "remove",
            {"id": attachment["id"]},
            0,
        )
        assert (await opened(server, "ada", url))[0] == 404
        assert not [path for path in (tmp_path / "uploads" / "files").rglob("*") if path.is_file()]
        await server.refusal("ada", "DELETE", f"/attachments/{attachment['id']}")


async def test_files_in_a_web_public_channel_need_no_credentials(tmp_path: Path) -> None:
    async with running_server(tmp_path, demo=True) as server:
        url = (await upload(server, "ada"))["url"]
        await server.send("ada", "support", "manuals", f"[hello.txt]({url})")
        assert await opened(server, None, url) == (200, b"hello")


async def test_clients_that_can_only_open_urls_pass_their_key_in_the_url(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        url = (await upload(server, "ada"))["url"]
        key = server.user("ada").api_key
        assert await opened(server, None, f"{url}?api_key={key}") == (200, b"hello")
        assert (await opened(server, None, f"{url}?api_key={'x' * 32}"))[0] == 401
        assert (await opened(server, None, f"{url}?api_key=%C3%BC"))[0] == 401


async def test_files_survive_a_restart_and_partial_files_do_not(tmp_path: Path) -> None:
    half = tmp_path / "uploads" / "partial" / "half"
    half.parent.mkdir(parents=True)
    half.write_bytes(b"hal")
    async with running_server(tmp_path) as server:
        assert not half.exists()
        url = (await upload(server, "ada"))["url"]
        temporary = (await server.call("ada", "GET", url))["url"]
    async with running_server(tmp_path) as server:
        assert await opened(server, "ada", url) == (200, b"hello")
        assert await opened(server, None, temporary) == (200, b"hello")
