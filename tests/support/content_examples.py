"""Every kind of content: the Markdown source, the server's HTML, and its rows at forty columns.

One value serves the tests of the parser, of the layout and of the message list. `markdown` is empty if no
source produces this HTML on every server.
"""

# ruff: noqa: E501

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ContentExample:
    """`screen` is the text in forty columns, trailing blanks removed."""

    name: str
    markdown: str
    html: str
    screen: str
    opened: frozenset[int] = frozenset()
    pan: int = 0


EXAMPLES = (
    ContentExample(
        name="paragraphs",
        markdown="One line that is long enough to wrap in forty columns.\n\nAnother.",
        html="<p>One line that is long enough to wrap in forty columns.</p>\n<p>Another.</p>",
        screen="One line that is long enough to wrap in\nforty columns.\n\nAnother.",
    ),
    ContentExample(
        name="breaks",
        markdown="first\nsecond",
        html="<p>first<br>\nsecond</p>",
        screen="first\nsecond",
    ),
    ContentExample(
        name="nested looks",
        markdown="**bold *both* ~~gone~~** and `code`",
        html="<p><strong>bold <em>both</em> <del>gone</del></strong> and <code>code</code></p>",
        screen="bold both gone and code",
    ),
    ContentExample(
        name="heading",
        markdown="## Release *notes*",
        html="<h2>Release <em>notes</em></h2>",
        screen="Release notes",
    ),
    ContentExample(
        name="rule",
        markdown="a\n\n---\n\nb",
        html="<p>a</p>\n<hr>\n<p>b</p>",
        screen="a\n────────────────────────────────────────\nb",
    ),
    ContentExample(
        name="bullets",
        markdown="* one\n* two\n  * nested and long enough to wrap below itself",
        html="<ul>\n<li>one</li>\n<li>two<ul>\n<li>nested and long enough to wrap below itself</li>\n</ul>\n</li>\n</ul>",
        screen="• one\n• two\n  ◦ nested and long enough to wrap below\n    itself",
    ),
    ContentExample(
        name="numbers",
        markdown="9. nine\n10. ten",
        html='<ol start="9">\n<li>nine</li>\n<li>ten</li>\n</ol>',
        screen=" 9. nine\n10. ten",
    ),
    ContentExample(
        name="loose list",
        markdown="1. one\n\n   more",
        html="<ol>\n<li><p>one</p>\n<p>more</p>\n</li>\n</ol>",
        screen="1. one\n\n   more",
    ),
    ContentExample(
        name="quote",
        markdown="> said `this`\n> and that",
        html="<blockquote>\n<p>said <code>this</code><br>\nand that</p>\n</blockquote>",
        screen="▎ said this\n▎ and that",
    ),
    ContentExample(
        name="quote in quote",
        markdown="> > deep",
        html="<blockquote>\n<blockquote>\n<p>deep</p>\n</blockquote>\n</blockquote>",
        screen="▎ ▎ deep",
    ),
    ContentExample(
        name="quoted message",
        markdown="",
        html='<p><span class="user-mention silent" data-user-id="2">Bruno Castell</span> <a href="#narrow/channel/5-design/topic/x/near/7">said</a>:</p>\n<blockquote>\n<p>Fine.</p>\n</blockquote>\n<p>Agreed.</p>',
        screen="▎ Bruno Castell  ↗  Fine.\nAgreed.",
    ),
    ContentExample(
        name="long quoted message",
        markdown="",
        html='<p><span class="user-mention silent" data-user-id="2">Bruno Castell</span> <a href="#narrow/channel/5-design/topic/x/near/7">said</a>:</p>\n<blockquote>\n<p>It took the whole of the afternoon.</p>\n</blockquote>',
        screen="▎ Bruno Castell  ↗\n▎ It took the whole of the afternoon.",
    ),
    ContentExample(
        name="code",
        markdown="```python\ndef f(x):\n\treturn x\n```",
        html='<div class="codehilite" data-code-language="Python"><pre><span></span><code><span class="k">def</span> <span class="nf">f</span><span class="p">(</span><span class="n">x</span><span class="p">):</span>\n\t<span class="k">return</span> <span class="n">x</span>\n</code></pre></div>',
        screen="│ def f(x):                       Python\n│     return x",
    ),
    ContentExample(
        name="code with a marked line",
        markdown="",
        html='<div class="codehilite"><pre><span></span><code>a\n<span class="hll"><span class="n">b</span>\n</span>c\n</code></pre></div>',
        screen="│ a\n│ b\n│ c",
    ),
    ContentExample(
        name="long code line",
        markdown="```\nx = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; \n```",
        html='<div class="codehilite"><pre><span></span><code>x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; x = 1; \n</code></pre></div>',
        screen="│ x = 1; x = 1; x = 1; x = 1; x = 1; x =\n│  1; x = 1; x = 1; x = 1;",
    ),
    ContentExample(
        name="spoiler",
        markdown="```spoiler The end\nThe goat did it.\n```",
        html='<div class="spoiler-block"><div class="spoiler-header">\n<p>The end</p>\n</div><div class="spoiler-content" aria-hidden="true">\n<p>The goat did it.</p>\n</div></div>',
        screen="▸ The end  (hidden; Enter shows it)",
    ),
    ContentExample(
        name="open spoiler",
        markdown="",
        html='<div class="spoiler-block"><div class="spoiler-header">\n<p>The end</p>\n</div><div class="spoiler-content" aria-hidden="true">\n<p>The goat did it.</p>\n</div></div>',
        screen="▾ The end\n┆ The goat did it.",
        opened=frozenset({0}),
    ),
    ContentExample(
        name="spoiler without a header",
        markdown="```spoiler\nsecret\n```",
        html='<div class="spoiler-block"><div class="spoiler-header">\n</div><div class="spoiler-content" aria-hidden="true">\n<p>secret</p>\n</div></div>',
        screen="▸ Spoiler  (hidden; Enter shows it)",
    ),
    ContentExample(
        name="mentions",
        markdown="@**Ada Moreno** @_**Ada Moreno** @*crew* @**all** @**topic**",
        html='<p><span class="user-mention" data-user-id="1">@Old Name</span> <span class="user-mention silent" data-user-id="1">Old Name</span> <span class="user-group-mention" data-user-group-id="17">@old crew</span> <span class="user-mention channel-wildcard-mention" data-user-id="*">@all</span> <span class="topic-mention">@topic</span></p>',
        screen="@Ada Moreno Ada Moreno @field crew @all\n@topic",
    ),
    ContentExample(
        name="mentions of strangers",
        markdown="",
        html='<p><span class="silent user-mention" data-user-id="999">Someone</span> <span class="user-mention" data-user-email="x@y.example">@Old Friend</span> <span data-user-group-id="99" class="user-group-mention">@ghosts</span></p>',
        screen="Someone @Old Friend @ghosts",
    ),
    ContentExample(
        name="places",
        markdown="#**design** #**design>colours** #**design>colours@7**",
        html='<p><a class="stream" data-stream-id="5" href="/#narrow/channel/5-old">#old</a> <a class="stream-topic" data-stream-id="5" href="/#narrow/channel/5-design/topic/colours/with/214">#design &gt; colours</a> <a class="message-link" href="/#narrow/stream/5-design/topic/colours/near/7">#design &gt; colours @ 💬</a></p>',
        screen="#design #design > colours #design >\ncolours @ 💬",
    ),
    ContentExample(
        name="links",
        markdown="[the handbook](https://handbook.example/x) https://a.example/b",
        html='<p><a href="https://handbook.example/x">the handbook</a> <a href="https://a.example/b">https://a.example/b</a></p>',
        screen="the handbook https://a.example/b",
    ),
    ContentExample(
        name="a link that claims another host",
        markdown="[bank.example](https://evil.example/)",
        html='<p><a href="https://evil.example/">bank.example</a></p>',
        screen="bank.example [evil.example]",
    ),
    ContentExample(
        name="emoji",
        markdown=":thumbs_up: :flag_germany: :wren:",
        html='<p><span aria-label="thumbs up" class="emoji emoji-1f44d" role="img" title="thumbs up">:thumbs_up:</span> <span class="emoji emoji-1f1e9-1f1ea" title="germany">:germany:</span> <img alt=":wren:" class="emoji" src="/user_avatars/1/emoji/1.png" title="wren"></p>',
        screen="👍 🇩🇪 :wren:",
    ),
    ContentExample(
        name="image",
        markdown="[pic.png](/user_uploads/1/ab/pic.png)",
        html='<p><a href="/user_uploads/1/ab/pic.png">pic.png</a></p>\n<div class="message_inline_image"><a href="/user_uploads/1/ab/pic.png" title="pic.png"><img data-original-dimensions="6000x4000" data-original-content-type="image/png" src="/user_uploads/thumbnail/1/ab/pic.png/840x560.webp"></a></div>',
        screen="pic.png\n▣ pic.png  image 6000×4000",
    ),
    ContentExample(
        name="image that is being prepared",
        markdown="",
        html='<div class="message_inline_image"><a href="/user_uploads/1/ab/pic.png" title="pic.png"><img class="image-loading-placeholder" data-original-dimensions="64x64" src="/static/images/loading.svg"></a></div>',
        screen="▣ pic.png  image 64×64, being prepared",
    ),
    ContentExample(
        name="image within a line",
        markdown="",
        html='<p>look <img class="inline-image" alt="a wren" data-original-dimensions="192x192" data-original-src="/user_uploads/1/a.png" src="/user_uploads/thumbnail/1/a.png/840x560.webp"> there</p>',
        screen="look\n▣ a wren  image 192×192\nthere",
    ),
    ContentExample(
        name="video",
        markdown="",
        html='<div class="message_inline_image message_inline_video"><a href="/user_uploads/1/a.mp4" title="a.mp4"><video preload="metadata" src="/user_uploads/1/a.mp4"></video></a></div>',
        screen="▶ a.mp4  video",
    ),
    ContentExample(
        name="video elsewhere",
        markdown="",
        html='<div class="youtube-video message_inline_image"><a data-id="aqz-KE-bpKQ" href="https://www.youtube.com/watch?v=aqz-KE-bpKQ"><img src="https://i.ytimg.com/vi/aqz-KE-bpKQ/mqdefault.jpg"></a></div>',
        screen="▶ www.youtube.com/watch  video",
    ),
    ContentExample(
        name="sound",
        markdown="",
        html='<p><audio controls preload="metadata" src="/user_uploads/1/a.mp3" title="hum.mp3"></audio></p>',
        screen="♪ hum.mp3  audio",
    ),
    ContentExample(
        name="file",
        markdown="[notes.txt](/user_uploads/1/ab/notes.txt)",
        html='<p><a href="/user_uploads/1/ab/notes.txt">notes.txt</a></p>',
        screen="notes.txt",
    ),
    ContentExample(
        name="website",
        markdown="",
        html='<p><a href="https://handbook.example/m">https://handbook.example/m</a></p>\n<div class="message_embed"><a class="message_embed_image" href="https://handbook.example/m" style="background-image: url(/x)"></a><div class="data-container"><div class="message_embed_title"><a href="https://handbook.example/m" title="Mounting">Mounting a Wren</a></div><div class="message_embed_description">Where the wind is honest: two metres up, ten away from walls.</div></div></div>',
        screen="https://handbook.example/m\n↗ Mounting a Wren  handbook.example\n  Where the wind is honest: two metres\n  up, ten away from walls.",
    ),
    ContentExample(
        name="table",
        markdown="| Sensor | Price |\n|:--|--:|\n| wind | 84.00 |\n| a rain gauge with a long name that wraps | 21.50 |",
        html='<table>\n<thead>\n<tr>\n<th style="text-align: left;">Sensor</th>\n<th style="text-align: right;">Price</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td style="text-align: left;">wind</td>\n<td style="text-align: right;">84.00</td>\n</tr>\n<tr>\n<td style="text-align: left;">a rain gauge with a long name that wraps</td>\n<td style="text-align: right;">21.50</td>\n</tr>\n</tbody>\n</table>',
        screen="Sensor                             Price\n────────────────────────────────────────\nwind                               84.00\na rain gauge with a long name      21.50\nthat wraps",
    ),
    ContentExample(
        name="table wider than the screen",
        markdown="",
        html="<table><thead><tr><th>column 0</th><th>column 1</th><th>column 2</th><th>column 3</th><th>column 4</th><th>column 5</th><th>column 6</th><th>column 7</th></tr></thead><tbody><tr><td>value 0</td><td>value 1</td><td>value 2</td><td>value 3</td><td>value 4</td><td>value 5</td><td>value 6</td><td>value 7</td></tr></tbody></table>",
        screen="column   column   column  column  column\n0        1        2       3       4\n────────────────────────────────────────\nvalue 0  value 1  value   value   value\n                  2       3       4\n] 3 columns to the right",
    ),
    ContentExample(
        name="table panned",
        markdown="",
        html="<table><thead><tr><th>column 0</th><th>column 1</th><th>column 2</th><th>column 3</th><th>column 4</th><th>column 5</th><th>column 6</th><th>column 7</th></tr></thead><tbody><tr><td>value 0</td><td>value 1</td><td>value 2</td><td>value 3</td><td>value 4</td><td>value 5</td><td>value 6</td><td>value 7</td></tr></tbody></table>",
        screen="column 5  column 6  column 7\n────────────────────────────\nvalue 5   value 6   value 7\n[ 5 columns to the left",
        pan=5,
    ),
    ContentExample(
        name="formula",
        markdown="",
        html='<p>so <span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>x</mi></mrow><annotation encoding="application/x-tex">\\frac{a}{b} + x^2 \\le \\log n</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">junk</span></span> holds</p>',
        screen="so a/b + x² ≤ log n holds",
    ),
    ContentExample(
        name="formula on its own",
        markdown="",
        html='<p><span class="katex-display"><span class="katex"><span class="katex-mathml"><math><semantics><annotation encoding="application/x-tex">\\sum_{i=0}^n i</annotation></semantics></math></span></span></span></p>',
        screen="  ∑ᵢ₌₀ⁿ i",
    ),
    ContentExample(
        name="formula that failed",
        markdown="",
        html='<p><span class="tex-error">$$\\frac{1}{2$$</span></p>',
        screen="$$\\frac{1}{2$$",
    ),
    ContentExample(
        name="time",
        markdown="<time:2026-11-20T10:00:00Z>",
        html='<p><time datetime="2026-11-20T10:00:00Z">2026-11-20T10:00:00Z</time></p>',
        screen="Fri 20 Nov 2026, 10:00",
    ),
    ContentExample(
        name="times without a date in every zone",
        markdown="<time:0001-01-01T00:00:00Z> <time:9999-12-31T23:59:59Z>",
        html='<p><time datetime="0001-01-01T00:00:00Z">0001-01-01T00:00:00Z</time> '
        '<time datetime="9999-12-31T23:59:59Z">9999-12-31T23:59:59Z</time></p>',
        screen="0001-01-01T00:00:00Z\n9999-12-31T23:59:59Z",
    ),
    ContentExample(
        name="time that is none",
        markdown="",
        html='<p><span class="timestamp-error">Invalid time format: soon</span> <time datetime="soon">soon</time></p>',
        screen="Invalid time format: soon soon",
    ),
    ContentExample(
        name="wide characters",
        markdown="漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字と仮名、",
        html="<p>漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字と仮名、</p>",
        screen="漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字\n漢字漢字漢字漢字と仮名、",
    ),
    ContentExample(
        name="combining characters",
        markdown="",
        html="<p>cafe&#x301; ﾊﾟ 👩\u200d🌾 नमस्ते</p>",
        screen="café ﾊﾟ 👩\u200d🌾 नमस्ते",
    ),
    ContentExample(
        name="escapes",
        markdown="",
        html="<p>&#27;[31mred &#27;]52;c;aGk=&#7; [bold]x[/] [@click=app.quit]y[/] &#x9b;1m a&#x202e;b</p>",
        screen="␛[31mred ␛]52;c;aGk=␇ [bold]x[/]\n[@click=app.quit]y[/] ›1m ab",
    ),
    ContentExample(
        name="unknown elements",
        markdown="",
        html='<section><marquee>old <blink>text</blink></marquee></section><p>and <font color="red">more</font></p>',
        screen="old text\n\nand more",
    ),
    ContentExample(
        name="broken markup",
        markdown="",
        html="<p>never <b>closed <i>anything</p><table><tr><td>x",
        screen="never closed anything\nx",
    ),
    ContentExample(
        name="script is only text",
        markdown="",
        html="<script>alert(1)</script>",
        screen="alert(1)",
    ),
)
