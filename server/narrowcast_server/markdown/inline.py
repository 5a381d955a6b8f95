"""Inline markup: emphasis, code, emoji, times, TeX."""

from __future__ import annotations

import re
import unicodedata
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from html import escape
from re import Match
from typing import Final
from xml.etree.ElementTree import Element

from markdown import inlinepatterns as library
from markdown.util import ETX, STX, code_escape

from narrowcast_api.wire.levels import Gate
from narrowcast_assets.emoji import VARIATION_SELECTOR, character_of, code_of, emoji_names
from narrowcast_server.markdown.elements import ElementRule, Engine, Found, Piece, Replacing, element
from narrowcast_server.markdown.run import RenderingRun

CODE: Final = re.compile(r"(?<!\\)((?:\\{2})+)(?=`)|(?<![\\`])`+")
BACKSLASH: Final = f"{STX}92{ETX}"
BACKTICKS: Final = re.compile(r"`+")
EMOJI = re.compile(r":([\w+-]+):")
TIME = re.compile(r"<time:([^>]*)>")
TEX = re.compile(r"(?<![\w$])\$\$([^\n_$](?:\\\$|[^$\n])*)\$\$(?![\w$])")
STRONG_EMPHASIS: Final = r"(\*{3})(?!\s)([^*^\n]+)(?<!\s)\*{3}"
STRONG: Final = r"(\*\*)([^\n]+?)\*\*"
EMPHASIS: Final = r"(\*)(?!\s)([^*^\n]+)(?<!\s)\*"
ASTERISKS: Final = r"((?<!\S)(?:\*{1,3}|_{1,3})(?!\S))"
DELETED: Final = r"((?<!~)~~)([^~\n]+)~~(?!~)"
EXTRA_EMOJI = "zulip"
"""The only emoji of the service that is neither in Unicode nor uploaded."""
EXTRA_EMOJI_URL = "/static/generated/emoji/images/emoji/unicode/zulip.svg"
MAX_EMOJI_NAME: Final = 60
KEYCAP: Final = "\N{COMBINING ENCLOSING KEYCAP}"
JOINS: Final = re.compile("[\N{ZERO WIDTH JOINER}\U0001f3fb-\U0001f3ff]")


def install(md: Engine) -> None:
    """Adds the rules. Underscores and backslashes have no meaning: they occur in identifiers and paths."""
    patterns = md.inlinePatterns
    patterns.register(CodeRule(md), "code", 105)
    patterns.register(library.DoubleTagInlineProcessor(STRONG_EMPHASIS, "strong,em"), "strong_em", 100)
    patterns.register(Replacing(TEX, md, tex_of), "tex", 90)
    patterns.register(Replacing(TIME, md, time_of), "time", 75)
    patterns.register(library.HtmlInlineProcessor(library.ENTITY_RE, md), "entity", 40)
    patterns.register(library.SimpleTagInlineProcessor(STRONG, "strong"), "strong", 35)
    patterns.register(library.SimpleTagInlineProcessor(EMPHASIS, "em"), "emphasis", 30)
    patterns.register(library.SimpleTagInlineProcessor(DELETED, "del"), "deleted", 25)
    patterns.register(library.SimpleTextInlineProcessor(ASTERISKS), "asterisks", 20)
    patterns.register(Replacing(EMOJI, md, emoji_of), "emoji", 15)
    patterns.register(library.SubstituteTagInlineProcessor(r"\n", "br"), "break", 5)
    patterns.register(EmojiCharacterRule(md), "emoji_character", 0)


class CodeRule(ElementRule):
    """Code between two runs of backticks of the same length; surrounding spaces are kept."""

    def __init__(self, md: Engine) -> None:
        super().__init__(CODE, md)

    def find(self, run: RenderingRun, match: Match[str], data: str) -> Found | None:
        if match[1]:
            # Pairs of backslashes before code; the library restores them at the end.
            return match[1].replace("\\\\", BACKSLASH), match.start(), match.end()
        length, end = closing_backticks(data, match.end(), len(match[0]))
        if not length:
            return None
        code = data[match.start() + length : end]
        return element("code", code_escape(code)), match.start(), end + length


def closing_backticks(text: str, start: int, most: int) -> tuple[int, int]:
    """(length, position) of the first run of exactly `most` backticks, else of the longest shorter one, else
    (0, 0).
    """
    longest = place = 0
    for run in BACKTICKS.finditer(text, start):
        length = len(run[0])
        if length == most:
            return length, run.start()
        if longest < length < most:
            longest, place = length, run.start()
    return longest, place


