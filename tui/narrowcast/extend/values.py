"""What extensions are given and give back: plain values. All text of theirs is filtered before it is shown."""

from __future__ import annotations

from re import Match

from msgspec import Struct

__all__ = ["Card", "Code", "Link", "Offer", "Refused"]


class Refused(Exception):
    """Raised by a command, a slash command or a hook that cannot do what was asked: its text is told to the user, and
    the extension stays on.
    """


class Link(Struct, frozen=True):
    """A link in a message: where it leads, what it says, and how its address matches the pattern."""

    url: str
    text: str
    match: Match[str]


class Code(Struct, frozen=True):
    """A code block of a message. `language`: in lower case, as its writer named it."""

    language: str
    source: str


class Card(Struct, frozen=True):
    """A card below the paragraph of a link, or in place of a code block.

    `title`: one line. `description`: three lines of it are shown. `url`: what it opens; empty: the link it is for, or
    nothing.
    """

    title: str
    description: str = ""
    url: str = ""


class Offer(Struct, frozen=True):
    """A completion: `insert` takes the place of what was typed; `label` (else `insert`) and `detail` are shown."""

    insert: str
    label: str = ""
    detail: str = ""
