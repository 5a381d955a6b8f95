"""Source and HTML, side by side, for every kind of content."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from narrowcast_server.markdown import (
    AttachmentInfo,
    EmojiPicture,
    LinkedChannel,
    LinkPattern,
    LinkPreview,
    MentionedGroup,
    MentionedUser,
    NoLookups,
    RenderedMarkdown,
    render,
    topic_links,
)

ADA = MentionedUser(31, "Ada Moreno")
OTHER_ADA = MentionedUser(40, "Ada Moreno")
GROUPS = {
    "hardware": MentionedGroup(5, "hardware"),
    "old": MentionedGroup(6, "old", mentionable=False, deactivated=True),
    "leads": MentionedGroup(7, "leads", mentionable=False),
}
CHANNEL = LinkedChannel(20, "New York")


@dataclass(frozen=True)
class World(NoLookups):
    """A small organization."""

    linkifiers: Sequence[LinkPattern] = (
        LinkPattern(r"#(?P<id>[0-9]{2,8})", "https://tracker.example/t/{id}"),
        LinkPattern(r"(?P<host>go)/(?P<path>[^ ]+)", "https://links.example/{+path}"),
    )
    alert_words: Mapping[int, Sequence[str]] = field(default_factory=lambda: {7: ["weather"], 8: ["c++", ""]})

    def users_by_name(self, full_name: str) -> Sequence[MentionedUser]:
        return (ADA, OTHER_ADA) if full_name.casefold() == "ada moreno" else ()

    def user_by_id(self, user_id: int) -> MentionedUser | None:
        return {31: ADA, 40: OTHER_ADA}.get(user_id)

    def group_by_name(self, name: str) -> MentionedGroup | None:
        return GROUPS.get(name)

    def channel_by_name(self, name: str) -> LinkedChannel | None:
        return CHANNEL if name == CHANNEL.name else None

    def last_message_id(self, channel_id: int, topic: str) -> int | None:
        return 132 if topic == "v1.2 (edit me)" else None

    def custom_emoji(self, name: str) -> EmojiPicture | None:
        return EmojiPicture("2", name, "/user_avatars/1/emoji/images/2.png") if name == "green_tick" else None

    def attachment(self, path_id: str) -> AttachmentInfo | None:
        if path_id.endswith(".png"):
            return AttachmentInfo(path_id, "p.png", "image/png", 64, 48)
        return AttachmentInfo(path_id, "v.mp4", "video/mp4") if path_id.endswith(".mp4") else None

    def link_preview(self, url: str) -> LinkPreview | None:
        return LinkPreview("Guide <1>", 'Says "hello"') if url == "https://pages.example/guide" else None


WORLD = World()
SMILE = '<span aria-label="smile" class="emoji emoji-1f604" role="img" title="smile">:smile:</span>'
TADA = '<span aria-label="tada" class="emoji emoji-1f389" role="img" title="tada">:tada:</span>'
PNG_ATTRIBUTES = (
    'data-original-content-type="image/png" data-original-dimensions="64x48" '
    'src="/user_uploads/thumbnail/1/ab/x/p.png/840x560.webp"'
)


def katex(source: str, attributes: str = "") -> str:
    """The markup around a formula."""
    math = '<math xmlns="http://www.w3.org/1998/Math/MathML"' + attributes
    return (
        f'<span class="katex"><span class="katex-mathml">{math}><semantics>'
        f"<mrow><mtext>{source}</mtext></mrow>"
        f'<annotation encoding="application/x-tex">{source}</annotation></semantics></math></span>'
        f'<span class="katex-html" aria-hidden="true"><span class="base">{source}</span></span></span>'
    )


FORMULA = katex(r"\frac{1}{2}", ' display="block"')
EXAMPLES: dict[str, tuple[str, str]] = {
    "a paragraph breaks where its lines break": ("one\ntwo\n\nthree", "<p>one<br>\ntwo</p>\n<p>three</p>"),
    "a rule": ("a\n\n---", "<p>a</p>\n<hr>"),
    "inline styles nest": (
        "**b *i ~~d~~* e** `c`",
        "<p><strong>b <em>i <del>d</del></em> e</strong> <code>c</code></p>",
    ),
    "underscores are no emphasis": ("_a_ __b__ snake_case", "<p>_a_ __b__ snake_case</p>"),
    "headings": ("# One\n###### Six", "<h1>One</h1>\n<h6>Six</h6>"),
    "a line of dashes below a text is no heading": ("a\n---", "<p>a</p>\n<hr>"),
    "an ordered list keeps its start": ("5. a\n6. b", '<ol start="5">\n<li>a</li>\n<li>b</li>\n</ol>'),
    "lists nest": (
        "- a\n  - b\n- c",
        "<ul>\n<li>a<ul>\n<li>b</li>\n</ul>\n</li>\n<li>c</li>\n</ul>",
    ),
    "a quote by marks": ("> q\n\nr", "<blockquote>\n<p>q</p>\n</blockquote>\n<p>r</p>"),
    "a quote by fence holds code": (
        "```quote\nhi\n```python\nx\n```\nmore\n```\nafter",
        "<blockquote>\n<p>hi</p>\n"
        '<div class="codehilite" data-code-language="Python"><pre><span></span><code>'
        '<span class="n">x</span>\n</code></pre></div>\n'
        "<p>more</p>\n</blockquote>\n<p>after</p>",
    ),
    "quotes by fence nest with longer marks": (
        "````quote\n@_**Ada Moreno|31** said:\n```quote\nold\n```\n````\nnew",
        '<blockquote>\n<p><span class="user-mention silent" data-user-id="31">Ada Moreno</span> said:</p>\n'
        "<blockquote>\n<p>old<br>\n</p>\n</blockquote>\n</blockquote>\n<p>new</p>",
    ),
    "an open fence goes to the end": (
        "```\na < b",
        '<div class="codehilite"><pre><span></span><code>a &lt; b\n</code></pre></div>',
    ),
    "code says its language as the lexer calls it": (
        "```rs\nlet\n```",
        '<div class="codehilite" data-code-language="Rust"><pre><span></span><code>'
        '<span class="kd">let</span>\n</code></pre></div>',
    ),
    "code of an unknown language stays plain": (
        "~~~ nosuch\n<x>\n~~~",
        '<div class="codehilite" data-code-language="nosuch"><pre><span></span><code>&lt;x&gt;\n</code>'
        "</pre></div>",
    ),
    "code by indentation": (
        "    a\n    b",
        '<div class="codehilite"><pre><span></span><code>a\nb\n</code></pre></div>',
    ),
    "a fence that is indented is none": ("  ```\n  b\n  ```", "<p><code>\n  b\n  </code></p>"),
    "a spoiler with a header": (
        "```spoiler **who** did it\nthe *butler*\n```",
        '<div class="spoiler-block"><div class="spoiler-header">\n<p><strong>who</strong> did it</p>\n'
        '</div><div class="spoiler-content" aria-hidden="true">\n<p>the <em>butler</em></p>\n</div></div>',
    ),
    "a spoiler without a header": (
        "```spoiler\nx\n```",
        '<div class="spoiler-block"><div class="spoiler-header">\n'
        '</div><div class="spoiler-content" aria-hidden="true">\n<p>x</p>\n</div></div>',
    ),
    "a formula in a line": ("so $$x^2$$!", f"<p>so {katex('x^2')}!</p>"),
    "a formula of its own": (
        "```math\n\\frac{1}{2}\n```",
        f'<p><span class="katex-display">{FORMULA}</span></p>',
    ),
    "a broken formula is shown": ("$$a{$$", '<p><span class="tex-error">$$a{$$</span></p>'),
    "code in dollars is code": ("$$a `b` c$$", "<p>$$a <code>b</code> c$$</p>"),
    "a formula is no part of an address": (
        '[a](/x $$y$$) ![b](/x "$$y$$")',
        f'<p>[a](/x {katex("y")}) ![b](/x "{katex("y")}")</p>',
    ),
    "money is no formula": ("$5 and $6", "<p>$5 and $6</p>"),
    "a person": (
        "@**Ada Moreno** hi",
        '<p><span class="user-mention" data-user-id="31">@Ada Moreno</span> hi</p>',
    ),
    "a person among namesakes": (
        "@**Ada Moreno|40**",
        '<p><span class="user-mention" data-user-id="40">@Ada Moreno</span></p>',
    ),
    "a person by id alone": (
        "@**|31**",
        '<p><span class="user-mention" data-user-id="31">@Ada Moreno</span></p>',
    ),
    "a name that does not fit its id": ("@**Bob|31**", "<p>@<strong>Bob|31</strong></p>"),
    "nobody": (
        "@**Nobody** a@**Ada Moreno**",
        "<p>@<strong>Nobody</strong> a@<strong>Ada Moreno</strong></p>",
    ),
    "a silent mention": (
        "@_**Ada Moreno**",
        '<p><span class="user-mention silent" data-user-id="31">Ada Moreno</span></p>',
    ),
    "a mention in a quote is silent": (
        "> @**Ada Moreno** @*hardware* @**all**",
        '<blockquote>\n<p><span class="user-mention silent" data-user-id="31">Ada Moreno</span> '
        '<span class="user-group-mention silent" data-user-group-id="5">hardware</span> '
        '<span class="user-mention channel-wildcard-mention silent" data-user-id="*">all</span></p>'
        "\n</blockquote>",
    ),
    "a mention of nobody in a quote stays as it is": (
        "> @**Nobody**",
        "<blockquote>\n<p>@<strong>Nobody</strong></p>\n</blockquote>",
    ),
    "a mention in code is none": ("`@**Ada Moreno**`", "<p><code>@**Ada Moreno**</code></p>"),
    "a group": (
        "@*hardware*",
        '<p><span class="user-group-mention" data-user-group-id="5">@hardware</span></p>',
    ),
    "everybody": (
        "@**everyone**",
        '<p><span class="user-mention channel-wildcard-mention" data-user-id="*">@everyone</span></p>',
    ),
    "everybody of a topic": ("@**topic**", '<p><span class="topic-mention">@topic</span></p>'),
    "a channel": (
        "#**New York**",
        '<p><a class="stream" data-stream-id="20" href="/#narrow/channel/20-New-York">#New York</a></p>',
    ),
    "a topic leads to its newest message": (
        "#**New York>v1.2 (edit me)**",
        '<p><a class="stream-topic" data-stream-id="20" '
        'href="/#narrow/channel/20-New-York/topic/v1.2E2.20.28edit.20me.29/with/132">'
        "#New York &gt; v1.2 (edit me)</a></p>",
    ),
    "a topic that nobody wrote in": (
        "#**New York>nothing**",
        '<p><a class="stream-topic" data-stream-id="20" href="/#narrow/channel/20-New-York/topic/nothing">'
        "#New York &gt; nothing</a></p>",
    ),
    "the empty topic": (
        "#**New York>**",
        '<p><a class="stream-topic" data-stream-id="20" href="/#narrow/channel/20-New-York/topic/">'
        "#New York &gt; <em>general chat</em></a></p>",
    ),
    "a message": (
        "#**New York>x@147**",
        '<p><a class="message-link" href="/#narrow/channel/20-New-York/topic/x/near/147">'
        "#New York &gt; x @ 💬</a></p>",
    ),
    "an address of a view here leads there from anywhere": (
        "https://chat.example/#narrow/channel/21-x",
        '<p><a href="#narrow/channel/21-x">https://chat.example/#narrow/channel/21-x</a></p>',
    ),
    "a topic with code": (
        "#**New York>`x`**",
        "<p>#<strong>New York&gt;<code>x</code></strong></p>",
    ),
    "a channel out of sight": ("#**Hidden**", "<p>#<strong>Hidden</strong></p>"),
    "emoji by name and as characters": (":smile: 🎉", f"<p>{SMILE} {TADA}</p>"),
    "no such emoji": (":nope: 10:30:20", "<p>:nope: 10:30:20</p>"),
    "custom emoji": (
        ":green_tick:",
        '<p><img alt=":green_tick:" class="emoji" src="/user_avatars/1/emoji/images/2.png" title="green '
        'tick"></p>',
    ),
    "a time": (
        "<time:2026-11-20T12:00:00+02:00>",
        '<p><time datetime="2026-11-20T10:00:00Z">2026-11-20T12:00:00+02:00</time></p>',
    ),
    "a time in seconds": (
        "<time:86400>",
        '<p><time datetime="1970-01-02T00:00:00Z">86400</time></p>',
    ),
    "no time": (
        "<time:tomorrow>",
        "<p>&lt;time:tomorrow&gt;</p>",
    ),
    "a table": (
        "|a|b|c|\n|-|:-:|-:|\n|1|2|3|",
        '<table>\n<thead>\n<tr>\n<th>a</th>\n<th style="text-align: center;">b</th>\n'
        '<th style="text-align: right;">c</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n'
        '<td style="text-align: center;">2</td>\n<td style="text-align: right;">3</td>\n</tr>\n</tbody>'
        "\n</table>",
    ),
    "a link": ("[a *b*](https://x.example)", '<p><a href="https://x.example">a *b*</a></p>'),
    "an address": (
        "(see https://x.example/a_(b)*c*.)",
        '<p>(see <a href="https://x.example/a_(b)*c*">https://x.example/a_(b)*c*</a>.)</p>',
    ),
    "an address ends where something else begins": (
        "https://x.example/`y` go/x",
        '<p><a href="https://x.example/">https://x.example/</a><code>y</code> '
        '<a href="https://links.example/x">go/x</a></p>',
    ),
    "a bare address, a mail address, and a file": (
        "www.x.org a@x.org conf.py",
        '<p><a href="http://www.x.org">www.x.org</a> <a href="mailto:a@x.org">a@x.org</a> conf.py</p>',
    ),
    "linkifiers at word borders": (
        "#12, (#345) x#67 #8 #99x",
        '<p><a href="https://tracker.example/t/12">#12</a>, (<a href="https://tracker.example/t/345">'
        "#345</a>) "
        "x#67 #8 #99x</p>",
    ),
    "a linkifier leaves alone what holds code": ("go/`x`", "<p>go/<code>x</code></p>"),
    "a file": (
        "[log.txt](/user_uploads/1/ab/x/log.txt)",
        '<p><a href="/user_uploads/1/ab/x/log.txt">log.txt</a></p>',
    ),
    "an image": (
        "[p](/user_uploads/1/ab/x/p.png)",
        '<p><a href="/user_uploads/1/ab/x/p.png">p</a></p>\n<div class="message_inline_image">'
        f'<a href="/user_uploads/1/ab/x/p.png" title="p"><img {PNG_ATTRIBUTES}></a></div>',
    ),
    "an image in a quote has no preview": (
        "> [p](/user_uploads/1/ab/x/p.png)",
        '<blockquote>\n<p><a href="/user_uploads/1/ab/x/p.png">p</a></p>\n</blockquote>',
    ),
    "an image in place": (
        "![p](/user_uploads/1/ab/x/p.png)",
        '<p><img alt="p" class="inline-image" data-original-content-type="image/png" '
        'data-original-dimensions="64x48" data-original-src="/user_uploads/1/ab/x/p.png" '
        'src="/user_uploads/thumbnail/1/ab/x/p.png/840x560.webp"></p>',
    ),
    "a video": (
        "[v](/user_uploads/1/ab/x/v.mp4)",
        '<p><a href="/user_uploads/1/ab/x/v.mp4">v</a></p>\n'
        '<div class="message_inline_image message_inline_video"><a href="/user_uploads/1/ab/x/v.mp4" '
        'title="v">'
        '<video preload="metadata" src="/user_uploads/1/ab/x/v.mp4"></video></a></div>',
    ),
    "an image in place with code in its name": (
        "![p `q`](/user_uploads/1/ab/x/p.png)",
        '<p><img alt="p q" class="inline-image" data-original-content-type="image/png" '
        'data-original-dimensions="64x48" data-original-src="/user_uploads/1/ab/x/p.png" '
        'src="/user_uploads/thumbnail/1/ab/x/p.png/840x560.webp"></p>',
    ),
    "sound": (
        "![s](/user_uploads/1/ab/x/s.mp3)",
        '<p><audio controls="" preload="metadata" src="/user_uploads/1/ab/x/s.mp3" title="s"></audio></p>',
    ),
    "an image elsewhere": (
        "https://x.example/i.png",
        '<div class="message_inline_image">'
        '<a href="https://x.example/i.png"><img src="https://x.example/i.png"></a></div>',
    ),
    "a video elsewhere": (
        "https://youtu.be/dQw4w9WgXcQ",
        '<p><a href="https://youtu.be/dQw4w9WgXcQ">https://youtu.be/dQw4w9WgXcQ</a></p>\n'
        '<div class="youtube-video message_inline_image"><a data-id="dQw4w9WgXcQ" '
        'href="https://youtu.be/dQw4w9WgXcQ"><img src="https://i.ytimg.com/vi/dQw4w9WgXcQ/mqdefault.jpg"></a></div>',
    ),
    "a known page": (
        "[g](https://pages.example/guide)",
        '<p><a href="https://pages.example/guide">g</a></p>\n<div class="message_embed"><div '
        'class="data-container">'
        '<div class="message_embed_title"><a href="https://pages.example/guide" title="Guide &lt;1&gt;">'
        'Guide &lt;1&gt;</a></div><div class="message_embed_description">Says "hello"</div></div></div>',
    ),
    "HTML is text": ("<b>x</b> &lt;", "<p>&lt;b&gt;x&lt;/b&gt; &lt;</p>"),
    "scripts are no links": ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>"),
    "a me-message": ("/me waves", "<p>/me waves</p>"),
    "backslashes are themselves": (
        r"¯\_(ツ)_/¯ \*x\* \`no code\` \\ C:\dir",
        r"<p>¯\_(ツ)_/¯ \<em>x\</em> \`no code\` \\ C:\dir</p>",
    ),
    "a poll keeps its text": ("/poll Lunch?\nyes\nno", "<p>/poll Lunch?<br>\nyes<br>\nno</p>"),
}


@pytest.mark.parametrize(("source", "html"), EXAMPLES.values(), ids=EXAMPLES.keys())
def test_each_example_is_rendered_to_its_html(source: str, html: str) -> None:
    assert render(source, WORLD).html == html


def found(source: str) -> RenderedMarkdown:
    """The renderer's result for a source."""
    return render(source, WORLD)