def emoji_of(run: RenderingRun, match: Match[str]) -> Piece:
    """`:tada:`: custom emoji take precedence over standard ones; an unknown name stays text that is not
    parsed further.
    """
    name = match[1]
    if run.node_budget <= 0 or len(name) > MAX_EMOJI_NAME:
        return match[0]
    run.node_budget -= 1
    custom = run.context.custom_emoji(name)
    if custom is not None:
        return picture(custom.name, custom.source_url)
    if name == EXTRA_EMOJI:
        return picture(name, EXTRA_EMOJI_URL)
    code = emoji_names().code(name)
    return match[0] if code is None else unicode_emoji(name, code)


def picture(name: str, source: str) -> Element:
    """An emoji shown as an image."""
    title = name.replace("_", " ")
    return element("img", alt=f":{name}:", class_="emoji", src=source, title=title)


def unicode_emoji(name: str, code: str) -> Element:
    """The span of a Unicode emoji."""
    title = name.replace("_", " ")
    attributes = {"class_": f"emoji emoji-{code}", "role": "img", "title": title}
    return element("span", f":{name}:", aria_label=title, **attributes)


class EmojiCharacterRule(ElementRule):
    """Emoji typed as Unicode characters."""

    def __init__(self, md: Engine) -> None:
        super().__init__(emoji_characters(), md)

    def find(self, run: RenderingRun, match: Match[str], data: str) -> Found | None:
        whole = emoji_pattern(match[0]).match(data, match.start())
        if whole is None or run.node_budget <= 0 or is_shown_as_text(whole[0]):
            return None
        if JOINS.match(data, whole.end()) or JOINS.match(data, match.start() - 1):
            # Part of a sequence without a name, such as one with a skin tone.
            return None
        code = code_of(whole[0])
        name = emoji_names().name(code)
        if name is None:
            return None
        run.node_budget -= 1
        return unicode_emoji(name, code), whole.start(), whole.end()


def is_shown_as_text(emoji: str) -> bool:
    """Whether a character is displayed as text unless a variation selector follows, such as ↔ and ™."""
    return emoji[1:] in ("", KEYCAP) and unicodedata.east_asian_width(emoji[0]) != "W"


@lru_cache(maxsize=1)
def emoji_characters() -> re.Pattern[str]:
    """Matches the characters that an emoji can begin with."""
    return re.compile(f"[{''.join(map(re.escape, emoji_starts()))}]")


@lru_cache(maxsize=1)
def emoji_starts() -> dict[str, list[str]]:
    """The known emoji by their first character; longest first."""
    starts: dict[str, list[str]] = {}
    for code in emoji_names().code_to_names:
        text = character_of(code)
        if text:
            starts.setdefault(text[0], []).append(text)
    for texts in starts.values():
        texts.sort(key=len, reverse=True)
    return starts


@lru_cache(maxsize=256)
def emoji_pattern(start: str) -> re.Pattern[str]:
    """Matches the emoji that begin with a character, with optional variation selectors."""
    selector = f"{VARIATION_SELECTOR}?"
    alternatives = ("".join(re.escape(part) + selector for part in text) for text in emoji_starts()[start])
    return re.compile("|".join(alternatives))


def tex_of(run: RenderingRun, match: Match[str]) -> Piece | None:
    """`$$x^2$$` within one line."""
    if run.node_budget <= 0:
        return None
    run.node_budget -= 1
    return run.stash(tex_html(match[1], display=False))


def tex_html(source: str, display: bool) -> str:
    """The usual markup of TeX, with the source in place of the rendered formula, which clients draw."""
    shown = escape(source, quote=False)
    if not is_well_formed(source):
        shown = shown if display else f"$${shown}$$"
        return f'<span class="tex-error">{shown}</span>'
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


def is_well_formed(source: str) -> bool:
    """Whether a formula is not empty and its braces are balanced."""
    depth = 0
    for token in re.findall(r"\\.|[{}]", source):
        depth += {"{": 1, "}": -1}.get(token, 0)
        if depth < 0:
            return False
    return depth == 0 and bool(source)


def time_of(run: RenderingRun, match: Match[str]) -> Piece:
    """`<time:2026-11-20T10:00:00Z>`, a date in words, or seconds since 1970; converted to UTC. Others stay as they are;
    below level 451 they are an error element.
    """
    text = match[1]
    try:
        moment = parse_time(text)
    except (ValueError, OverflowError, OSError):
        if run.context.level >= Gate.INVALID_TIME_AS_TEXT.level:
            return match[0]
        return element("span", f"Invalid time format: {text}", class_="timestamp-error")
    return element("time", text, datetime=moment.isoformat().replace("+00:00", "Z"))


def parse_time(text: str) -> datetime:
    """A time in UTC, which is also the default time zone. Raises ValueError, OverflowError, OSError."""
    for parse in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = parse(text.strip())
        except (ValueError, TypeError):
            continue
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return datetime.fromtimestamp(float(text), UTC)
