"""Inlines as styled runs, with their targets."""

from __future__ import annotations

import re
from enum import Enum
from typing import Protocol
from urllib.parse import quote, urlsplit

from msgspec import Struct, field
from msgspec.structs import replace
from rich.style import Style

from narrowcast.content.blocks import (
    BOLD,
    CODE,
    FOUND,
    ITALIC,
    STRIKE,
    Break,
    ChannelLink,
    Inline,
    Inlines,
    Math,
    Mention,
    MentionKind,
    TextRun,
    Time,
)
from narrowcast.content.palette import Palette
from narrowcast.content.tex import readable
from narrowcast.content.wrapping import Run
from narrowcast.text.safe_text import safe_line

__all__ = ["Inliner", "MessageNames", "Target", "TargetKind", "host_of", "is_picture", "link_style"]


class MessageNames(Protocol):
    """Current names and times, which are needed to show a message; None if unknown."""

    def user(self, user_id: int) -> str | None:
        """The full name of a person."""

    def group(self, group_id: int) -> str | None:
        """The name of a user group."""

    def channel(self, channel_id: int) -> str | None:
        """The name of a channel; None if unknown."""

    def is_own(self, mention: Mention) -> bool:
        """Whether a mention includes the current user."""

    def moment(self, at: float) -> str:
        """A time in the user's zone and format."""


_LINKED = re.compile(r"https?://[!-.0-~]")
_SIGNS = "!#$%&'()*+,/:;=?@[]~"
"""The signs that are left as they are in an address."""
MAX_ADDRESS = 2000


def link_style(href: str) -> Style:
    """The style that makes a text a link of the terminal, if ``href`` is an address for browsers."""
    address = quote(href, safe=_SIGNS)
    return Style(link=address) if _LINKED.match(href) and len(address) <= MAX_ADDRESS else Style.null()


class TargetKind(Enum):
    """The action of a target."""

    LINK = "link"
    USER = "user"
    MEDIA = "media"
    SPOILER = "spoiler"
    VOTE = "vote"
    TASK = "task"
    MORE = "more"
    REACTION = "reaction"
    CODE = "code"


class Target(Struct, frozen=True):
    """A place with an action: `value` is the address, id, index, key or code; `label` is shown to the user."""

    kind: TargetKind
    value: str
    label: str = ""
    src: str = ""


def is_picture(target: Target) -> bool:
    """Whether a target is an image, not a video or audio."""
    if target.kind is not TargetKind.MEDIA or not target.src:
        return False
    path = target.src.partition("?")[0].lower()
    return not path.endswith((".mp4", ".webm", ".mp3", ".ogg", ".wav", ".flac", ".m4a", ".aac", ".opus"))


class Inliner(Struct):
    """Turns inlines into runs and collects the targets of one message in order of appearance."""

    palette: Palette
    names: MessageNames
    targets: list[Target] = field(default_factory=list)

    def runs(self, inlines: Inlines) -> list[Run]:
        """Inlines as runs; a line break is a run of one line feed."""
        runs: list[Run] = []
        href, target, label = "", Style.null(), ""
        for inline in inlines:
            next_href = inline.href if isinstance(inline, TextRun) else ""
            if next_href != href:
                _warn_of_host(runs, href, label, self.palette.dim)
                href, label = next_href, ""
                target = (
                    self.target(Target(TargetKind.LINK, href)) + link_style(href) if href else Style.null()
                )
            if href and isinstance(inline, TextRun):
                label += inline.text
                self.targets[-1] = (
                    replace(self.targets[-1], label=label) if self.targets else self.targets[-1]
                )
            runs.append(self._run(inline, target if href else None))
        _warn_of_host(runs, href, label, self.palette.dim)
        return runs

    def _run(self, inline: Inline, target: Style | None) -> Run:
        palette = self.palette
        if isinstance(inline, Break):
            return Run("\n", palette.text)
        style = palette.text + _look(inline.look, palette)
        match inline:
            case TextRun():
                text = f"`{inline.text}`" if palette.plain and inline.look & CODE else inline.text
                return Run(text, style + palette.link + target if target is not None else style)
            case Mention():
                return self._mention(inline, style)
            case ChannelLink():
                name = self.names.channel(inline.channel_id)
                text = "#" + safe_line(name, 100) if name else inline.text
                return Run(
                    text, style + palette.link + self.target(Target(TargetKind.LINK, inline.href, text))
                )
            case Time():
                return Run(safe_line(self.names.moment(inline.at), 60), style + palette.mark)
            case Math():
                return Run(safe_line(readable(inline.tex)), style + palette.code)

    def _mention(self, mention: Mention, style: Style) -> Run:
        name: str | None = None
        if mention.id is not None:
            is_group = mention.kind is MentionKind.GROUP
            name = self.names.group(mention.id) if is_group else self.names.user(mention.id)
        text = mention.text
        if name:
            text = safe_line(name if mention.silent else "@" + name, 100)
        own = not mention.silent and self.names.is_own(mention)
        style += self.palette.own if own else self.palette.mention
        if mention.kind is MentionKind.USER and mention.id is not None:
            style += self.target(Target(TargetKind.USER, str(mention.id), text))
        return Run(text, style)

    def user_name(self, user_id: int) -> str:
        """The name of a person, derived from the id if it is not known."""
        return safe_line(self.names.user(user_id) or f"user {user_id}", 60)

    def target(self, target: Target) -> Style:
        """Registers a target; returns the style that marks the text of the target."""
        self.targets.append(target)
        return Style(meta={"target": len(self.targets) - 1})


def _look(look: int, palette: Palette) -> Style:
    style = palette.literal if look & CODE else Style.null()
    if look & FOUND:
        style += palette.found
    if look & (BOLD | ITALIC | STRIKE):
        style += Style(
            bold=True if look & BOLD else None,
            italic=True if look & ITALIC else None,
            strike=True if look & STRIKE else None,
        )
    return style


def host_of(href: str) -> str:
    """The host of an external link, '' for links within the organization and for invalid links."""
    try:
        parts = urlsplit(href)
        return (parts.hostname or "") if parts.scheme in ("http", "https") else ""
    except ValueError:
        return ""


def _warn_of_host(runs: list[Run], href: str, label: str, style: Style) -> None:
    """Adds the real host behind a link whose text looks like another address."""
    host = host_of(href)
    if not host:
        return
    shown = label.strip()
    if "." not in shown or " " in shown:
        return
    claimed = host_of(shown if "://" in shown else "https://" + shown)
    if claimed and claimed.removeprefix("www.") != host.removeprefix("www."):
        runs.append(Run(f" [{safe_line(host, 80)}]", style))
