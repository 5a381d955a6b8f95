"""Messages in one line, and parts of them, with local times."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from narrowcast.text.formats import excerpt, with_local_times


@pytest.mark.parametrize(
    ("html", "line"),
    [
        ("<p>one</p>\n<p>two</p>", "one two"),
        ("<p>b<strong>ol</strong>d &lt;b&gt;</p>", "bold <b>"),
        ("<p", ""),
        ("<ul><li>a</li><li>b</li></ul>", "a b"),
        (
            '<p><span aria-label="sunny" class="emoji emoji-2600" role="img" title="sunny">:sunny:</span> day</p>',
            "☀ day",
        ),
        ('<span class="emoji emoji-fffffff" role="img">:odd:</span>', ":odd:"),
        ('<p>at <time datetime="2026-11-20T10:00:00Z">2026-11-20T10:00</time>!</p>', "at tomorrow 10:00!"),
        ('<p><time datetime="someday">someday</time></p>', "someday"),
        ("", ""),
    ],
)
def test_a_message_is_summarized_in_one_line(html: str, line: str) -> None:
    now = datetime(2026, 11, 19, 12).astimezone()
    at = now.replace(day=20, hour=10).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    assert excerpt(html.replace("2026-11-20T10:00:00Z", at), now.timestamp()) == line


def test_times_in_a_part_of_a_message_are_local() -> None:
    now = datetime(2026, 11, 19, 12).astimezone()
    at = now.replace(day=20, hour=10).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    html = f'<p>long before <time datetime="{at}">{at}</time> and <time datetime="x">{at[:4]}</time></p>'
    part = f"…before {at} and {at[:4]}"
    assert with_local_times(part, html, now.timestamp(), long=False) == "…before tomorrow 10:00 am and 2026"
    short = f'<time datetime="{at}">1</time>' * 40
    assert with_local_times("1 of 10", short, now.timestamp(), long=False) == "1 of 10"
    words = f'<time datetime="{at}">tomorrow 1</time>' * 40
    assert with_local_times("tomorrow 1, 11", words, now.timestamp(), long=False) == "tomorrow 10:00 am, 11"
