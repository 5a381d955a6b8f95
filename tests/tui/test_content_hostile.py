"""Malicious messages: whatever they contain, the first rows render at once, complete and harmless."""

from __future__ import annotations

import time
from dataclasses import dataclass

import pytest

from narrowcast.content.bounds import MAX_ROWS
from narrowcast.content.reader import parse
from narrowcast.panes.messages.row_values import FIRST_ROWS, Expansion, RowContext, Rows
from narrowcast.panes.messages.rows import RowMaker
from narrowcast_api.model.messages import Reaction
from support.message_views import ListApp, message

CPU_SECONDS = 0.4
"""Several times the cost of each on an idle machine, and a small part of its cost without limits."""

_ZALGO = "".join(chr(0x300 + number) for number in range(60))
_SPOILER = "<div class='spoiler-block'><div class='spoiler-header'><p>h</p></div><div class='spoiler-content'><p>x</p>"
_TEX = (
    "<span class='katex'><annotation encoding='application/x-tex'>\\frac{%d}{x^{y_{z}}}</annotation></span> "
)


def _table(columns: int, rows: int, cell: str = "c d") -> str:
    return "<table><tbody>" + ("<tr>" + f"<td>{cell}</td>" * columns + "</tr>") * rows + "</tbody></table>"


@dataclass(frozen=True)
class Hostile:
    """HTML that is expensive to parse, to wrap, or to draw."""

    name: str
    html: str


HOSTILE = [
    Hostile("a megabyte of words", f"<p>{'word ' * 200_000}</p>"),
    Hostile("a word of 100,000 letters", f"<p>{'x' * 100_000}</p>"),
    Hostile("100,000 wide characters", f"<p>{'漢' * 100_000}</p>"),
    Hostile("100,000 joined emoji", f"<p>{'👩‍🚀' * 100_000}</p>"),
    Hostile("one emoji of 100,000 joins", f"<p>👩{chr(0x200D) + '👩' * 100_000}</p>"),
    Hostile("nothing but joiners", f"<p>{chr(0x200D) * 300_000}</p>"),
    Hostile("marks upon marks", f"<p>{('a' + _ZALGO) * 5_000}</p>"),
    Hostile("300,000 marks on one letter", f"<p>a{chr(0x301) * 300_000}</p>"),
    Hostile("direction overrides", f"<p>{(chr(0x202E) + 'abc' + chr(0x2066)) * 40_000}</p>"),
    Hostile("10,000 elements deep", "<div>" * 10_000 + "x" + "</div>" * 10_000),
    Hostile("20,000 open elements", "<b>" * 20_000 + "x"),
    Hostile("many deep lists", ("<ul><li>" * 40 + "x" * 200 + "</li></ul>" * 40) * 100),
    Hostile("a table of 200 x 2,000", _table(200, 2_000, "c")),
    Hostile("a table of 40 x 240", _table(40, 240)),
    Hostile("a table of 4 x 1,900", _table(4, 1_900)),
    Hostile("cells of 10,000 words", _table(5, 1, "word " * 10_000)),
    Hostile("controls and nulls", "<p>a\0b\x1b[2J\x9b31m&#0;&#27;]52;c;eA==&#7;</p>" * 1_000),
    Hostile("tags that nobody knows", "<foo bar='1'><baz>text</baz></foo>" * 4_900),
    Hostile("broken HTML", "<p><b><i></p></b><table><tr><p><td></table></p><<<>>><a href='x<y'>" * 3_000),
    Hostile("line breaks", "<br>" * 19_000),
    Hostile("paragraphs", "<p>x</p>" * 9_900),
    Hostile("links", "<p>" + "<a href='https://e.example/'>l</a> " * 9_900 + "</p>"),
    Hostile("spoilers", (_SPOILER + "</div></div>") * 2_000),
    Hostile("spoilers in spoilers", _SPOILER * 30),
    Hostile(
        "pictures", "<div class='message_inline_image'><a href='/a'><img src='/a.png'></a></div>" * 4_900
    ),
    Hostile("lines of code", f"<pre><code>{'code' + chr(10)}" * 20_000 + "</code></pre>"),
    Hostile("one line of code", f"<pre><code>{'x=1;' * 70_000}</code></pre>"),
    Hostile("tokens of code", "<pre><code>" + "<span class='k'>if</span> " * 9_900 + "</code></pre>"),
    Hostile("formulas", "<p>" + "".join(_TEX % number for number in range(3_000)) + "</p>"),
    Hostile("mentions", "<p>" + "<span class='user-mention' data-user-id='3'>@x</span> " * 6_000 + "</p>"),
    Hostile("items", "<ol start='999999999999999'>" + "<li>x</li>" * 9_900 + "</ol>"),
]


