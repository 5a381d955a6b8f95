"""Bytes from a terminal become keys, whatever the bytes are."""

from __future__ import annotations

import itertools
import random

import pytest
from textual import events
from textual._time import get_time
from textual.message import Message

from narrowcast.terminal.clipboard_answers import SILENT, ClipboardAnswer
from narrowcast.terminal.keyboard import Keyboard, SideMargins


def heard(keyboard: Keyboard, data: bytes, now: float = 0.0) -> list[str]:
    return [
        message.key if isinstance(message, events.Key) else f"paste {message.text}"
        for message in keyboard.feed(data, now)
        if isinstance(message, events.Key | events.Paste)
    ]


@pytest.mark.parametrize(
    "broken", [b"\xff", b"\xc3(", b"\xe6\xbc?", b"\x1b[9999999999u", b"\x1b[1;2;99999999999u"]
)
def test_unreadable_bytes_do_not_swallow_the_next_key(broken: bytes) -> None:
    assert heard(Keyboard(), broken + b"jk")[-2:] == ["j", "k"]


@pytest.mark.parametrize(
    ("data", "key"),
    [
        (b"\x1b.", "alt+full_stop"),
        (b"\x1b,", "alt+comma"),
        (b"\x1b\r", "alt+enter"),
        (b"\x1bo", "alt+o"),
        (b"\x1b\x01", "ctrl+a"),
        (b"\x1bD", "alt+shift+d"),
    ],
)
def test_alt_is_heard_where_a_terminal_sends_it_as_an_escape_before_the_key(
    data: bytes, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keyboard = Keyboard()
    assert heard(keyboard, data) == []
    later = get_time() + 1.0
    monkeypatch.setattr("textual._parser.get_time", lambda: later)
    assert [message.key for message in keyboard.tick() if isinstance(message, events.Key)] == [key]


def test_a_character_may_come_in_two_halves() -> None:
    keyboard = Keyboard()
    assert heard(keyboard, "漢".encode()[:2]) == []
    assert len(heard(keyboard, "漢".encode()[2:])) == 1


@pytest.mark.parametrize("end", [b"\x07", b"\x1b\\"])
def test_the_clipboard_that_a_terminal_tells_is_no_key_however_it_is_cut(end: bytes) -> None:
    data = b"j\x1b]52;c;aGkgeW91\x07k".replace(b"\x07", end)
    for cut in range(1, len(data)):
        keyboard = Keyboard()
        messages = [*keyboard.feed(data[:cut], 0.0), *keyboard.feed(data[cut:], 0.0)]
        keys = [message.key for message in messages if isinstance(message, events.Key)]
        told = [message.content for message in messages if isinstance(message, ClipboardAnswer)]
        assert (keys, told) == (["j", "k"], [b"hi you"]), cut


def test_keys_are_heard_again_after_an_answer_that_was_cut_off() -> None:
    assert heard(Keyboard(), b"\x1b]52;c;aGk\x1b[Aj") == ["up", "j"]
    keyboard = Keyboard()
    assert heard(keyboard, b"\x1b]52;c;aGkj") == []
    for _ in range(SILENT):
        assert [*keyboard.tick()] == []
    assert heard(keyboard, b"j") == ["j"]


@pytest.mark.parametrize(
    ("first", "keys"),
    [
        (b"\x1b", ["escape"]),
        (b"\x1b]", ["alt+right_square_bracket"]),
        (b"\x1b]5", []),
        (b"\x1b]52", []),
        (b"\x1b]52;c", []),
    ],
)
def test_the_rest_of_an_answer_is_no_key_after_a_pause_either(
    first: bytes, keys: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = itertools.count()
    monkeypatch.setattr("textual._parser.get_time", lambda: float(next(clock)))
    for ending in (b"\x1b]52;c;aGk=\x07"[len(first) :], b""):
        keyboard = Keyboard()
        messages = [*keyboard.feed(first, 0.0), *keyboard.tick(), *keyboard.tick()]
        if ending:
            messages += keyboard.feed(ending, 1.0)
        for _ in range(SILENT):
            messages += keyboard.tick()
        messages += keyboard.feed(b"j", 9.0)
        assert [one.key for one in messages if isinstance(one, events.Key)] == [*keys, "j"]
        told = [one.content for one in messages if isinstance(one, ClipboardAnswer)]
        assert told == ([b"hi"] if ending else [])


def test_escape_and_the_bracket_are_keys_if_no_answer_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    keyboard = Keyboard()
    messages = [*keyboard.feed(b"\x1b", 0.0)]
    later = get_time() + 1.0
    monkeypatch.setattr("textual._parser.get_time", lambda: later)
    messages += [*keyboard.tick(), *keyboard.feed(b"]", 1.0), *keyboard.tick()]
    messages += [*keyboard.feed(b"5", 1.0), *keyboard.tick(), *keyboard.feed(b"j", 1.0)]
    keys = [one.key for one in messages if isinstance(one, events.Key)]
    assert keys == ["escape", "right_square_bracket", "5", "j"]


def test_the_mouse_is_where_it_was_after_an_unreadable_sequence() -> None:
    keyboard = Keyboard()
    for data in (b"\x1b[48;40;120;800;1200t", b"\x1b[9999999999u"):
        list(keyboard.feed(data, 0.0))
    (move,) = [one for one in keyboard.feed(b"\x1b[<35;601;401M", 0.0) if isinstance(one, events.MouseMove)]
    assert (move.x, move.y) == (60, 20)


def test_a_paste_is_one_message_however_it_is_cut() -> None:
    for cut in range(1, 24):
        data = b"\x1b[200~two\rlines\x1b[201~j"
        keyboard = Keyboard()
        assert heard(keyboard, data[:cut], 0.0) + heard(keyboard, data[cut:], 9.0) == [
            "paste two\rlines",
            "j",
        ]


def test_a_key_ends_a_paste_whose_end_was_cut_off() -> None:
    keyboard = Keyboard()
    assert heard(keyboard, b"\x1b[200~half a", 0.0) == []
    assert heard(keyboard, b" line\r", 30.0) == []  # a slow connection: still in the paste
    assert heard(keyboard, b"\x11", 30.1) == []  # immediately after: no key press
    assert heard(keyboard, b"\x11", 31.0) == ["paste half a line\r\x11", "ctrl+q"]
    assert not keyboard.pasting


@pytest.mark.parametrize(
    ("state", "has"), [("0", False), ("1", True), ("2", True), ("3", False), ("4", False)]
)
def test_a_terminal_says_whether_it_can_move_columns(state: str, has: bool) -> None:
    keyboard = Keyboard()
    heard = [*keyboard.feed(b"\x1b[?69;", 0.0), *keyboard.feed(f"{state}$yx".encode(), 0.1)]
    assert {type(message) for message in heard} == ({SideMargins, events.Key} if has else {events.Key})


def test_bytes_at_random_never_raise() -> None:
    chance = random.Random(7)
    keyboard = Keyboard()
    pieces = [
        b"\x1b",
        b"[",
        b"<",
        b"200~",
        b"201~",
        b";",
        b"9" * 12,
        b"u",
        b"M",
        b"\xff",
        b"\xe6",
        b"O",
        b"P",
        b"a",
        b"\r",
    ]
    for turn in range(20_000):
        list(keyboard.feed(chance.choice(pieces), turn * 0.1))
        if chance.random() < 0.1:
            list(keyboard.tick())
    keyboard.close()


def enters(messages: list[Message]) -> list[str]:
    """The keys; a line break as the line feed that it is."""
    keys = [message for message in messages if isinstance(message, events.Key)]
    return ["\n" if (key.key, key.character) == ("enter", "\n") else key.key for key in keys]


@pytest.mark.parametrize(
    ("reads", "expected"),
    [
        ([b"one\rtwo\r"], "o n e \n t w o enter"),
        ([b"one\r", b"two\r"], "o n e \n t w o enter"),
        ([b"a\r\rb"], "a \n \n b"),
        ([b"a\r\tb"], "a \n tab b"),
        (["a\rü".encode()], "a \n ü"),
        ([b"a\r\r"], "a enter enter"),
        ([b"a\r\x1b[A"], "a enter up"),
        ([b"a\r", b"\x0b"], "a enter ctrl+k"),
    ],
)
def test_an_enter_with_text_behind_it_is_a_line_break(reads: list[bytes], expected: str) -> None:
    keyboard = Keyboard()
    heard = [message for data in reads for message in keyboard.feed(data, 0.0)]
    heard += keyboard.tick()
    assert " ".join(enters(heard)) == expected


def test_an_enter_without_text_behind_it_within_a_moment_is_a_key() -> None:
    keyboard = Keyboard()
    assert enters(list(keyboard.feed(b"\r", 0.0))) == []
    assert keyboard.is_holding
    assert enters(list(keyboard.tick())) == ["enter"]
    assert not keyboard.is_holding
    assert enters(list(keyboard.feed(b"d", 0.1))) == ["d"]
