"""Every kind of content, at several widths, and unexpected content."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from narrowcast.content.blocks import Mention, MentionKind
from narrowcast.content.inlines import Inliner, TargetKind
from narrowcast.content.layout import Layout, Rendered
from narrowcast.content.palette import Palette
from narrowcast.content.reader import parse
from narrowcast_server.markdown import NoLookups
from narrowcast_server.markdown import render as render_markdown
from support.content_examples import EXAMPLES, ContentExample
from support.properties import examples

MARKED = [example for example in EXAMPLES if example.markdown]


class Names:
    """Names as the user Ada sees them."""

    def user(self, user_id: int) -> str | None:
        return {1: "Ada Moreno", 2: "Bruno Castell"}.get(user_id)

    def group(self, group_id: int) -> str | None:
        return {17: "field crew"}.get(group_id)

    def channel(self, channel_id: int) -> str | None:
        return {5: "design"}.get(channel_id)

    def is_own(self, mention: Mention) -> bool:
        return mention.kind is not MentionKind.USER or mention.id == 1

    def moment(self, at: float) -> str:
        return "Fri 20 Nov 2026, 10:00"


def render(html: str, width: int = 40, rows: int = 60, **options: object) -> Rendered:
    layout = Layout(Inliner(Palette(), Names()), 1, **options)  # type: ignore[arg-type]  # options of Layout
    return layout.render(parse(html), None, width, rows)


def screen(rendered: Rendered) -> str:
    return "\n".join("".join(run.text for run in line.runs).rstrip() for line in rendered.lines)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_a_kind_of_content_reads_as_it_should(example: ContentExample) -> None:
    assert screen(render(example.html, opened=example.opened, pan=example.pan)) == example.screen


@pytest.mark.parametrize("width", [12, 40, 80, 120])
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_a_kind_of_content_fits_and_loses_no_word(example: ContentExample, width: int) -> None:
    rendered = render(example.html, width, 500, opened=example.opened, pan=example.pan)
    for line in screen(rendered).split("\n"):
        assert cell_len(line) <= width
    if width >= 40 and "table" not in example.name:
        narrow = re.sub(r"[│▎┆\s]", "", screen(rendered)).replace("─", "")
        assert narrow.replace("Python", "") == re.sub(r"[│▎┆\s─]", "", example.screen).replace("Python", "")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_what_can_be_followed_is_marked_where_it_is_shown(example: ContentExample) -> None:
    rendered = render(example.html, opened=example.opened)
    runs = [run for line in rendered.lines for run in line.runs]
    marked = {run.style.meta["target"] for run in runs if "target" in run.style.meta}
    assert marked <= set(range(len(rendered.targets)))
    if "table" not in example.name:
        assert marked == set(range(len(rendered.targets)))


def test_mentions_of_the_current_user_look_different_from_others() -> None:
    mentions = next(example for example in EXAMPLES if example.name == "mentions")
    palette = Palette()
    runs = [run for line in render(mentions.html).lines for run in line.runs if run.text.strip()]
    own = [run.text for run in runs if run.style.reverse]
    assert own == ["@Ada Moreno", "@field crew", "@all", "@topic"]
    assert palette.own.reverse


def test_pieces_of_one_link_are_one_place_to_follow() -> None:
    rendered = render(
        '<p><a href="https://x.example/">a <strong>b</strong> <em>c</em></a> <a href="/y">d</a></p>'
    )
    links = [(target.value, target.label) for target in rendered.targets if target.kind is TargetKind.LINK]
    assert links == [("https://x.example/", "a b c"), ("/y", "d")]


def test_an_image_within_a_line_opens_the_uploaded_file_and_not_its_thumbnail() -> None:
    thumbnail = "/user_uploads/thumbnail/1/ab/wren.png/840x560.webp"
    image = f'<img class="inline-image" data-original-src="/user_uploads/1/ab/wren.png" src="{thumbnail}">'
    (target,) = render(f"<p>{image}</p>").targets
    assert (target.value, target.src, target.label) == ("/user_uploads/1/ab/wren.png", thumbnail, "wren.png")
    linked = render(f'<p><a href="https://x.example/">{image}</a></p>').targets
    assert [target.value for target in linked] == ["https://x.example/"]


def test_only_as_many_rows_are_made_as_are_asked_for() -> None:
    rendered = render("<p>" + "line<br>" * 15_000 + "</p>", rows=60)
    assert len(rendered.lines) == 60
    assert rendered.cut
    assert rendered.targets[-1].kind is TargetKind.MORE
    assert "more" in screen(rendered).split("\n")[-1]


@pytest.mark.parametrize(
    "html",
    [
        "<p>" + "a<br>" * 200_000,
        "<div>" * 100_000 + "deep",
        "<b>" * 100_000 + "deep",
        "<blockquote>" * 90 + "deep" + "</blockquote>" * 90,
        "<ul><li>" * 45 + "deep",
        "".join(f'<b id="{number}">' for number in range(90)) + "<p>x</p>" * 5_000,
        "<p>" + "w" * 2_000_000,
        "<p>" + "漢" * 500_000,
        "<table>" + "<tr>" + "<td>x</td>" * 5_000 + "</tr>",
        "<table>" + "<tr><td>x</td></tr>" * 5_000,
        "<p>" + "a" + "\u0301" * 100_000,
        '<span class="' + "emoji " * 40_000 + '">x</span>',
        "<" * 100_000,
        "&#x1f44d;" * 30_000,
        "<pre><code>" + "<span class='k'>x</span>\n" * 9_000,
    ],
    ids=range(15),
)
def test_a_bomb_is_cut_before_it_costs_anything(html: str) -> None:
    rendered = render(html, 80, 60)
    assert len(rendered.lines) <= 60


@examples(60)
@given(st.sampled_from(EXAMPLES), st.integers(0, 400), st.integers(0, 40), st.integers(6, 50))
def test_a_message_cut_or_mangled_anywhere_still_shows(
    example: ContentExample, at: int, length: int, width: int
) -> None:
    html = example.html[:at] + example.html[at + length :]
    for line in screen(render(html, width, 200)).split("\n"):
        assert cell_len(line) <= max(width, 12)


PIECES = st.sampled_from(
    [
        "<p>", "</p>", "<ul>", "<li>", "</ul>", "<ol start='-3'>", "<ol start='99999999999999999999'>", "<blockquote>",
        "</blockquote>", "<table>", "<tr>", "<td style='text-align:right'>", "<th>", "</table>", "<pre>", "<code>",
        "</pre>", "<div class='codehilite'>", "<div class='spoiler-block'>", "<div class='spoiler-header'>", "</div>",
        "<div class='spoiler-content'>", "<span class='katex'>", "<span class='katex-display'>", "</span>", "<a href>",
        "<annotation encoding='application/x-tex'>", "<a href='http://[::1'>", "<a class='stream' data-stream-id='5'>",
        "</a>", "<span class='user-mention' data-user-id='x'>", "<span class='emoji emoji-zz'>", "<img class='emoji'>",
        "<span class='emoji emoji-110000'>", "<span class='emoji emoji-1b'>", "<img>", "<video>", "<audio src=x>",
        "<div class='message_inline_image'>", "<div class='message_embed'>", "<time datetime='9999-99-99'>", "<br>",
        "<time datetime='0001-01-01T00:00:00+14:00'>", "\\frac{", "text ", "漢", "\n", "&#27;", "&#x202e;", "<hr>",
        "<h1>", "</h1>", "<svg><title>", "<template>", "<select><option>", "<![CDATA[", "<!--", "-->", "<script>",
    ]
)  # fmt: skip


@given(st.lists(PIECES, max_size=40).map("".join), st.integers(6, 60))
def test_any_mixture_of_elements_shows_safely(html: str, width: int) -> None:
    for opened in (frozenset[int](), frozenset(range(40))):
        text = screen(render(html, width, 100, opened=opened))
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)
        for line in text.split("\n"):
            assert cell_len(line) <= max(width, 12)


@given(st.text(max_size=300))
def test_any_text_shows_safely(text: str) -> None:
    shown = screen(render(f"<p>{text}</p>{text}", 30, 100))
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]", shown)


NEEDS_AN_ORGANIZATION = {"mentions", "places", "emoji", "image"}


@pytest.mark.parametrize(
    "example",
    [example for example in MARKED if example.name not in NEEDS_AN_ORGANIZATION],
    ids=lambda example: example.name,
)
def test_the_embedded_server_renders_what_reads_the_same(example: ContentExample) -> None:
    html = render_markdown(example.markdown, NoLookups("https://demo.example")).html
    assert screen(render(html)) == example.screen