async def _rows(
    html: str, shape: Expansion, width: int = 80, **fields: object
) -> tuple[Rows, RowMaker, float]:
    """The rows of a message, their maker, and the CPU seconds that rendering took."""
    app = ListApp([])
    async with app.run_test(size=(width, 24)):
        maker = app.list.rows.maker(app.feed)
        begun = time.process_time()
        rows = maker.message(message(1, html, **fields), RowContext(), shape)
        return rows, maker, time.process_time() - begun


def _is_harmless(rows: Rows, maker: RowMaker) -> bool:
    """Whether all rows are as wide as the list and contain no characters that a terminal interprets."""
    text = "".join(segment.text for row in rows.rows for segment in row.strip)
    return all(row.strip.cell_length == maker.width for row in rows.rows) and not any(
        ord(one) < 32 or 127 <= ord(one) < 160 or one in "\u202e\u2066\u200b" for one in text
    )


@pytest.mark.parametrize("hostile", HOSTILE, ids=lambda one: one.name)
async def test_the_first_rows_of_a_hostile_message_are_there_at_once(hostile: Hostile) -> None:
    rows, maker, seconds = await _rows(hostile.html, Expansion())
    assert seconds < CPU_SECONDS
    assert len(rows.rows) <= FIRST_ROWS + 3
    assert _is_harmless(rows, maker)


@pytest.mark.parametrize("width", [20, 200])
@pytest.mark.parametrize("hostile", HOSTILE[5:14:4] + HOSTILE[16:], ids=lambda one: one.name)
async def test_all_of_a_hostile_message_can_be_asked_for(hostile: Hostile, width: int) -> None:
    rows, maker, _ = await _rows(hostile.html, Expansion(rows=600), width)
    assert len(rows.rows) <= 603
    assert _is_harmless(rows, maker)


def test_more_is_read_when_more_rows_are_asked_for_and_at_last_all() -> None:
    html = "<p>x</p>" * 9_900
    counts = [len(parse(html, rows).blocks) for rows in (60, 600, MAX_ROWS)]
    assert counts[0] < counts[1] <= counts[2] == 9_900
    assert [parse(html, rows).more for rows in (60, 600, MAX_ROWS)] == [True, True, False]
    assert parse("<p>" + "word " * 200_000 + "</p>").cut


def test_an_ordinary_long_message_is_read_whole_at_once() -> None:
    emoji = '<span aria-label="+1" class="emoji emoji-1f44d" role="img" title="+1">:+1:</span>'
    for html in (
        f"<p>{'word ' * 2_000}</p>",
        f"<p>{emoji * 1_000}</p>",
        "<p>line<br>" + "line<br>" * 700 + "</p>",
    ):
        assert not parse(html, FIRST_ROWS).more


async def test_five_thousand_reactions_take_a_few_rows() -> None:
    reactions = tuple(
        Reaction(f"name{number % 900}", f"1f{number % 900:03x}", "unicode_emoji", number)
        for number in range(5_000)
    )
    rows, maker, seconds = await _rows("<p>liked</p>", Expansion(), reactions=reactions)
    assert seconds < CPU_SECONDS
    assert len(rows.rows) < 20
    assert _is_harmless(rows, maker)


@pytest.mark.parametrize(
    "name", ["x" * 100_000, "a\n\x1b[2J" * 100, "漢" * 5_000, _ZALGO * 100, "\u202e" * 50, ""]
)
async def test_names_of_any_length_keep_to_their_row(name: str) -> None:
    sender = {"sender_name": name, "sender_id": 999}
    for fields in (sender, {"topic": name}, {**sender, "is_me_message": True}):
        app = ListApp([])
        async with app.run_test(size=(60, 24)):
            maker = app.list.rows.maker(app.feed)
            rows = maker.message(
                message(1, "<p>hello</p>", **fields), RowContext(conversation=True), Expansion()
            )
            assert len(rows.rows) < 8
            assert _is_harmless(rows, maker)
            assert "hello" in rows.rows[-1].strip.text
