"""The user's own navigation entries, and onboarding hints."""

from __future__ import annotations

import pytest

from support.server import JsonObject, TestServer

ALERTS = "narrow/is/alerted"


async def add(server: TestServer, fragment: str = ALERTS, **params: object) -> None:
    params = {"fragment": fragment, "is_pinned": True, "name": "Alerts", **params}
    await server.call("ada", "POST", "/navigation_views", params)


async def views(server: TestServer, name: str = "ada") -> list[JsonObject]:
    found: list[JsonObject] = (await server.call(name, "GET", "/navigation_views"))["navigation_views"]
    return found


async def test_a_navigation_view_is_added_changed_and_removed_and_the_users_clients_are_notified(
    server: TestServer,
) -> None:
    listener = await server.listen("ada")
    other = await server.listen("bruno")
    assert listener.snapshot["navigation_views"] == []
    await add(server)
    entry = {"fragment": ALERTS, "is_pinned": True, "name": "Alerts"}
    assert await views(server) == [entry]
    assert (await server.listen("ada")).snapshot["navigation_views"] == [entry]
    await server.call("ada", "PATCH", f"/navigation_views/{ALERTS}", {"is_pinned": False})
    await server.call("ada", "PATCH", f"/navigation_views/{ALERTS}", {"name": "Words"})
    assert await views(server) == [{"fragment": ALERTS, "is_pinned": False, "name": "Words"}]
    await server.call("ada", "DELETE", f"/navigation_views/{ALERTS}")
    assert await views(server) == []
    events = await listener.events("navigation_view")
    assert [{key: event[key] for key in event if key not in ("id", "type")} for event in events] == [
        {"op": "add", "navigation_view": entry},
        {"op": "update", "fragment": ALERTS, "data": {"is_pinned": False}},
        {"op": "update", "fragment": ALERTS, "data": {"name": "Words"}},
        {"op": "remove", "fragment": ALERTS},
    ]
    assert await other.events("navigation_view") == []


async def test_navigation_views_are_private(server: TestServer) -> None:
    await add(server)
    assert await views(server, "bruno") == []
    for method, params in (("PATCH", {"is_pinned": False}), ("DELETE", {})):
        error = await server.refusal("bruno", method, f"/navigation_views/{ALERTS}", params, status=404)
        assert (error["code"], error["msg"]) == ("BAD_REQUEST", "Navigation view does not exist.")
    assert await views(server) == [{"fragment": ALERTS, "is_pinned": True, "name": "Alerts"}]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"fragment": ALERTS, "is_pinned": True, "name": "B"}, "already exists"),
        ({"fragment": "narrow/dm/9", "is_pinned": True, "name": "Alerts"}, "already exists"),
        ({"fragment": "narrow/dm/9", "is_pinned": True}, "must have a valid name"),
        ({"fragment": "narrow/dm/9", "is_pinned": True, "name": "  "}, "must have a valid name"),
        ({"fragment": "inbox", "is_pinned": True, "name": "Mine"}, "cannot have a custom name"),
        ({"fragment": "", "is_pinned": True, "name": "x"}, "1 to 1000"),
        ({"fragment": "x" * 1001, "is_pinned": True, "name": "x"}, "1 to 1000"),
        ({"fragment": "narrow/dm/9", "is_pinned": True, "name": "x" * 101}, "too long"),
        ({"fragment": "narrow/dm/9", "name": "x"}, "is_pinned"),
    ],
)
async def test_an_invalid_or_duplicate_navigation_view_is_rejected(
    server: TestServer, params: dict[str, object], message: str
) -> None:
    await add(server)
    assert message in (await server.refusal("ada", "POST", "/navigation_views", params))["msg"]
    assert len(await views(server)) == 1


async def test_built_in_views_cannot_be_renamed(server: TestServer) -> None:
    await server.call("ada", "POST", "/navigation_views", {"fragment": "inbox", "is_pinned": False})
    assert await views(server) == [{"fragment": "inbox", "is_pinned": False, "name": None}]
    await server.refusal("ada", "PATCH", "/navigation_views/inbox", {"name": "Mine"})
    await server.refusal("ada", "PATCH", "/navigation_views/inbox")


async def test_a_hint_marked_as_seen_is_removed_for_all_clients(server: TestServer) -> None:
    listener = await server.listen("ada")
    names = [step["name"] for step in listener.snapshot["onboarding_steps"]]
    assert "intro_inbox_view_modal" in names
    await server.call(
        "ada", "POST", "/users/me/onboarding_steps", {"onboarding_step": "intro_inbox_view_modal"}
    )
    (event,) = await listener.events("onboarding_steps")
    left = [step["name"] for step in event["onboarding_steps"]]
    assert left == [name for name in names if name != "intro_inbox_view_modal"]
    assert (await server.listen("ada")).snapshot["onboarding_steps"] == event["onboarding_steps"]
    assert len((await server.listen("bruno")).snapshot["onboarding_steps"]) == len(names)
    assert (await server.listen("iris")).snapshot["onboarding_steps"] == []


async def test_an_unknown_hint_is_rejected(server: TestServer) -> None:
    error = await server.refusal("ada", "POST", "/users/me/onboarding_steps", {"onboarding_step": "zz"})
    assert (error["code"], error["msg"]) == ("BAD_REQUEST", "Unknown onboarding_step: zz")
