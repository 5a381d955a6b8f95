"""The same wrong requests to a Zulip server and to the embedded one: who is refused, with which code and words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

import httpx

from live.history import Done, embedded
from live.site import LiveSite
from narrowcast_api.wire.parameters import Operation
from support.server import Bare, TestServer
from support.zulip_parameters import zulip_parameters

Place = LiveSite | TestServer
Params = dict[str, object]

_WRONG: Final[tuple[object, ...]] = (
    *(Bare("x"), Bare(""), Bare("y" * 12_000), -1, 1.5, 99_999_999, True, None, {}, [99_999_999]),
)
"""Values of each type: at most one of them is right."""
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
"""Requests that are right but for a parameter; of an operation that is not here that one alone is given."""
_LEFT_OUT: Final = frozenset(
    {
        *(("POST", "/realm/deactivate"), ("POST", "/fetch_api_key"), ("POST", "/export/realm")),
        *(("GET", "/events"), ("DELETE", "/events"), ("POST", "/realm/logo"), ("DELETE", "/realm/logo")),
        *(("PATCH", "/realm"), ("PATCH", "/streams/{}"), ("PATCH", "/users/{}"), ("DELETE", "/users/{}")),
        *(("PATCH", "/settings"), ("PATCH", "/settings/display"), ("PATCH", "/settings/notifications")),
        *(("PATCH", "/realm/user_settings_defaults"), ("GET", "/messages/summary"), ("POST", "/users")),
        # Values that are none make such a server fail.
        ("PATCH", "/user_groups/{}"),
    }
)
"""What would end the run, or make the two organizations different ones."""
_BEFORE_IT: Final = frozenset({*range(500, 600), httpx.codes.REQUEST_URI_TOO_LONG})
"""What does not come from the checks of a server: it fails, or what stands before it takes no such line."""


class Kind(Enum):
    """How two outcomes differ, in the order of what matters to a client."""

    TAKEN = "taken by the embedded server alone"
    REFUSED = "refused by the embedded server alone"
    CODE = "refused with another status or code"
    WORDS = "refused in other words"


@dataclass(slots=True)
class Report:
    """How many requests there were, and those that ended in two ways, by kind, operation and the parameter that was
    wrong (None: the request was right, or had none). `unknown`: requests and parameters that the live server is too
    old for.
    """

    requests: int = 0
    unknown: int = 0
    different: dict[tuple[Kind, Operation, str | None], list[tuple[Done, Done]]] = field(default_factory=dict)


async def run(site: LiveSite) -> Report:
    """Lays both organizations out and asks both the same."""
    report = Report()
    missing: set[Operation] = set()
    await site.lay_out()
    async with embedded(site.level) as twin:
        places: tuple[tuple[Place, dict[str, object]], ...] = (
            (site, await _things(site)),
            (twin, await _things(twin)),
        )
        for who, operation, params, wrong in _requests():
            report.requests += 1
            if operation in missing:
                report.unknown += 1
                continue
            method, path = operation
            one, other = [
                await _ask(place, who, method, _path(path, known), _filled(params, known))
                for place, known in places
            ]
            if _is_missing(one):
                missing.add(operation)
            if operation in missing or wrong in one.answer.get("ignored_parameters_unsupported", ()):
                report.unknown += 1
            elif one.status not in _BEFORE_IT and _outcome(one) != _outcome(other):
                report.different.setdefault((_kind(one, other), operation, wrong), []).append((one, other))
    return report


def _is_missing(done: Done) -> bool:
    """Whether a server has no such operation: what is not there has a code."""
    return (
        done.status in {httpx.codes.NOT_FOUND, httpx.codes.METHOD_NOT_ALLOWED} and "code" not in done.answer
    )


def _kind(live: Done, ours: Done) -> Kind:
    if ours.status == httpx.codes.OK:
        return Kind.TAKEN
    if live.status == httpx.codes.OK:
        return Kind.REFUSED
    same = (live.status, live.answer.get("code")) == (ours.status, ours.answer.get("code"))
    return Kind.WORDS if same else Kind.CODE


def _outcome(done: Done) -> tuple[object, ...]:
    """Of a success that it is one; of a refusal all of it."""
    return (done.status,) if done.status == httpx.codes.OK else done.outcome


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


async def _things(place: Place) -> dict[str, object]:
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


def _path(path: str, things: Mapping[str, object]) -> str:
    """A path with ids of what it is about; where nothing is known of that kind, with one that nothing has."""
    kinds = {"/messages/": "message", "/streams/": "channel", "/user_groups/": "group", "/users/{": "user"}
    kind = next((kind for start, kind in kinds.items() if path.startswith(start)), None)
    return path.replace("{}", str(things[kind]) if kind else "99999999", 1).replace("{}", str(things["user"]))


def _filled(value: Params, things: Mapping[str, object]) -> Params:
    text = json.dumps({name: one for name, one in value.items() if not isinstance(one, Bare)})
    for name, thing in things.items():
        text = text.replace(f'"{{{name}}}"', json.dumps(thing))
    filled: Params = json.loads(text)
    return {name: value[name] if isinstance(value[name], Bare) else filled[name] for name in value}


async def _ask(place: Place, who: str | None, method: str, path: str, params: Params) -> Done:
    response = await place.raw(who, method, path, params)
    try:
        answer = response.json()
    except ValueError:
        answer = {"msg": f"no JSON: {response.headers.get('content-type')}"}
    return Done(str(who), method, path, params, response.status_code, answer)