def test_normal_and_silent_mentions_are_distinguished() -> None:
    result = found("@**Ada Moreno** @_**Ada Moreno|40** @*hardware* @**all** @**topic**")
    assert result.user_ids == {31}
    assert result.silent_user_ids == {40}
    assert result.group_ids == {5}
    assert result.channel_wildcard
    assert result.topic_wildcard


@pytest.mark.parametrize(
    "source",
    [
        "```quote\n@**Ada Moreno** @*hardware* @**all** @**topic**\n```",
        ">@**Ada Moreno** @*hardware* @**all**\n>@**topic**",
        "> - @**Ada Moreno**\n> > @*hardware*\n>\n>|a|b|\n>|-|-|\n>|@**all**|@**topic**|",
        "> ` @**x` @**Ada Moreno** ` @*x` @*hardware* ` @**x` @**all** ` @**x` @**topic**",
    ],
    ids=["fence", "marks without a space", "in other blocks", "behind code with a mark of a mention"],
)
def test_a_mention_in_a_quote_does_not_notify(source: str) -> None:
    result = found(source)
    assert (result.user_ids, result.group_ids) == (frozenset(), frozenset())
    assert not result.channel_wildcard
    assert not result.topic_wildcard
    assert result.silent_user_ids == {31}


def test_a_mention_of_a_deactivated_group_is_silent() -> None:
    result = found("@*old*")
    assert result.html == '<p><span class="user-group-mention silent" data-user-group-id="6">old</span></p>'
    assert (result.group_ids, result.refused_groups) == (frozenset(), ())


