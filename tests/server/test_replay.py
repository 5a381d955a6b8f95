"""Recorded requests of a real server, replayed against the embedded one: it accepts and rejects the same
requests, answers with the same fields, and sends events of the same shape.

Errors have the recorded text too. The tables here list all differences with their reasons.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pytest

from support.captures import captures, recorded_events
from support.replaying import Outcome, Replayed, recorded_requests, replay
from support.shapes import Shape, kind_of

pytestmark = pytest.mark.skipif(captures() is None, reason="there are no recordings here")

_FILES = {
    "POST_user_uploads": 16,
    "GET_user_uploads": 11,
    "users_me_avatar": 3,
    "realm_emoji": 9,
    "DELETE_attachments": 3,
}
_NOT_RECORDED = {
    "the recording has no files": {
        "GET_messages_id/09",
        *(f"{folder}/{number:02}" for folder, last in _FILES.items() for number in range(1, last + 1)),
    },
    "the recording has no headers": {"AUTH/20", "AUTH/21", "AUTH/22", "AUTH/23"},
    "its queue had met other events": {
        *(f"GET_events/{number:02}" for number in (1, 2, 3, 4, 5, 6, 7, 8, 16)),
        "DELETE_events/05",
    },
    "the recorded server had begun anew, with other ids": {
        *(f"POST_messages/{number}" for number in (60, 61, 62, 63)),
        *(f"POST_register/{number}" for number in (18, 19, 41)),
        *("GET_messages/55", "GET_messages_id/10", "POST_messages_id_reactions/19", "POST_messages_flags/18"),
        *("POST_typing/35", "GET_users_me_stream_id_topics/08", "POST_user_topics/15"),
    },
}
"""Requests that cannot be replayed."""
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

_DIFFERENT = {
    "pages of the web app, where this server has JSON": {
        *("AUTH/26", "AUTH/27", "AUTH/28", "AUTH/29", "GET_messages_id/06", "GET_server_settings/04"),
    },
    "the contract has a code with every refusal (CONV-21)": {
        "AUTH/24",
        "AUTH/25",
        "DELETE_realm_playgrounds/04",
    },
    "browsers ask which methods there are": {"AUTH/30"},
    "the contract takes the address that the API has for somebody (AUTH-01)": {"AUTH/18"},
    "older programs ask for linkifiers in this way": {"GET_realm_filters/01"},
    "owners alone change addresses (USRU-10)": {
        "PATCH_users_id/29",
        "PATCH_users_id/32",
        "AUTH/35",
        "AUTH/36",
    },
    "what is too long is refused, never cut (EVT-04)": {"POST_messages/24", "POST_messages/25"},
    "of a channel that one may not know of nothing is told, not even that it exists": {
        *("GET_messages/38", "POST_messages/42", "POST_scheduled_messages/26"),
    },
    "an edit without a change is refused (SNP-11)": {"PATCH_saved_snippets/04", "PATCH_saved_snippets/05"},
    "names of groups differ by more than case, and descriptions have a limit": {
        *("POST_user_groups_create/06", "POST_user_groups_create/22"),
    },
    "an invitation that is over before it begins is a mistake": {"POST_invites/23"},
    "links and invitations are numbered together": {"DELETE_invites_multiuse/01"},
    "the real address of somebody says nothing where it is hidden (USR-11)": {"PATCH_users_email/01"},
    "there is no server for calls here": {"calls/01"},
    "the refusal of roles above one's own is BAD_REQUEST (INV-32)": {
        "POST_invites/17",
        "POST_invites_multiuse/07",
    },
    "the recorded server failed": {"POST_users_me_subscriptions/26", "POST_realm_playgrounds/12"},
    "the contract has a code for an unknown channel here (ERR-03)": {"DELETE_users_me_subscriptions/04"},
}
"""Requests with a different outcome."""
_IN_OTHER_WORDS = {
    "this organization is not Zulip, and somebody is called by their name": {"POST_messages/56"},
    "says what is wrong with the address": {"POST_users/03"},
    "the contract's name for a language (PLG-03)": {"POST_realm_playgrounds/09"},
    "says what it is about in words of the app": {
        *("POST_realm_filters/03", "POST_realm_playgrounds/03", "POST_realm_playgrounds/11"),
    },
    "owners alone change addresses (USRU-10)": {"PATCH_users_id/30", "PATCH_users_id/31"},
    "links and invitations are numbered together": {"DELETE_invites_multiuse/02"},
    "the contract has one refusal for who may not invite so (INV-32)": {"POST_invites/16"},
}
"""Errors with a different text."""
_OF_THE_LIBRARY = re.compile(
    r': Value error, Not in the list of possible values|(?<=: )Value error, |\["(int|bool)"\]'
)
"""Text that the recorded server's validation library adds to its errors; here only some errors have it."""
_OF_ANOTHER_SHAPE = {
    ".message.avatar_url can be NoneType": "clients make the addresses of pictures themselves (client_gravatar)",
    ".bot.api_key is missing": "keys go to owners of bots alone",
    ".person.bot_owner_id can be NoneType": "present and null for people",
    ".person.bot_type can be NoneType": "present and null for people",
    ".streams[].can_administer_channel_group can be number": "a group or people",
    ".streams[].creator_id can be NoneType": "channels that the organization began with",
    ".streams[].first_message_id can be number": "a channel that one comes to later has messages",
    ".away is new": "the contract keeps it (STAT-12)",
}
"""Where events differ in shape from all recorded ones of their type, and why."""
_UNSEEN = {
    "attachment/add": "no files", "attachment/remove": "no files", "attachment/update": "no files",
    "realm_emoji/update": "no files",
    "heartbeat": "no time passes",
    "restart": "the server stays",
    "realm/update/inline_url_embed_preview": "changed outside of the recorded requests",
    "realm/update/push_notifications_enabled": "changed outside of the recorded requests",
    "realm_export_consent": "changed outside of the recorded requests",
    "update_message/rendering_only/content": "no previews of links are made here",
}  # fmt: skip
"""Recorded types of events that the replay does not cause."""


