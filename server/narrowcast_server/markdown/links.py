"""Links that nobody marked up: addresses in text, linkifiers; and emoji typed as characters."""

import re
from bisect import bisect_left, insort
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from urllib.parse import quote, urlsplit

import re2
import uritemplate
from linkify_it import LinkifyIt
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from uritemplate.variable import VariableValue

from narrowcast_server.markdown.context import Linkifier
from narrowcast_server.markdown.inline import emoji_pattern, emoji_starts, raw_emoji_html
from narrowcast_server.markdown.mentions import narrow_html, push_html
from narrowcast_server.markdown.run import Run, run_of

ADDRESS = re.compile(r"://[^\s<>\"`]+")
SCHEME_BEFORE = re.compile(r"(?:^|[^A-Za-z0-9])(https?)$", re.IGNORECASE)
CANDIDATE = re.compile(r"[^\s<>\"`]*[A-Za-z0-9][.@][A-Za-z0-9][^\s<>\"`]*")
LONGEST_ADDRESS = 2000
FILE_SUFFIXES = frozenset({"cc", "js", "md", "pl", "pm", "ps", "py", "rs", "sh", "so", "tf", "ts", "zip"})
LINKIFIER_MEMORY = 1 << 20
WHOLE = "_whole"
EXPRESSION = re.compile(r"\{[^}]*\}")
HOST = re.compile(r"(?:[^/?#{]|\{[^/?#;}][^}]*\})*")


@dataclass(frozen=True, slots=True)
class Found:
    """A piece of text that becomes a node: from `start` to `end`, as `html`."""

    start: int
    end: int
    html: str


class Spans:
    """Pieces of one text that do not overlap, in order; what comes first keeps its place."""

    def __init__(self) -> None:
        self.spans: list[Found] = []

    def free(self, start: int, end: int) -> bool:
        """Whether nothing stands between two positions."""
        index = bisect_left(self.spans, start, key=lambda it: it.start)
        return (index == 0 or self.spans[index - 1].end <= start) and (
            index == len(self.spans) or end <= self.spans[index].start
        )

    def add(self, one: Found) -> bool:
        """Takes a piece where its place is free; says whether it did."""
        if not self.free(one.start, one.end):
            return False
        insort(self.spans, one, key=lambda it: it.start)
        return True


def install(md: MarkdownIt) -> None:
    """Adds the rule for whole addresses, and the pass over what is left as plain text."""
    md.inline.ruler.before("emphasis", "address", address_rule)
    md.core.ruler.push("plain_text_links", text_pass)


def trimmed(address: str) -> str:
    """An address without the punctuation of the sentence around it; closing brackets stay if they pair."""
    while address:
        last = address[-1]
        opener = {")": "(", "]": "[", "}": "{"}.get(last)
        if opener is not None:
            if address.count(last) <= address.count(opener):
                break
        elif last not in ".,;:!?'*~|":
            break
        address = address[:-1]
    return address


def address_rule(state: StateInline, silent: bool) -> bool:
    """`https://host/path` in running text, before its characters can mean emphasis."""
    if not state.src.startswith("://", state.pos) or state.linkLevel > 0:
        return False
    scheme = SCHEME_BEFORE.search(state.pending[-6:])
    match = ADDRESS.match(state.src, state.pos, state.pos + LONGEST_ADDRESS)
    run = run_of(state.env)
    if scheme is None or match is None or run.link_budget <= 0:
        return False
    rest = trimmed(match[0])
    href = state.md.normalizeLink(scheme[1] + rest)
    if len(rest) <= len("://") or not has_host(href):
        return False
    if not silent:
        run.link_budget -= 1
        state.pending = state.pending[: -len(scheme[1])]
        by_name = narrow_html(run, scheme[1] + rest)
        if by_name is None:
            push_link(state, href, scheme[1] + rest)
        else:
            push_html(state, by_name)
    state.pos += len(rest)
    return True


def has_host(href: str) -> bool:
    """Whether an address names a host."""
    try:
        return bool(urlsplit(href).hostname)
    except ValueError:
        return False


def push_link(state: StateInline, href: str, text: str) -> None:
    """Adds a link with plain text."""
    opener = state.push("link_open", "a", 1)
    opener.attrs = {"href": href}
    opener.markup = "linkify"
    state.push("text", "", 0).content = text
    state.push("link_close", "a", -1).markup = "linkify"


def text_pass(state: StateCore) -> None:
    """Looks through plain text outside links for linkifiers, bare addresses and emoji characters."""
    run = run_of(state.env)
    finders = [linkifier_finder(run), bare_address_finder(state.md, run), emoji_finder(run)]
    for token in state.tokens:
        if token.type == "inline" and token.children:
            token.children = list(replaced(token.children, finders))


def replaced(tokens: Sequence[Token], finders: Sequence[Callable[[str], Iterator[Found]]]) -> Iterator[Token]:
    """The tokens with what the finders found in their texts; only emoji are looked for inside links."""
    depth = 0
    for token in tokens:
        if token.type in ("link_open", "link_close"):
            depth += token.nesting
        if token.type == "text":
            yield from split_text(token, finders[-1:] if depth else finders)
        else:
            yield token