def test_a_group_that_the_user_cannot_mention_is_reported() -> None:
    assert found("@*leads* @_*leads*").refused_groups == ("leads",)
    assert found("@_*leads*").refused_groups == ()


def test_alert_words_are_whole_words_in_any_case() -> None:
    assert found("The WEATHER, again").alert_user_ids == {7}
    assert found("weathered but C++").alert_user_ids == {8}


def test_links_images_and_uploads_are_noted_once() -> None:
    result = found(
        "[a](/user_uploads/1/ab/x/p.png) [b](https://chat.example/user_uploads/1/ab/x/%C3%BC.txt?x=1) "
        "![c](/user_uploads/1/ab/x/p.png)"
    )
    assert result.attachments == ("1/ab/x/p.png", "1/ab/x/ü.txt")
    assert result.has_attachment
    assert result.has_link
    assert result.has_image


def test_plain_text_has_no_links_images_or_mentions() -> None:
    assert found("hello") == RenderedMarkdown("<p>hello</p>")


@pytest.mark.parametrize(("source", "is_me"), [("/me waves", True), ("/me a\n\nb", False), ("/meow", False)])
def test_only_one_paragraph_of_a_me_command_is_a_me_message(source: str, is_me: bool) -> None:
    assert found(source).is_me_message is is_me


