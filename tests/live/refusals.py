"""Sends the same invalid requests to a Zulip server and to the embedded one, and compares status, code and message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

import httpx2

from live.history import Outcome, embedded
from live.site import LiveSite
from narrowcast_api.wire.parameters import Operation
from support.request_parts import fill, zulip_parameters
from support.server import Bare, TestServer

Place = LiveSite | TestServer
Params = dict[str, object]

_WRONG: Final[tuple[object, ...]] = (
    *(Bare("x"), Bare(""), Bare("y" * 12_000), -1, 1.5, 99_999_999, True, None, {}, [99_999_999]),
)
"""Values of each type: at most one of them is valid."""
_ROLES: Final = ("ada", "dario", "hugo", None)
_TO_A_TOPIC: Final[Params] = {"type": "stream", "to": "{channel}", "topic": "t", "content": "c"}
_RIGHT: Final[Mapping[Operation, Params]] = {
    ("POST", "/messages"): _TO_A_TOPIC,
    ("PATCH", "/messages/{}"): {"content": "d"},
    ("GET", "/messages"): {"anchor": "newest", "num_before": 1, "num_after": 0},
    ("GET", "/messages/matches_narrow"): {"msg_ids": ["{message}"], "narrow": []},
    ("POST", "/messages/render"): {"content": "c"},
    ("POST", "/messages/{}/reactions"): {"emoji_name": "smile"},
    ("DELETE", "/messages/{}/reactions"): {"emoji_name": "smile"},
    ("POST", "/messages/flags"): {"messages": ["{message}"], "op": "add", "flag": "starred"},
    ("POST", "/messages/flags/narrow"): {
        "anchor": "newest",
        "num_before": 1,
        "num_after": 0,
        "narrow": [],
        "op": "add",
        "flag": "read",
    },
    ("POST", "/scheduled_messages"): {**_TO_A_TOPIC, "scheduled_delivery_timestamp": 4_000_000_000},
    ("POST", "/drafts"): {"drafts": []},
    ("POST", "/typing"): {"op": "start", "type": "stream", "stream_id": "{channel}", "topic": "t"},
    ("POST", "/submessage"): {"message_id": "{message}", "msg_type": "widget", "content": "{}"},
    ("POST", "/user_topics"): {"stream_id": "{channel}", "topic": "t", "visibility_policy": 1},
    ("POST", "/users/me/subscriptions"): {"subscriptions": [{"name": "general"}]},
    ("DELETE", "/users/me/subscriptions"): {"subscriptions": ["general"]},
    ("POST", "/users/me/subscriptions/properties"): {"subscription_data": []},
    ("PATCH", "/users/me/subscriptions/muted_topics"): {"stream_id": "{channel}", "topic": "t", "op": "add"},
    ("POST", "/users/me/alert_words"): {"alert_words": ["x"]},
    ("DELETE", "/users/me/alert_words"): {"alert_words": ["x"]},
    ("POST", "/users/me/presence"): {"status": "active"},
    ("POST", "/users/me/status"): {"status_text": "x"},
    ("POST", "/saved_snippets"): {"title": "t", "content": "c"},
    ("POST", "/realm/playgrounds"): {
        "name": "{name}",
        "pygments_language": "python",
        "url_template": "https://p.example/{code}",
    },
    ("POST", "/user_groups/{}/members"): {"add": []},
    ("POST", "/mark_stream_as_read"): {"stream_id": "{channel}"},
    ("GET", "/get_stream_id"): {"stream": "general"},
}
"""Valid requests in which one parameter is replaced; for other operations that parameter alone is sent."""
_LEFT_OUT: Final = frozenset(
    {
        *(("POST", "/realm/deactivate"), ("POST", "/fetch_api_key"), ("POST", "/export/realm")),
        *(("GET", "/events"), ("DELETE", "/events"), ("POST", "/realm/logo"), ("DELETE", "/realm/logo")),
        *(("PATCH", "/realm"), ("PATCH", "/streams/{}"), ("PATCH", "/users/{}"), ("DELETE", "/users/{}")),
        *(("PATCH", "/settings"), ("PATCH", "/settings/display"), ("PATCH", "/settings/notifications")),
        *(("PATCH", "/realm/user_settings_defaults"), ("GET", "/messages/summary"), ("POST", "/users")),
        # Invalid values make such a server fail.
        ("PATCH", "/user_groups/{}"),
    }
)
"""Operations that would end the run or make the organizations differ."""
_NOT_VALIDATION: Final = frozenset({*range(500, 600), httpx2.codes.REQUEST_URI_TOO_LONG})
"""Errors from outside the server's validation: crashes, and a proxy that rejects the length of a URL."""


