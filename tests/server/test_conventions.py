"""What applies to every operation: paths, form fields, bodies, unsupported parameters."""

from __future__ import annotations

import json

import pytest

from narrowcast_api.wire.vocabulary import API_PREFIX, Role
from narrowcast_server.app import routes_of
from support.ledger import proves
from support.server import TestServer


@proves("CONV-01")
def test_every_operation_is_mounted_under_the_prefix() -> None:
    paths = [endpoint.path for endpoint in routes_of() if not endpoint.absolute]
    assert "/typing" in paths
    assert "/server_settings" in paths
    assert API_PREFIX == "/api/v1"
    assert not [path for path in paths if path.startswith(API_PREFIX)]


@proves("CONV-02", "CONV-04")
async def test_parameters_of_delete_are_read_from_the_body(server: TestServer) -> None:
    response = await server.call("dario", "DELETE", "/users/me/subscriptions", {"subscriptions": ["general"]})
    assert response["removed"] == ["general"]


@proves("CONV-03")
async def test_parameters_of_get_are_read_from_the_query(server: TestServer) -> None:
    message_id = await server.send("ada", "general", "query")
    narrow = json.dumps([{"operator": "topic", "operand": "query"}])
    response = await server.raw(
        "ada", "GET", "/messages/matches_narrow", {"msg_ids": [message_id], "narrow": narrow}
    )
    assert "msg_ids" in str(response.request.url)
    assert list(response.json()["messages"]) == [str(message_id)]


@proves("CONV-04")
async def test_a_list_that_is_not_json_is_rejected(server: TestServer) -> None:
    refusal = await server.refusal("ada", "POST", "/typing", {"op": "start", "to": "[1"})
    assert refusal["code"] == "BAD_REQUEST"
    assert refusal["msg"] == "to is not valid JSON"


@proves("CONV-05")
async def test_multipart_forms_are_accepted(server: TestServer) -> None:
    response = await server.raw(
        "ada", "POST", "/user_uploads", files={"file": ("a.txt", b"hi", "text/plain")}
    )
    assert response.request.headers["content-type"].startswith("multipart/form-data")
    assert response.json()["result"] == "success"


@proves("CONV-06", "CONV-07", "CONV-08", "CONV-19")
@pytest.mark.parametrize(
    "path", ["/users/me", "/users", "/streams", "/users/me/subscriptions", "/drafts", "/realm/linkifiers"]
)
async def test_a_success_has_an_empty_msg(server: TestServer, path: str) -> None:
    response = await server.raw("ada", "GET", path)
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/json"
    assert response.json()["result"] == "success"
    assert response.json()["msg"] == ""


@proves("CONV-09", "CONV-10", "CONV-20", "VER-05")
async def test_unsupported_parameters_are_named_from_167(server: TestServer) -> None:
    fields = {"op": "start", "to": [server.id("bruno")], "foo": 1, "bar": 2}
    server.set_level(174)
    response = await server.call("ada", "POST", "/typing", fields)
    assert response["ignored_parameters_unsupported"] == ["bar", "foo"]
    server.set_level(166)
    response = await server.call("ada", "POST", "/typing", {**fields, "type": "private"})
    assert "ignored_parameters_unsupported" not in response
    server.set_level(167)
    response = await server.call("ada", "POST", "/typing", {**fields, "type": "private"})
    assert response["ignored_parameters_unsupported"] == ["bar", "foo"]


@proves("CONV-09")
async def test_an_error_does_not_name_unsupported_parameters(server: TestServer) -> None:
    refusal = await server.refusal("ada", "POST", "/typing", {"op": "start", "foo": 1})
    assert "ignored_parameters_unsupported" not in refusal


@proves("CONV-11", "CONV-12")
@pytest.mark.parametrize("name", ["(no topic)", "general chat", ""])
async def test_every_name_of_the_empty_topic_means_the_empty_topic(server: TestServer, name: str) -> None:
    listener = await server.listen("ada", client_capabilities={"empty_topic_name": True})
    assert listener.snapshot["realm_empty_topic_display_name"] == "general chat"
    await server.send("dario", "general", name)
    (event,) = await listener.events("message")
    assert event["message"]["subject"] == ""


@proves("CONV-12")
async def test_clients_that_do_not_know_the_empty_topic_get_its_name(server: TestServer) -> None:
    listener = await server.listen("ada")
    await server.send("dario", "general", "")
    (event,) = await listener.events("message")
    assert event["message"]["subject"] == "general chat"


