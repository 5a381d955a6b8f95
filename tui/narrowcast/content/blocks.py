"""The content of a message after its HTML is parsed: plain values, all text safe to show.

Users, groups and channels are stored by id, because their names may change after a message was rendered; the
server's text is stored beside the id for those that are not known.
"""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from narrowcast.text.safe_text import SafeText

BOLD, ITALIC, STRIKE, CODE, FOUND = 1, 2, 4, 8, 16
"""Bits of an inline's `look`."""
TAB, REST_OF_TAB = "tab", "rest of tab"
"""In place of a class of the highlighter: the first blank that shows a tab in code, and the others."""


class TextRun(Struct, frozen=True):
    """A run of text. `href` is the raw target of a link; `token` a class name of the code highlighter."""

    text: SafeText
    look: int = 0
    href: str = ""
    token: str = ""


class Break(Struct, frozen=True):
    """A line break within a paragraph."""


class MentionKind(Enum):
    """What kind of thing a mention names."""

    USER = "user"
    GROUP = "group"
    EVERYBODY = "everybody"
    TOPIC = "topic"


class Mention(Struct, frozen=True):
    """A mention; `id` is None for wildcards and for mentions that name only an email address."""

    kind: MentionKind
    id: int | None
    text: SafeText
    silent: bool = False
    look: int = 0


class ChannelLink(Struct, frozen=True):
    """A link to a channel, shown with the channel's current name."""

    channel_id: int
    text: SafeText
    href: str
    look: int = 0


class Time(Struct, frozen=True):
    """A time in seconds since the epoch; shown in the user's time zone."""

    at: float
    text: SafeText
    look: int = 0


class Math(Struct, frozen=True):
    """A formula as its TeX source."""

    tex: SafeText
    look: int = 0


Inline = TextRun | Break | Mention | ChannelLink | Time | Math
Inlines = tuple[Inline, ...]


class Paragraph(Struct, frozen=True):
    """Inlines that belong together on one line."""

    inlines: Inlines


class Heading(Struct, frozen=True):
    """A heading; `level` goes from 1 to 6."""

    level: int
    inlines: Inlines


class Rule(Struct, frozen=True):
    """A horizontal line between two blocks."""


class ListBlock(Struct, frozen=True):
    """`start` is the first number, None for bullets."""

    start: int | None
    items: tuple[Blocks, ...]


class Quote(Struct, frozen=True):
    """Quoted blocks, which may contain further quotes. ``author`` and the message at ``href``, if they are named."""

    blocks: Blocks
    author: Mention | None = None
    href: str = ""


class CodeBlock(Struct, frozen=True):
    """Code: pieces (text, class of the highlighter); `language` is '' if not given."""

    language: SafeText
    pieces: tuple[tuple[SafeText, str], ...]
    exact: str = ""
    """The code for copying, if what is shown differs, such as by spaces in place of tabs."""

    @property
    def source(self) -> str:
        return self.exact or "".join(text for text, _ in self.pieces)


class MathBlock(Struct, frozen=True):
    """A TeX formula on lines of its own."""

    tex: SafeText


class Spoiler(Struct, frozen=True):
    """Content that is hidden until the user opens it; `index` counts the spoilers of a message."""

    index: int
    header: Blocks
    blocks: Blocks


class Align(Enum):
    """The alignment of a table's column."""

    LEFT = "left"
    CENTER = "center"
    RIGHT = "right"


class Table(Struct, frozen=True):
    """Rows of cells, all of the same length; `head` is () when there is none."""

    head: tuple[Inlines, ...]
    rows: tuple[tuple[Inlines, ...], ...]
    aligns: tuple[Align, ...]


class CardKind(Enum):
    """What a card represents."""

    IMAGE = "image"
    VIDEO = "video"
    AUDIO = "audio"
    WEBSITE = "website"
    EXTENSION = "extension"


class CardBlock(Struct, frozen=True):
    """Content that text cannot represent.

    `href` opens it, `src` is the server's own copy to draw a picture from, `size` that of the original, width
    and height in pixels. `loading`: the server is still preparing it. `origin`: the extension that made it.
    """

    kind: CardKind
    title: SafeText
    href: str
    src: str = ""
    description: str = ""
    size: tuple[int, int] | None = None
    loading: bool = False
    origin: str = ""


Block = Paragraph | Heading | Rule | ListBlock | Quote | CodeBlock | MathBlock | Spoiler | Table | CardBlock
Blocks = tuple[Block, ...]


class Document(Struct, frozen=True):
    """One message's content. `cut`: it exceeded the fixed limits; `more`: it exceeded the requested number of rows."""

    blocks: Blocks
    cut: bool = False
    more: bool = False
