"""Whatever a server renders: each visible character of it is shown, in order, within the width."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from selectolax.lexbor import LexborHTMLParser

from narrowcast.content.blocks import Mention
from narrowcast.content.inlines import Inliner
from narrowcast.content.layout import Layout
from narrowcast.content.palette import Palette
from narrowcast.content.reader import parse
from narrowcast.text.safe_text import safe_line
from support.captures import captures, needs_recordings
from support.content_examples import EXAMPLES
from support.properties import examples

ROOT = (
    '<span class="katex"><span class="katex-mathml"><math><semantics><msqrt><mi>x</mi></msqrt>'
    '<annotation encoding="application/x-tex">\\sqrt{x}</annotation></semantics></math></span>'
    '<span class="katex-html" aria-hidden="true"><svg><path d="M95,702"/></svg></span></span>'
)
SHAPES = {
    "a preview with words of its own": '<div class="message_inline_ref"><a href="https://x.example/s" title="Plans">'
    '<img src="/p.png"></a><div><div class="message_inline_image_title">Plans</div><i>for the mast</i></div></div>',
    "a card with more than title and description": '<div class="message_embed"><div class="data-container">'
    '<div class="message_embed_title">Wren</div><div class="message_embed_description">A bird</div>'
    "<b>small</b></div></div>",
    "a card without a title": '<div class="message_embed"><div class="message_embed_description">A bird</div></div>',
    "a quoted post": '<div class="inline-preview-twitter"><p><a href="https://x.example/@a">@a</a> meets</p>'
    "<span>- Ada (@a)</span></div>",
    "text loose in a spoiler": '<div class="spoiler-block"><div class="spoiler-header"><p>one</p></div>two'
    '<div class="spoiler-content"><p>three</p></div></div>',
    "a table with a caption": "<table><caption>Prices</caption><tr><td>mast</td><td>84</td></tr></table>",
    "things in cells": '<table><tr><td>see <img class="inline-image" alt="wren" src="/w.png"></td><td><ul><li>a</li>'
    "<li>b</li></ul></td><td><p>c</p><p>d</p></td></tr></table>",
    "definitions and details": "<dl><dt>term</dt><dd>meaning</dd></dl><details><summary>short</summary>long</details>",
    "code in bold": "<b>see <pre>a  b\n  c</pre> there</b>",
    "elements nobody knows": "<x-thing>kept <u>all</u></x-thing><button>press</button><kbd>Ctrl</kbd>",
    "formula between words": f'<p>before <span class="katex-display">{ROOT}</span> between '
    f'<span class="katex-display">{ROOT}</span> after</p>',
    "a hundred and twenty roots": f"<blockquote><p>{ROOT * 120} end</p></blockquote>",
    "loose paragraphs in a list": "<ol start='9'><li><p>one</p><p>two</p></li><li><p>three</p></li></ol>",
    "a failed formula": '<p><span class="katex-error" title="ParseError">\\foo{</span></p>',
    "a long cell": f"<table><tr><td>{'many words ' * 60}</td><td>b</td></tr></table>",
}
CASES = SHAPES | {example.name: example.html for example in EXAMPLES if not example.pan}


SAID = re.compile(r"(<p><span [^>]*\bsilent\b[^>]*>[^<]*</span>) <a [^>]*>[^<]*</a>:</p>(\s*<blockquote>)")


class Nobody:
    """Resolves no names, so that those in the HTML are shown."""

    def user(self, user_id: int) -> str | None:
        return None

    def group(self, group_id: int) -> str | None:
        return None

    def channel(self, channel_id: int) -> str | None:
        return None

    def is_own(self, mention: Mention) -> bool:
        return False

    def moment(self, at: float) -> str:
        return "now"


def screen(html: str, width: int) -> list[str]:
    layout = Layout(Inliner(Palette(), Nobody()), 1, frozenset(range(50)))
    lines = layout.render(parse(html), None, width, 3_000).lines
    return ["".join(run.text for run in line.runs).rstrip() for line in lines]


def visible(html: str) -> str:
    """The text of `html` except for what is shown in another form: formulas, times, emoji by their code, and the words
    between the author of a quoted message and the quote, for which an arrow stands.
    """
    html = SAID.sub(r"\1</p>\2", html)
    body = LexborHTMLParser("<body>" + html).body
    assert body is not None
    for node in body.css("span.katex, time, span.emoji, script, style"):
        if node.tag != "span" or re.search("emoji-[0-9a-f]|katex", node.attributes.get("class") or ""):
            node.decompose()
    return squeezed(body.text(deep=True))


def squeezed(text: str) -> str:
    return re.sub(r"\s", "", safe_line(text))


def lost(html: str, width: int) -> str:
    """The characters that are missing on the screen; '' if none is."""
    wanted, lines = visible(html), screen(html, width)
    assert all(cell_len(line) <= width for line in lines)
    shown = squeezed("".join(lines))
    if "<td" in html:  # the cells of a row share lines
        missing = Counter(wanted) - Counter(shown)
        return "".join(missing.elements())
    place = 0
    for number, character in enumerate(wanted):
        place = shown.find(character, place) + 1
        if place == 0:
            return wanted[number:]
    return ""


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("name", CASES)
def test_no_visible_character_is_lost(name: str, width: int) -> None:
    if name == "table wider than the screen" and width == 40:
        pytest.skip("this one is panned")
    assert lost(CASES[name], width) == ""


@needs_recordings
@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_visible_character_of_a_real_server_is_lost(width: int) -> None:
    folder = captures()
    assert folder is not None
    recorded = set[str]()
    for path in sorted(folder.rglob("*.json")):
        recorded.update(_contents(json.loads(path.read_bytes())))
    assert recorded
    for html in recorded:
        assert lost(html, width) == "", html


def _contents(value: object) -> Iterator[str]:
    """Every rendered content in a response or event."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in ("content", "rendered_content") and isinstance(inner, str):
                if inner.startswith("<"):
                    yield inner
            else:
                yield from _contents(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _contents(inner)


WORDS = st.text("abcdefgh漢", min_size=1, max_size=8)
INLINE = st.recursive(
    WORDS,
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{' '.join(parts)}</{tag.split()[0]}>",
        st.sampled_from(
            ["strong", "em", "del", "code", "a href='/x'", "span", "u", "span class='user-mention'"]
        ),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=6,
)
BLOCKS = st.recursive(
    st.lists(INLINE, min_size=1, max_size=4).map(lambda parts: f"<p>{' '.join(parts)}</p>"),
    lambda inner: st.builds(
        lambda tags, parts: f"{tags[0]}{''.join(parts)}{tags[1]}",
        st.sampled_from(
            [
                ("<blockquote>", "</blockquote>"),
                ("<ul><li>", "</li></ul>"),
                ("<div class='spoiler-block'><div class='spoiler-content'>", "</div></div>"),
                ("<div class='new-thing'>", "</div>"),
                ("<b>", "</b>"),
                ("<div class='message_inline_image'>", "</div>"),
            ]
        ),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=8,
)


@examples(150)
@given(st.lists(BLOCKS, min_size=1, max_size=4).map("\n".join), st.sampled_from([40, 80]))
def test_no_character_is_lost_in_any_nesting(html: str, width: int) -> None:
    assert lost(html, width) == ""


def test_blanks_in_code_within_a_line_are_kept() -> None:
    assert screen("<p>run <code>a   b</code></p>", 40) == ["run a   b"]


def test_a_formula_on_its_own_stands_where_it_was_written() -> None:
    assert screen(SHAPES["formula between words"], 40) == ["before", "  √x", "between", "  √x", "after"]


def test_a_video_elsewhere_is_a_video() -> None:
    link = '<a href="https://v.example/7" title="Wind"><img src="/t"></a>'
    assert screen(f'<div class="vimeo-video message_inline_image">{link}</div>', 40) == ["▶ Wind  video"]


def test_a_table_says_what_it_leaves_out() -> None:
    row = "<tr><td>x</td></tr>"
    assert screen(f"<table>{row * 2_003}</table>", 60)[-1] == "… 3 more rows: y copies the source"
    assert screen(f"<table>{row * 2_001}</table>", 60)[-1] == "… 1 more row: y copies the source"
    assert any(line.startswith("… longer") for line in screen("<table><tr>" + "<td>x</td>" * 60, 40))


def test_words_of_joining_letters_are_not_broken_where_there_is_room() -> None:
    word = "हिन्दी"  # 3 columns in a terminal that shapes it, otherwise 5
    assert screen(f"<table><tr><td>{word}</td><td>x</td></tr></table>", 40) == [f"{word}    x"]
    code = f'<div class="codehilite" data-code-language="Python"><pre><code>{word}</code></pre></div>'
    assert screen(code, 20) == [f"│ {word}       Python"]
