"""Custom profile fields: their definitions, and users' values for them."""

from __future__ import annotations

import json

import pytest

from support.server import JsonObject, TestServer

PATH = "/realm/profile_fields"
CHOICES = json.dumps({"1": {"text": "Tea", "order": "1"}})


async def define(server: TestServer, name: str = "Tea", kind: int = 1, **params: object) -> int:
    response = await server.call("ada", "POST", PATH, {"name": name, "field_type": kind, **params})
    return int(response["id"])


async def fields(server: TestServer) -> list[JsonObject]:
    found: list[JsonObject] = (await server.call("elif", "GET", PATH))["custom_fields"]
    return found


async def test_profile_fields_are_created_changed_ordered_and_deleted_with_events_to_all(
    server: TestServer,
) -> None:
    listener = await server.listen("elif")
    first, second = await define(server, "Tea"), await define(server, "Cake", 2, hint="which")
    await server.call("bruno", "PATCH", f"{PATH}/{first}", {"name": "Favourite tea", "required": True})
    await server.call("bruno", "PATCH", PATH, {"order": [second, first]})
    assert [(row["id"], row["name"], row["required"]) for row in await fields(server)] == [
        (second, "Cake", False),
        (first, "Favourite tea", True),
    ]
    await server.call("bruno", "DELETE", f"{PATH}/{second}")
    events = await listener.events("custom_profile_fields")
    assert len(events) == 5
    assert [row["name"] for row in events[-1]["fields"]] == ["Favourite tea"]
    assert events[-1]["fields"] == await fields(server)
    assert (await server.listen("hugo")).snapshot["custom_profile_fields"] == await fields(server)


async def test_deleting_a_field_deletes_its_values(server: TestServer) -> None:
    identity = await define(server)
    value = [{"id": identity, "value": "*green*"}]
    await server.call("elif", "PATCH", "/users/me/profile_data", {"data": value})
    mine = (await server.call("elif", "GET", "/users/me"))["profile_data"]
    assert mine == {str(identity): {"value": "*green*", "rendered_value": "<p><em>green</em></p>"}}
    await server.call("ada", "DELETE", f"{PATH}/{identity}")
    assert (await server.call("elif", "GET", "/users/me"))["profile_data"] == {}


@pytest.mark.parametrize(
    ("method", "path", "params"),
    [
        ("POST", PATH, {"name": "", "field_type": 1}),
        ("POST", PATH, {"name": "x" * 41, "field_type": 1}),
        ("POST", PATH, {"name": "Known", "field_type": 1}),
        ("POST", PATH, {"name": "x", "field_type": 99}),
        ("POST", PATH, {"name": "x", "field_type": 1, "hint": "x" * 81}),
        ("POST", PATH, {"name": "x", "field_type": 3}),
        ("POST", PATH, {"name": "x", "field_type": 3, "field_data": "[" * 100_000}),
        ("POST", PATH, {"name": "x", "field_type": 3, "field_data": "9" * 10_000}),
        ("PATCH", f"{PATH}/2", {"name": "Known"}),
        ("PATCH", f"{PATH}/99", {"name": "x"}),
        ("DELETE", f"{PATH}/99", {}),
        ("PATCH", PATH, {"order": [1]}),
        ("PATCH", PATH, {"order": [1, 1]}),
    ],
)
async def test_an_invalid_field_definition_is_rejected(
    server: TestServer, method: str, path: str, params: dict[str, object]
) -> None:
    await define(server, "Known")
    await define(server, "Choice", 3, field_data=CHOICES)
    before = await fields(server)
    assert (await server.refusal("ada", method, path, params))["code"] == "BAD_REQUEST"
    assert await fields(server) == before


async def test_members_cannot_define_profile_fields(server: TestServer) -> None:
    identity = await define(server)
    for method, path, params in (
        ("POST", PATH, {"name": "x", "field_type": 1}),
        ("PATCH", PATH, {"order": [identity]}),
        ("PATCH", f"{PATH}/{identity}", {"name": "x"}),
        ("DELETE", f"{PATH}/{identity}", {}),
    ):
        error = await server.refusal("chiyo", method, path, params)
        assert error["code"] == "UNAUTHORIZED_PRINCIPAL"


async def test_at_most_two_fields_of_suitable_types_are_in_the_summary(server: TestServer) -> None:
    shown = {"display_in_profile_summary": True}
    for kind in (2, 6):
        await server.refusal("ada", "POST", PATH, {"name": f"Kind {kind}", "field_type": kind, **shown})
    first = await define(server, "Tea", **shown)
    await define(server, "Cake", **shown)
    response = await server.refusal("ada", "POST", PATH, {"name": "Milk", "field_type": 1, **shown})
    assert response["msg"] == "Only 2 custom profile fields can be displayed in the profile summary."
    milk = await define(server, "Milk")
    await server.refusal("ada", "PATCH", f"{PATH}/{milk}", shown)
    await server.call("ada", "PATCH", f"{PATH}/{first}", {"name": "Tea!", **shown})


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (3, {}),
        (3, {"1": "Tea"}),
        (3, {"1": {"text": "Tea"}}),
        (3, {"1": {"text": "", "order": "1"}}),
        (3, {"1": {"text": "Tea", "order": "1"}, "2": {"text": "Tea", "order": "2"}}),
        (7, {}),
        (7, {"subtype": "nosuch"}),
        (7, {"subtype": "custom"}),
        (7, {"subtype": "custom", "url_pattern": "https://example.org/"}),
    ],
)
async def test_lists_and_external_accounts_require_field_data(
    server: TestServer, kind: int, data: JsonObject
) -> None:
    await server.refusal("ada", "POST", PATH, {"name": "x", "field_type": kind, "field_data": data})
    assert await fields(server) == []


@pytest.mark.parametrize(
    ("who", "path", "param"), [("elif", "/users/me/profile_data", "data"), ("ada", "", "profile_data")]
)
async def test_of_several_values_for_a_field_the_last_is_stored(
    server: TestServer, who: str, path: str, param: str
) -> None:
    identity = await define(server)
    listener = await server.listen("hugo", event_types=["realm_user"])
    values = [{"id": identity, "value": f"{number}"} for number in range(50)]
    await server.call(who, "PATCH", path or f"/users/{server.id('elif')}", {param: values})
    (event,) = await listener.events()
    assert event["person"]["custom_profile_field"]["value"] == "49"


async def test_a_user_given_repeatedly_is_stored_once(server: TestServer) -> None:
    identity = await define(server, "Friends", 6)
    value = [{"id": identity, "value": [server.id("ada")] * 50}]
    await server.call("elif", "PATCH", "/users/me/profile_data", {"data": value})
    mine = (await server.call("elif", "GET", "/users/me"))["profile_data"]
    assert mine[str(identity)]["value"] == f"[{server.id('ada')}]"


@pytest.mark.parametrize("url", ["http://[", "https://]a[", "https://", "ftp://a.example", "x"])
async def test_a_link_field_accepts_only_urls(server: TestServer, url: str) -> None:
    identity = await define(server, "Page", 5)
    refusal = await server.refusal(
        "elif", "PATCH", "/users/me/profile_data", {"data": [{"id": identity, "value": url}]}
    )
    assert refusal["msg"] == "Page is not a URL"
