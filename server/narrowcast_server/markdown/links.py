"""Links: explicit ones, URLs and email addresses in text, and matches of linkifiers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from re import Match
from typing import Final
from urllib.parse import quote, urlsplit, urlunsplit
from xml.etree.ElementTree import Element

import re2
import uritemplate
from linkify_it.tlds import TLDS
from markdown import inlinepatterns as library
from markdown.util import STX, AtomicString
from uritemplate.variable import VariableValue

from narrowcast_server.markdown.context import LinkPattern
from narrowcast_server.markdown.elements import ElementRule, Engine, Found, element, is_partly_finished
from narrowcast_server.markdown.previews import inline_media
from narrowcast_server.markdown.run import UPLOADS, RenderingRun
from narrowcast_server.markdown.sanitize import SCHEMES

FILE_SUFFIXES: Final = frozenset({"java", "md", "mov", "py", "zip"})
"""Top-level domains that look like file extensions."""
TRAILING_PUNCTUATION: Final = "!:;?),.'\">"
"""Punctuation that does not belong to an address at its end."""
MAX_TRAILING_PUNCTUATION: Final = 20
MAX_ADDRESS: Final = 2000
DEEPEST_PARENTHESES: Final = 7
DEEPEST_BRACKETS: Final = 60
LINKIFIER_MEMORY: Final = 1 << 20
WHOLE: Final = "_whole"
EXPRESSION: Final = re.compile(r"\{[^}]*\}")
HOST: Final = re.compile(r"(?:[^/?#{]|\{[^/?#;}][^}]*\})*")
WORD: Final = re.compile(rf"[^\s{STX}]+")
"""Up to white space or a placeholder of another rule."""
ADDRESS_STARTS: Final = re.compile(r"(?<![^\s'\"(,:<])(?=https?://|[\w-]+\.|[\w.-]+@|bitcoin:[13])")
BEFORE_LINKIFIER: Final = r"(?:^|\s|\x{85}|\pZ|['\"(,:<])"
BRACKET: Final = re.compile(r"\[|\]\(?")
PARENTHESES: Final = re.compile(r"[()]")
TOPIC_WORD: Final = re.compile(r"[^ !;),'\"]+")


@dataclass(frozen=True, slots=True)
class LinkPlace:
    """Text from `start` to `end` that is a link to `url`."""

    start: int
    end: int
    url: str


def install(md: Engine, linkifiers: tuple[LinkPattern, ...]) -> None:
    """Adds the rules, in the order in which they are applied."""
    md.inlinePatterns.register(LinkRule(md), "link", 60)
    md.inlinePatterns.register(MediaRule(md), "media", 59)
    md.inlinePatterns.register(AddressRule(md), "address", 55)
    for number, compiled in enumerate(compile_linkifiers(linkifiers)):
        md.inlinePatterns.register(LinkifierRule(md, compiled), f"linkifier {number}", 45)


def link_to(run: RenderingRun, address: str, text: str) -> Element | None:
    """A link; None if the address is not allowed or the link budget is used up."""
    href = checked(address)
    if href is None or run.link_budget <= 0:
        return None
    run.link_budget -= 1
    return element("a", text, href=relative(run, href))


def relative(run: RenderingRun, href: str) -> str:
    """A relative address for views and uploads of this organization; others are unchanged."""
    here = f"{run.context.realm_url}/"
    if href.startswith((f"{here}#", f"{here}{UPLOADS[1:]}")):
        return href.removeprefix(here)
    return href


def checked(address: str) -> str | None:
    """An address with its scheme, http if it has none; None if the scheme is not allowed, empty if it cannot
    be parsed.
    """
    try:
        parts = urlsplit(address.replace(" ", "%20"))
    except ValueError:
        return ""
    if not parts.scheme and not parts.netloc:
        if "@" in parts.path:
            parts = parts._replace(scheme="mailto")
        elif parts.path.startswith("/") or (parts.fragment and not parts.path and not parts.query):
            return urlunsplit(parts)
    if not parts.scheme:
        return checked(f"http://{address}")
    return urlunsplit(parts) if parts.scheme in SCHEMES else None


class _Brackets(ElementRule):
    """Base class of the rules for `[text](address "title")`."""

    def __init__(self, library_rule: library.LinkInlineProcessor, md: Engine) -> None:
        super().__init__(library_rule.compiled_re, md)
        self._library = library_rule
        self._seen = ""
        self._starts: frozenset[int] = frozenset()
        """Where links may begin in the text last seen, from its end."""

    def find(self, run: RenderingRun, match: Match[str], data: str) -> Found | None:
        if run.link_budget <= 0 or not self._may_begin(data, match.end() - 1):
            return None
        run.link_budget -= 1
        link, start, end = self._library.handleMatch(match, data)
        if not isinstance(link, Element) or any(map(is_partly_finished, link.attrib.values())):
            # The library restores most placeholders in an address to text, but not formulas.
            return None
        made = self._made(run, link)
        return None if made is None or start is None or end is None else (made, start, end)

    def _may_begin(self, data: str, bracket: int) -> bool:
        # Each link is replaced in the text as it is found, but what follows it stays as it was.
        if not self._seen.endswith(data[bracket:]):
            self._seen = data
            self._starts = frozenset(len(data) - start for start in bracket_starts(data))
        return len(data) - bracket in self._starts

    def _made(self, run: RenderingRun, link: Element) -> Element | None:
        """The replacement for the library's link; None leaves the text as it is."""
        raise NotImplementedError


