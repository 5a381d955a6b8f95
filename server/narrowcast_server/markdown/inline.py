"""Small inline nodes: emoji, times, TeX; and the limits that keep hostile brackets cheap."""

import re
from datetime import UTC, datetime
from functools import lru_cache
from html import escape

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, emphasis, image, link

from narrowcast_assets.emoji import VARIATION_SELECTOR, character_of, code_of, emoji_names
from narrowcast_server.markdown.mentions import push_html
from narrowcast_server.markdown.run import Run, run_of

EMOJI = re.compile(r":([A-Za-z0-9_+-]{1,60}):")
TIME = re.compile(r"<time:([^>\n]{1,60})>")
EXTRA_EMOJI = "zulip"
"""The one emoji of the service that is neither in Unicode nor uploaded."""
EXTRA_EMOJI_URL = "/static/generated/emoji/images/emoji/unicode/zulip.svg"
DEEPEST_BRACKETS = 12


def backslash_rule(state: StateInline, silent: bool) -> bool:
    """Backslashes are themselves, as on Zulip servers; a backtick behind one begins no code."""
    if not state.src.startswith("\\`", state.pos):
        return False
    if not silent:
        state.pending += "\\`"
    state.pos += 2
    return True


def install(md: MarkdownIt) -> None:
    """Adds the rules, and guards those of the library whose cost grows faster than their input."""
    md.inline.ruler.at("escape", backslash_rule)
    md.inline.ruler.before("emphasis", "emoji", emoji_rule)
    md.inline.ruler.before("emphasis", "tex", tex_rule)
    md.inline.ruler.before("autolink", "time", time_rule)
    md.inline.ruler.at("emphasis", emphasis_rule)
    md.inline.ruler.at("link", link_rule)
    md.inline.ruler.at("image", image_rule)


def emphasis_rule(state: StateInline, silent: bool) -> bool:
    """Emphasis by asterisks alone: underscores belong to identifiers."""
    return state.src[state.pos] == "*" and emphasis.tokenize(state, silent)


def emoji_rule(state: StateInline, silent: bool) -> bool:
    """`:tada:`, custom emoji before the standard's."""
    if state.src[state.pos] != ":":
        return False
    match = EMOJI.match(state.src, state.pos)
    run = run_of(state.env)
    html = emoji_html(run, match[1]) if match and run.node_budget > 0 else None
    if match is None or html is None:
        return False
    if not silent:
        run.node_budget -= 1
        push_html(state, html)
    state.pos = match.end()
    return True


def emoji_html(run: Run, name: str) -> str | None:
    """The node of an emoji by name; None where nothing is called so."""
    custom = run.context.custom_emoji(name)
    if custom is not None:
        title = escape(custom.name.replace("_", " "))
        source, name = escape(custom.source_url), escape(custom.name)
        return f'<img alt=":{name}:" class="emoji" src="{source}" title="{title}">'
    if name == EXTRA_EMOJI:
        return f'<img alt=":{name}:" class="emoji" src="{EXTRA_EMOJI_URL}" title="{name}">'
    code = emoji_names().code(name)
    return None if code is None else unicode_emoji_html(name, code)


def unicode_emoji_html(name: str, code: str) -> str:
    """The span of a Unicode emoji."""
    title = escape(name.replace("_", " "))
    span = f'<span aria-label="{title}" class="emoji emoji-{code}" role="img" title="{title}">'
    return f"{span}:{escape(name)}:</span>"


def raw_emoji_html(character: str) -> str | None:
    """The span of an emoji that was typed as a character; None where it is no known emoji."""
    code = code_of(character)
    name = emoji_names().name(code)
    return None if name is None else unicode_emoji_html(name, code)


@lru_cache(maxsize=1)
def emoji_starts() -> dict[str, list[str]]:
    """The known emoji as characters, by their first one; the longest first."""
    starts: dict[str, list[str]] = {}
    for code in emoji_names().code_to_names:
        text = character_of(code)
        if text and not text[0].isascii():
            starts.setdefault(text[0], []).append(text)
    for texts in starts.values():
        texts.sort(key=len, reverse=True)
    return starts


