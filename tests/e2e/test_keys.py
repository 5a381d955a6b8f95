"""Random keys, and the cost of a key."""

from __future__ import annotations

import random
import signal
from collections.abc import Callable

import pytest

from support.terminal import Terminal

from .conftest import OpenApp, Served
from .switching import go
from .test_everyday import write

ODD = [
    "escape",
    "tab",
    "shift+tab",
    "enter",
    "up",
    "down",
    "left",
    "right",
    "pageup",
    "pagedown",
    "home",
    "end",
]
CONTROLS = [f"ctrl+{letter}" for letter in "abdefgknoprtuwxy"]
KEYS = 250
BROKEN = [b"\xff\xfe", b"\xe6", b"\x1b[200~", b"\x1b[9999999999u", b"\x1b[<0;", b"\x1bP", b"\x1b]", b"\x1b[?"]

TYPED_BYTES = 200
SCROLLED_BYTES = 5_000


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_keys_at_random_never_end_the_app(served: Served, open_app: OpenApp, seed: int) -> None:
    chance = random.Random(seed)
    terminal = open_app(served.rc("ada"))
    letters = [chr(code) for code in range(33, 127)]
    pressed: list[str] = []
    for _ in range(KEYS):
        key = chance.choice([chance.choice(letters), chance.choice(ODD), chance.choice(CONTROLS)])
        pressed.append(key)
        terminal.press(key)
        terminal.pump(0.01)
        if chance.random() < 0.03:
            terminal.resize(chance.choice([80, 100, 120, 200]), chance.choice([24, 40, 60]))
        assert terminal.process.poll() is None, f"ended after {pressed[-30:]}:\n{terminal.text}"
    terminal.settle()
    assert terminal.process.poll() is None, f"ended after {pressed[-30:]}:\n{terminal.text}"
    terminal.signal(signal.SIGTERM)
    assert terminal.wait_end() == 128 + signal.SIGTERM
    assert terminal.left_clean() == []


def test_no_bytes_prevent_a_user_from_quitting(served: Served, open_app: OpenApp) -> None:
    terminal = open_app(served.rc("ada"))
    for broken in BROKEN:
        terminal.send(broken)
        terminal.settle(0.6)  # longer than any pause between the bytes of one key
        terminal.press("escape")
        terminal.settle(0.6)
        terminal.press("f1")
        terminal.wait_for("Keyboard shortcuts")
        terminal.press("escape")
        terminal.wait_gone("Keyboard shortcuts")
    terminal.press("ctrl+q")
    assert terminal.wait_end() == 0
    assert terminal.left_clean() == []


def test_lines_pasted_into_a_terminal_without_bracketed_paste_are_one_message(
    served: Served, open_app: OpenApp
) -> None:
    write(served, "greta", "paper", "Which paper?")
    ada = open_app(served.rc("ada"))
    go(ada, "design › paper", r"#design › paper")
    ada.press("c")
    ada.wait_for("Enter sends")
    ada.send(b"First of four\rSecond\rThird\rFourth\r")
    ada.wait_for(
        r"Ada Moreno[^\n]*\n[^\n]*First of four[^\n]*\n[^\n]*Second[^\n]*\n[^\n]*Third[^\n]*\n[^\n]*Fourth"
    )
    ada.send(b"And one\r")
    ada.wait_for(r"Fourth[^\n]*\n[^\n]*And one")


def cost_of(terminal: Terminal, key: str) -> int:
    return terminal.count_bytes(lambda: terminal.press(key), quiet=0.3)


def test_a_typed_key_and_a_scrolled_line_cost_few_bytes_and_idling_none(
    served: Served, open_app: OpenApp, record_property: Callable[[str, object], None]
) -> None:
    terminal = open_app(served.rc("greta"))
    terminal.settle()
    terminal.press("c")
    terminal.settle()
    terminal.press("ctrl+k")  # valid in whichever field has the cursor
    terminal.press("escape", "escape")
    terminal.settle()

    scrolled = [cost_of(terminal, "k") for _ in range(6)]
    terminal.press("x")
    terminal.settle()
    terminal.type("Ada Moreno")
    terminal.press("tab", "tab")
    terminal.settle()
    terminal.type("A first word. ")
    terminal.settle()
    typed = [cost_of(terminal, letter) for letter in "mast heater"]
    terminal.press("escape")
    terminal.settle()
    # typing indicators in the demo expire now and then: only the time between them is idle
    is_quiet = any(terminal.count_bytes(lambda: terminal.settle(1.0)) == 0 for _ in range(8))

    record_property("typed", typed)
    record_property("scrolled", scrolled)
    assert sorted(typed)[len(typed) * 9 // 10] <= TYPED_BYTES, typed
    assert sorted(scrolled)[len(scrolled) // 2] <= SCROLLED_BYTES, scrolled
    assert is_quiet