class LinkRule(_Brackets):
    """`[text](address)`: the text is not parsed further."""

    def __init__(self, md: Engine) -> None:
        super().__init__(library.LinkInlineProcessor(library.LINK_RE, md), md)

    def _made(self, run: RenderingRun, link: Element) -> Element | None:
        href = checked(link.get("href", ""))
        if href is None:
            return None
        href = relative(run, href)
        link.set("href", href)
        link.text = AtomicString(link.text if link.text and link.text.strip() else href)
        return link


class MediaRule(_Brackets):
    """`![name](address)`: uploaded pictures and audio are shown inline, as on newer servers."""

    def __init__(self, md: Engine) -> None:
        super().__init__(library.ImageInlineProcessor(library.IMAGE_LINK_RE, md), md)

    def _made(self, run: RenderingRun, link: Element) -> Element | None:
        return inline_media(run, link.get("src", ""), link.get("alt", ""))


def bracket_starts(source: str) -> frozenset[int]:
    """Where links may begin: at brackets closed by `](` with a `)` later, inside fewer than DEEPEST_BRACKETS
    others.

    One pass over the source, because the library scans from each bracket to the end.
    """
    last = source.rfind(")")
    open_brackets: list[int] = []
    starts: set[int] = set()
    for match in BRACKET.finditer(source):
        if match[0] == "[":
            open_brackets.append(match.start())
        elif open_brackets:
            start = open_brackets.pop()
            if len(match[0]) > 1 and match.end() <= last and len(open_brackets) < DEEPEST_BRACKETS:
                starts.add(start)
    return frozenset(starts)


class AddressRule(ElementRule):
    """`https://example.com/path`, `example.com`, `someone@example.com` in running text."""

    def __init__(self, md: Engine) -> None:
        super().__init__(ADDRESS_STARTS, md)

    def find(self, run: RenderingRun, match: Match[str], data: str) -> Found | None:
        address = address_at(data, match.start())
        link = None if address is None else link_to(run, address, address)
        if address is None or link is None:
            return None
        return link, match.start(), match.start() + len(address)


def address_at(text: str, start: int) -> str | None:
    """The address that begins at a position, or None."""
    word = WORD.match(text, start, start + MAX_ADDRESS + 1)
    if word is None or len(word[0]) > MAX_ADDRESS:
        return None
    end = end_of_address(word[0])
    address = None if end is None else address_pattern().fullmatch(word[0], 0, end)
    return None if address is None else address[0]


def end_of_address(word: str) -> int | None:
    """The end of an address: before trailing punctuation, except balanced parentheses; None if they are not
    balanced.
    """
    end = len(word.rstrip(TRAILING_PUNCTUATION))
    depth = 0
    for match in PARENTHESES.finditer(word, 0, end + MAX_TRAILING_PUNCTUATION):
        if match.start() >= end and depth == 0:
            break
        depth += 1 if match[0] == "(" else -1
        if not 0 <= depth <= DEEPEST_PARENTHESES:
            return None
        end = max(end, match.end())
    return end if depth == 0 else None