class Kind(Enum):
    """How two outcomes differ, by decreasing importance for a client."""

    ACCEPTED = "accepted by the embedded server only"
    REJECTED = "rejected by the embedded server only"
    CODE = "rejected with another status or code"
    TEXT = "rejected with another text"


@dataclass(slots=True)
class Report:
    """The number of requests, and those with different outcomes by kind, operation and the replaced parameter
    (None: the request was valid, or had no parameters). `unknown`: requests and parameters for which the live server
    is too old.
    """

    requests: int = 0
    unknown: int = 0
    different: dict[tuple[Kind, Operation, str | None], list[tuple[Outcome, Outcome]]] = field(
        default_factory=dict
    )


async def run(site: LiveSite) -> Report:
    """Creates both organizations and sends both the same requests."""
    report = Report()
    missing: set[Operation] = set()
    await site.lay_out()
    async with embedded(site.level) as twin:
        places: tuple[tuple[Place, dict[str, object]], ...] = (
            (site, await _objects(site)),
            (twin, await _objects(twin)),
        )
        for who, operation, params, wrong in _requests():
            report.requests += 1
            if operation in missing:
                report.unknown += 1
                continue
            method, path = operation
            one, other = [
                await _send(place, who, method, _path(path, known), fill(params, known))
                for place, known in places
            ]
            if _is_missing(one):
                missing.add(operation)
            if operation in missing or wrong in one.body.get("ignored_parameters_unsupported", ()):
                report.unknown += 1
            elif one.status not in _NOT_VALIDATION and _compared(one) != _compared(other):
                report.different.setdefault((_kind(one, other), operation, wrong), []).append((one, other))
    return report


def _is_missing(outcome: Outcome) -> bool:
    """Whether the server does not have the operation: errors about missing objects have a code."""
    return (
        outcome.status in {httpx2.codes.NOT_FOUND, httpx2.codes.METHOD_NOT_ALLOWED}
        and "code" not in outcome.body
    )


def _kind(live: Outcome, ours: Outcome) -> Kind:
    if ours.status == httpx2.codes.OK:
        return Kind.ACCEPTED
    if live.status == httpx2.codes.OK:
        return Kind.REJECTED
    same = (live.status, live.body.get("code")) == (ours.status, ours.body.get("code"))
    return Kind.TEXT if same else Kind.CODE


def _compared(outcome: Outcome) -> tuple[object, ...]:
    """The compared values: for a success only the status."""
    return (outcome.status,) if outcome.status == httpx2.codes.OK else outcome.compared


def _requests() -> Iterator[tuple[str | None, Operation, Params, str | None]]:
    for operation, parameters in zulip_parameters().items():
        if operation in _LEFT_OUT:
            continue
        right = _RIGHT.get(operation, {})
        for who in _ROLES:
            yield who, operation, right, None
        for who in ("ada", "dario"):
            yield who, operation, {}, None
        for name in parameters:
            for value in _WRONG:
                yield "dario", operation, {**right, name: value}, name


async def _objects(place: Place) -> dict[str, object]:
    channel = place.channel("general")
    sent = await place.call("dario", "POST", "/messages", {**_TO_A_TOPIC, "to": channel})
    if isinstance(place, LiveSite):
        await place.look()
    return {
        "channel": channel,
        "message": sent["id"],
        "user": place.id("elif"),
        "group": place.group("role:members"),
        "name": f"P {sent['id']}",
    }


def _path(path: str, objects: Mapping[str, object]) -> str:
    """Returns the path with the ids of existing objects, or with an unused id for kinds without an object."""
    kinds = {"/messages/": "message", "/streams/": "channel", "/user_groups/": "group", "/users/{": "user"}
    kind = next((kind for start, kind in kinds.items() if path.startswith(start)), None)
    return path.replace("{}", str(objects[kind]) if kind else "99999999", 1).replace(
        "{}", str(objects["user"])
    )


async def _send(place: Place, who: str | None, method: str, path: str, params: Params) -> Outcome:
    response = await place.raw(who, method, path, params)
    try:
        body = response.json()
    except ValueError:
        body = {"msg": f"no JSON: {response.headers.get('content-type')}"}
    return Outcome(str(who), method, path, params, response.status_code, body)
