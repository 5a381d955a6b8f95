"""How content looks where there are colors: blocks of code on a ground, polls with bars, quotes with their author."""

from __future__ import annotations

import pytest
from rich.cells import cell_len
from rich.style import Style

from narrowcast.content.inlines import Inliner, TargetKind
from narrowcast.content.layout import Layout, Rendered
from narrowcast.content.palette import Palette
from narrowcast.content.polls import Poll, PollOption
from narrowcast.content.reader import parse
from narrowcast.content.wrapping import Line
from narrowcast.text.safe_text import safe_line
from tui.test_content_kinds import Names

GROUND = Style(bgcolor="#181d24")
MUTED = Style(color="#98a2ae")
COLORED = Palette(block=GROUND, dim=MUTED)


def render(html: str, width: int = 40, palette: Palette = COLORED) -> Rendered:
    return Layout(Inliner(palette, Names()), 1).render(parse(html), None, width, 60)


def poll(width: int, *options: PollOption) -> list[str]:
    layout = Layout(Inliner(COLORED, Names()), 1)
    return [
        text(line)
        for line in layout.render(parse(""), Poll(safe_line("Where?"), [*options]), width, 60).lines
    ]


def text(line: Line) -> str:
    return "".join(run.text for run in line.runs).rstrip()


def code(source: str, language: str = "") -> str:
    named = f' data-code-language="{language}"' if language else ""
    return f'<div class="codehilite"{named}><pre><span></span><code>{source}\n</code></pre></div>'


def test_code_stands_on_a_ground_as_wide_as_its_longest_line_with_its_language_and_key() -> None:
    lines = render(code("a = 1\nlonger = 2", "Python")).lines
    assert [text(line) for line in lines] == ["  Python  y copy", "  a = 1", "  longer = 2"]
    assert len({sum(cell_len(run.text) for run in line.runs) for line in lines}) == 1
    assert all(run.style.bgcolor == GROUND.bgcolor for line in lines for run in line.runs)


def test_of_a_block_of_code_only_the_code_is_copied() -> None:
    for line, copied in zip(render(code("a = 1\n  b", "C")).lines, ("", "a = 1", "  b"), strict=True):
        bars = sum(run.bar for run in line.runs)
        assert "".join(run.text for run in line.runs[bars : len(line.runs) - line.tail]) == copied


@pytest.mark.parametrize("width", [12, 20, 40, 120])
def test_no_row_of_code_is_wider_than_the_text(width: int) -> None:
    for line in render(code("x = 1; " * 40 + "\nshort", "JavaScript"), width).lines:
        assert sum(cell_len(run.text) for run in line.runs) <= width


def test_quoted_text_is_muted_and_its_author_is_not() -> None:
    html = (
        '<p><span class="user-mention silent" data-user-id="2">Bruno Castell</span> '
        '<a href="#narrow/channel/5-design/topic/x/near/7">said</a>:</p>'
        "<blockquote><p>It took the whole of the afternoon.</p></blockquote>"
    )
    rendered = render(html)
    author, quoted = rendered.lines
    assert author.runs[1].text == "Bruno Castell"
    assert author.runs[1].style.color != MUTED.color
    assert quoted.runs[1].style.color == MUTED.color
    assert [target.kind for target in rendered.targets] == [TargetKind.USER, TargetKind.LINK]


def test_a_paragraph_that_only_ends_with_a_colon_stays_above_its_quote() -> None:
    shown = render("<p>Greta said:</p><blockquote><p>No.</p></blockquote>").lines
    assert [text(line) for line in shown] == ["Greta said:", "▎ No."]


def test_a_blank_row_divides_a_list_from_the_paragraph_below_it_and_from_none_above() -> None:
    shown = render("<p>Try:</p><ol><li>soup</li><li>bread</li></ol><p>Or both.</p>").lines
    assert [text(line) for line in shown] == ["Try:", "1. soup", "2. bread", "", "Or both."]


def test_a_poll_shows_the_share_of_each_option_and_the_own_choice() -> None:
    ridge = PollOption("canned,0", safe_line("The ridge"), [2, 3])
    garden = PollOption("canned,1", safe_line("Bruno's garden"), [1, 2, 3, 4])
    assert poll(70, ridge, garden) == [
        "Where?  poll · 6 votes",
        "○ The ridge       ━━━━━━━━─────────  2  Bruno Castell, user 3",
        "◉ Bruno's garden  ━━━━━━━━━━━━━━━━━  4  you, Bruno Castell, user 3, u…",
    ]


@pytest.mark.parametrize("width", [16, 24, 40, 80])
def test_a_poll_fits_whatever_its_options_and_names(width: int) -> None:
    option = PollOption(
        "canned,0", safe_line("an option that is longer than most of the rows here are"), [1, 2]
    )
    lines = poll(width, option, PollOption("canned,1", safe_line("b"), []))
    assert all(cell_len(line) <= width for line in lines)
    assert "an option that is longer" in " ".join(" ".join(lines).split())