@lru_cache(maxsize=1)
def address_pattern() -> re.Pattern[str]:
    """Matches an address: with a scheme any host, otherwise an existing top-level domain is required."""
    domains = "|".join(sorted({domain.lower() for domain in TLDS} - FILE_SUFFIXES, key=len, reverse=True))
    return re.compile(
        rf"(?:https?://[\w.:@-]+|(?:[\w-]+\.)+(?:{domains}))(?:/[^\s\"]*)?"
        r"|[\w.-]+@[\w.-]+\.\w+|bitcoin:[13][a-km-zA-HJ-NP-Z1-9]{25,34}"
    )


class LinkifierRule(ElementRule):
    """Matches of one of the organization's linkifiers."""

    def __init__(self, md: Engine, compiled: CompiledLinkifier) -> None:
        pattern, self._whole, self._linkifier = compiled
        super().__init__(pattern, md)

    def find(self, run: RenderingRun, match: Match[str], data: str) -> Found | None:
        start, end = match.span(self._whole)
        if start == end or is_partly_finished(data[start:end]):
            return None
        url = expand(self._linkifier, match)
        link = None if url is None else link_to(run, url, data[start:end])
        return None if link is None else (link, start, end)


CompiledLinkifier = tuple[re.Pattern[str], int, LinkPattern]
"""A pattern of RE2, which has the interface of one of `re`; the group of the whole match; the linkifier."""
CompiledLinkifiers = tuple[CompiledLinkifier, ...]


@lru_cache(maxsize=16)
def compile_linkifiers(linkifiers: tuple[LinkPattern, ...]) -> CompiledLinkifiers:
    """Compiles linkifiers, including the allowed surrounding text; patterns that RE2 rejects are skipped."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = LINKIFIER_MEMORY
    compiled = []
    for linkifier in linkifiers:
        try:
            pattern = re2.compile(
                rf"{BEFORE_LINKIFIER}(?P<{WHOLE}>{linkifier.pattern})(?:$|[^\pL\pN])", options
            )
        except re2.error:
            continue
        compiled.append((pattern, pattern.groupindex[WHOLE], linkifier))
    return tuple(compiled)


def linkified(text: str, compiled: CompiledLinkifiers) -> Iterator[LinkPlace]:
    """The matches of all linkifiers, one linkifier after the other."""
    for pattern, whole, linkifier in compiled:
        position = 0
        while (match := pattern.search(text, position)) is not None:
            start, end = match.span(whole)
            # The character after a match may also precede the next one.
            position = max(end, position + 1)
            url = None if start == end else expand(linkifier, match)
            if url is not None:
                yield LinkPlace(start, end, url)


def expand(linkifier: LinkPattern, match: Match[str]) -> str | None:
    """The address of a match; None if its host would differ from the template's."""
    values: dict[str, VariableValue] = {
        name: value or "" for name, value in match.groupdict().items() if name != WHOLE
    }
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
    """Matches the allowed hosts of an expanded template: a variable stands for at most one label."""
    host = HOST.match(template.partition("://")[2])
    pieces = EXPRESSION.split(host[0] if host else "")
    return re.compile("[A-Za-z0-9-]*".join(map(re.escape, pieces)))


def topic_links(topic: str, linkifiers: tuple[LinkPattern, ...]) -> list[dict[str, str]]:
    """`topic_links` of a message: matches of linkifiers, and addresses that do not overlap them, in order."""
    found: list[LinkPlace] = []
    for one in chain(linkified(topic, compile_linkifiers(linkifiers)), addresses_in(topic)):
        if all(one.end <= other.start or other.end <= one.start for other in found):
            found.append(one)
    found.sort(key=lambda one: one.start)
    return [{"text": topic[one.start : one.end], "url": one.url} for one in found]


def addresses_in(topic: str) -> Iterator[LinkPlace]:
    """The addresses among the words of a topic."""
    for word in TOPIC_WORD.finditer(topic):
        address = address_at(word[0], 0) if ADDRESS_STARTS.match(word[0]) else None
        if address is not None:
            url = address if urlsplit(address).scheme else f"https://{address}"
            yield LinkPlace(word.start(), word.start() + len(address), url)
