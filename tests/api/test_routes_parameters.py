"""Every operation of the library, given all its parameters, against those of a Zulip server of level 442."""

from __future__ import annotations

import asyncio
import enum
import inspect
import json
import typing
from collections.abc import Callable, Mapping
from pathlib import Path
from types import NoneType
from typing import Any

import httpx2
import pytest

from narrowcast_api.client import Client
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.http.connection import Connection
from narrowcast_api.http.encoding import OMIT, Omit
from narrowcast_api.http.secret import Secret
from narrowcast_api.model.messages import Reaction
from narrowcast_api.narrow.destinations import ChannelDestination
from narrowcast_api.resources.drafts import DraftVersion
from narrowcast_api.routes.user_groups import Change
from narrowcast_api.wire.parameters import shape
from narrowcast_api.wire.vocabulary import BotType, ChannelSetting, Dialect, GroupSetting
from support.api import make_connection, operations
from support.request_parts import ALIASES, OWN, zulip_parameters
from support.scripted import Prepared, ScriptedTransport, SentRequest

LUNCH = ChannelDestination(7, "lunch")
TO_COME = 4_000_000_000
BY_NAME: Mapping[str, object] = {
    "narrow": [{"operator": "is", "operand": "unread"}],
    "content": "x",
    "to": LUNCH,
    "permissions": dict.fromkeys(ChannelSetting, 11),
    "expected": dict.fromkeys(ChannelSetting, 12),
    "extra": {},
    "current": None,
    "progress": None,
    "draft": DraftVersion(LUNCH, "x"),
    "drafts": [DraftVersion(LUNCH, "x")],
    "reaction": Reaction("tada", "1f389", "unicode_emoji", 1),
    "scheduled_delivery_timestamp": TO_COME,
    "settings": {"name": "x"},
    "properties": {"color": "#c2c2c2"},
    "message_retention_days": "unlimited",
    "reaction_type": "unicode_emoji",
    "bot_type": BotType.OUTGOING_WEBHOOK,
    "url_template": "https://example.org/{code}",
}
_NO_REVERSE: Mapping[str, object] = dict.fromkeys(
    ("example_input", "reverse_template", "alternative_url_templates"), OMIT
)
BY_OPERATION: Mapping[str, Mapping[str, object]] = {
    "messages.send": {"topic": OMIT},
    "scheduled_messages.edit": {"type": OMIT, "topic": OMIT},
    "linkifiers.create": _NO_REVERSE,
    "linkifiers.update": _NO_REVERSE,
    "profile_fields.create": {"use_for_user_matching": OMIT},
    "profile_fields.update": {"use_for_user_matching": OMIT},
    "settings.update": {"settings": {"web_home_view": "inbox", "enable_sounds": True, "color_scheme": 2}},
    "organization.update_user_defaults": {"settings": {"web_home_view": "inbox", "enable_sounds": True}},
    "user_groups.update": {f"{name}": Change(11, 12) for name in GroupSetting},
    "users.deactivate": {"also_delete": []},
    "bots.update": {"short_name": OMIT},
    "uploads.upload": {"resumable": None, "resume_from": None},
    "uploads.download": {"url": "/user_uploads/7/x", "folder": Path("/nonexistent")},
}
NEWER = {("bots", "key"), ("calls", "nextcloud_talk"), ("settings", "update_of_users")}
"""Operations that such a server does not have."""
BY_TYPE: Mapping[object, object] = {
    int: 7,
    str: "x",
    bool: True,
    float: 1.0,
    bytes: b"x",
    Secret: Secret("x"),
    DraftVersion: DraftVersion(LUNCH, "x"),
    Path: Path(__file__),
}


def value_of(name: str, hint: Any) -> object:
    """A value for a parameter, of the first type that its annotation allows."""
    if name in BY_NAME:
        return BY_NAME[name]
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is None and isinstance(hint, type) and issubclass(hint, enum.Enum):
        return next(iter(hint))
    if origin is None and hint in BY_TYPE:
        return BY_TYPE[hint]
    if origin is Callable:
        return None
    if origin is typing.Annotated:
        return value_of(name, args[0])
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        return {value_of("", args[0]): "x"}
    if origin is not None and isinstance(origin, type) and hasattr(origin, "__iter__"):
        return [value_of("", args[0])]
    for arg in args:
        if arg not in (NoneType, Omit):
            return value_of(name, arg)
    return None


class Willing(ScriptedTransport):
    """Responds to every request with success."""

    def _take(self, sent: SentRequest) -> Prepared:
        return Prepared(
            sent.method,
            sent.path,
            lambda _: httpx2.Response(200, json={"result": "success", "msg": ""}),
            None,
        )


async def requests_of(group: str, name: str) -> list[SentRequest]:
    """The requests that an operation sends when given all its parameters."""
    transport = Willing()
    async with Client(make_connection(transport, level=442, dialect=Dialect.ZULIP)) as client:
        function = getattr(getattr(client, group), name)
        # A resource names the connection only as a type.
        hints = typing.get_type_hints(function.__func__, localns={"Connection": Connection})
        given: dict[str, object] = {}
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                (settings,) = typing.get_args(hints[parameter.name])
                given |= {key: value_of(key, kind) for key, kind in typing.get_type_hints(settings).items()}
            else:
                given[parameter.name] = value_of(parameter.name, hints[parameter.name])
        given |= BY_OPERATION.get(f"{group}.{name}", {})
        try:
            async with asyncio.timeout(10):
                await function(**given)
        except NarrowcastError as error:
            if not transport.requests:
                raise AssertionError(f"{group}.{name}({given}): {error!r}") from error
        return transport.requests


@pytest.mark.parametrize(
    ("group", "name"),
    [one for one in operations(Client(make_connection(ScriptedTransport()))) if one not in NEWER],
    ids=str,
)
async def test_what_goes_out_is_what_a_zulip_server_takes(group: str, name: str) -> None:
    for sent in await requests_of(group, name):
        operation = sent.method, shape(sent.path.removeprefix("/api/v1").replace("/x", "/{x}"))
        real = zulip_parameters().get(operation)
        if real is None:
            assert not sent.params, operation
            continue
        for key, text in sent.params.items():
            if key in OWN.get(operation, ()):
                continue
            parameter = real.get(ALIASES.get(key, key))
            assert parameter is not None, (operation, key)
            if parameter.is_json:
                assert parameter.takes(json.loads(text)), (operation, key, text)
            elif parameter.words:
                assert text in parameter.words, (operation, key, text)
        if b"form-data" in sent.body:
            continue
        given = {ALIASES.get(key, key) for key in sent.params}
        missing = {key for key, parameter in real.items() if parameter.required} - given
        assert not missing, (operation, missing)
