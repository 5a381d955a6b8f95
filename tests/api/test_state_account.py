"""The user's own data other than messages, files and pinned views, updated by events."""

from __future__ import annotations

from typing import Any

import pytest

from narrowcast_api.model.users import read_user
from narrowcast_api.state.changes import SettingsChanged
from support.live import apply, make_state, user


def test_a_file_is_listed_until_it_is_deleted() -> None:
    state = make_state()
    file = {
        "id": 7,
        "name": "soup.png",
        "path_id": "2/ab/soup.png",
        "size": 9,
        "create_time": 1,
        "messages": [],
    }
    for op, names in (("add", ["soup.png"]), ("update", ["soup.png"]), ("remove", []), ("remove", [])):
        attachment = file if op != "remove" else {"id": 7}
        changes = apply(
            state, {"type": "attachment", "op": op, "attachment": attachment, "upload_space_used": 9}
        )
        assert changes == [SettingsChanged(("attachments",))]
        assert [one.name for one in state.attachments] == names


def test_linkifiers_come_as_rows_from_older_servers_alone() -> None:
    pattern, template = "#(?P<id>[0-9]+)", "https://x.example/%(id)s"
    rows = [[pattern, template, 3], ["too", "short"], ["no", "id", "5"], ["too", "long", 4, 5]]
    for level, known in ((53, [(3, pattern, template)]), (54, [])):
        state = make_state(zulip_feature_level=level)
        apply(state, {"type": "realm_filters", "realm_filters": rows})
        for known_state in (state, make_state(zulip_feature_level=level, realm_filters=rows)):
            assert [(one.id, one.pattern, one.url_template) for one in known_state.linkifiers] == known


def test_a_view_of_the_navigation_keeps_what_an_event_does_not_say() -> None:
    state = make_state()
    event: dict[str, Any] = {"type": "navigation_view", "fragment": "narrow/is/starred"}
    view = {"fragment": "narrow/is/starred", "is_pinned": False, "name": "Stars"}
    apply(state, {"type": "navigation_view", "op": "add", "navigation_view": view})
    for data, after in (
        ({"is_pinned": True}, (True, "Stars")),
        ({"name": "My stars"}, (True, "My stars")),
        ({"name": None}, (True, None)),
        ({"is_pinned": False}, (False, None)),
    ):
        apply(
            state,
            {**event, "op": "update", "data": data},
            {**event, "op": "update", "fragment": "x", "data": data},
        )
        (known,) = state.navigation_views
        assert (known.is_pinned, known.name) == after
    apply(state, {**event, "op": "remove"})
    assert list(state.navigation_views) == []


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({"email": "user10@chat.example"}, ""),
        ({"email": "user10@chat.example", "delivery_email": "ada@chat.example"}, "ada@chat.example"),
        ({"email": "ada@chat.example"}, "ada@chat.example"),
        ({"email": "user11@chat.example"}, "user11@chat.example"),
    ],
)
def test_an_address_that_only_stands_for_a_hidden_one_is_not_shown(
    fields: dict[str, object], shown: str
) -> None:
    assert read_user(user(10, "Ada", **fields)).shown_email == shown
