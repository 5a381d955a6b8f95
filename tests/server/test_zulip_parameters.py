"""The embedded server accepts the parameters of a Zulip server of level 442, in the same form."""

from __future__ import annotations

import json
from collections.abc import Iterator

from narrowcast_api.wire.parameters import Operation, is_quoted, shape
from narrowcast_server.app import routes_of
from narrowcast_server.http.params import REQUIRED, Param, from_json
from narrowcast_server.http.routing import Endpoint
from narrowcast_server.organization.errors import ServiceError
from narrowcast_server.rules.permissions import Callers
from support.request_parts import DESCRIBED_LEVEL, OWN, ZulipParameter, zulip_parameters
from support.server import Bare, TestServer

NOT_HERE = {
    ("POST", "/bots"): "service_name config_data default_sending_stream default_events_register_stream"
    " default_all_public_streams",
    ("PATCH", "/bots/{}"): "role config_data default_sending_stream default_events_register_stream"
    " default_all_public_streams",
    ("PATCH", "/realm"): "authentication_methods string_id",
    ("PATCH", "/settings"): "email",
    ("PATCH", "/settings/display"): "email",
    ("PATCH", "/settings/notifications"): "email",
    (
        "GET",
        "/events",
    ): "all_public_streams apply_markdown archived_channels bulk_message_deletion client_gravatar"
    " empty_topic_name event_types include_deactivated_groups lifespan_secs linkifier_url_template narrow"
    " pronouns_field_type_supported simplified_presence_events slim_presence stream_typing_notifications user_client"
    " user_list_incomplete",  # queues are created by POST /register only
    ("GET", "/streams"): "include_all_active",
    ("POST", "/users/me/onboarding_steps"): "schedule_navigation_tour_video_reminder_delay",
    ("POST", "/realm/logo"): "night",  # read together with the file
}
"""Parameters that this server ignores, and reports as ignored."""
OF_EACH_TYPE: tuple[object, ...] = ("text", None, 1, [], {}, True, 0.5)


def endpoints() -> Iterator[tuple[Operation, Endpoint]]:
    for endpoint in routes_of():
        operation = endpoint.method, shape(endpoint.path)
        if not endpoint.absolute and operation in zulip_parameters():
            yield operation, endpoint


def of_today(endpoint: Endpoint) -> dict[str, Param[object]]:
    """The parameters of an endpoint at the newest level, by their Zulip names."""
    known = [param for param in endpoint.params if param.known_at(DESCRIBED_LEVEL)]
    real = zulip_parameters()[endpoint.method, shape(endpoint.path)]
    return {next((name for name in param.names() if name in real), param.name): param for param in known}


def test_the_names_of_parameters_are_those_of_zulip() -> None:
    assert {operation for operation, _ in endpoints()} == zulip_parameters().keys()
    for operation, endpoint in endpoints():
        if endpoint.accepts_anything:
            continue
        real = set(zulip_parameters()[operation])
        ours = set(of_today(endpoint))
        assert ours - real == OWN.get(operation, frozenset()), operation
        assert real - ours == set(NOT_HERE.get(operation, "").split()), operation


def test_parameters_that_zulip_requires_are_required() -> None:
    for operation, endpoint in endpoints():
        for name, param in of_today(endpoint).items():
            real = zulip_parameters()[operation].get(name)
            if real is not None:
                assert (param.default is REQUIRED) == real.required, (operation, name)


def test_text_and_json_are_distinguished_as_on_zulip() -> None:
    for operation, endpoint in endpoints():
        for name in of_today(endpoint):
            real = zulip_parameters()[operation].get(name)
            if real is not None and real.kinds == {"string"}:
                assert is_quoted(*operation, name, None), (operation, name)
            elif real is not None and not real.is_json:
                assert not is_quoted(*operation, name, None), (operation, name)