@proves("CONV-13")
async def test_the_empty_topic_is_accepted_from_334(server: TestServer) -> None:
    server.set_level(333)
    fields = {"type": "stream", "to": server.channel("general"), "topic": "", "content": "x"}
    await server.refusal("dario", "POST", "/messages", fields)
    server.set_level(334)
    await server.call("dario", "POST", "/messages", fields)


@proves("CONV-14")
async def test_channel_and_stream_are_both_accepted_as_type(server: TestServer) -> None:
    listener = await server.listen("ada", client_capabilities={"stream_typing_notifications": True})
    for word in ("stream", "channel"):
        fields = {"type": word, "op": "start", "stream_id": server.channel("general"), "topic": "t"}
        await server.call("dario", "POST", "/typing", fields)
    first, second = await listener.events("typing")
    assert {**first, "id": 0} == {**second, "id": 0}


@proves("CONV-15", "CONV-16")
async def test_there_are_five_role_codes_and_smaller_ones_rank_higher(server: TestServer) -> None:
    body = await server.call("ada", "GET", "/users")
    roles = {member["full_name"].split()[0]: member["role"] for member in body["members"]}
    assert [roles[name] for name in ("Ada", "Bruno", "Chiyo", "Dario", "Hugo")] == [100, 200, 300, 400, 600]
    await server.refusal("ada", "PATCH", f"/users/{server.id('dario')}", {"role": 500})
    base = {"invitee_emails": "new@demo.example", "stream_ids": []}
    for role in Role:
        fields = {**base, "invite_as": int(role), "invitee_emails": f"{role.name}@demo.example"}
        response = await server.raw("chiyo", "POST", "/invites", fields)
        assert (response.json()["result"] == "success") is (role >= Role.MODERATOR)


@proves("CONV-17")
async def test_the_snapshot_of_the_test_organization_has_every_kind_of_object(server: TestServer) -> None:
    await server.send("ada", "general", "a topic")
    await server.send_direct("ada", ["bruno"])
    snapshot = (await server.listen("bruno")).snapshot
    assert snapshot["realm_users"]
    assert [user for user in snapshot["realm_users"] if user["is_bot"]]
    assert snapshot["subscriptions"]
    assert snapshot["unread_msgs"]["streams"][0]["topic"] == "a topic"
    assert snapshot["recent_private_conversations"]
    assert snapshot["realm_user_groups"]


@proves("CONV-18")
async def test_scalars_are_json_literals_and_strings_are_raw(server: TestServer) -> None:
    response = await server.call(
        "ada", "POST", "/invites/multiuse", {"invite_expires_in_minutes": None, "invite_as": 400}
    )
    assert response["invite_link"]
    invites = (await server.call("ada", "GET", "/invites"))["invites"]
    assert invites[0]["expiry_date"] is None
    message_id = await server.send("ada", "general", "raw", '"quoted" [text]')
    message = await server.call("ada", "GET", f"/messages/{message_id}", {"apply_markdown": False})
    assert message["message"]["content"] == '"quoted" [text]'


@proves("CONV-21")
async def test_unknown_paths_return_a_json_error(server: TestServer) -> None:
    refusal = await server.refusal("ada", "GET", "/no_such_thing", status=404)
    assert refusal["code"] == "BAD_REQUEST"
    refusal = await server.refusal("ada", "PATCH", "/typing", status=405)
    assert refusal["code"] == "BAD_REQUEST"
    server.set_level(367)
    await server.refusal("ada", "PATCH", "/saved_snippets/1", {"title": "x"}, status=404)


@proves("CONV-22", "CONV-23", "EVT-08")
async def test_the_requests_of_a_starting_client_succeed(server: TestServer) -> None:
    listener = await server.listen("ada")
    assert await listener.events() == []
    for path in ("/scheduled_messages", "/drafts", "/saved_snippets", "/user_groups", "/streams", "/users"):
        await server.call("ada", "GET", path)
    response = await server.call(
        "ada", "GET", "/messages", {"anchor": "newest", "num_before": 1, "num_after": 0}
    )
    assert response["found_newest"] is True


@proves("CONV-06", "ERR-01", "ERR-07")
@pytest.mark.parametrize(
    ("method", "path", "fields"),
    [
        ("POST", "/typing", {}),
        ("POST", "/messages", {"type": "foo"}),
        ("GET", "/users/999999", {}),
        ("GET", "/users/me/999999/topics", {}),
        ("POST", "/messages/flags", {"messages": [1], "op": "add", "flag": "foo"}),
        ("GET", "/messages/xyz", {}),
    ],
)
async def test_an_error_has_result_msg_and_code(
    server: TestServer, method: str, path: str, fields: dict[str, object]
) -> None:
    refusal = await server.refusal("dario", method, path, fields)
    assert refusal.keys() == {"result", "msg", "code"}
    assert refusal["code"] == "BAD_REQUEST"
    assert refusal["msg"]


