"""What the server offers operators and administrators: health, metrics, sessions, the audit log."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from narrowcast_api.wire.vocabulary import EmailVisibility
from narrowcast_server.actions import audit_log
from narrowcast_server.first_run import OWNER_FILE, how_to_open
from narrowcast_server.organization.config import Quotas, ServerConfig
from narrowcast_server.organization.measures import Measures
from support import world
from support.server import JsonObject, TestServer, running_server


async def own(
    server: TestServer, name: str | None, method: str, path: str, fields: dict[str, object] | None = None
) -> JsonObject:
    """Calls a route outside /api/v1."""
    response = await server.raw(name, method, server.url + path, fields)
    body: JsonObject = response.json()
    return {**body, "status": response.status_code} if "status" not in body else body


@pytest.mark.parametrize("speaks_zulip", [False, True])
@pytest.mark.parametrize("has_file", [False, True])
def test_the_dialect_for_zulips_tools_is_named_unless_the_server_has_it(
    tmp_path: Path, has_file: bool, speaks_zulip: bool
) -> None:
    if has_file:
        (tmp_path / OWNER_FILE).write_text("")
    said = how_to_open(tmp_path, "https://chat.example", demo=False, speaks_zulip=speaks_zulip)
    assert ("--dialect zulip" in said) is not speaks_zulip
    assert ("others log in" in said) is has_file
    assert "log in with: narrowcast login https://chat.example" in said


async def test_the_health_check_needs_no_credentials(server: TestServer) -> None:
    response = await server.raw(None, "GET", f"{server.url}/health")
    assert (response.status_code, response.json()) == (200, {"status": "ok"})
    server.set_level(0)
    assert (await server.raw(None, "GET", f"{server.url}/health")).status_code == 200


async def test_the_health_check_fails_without_the_database(server: TestServer) -> None:
    server.organization.store.execute("ALTER TABLE settings RENAME TO gone")
    response = await server.raw(None, "GET", f"{server.url}/health")
    server.organization.store.execute("ALTER TABLE gone RENAME TO settings")
    assert response.status_code == 503


async def metrics(server: TestServer) -> dict[str, float]:
    text = (await server.raw("ada", "GET", f"{server.url}/metrics")).text
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r'narrowcast_[a-z_]+(\{status="\d+"\})? [0-9.e+-]+', line) for line in lines)
    return {name: float(value) for name, value in (line.split(" ") for line in lines)}


async def test_metrics_count_messages_queues_and_errors(server: TestServer) -> None:
    before = await metrics(server)
    await server.send("ada", "general", "t")
    await server.listen("elif")
    await server.refusal("ada", "GET", "/messages")
    after = await metrics(server)
    assert after["narrowcast_messages"] == before["narrowcast_messages"] + 1
    assert after["narrowcast_queues"] == before["narrowcast_queues"] + 1
    assert after["narrowcast_listening_people"] == 1
    refused = 'narrowcast_answers_total{status="400"}'
    assert after[refused] == before.get(refused, 0) + 1
    assert after["narrowcast_people"] == 8
    assert after["narrowcast_bots"] == 2
    assert after["narrowcast_crashes_total"] == 0
    assert after["narrowcast_database_bytes"] > 100_000


@pytest.mark.parametrize("name", [None, "hugo", "dario", "chiyo", "iris", "jasper"])
@pytest.mark.parametrize("path", ["/metrics", "/server/acts"])
async def test_only_administrators_can_read_metrics_and_the_audit_log(
    server: TestServer, name: str | None, path: str
) -> None:
    response = await server.raw(name, "GET", server.url + path)
    if name == "iris":
        # Ada's bot is only a member.
        assert response.status_code == 400
    assert response.json()["result"] == "error"


def test_the_loop_delay_metric_is_the_longest_of_the_last_minute() -> None:
    measures = Measures(0.0)
    assert measures.longest_wait == 0.0
    for seconds in (0.5, -1.0, *([0.1] * 59)):
        measures.record_delay(seconds)
    assert measures.longest_wait == 0.1


async def test_users_see_only_their_own_sessions_and_can_end_them(server: TestServer) -> None:
    first = await server.listen("elif")
    second = await server.listen("elif")
    await server.listen("dario")
    listed = (await own(server, "elif", "GET", "/server/sessions"))["sessions"]
    assert [row["session_id"] for row in listed] == [first.queue_id, second.queue_id]
    assert listed[0]["client"] == "python-httpx2"
    assert listed[0]["idle_seconds"] == 0
    await own(server, "elif", "DELETE", f"/server/sessions/{first.queue_id}")
    listed = (await own(server, "elif", "GET", "/server/sessions"))["sessions"]
    assert [row["session_id"] for row in listed] == [second.queue_id]
    await own(server, "elif", "DELETE", "/server/sessions")
    assert server.organization.hub.of(server.id("elif")) == ()
    assert len(server.organization.hub.of(server.id("dario"))) == 1


async def test_ending_all_sessions_also_revokes_the_key(server: TestServer) -> None:
    key = server.user("elif").api_key
    await own(server, "elif", "DELETE", "/server/sessions", {"new_key": True})
    assert server.user("elif").api_key != key


@pytest.mark.parametrize(
    ("name", "other", "allowed"),
    [
        ("ada", "bruno", True),
        ("bruno", "elif", True),
        ("bruno", "ada", False),
        ("chiyo", "hugo", False),
        ("hugo", "elif", False),
        ("hugo", "hugo", True),
    ],
)
async def test_administrators_can_end_sessions_of_users_who_do_not_rank_higher(
    server: TestServer, name: str, other: str, allowed: bool
) -> None:
    listener = await server.listen(other)
    fields: dict[str, object] = {"user_id": server.id(other)}
    seen = await own(server, name, "GET", "/server/sessions", fields)
    assert (seen["result"] == "success") is allowed
    ended = await own(server, name, "DELETE", "/server/sessions", {**fields, "new_key": True})
    assert (ended["result"] == "success") is allowed
    assert (
        any(queue.id == listener.queue_id for queue in server.organization.hub.of(server.id(other)))
        is not allowed
    )


async def test_another_users_session_is_treated_as_unknown(server: TestServer) -> None:
    listener = await server.listen("elif")
    response = await own(server, "dario", "DELETE", f"/server/sessions/{listener.queue_id}")
    assert response["code"] == "BAD_EVENT_QUEUE_ID"


# --- the audit log ------------------------------------------------------------------------------------------


async def acts(server: TestServer, **fields: object) -> list[JsonObject]:
    listed: list[JsonObject] = (await own(server, "ada", "GET", "/server/acts", fields))["acts"]
    return listed


async def test_actions_of_administrators_are_in_the_audit_log(server: TestServer) -> None:
    greta = server.id("greta")
    await server.call("bruno", "PATCH", f"/users/{greta}", {"role": 600})
    await server.call("ada", "PATCH", "/realm", {"name": "Renamed"})
    await server.call("ada", "DELETE", f"/users/{greta}")
    newest = await acts(server)
    assert [(row["by"], row["act"]) for row in newest] == [
        ("Ada Moreno", f"DELETE /users/{greta}"),
        ("Ada Moreno", "PATCH /realm"),
        ("Bruno Castell", f"PATCH /users/{greta}"),
    ]
    assert newest[1]["details"] == {"name": "Renamed"}
    assert newest[2]["details"] == {"role": "600"}
    assert newest[0]["timestamp"] <= server.organization.now()


async def test_rejected_actions_and_personal_changes_are_not_in_the_audit_log(server: TestServer) -> None:
    await server.refusal("dario", "PATCH", "/realm", {"name": "Mine"})
    await server.send("ada", "general", "t")
    await server.call("ada", "PATCH", "/settings", {"twenty_four_hour_time": True})
    await server.call("ada", "POST", "/users/me/status", {"status_text": "x"})
    await server.call("ada", "GET", "/realm/emoji")
    assert await acts(server) == []


async def test_invitations_of_which_only_some_are_sent_are_in_the_audit_log(server: TestServer) -> None:
    fields = {"invite_expires_in_minutes": 10, "stream_ids": []}
    for text in ("elif@demo.example", "elif@demo.example, nadia@example.com"):
        await server.refusal("ada", "POST", "/invites", {"invitee_emails": text, **fields})
    (noted,) = await acts(server)
    assert (noted["act"], noted["by"]) == ("POST /invites", "Ada Moreno")
    assert noted["details"]["invitee_emails"] == "elif@demo.example, nadia@example.com"


async def test_the_audit_log_contains_no_secrets(server: TestServer) -> None:
    fields = {"email": "new@demo.example", "full_name": "New Person", "password": "a long enough secret"}
    await server.call("ada", "POST", "/users", fields)
    (noted,) = await acts(server)
    assert noted["act"] == "POST /users"
    assert noted["details"] == {**fields, "password": "(not shown)"}


async def test_the_audit_log_does_not_contain_a_new_email_address(server: TestServer) -> None:
    ada, greta = server.id("ada"), server.id("greta")
    with server.organization.transaction():
        server.organization.users.update(ada, can_change_user_emails=1)
    await server.call(
        "greta", "PATCH", "/settings", {"email_address_visibility": int(EmailVisibility.NOBODY)}
    )
    await server.call("ada", "PATCH", f"/users/{greta}", {"new_email": "hidden@demo.example"})
    (noted,) = await acts(server)
    assert noted["details"] == {"new_email": "(not shown)"}


async def test_addresses_that_earlier_versions_logged_are_not_shown(server: TestServer) -> None:
    insert = "INSERT INTO acts (timestamp, act, details) VALUES (1, ?, ?)"
    with server.organization.transaction():
        server.organization.store.execute(insert, "role", '{"role": "guest", "who": "greta@demo.example"}')
        server.organization.store.execute(insert, "PATCH /users/7", '{"new_email": "hidden@demo.example"}')
    newest = await acts(server)
    assert [row["details"] for row in newest] == [
        {"new_email": "(not shown)"},
        {"role": "guest", "who": "(not shown)"},
    ]


async def test_the_audit_log_is_paginated(server: TestServer) -> None:
    for number in range(5):
        await server.call("ada", "PATCH", "/realm", {"name": f"Name {number}"})
    first = await acts(server, limit=2)
    assert [row["details"]["name"] for row in first] == ["Name 4", "Name 3"]
    second = await acts(server, limit=10, before=first[-1]["id"])
    assert [row["details"]["name"] for row in second] == ["Name 2", "Name 1", "Name 0"]
    assert (await own(server, "ada", "GET", "/server/acts", {"limit": 1001}))["result"] == "error"


async def test_a_login_is_not_in_the_audit_log(server: TestServer) -> None:
    await server.call(
        None, "POST", "/fetch_api_key", {"username": "ada@demo.example", "password": world.PASSWORD}
    )
    assert await acts(server) == []


async def test_undeclared_and_long_parameters_do_not_fill_the_audit_log(server: TestServer) -> None:
    await server.call("ada", "PATCH", "/realm", {"name": "New", "x" * 300_000: "1", "y": "2" * 300_000})
    await server.call("ada", "PATCH", "/realm", {"description": "x" * 900})
    long, declared = await acts(server)
    assert declared["details"] == {"name": "New"}
    assert long["details"] == {"description": "x" * 200}
    stored = server.organization.store.integers("SELECT length(details) FROM acts")
    assert max(stored) < 1_000


async def test_what_changes_nothing_is_not_in_the_audit_log(server: TestServer) -> None:
    await server.call("ada", "PATCH", "/realm", {"name": server.organization.setting("name", str)})
    await server.call("ada", "PATCH", f"/users/{server.id('greta')}", {"role": 600})
    greta = server.user("greta")
    await server.call("ada", "PATCH", f"/users/{greta.id}", {"full_name": greta.full_name})
    await own(server, "hugo", "DELETE", "/server/sessions", {"new_key": False})
    assert [row["act"] for row in await acts(server)] == [f"PATCH /users/{greta.id}"]


async def test_ending_the_sessions_of_others_is_in_the_audit_log(server: TestServer) -> None:
    hugo = server.id("hugo")
    await own(server, "ada", "DELETE", "/server/sessions", {"user_id": hugo})
    (noted,) = await acts(server)
    assert (noted["act"], noted["details"]) == ("DELETE /server/sessions", {"user_id": str(hugo)})


async def test_nobody_pushes_the_actions_of_others_out_of_the_audit_log(
    server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_log, "_OF_ONE", 3)
    await server.call("bruno", "PATCH", f"/users/{server.id('greta')}", {"role": 600})
    for number in range(6):
        await server.call("ada", "PATCH", "/realm", {"name": f"Name {number}"})
    newest = await acts(server)
    assert [row["details"].get("name") for row in newest] == ["Name 5", "Name 4", "Name 3", None]
    assert newest[-1]["by"] == "Bruno Castell"


async def test_entries_of_the_audit_log_are_kept_for_a_year(server: TestServer) -> None:
    old = server.organization.now() - 366 * 86_400
    with server.organization.transaction():
        server.organization.store.execute(
            "INSERT INTO acts (timestamp, act, details) VALUES (?, 'role', '{}')", old
        )
    await server.call("ada", "PATCH", "/realm", {"name": "Renamed"})
    assert [row["act"] for row in await acts(server)] == ["PATCH /realm"]


async def test_a_page_of_the_audit_log_is_limited_in_bytes(
    server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit_log, "_PAGE_CHARACTERS", 100)
    for number in range(5):
        await server.call("ada", "PATCH", "/realm", {"description": f"{number}" * 40})
    first = await acts(server, limit=1000)
    assert [row["details"]["description"][0] for row in first] == ["4"]
    assert [row["details"]["description"][0] for row in await acts(server, before=first[0]["id"])] == ["3"]


async def test_the_audit_log_leaves_the_last_space_on_the_disk_to_messages(tmp_path: Path) -> None:
    config = ServerConfig(quotas=Quotas(spare_disk_mib=2**40))
    async with running_server(tmp_path, config=config) as server:
        await server.call("ada", "PATCH", "/realm", {"name": "Renamed"})
        (noted,) = await acts(server)
    assert (noted["act"], noted["details"]) == ("PATCH /realm", {})