async def test_values_of_a_wrong_type_or_outside_the_list_are_rejected(server: TestServer) -> None:
    server.set_level(DESCRIBED_LEVEL)
    message = await server.send("ada", "general", "lunch")
    await server.create_group("ada", "cooks", "ada")
    ids = {
        "streams": server.channel("general"),
        "messages": message,
        "users": server.id("dario"),
        "user_groups": server.group("cooks"),
        "bots": server.id("iris"),
    }
    kinder = []
    refused = 0
    for (method, path), endpoint in endpoints():
        real = zulip_parameters()[method, path]
        required = {name: _right(param) for name, param in real.items() if param.required}
        first = path.split("/")[1]
        for name in of_today(endpoint):
            for wrong in _wrong(real[name]) if name in real else ():
                place = path.replace("{}", str(ids.get(first, 1)), 1).replace("{}", "1")
                response = await server.raw("ada", method, place, {**required, name: Bare(wrong)})
                assert response.status_code < 500, (method, path, name, wrong)
                if response.status_code == 200:
                    kinder.append((method, path, name, wrong))
                elif name in response.json().get("msg", ""):
                    refused += 1
    assert not kinder, kinder
    assert refused > 900


def test_the_form_of_each_parameter_is_checked_before_any_of_them_is_used() -> None:
    late = []
    for (method, path), endpoint in endpoints():
        for name, param in of_today(endpoint).items():
            real = zulip_parameters()[method, path].get(name)
            read = from_json if is_quoted(method, path, name, DESCRIBED_LEVEL) else _read
            for wrong in () if real is None else _wrong(real):
                try:
                    read(param, wrong)
                except ServiceError:
                    continue
                late.append((method, path, name, wrong))
    assert not late, late


def _read(param: Param[object], text: str) -> object:
    return param.parse(param.name, text)


def _wrong(param: ZulipParameter) -> Iterator[str]:
    """Encoded values that a Zulip server rejects for their form alone."""
    if param.words:
        yield "no such word"
    elif param.is_json:
        yield "not json"
        yield json.dumps(next(value for value in OF_EACH_TYPE if not param.takes(value)))


def _right(param: ZulipParameter) -> object:
    """An encoded value of valid form."""
    if param.is_json:
        return Bare(json.dumps(next(value for value in OF_EACH_TYPE if param.takes(value))))
    return Bare(min(param.words, default="x"))


FOR_MEMBERS = """
POST /realm/emoji/{} | GET /bots | POST /bots | PATCH /bots/{} | POST /bots/{}/api_key/regenerate | GET /invites
POST /invites | DELETE /invites/{} | POST /invites/{}/resend | POST /invites/multiuse | DELETE /invites/multiuse/{}
GET /user_groups | POST /user_groups/create | PATCH /user_groups/{} | GET /user_groups/{}/members
POST /user_groups/{}/members | GET /user_groups/{}/members/{} | GET /user_groups/{}/subgroups
POST /user_groups/{}/subgroups
"""
FOR_PEOPLE = """
POST /users/me/presence | POST /users/me/status | POST /users/{}/status | POST /users/me/onboarding_steps
PATCH /settings | PATCH /settings/display | PATCH /settings/notifications | PATCH /users/me/profile_data
DELETE /users/me/profile_data
"""
NOT_FOR_GUESTS = "POST /channels/create | POST /users/me/subscriptions"


def named(operations: str) -> set[Operation]:
    found = (line.split() for line in operations.replace("\n", " | ").split(" | ") if line.strip())
    return {(method, path) for method, path in found}


def test_operations_that_zulip_forbids_to_guests_and_bots_are_rejected() -> None:
    callers: dict[Callers, set[Operation]] = {}
    for endpoint in routes_of():
        callers.setdefault(endpoint.callers, set()).add((endpoint.method, shape(endpoint.path)))
    for by_role in (Callers.ALL, Callers.ADMINISTRATORS, Callers.OWNERS):
        del callers[by_role]
    assert callers == {
        Callers.MEMBERS: named(FOR_MEMBERS),
        Callers.PEOPLE: named(FOR_PEOPLE),
        Callers.NO_GUESTS: named(NOT_FOR_GUESTS),
    }


async def test_permission_is_checked_before_the_parameters_values(server: TestServer) -> None:
    for name, words in (
        ("hugo", "Not allowed for guest users"),
        ("iris", "This endpoint does not accept bot requests."),
    ):
        assert (await server.refusal(name, "POST", "/bots"))["msg"] == words
    assert (await server.refusal("iris", "PATCH", "/settings"))["msg"].endswith("bot requests.")
    assert (await server.refusal("hugo", "POST", "/channels/create"))["msg"] == "Not allowed for guest users"
    await server.call("hugo", "PATCH", "/settings", {"enable_sounds": True})
