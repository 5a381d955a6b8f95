"""Each role may do exactly what it should: the next lower role is always refused."""

from __future__ import annotations

import base64

import httpx2
import pytest

from narrowcast_api.wire.vocabulary import Role, VisibilityPolicy
from narrowcast_server.rules.permissions import holds
from support.clock import VirtualClock
from support.request_parts import fill
from support.server import TestServer

DAY = 86_400
BELOW_ADMINISTRATORS = ("chiyo", "dario", "hugo", "iris")
BELOW_OWNERS = ("bruno", *BELOW_ADMINISTRATORS)
OF_ADMINISTRATORS: tuple[tuple[str, str, dict[str, object] | None], ...] = (
    ("POST", "/channel_folders/create", {"name": "Mine", "description": ""}),
    ("PATCH", "/channel_folders/{folder}", {"name": "Mine"}),
    ("PATCH", "/channel_folders/{folder}", {"is_archived": True}),
    ("PATCH", "/channel_folders", {"order": [1]}),
    ("POST", "/default_streams", {"stream_id": "{engineering}"}),
    ("DELETE", "/default_streams", {"stream_id": "{general}"}),
    ("PATCH", "/streams/{general}", {"is_default_stream": False}),
    ("PATCH", "/streams/{general}", {"description": "mine"}),
    ("PATCH", "/streams/{general}", {"can_send_message_group": {"new": 1}}),
    ("DELETE", "/streams/{general}", None),
    ("POST", "/streams/{general}/delete_topic", {"topic_name": "t"}),
    ("POST", "/realm/filters", {"pattern": "x(?P<i>1)", "url_template": "https://x.example/{i}"}),
    ("PATCH", "/realm/linkifiers", {"ordered_linkifier_ids": []}),
    (
        "POST",
        "/realm/playgrounds",
        {"name": "x", "highlighter_language": "Python", "url_template": "https://x.example/{code}"},
    ),
    ("POST", "/realm/profile_fields", {"name": "x", "field_type": 1}),
    ("PATCH", "/realm/profile_fields", {"order": []}),
    ("PATCH", "/realm/user_settings_defaults", {"enable_sounds": False}),
    ("PATCH", "/realm", {"name": "Mine"}),
    ("POST", "/users", {"email": "x@x.example", "password": "a long password", "full_name": "X"}),
    ("PATCH", "/users/{elif}", {"full_name": "Mine"}),
    ("PATCH", "/users/{elif}", {"role": 600}),
    ("DELETE", "/users/{elif}", None),
    ("POST", "/users/{elif}/reactivate", None),
    ("POST", "/users/{elif}/status", {"status_text": "mine"}),
)
OF_OWNERS: tuple[tuple[str, str, dict[str, object] | None], ...] = (
    ("POST", "/realm/domains", {"domain": "x.example", "allow_subdomains": False}),
    ("PATCH", "/streams/{general}", {"message_retention_days": 1}),
    ("PATCH", "/users/{elif}", {"role": 100}),
    ("PATCH", "/users/{ada}", {"role": 400}),
    ("DELETE", "/users/{ada}", None),
    ("PATCH", "/users/{elif}", {"new_email": "mine@demo.example"}),
    ("POST", "/invites/multiuse", {"invite_as": 100}),
)


@pytest.fixture
async def channel_folder(server: TestServer) -> int:
    """A folder of channels."""
    fields = {"name": "Work", "description": ""}
    response = await server.call("ada", "POST", "/channel_folders/create", fields)
    return int(response["channel_folder_id"])


async def refused(
    server: TestServer,
    name: str,
    channel_folder: int,
    method: str,
    path: str,
    fields: dict[str, object] | None,
) -> None:
    before = [tuple(row) for table in ("channels", "groups", "channel_folders", "users", "settings") for row in
              server.organization.store.all(f"SELECT * FROM {table}")]  # fmt: skip
    ids = {
        "folder": channel_folder,
        **{channel: server.channel(channel) for channel in ("general", "engineering")},
        **{person: server.id(person) for person in ("elif", "ada")},
    }
    await server.refusal(name, method, fill(path, ids), fill(fields, ids))
    after = [tuple(row) for table in ("channels", "groups", "channel_folders", "users", "settings") for row in
             server.organization.store.all(f"SELECT * FROM {table}")]  # fmt: skip
    assert after == before


@pytest.mark.parametrize(("method", "path", "fields"), OF_ADMINISTRATORS, ids=lambda value: str(value)[:50])
async def test_only_administrators_can_administer_the_organization(
    server: TestServer, channel_folder: int, method: str, path: str, fields: dict[str, object] | None
) -> None:
    for name in BELOW_ADMINISTRATORS:
        await refused(server, name, channel_folder, method, path, fields)


@pytest.mark.parametrize(("method", "path", "fields"), OF_OWNERS, ids=lambda value: str(value)[:50])
async def test_only_owners_can_use_operations_for_owners(
    server: TestServer, channel_folder: int, method: str, path: str, fields: dict[str, object] | None
) -> None:
    for name in BELOW_OWNERS:
        await refused(server, name, channel_folder, method, path, fields)


