"""What a Zulip server refuses for what it says, and this one too."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.server import TestServer, running_server

LONG = "x" * 1025


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
        ("PATCH", "/realm", {"default_language": "zzz"}, "Invalid language"),
        ("POST", "/bots", {"full_name": "iris", "short_name": "second"}, "already in use"),
    ],
)
async def test_what_zulip_refuses_is_refused(
    server: TestServer, method: str, path: str, params: dict[str, object], words: str
) -> None:
    message = await server.send("ada", "general", "lunch")
    path = path.format(general=server.channel("general"), message=message)
    assert words in (await server.refusal("ada", method, path, params))["msg"]


async def test_names_are_everybodys_own_where_the_organization_wants_that(server: TestServer) -> None:
    taken = server.user("dario").full_name.upper()
    await server.call("elif", "PATCH", "/settings", {"full_name": taken})
    await server.call("ada", "PATCH", "/realm", {"require_unique_names": True})
    name = server.user("dario").full_name
    await server.call("dario", "PATCH", "/settings", {"full_name": name.title()})
    refusal = await server.refusal("hugo", "PATCH", "/settings", {"full_name": name.upper()})
    assert refusal["msg"] == "Unique names required in this organization."


@pytest.mark.parametrize(("dialect", "status"), [("service", 400), ("zulip", 404)])
async def test_the_dialect_decides_on_the_status_for_what_is_not_there(
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
