"""The values that extensions receive and return. All their text is filtered before it is shown."""

from __future__ import annotations

from re import Match

from msgspec import Struct

__all__ = ["Card", "Code", "Link", "Offer", "Refused"]


class Refused(Exception):
    """Raised by a command, a slash command or a hook that cannot do what was asked: its text is shown to the user,
    and the extension stays on.
    """


class Link(Struct, frozen=True):
    """A link in a message: its address, its text, and the match of its address with the pattern."""

    url: str
    text: str
    match: Match[str]


class Code(Struct, frozen=True):
    """A code block of a message. `language`: as its author wrote it, in lower case."""

    language: str
    source: str


class Card(Struct, frozen=True):
    """A card below the paragraph of a link, or in place of a code block.

    `title`: one line. `description`: at most three lines of it are shown. `url`: the address that the card opens;
    if empty, the link's address, or none for a code block.
    """

    title: str
    description: str = ""
    url: str = ""


class Offer(Struct, frozen=True):
    """A completion: `insert` replaces the matched text; `label` (default: `insert`) and `detail` are shown."""

    insert: str
    label: str = ""
    detail: str = ""
