"""Recorded requests of a real server, replayed against the embedded one: it accepts and rejects the same
requests, responds with the same fields, and sends events of the same shape.

Errors have the recorded text too. The tables here list all differences with their reasons.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pytest

from support.captures import needs_recordings, recorded_events
from support.replaying import Outcome, Replayed, recorded_requests, replay
from support.shapes import Shape, kind_of

pytestmark = needs_recordings

_FILES = {
    "POST_user_uploads": 16,
    "GET_user_uploads": 11,
    "users_me_avatar": 3,
    "realm_emoji": 9,
    "DELETE_attachments": 3,
}
_NOT_REPLAYABLE = {
    "the uploaded files were not recorded": {
        "GET_messages_id/09",
        *(f"{folder}/{number:02}" for folder, last in _FILES.items() for number in range(1, last + 1)),
    },
    "the headers were not recorded": {"AUTH/20", "AUTH/21", "AUTH/22", "AUTH/23"},
    "the recorded queue contained other events": {
        *(f"GET_events/{number:02}" for number in (1, 2, 3, 4, 5, 6, 7, 8, 16)),
        "DELETE_events/05",
    },
    "the recorded server had been set up again, with other ids": {
        *(f"POST_messages/{number}" for number in (60, 61, 62, 63)),
        *(f"POST_register/{number}" for number in (18, 19, 41)),
        *("GET_messages/55", "GET_messages_id/10", "POST_messages_id_reactions/19", "POST_messages_flags/18"),
        *("POST_typing/35", "GET_users_me_stream_id_topics/08", "POST_user_topics/15"),
    },
}
"""Requests that cannot be replayed, by reason."""
_SETUP: Mapping[str, list[tuple[str, str, str, dict[str, object]]]] = {
    "POST_typing/30": [
        (
            "othello",
            "PATCH",
            "/settings",
            {"send_private_typing_notifications": False, "send_stream_typing_notifications": False},
        )
    ],
    "POST_drafts/29": [("cordelia", "PATCH", "/settings", {"enable_drafts_synchronization": False})],
}
"""Requests that the recording made before another one without recording them."""

_DIFFERENT_OUTCOMES = {
    "Zulip responds with a page of its web app, this server with JSON": {
        *("AUTH/26", "AUTH/27", "AUTH/28", "AUTH/29", "GET_messages_id/06", "GET_server_settings/04"),
    },
    "in the contract every error has a code (CONV-21)": {
        "AUTH/24",
        "AUTH/25",
        "DELETE_realm_playgrounds/04",
    },
    "OPTIONS requests of browsers get a response here": {"AUTH/30"},
    "the contract accepts the email address that the API shows for a user (AUTH-01)": {"AUTH/18"},
    "this server still offers the operation to older clients": {"GET_realm_filters/01"},
    "only owners may change email addresses (USRU-10)": {
        "PATCH_users_id/29",
        "PATCH_users_id/32",
        "AUTH/35",
        "AUTH/36",
    },
    "a channel that is hidden from the user gets the same response as one that does not exist": {
        *("GET_messages/38", "POST_messages/42", "POST_scheduled_messages/26"),
    },
    "an edit without any change is rejected (SNP-11)": {"PATCH_saved_snippets/04", "PATCH_saved_snippets/05"},
    "group names are unique regardless of case, and descriptions are limited in length": {
        *("POST_user_groups_create/06", "POST_user_groups_create/22"),
    },
    "an invitation must not expire in the past": {"POST_invites/23"},
    "invitation links and invitations share one sequence of ids": {"DELETE_invites_multiuse/01"},
    "a hidden email address finds no user (USR-11)": {"PATCH_users_email/01"},
    "this server has no video call provider": {"calls/01"},
    "inviting to a role above one's own gets BAD_REQUEST (INV-32)": {
        "POST_invites/17",
        "POST_invites_multiuse/07",
    },
    "the recorded server failed": {"POST_users_me_subscriptions/26", "POST_realm_playgrounds/12"},
    "the contract defines a code for an unknown channel (ERR-03)": {"DELETE_users_me_subscriptions/04"},
}
"""Requests with a different outcome, by reason."""
_DIFFERENT_TEXTS = {
    "the text names the organization and the user": {"POST_messages/56"},
    "the text says what is wrong with the email address": {"POST_users/03"},
    "the contract has its own term for the language (PLG-03)": {"POST_realm_playgrounds/09"},
    "the text uses the terms of the app": {
        *("POST_realm_filters/03", "POST_realm_playgrounds/03", "POST_realm_playgrounds/11"),
    },
    "only owners may change email addresses (USRU-10)": {"PATCH_users_id/30", "PATCH_users_id/31"},
    "invitation links and invitations share one sequence of ids": {"DELETE_invites_multiuse/02"},
    "in the contract every forbidden invitation has the same error (INV-32)": {"POST_invites/16"},
}
"""Errors with a different text, by reason."""
_VALIDATION_PREFIX = re.compile(
    r': Value error, Not in the list of possible values|(?<=: )Value error, |\["(int|bool)"\]'
)
"""Text that the recorded server's validation library adds to its errors; here only some errors have it."""
_DIFFERENT_SHAPES = {
    ".message.avatar_url can be NoneType": "clients compute the URLs of Gravatar pictures (client_gravatar)",
    ".bot.api_key is missing": "only the owner of a bot receives its key",
    ".person.bot_owner_id can be NoneType": "present and null for human users",
    ".person.bot_type can be NoneType": "present and null for human users",
    ".streams[].can_administer_channel_group can be number": "a group or a set of users",
    ".streams[].creator_id can be NoneType": "the organization's first channels have no creator",
    ".streams[].first_message_id can be number": "a channel to which the user was subscribed later has messages",
    ".away is new": "the contract still has the field (STAT-12)",
}
"""Where events differ in shape from all recorded ones of their type, and why."""
_NOT_CAUSED = {
    "attachment/add": "no files are uploaded",
    "attachment/remove": "no files are uploaded",
    "attachment/update": "no files are uploaded",
    "realm_emoji/update": "no files are uploaded",
    "heartbeat": "no heartbeat is due",
    "restart": "the server is not restarted",
    "realm/update/inline_url_embed_preview": "was not changed by a recorded request",
    "realm/update/push_notifications_enabled": "was not changed by a recorded request",
    "realm_export_consent": "was not changed by a recorded request",
    "update_message/rendering_only/content": "this server creates no link previews here",
}
"""Recorded types of events that the replay does not cause."""


