"""Every function of the library, given whatever a broken or malicious server answers: a value or a typed
error.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Awaitable, Iterable, Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from narrowcast_api.client import Client
from narrowcast_api.destinations import ChannelDestination
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.routes.common import Bound, Group
from narrowcast_api.routes.drafts import NewDraft
from narrowcast_api.secret import Secret
from narrowcast_api.server_info import ServerInfo
from narrowcast_api.wire.vocabulary import PresenceStatus, VisibilityPolicy
from support.api import ACCOUNT
from support.captures import fixture
from support.clock import VirtualClock
from support.hostile import hostile_json

_STREAMED = {"uploads.upload", "uploads.download", "uploads.fetch"}
"""These read bodies and files, not JSON objects; their own tests are hostile to them."""

_FAR = 4_000_000_000
_SAMPLES: dict[str, Any] = {
    "allow_subdomains": True,
    "anchor": "newest",
    "channels": ["quay"],
    "domain": "demo.example",
    "draft": NewDraft(None, "x"),
    "drafts": [NewDraft(None, "x")],
    "field_type": 1,
    "flag": "read",
    "fragment": "narrow/is/starred",
    "image": b"x",
    "invitee_emails": ["a@demo.example"],
    "is_pinned": True,
    "narrow": [{"operator": "is", "operand": "starred"}],
    "number": 1,
    "password": Secret("x"),
    "policy": VisibilityPolicy.MUTED,
    "progress": lambda *_: False,
    "properties": {"color": "#94c849"},
    "scheduled_delivery_timestamp": _FAR,
    "settings": {"name": "x"},
    "status": PresenceStatus.ACTIVE,
    "to": ChannelDestination(31, "tides"),
    "url_template": "https://run.example/{code}",
    "values": {1: "x"},
    "words": ["x"],
    "field_ids": [7],
    "members": [7],
    "message_ids": [7],
    "order": [7],
    "ordered_linkifier_ids": [7],
    "subscribers": [7],
}
_CHANGES: dict[str, Any] = {
    "bots.update": {"full_name": "x"},
    "channel_folders.update": {"name": "x"},
    "channels.update": {"description": "x"},
    "navigation_views.update": {"name": "x"},
    "profile_fields.update": {"name": "x"},
    "user_groups.update": {"name": "x"},
    "messages.edit": {"content": "x"},
    "reactions.remove": {"emoji_name": "x"},
    "saved_snippets.edit": {"title": "x"},
    "scheduled_messages.edit": {"content": "x"},
    "status.set": {"status_text": "x"},
    "status.set_of": {"status_text": "x"},
    "users.update": {"full_name": "x"},
}
"""What else a call needs to have something to change."""


class Answering(httpx.AsyncBaseTransport):
    """Gives the same answer to everything, a few times.

    Then it refuses, so that nothing can go on for ever.
    """

    def __init__(self, status: int, body: bytes) -> None:
        self._status = status
        self._body = body
        self._left = 20

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self._left -= 1
        if self._left < 0:
            raise httpx.ConnectError("asked too often")
        return httpx.Response(self._status, content=self._body)


def _functions() -> Iterator[str]:
    for name, group in vars(Client.open(ACCOUNT)).items():
        if isinstance(group, Group):
            for function, bound in vars(type(group)).items():
                if isinstance(bound, Bound) and f"{name}.{function}" not in _STREAMED:
                    yield f"{name}.{function}"


def _arguments(name: str, parameters: list[inspect.Parameter]) -> dict[str, Any]:
    found = dict(_CHANGES.get(name, {}))
    for parameter in parameters:
        required = parameter.default is parameter.empty and parameter.kind is parameter.KEYWORD_ONLY
        if parameter.name == "op":
            found["op"] = "start" if name.startswith("typing.") else "add"
        elif parameter.name == "progress" or required:
            fallback: object = "x" if "str" in str(parameter.annotation) else 7
            found.setdefault(parameter.name, _SAMPLES.get(parameter.name, fallback))
    return found


async def _call(name: str, answers: Iterable[tuple[int, bytes]]) -> None:
    """Call a function once for each answer; NarrowcastError is the only exception that may come out."""
    group_name, function = name.split(".")
    for status, body in answers:
        server = ServerInfo(level=442, known=True)
        transport = Answering(status, body)
        async with Client.open(ACCOUNT, transport=transport, clock=VirtualClock(), server=server) as client:
            group = getattr(client, group_name)
            signature = inspect.signature(getattr(type(group), function).function)
            arguments = _arguments(name, list(signature.parameters.values())[1:])
            problem = await _error(getattr(group, function)(**arguments))
        if problem is not None:
            assert problem.user_message
            assert ACCOUNT.key.reveal() not in repr(problem)


async def _error(call: Awaitable[object]) -> NarrowcastError | None:
    try:
        await call
    except NarrowcastError as error:
        return error
    return None


_ANSWERS: list[dict[str, Any]] = [*fixture("answers.json").values(), fixture("snapshot.json")]
_KEYS = sorted({key for answer in _ANSWERS for key in answer})


@given(name=st.sampled_from(list(_functions())), data=st.data())
@settings(max_examples=300, deadline=None)
def test_any_answer_is_a_value_or_a_typed_error(name: str, data: st.DataObject) -> None:
    answer: dict[str, Any] = {"result": "success", "msg": "", **data.draw(st.sampled_from(_ANSWERS))}
    for key in data.draw(st.lists(st.sampled_from([*_KEYS, "result", "msg"]), max_size=4)):
        answer[key] = data.draw(hostile_json())
    status = data.draw(st.sampled_from([200, 200, 200, 400, 404, 500]))
    asyncio.run(_call(name, [(status, json.dumps(answer).encode())]))


_NO_OBJECTS = (b"", b"<html>", b"[]", b"7", b"[" * 100_000, b'{"result": "success"', b"\xff\xfe\x00")


@pytest.mark.parametrize("name", list(_functions()))
async def test_anything_but_an_object_is_a_typed_error(name: str) -> None:
    await _call(name, [(status, body) for body in _NO_OBJECTS for status in (200, 502)])
