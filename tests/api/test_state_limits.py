"""The server's limits and intervals, as the snapshot reports them."""

from __future__ import annotations

import pytest

from narrowcast_api.state.settings import read_limits

LENGTHS = {
    "max_message_length": "max_message_length",
    "max_topic_length": "max_topic_length",
    "max_avatar_file_size_mib": "max_avatar_file_size_mib",
    "max_icon_file_size_mib": "max_icon_file_size_mib",
    "max_logo_file_size_mib": "max_logo_file_size_mib",
    "max_channel_name_length": "max_stream_name_length",
    "max_channel_description_length": "max_stream_description_length",
    "max_folder_name_length": "max_channel_folder_name_length",
    "max_folder_description_length": "max_channel_folder_description_length",
    "max_reminder_note_length": "max_reminder_note_length",
    "min_password_length": "password_min_length",
}
MILLISECONDS = {
    "typing_started_wait": "server_typing_started_wait_period_milliseconds",
    "typing_stopped_wait": "server_typing_stopped_wait_period_milliseconds",
    "typing_started_expiry": "server_typing_started_expiry_period_milliseconds",
}
SECONDS = {
    "presence_ping_interval": "server_presence_ping_interval_seconds",
    "presence_offline_threshold": "server_presence_offline_threshold_seconds",
    "longpoll_timeout": "event_queue_longpoll_timeout_seconds",
}
SILENT = read_limits({})


def taken(name: str, value: object) -> dict[str, object]:
    """The limits of a server that reports this one only."""
    return read_limits({name: value})._asdict()


def usual(**but: object) -> dict[str, object]:
    """The limits of a server that reports none, with these replaced."""
    return {**SILENT._asdict(), **but}


@pytest.mark.parametrize(("field", "name"), LENGTHS.items())
def test_a_length_is_taken_from_one_on(field: str, name: str) -> None:
    for sent in (1, 7, 2**31):
        assert taken(name, sent) == usual(**{field: sent})
    for wrong in (0, -1, "7", None):
        assert taken(name, wrong) == usual()


def test_a_server_that_takes_no_uploads_says_that_they_may_have_no_size() -> None:
    name = "max_file_upload_size_mib"
    for sent in (0, 1, 100):
        assert taken(name, sent) == usual(max_file_upload_size_mib=sent)
    assert taken(name, -1) == usual()


@pytest.mark.parametrize(
    ("field", "name", "unit"),
    [
        *((field, name, 1000) for field, name in MILLISECONDS.items()),
        *((field, name, 1) for field, name in SECONDS.items()),
    ],
)
def test_a_period_is_taken_where_it_is_some_time_within_a_day(field: str, name: str, unit: int) -> None:
    for seconds in (0.5, 7, 86_399):
        assert taken(name, seconds * unit) == usual(**{field: pytest.approx(seconds)})
    for wrong in (0, -unit, 86_400 * unit, "7", None):
        assert taken(name, wrong) == usual()


def test_a_server_that_does_not_say_its_lengths_has_those_of_before_it_said_them() -> None:
    """Zulip reports them from level 53 on."""
    assert (SILENT.max_message_length, SILENT.max_topic_length) == (10_000, 60)
    assert (SILENT.max_channel_name_length, SILENT.max_channel_description_length) == (60, 1024)
