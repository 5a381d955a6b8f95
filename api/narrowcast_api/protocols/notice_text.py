"""The first words of a rendered message, for a notification, without the hidden content of spoilers."""

from __future__ import annotations

from collections.abc import Callable
from html.parser import HTMLParser

from narrowcast_api.characters import sanitized_line

__all__ = ["words_of"]

_MAX_PARSED = 6_000
"""Characters of a message's HTML that are parsed."""
_WITHOUT_END = frozenset(
    {"area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
)
_APART = frozenset(
    {"p", "br", "div", "li", "tr", "td", "th", "pre", "blockquote", "h1", "h2", "h3", "h4", "h5", "h6"}
)
_SKIPPED_CLASSES = frozenset({"spoiler-content", "katex-html", "message_inline_image", "message_embed"})
_SKIPPED = frozenset({"script", "style", "annotation-xml"})


def words_of(html: str, longest: int, when: Callable[[str], str] | None = None) -> str:
    """Returns the text of `html` in one line of at most `longest` characters; a placeholder if it has no text.

    `when` returns how a time is written, given as servers write it (ISO 8601), or '' to leave it as it is.
    """
    reader = _NoticeReader(longest, when)
    try:
        reader.feed(html[:_MAX_PARSED])
        reader.close()
    except (AssertionError, ValueError):  # the parser gives up on some broken declarations
        pass
    return sanitized_line(" ".join("".join(reader.parts).split()) or reader.other, longest)


class _NoticeReader(HTMLParser):
    """Collects text until there is enough."""

    def __init__(self, longest: int, when: Callable[[str], str] | None) -> None:
        super().__init__(convert_charrefs=True)
        self._when = when
        self.parts: list[str] = []
        self.other = "(no text)"
        self._left = 4 * longest
        self._hidden: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Skips hidden elements, separates blocks, and notes content that is not text."""
        if self._hidden:
            if tag not in _WITHOUT_END:
                self._hidden.append(tag)
            return
        values = dict(attrs)
        classes = set((values.get("class") or "").split())
        if tag == "img":
            self._image(classes, values.get("alt") or "")
            return
        if tag == "time" and self._when is not None and (written := self._when(values.get("datetime") or "")):
            self._add(written)
            self._hidden.append(tag)
            return
        if tag in ("video", "audio"):
            self.other = f"({tag})"
        if tag in _SKIPPED or classes & _SKIPPED_CLASSES:
            if "message_inline_image" in classes:
                self.other = "(picture)"
            if "spoiler-content" in classes:
                self._add(" (spoiler)")
            self._hidden.append(tag)
        elif tag in _APART:
            self._add(" ")

    def handle_endtag(self, tag: str) -> None:
        """Ends a hidden element or a block."""
        if tag in self._hidden:
            while self._hidden.pop() != tag:
                pass
        elif tag in _APART:
            self._add(" ")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._add(data)

    def _image(self, classes: set[str], alt: str) -> None:
        if "emoji" in classes:
            self._add(alt)
        else:
            self.other = "(picture)"

    def _add(self, text: str) -> None:
        if self._left > 0:
            self.parts.append(text[: self._left])
            self._left -= len(text)
