"""Texts with the HTML that a Zulip server rendered, and the organization in which it did.

`python -m live SITE RC_FOLDER --change-this-organization renderings` has a server render all texts of the
file again.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path
from typing import Final

import msgspec
from selectolax.lexbor import LexborHTMLParser, LexborNode

from narrowcast_server.markdown import (
    AttachmentInfo,
    EmojiPicture,
    LinkedChannel,
    LinkPattern,
    MentionedGroup,
    MentionedUser,
    NoLookups,
)

FILE: Final = Path(__file__).resolve().parents[1] / "server" / "renderings.json"


class World(msgspec.Struct, kw_only=True):
    """What texts can refer to; ids and addresses are those of the organization that rendered them."""

    site: str
    people: dict[str, int]
    groups: dict[str, int]
    channels: dict[str, int]
    topics: dict[str, int]
    """`channel>topic` -> its newest message."""
    linkifiers: list[tuple[str, str]]
    emoji: dict[str, tuple[str, str]]
    """name -> (id, address)."""
    uploads: dict[str, str]
    """Name in a text -> its address, which begins with `/user_uploads/`."""

    def filled(self, text: str) -> str:
        """Returns a text with ids and addresses in place of `{site}`, `{Kaja Berg}`, `{general}`, `{image}`."""
        for names in (self.people, self.channels, self.uploads, {"site": self.site}):
            for name, value in names.items():
                text = text.replace(f"{{{name}}}", str(value))
        return text


class Rendering(msgspec.Struct, omit_defaults=True, kw_only=True):
    """`ours` is the embedded server's HTML, where it differs from `html` on purpose."""

    text: str
    html: str | None = None
    """None if the server did not render it."""
    ours: str | None = None


class Recorded(msgspec.Struct, kw_only=True):
    """The whole file of texts."""

    level: int
    world: World
    renderings: dict[str, list[Rendering]]


@cache
def recorded() -> Recorded:
    """Returns the contents of the file, read once."""
    return msgspec.json.decode(FILE.read_bytes(), type=Recorded)


def write(what: Recorded) -> None:
    """Replaces the file."""
    text = json.dumps(msgspec.to_builtins(what), ensure_ascii=True, indent=1)
    FILE.write_text(text + "\n", encoding="utf-8")


def as_read(html: str) -> str:
    """HTML normalized as browsers read it; formulas are reduced to their source, since their rendering differs."""
    tree = LexborHTMLParser(f"<body>{html}")
    for node in tree.css("span.katex"):
        source = node.css_first("annotation")
        node.replace_with(f"$${source.text() if source else ''}$$")
    for node in tree.css("[class]"):
        node.attrs["class"] = " ".join(sorted((node.attrs["class"] or "").split()))
    body = tree.body
    return _in_order(body) if body else ""


def _in_order(node: LexborNode) -> str:
    """Returns a node with its attributes sorted by name."""
    if node.tag == "-text":
        return escape(node.text_content or "")
    inner = "".join(map(_in_order, node.iter(include_text=True)))
    if node.tag == "body":
        return inner
    attributes = "".join(f' {name}="{value or ""}"' for name, value in sorted(node.attrs.items()))
    return f"<{node.tag}{attributes}>{inner}</{node.tag}>"


@dataclass(frozen=True)
class RecordedContext(NoLookups):
    """The lookups of the organization in which the texts were rendered."""

    world: World = field(default_factory=lambda: recorded().world)

    def __post_init__(self) -> None:
        object.__setattr__(self, "realm_url", self.world.site)
        object.__setattr__(self, "level", 387)
        object.__setattr__(self, "linkifiers", tuple(LinkPattern(*one) for one in self.world.linkifiers))

    def user_by_id(self, user_id: int) -> MentionedUser | None:
        found = (name for name, one in self.world.people.items() if one == user_id)
        return next((MentionedUser(user_id, name) for name in found), None)

    def users_by_name(self, full_name: str) -> Sequence[MentionedUser]:
        people = self.world.people.items()
        return [MentionedUser(one, name) for name, one in people if name.casefold() == full_name.casefold()]

    def group_by_name(self, name: str) -> MentionedGroup | None:
        return MentionedGroup(self.world.groups[name], name) if name in self.world.groups else None

    def channel_by_name(self, name: str) -> LinkedChannel | None:
        return LinkedChannel(self.world.channels[name], name) if name in self.world.channels else None

    def last_message_id(self, channel_id: int, topic: str) -> int | None:
        names = {
            f"{name}>{topic}".casefold() for name, one in self.world.channels.items() if one == channel_id
        }
        return next((one for name, one in self.world.topics.items() if name.casefold() in names), None)

    def custom_emoji(self, name: str) -> EmojiPicture | None:
        found = self.world.emoji.get(name)
        return None if found is None else EmojiPicture(found[0], name, found[1])

    def attachment(self, path_id: str) -> AttachmentInfo | None:
        if f"/user_uploads/{path_id}" not in self.world.uploads.values():
            return None
        name = path_id.rpartition("/")[2]
        kinds = {".png": "image/png", ".mp4": "video/mp4", ".mp3": "audio/mpeg"}
        kind = kinds.get(Path(name).suffix, "text/plain")
        size = (1, 1) if kind == "image/png" else (None, None)
        return AttachmentInfo(path_id, name, kind, *size)
