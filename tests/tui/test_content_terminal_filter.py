"""The last filter before the terminal."""

import re

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from narrowcast.terminal.terminal_filter import TerminalFilter


@pytest.mark.parametrize(
    "sequence",
    [
        "\x1b[?1049h", "\x1b[?25l", "\x1b[?1003h", "\x1b[?2026$p", "\x1b[?2026h", "\x1b[>1u", "\x1b[<u",
        "\x1b[12;40H", "\x1b[2J", "\x1b[K", "\x1b[6n", "\x1b[c", "\x1b[16t", "\x1b]52;c;aGk=\x07",
        "\x1b]22;pointer\x07", "\x1b]2;Narrowcast\x07", "\n", "\r", "\x07",
    ],
)  # fmt: skip
def test_what_the_app_itself_uses_passes(sequence: str) -> None:
    assert TerminalFilter()(sequence).removeprefix("\x1b[m") == sequence


@pytest.mark.parametrize(
    "sequence",
    [
        "\x1b]52;p;aGk=\x07", "\x1b]52;c;?\x07", "\x1b]8;;http://x\x1b\\", "\x1b]0;a\x9bb\x07", "\x1b[21t", "\x1b[5i",
        "\x1bP+q544e\x1b\\", "\x1b_Gf=100;AAAA\x1b\\", "\x1bPq#0~\x1b\\", "\x1bc", "\x1b7", "\x1b", "\x08", "\x00",
        "\x9b31m", "\u202e", "\u200b", "\x1b]1337;File=:AAAA\x07", "\x1b[>4;2m", "\x1b[?1049", "\x1b]52;c;aGk=",
        "\x1b[200~", "\x1b[3;1;1;1r", "\x0e",
    ],
)  # fmt: skip
def test_sequences_that_only_an_attack_would_use_do_not_pass(sequence: str) -> None:
    gate = TerminalFilter()
    shown = gate(f"before{sequence}")
    assert "\x1b" not in shown
    assert not re.search("[\x00-\x06\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u202e]", shown)
    assert gate.dropped


def test_links_pass_only_to_addresses_of_the_web_and_with_an_id() -> None:
    link = "\x1b]8;id=1f;https://x.example/a%20b?c=d;e#f\x1b\\text\x1b]8;;\x1b\\"
    assert TerminalFilter()(link) == link
    for address in (
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://x.example/a b",
        "https://\u202e",
        "",
    ):
        assert "\x1b]8;id" not in TerminalFilter()(f"\x1b]8;id=1f;{address}\x1b\\text")


def test_pictures_pass_only_while_they_are_shown() -> None:
    gate = TerminalFilter(graphics=True)
    assert gate("\x1bPq#0~\x1b\\") == "\x1bPq#0~\x1b\\"
    assert gate("\x1b_Ga=T;AAAA\x1b\\") == "\x1b_Ga=T;AAAA\x1b\\"


STYLES = [
    "",
    "bold",
    "dim italic",
    "red",
    "on blue",
    "#aabbcc on #112233",
    "bold underline color(200)",
    "reverse",
]
RUNS = st.lists(
    st.tuples(st.sampled_from(["ab", "c d", "漢", "é", "   "]), st.sampled_from(STYLES)), max_size=12
)


def written(runs: list[tuple[str, str]]) -> str:
    console = Console(color_system="truecolor", force_terminal=True)
    return Strip([Segment(text, Style.parse(style)) for text, style in runs]).render(console)


@given(st.lists(RUNS, max_size=4))
def test_shortened_sequences_look_the_same(lines: list[list[tuple[str, str]]]) -> None:
    raw = "".join(f"\x1b[{row};1H{written(runs)}" for row, runs in enumerate(lines, 1))
    screens = []
    gate = TerminalFilter()
    lean = gate(raw)
    for data in (raw, lean):
        screen = pyte.Screen(80, 5)
        pyte.Stream(screen).feed(data)
        screens.append([[screen.buffer[y][x] for x in range(80)] for y in range(5)])
    assert screens[0] == screens[1]
    assert len(lean) <= len(raw) + 8
    assert not gate.dropped


@given(
    st.text(
        alphabet=st.sampled_from("\x1b[]P_\\;?0125hlmuHJKcnt$<>=q ab\x07\x9b\x90\n\u202e\x00"), max_size=60
    )
)
def test_no_mixture_of_sequences_gets_through(text: str) -> None:
    shown = TerminalFilter()(text)
    rest = re.sub(
        r"\x1b\[[\d;]*m|\x1b\[[?<>=]?[\d;]*[ $]?[A-Za-z]|\x1b\](52;c|22|0|2);[^\x1b\x07]*(\x07|\x1b\\)",
        "",
        shown,
    )
    assert "\x1b" not in rest
    assert not re.search("[\x00-\x06\x08\x0b-\x0c\x0e-\x1f\x7f-\x9f\u202e]", rest)


def test_without_colours_a_bright_ground_is_reversed_and_the_rest_stays() -> None:
    plain = TerminalFilter(colours=False)
    written = plain(
        "\x1b[1;38;5;252;48;5;235ma\x1b[0m\x1b[38;2;1;2;3;48;2;250;250;250mb\x1b[0m\x1b[37;41mc\x1b[0m\x1b[30;107;4md"
    )
    assert written == "\x1b[1ma\x1b[;7mb\x1b[mc\x1b[4;7md"
    plain.forget()
    assert plain("\x1b[0;31me") == "\x1b[me"