def _labels(table: Mapping[str, set[str]]) -> set[str]:
    return {label for labels in table.values() for label in labels}


@pytest.fixture(scope="module")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> Replayed:
    folder = tmp_path_factory.mktemp("replay") / "data"
    return asyncio.run(replay(folder, _SETUP, _labels(_NOT_REPLAYABLE)))


def _differences(outcome: Outcome) -> Iterator[object]:
    """Differences of status, code and fields; only a success may have more fields than the recorded one."""
    recorded, body = outcome.recorded.response, outcome.body
    if outcome.status != outcome.recorded.status:
        yield f"{outcome.recorded.status} became {outcome.status}"
    if recorded.get("code") != body.get("code"):
        yield f"{recorded.get('code')} became {body.get('code')}"
    if missing := recorded.keys() - body.keys():
        yield f"without {sorted(missing)}"
    if outcome.status >= 400 and (new := body.keys() - recorded.keys()):
        yield f"with {sorted(new)}"


def _has_the_recorded_text(outcome: Outcome) -> bool:
    recorded = _VALIDATION_PREFIX.sub("", str(outcome.recorded.response.get("msg", "")))
    text = _VALIDATION_PREFIX.sub("", str(outcome.body.get("msg", "")))
    return recorded.replace("using Zulip", "using this organization") == text


def _by_kind(events: Iterable[Mapping[str, object]]) -> Mapping[str, Sequence[object]]:
    kinds: dict[str, list[object]] = defaultdict(list)
    for event in events:
        kinds[kind_of(event)].append(event)
    return kinds


def test_every_recorded_request_has_the_recorded_outcome(replayed: Replayed) -> None:
    different = {one.recorded.label: found for one in replayed.outcomes if (found := list(_differences(one)))}
    expected = _labels(_DIFFERENT_OUTCOMES)
    assert {label: different[label] for label in different.keys() - expected} == {}
    assert expected - different.keys() == set(), "remove from the table: no longer different"
    assert len(replayed.outcomes) > 1000


def test_every_refusal_has_the_recorded_text(replayed: Replayed) -> None:
    alike = [one for one in replayed.outcomes if one.recorded.label not in _labels(_DIFFERENT_OUTCOMES)]
    others = {one.recorded.label: one.body.get("msg") for one in alike if not _has_the_recorded_text(one)}
    expected = _labels(_DIFFERENT_TEXTS)
    assert {label: others[label] for label in others.keys() - expected} == {}
    assert expected - others.keys() == set(), "remove from the table: no longer different"
    assert sum(one.status >= 400 for one in alike) > 400


def test_only_requests_listed_in_the_table_are_left_out(replayed: Replayed) -> None:
    sent = {one.recorded.label for one in replayed.outcomes}
    assert {one.label for one in recorded_requests()} - sent == _labels(_NOT_REPLAYABLE)


def test_every_event_has_the_recorded_shape_except_those_in_the_tables(replayed: Replayed) -> None:
    not_caused: set[str] = set()
    different: set[str] = set()
    for clients, events in replayed.events.items():
        recorded = _by_kind(
            event for path, event in recorded_events() if path.startswith("events/legacy/") == bool(clients)
        )
        sent = _by_kind(events)
        not_caused |= recorded.keys() - sent.keys()
        both = recorded.keys() & sent.keys()
        assert len(both) > 100
        found = {(kind, one) for kind in both for one in Shape(recorded[kind]).differences(Shape(sent[kind]))}
        assert {(kind, one) for kind, one in found if one not in _DIFFERENT_SHAPES} == set()
        different |= {one for _, one in found}
    assert not_caused == _NOT_CAUSED.keys()
    assert _DIFFERENT_SHAPES.keys() - different == set(), "remove from the table: no longer different"
