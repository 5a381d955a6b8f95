"""Exports that administrators request: created, reported, downloaded, deleted; and their contents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from narrowcast_api.client import Client
from narrowcast_api.errors import BadRequest
from narrowcast_api.resources.exports import Export
from narrowcast_api.wire.vocabulary import ExportType
from narrowcast_server.zulip_archive.layout import UPLOADS
from narrowcast_server.zulip_archive.reading.archive import read_archive
from narrowcast_server.zulip_archive.writing.archive import write_archive
from support.archives import quiet
from support.processes import Tables, tables_of, unpacked
from support.server import TestServer, running_server
from support.sessions import until
from support.zulip_format import faults

EXPORT = "/export/realm"


async def exported(server: TestServer, kind: ExportType) -> Export:
    """A finished export."""
    async with Client.open(server.account("ada")) as ada:
        identity = await ada.exports.create(export_type=kind)
        store = server.organization.store
        await until(
            lambda: store.integer("SELECT 1 FROM exports WHERE id = ? AND place IS NOT NULL", identity) == 1
        )
        return next(export for export in await ada.exports.list() if export.id == identity)


async def rows_of(server: TestServer, export: Export, into: Path) -> Tables:
    response = await server.client.get(str(export.export_url))
    assert (response.status_code, response.headers["cache-control"]) == (200, "no-store")
    file = into / "export.tar.gz"
    file.write_bytes(response.content)
    return tables_of(unpacked(file, into / "unpacked"))


async def test_an_export_is_created_announced_downloaded_and_deleted(
    server: TestServer, tmp_path: Path
) -> None:
    administrator, member = await server.listen("bruno"), await server.listen("elif")
    export = await exported(server, ExportType.PUBLIC)
    assert (export.acting_user_id, export.pending, export.export_type) == (server.id("ada"), False, "public")
    assert (await rows_of(server, export, tmp_path))["zerver_realm"][0][
        "name"
    ] == server.organization.settings["name"]
    told = [event["exports"][-1] for event in await administrator.events("realm_export")]
    assert [(row["pending"], row["export_url"]) for row in told] == [(True, None), (False, export.export_url)]
    assert await member.events("realm_export") == []
    async with Client.open(server.account("ada")) as ada:
        await ada.exports.delete(export_id=export.id)
        (listed,) = await ada.exports.list()
        assert (listed.export_url, listed.deleted_timestamp is None) == (None, False)
        with pytest.raises(BadRequest, match="already deleted"):
            await ada.exports.delete(export_id=export.id)
        with pytest.raises(BadRequest, match="Invalid data export ID"):
            await ada.exports.delete(export_id=99)
    assert (await server.client.get(str(export.export_url))).status_code == 404
    assert list((server.organization.folder / "exports").iterdir()) == []


async def test_administrators_see_which_users_consented_to_exports(server: TestServer) -> None:
    administrator, member = await server.listen("bruno"), await server.listen("dario")
    for value in (True, True, False, True):
        await server.call("greta", "PATCH", "/settings", {"allow_private_data_export": value})
    told = await administrator.events("realm_export_consent")
    assert [(event["user_id"], event["consented"]) for event in told] == [
        (server.id("greta"), value) for value in (True, False, True)
    ]
    assert await member.events("realm_export_consent") == []
    async with Client.open(server.account("bruno")) as bruno:
        consents = {consent.user_id: consent.consented for consent in await bruno.exports.consents()}
    assert [user_id for user_id, consented in consents.items() if consented] == [server.id("greta")]
    assert server.id("iris") not in consents
    await server.refusal("dario", "GET", f"{EXPORT}/consents")


async def test_types_of_exports_are_numbers_below_level_449(server: TestServer) -> None:
    server.set_level(448)
    assert (await exported(server, ExportType.FULL_WITH_CONSENT)).export_type == 2
    for wrong in ("public", 3, True):
        await server.refusal("ada", "POST", EXPORT, {"export_type": wrong})


async def test_exports_need_permission_and_have_a_rate_limit(server: TestServer) -> None:
    for method, path in (("GET", EXPORT), ("POST", EXPORT), ("DELETE", f"{EXPORT}/1")):
        assert (await server.refusal("dario", method, path))["code"] == "UNAUTHORIZED_PRINCIPAL"
    for _ in range(5):
        await server.call("bruno", "POST", EXPORT)
    assert (await server.refusal("bruno", "POST", EXPORT))["msg"] == "Exceeded rate limit."
    server.organization.store.execute("UPDATE exports SET requested = requested - 700000 WHERE id = 1")
    await server.call("bruno", "POST", EXPORT)
    assert (
        await server.client.get(f"{server.url}/user_avatars/exports/x/narrowcast-export.tar.gz")
    ).status_code == 404


async def test_an_export_that_was_interrupted_by_a_restart_is_finished_or_dropped(tmp_path: Path) -> None:
    async with running_server(tmp_path / "data") as server:
        export = await exported(server, ExportType.PUBLIC)
        store = server.organization.store
        store.execute(
            "INSERT INTO exports (user_id, kind, requested) VALUES (?, 'public', 1)", server.id("ada")
        )
        file = next((server.organization.folder / "exports").rglob("*.gz"))
    file.unlink()
    (tmp_path / "data" / "exports" / "half").mkdir()
    async with running_server(tmp_path / "data") as server, Client.open(server.account("ada")) as ada:
        await until(
            lambda: (
                server.organization.store.integer("SELECT 1 FROM exports WHERE id = 2 AND place IS NOT NULL")
                == 1
            )
        )
        lost, made = await ada.exports.list()
        assert (lost.id, lost.export_url, lost.deleted_timestamp is None) == (export.id, None, False)
        assert made.export_url
        assert not (tmp_path / "data" / "exports" / "half").exists()


async def test_an_export_contains_private_data_only_of_users_who_consented(
    server: TestServer, tmp_path: Path
) -> None:
    await server.call("greta", "PATCH", "/settings", {"allow_private_data_export": True})
    await server.call("elif", "PATCH", "/settings", {"email_address_visibility": 4})
    channels = {}
    for name, members in (("hers", ["greta", "dario"]), ("theirs", ["dario", "elif"])):
        subscribers = [server.id(member) for member in members]
        fields = {
            "name": name,
            "invite_only": True,
            "subscribers": subscribers,
            "history_public_to_subscribers": False,
        }
        channels[name] = (await server.call("ada", "POST", "/channels/create", fields))["id"]
    await server.send("dario", "general", "t", "in public")
    await server.send("dario", "hers", "t", "before greta leaves")
    await server.send("dario", "theirs", "t", "theirs alone")
    await server.send_direct("dario", ["greta"], "to greta")
    await server.send_direct("dario", ["elif"], "to elif")
    for name in ("greta", "elif"):
        await server.call(name, "POST", "/saved_snippets", {"title": name, "content": "x"})
        await server.call(name, "POST", "/users/me/alert_words", {"alert_words": [f"word of {name}"]})
    expected: list[tuple[ExportType, set[str], set[str]]] = [
        (ExportType.PUBLIC, {"in public"}, set()),
        (ExportType.FULL_WITH_CONSENT, {"in public", "before greta leaves", "to greta"}, {"greta"}),
    ]
    for kind, texts, people in expected:
        folder = tmp_path / kind
        folder.mkdir()
        rows = await rows_of(server, await exported(server, kind), folder)
        assert list(faults(rows)) == []
        said = {row["content"] for row in rows["zerver_message"]}
        assert said & {"in public", "before greta leaves", "theirs alone", "to greta", "to elif"} == texts
        assert {row["title"] for row in rows["zerver_savedsnippet"]} == people
        assert {row["word"] for row in rows["zerver_alertword"]} == {f"word of {name}" for name in people}
        names = {row["name"] for row in rows["zerver_stream"]} & {"hers", "theirs"}
        assert names == ({"hers"} if people else set())
        addresses = {row["id"]: row["delivery_email"] for row in rows["zerver_userprofile"]}
        assert server.user("elif").delivery_email not in json.dumps(list(addresses.values()))
        assert addresses[server.id("greta")] == server.user("greta").delivery_email


async def test_an_export_contains_no_presence_of_users_who_hide_it(
    server: TestServer, tmp_path: Path
) -> None:
    for name in ("elif", "dario"):
        await server.call(name, "POST", "/users/me/presence", {"status": "active"})
    await server.call("elif", "PATCH", "/settings", {"presence_enabled": False})
    rows = await rows_of(server, await exported(server, ExportType.PUBLIC), tmp_path)
    assert [row["user_profile"] for row in rows["zerver_userpresence"]] == [server.id("dario")]


@pytest.mark.parametrize("kind", [ExportType.PUBLIC, ExportType.FULL_WITH_CONSENT])
async def test_an_export_does_not_contain_the_history_of_a_message_in_a_private_channel(
    server: TestServer, tmp_path: Path, kind: ExportType
) -> None:
    sent = await server.send("bruno", "operations", "takeover", "severance")
    path, move = f"/messages/{sent}", {"stream_id": server.channel("general"), "topic": "news"}
    for change in ({"content": "nothing"}, move, {"topic": "more news"}):
        await server.call("bruno", "PATCH", path, {**change, "send_notification_to_new_thread": False})
    rows = await rows_of(server, await exported(server, kind), tmp_path)
    (row,) = [row for row in rows["zerver_message"] if row["subject"] == "more news"]
    (entry,) = json.loads(row["edit_history"])
    assert entry["prev_topic"] == "news"


@pytest.mark.parametrize("kind", [ExportType.PUBLIC, ExportType.FULL_WITH_CONSENT])
def test_a_partial_export_can_be_imported(odd_data: Path, tmp_path: Path, kind: ExportType) -> None:
    file = tmp_path / "part.tar.gz"
    write_archive(odd_data, file, kind=kind, say=quiet)
    folder = unpacked(file, tmp_path / "unpacked")
    assert folder.name == "narrowcast-export"
    rows = tables_of(folder)
    assert list(faults(rows)) == []
    listed = {row["path_id"] for row in rows["zerver_attachment"]}
    files = {
        str(path.relative_to(folder / UPLOADS)) for path in (folder / UPLOADS).rglob("*") if path.is_file()
    }
    assert files - {"records.json"} == listed
    read_archive(file, tmp_path / "again", say=quiet)