@pytest.mark.parametrize("name", ["chiyo", "dario", "elif", "hugo", "iris", "jasper"])
@pytest.mark.parametrize("role", [Role.OWNER, Role.ADMINISTRATOR, Role.MODERATOR, Role.MEMBER])
async def test_users_cannot_promote_themselves(server: TestServer, name: str, role: Role) -> None:
    before = server.user(name).role
    await server.refusal(name, "PATCH", f"/users/{server.id(name)}", {"role": int(role)})
    response = (await server.raw(name, "PATCH", "/settings", {"role": int(role)})).json()
    assert response["result"] == "error" or response["ignored_parameters_unsupported"] == ["role"]
    assert server.user(name).role is before


# --- groups that hold permissions ----------------------------------------------------------------------------


async def only(server: TestServer, setting: str, value: object) -> None:
    await server.call("ada", "PATCH", "/realm", {setting: {"new": value}})


async def _crew(server: TestServer) -> int:
    """A group that contains Dario."""
    group = await server.create_group("ada", "crew")
    server.organization.memberships.add_members(group, [server.id("dario")])
    return group


@pytest.mark.parametrize("nested", [False, True])
async def test_a_deactivated_group_grants_nothing(server: TestServer, nested: bool) -> None:
    crew = await _crew(server)
    value: object = {"direct_members": [], "direct_subgroups": [crew]} if nested else crew
    await only(server, "can_create_public_channel_group", value)
    await server.subscribe("dario", "one")
    server.organization.groups.update(crew, deactivated=1)
    channel = {"subscriptions": [{"name": "two"}]}
    await server.refusal("dario", "POST", "/users/me/subscriptions", channel)


@pytest.mark.parametrize(("days", "full"), [(2, False), (3, True), (4, True)])
async def test_members_are_full_members_after_the_waiting_period(
    server: TestServer, clock: VirtualClock, days: int, full: bool
) -> None:
    await server.call("ada", "PATCH", "/realm", {"waiting_period_threshold": 3})
    await only(server, "can_create_public_channel_group", server.group("role:fullmembers"))
    server.organization.users.update(server.id("dario"), date_joined=int(clock.now()) - days * DAY)
    fields = {"subscriptions": [{"name": "mine"}]}
    response = await server.raw("dario", "POST", "/users/me/subscriptions", fields)
    assert (response.json()["result"] == "success") is full


@pytest.mark.parametrize(("name", "full"), [("chiyo", True), ("bruno", True), ("hugo", False)])
async def test_moderators_and_above_have_no_waiting_period(server: TestServer, name: str, full: bool) -> None:
    await server.call("ada", "PATCH", "/realm", {"waiting_period_threshold": 100})
    await only(server, "can_create_public_channel_group", server.group("role:fullmembers"))
    fields = {"subscriptions": [{"name": "mine"}]}
    response = await server.raw(name, "POST", "/users/me/subscriptions", fields)
    assert (response.json()["result"] == "success") is full


@pytest.mark.parametrize("active", [True, False])
@pytest.mark.parametrize("form", ["members", "system", "group", "nested"])
async def test_deactivated_users_have_no_permissions(server: TestServer, active: bool, form: str) -> None:
    dario = server.organization.users.update(server.id("dario"), is_active=int(active))
    crew = await _crew(server)
    values: dict[str, object] = {
        "members": {"direct_members": [dario.id], "direct_subgroups": []},
        "system": server.group("role:members"),
        "group": crew,
        "nested": {"direct_members": [], "direct_subgroups": [crew]},
    }
    assert holds(server.organization, dario, values[form]) is active


@pytest.mark.parametrize("value", [None, "role:members", 3.5, [], {"direct_members": []}])
async def test_an_invalid_permission_value_grants_nothing(server: TestServer, value: object) -> None:
    assert not any(holds(server.organization, user, value) for user in server.organization.users.all())


# --- moving --------------------------------------------------------------------------------------------------

_NOBODY = "role:nobody"
_WITHIN = ("can_move_messages_between_topics_group", "can_move_messages_within_channel_group")
_BETWEEN = ("can_move_messages_between_channels_group", "can_move_messages_out_of_channel_group")


@pytest.mark.parametrize(
    ("name", "moves"), [("ada", True), ("bruno", True), ("chiyo", False), ("dario", False)]
)
async def test_without_the_permission_only_administrators_can_rename_topics(
    server: TestServer, name: str, moves: bool
) -> None:
    message = await server.send("dario", "general", "t")
    await only(server, _WITHIN[0], server.group(_NOBODY))
    response = await server.raw(name, "PATCH", f"/messages/{message}", {"topic": "elsewhere"})
    assert (response.json()["result"] == "success") is moves


@pytest.mark.parametrize("name", ["ada", "bruno", "chiyo", "dario"])
async def test_moving_to_another_channel_requires_the_permission(server: TestServer, name: str) -> None:
    message = await server.send("dario", "general", "t")
    await only(server, _BETWEEN[0], server.group(_NOBODY))
    fields = {"stream_id": server.channel("engineering")}
    await server.refusal(name, "PATCH", f"/messages/{message}", fields)