def _labels(table: Mapping[str, set[str]]) -> set[str]:
    return {label for labels in table.values() for label in labels}


@pytest.fixture(scope="module")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> Replayed:
    folder = tmp_path_factory.mktemp("replay") / "data"
    return asyncio.run(replay(folder, _SETUP, _labels(_NOT_RECORDED)))


def _differences(outcome: Outcome) -> Iterator[object]:
    """Differences of status, code and fields; only a success may have more fields than the recorded one."""
    recorded, answer = outcome.recorded.response, outcome.answer
    if outcome.status != outcome.recorded.status:
        yield f"{outcome.recorded.status} became {outcome.status}"
    if recorded.get("code") != answer.get("code"):
        yield f"{recorded.get('code')} became {answer.get('code')}"
    if missing := recorded.keys() - answer.keys():
        yield f"without {sorted(missing)}"
    if outcome.status >= 400 and (new := answer.keys() - recorded.keys()):
        yield f"with {sorted(new)}"


def _says_the_same(outcome: Outcome) -> bool:
    recorded = _OF_THE_LIBRARY.sub("", str(outcome.recorded.response.get("msg", "")))
    said = _OF_THE_LIBRARY.sub("", str(outcome.answer.get("msg", "")))
    return recorded.replace("using Zulip", "using this organization") == said


def _by_kind(events: Iterable[Mapping[str, object]]) -> Mapping[str, Sequence[object]]:
    kinds: dict[str, list[object]] = defaultdict(list)
    for event in events:
        kinds[kind_of(event)].append(event)
    return kinds


def test_every_recorded_request_has_the_recorded_outcome(replayed: Replayed) -> None:
    different = {one.recorded.label: found for one in replayed.outcomes if (found := list(_differences(one)))}
    expected = _labels(_DIFFERENT)
    assert {label: different[label] for label in different.keys() - expected} == {}
    assert expected - different.keys() == set(), "no longer different"
    assert len(replayed.outcomes) > 1000


def test_every_refusal_has_the_recorded_text(replayed: Replayed) -> None:
    alike = [one for one in replayed.outcomes if one.recorded.label not in _labels(_DIFFERENT)]
    others = {one.recorded.label: one.answer.get("msg") for one in alike if not _says_the_same(one)}
    expected = _labels(_IN_OTHER_WORDS)
    assert {label: others[label] for label in others.keys() - expected} == {}
    assert expected - others.keys() == set(), "no longer different"
    assert sum(one.status >= 400 for one in alike) > 400


def test_only_requests_listed_in_the_table_are_left_out(replayed: Replayed) -> None:
    sent = {one.recorded.label for one in replayed.outcomes}
    assert {one.label for one in recorded_requests()} - sent == _labels(_NOT_RECORDED)


def test_every_event_has_the_recorded_shape_but_where_the_tables_say_why(replayed: Replayed) -> None:
    unseen: set[str] = set()
    different: set[str] = set()
    for clients, events in replayed.events.items():
        recorded = _by_kind(
            event for path, event in recorded_events() if path.startswith("events/legacy/") == bool(clients)
        )
        told = _by_kind(events)
        unseen |= recorded.keys() - told.keys()
        both = recorded.keys() & told.keys()
        assert len(both) > 100
        found = {(kind, one) for kind in both for one in Shape(recorded[kind]).differences(Shape(told[kind]))}
        assert {(kind, one) for kind, one in found if one not in _OF_ANOTHER_SHAPE} == set()
        different |= {one for _, one in found}
    assert unseen == _UNSEEN.keys()
    assert _OF_ANOTHER_SHAPE.keys() - different == set(), "no longer different"
