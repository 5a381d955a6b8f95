"""Which messages notify, by pop-up and by sound, according to the settings; and what is shown of them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from narrowcast_api import characters
from narrowcast_api.model.messages import Message
from narrowcast_api.protocols.notice_text import words_of
from narrowcast_api.protocols.notifications import (
    EFFECTIVE_SETTINGS,
    MAX_BODY_LENGTH,
    MAX_TITLE_LENGTH,
    Notice,
    QuietHours,
    Reason,
    notice_of,
    popup_reason,
    sound_reason,
    summary_of,
    unread_badge,
)
from narrowcast_api.state.settings import Settings
from narrowcast_api.state.state import State
from support import live
from support.live import BRUNO, CHIYO, GENERAL, RANDOM

QUIET = {
    "enable_desktop_notifications": False,
    "enable_sounds": False,
    "enable_stream_desktop_notifications": False,
    "enable_stream_audible_notifications": False,
    "enable_followed_topic_desktop_notifications": False,
    "enable_followed_topic_audible_notifications": False,
    "enable_followed_topic_wildcard_mentions_notify": False,
    "wildcard_mentions_notify": False,
}
MUTED, UNMUTED, FOLLOWED = 1, 2, 3


def state(
    settings: Mapping[str, object], *, choice: int = 0, muted: bool = False, **channel: object
) -> State:
    own = live.subscription(GENERAL, "general", is_muted=muted, **channel)
    made = live.make_state(subscriptions=[own], user_settings={**QUIET, **settings})
    made.topics.set_visibility(GENERAL, "lunch", choice)
    return made


def message(*flags: str, sender: int = BRUNO, channel: int | None = GENERAL, **fields: object) -> Message:
    values: dict[str, object] = {
        "id": 7,
        "sender_id": sender,
        "sender_name": "Bruno",
        "sender_email": "b@x",
        "timestamp": 0,
        "content": "<p>soup</p>",
        "flags": frozenset(flags),
        "channel_id": channel,
        "topic": "lunch" if channel else None,
        "direct_user_ids": None if channel else frozenset({live.ADA, sender}),
        **fields,
    }
    return Message(**values)  # type: ignore[arg-type]  # as the fields are called


DESKTOP, SOUNDS = {"enable_desktop_notifications": True}, {"enable_sounds": True}
CASES: list[tuple[str, Mapping[str, object], Mapping[str, object], Message, Reason | None]] = [
    ("direct", DESKTOP, {}, message(channel=None), Reason.DIRECT),
    ("direct, off", {}, {}, message(channel=None), None),
    ("mention", DESKTOP, {}, message("mentioned"), Reason.MENTION),
    ("mention, off", {}, {}, message("mentioned"), None),
    ("mention in a muted channel", DESKTOP, {"muted": True}, message("mentioned"), Reason.MENTION),
    ("mention in a muted topic", DESKTOP, {"choice": MUTED}, message("mentioned"), Reason.MENTION),
    ("alert word", DESKTOP, {}, message("has_alert_word"), Reason.ALERT_WORD),
    ("alert word in a muted topic", DESKTOP, {"choice": MUTED}, message("has_alert_word"), None),
    ("alert word in a muted channel", DESKTOP, {"muted": True}, message("has_alert_word"), None),
    ("plain", DESKTOP, {}, message(), None),
    ("all of channels", {"enable_stream_desktop_notifications": True}, {}, message(), Reason.CHANNEL),
    (
        "all of channels, but not of this one",
        {"enable_stream_desktop_notifications": True},
        {"desktop_notifications": False},
        message(),
        None,
    ),
    ("all of this channel", {}, {"desktop_notifications": True}, message(), Reason.CHANNEL),
    (
        "all of this channel, muted topic",
        {},
        {"desktop_notifications": True, "choice": MUTED},
        message(),
        None,
    ),
    (
        "all of this channel, itself muted",
        {},
        {"desktop_notifications": True, "muted": True},
        message(),
        None,
    ),
    (
        "all of this muted channel, topic unmuted",
        {},
        {"desktop_notifications": True, "muted": True, "choice": UNMUTED},
        message(),
        Reason.CHANNEL,
    ),
    (
        "followed",
        {"enable_followed_topic_desktop_notifications": True},
        {"choice": FOLLOWED},
        message(),
        Reason.FOLLOWED,
    ),
    (
        "followed in a muted channel",
        {"enable_followed_topic_desktop_notifications": True},
        {"choice": FOLLOWED, "muted": True},
        message(),
        Reason.FOLLOWED,
    ),
    (
        "mention in a topic that one follows, as since the first one",
        {**DESKTOP, "enable_followed_topic_desktop_notifications": True},
        {"choice": FOLLOWED},
        message("mentioned"),
        Reason.MENTION,
    ),
    (
        "mention in a channel of which one hears all",
        DESKTOP,
        {"desktop_notifications": True},
        message("mentioned"),
        Reason.MENTION,
    ),
    ("followed, off", DESKTOP, {"choice": FOLLOWED}, message(), None),
    ("wildcard, off", DESKTOP, {}, message("stream_wildcard_mentioned"), None),
    (
        "wildcard",
        {**DESKTOP, "wildcard_mentions_notify": True},
        {},
        message("stream_wildcard_mentioned"),
        Reason.WILDCARD,
    ),
    (
        "wildcard, old name",
        {**DESKTOP, "wildcard_mentions_notify": True},
        {},
        message("wildcard_mentioned"),
        Reason.WILDCARD,
    ),
    (
        "wildcard in a channel that says no",
        {**DESKTOP, "wildcard_mentions_notify": True},
        {"wildcard_mentions_notify": False},
        message("topic_wildcard_mentioned"),
        None,
    ),
    (
        "wildcard in a channel that says yes",
        DESKTOP,
        {"wildcard_mentions_notify": True},
        message("topic_wildcard_mentioned"),
        Reason.WILDCARD,
    ),
    (
        "wildcard in a muted topic",
        {**DESKTOP, "wildcard_mentions_notify": True},
        {"choice": MUTED},
        message("stream_wildcard_mentioned"),
        None,
    ),
    (
        "wildcard in a followed topic",
        {**DESKTOP, "enable_followed_topic_wildcard_mentions_notify": True},
        {"choice": FOLLOWED},
        message("stream_wildcard_mentioned"),
        Reason.WILDCARD,
    ),
    (
        "wildcard without pop-ups for mentions",
        {"wildcard_mentions_notify": True},
        {},
        message("stream_wildcard_mentioned"),
        None,
    ),
    (
        "one's own",
        {**DESKTOP, "enable_stream_desktop_notifications": True},
        {},
        message(sender=live.ADA),
        None,
    ),
    ("one's own note", DESKTOP, {}, message(sender=live.ADA, channel=None), None),
    ("read", DESKTOP, {}, message("mentioned", "read"), None),
    ("of a muted person", DESKTOP, {}, message("mentioned", sender=CHIYO), None),
    ("of a muted person, direct", DESKTOP, {}, message(sender=CHIYO, channel=None), None),
    ("a mention where one is not", DESKTOP, {}, message("mentioned", channel=RANDOM), Reason.MENTION),
    (
        "a channel where one is not",
        {"enable_stream_desktop_notifications": True},
        {},
        message(channel=RANDOM),
        None,
    ),
]
TO_SOUND = {
    "enable_desktop_notifications": "enable_sounds",
    "enable_stream_desktop_notifications": "enable_stream_audible_notifications",
    "enable_followed_topic_desktop_notifications": "enable_followed_topic_audible_notifications",
    "desktop_notifications": "audible_notifications",
}


def with_sound(values: Mapping[str, object]) -> dict[str, object]:
    return {TO_SOUND.get(name, name): value for name, value in values.items()}


@pytest.mark.parametrize(
    ("settings", "place", "come", "reason"), [c[1:] for c in CASES], ids=[c[0] for c in CASES]
)
def test_a_message_pops_up_and_is_heard_as_the_settings_say(
    settings: Mapping[str, object], place: Mapping[str, object], come: Message, reason: Reason | None
) -> None:
    here = state(settings, **place)  # type: ignore[arg-type]  # as the cases name them
    here.users.muted = {CHIYO: 1}
    assert popup_reason(come, here) is reason
    assert sound_reason(come, here) is None
    heard = state(with_sound(settings), **with_sound(place))  # type: ignore[arg-type]  # as above
    heard.users.muted = {CHIYO: 1}
    assert sound_reason(come, heard) is reason
    assert popup_reason(come, heard) is None


def test_the_sound_none_is_none() -> None:
    assert sound_reason(message(channel=None), state(SOUNDS)) is Reason.DIRECT
    assert sound_reason(message(channel=None), state({**SOUNDS, "notification_sound": "none"})) is None


class Watched(Settings):
    """Settings that record which of them were read."""

    def __init__(self, values: Mapping[str, object]) -> None:
        super().__init__(dict(values))
        self.read: set[str] = set()

    def flag(self, name: str, default: bool = False) -> bool:
        self.read.add(name)
        return super().flag(name, default)

    def text(self, name: str, default: str = "") -> str:
        self.read.add(name)
        return super().text(name, default)

    def number(self, name: str, default: int = 0) -> int:
        self.read.add(name)
        return super().number(name, default)


def test_every_setting_listed_as_effective_is_read() -> None:
    here = state({}, choice=FOLLOWED)
    here.settings = watched = Watched({**QUIET, **DESKTOP, **SOUNDS})
    for come in (message("stream_wildcard_mentioned"), message(), message(channel=None)):
        notice_of(come, here)
    here.topics.set_visibility(GENERAL, "lunch", 0)
    notice_of(message("stream_wildcard_mentioned"), here)
    unread_badge(here)
    assert watched.read == EFFECTIVE_SETTINGS


def told(**fields: object) -> Notice:
    notice = notice_of(message("mentioned", **fields), state(DESKTOP))  # type: ignore[arg-type]  # any field
    assert notice is not None
    return notice


def test_a_notice_says_who_where_and_what() -> None:
    notice = told()
    assert (notice.title, notice.body) == ("Bruno in #general › lunch", "soup")
    assert (notice.popup, notice.sound) == (True, False)
    assert told(topic="").place == "#general › general chat"
    assert told(is_me_message=True).body == "Bruno soup"


def test_a_direct_message_names_everybody_and_can_keep_its_words() -> None:
    group = message(channel=None, direct_user_ids=frozenset({live.ADA, BRUNO, CHIYO}))
    notice = notice_of(group, state(DESKTOP))
    assert notice is not None
    assert (notice.title, notice.body, notice.place) == ("Bruno to you and Chiyo", "soup", "")
    kept = notice_of(group, state({**DESKTOP, "pm_content_in_desktop_notifications": False}))
    assert kept is not None
    assert kept.body == "wrote to you"


@pytest.mark.parametrize(
    ("html", "words"),
    [
        ("<p>one <b>two</b></p><p>three</p>", "one two three"),
        ("<p>a &lt;b&gt; &amp; c</p>", "a <b> & c"),
        ("<ul><li>one</li><li>two</li></ul>", "one two"),
        (
            '<div class="spoiler-block"><div class="spoiler-header"><p>Ending</p></div>'
            '<div class="spoiler-content" aria-hidden="true"><p>he <i>dies</i></p></div></div><p>after</p>',
            "Ending (spoiler) after",
        ),
        (
            '<p><span class="emoji emoji-1f642">:smile:</span> <img class="emoji" alt=":party:"></p>',
            ":smile: :party:",
        ),
        ('<div class="message_inline_image"><a href="/x"><img src="/x"></a></div>', "(picture)"),
        (
            '<p><span class="katex"><span class="katex-mathml">x^2</span><span class="katex-html">x2</span></span></p>',
            "x^2",
        ),
        ("<script>alert(1)</script>ok", "ok"),
        ("", "(no text)"),
        ("<p>unclosed <b>bold", "unclosed bold"),
        ("<p>\x1b]0;x\x07&#27;[2J\u202eabc</p>", "␛]0;x␇[2Jabc"),
    ],
)
def test_the_words_of_a_message_are_cut_out_of_it(html: str, words: str) -> None:
    assert words_of(html, 100) == words


def test_times_in_a_notice_are_written_as_the_app_writes_times() -> None:
    def when(at: str) -> str:
        return "tomorrow 10:00" if at == "2026-11-20T10:00:00Z" else ""

    html = 'at <time datetime="2026-11-20T10:00:00Z">2026-11-20T10:00:00Z</time> or <time>some day</time>!'
    assert words_of(html, 100, when) == "at tomorrow 10:00 or some day!"
    assert words_of(html, 100) == "at 2026-11-20T10:00:00Z or some day!"
    notice = notice_of(message("mentioned", content=html), state(DESKTOP), when)
    assert notice is not None
    assert notice.body == "at tomorrow 10:00 or some day!"


@given(st.text(max_size=300), st.text(max_size=300), st.text(max_size=100))
def test_nothing_in_a_notice_commands_a_terminal_or_is_long(html: str, name: str, topic: str) -> None:
    here = state(DESKTOP)
    notice = notice_of(message("mentioned", sender=99, sender_name=name, content=html, topic=topic), here)
    assert notice is not None
    for text, longest in (
        (notice.title, MAX_TITLE_LENGTH),
        (notice.body, MAX_BODY_LENGTH),
        (notice.place, MAX_TITLE_LENGTH),
    ):
        assert len(text) <= longest
        assert not characters.has_controls(text)


def test_a_very_long_message_is_cut_and_read_quickly() -> None:
    for start in ("<b>", "<!--", "<![", "&#", "<p x=", "x"):
        assert len(told(content=start * 200_000).body) <= MAX_BODY_LENGTH


@pytest.mark.parametrize(
    ("level", "counted", "badge"),
    [
        *((227, None, (4, 1)), (227, 1, (4, 1)), (227, 2, (3, 1)), (227, 3, (2, 1)), (227, 4, (0, 0))),
        *((227, 77, (0, 0)), (226, 1, (4, 1)), (226, 2, (2, 1)), (226, 3, (0, 0))),
    ],
)
def test_the_badge_counts_what_one_has_chosen(
    level: int, counted: int | None, badge: tuple[int, int]
) -> None:
    settings = {} if counted is None else {"desktop_icon_count_display": counted}
    here = state(settings, choice=FOLLOWED)
    here.server = replace(here.server, level=level)
    live.apply(
        here,
        live.message_event(live.channel_message(201, "lunch")),
        live.message_event(live.channel_message(202, "soup")),
        live.message_event(live.channel_message(203, "soup"), "mentioned"),
        live.message_event(live.direct_message(204)),
    )
    assert unread_badge(here) == badge


def test_several_notices_are_told_together() -> None:
    assert summary_of([told(), told(topic="soup"), told()]) == (
        "3 new messages",
        "#general › lunch, #general › soup",
    )


@pytest.mark.parametrize(
    ("text", "quiet", "loud"),
    [
        ("22:00-07:00", ["22:00", "23:59", "00:00", "06:59"], ["07:00", "12:00", "21:59"]),
        ("09-17:30", ["09:00", "17:29"], ["08:59", "17:30"]),
        ("12:00 – 13:00", ["12:30"], ["13:00"]),
        ("0-24", ["00:00", "12:00", "23:59"], []),
        ("8-8", ["08:00", "07:59"], []),
    ],
)
def test_quiet_hours_reach_past_midnight(text: str, quiet: list[str], loud: list[str]) -> None:
    hours = QuietHours.parse(text)

    def minute(time: str) -> int:
        return int(time[:2]) * 60 + int(time[3:])

    assert all(hours.contain(minute(time)) for time in quiet)
    assert not any(hours.contain(minute(time)) for time in loud)


@pytest.mark.parametrize(
    "text", ["", "22:00", "22:00-", "25:00-07:00", "22:60-7", "at night", "²²-7", "-1-5", "1:2:3-4"]
)
def test_an_invalid_time_of_day_is_rejected(text: str) -> None:
    with pytest.raises(ValueError, match="such as 22:00"):
        QuietHours.parse(text)