@pytest.mark.parametrize("name", ["bruno", "dario"])
async def test_users_cannot_move_messages_to_channels_where_they_cannot_post(
    server: TestServer, name: str
) -> None:
    message = await server.send("dario", "general", "t")
    nobody = {"new": server.group(_NOBODY)}
    path = f"/streams/{server.channel('engineering')}"
    await server.call("ada", "PATCH", path, {"can_send_message_group": nobody})
    fields = {"stream_id": server.channel("engineering")}
    await server.refusal(name, "PATCH", f"/messages/{message}", fields)


async def test_an_administrator_cannot_move_messages_to_the_empty_topic_where_it_is_disabled(
    server: TestServer,
) -> None:
    message = await server.send("dario", "general", "t")
    path = f"/streams/{server.channel('general')}"
    await server.call("ada", "PATCH", path, {"topics_policy": "disable_empty_topic"})
    await server.refusal("bruno", "PATCH", f"/messages/{message}", {"topic": ""})


# --- who receives and sees what -----------------------------------------------------------------------------


async def test_messages_that_a_user_can_no_longer_read_are_not_unread(server: TestServer) -> None:
    fields = {"type": "channel", "to": "design", "topic": "t", "content": "x", "read_by_sender": False}
    await server.call("greta", "POST", "/messages", fields)
    unread = (await server.listen("greta")).snapshot["unread_msgs"]
    assert [row["stream_id"] for row in unread["streams"]] == [server.channel("design")]
    await server.call("ada", "PATCH", f"/users/{server.id('greta')}", {"role": int(Role.GUEST)})
    unread = (await server.listen("greta")).snapshot["unread_msgs"]
    assert (unread["streams"], unread["count"]) == ([], 0)


@pytest.mark.parametrize("act", ["send", "react"])
async def test_a_muted_topic_stays_muted_after_the_users_own_actions(server: TestServer, act: str) -> None:
    fields: dict[str, object] = {"automatically_follow_topics_policy": 1}
    await server.call("dario", "PATCH", "/settings", fields)
    message = await server.send("elif", "design", "t")
    muted = {"stream_id": server.channel("design"), "topic": "t"}
    policy = int(VisibilityPolicy.MUTED)
    await server.call("dario", "POST", "/user_topics", {**muted, "visibility_policy": policy})
    if act == "send":
        await server.send("dario", "design", "t")
    else:
        await server.call("dario", "POST", f"/messages/{message}/reactions", {"emoji_name": "tada"})
    rows = (await server.listen("dario")).snapshot["user_topics"]
    assert [row["visibility_policy"] for row in rows] == [policy]


async def test_a_queue_for_all_public_channels_receives_each_event_once(server: TestServer) -> None:
    inside = await server.listen("dario", all_public_streams=True)
    outside = await server.listen("greta", all_public_streams=True)
    plain = await server.listen("greta")
    await server.send("elif", "design", "t")
    assert [len(await listener.events("message")) for listener in (inside, outside, plain)] == [1, 1, 0]


async def test_an_acknowledgement_can_be_repeated_but_not_reverted(server: TestServer) -> None:
    listener = await server.listen("dario")
    for _ in range(3):
        await server.send("elif", "design", "t")
    events = (await server.call("dario", "GET", "/events", listener.poll(dont_block=True)))["events"]
    first, last = events[0]["id"], events[-1]["id"]
    assert last - first >= 2
    for _ in range(2):
        again = listener.poll(last_event_id=last - 1, dont_block=True)
        left = (await server.call("dario", "GET", "/events", again))["events"]
        assert [event["id"] for event in left] == [last]
    for wrong in (last - 2, -1, last + 1):
        await server.refusal("dario", "GET", "/events", listener.poll(last_event_id=wrong, dont_block=True))


# --- the caller's identity ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scheme", "status"),
    [("Basic", 200), ("basic", 200), ("BASIC", 200), ("Bearer", 401), ("Digest", 401), ("Token", 401)],
)
async def test_only_basic_authentication_is_accepted(server: TestServer, scheme: str, status: int) -> None:
    ada = server.user("ada")
    payload = base64.b64encode(f"{ada.delivery_email}:{ada.api_key}".encode()).decode()
    async with httpx2.AsyncClient(trust_env=False) as client:
        headers = {"Authorization": f"{scheme} {payload}"}
        response = await client.get(f"{server.url}/api/v1/users/me", headers=headers)
    assert response.status_code == status


@pytest.mark.parametrize("length", [0, 1, 31, 33, 64])
async def test_a_key_of_a_wrong_length_is_malformed(server: TestServer, length: int) -> None:
    key = (server.user("ada").api_key * 2)[:length]
    async with httpx2.AsyncClient(trust_env=False, auth=("ada@demo.example", key)) as client:
        response = await client.get(f"{server.url}/api/v1/users/me")
    assert (response.status_code, response.json()["msg"]) == (401, "Malformed API key")