@lru_cache(maxsize=256)
def emoji_pattern(start: str) -> re.Pattern[str]:
    """The emoji that begin with a character, with optional variation selectors."""
    selector = f"{VARIATION_SELECTOR}?"
    alternatives = ("".join(re.escape(part) + selector for part in text) for text in emoji_starts()[start])
    return re.compile("|".join(alternatives))


def tex_rule(state: StateInline, silent: bool) -> bool:
    """`$$x^2$$` within one line."""
    source, start = state.src, state.pos
    if not source.startswith("$$", start):
        return False
    end = source.find("$$", start + 2)
    run = run_of(state.env)
    if end <= start + 2 or "\n" in source[start:end] or run.node_budget <= 0:
        return False
    if not silent:
        run.node_budget -= 1
        push_html(state, tex_html(source[start + 2 : end].strip(), display=False))
    state.pos = end + 2
    return True


def tex_html(source: str, display: bool) -> str:
    """The usual markup around TeX; the formula stands there as its source, for clients to draw."""
    shown = escape(source, quote=False)
    if not well_formed(source):
        return f'<span class="tex-error">$${shown}$$</span>'
    attributes = ' xmlns="http://www.w3.org/1998/Math/MathML"' + (' display="block"' if display else "")
    math = (
        f"<math{attributes}><semantics><mrow><mtext>{shown}</mtext></mrow>"
        f'<annotation encoding="application/x-tex">{shown}</annotation></semantics></math>'
    )
    html = (
        f'<span class="katex"><span class="katex-mathml">{math}</span>'
        f'<span class="katex-html" aria-hidden="true"><span class="base">{shown}</span></span></span>'
    )
    return f'<span class="katex-display">{html}</span>' if display else html


def well_formed(source: str) -> bool:
    """Whether a formula is there and its braces pair."""
    depth = 0
    for token in re.findall(r"\\.|[{}]", source):
        depth += {"{": 1, "}": -1}.get(token, 0)
        if depth < 0:
            return False
    return depth == 0 and bool(source)


def time_rule(state: StateInline, silent: bool) -> bool:
    """`<time:2026-11-20T10:00:00Z>`, any ISO 8601 form or seconds since 1970."""
    match = TIME.match(state.src, state.pos) if state.src[state.pos] == "<" else None
    if match is None:
        return False
    if not silent:
        push_html(state, time_html(match[1]))
    state.pos = match.end()
    return True


def time_html(text: str) -> str:
    """The node of a time in UTC, or of the mistake."""
    shown = escape(text, quote=False)
    try:
        moment = parse_time(text)
    except (ValueError, OverflowError, OSError):
        return f'<span class="timestamp-error">Invalid time format: {shown}</span>'
    return f'<time datetime="{moment:%Y-%m-%dT%H:%M:%SZ}">{shown}</time>'


def parse_time(text: str) -> datetime:
    """A moment in UTC; without a zone it is taken as UTC. Raises ValueError, OverflowError, OSError."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return datetime.fromtimestamp(float(text), UTC)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def link_rule(state: StateInline, silent: bool) -> bool:
    """The library's link rule, asked only where a closed bracket with a target begins."""
    return state.pos in bracket_starts(state) and link(state, silent)


def image_rule(state: StateInline, silent: bool) -> bool:
    """The library's image rule, under the same condition."""
    return state.pos + 1 in bracket_starts(state) and image(state, silent)


def bracket_starts(state: StateInline) -> frozenset[int]:
    """Where links may begin: `[` with its `](` and few brackets inside. One pass over the source, kept."""
    run = run_of(state.env)
    if run.bracket_source is not state.src:
        run.bracket_source = state.src
        run.bracket_starts = frozenset(find_bracket_starts(state.src))
    return run.bracket_starts


def find_bracket_starts(source: str) -> list[int]:
    """The positions of opening brackets worth a try."""
    open_brackets: list[int] = []
    starts: list[int] = []
    position, size = 0, len(source)
    while position < size:
        character = source[position]
        if character == "\\":
            position += 1
        elif character == "[":
            open_brackets.append(position)
        elif character == "]" and open_brackets:
            start = open_brackets.pop()
            if source.startswith("(", position + 1) and len(open_brackets) < DEEPEST_BRACKETS:
                starts.append(start)
        position += 1
    return starts
