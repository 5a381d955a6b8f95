"""Sources meant to harm readers or to cost the server time."""

import re
import time
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from narrowcast_server.markdown import LinkPattern, NoLookups, render
from support.properties import examples

LENGTH = 10_000
CONTEXT = NoLookups(
    linkifiers=(
        LinkPattern(r"#(?P<id>[0-9]{2,8})", "https://tracker.example/t/{id}"),
        LinkPattern(r"(?P<x>(a+)+)$", "https://tracker.example/{x}"),
        LinkPattern(r"go/(?P<x>[^ ]+)", "https://tracker.example/{x}"),
    )
)
TIMES_ORDINARY = 12
"""How many times the time of ordinary text any other text of its length may take, whatever the machine."""
ORDINARY = "Some *words* with `code`, **more** of it and https://example.com/a\n"

UNITS = [
    *(
        "[",
        "![",
        "[a](",
        "[a](b)",
        "[](",
        "]",
        "*a ",
        "**a*",
        "~~a",
        "`a``b",
        "`",
        "<a",
        "<time:",
        "&amp;",
        "\\",
    ),
    *(
        "> ",
        "> > > > > a\n",
        "- - - - ",
        "* a\n  ",
        "-\n",
        "1. ",
        "# a\n",
        "\n",
        "|a",
        "|a|b|\n",
        "|-",
        "---\n",
    ),
    *("http://", "http://a.b ", "http://a.b/(", "a.", "a.b ", "a@b.co ", "a@", ":a", ":smile:", "🎉", "👨‍👩‍"),
    *("@**a", "@**a** ", "@*a", "#**a", "#**a>b", "$$a", "$$a$$", "#12 ", "a", "aaaaaaaaaaaaaaaaaa! "),
    *(
        "```\n",
        "```quote\n",
        "```spoiler a\n",
        "~~~~math\n",
        "```py\n((((\n```\n",
        "https://youtu.be/dQw4w9WgXcQ ",
    ),
]
PLACEHOLDER = re.compile("klzzwxh|wzxhzdk")
"""Placeholders that the Markdown library puts in place of matched text."""


def cpu_seconds(source: str) -> float:
    """The CPU time of one rendering."""
    start = time.process_time()
    render(source, CONTEXT)
    return time.process_time() - start


@cache
def most_seconds() -> float:
    """The processor time that a text of the greatest length may take."""
    ordinary = (ORDINARY * LENGTH)[:LENGTH]
    return TIMES_ORDINARY * min(cpu_seconds(ordinary) for _ in range(5))


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    """Excludes tables and parsers that are built at first use from the measurements."""
    render("🎉 www.example.com #12\n```py\nx\n```", CONTEXT)


@pytest.mark.parametrize("unit", UNITS)
def test_ten_thousand_repeated_characters_are_rendered_quickly(unit: str) -> None:
    source = (unit * LENGTH)[:LENGTH]
    assert min(cpu_seconds(source) for _ in range(2)) < most_seconds()


def test_deeply_nested_lists_are_rendered_quickly() -> None:
    source = "".join(" " * depth + "- a\n" for depth in range(140))
    assert cpu_seconds(source) < most_seconds()