def split_text(token: Token, finders: Sequence[Callable[[str], Iterator[Found]]]) -> Iterator[Token]:
    """One text token cut at what was found; the first finder wins where finds overlap."""
    text, found = token.content, Spans()
    for finder in finders:
        for one in finder(text):
            found.add(one)
    if not found.spans:
        yield token
        return
    position = 0
    for one in found.spans:
        if one.start > position:
            yield Token("text", "", 0, content=text[position : one.start])
        yield Token("raw_html", "", 0, content=one.html)
        position = one.end
    if position < len(text):
        yield Token("text", "", 0, content=text[position:])


def anchor(run: Run, href: str, text: str) -> str:
    """A link as HTML; the run remembers it."""
    run.note_link(href)
    run.link_budget -= 1
    return f'<a href="{escape(href)}">{escape(text, quote=False)}</a>'


def emoji_finder(run: Run) -> Callable[[str], Iterator[Found]]:
    """Emoji that were typed as characters."""

    def find(text: str) -> Iterator[Found]:
        if text.isascii():
            return
        starts, position = emoji_starts(), 0
        for index, character in enumerate(text):
            if index < position or character not in starts:
                continue
            match = emoji_pattern(character).match(text, index)
            html = raw_emoji_html(match[0]) if match and run.node_budget > 0 else None
            if match is not None and html is not None:
                run.node_budget -= 1
                position = match.end()
                yield Found(index, position, html)

    return find


def bare_address_finder(md: MarkdownIt, run: Run) -> Callable[[str], Iterator[Found]]:
    """`example.com/path`, `www.example.com` and `someone@example.com`."""

    def find(text: str) -> Iterator[Found]:
        if "." not in text:
            return
        for candidate in CANDIDATE.finditer(text):
            if run.link_budget <= 0:
                return
            if candidate.end() - candidate.start() > LONGEST_ADDRESS:
                continue
            for match in address_library().match(candidate[0]) or ():
                if is_file_name(match.raw) or not md.validateLink(match.url):
                    continue
                start = candidate.start() + match.index
                href = md.normalizeLink(match.url)
                yield Found(start, start + len(match.raw), anchor(run, href, match.raw))

    return find


@lru_cache(maxsize=1)
def address_library() -> LinkifyIt:
    """The recogniser of addresses without a scheme."""
    return LinkifyIt()


def is_file_name(text: str) -> bool:
    """`conftest.py` is a file to most readers, though `.py` is a country."""
    return "/" not in text and "@" not in text and text.rpartition(".")[2].lower() in FILE_SUFFIXES


def linkifier_finder(run: Run) -> Callable[[str], Iterator[Found]]:
    """What the organization's linkifiers match."""
    compiled = compile_linkifiers(tuple(run.context.linkifiers))

    def find(text: str) -> Iterator[Found]:
        for start, end, url in linkified(text, compiled):
            if run.link_budget <= 0:
                return
            yield Found(start, end, anchor(run, url, text[start:end]))

    return find


CompiledLinkifiers = tuple[tuple[re2._Regexp, int, Linkifier], ...]


@lru_cache(maxsize=16)
def compile_linkifiers(linkifiers: tuple[Linkifier, ...]) -> CompiledLinkifiers:
    """Patterns between word boundaries; those that RE2 refuses are left out."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = LINKIFIER_MEMORY
    compiled = []
    for linkifier in linkifiers:
        try:
            pattern = re2.compile(rf"(?:^|[^\pL\pN])(?P<{WHOLE}>{linkifier.pattern})(?:$|[^\pL\pN])", options)
        except re2.error:
            continue
        compiled.append((pattern, pattern.groupindex[WHOLE], linkifier))
    return tuple(compiled)


def linkified(text: str, compiled: CompiledLinkifiers) -> Iterator[tuple[int, int, str]]:
    """(start, end, address) of what the linkifiers match; the first linkifier wins where two overlap."""
    taken = Spans()
    for pattern, whole, linkifier in compiled:
        position = 0
        while (match := pattern.search(text, position)) is not None:
            start, end = match.span(whole)
            # The character behind a match may stand before the next one.
            position = max(end, position + 1)
            if end <= start or not taken.free(start, end):
                continue
            url = expand(linkifier, {name: value or "" for name, value in match.groupdict().items()})
            if url is not None:
                taken.add(Found(start, end, url))
                yield start, end, url


def expand(linkifier: Linkifier, values: dict[str, VariableValue]) -> str | None:
    """The address; None where the values would lead to another host than the template names."""
    values.pop(WHOLE, None)
    url = uritemplate.expand(linkifier.url_template, values)
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not host_pattern(linkifier.url_template).fullmatch(
        parts.netloc
    ):
        return None
    return quote(url, safe="%/:?#[]@!$&'()*+,;=~-._")


@lru_cache(maxsize=64)
def host_pattern(template: str) -> re.Pattern[str]:
    """What the host of an expanded template must look like: a variable in it stands for one label or less."""
    host = HOST.match(template.partition("://")[2])
    pieces = EXPRESSION.split(host[0] if host else "")
    return re.compile("[A-Za-z0-9-]*".join(map(re.escape, pieces)))
