"""What servers above the contract's level send in a different form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from narrowcast_api.events.parsing import parse_event
from narrowcast_api.model.attachments import read_attachment
from narrowcast_api.state.apply import apply
from narrowcast_api.state.holder_rules import HolderRule
from narrowcast_api.state.state import State
from narrowcast_api.wire.levels import Gate
from support.captures import captures, needs_recordings
from support.live import BRUNO, make_state

FEATURES = Path(__file__).resolve().parents[2] / "docs" / "zulip-features.md"


@pytest.mark.parametrize("sent", [1_700_000_000, 1_700_000_000_000])
def test_the_time_of_a_file_is_read_in_seconds_and_in_milliseconds(sent: int) -> None:
    row = {"id": 1, "name": "soup.txt", "path_id": "2/ab/soup.txt", "size": 3, "create_time": sent}
    assert read_attachment(row).created == 1_700_000_000_000


@pytest.mark.parametrize(
    "used", [{"messages": [{"id": 7, "date_sent": 1}, {"id": 9}]}, {"message_ids": [7, 9]}]
)
def test_the_messages_with_a_file_are_known_by_either_form_of_their_ids(used: dict[str, object]) -> None:
    row = {"id": 1, "name": "soup.txt", "path_id": "2/ab/soup.txt", "size": 3, "create_time": 5, **used}
    assert read_attachment(row).message_ids == (7, 9)


def test_an_account_has_joined_once_its_user_logs_in() -> None:
    state = make_state()
    person = {"user_id": BRUNO, "date_joined": "2026-05-04T10:00+00:00"}
    apply(state, parse_event({"id": 1, "type": "realm_user", "op": "update", "person": person}))
    bruno = state.users.get(BRUNO)
    assert bruno is not None
    assert bruno.date_joined == "2026-05-04T10:00+00:00"


def test_the_server_names_the_kinds_of_reports() -> None:
    kinds = [{"key": "spam", "name": "Spam"}, {"key": "rude"}, {"key": 3, "name": "Three"}, {"name": "None"}]
    response = {"user_id": 8, "server_report_message_types": kinds}
    offers = State.from_snapshot(response, now=0.0).offers
    assert offers.report_types == (("spam", "Spam"), ("rude", "rude"))
    assert State.from_snapshot({"user_id": 8}, now=0.0).offers.report_types == ()


def test_whom_a_permission_may_be_given_to_is_read() -> None:
    rule = {
        "allow_nobody_group": False,
        "allowed_system_groups": ["role:owners"],
        "require_system_group": True,
    }
    supported = {"realm": {"can_x": rule}, "stream": 3, "group": {"can_y": []}}
    state = State.from_snapshot({"user_id": 8, "server_supported_permission_settings": supported}, now=0.0)
    found = state.holder_rules.of("realm", "can_x")
    assert (found.nobody, found.system_only, found.roles) == (False, True, ("role:owners",))
    assert found.allows("role:owners")
    assert not found.allows("role:members")
    assert state.holder_rules.of("stream", "can_x").allows("role:everyone")


@pytest.mark.parametrize(
    ("said", "system_only", "refused"),
    [
        ({}, False, set()),
        ({"require_system_group": True}, True, set()),
        ({"allow_nobody_group": False}, False, {"role:nobody"}),
        ({"allow_everyone_group": False}, False, {"role:everyone"}),
        ({"allowed_system_groups": ["role:members"]}, False, {"role:nobody", "role:everyone"}),
    ],
)
def test_a_permission_is_open_to_every_role_that_its_rule_does_not_leave_out(
    said: dict[str, object], system_only: bool, refused: set[str]
) -> None:
    state = make_state(server_supported_permission_settings={"realm": {"can_x": said}})
    rule = state.holder_rules.of("realm", "can_x")
    assert rule.system_only is system_only
    assert {
        role for role in ("role:nobody", "role:everyone", "role:members") if not rule.allows(role)
    } == refused
    assert state.holder_rules.of("realm", "can_y") == HolderRule(), "where nothing is said, all is open"


@needs_recordings
def test_the_snapshot_of_a_real_server_is_read_whole() -> None:
    folder = captures()
    assert folder is not None
    response = json.loads((folder / "register_rich_cordelia.json").read_bytes())["response"]
    state = State.from_snapshot(response, now=0.0)
    assert state.holder_rules.of("realm", "can_manage_all_groups").nobody is False
    assert state.offers.report_types


def test_every_level_that_the_client_asks_for_past_the_contract_is_in_the_table() -> None:
    lines = FEATURES.read_text(encoding="utf-8").splitlines()
    told = {
        int(level) for line in lines if line.startswith("| ") for level in line.split("|")[1].split(",")
        if level.strip().isdecimal()
    }  # fmt: skip
    assert set(range(377, 436)) - told <= {408, *range(421, 426)}, "levels without changes only"
    assert set(range(436, 444)) <= told
    assert {gate.level for gate in Gate if gate.level > 372} <= told