@pytest.mark.parametrize("unit", ["(a.co/(", "a.a."])
def test_nested_urls_are_rendered_quickly(unit: str) -> None:
    word = unit * (1975 // len(unit)) + "?" * 20
    assert cpu_seconds(f"{word} " * 25) < most_seconds()


def test_deep_brackets_around_a_link_are_rendered_quickly() -> None:
    assert cpu_seconds("[" * 3000 + "a" + "](b)" * 1700) < most_seconds()


@pytest.mark.parametrize(
    "source",
    [
        "> " * 60 + "deep",
        "\n".join("  " * step + "- step" for step in range(30)) + " deep",
        "> - " * 30 + "deep",
    ],
    ids=["quotes", "lists", "both"],
)
def test_too_deeply_nested_text_is_kept_as_plain_text(source: str) -> None:
    assert "deep" in render(source, CONTEXT).html


def test_the_size_of_rendered_html_is_bounded() -> None:
    for unit in UNITS:
        assert len(render((unit * LENGTH)[:LENGTH], CONTEXT).html) < 60 * LENGTH


LONG_RESULTS = {
    "a wide table": "|a" * 600 + "\n" + "|-" * 600 + "\n" + "|\n" * 3000,
    "many tables": ("|" * 41 + "\n" + "|:-" * 40 + "\n" + "|\n" * 40 + "\n") * 40,
    "formulas": "```math\n" + "x\n\n" * 3300,
}


@pytest.mark.parametrize("source", LONG_RESULTS.values(), ids=LONG_RESULTS)
def test_a_short_text_does_not_become_enormous_html(source: str) -> None:
    source = source[:LENGTH]
    assert cpu_seconds(source) < most_seconds()
    assert len(render(source, CONTEXT).html) < 60 * LENGTH


def test_a_long_table_stays_a_table() -> None:
    html = render("|a|b|c|\n|-|-|-|\n" + "|1|2|3|\n" * 1_200, CONTEXT).html
    assert html.count("<td>") == 3_600


HARMFUL = [
    '"><h5>',
    "<h5>`<h5>`",
    "$$<h5>$$",
    "$$a`a`a$$ ",
    "<time:<h5>>",
    '<img class="harm" src=x>',
    "![`a`](/user_uploads/1/a.mp3)",
    "[a]($$a$$)",
    "[a](javascript:a)",
    "[a](java\nscript:a)",
    "[a](<data:a>)",
    '[a](b "$$a$$")',
    " https://a.b/`a`",
    " go/$$a$$ ",
]
"""Text that must not become an element, an attribute or a URL. No other source here produces an h5."""
hostile_sources = st.lists(st.sampled_from(UNITS + HARMFUL) | st.text(max_size=8), max_size=400).map("".join)


@examples(60)
@given(hostile_sources)
def test_any_markup_is_rendered_quickly_with_known_elements_only(source: str) -> None:
    start = time.process_time()
    html = render(source, CONTEXT).html
    assert time.process_time() - start < most_seconds()
    tree = LexborHTMLParser(html)
    assert not tree.css("script, style, iframe, object, svg, form, input, link, meta, h5, .harm")
    for node in tree.css("*"):
        assert not any(name.startswith("on") for name in node.attrs)
        address = node.attrs.get("href") or node.attrs.get("src") or ""
        assert not address.strip().lower().startswith(("javascript:", "data:"))
    assert not PLACEHOLDER.search(html)


@examples(100)
@given(st.text(max_size=300))
def test_rendering_any_text_keeps_its_words(text: str) -> None:
    html = render(f"before {text}", CONTEXT).html
    assert "before" in html


@pytest.mark.parametrize(
    "source",
    ["\ud800 x", "[a](\ud800)", "http://\udfff.com", "\x00\x1b[31m", "http://[::1", "[x](http://[)", "\r"],
)
def test_no_source_raises_an_error(source: str) -> None:
    render(source, CONTEXT).html.encode()


@pytest.mark.parametrize(
    "source",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](data:text/html,<script>)",
        "![x](javascript:alert(1))",
        "<javascript:alert(1)>",
        '[x](https://a.example"onmouseover="alert(1))',
        '```py"><script>\nx\n```',
        '```spoiler "><script>\nx\n```',
        "$$<script>$$",
        "<time:<script>>",
        ':"><script>:',
        '#**"><script>**',
        "[&#x6A;avascript](&#x6A;avascript:alert(1))",
    ],
)
def test_no_script_passes_the_sanitizer(source: str) -> None:
    html = render(source, CONTEXT).html
    assert "<script" not in html
    assert not re.search(r"<[^>]*\son\w+\s*=", html)
    assert not re.search(r'(?:href|src)="\s*(?:javascript|data|vbscript):', html, re.IGNORECASE)
