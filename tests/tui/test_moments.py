"""Times in the forms that people write."""

from __future__ import annotations

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from narrowcast.text import formats
from narrowcast.text.natural_time import NoMoment, moment

ZONE = ZoneInfo("Europe/Vienna")
NOW = datetime(2026, 10, 23, 15, 30, tzinfo=ZONE).timestamp()
"""A Friday; daylight saving time ends on the Sunday after."""


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("+2h", "2026-10-23 17:30"),
        ("in 20 minutes", "2026-10-23 15:50"),
        ("1d 12h", "2026-10-25 02:30"),
        ("1 day, 2 hours and 5 minutes", "2026-10-24 17:35"),
        ("17:45", "2026-10-23 17:45"),
        ("9:00", "2026-10-24 09:00"),
        ("at 5pm", "2026-10-23 17:00"),
        ("tomorrow", "2026-10-24 09:00"),
        ("Tomorrow 18.15", "2026-10-24 18:15"),
        ("today noon", None),
        ("fri", "2026-10-30 09:00"),
        ("Monday at 8", "2026-10-26 08:00"),
        ("2026-12-24 18:00", "2026-12-24 18:00"),
        ("2026-12-24T18:00", "2026-12-24 18:00"),
        ("2026-12-24T18:00+00:00", "2026-12-24 19:00"),
        ("2026-02-30", None),
        ("25:00", None),
        ("2020-01-01", None),
        ("soon", None),
        ("1d nad 2h", None),
        ("13pm", None),
        ("", None),
        ("+99999999999999h", None),
    ],
)
def test_a_time_in_words_is_the_time_that_people_mean(text: str, meant: str | None) -> None:
    if meant is None:
        with pytest.raises(NoMoment):
            moment(text, NOW, ZONE)
        return
    assert f"{datetime.fromtimestamp(moment(text, NOW, ZONE), ZONE):%Y-%m-%d %H:%M}" == meant


def test_times_are_written_as_short_as_they_stay_clear() -> None:
    at = [
        moment(text, NOW, ZONE) for text in ("17:45", "tomorrow 9:00", "2026-12-24 18:00", "2028-01-02 08:00")
    ]
    assert [formats.moment(one, NOW, long=True, zone=ZONE) for one in at] == [
        "today 17:45",
        "tomorrow 09:00",
        "Thu 24 Dec 18:00",
        "Sun 2 Jan 2028 08:00",
    ]


def test_a_clock_of_twelve_hours_is_the_accounts_choice() -> None:
    at = [moment(text, NOW, ZONE) for text in ("17:45", "tomorrow 0:05")]
    assert [formats.moment(one, NOW, long=False, zone=ZONE) for one in at] == [
        "today 5:45 pm",
        "tomorrow 12:05 am",
    ]


def test_sizes_have_one_unit_each() -> None:
    sizes = [formats.size(count) for count in (0, 1023, 1024, 150 * 1024, 3.4 * 1024**2, 2 * 1024**3)]
    assert sizes == ["0 B", "1023 B", "1.0 KB", "150 KB", "3.4 MB", "2.0 GB"]
