"""Fields of a real server's responses and events that the client does not read, each with its reason."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

from narrowcast_api.events.parsing import parse_event
from narrowcast_api.state.state import State
from narrowcast_api.wire.model import fields_of
from support.captures import captures, needs_recordings, recorded_events, recorded_responses
from support.responses import model_for, operation

pytestmark = needs_recordings

FEATURES = Path(__file__).resolve().parents[2] / "docs" / "zulip-features.md"
FRAME = {"result", "msg", "queue_id", "last_event_id"}
"""Fields that the connection and the event stream read."""
NOT_IN_RESPONSES = {
    "GET users/me": None,  # read by the reader of users
    "POST bots/N/api_key/regenerate": {"api_key"},  # a Secret, which models do not hold
    "PATCH realm": None,  # echoes the request
    "POST realm/domains": {"new_domain"},  # echoes the request
    "PATCH users/me/subscriptions": {"not_removed", "removed"},  # read by two separate operations
    "PATCH bots/N": {
        "bot_owner",
        "config_data",
        "service_interface",
        "service_payload_url",
    },  # read from events
}
NOT_IN_EVENTS = {
    "delete_message": {"message_id"},  # read if message_ids is absent
    "reaction": {"emoji_code", "emoji_name", "reaction_type", "user", "user_id"},  # read as a Reaction
    "stream": {"streams"},  # read if stream_ids is absent
    "update_message": {"topic_links"},  # topics are shown as plain text
    "user_settings": {"language_name"},  # derived from the language code
}


class Watched(dict[str, Any]):
    """Records which of its keys were read."""

    def __init__(self, values: dict[str, Any]) -> None:
        super().__init__(values)
        self.asked: set[str] = set()

    def __getitem__(self, key: str) -> Any:
        self.asked.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self.asked.add(key)
        return super().get(key, default)


def test_what_is_not_read_of_registration_is_told() -> None:
    folder = captures()
    assert folder is not None
    response = Watched(json.loads((folder / "register_rich_cordelia.json").read_bytes())["response"])
    State.from_snapshot(response, now=0.0)
    unread = {key for key in response.keys() - response.asked - FRAME if not key.startswith("realm_")}
    section = FEATURES.read_text(encoding="utf-8").partition("## Ignored fields")[2]
    told = {
        word
        for row in re.findall(r"^\| (`[^|]+) \|", section, re.MULTILINE)
        for word in re.findall(r"`(\w+)`", row)
    }
    assert unread == told


def test_what_is_not_read_of_responses_is_known() -> None:
    unread: dict[str, set[str]] = defaultdict(set)
    count = 0
    for _, record in recorded_responses():
        name = operation(record["request"]["method"], record["request"]["path"])
        if record["status"] == 200 and name not in ("GET events", "POST register"):
            model = model_for(record["request"]["method"], record["request"]["path"])
            assert model is not None
            names = {wire for field in fields_of(model) for wire in field.names}
            unread[name] |= record["response"].keys() - names - FRAME - {"ignored_parameters_unsupported"}
            count += 1
    assert count > 480
    known = {
        name: keys for name, keys in unread.items() if keys and NOT_IN_RESPONSES.get(name, keys) is not None
    }
    assert known == {name: keys for name, keys in NOT_IN_RESPONSES.items() if keys is not None}


def test_what_is_not_read_of_events_is_known() -> None:
    unread: dict[str, set[str]] = defaultdict(set)
    count = 0
    for _, event in recorded_events():
        names = {wire for field in fields_of(type(parse_event(event))) for wire in field.names}
        unread[event["type"]] |= event.keys() - names - {"type", "op", "id"}
        count += 1
    assert count > 1100
    assert {kind: keys for kind, keys in unread.items() if keys} == NOT_IN_EVENTS