@pytest.mark.parametrize(
    ("template", "text", "url"),
    [
        ("https://links.example{+x}", "go:@evil.example/x", None),
        ("https://links.example{+x}", "go:.evil.example/x", None),
        ("https://links.example{/x}", "go:@evil.example", "https://links.example/%40evil.example"),
        ("https://{x}.example/a", "go:team", "https://team.example/a"),
        ("https://{+x}.example/a", "go:evil.com/", None),
        ("{+x}", "go:javascript:alert(1)", None),
    ],
)
def test_the_match_of_a_linkifier_cannot_change_the_host(template: str, text: str, url: str | None) -> None:
    world = World(linkifiers=(LinkPattern(r"go:(?P<x>\S+)", template),))
    assert topic_links(text, world) == ([] if url is None else [{"text": text, "url": url}])


def test_a_linkifier_that_re2_rejects_is_ignored() -> None:
    world = World(linkifiers=(LinkPattern(r"(?=x)x(?P<id>\d+)", "https://x.example/{id}"),))
    assert render("x12", world).html == "<p>x12</p>"


def test_topics_have_links_for_linkifiers_and_urls() -> None:
    assert topic_links("fix #123 as in https://x.example/a.", WORLD) == [
        {"text": "#123", "url": "https://tracker.example/t/123"},
        {"text": "https://x.example/a", "url": "https://x.example/a"},
    ]
