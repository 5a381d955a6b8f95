"""The parser put together, and the two functions that the server calls."""

import re
from collections.abc import Mapping, MutableMapping, Sequence
from functools import lru_cache
from typing import Any

import re2
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

from narrowcast_server.markdown import depth, fences, inline, links, mentions, previews
from narrowcast_server.markdown.context import MarkdownContext, Rendered
from narrowcast_server.markdown.run import RUN, Run, run_of
from narrowcast_server.markdown.sanitize import sanitized

DISABLED_RULES = ["reference", "lheading", "html_block", "html_inline"]
ME_COMMAND = "/me "
TOPIC_ADDRESS = re.compile(r"https?://[^\s<>\"`]+")

Env = MutableMapping[str, Any]


class Renderer(RendererHTML):
    """The library's renderer with the service's own shapes."""

    def raw_html(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Env) -> str:
        """What our own rules made and escaped themselves."""
        return tokens[index].content

    def s_open(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Env) -> str:
        return "<del>"

    def s_close(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Env) -> str:
        return "</del>"

    def code_block(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Env) -> str:
        return fences.code_html(run_of(env), tokens[index].content, "") + "\n"

    def image(self, tokens: Sequence[Token], index: int, options: OptionsDict, env: Env) -> str:
        token = tokens[index]
        return previews.inline_media_html(run_of(env), str(token.attrs.get("src", "")), token.content)


@lru_cache(maxsize=1)
def parser() -> MarkdownIt:
    """One parser for the process; it holds no state of a rendering."""
    options = {"html": False, "linkify": False, "typographer": False, "breaks": True, "xhtmlOut": False}
    md = MarkdownIt("js-default", {**options, "maxNesting": depth.DEEPEST_NESTING}, renderer_cls=Renderer)
    md.disable(DISABLED_RULES)
    inline.install(md)
    mentions.install(md)
    fences.install(md)
    md.core.ruler.at("inline", inline_pass)
    links.install(md)
    previews.install(md)
    depth.install(md)
    return md


def inline_pass(state: StateCore) -> None:
    """Parses the lines of text, knowing which stand in a quote: mentions are silent there."""
    run, quotes = run_of(state.env), 0
    for token in state.tokens:
        if token.type in ("blockquote_open", "blockquote_close"):
            quotes += token.nesting
        elif token.type == "inline":
            run.quoted = quotes > 0
            token.children = token.children or []
            state.md.inline.parse(token.content, state.md, state.env, token.children)
        elif token.type in ("th_open", "td_open") and "style" in token.attrs:
            token.attrs["style"] = str(token.attrs["style"]).replace(":", ": ") + ";"


def render(source: str, context: MarkdownContext) -> Rendered:
    """The HTML of a message, and everything that the server must know of it. Never raises on any source."""
    run = Run(context)
    # Lone surrogates are no text; they could be neither stored nor sent.
    source = source.encode("utf-8", "replace").decode()
    html = sanitized(parser().render(source, {RUN: run})).strip("\n")
    is_me_message = source.startswith(ME_COMMAND) and html.startswith("<p>") and html.count("<p>") == 1
    return run.rendered(html, alerted(source, context.alert_words), is_me_message)


def alerted(source: str, alert_words: Mapping[int, Sequence[str]]) -> frozenset[int]:
    """Users whose alert words stand in the text as whole words, in any case."""
    text = source.casefold()
    return frozenset(user for user, words in alert_words.items() if has_word(text, tuple(words)))


def has_word(text: str, words: tuple[str, ...]) -> bool:
    """Whether one of the words stands in case-folded text with no word character around it.

    The time grows with the length of the text alone, whatever the words are.
    """
    pattern = _words_pattern(words)
    return pattern is not None and pattern.search(text) is not None


@lru_cache(maxsize=2048)
def _words_pattern(words: tuple[str, ...]) -> Any:
    needles = {needle for word in words if (needle := word.casefold().strip())}
    if not needles:
        return None
    either = "|".join(re2.escape(needle) for needle in sorted(needles))
    try:
        return re2.compile(rf"(?:^|[^\pL\pN_])(?:{either})(?:[^\pL\pN_]|$)")
    except re2.error:
        # More words than it has room for.
        return None


def topic_links(topic: str, context: MarkdownContext) -> list[dict[str, str]]:
    """`topic_links` of a message: what linkifiers and addresses find in its topic, in order."""
    compiled = links.compile_linkifiers(tuple(context.linkifiers))
    placed = [(start, topic[start:end], url) for start, end, url in links.linkified(topic, compiled)]
    for match in TOPIC_ADDRESS.finditer(topic):
        address = links.trimmed(match[0])
        placed.append((match.start(), address, address))
    return [{"text": text, "url": url} for _, text, url in sorted(placed)]
