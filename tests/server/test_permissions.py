"""Permissions: every role against every operation that is restricted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.ledger import proves
from support.server import TestServer, running_server

ROLES = {"owner": "ada", "administrator": "bruno", "moderator": "chiyo", "member": "dario", "guest": "hugo"}
Params = Callable[[TestServer], dict[str, object]]


@dataclass(frozen=True)
class Operation:
    """One request and the roles that may make it; the path may name users, channels and groups."""

    method: str
    path: str
    params: Params
    allowed: str
    """Initials of the roles: o, a, m(oderator), e (member), g."""

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


def nothing(_server: TestServer) -> dict[str, object]:
    return {}


def given(**params: object) -> Params:
    return lambda _server: params


OPERATIONS = (
    Operation("PATCH", "/realm", given(description="x"), "oa"),
    Operation("PATCH", "/realm", lambda s: {"can_invite_users_group": {"new": s.group("role:owners")}}, "o"),
    Operation("PATCH", "/realm", given(emails_restricted_to_domains=True), "o"),
    Operation("PATCH", "/realm", given(disallow_disposable_email_addresses=True), "o"),
    Operation(
        "PATCH", "/realm", lambda s: {"can_manage_billing_group": {"new": s.group("role:owners")}}, "o"
    ),
    Operation("POST", "/realm/domains", given(domain="x.example", allow_subdomains=False), "o"),
    Operation(
        "POST", "/realm/filters", given(pattern="z(?P<i>1)", url_template="https://x.example/{i}"), "oa"
    ),
    Operation(
        "POST",
        "/realm/playgrounds",
        given(name="x", highlighter_language="Python", url_template="https://x.example/{code}"),
        "oa",
    ),
    Operation("POST", "/realm/profile_fields", given(name="x", field_type=1), "oa"),
    Operation("PATCH", "/realm/user_settings_defaults", given(enable_sounds=False), "oa"),
    Operation("POST", "/users", given(email="x@x.example", full_name="X", password="a long password"), "o"),
    Operation("PATCH", "/users/{elif}", given(full_name="X"), "oa"),
    Operation("PATCH", "/users/{elif}", given(role=100), "o"),
    Operation("DELETE", "/users/{elif}", nothing, "oa"),
    Operation("POST", "/users/{elif}/reactivate", nothing, "oa"),
    Operation("POST", "/users/{elif}/status", given(status_text="x"), "oa"),
    Operation("POST", "/invites", given(invitee_emails="x@x.example", stream_ids=[]), "oame"),
    Operation("POST", "/invites/multiuse", nothing, "oame"),
    Operation("GET", "/invites", nothing, "oame"),
    Operation("POST", "/user_groups/create", given(name="x", description="", members=[]), "oame"),
    Operation("PATCH", "/user_groups/{group}", given(name="x"), "o"),
    Operation("POST", "/user_groups/{group}/deactivate", nothing, "o"),
    Operation("GET", "/user_groups", nothing, "oame"),
    Operation("POST", "/channels/create", given(name="x", subscribers=[]), "oame"),
    Operation("POST", "/channels/create", given(name="x", subscribers=[], is_web_public=True), "o"),
    Operation("PATCH", "/streams/{design}", given(description="x"), "oa"),
    Operation("PATCH", "/streams/{design}", given(message_retention_days=7), "o"),
    Operation("DELETE", "/streams/{design}", nothing, "oa"),
    Operation("POST", "/streams/{design}/delete_topic", given(topic_name="x"), "oa"),
    Operation("POST", "/default_streams", lambda s: {"stream_id": s.channel("design")}, "oa"),
    Operation("POST", "/channel_folders/create", given(name="x", description=""), "oa"),
    Operation(
        "POST",
        "/messages",
        lambda s: {"type": "channel", "to": s.channel("announcements"), "topic": "t", "content": "x"},
        "oam",
    ),
    Operation("GET", "/users/me/{leads}/topics", nothing, "om"),
    Operation("GET", "/users/me/{operations}/topics", nothing, "ae"),
    Operation("GET", "/users/me/{engineering}/topics", nothing, "oame"),
    Operation("GET", "/users/me/{design}/topics", nothing, "oameg"),
    Operation("GET", "/users/me/{support}/topics", nothing, "oameg"),
    Operation("POST", "/users/me/subscriptions", given(subscriptions=[{"name": "engineering"}]), "oame"),
    Operation("POST", "/users/me/status", given(status_text="x"), "oameg"),
    Operation("GET", "/realm/linkifiers", nothing, "oameg"),
    Operation("GET", "/users", nothing, "oameg"),
)
REFUSALS = {"BAD_REQUEST", "UNAUTHORIZED_PRINCIPAL", "STREAM_DOES_NOT_EXIST"}
INITIALS = {"owner": "o", "administrator": "a", "moderator": "m", "member": "e", "guest": "g"}


async def path_of(server: TestServer, path: str) -> str:
    if "{group}" in path:
        path = path.replace("{group}", str(await server.create_group("elif", "Crew")))
    for channel in ("design", "engineering", "leads", "operations", "support"):
        path = path.replace(f"{{{channel}}}", str(server.channel(channel)))
    return path.replace("{elif}", str(server.id("elif")))


async def is_open(folder: Path, operation: Operation, name: str) -> bool:
    """Whether the user may make the request, in a fresh organization."""
    async with running_server(folder) as server:
        path = await path_of(server, operation.path)
        response = await server.raw(name, operation.method, path, operation.params(server))
    body = response.json()
    if body["result"] == "error":
        assert body["code"] in REFUSALS, body
    return bool(body["result"] == "success")


@proves("AUTH-03", "DTOP-02", "USRU-02", "USRD-02", "ERR-02", "ERR-04", "PLG-09", "LNK-09")
@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
async def test_each_operation_is_allowed_to_exactly_the_roles_of_the_table(
    tmp_path: Path, operation: Operation
) -> None:
    responses = await asyncio.gather(
        *(is_open(tmp_path / role, operation, name) for role, name in ROLES.items())
    )
    open_to = {INITIALS[role] for role, allowed in zip(ROLES, responses, strict=True) if allowed}
    assert open_to == set(operation.allowed)
