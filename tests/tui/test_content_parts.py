"""The smaller parts of content: polls, addresses, wrapping, formulas, code."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from narrowcast.content.addresses import External, InApp, message_address, resolve
from narrowcast.content.blocks import CodeBlock
from narrowcast.content.palette import Palette
from narrowcast.content.polls import Poll, TodoList, read_widget
from narrowcast.content.reader import parse
from narrowcast.content.tex import readable
from narrowcast.content.wrapping import Run, clip, wrap, wrap_hard
from narrowcast_api.model.messages import Message
from narrowcast_api.narrow.narrow import Narrow, Term
from narrowcast_api.state.state import State
from support import live


@dataclass(frozen=True)
class Part:
    sender_id: int
    content: str


def parts(*contents: tuple[int, object]) -> list[Part]:
    return [
        Part(sender, value if isinstance(value, str) else json.dumps(value)) for sender, value in contents
    ]


POLL = {"widget_type": "poll", "extra_data": {"question": "Lunch?", "options": ["soup", "salad"]}}
TODO = {
    "widget_type": "todo",
    "extra_data": {"task_list_title": "Trip", "tasks": [{"task": "pack", "desc": "x"}]},
}


def vote(key: str, value: int = 1) -> dict[str, object]:
    return {"type": "vote", "key": key, "vote": value}


def test_the_last_vote_of_a_person_counts() -> None:
    poll = read_widget(
        parts(
            (1, POLL),
            (2, vote("canned,0")),
            (3, vote("canned,0")),
            (2, vote("canned,0", -1)),
            (3, vote("canned,0")),
        )
    )
    assert isinstance(poll, Poll)
    assert [(option.text, option.voters) for option in poll.options] == [("soup", [3]), ("salad", [])]
    assert poll.vote("canned,0", 3) == vote("canned,0", -1)
    assert poll.vote("canned,0", 2) == vote("canned,0", 1)


def test_options_can_be_added_and_the_question_changed() -> None:
    added = {"type": "new_option", "idx": 1, "option": "pie"}
    poll = read_widget(
        parts((1, POLL), (2, added), (2, added), (3, vote("2,1")), (1, {"type": "question", "question": "Q"}))
    )
    assert isinstance(poll, Poll)
    assert poll.question == "Q"
    assert [(option.text, option.voters) for option in poll.options][-1] == ("pie", [3])
    assert (poll.next_number(1), poll.next_number(2)) == (1, 2)


def test_tasks_are_ticked_and_unticked() -> None:
    strike = {"type": "strike", "key": "0,canned"}
    task = {"type": "new_task", "key": 1, "task": "sing", "desc": "", "completed": False}
    todo = read_widget(
        parts((1, TODO), (2, strike), (2, task), (3, {"type": "strike", "key": "1,2"}), (1, strike))
    )
    assert isinstance(todo, TodoList)
    assert [(one.text, one.done) for one in todo.tasks] == [("pack", False), ("sing", True)]
    assert (todo.next_number(0), todo.next_number(1), todo.next_number(2)) == (1, 1, 2)


@pytest.mark.parametrize("taken", [[1, 2], [5], [3, 5, 4], [7, None, "x", "-3", 2.5, "9" * 5000]])
def test_a_new_option_gets_a_number_that_its_author_has_not_used(taken: list[object]) -> None:
    options = [(2, {"type": "new_option", "idx": number, "option": "pie"}) for number in taken]
    poll = read_widget(parts((1, POLL), *options, (2, vote("canned,0")), (2, vote("canned,0", -1))))
    assert isinstance(poll, Poll)
    assert poll.next_number(2) == max(number for number in taken if isinstance(number, int)) + 1


@pytest.mark.parametrize(
    "first", ["", "{", "[1]", "null", "[" * 100_000, {"widget_type": "zform"}, {}, "9" * 6000]
)
def test_invalid_widget_data_makes_no_widget(first: object) -> None:
    assert read_widget(parts((1, first))) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["vote", "question", "new_option", "new_task", "strike", "x"]) | JSON,
        "key": st.sampled_from(["canned,0", "0,canned"]) | JSON,
        **dict.fromkeys(("vote", "idx", "option", "question", "task", "title"), JSON),
    },
)


@given(st.sampled_from([POLL, TODO]), st.lists(st.tuples(st.integers(1, 3), CHANGES), max_size=8))
def test_no_submessage_breaks_a_widget(first: dict[str, object], later: list[tuple[int, object]]) -> None:
    assert read_widget(parts((1, first), *later)) is not None


def state() -> State:
    return State.from_snapshot(live.snapshot(realm_url="https://demo.example"))


@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("#narrow/channel/11-general", InApp(Narrow.channel(11))),
        ("/#narrow/stream/11-general/topic/a.20b.2E/near/7", InApp(Narrow.topic(11, "a b."), 7)),
        ("https://demo.example/#narrow/channel/11/subject/x/with/9", InApp(Narrow.topic(11, "x"), 9)),
        ("#narrow/stream/general/topic/x", InApp(Narrow.topic(11, "x"))),
        ("#narrow/dm/1,2-dm/near/5", InApp(Narrow.direct(frozenset({2})), 5)),
        ("#narrow/pm-with/2-bruno", InApp(Narrow.direct(frozenset({2})))),
        ("#narrow/group-pm-with/2,3-group", InApp(Narrow((Term("dm-including", frozenset({2, 3})),)))),
        ("#narrow/pm-with/user2%40demo.example", InApp(Narrow.direct(frozenset({2})))),
        ("#narrow/pm-with/user2.40demo.2Eexample", InApp(Narrow.direct(frozenset({2})))),
        ("#narrow/channel/11/topic/v.x", InApp(Narrow.topic(11, "v.x"))),
        ("#narrow/channel/11/topic/a%2Fb/near/5", InApp(Narrow.topic(11, "a/b"), 5)),
        ("#narrow%2Fchannel%2F11%2Ftopic%2Fa.2Fb", InApp(Narrow.topic(11, "a/b"))),
        ("https://demo.example/%23narrow/channel/11", InApp(Narrow.channel(11))),
        ("https://demo.example:443/#narrow/channel/11", InApp(Narrow.channel(11))),
        ("#narrow/stream/renamed/topic/x/near/7", InApp(Narrow((Term("id", 7),)), 7)),
        ("#channels/11/general", InApp(Narrow.channel(11))),
        ("#feed", InApp(Narrow.all())),
        ("#narrow/sender/2-Bruno", InApp(Narrow((Term("sender", 2),)))),
        ("#narrow/mentions/2-Bruno", InApp(Narrow((Term("mentions", 2),)))),
        (
            "#narrow/channels/public/search/goat",
            InApp(Narrow((Term("channels", "public"), Term("search", "goat")))),
        ),
        ("#narrow/is/starred", InApp(Narrow((Term("is", "starred"),)))),
        ("/user_uploads/1/a.txt", External("https://demo.example/user_uploads/1/a.txt", own=True)),
        ("https://x.example/a#narrow", External("https://x.example/a#narrow")),
        ("https://x.example/%23narrow/channel/11", External("https://x.example/%23narrow/channel/11")),
        (
            "/user_uploads/%23narrow.txt",
            External("https://demo.example/user_uploads/%23narrow.txt", own=True),
        ),
        (
            "https://demo.example.evil.example/#narrow/is/starred",
            External("https://demo.example.evil.example/#narrow/is/starred"),
        ),
        ("javascript:alert(1)", None),
        ("file:///etc/passwd", None),
        ("data:text/html,x", None),
        ("mailto:a@b.example", None),
        ("https://[::1", None),
        ("http://a\x1bb/", None),
        ("#narrow/channel/unknown-channel", None),
        ("#narrow/bogus/1", None),
    ],
)
def test_an_address_leads_where_it_says_or_nowhere(href: str, target: object) -> None:
    assert resolve(href, state()) == target


@given(
    st.text(alphabet=st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=20),
    st.integers(1, 10**9),
)
def test_the_link_to_a_message_leads_back_to_it(topic: str, message_id: int) -> None:
    message = Message(message_id, 2, "", "", 0, "", channel_id=11, topic=topic)
    assert resolve(message_address(message, state()), state()) == InApp(Narrow.topic(11, topic), message_id)


def test_the_link_to_a_direct_message_leads_back_to_it() -> None:
    message = Message(9, 2, "", "", 0, "", direct_user_ids=frozenset({1, 2}))
    assert resolve(message_address(message, state()), state()) == InApp(Narrow.direct(frozenset({2})), 9)


WORDS = st.text(alphabet=st.sampled_from("ab -漢字、é👍\u0301"), max_size=60)


@given(st.lists(WORDS, max_size=6), st.integers(2, 30))
def test_wrapping_keeps_every_character_but_blanks_at_breaks(texts: list[str], width: int) -> None:
    runs = [Run(text, Style(bold=bool(index % 2))) for index, text in enumerate(texts)]
    for lines, exact in ((list(wrap(runs, width)), False), (list(wrap_hard(runs, width)), True)):
        shown = ["".join(run.text for run in line.runs) for line in lines]
        assert all(cell_len(text.rstrip()) <= width for text in shown)
        whole = "".join(texts)
        assert "".join(shown).replace(" ", "") == whole.replace(" ", "")
        assert not exact or "".join(shown) == whole
        bold = "".join(run.text for line in lines for run in line.runs if run.style.bold)
        assert bold.replace(" ", "") == "".join(texts[1::2]).replace(" ", "")


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"O(n \log n)", "O(n log n)"),
        (r"\frac{a}{b} + x^2", "a/b + x²"),
        (r"\frac{a+b}{2}", "(a+b)/2"),
        (r"\sqrt{x} \le \alpha", "√x ≤ α"),
        (r"\left(\frac{1}{2}\right)", "(1/2)"),
        (r"\frac{\sqrt{\pi}}{2}", "√π/2"),
        (r"A = \begin{pmatrix} a & b \\ c & d \end{pmatrix}", "A = (a b; c d)"),
        ("\\begin{aligned} x &= 1 \\\\\n y &= \\alpha \\end{aligned}", "x = 1\ny = α"),
        (r"|x| = \begin{cases} x & x \ge 0 \\ -x & x < 0 \end{cases}", "|x| = { x x ≥ 0; −x x < 0"),
        (r"\begin{array}{cc} 1 & 2 \end{array}", "1 2"),
        (r"\unheardof{x}", "unheardof{x}"),
        (r"\lim_{x \to 0} \log x", "lim_{x → 0} log x"),
        (r"e^{-x^2} + x_{12} \ne 50\%", "e^{−x²} + x₁₂ ≠ 50%"),
        (r"\vec{AB} \cdot \hat x \not\in \mathbb{NZ}", "A⃗B⃗ ⋅ x̂ ∉ ℕℤ"),
        ("x" * 5_000, "x" * 5_000),
    ],
)
def test_a_formula_reads_as_one_would_type_it(tex: str, text: str) -> None:
    assert readable(tex) == text


@given(st.text(alphabet=st.sampled_from(r"\{}^_ab frac12$&"), max_size=60))
def test_no_formula_breaks_a_message(tex: str) -> None:
    readable(tex)


def test_code_is_coloured_by_the_classes_of_the_highlighter() -> None:
    palette = Palette(keyword=Style(bold=True), number=Style(italic=True))
    assert palette.token("kd") == palette.keyword
    assert palette.token("mi") == palette.number
    assert palette.token("zz") == palette.text


def test_the_source_of_code_is_what_was_typed() -> None:
    code = '<span class="k">if</span> x:\n    <span class="n">y</span>\n'
    html = f'<div class="codehilite"><pre><span></span><code>{code}</code></pre></div>'
    block = parse(html).blocks[0]
    assert isinstance(block, CodeBlock)
    assert block.source == "if x:\n    y"


def test_what_is_cut_fits_in_terminals_that_give_marks_a_column() -> None:
    word = "हिन्दी"  # 3 columns in a terminal that shapes it, otherwise 5
    assert clip([Run(word, Style())], 5) == [Run(word, Style())]
    assert "".join(run.text for run in clip([Run(word, Style())], 4)) == "हिन्…"