@proves("ERR-02")
@pytest.mark.parametrize(
    ("name", "method", "path", "fields"),
    [
        ("ada", "POST", "/typing", {"op": "start"}),
        ("ada", "GET", "/users/999999", {}),
        ("ada", "PATCH", "/user_groups/999999", {"name": "x"}),
        ("ada", "PATCH", "/drafts/999999", {"draft": {"type": "", "to": [], "topic": "", "content": "x"}}),
        ("ada", "PATCH", "/scheduled_messages/999999", {"content": "x"}),
        ("ada", "PATCH", "/saved_snippets/999999", {"title": "x"}),
        ("ada", "GET", "/users/me/999999/topics", {}),
        ("ada", "POST", "/users/me/status", {"emoji_name": "nosuch"}),
        ("ada", "POST", "/users/me/status", {}),
    ],
)
async def test_general_errors_have_the_code_bad_request(
    server: TestServer, name: str, method: str, path: str, fields: dict[str, object]
) -> None:
    assert (await server.refusal(name, method, path, fields))["code"] == "BAD_REQUEST"


@proves("ERR-02")
@pytest.mark.parametrize(
    ("name", "method", "path", "fields"),
    [
        ("dario", "POST", "/realm/playgrounds", {"name": "x"}),
        ("bruno", "DELETE", "/users/2", {}),
    ],
)
async def test_missing_permissions_to_administer_have_the_code_unauthorized_principal(
    server: TestServer, name: str, method: str, path: str, fields: dict[str, object]
) -> None:
    assert (await server.refusal(name, method, path, fields))["code"] == "UNAUTHORIZED_PRINCIPAL"


@proves("ERR-03")
async def test_an_error_about_an_unknown_channel_names_it(server: TestServer) -> None:
    refusal = await server.refusal("ada", "DELETE", "/users/me/subscriptions", {"subscriptions": ["nosuch"]})
    assert (refusal["code"], refusal["stream"]) == ("STREAM_DOES_NOT_EXIST", "nosuch")
    fields = {"type": "stream", "to": 999999, "topic": "t", "content": "x"}
    refusal = await server.refusal("ada", "POST", "/messages", fields)
    assert (refusal["code"], refusal["stream_id"]) == ("STREAM_DOES_NOT_EXIST", 999999)


@proves("ERR-04", "AUTH-03")
async def test_members_cannot_administer_the_organization(server: TestServer) -> None:
    channel, person = server.channel("general"), server.id("elif")
    path = f"/streams/{channel}/delete_topic"
    refusal = await server.refusal("dario", "POST", path, {"topic_name": "x"})
    assert refusal["code"] == "UNAUTHORIZED_PRINCIPAL"
    await server.refusal("dario", "PATCH", f"/users/{person}", {"full_name": "X"})
    await server.refusal("dario", "DELETE", f"/users/{person}")
    await server.call("bruno", "POST", path, {"topic_name": "x"})
    await server.call("bruno", "PATCH", f"/users/{person}", {"full_name": "Elif Kaya"})


@proves("ERR-05")
async def test_failed_invitations_have_all_four_fields(server: TestServer) -> None:
    fields = {"invitee_emails": "dario@demo.example", "stream_ids": []}
    refusal = await server.refusal("ada", "POST", "/invites", fields)
    assert refusal["code"] == "INVITATION_FAILED"
    extra = {"daily_limit_reached", "license_limit_reached", "sent_invitations", "errors"}
    assert extra <= refusal.keys()


@proves("ERR-06")
async def test_removing_an_absent_reaction_has_its_own_error_code(server: TestServer) -> None:
    message_id = await server.send("ada", "general", "t")
    refusal = await server.refusal(
        "ada", "DELETE", f"/messages/{message_id}/reactions", {"emoji_name": "tada"}
    )
    assert refusal["code"] == "REACTION_DOES_NOT_EXIST"


@proves("CONV-06", "ERR-01")
async def test_an_internal_error_is_reported_in_json_without_its_cause(
    server: TestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise RuntimeError("secret cause")

    monkeypatch.setattr(server.organization.channels, "all", broken)
    for method, path in (("GET", "/streams"), ("POST", "/register")):
        response = await server.raw("ada", method, path)
        assert response.status_code == 500
        assert response.headers["content-type"] == "application/json"
        assert response.json() == {
            "result": "error",
            "msg": "Internal server error",
            "code": "INTERNAL_SERVER_ERROR",
        }
    monkeypatch.undo()
    await server.call("ada", "GET", "/streams")
