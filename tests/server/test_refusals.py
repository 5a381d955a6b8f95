"""Requests that a Zulip server rejects because of their values, and this server too."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.server import TestServer, running_server

LONG = "x" * 1025
NEWEST = {"anchor": "newest", "num_before": 1, "num_after": 0}
WITH = {"operator": "with", "operand": 1}
NOBODY: dict[str, list[int]] = {"direct_members": [], "direct_subgroups": []}


@pytest.mark.parametrize(
    ("method", "path", "params", "words"),
    [
        (
            "POST",
            "/drafts",
            {"drafts": [{"type": "", "to": [], "topic": "", "content": " "}]},
            "cannot be blank",
        ),
        ("POST", "/channels/create", {"name": "new", "subscribers": [], "description": LONG}, "too long"),
        ("POST", "/channel_folders/create", {"name": "a\nb", "description": ""}, "Invalid character"),
        ("PATCH", "/streams/{general}", {"new_name": "general"}, "already has that name"),
        (
            "PATCH",
            "/messages/{message}",
            {"content": "y", "propagate_mode": "change_all"},
            "without topic edit",
        ),
        ("PATCH", "/realm", {"waiting_period_threshold": -1}, "too small"),
        # Clients cannot parse a snapshot with a number beyond 64 bits.
        ("PATCH", "/realm", {"waiting_period_threshold": 2**64}, "too large"),
        ("PATCH", "/realm", {"message_retention_days": 2**64}, "too large"),
        ("PATCH", "/realm", {"message_content_edit_limit_seconds": 2**64}, "too large"),
        ("PATCH", "/streams/{general}", {"message_retention_days": 2**64}, "too large"),
        ("PATCH", "/realm", {"default_language": "zzz"}, "Invalid language"),
        ("POST", "/bots", {"full_name": "iris", "short_name": "second"}, "already in use"),
        ("PATCH", "/messages/{empty}", {"topic": "✔ ", "propagate_mode": "change_all"}, "cannot be marked"),
        ("PATCH", "/messages/{empty}", {"topic": "✔ general chat"}, "cannot be marked"),
        ("PATCH", "/messages/{poll}", {"content": "hello"}, "Widgets cannot be edited"),
        ("GET", "/messages", {**NEWEST, "narrow": [WITH, WITH]}, "Duplicate 'with'"),
        ("PATCH", "/realm", {"moderation_request_channel_id": "{general}"}, "must be private"),
        ("PATCH", "/streams/{reports}", {"is_private": False}, "must be private"),
        ("PATCH", "/streams/{general}", {"topics_policy": "empty_topic_only"}, "must be in the general chat"),
        ("PATCH", "/streams/{general}", {"is_archived": False}, "not currently deactivated"),
        ("POST", "/channel_folders/create", {"name": "tea", "description": ""}, "already in use"),
        (
            "POST",
            "/default_stream_groups/create",
            {"group_name": "new", "description": "", "stream_names": ["general"]},
            "'general' is a default channel",
        ),
        ("POST", "/zcommand", {"command": "ping"}, "leading slash"),
        (
            "PATCH",
            "/realm",
            {"can_access_all_users_group": {"new": NOBODY}},
            "cannot be set to 'role:nobody' group",
        ),
    ],
)
async def test_requests_that_zulip_rejects_are_rejected(
    server: TestServer, method: str, path: str, params: dict[str, object], words: str
) -> None:
    reports = server.channel("leads")
    await server.call("ada", "PATCH", "/realm", {"moderation_request_channel_id": reports})
    await server.call("ada", "POST", "/channel_folders/create", {"name": "Tea", "description": ""})
    ids = {
        "general": server.channel("general"),
        "reports": reports,
        "message": await server.send("ada", "general", "lunch"),
        "empty": await server.send("ada", "general", ""),
        "poll": await server.send("ada", "general", "votes", "/poll Tea?\nyes"),
    }
    path = path.format(**ids)
    params = {key: ids["general"] if value == "{general}" else value for key, value in params.items()}
    assert words in (await server.refusal("ada", method, path, params))["msg"]


async def test_errors_about_sizes_name_the_limit(server: TestServer) -> None:
    poll = await server.send("ada", "general", "votes", "/poll Tea?\nyes")
    vote: dict[str, object] = {"message_id": poll, "msg_type": "widget", "content": "{}"}
    for method, path, params, words in (
        (
            "POST",
            "/submessage",
            {**vote, "content": "x" * 2501},
            "content is too long (limit: 2500 characters)",
        ),
        (
            "POST",
            "/submessage",
            {**vote, "msg_type": "x" * 101},
            "msg_type is too long (limit: 100 characters)",
        ),
        ("GET", "/messages", {**NEWEST, "narrow": [WITH] * 51}, "narrow has too many terms (limit: 50)"),
        ("POST", "/register", {"event_types": ["x" * 61]}, "(limit: 200 names of 60 characters)"),
    ):
        assert words in (await server.refusal("ada", method, path, params))["msg"]


async def test_names_must_be_unique_where_the_organization_requires_it(server: TestServer) -> None:
    taken = server.user("dario").full_name.upper()
    await server.call("elif", "PATCH", "/settings", {"full_name": taken})
    await server.call("ada", "PATCH", "/realm", {"require_unique_names": True})
    name = server.user("dario").full_name
    await server.call("dario", "PATCH", "/settings", {"full_name": name.title()})
    refusal = await server.refusal("hugo", "PATCH", "/settings", {"full_name": name.upper()})
    assert refusal["msg"] == "Unique names required in this organization."


@pytest.mark.parametrize(("dialect", "status"), [("service", 400), ("zulip", 404)])
async def test_the_dialect_determines_the_status_of_errors_about_missing_objects(
    tmp_path: Path, dialect: str, status: int
) -> None:
    async with running_server(tmp_path, dialect=dialect) as server:
        for path in (
            "/drafts/999999",
            "/saved_snippets/999999",
            "/scheduled_messages/999999",
            "/reminders/999999",
        ):
            refused = await server.refusal("dario", "DELETE", path, status=status)
            assert refused["code"] == "BAD_REQUEST"


_NOT_LISTED = "Value error, Not in the list of possible values"
_TO_GENERAL: dict[str, object] = {"type": "stream", "to": "general", "topic": "t", "content": "c"}
_SENT_WRONG: list[tuple[dict[str, object], str]] = [
    ({"to": ""}, "Channel name can't be empty."),
    ({"forged": "true"}, "User not authorized for this query"),
    ({"sender": "ada@demo.example"}, "Invalid mirrored message"),
    ({"time": "noon"}, "time is not valid JSON"),
    ({"widget_content": "x"}, "Widgets: API programmer sent invalid JSON content"),
    ({"widget_content": "1"}, "Widgets: widget_content is not a dict"),
    ({"widget_content": "{}"}, "Widgets: widget_type is not in widget_content"),
]
_WORDS: list[tuple[str, str, str, dict[str, object], str, str]] = [
    (
        "dario",
        "POST",
        "/default_streams",
        {},
        "UNAUTHORIZED_PRINCIPAL",
        "Must be an organization administrator",
    ),
    ("hugo", "POST", "/realm/filters", {}, "UNAUTHORIZED_PRINCIPAL", "Must be an organization administrator"),
    ("bruno", "POST", "/realm/domains", {}, "UNAUTHORIZED_PRINCIPAL", "Must be an organization owner"),
    ("dario", "DELETE", "/invites/multiuse/999", {}, "BAD_REQUEST", "No such invitation"),
    ("ada", "POST", "/invites", {"invitee_emails": "x@y.zz", "invite_as": -1}, "BAD_REQUEST", _NOT_LISTED),
    (
        "dario",
        "POST",
        "/user_topics",
        {"stream_id": 1, "topic": "t", "visibility_policy": 9},
        "BAD_REQUEST",
        _NOT_LISTED,
    ),
    (
        "dario",
        "GET",
        "/messages",
        {**NEWEST, "narrow": [1]},
        "BAD_REQUEST",
        "Value error, dict or list required",
    ),
    (
        "ada",
        "PATCH",
        "/realm",
        {"message_content_edit_limit_seconds": -1},
        "REQUEST_VARIABLE_INVALID",
        "Bad value for 'message_content_edit_limit_seconds': -1",
    ),
    (
        "ada",
        "PATCH",
        "/realm",
        {"can_create_groups": {}},
        "BAD_REQUEST",
        'can_create_groups["new"] field is missing: Field required',
    ),
    (
        "dario",
        "PATCH",
        "/users/me/subscriptions/muted_topics",
        {"stream_id": 1, "stream": "general", "topic": "t", "op": "add"},
        "BAD_REQUEST",
        "Unsupported parameter combination: stream_id, stream",
    ),
    (
        "ada",
        "PATCH",
        "/default_stream_groups/1/streams",
        {"op": "x", "stream_names": ["design"]},
        "BAD_REQUEST",
        'Invalid value for "op". Specify one of "add" or "remove".',
    ),
    ("ada", "PATCH", "/default_stream_groups/99", {}, "BAD_REQUEST", 'You must pass "new_description"'),
    ("dario", "DELETE", "/users/me/profile_data", {"data": 1}, "BAD_REQUEST", "data is not a list"),
    ("dario", "GET", "/streams/{old}/email_address", {}, "BAD_REQUEST", "Invalid channel ID"),
    ("ada", "POST", "/default_streams", {"stream_id": "{old}"}, "BAD_REQUEST", "Invalid channel ID"),
    ("dario", "GET", "/users/{gone}/status", {}, "BAD_REQUEST", "User is deactivated"),
    ("dario", "GET", "/users/{gone}/subscriptions/1", {}, "BAD_REQUEST", "User is deactivated"),
    ("dario", "PATCH", "/scheduled_messages/999", {}, "BAD_REQUEST", "Nothing to change"),
    (
        "dario",
        "POST",
        "/messages",
        {"type": "stream", "to": 1.5, "topic": "t", "content": "c"},
        "BAD_REQUEST",
        "Invalid data type for channel",
    ),
    *(
        ("dario", "POST", "/messages", _TO_GENERAL | params, "BAD_REQUEST", words)
        for params, words in _SENT_WRONG
    ),
    (
        "dario",
        "GET",
        "/streams",
        {"include_all_active": 1},
        "BAD_REQUEST",
        "include_all_active is not a boolean",
    ),
    ("dario", "GET", "/streams", {"include_can_access_content": 1}, "BAD_REQUEST", "is not a boolean"),
    ("dario", "GET", "/streams/{general}/email_address", {"sender_id": -1}, "BAD_REQUEST", "is too small"),
    ("dario", "GET", "/streams/{general}/email_address", {"sender_id": 9999}, "BAD_REQUEST", "No such bot"),
    (
        "dario",
        "POST",
        "/typing",
        {"op": "start", "type": "stream", "to": 1},
        "BAD_REQUEST",
        "to is not a list",
    ),
    ("dario", "PATCH", "/saved_snippets/999", {"title": ""}, "BAD_REQUEST", "title cannot be blank"),
    (
        "dario",
        "PATCH",
        "/scheduled_messages/999",
        {"scheduled_delivery_timestamp": 1},
        "BAD_REQUEST",
        "Scheduled delivery time must be in the future.",
    ),
    (
        "dario",
        "GET",
        "/users/me/subscriptions",
        {"include_subscribers": 1},
        "BAD_REQUEST",
        "is not a boolean",
    ),
    ("dario", "POST", "/user_groups/create", {"name": "x"}, "BAD_REQUEST", "Missing 'members'"),
]


async def test_errors_have_the_code_and_text_of_a_zulip_server(server: TestServer) -> None:
    old = server.channel("design")
    group = {"group_name": "g", "description": "d", "stream_names": ["engineering"]}
    await server.call("ada", "POST", "/default_stream_groups/create", group)
    await server.call("ada", "DELETE", f"/streams/{old}")
    gone = server.id("greta")
    await server.call("ada", "DELETE", f"/users/{gone}")
    other = {}
    for who, method, path, params, code, words in _WORDS:
        filled = {key: old if value == "{old}" else value for key, value in params.items()}
        said = await server.refusal(
            who, method, path.format(old=old, gone=gone, general=server.channel("general")), filled
        )
        if said["code"] != code or words not in said["msg"]:
            other[f"{who} {method} {path}"] = said
    assert not other


async def test_channels_are_listed_by_what_may_be_read_and_by_what_a_bots_owner_is_in(
    server: TestServer,
) -> None:
    async def names(who: str, *kinds: str) -> set[str]:
        nothing = {"include_public": False, "include_subscribed": False}
        response = await server.call(who, "GET", "/streams", {**nothing, **dict.fromkeys(kinds, True)})
        return {row["name"] for row in response["streams"]}

    assert await names("dario") == set()
    readable = await names("dario", "include_can_access_content")
    assert {"general", "operations"} <= readable
    assert "leads" not in readable
    assert await names("dario", "include_owner_subscribed") == set(), "for bots"
    assert {"general", "engineering"} <= await names("iris", "include_owner_subscribed")
    assert await names("iris") == set()


async def test_a_flag_that_is_not_there_is_removed_from_anything_and_unread_is_only_what_one_may_read(
    server: TestServer,
) -> None:
    theirs = await server.send_direct("ada", ["bruno"])
    change = {"messages": [theirs], "op": "remove"}
    response = await server.call("dario", "POST", "/messages/flags", {**change, "flag": "starred"})
    assert response["messages"] == []
    await server.refusal("dario", "POST", "/messages/flags", {**change, "flag": "read"})


async def test_a_zulip_server_always_reports_the_channels_that_flags_skip(tmp_path: Path) -> None:
    async with running_server(tmp_path, dialect="zulip") as server:
        change = {**NEWEST, "narrow": [], "op": "add", "flag": "read"}
        response = await server.call("dario", "POST", "/messages/flags/narrow", change)
        assert response["ignored_because_not_subscribed_channels"] == []
