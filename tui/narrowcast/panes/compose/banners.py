"""What is worth knowing before a message is sent, on a line above its text, and a key that acts on it."""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from msgspec import Struct

from narrowcast.keys.hints import key_of, keys_of
from narrowcast.panes.compose.session import ComposeContext
from narrowcast.runtime.context import app_of
from narrowcast.widgets.one_line import OneLine
from narrowcast_api import permissions
from narrowcast_api.errors import NarrowcastError
from narrowcast_api.model.channels import Channel
from narrowcast_api.model.topics import is_resolved
from narrowcast_api.narrow.destinations import ChannelDestination, DirectDestination
from narrowcast_api.storage.folders import expand_home
from narrowcast_api.wire.vocabulary import Role

__all__ = ["Banner", "Banners", "Remedy", "everybody_mentioned"]

_MENTION = re.compile(r"@\*\*([^*\n]{1,120}?)(?:\|(\d{1,12}))?\*\*")
MAX_PATHS = 20
_EVERYBODY = frozenset({"all", "everyone", "channel", "stream"})


def paths_in(pasted: str) -> tuple[Path, ...]:
    """The paths that a pasted text consists of, as terminals write them for dropped files: absolute, quoted or with
    escaped blanks, or as `file` addresses. Empty if it is any other text.
    """
    if "\n" in pasted.strip() or not pasted.strip().startswith(("/", "~/", "'/", '"/', "file://")):
        return ()
    try:
        parts = shlex.split(pasted)
    except ValueError:
        return ()
    names = [unquote(part.removeprefix("file://")) if part.startswith("file://") else part for part in parts]
    paths = tuple(expand_home(name) for name in names[: MAX_PATHS + 1])
    return paths if len(paths) <= MAX_PATHS and all(path.is_absolute() for path in paths) else ()


def _path_as_it_is(pasted: str) -> tuple[Path, ...]:
    """The path that a pasted text is without any quoting, as file managers copy it."""
    text = pasted.strip()
    return (expand_home(text),) if text.startswith(("/", "~/")) and "\n" not in text else ()


def files_in(pasted: str) -> tuple[Path, ...]:
    """The files whose paths a pasted text consists of; empty if it is any other text, or if one does not exist."""
    for paths in (paths_in(pasted), _path_as_it_is(pasted)):
        if paths and _are_files(paths):
            return paths
    return ()


def _are_files(paths: tuple[Path, ...]) -> bool:
    try:
        return all(path.is_file() for path in paths)
    except (OSError, ValueError):
        return False


def everybody_mentioned(content: str) -> bool:
    """Whether the text mentions all subscribers of its channel."""
    return any(found[1] in _EVERYBODY for found in _MENTION.finditer(content))


class Remedy(Enum):
    """What the key does about a banner, as its hint says."""

    SUBSCRIBE = "subscribes"
    SUBSCRIBE_OTHER = "subscribes them"
    UNRESOLVE = "unresolves it"
    UPLOAD = "uploads"


class PastedFiles(NamedTuple):
    """Paths of files that were pasted, or dropped on the terminal, as ``text``."""

    text: str
    paths: tuple[Path, ...]


class Banner(Struct, frozen=True):
    """``user_id``: whom the remedy subscribes; ``files``: what it uploads in place of their paths."""

    text: str
    remedy: Remedy | None = None
    user_id: int = 0
    files: PastedFiles | None = None


class Banners:
    """``line`` shows the most important of them; it is hidden if there is none."""

    def __init__(self, pane: ComposeContext) -> None:
        self._pane = pane
        self.line = OneLine(id="banner")
        self.line.display = False
        self.now: Banner | None = None
        self._subscribed: dict[tuple[int, int], bool | None] = {}
        """Whether a user is subscribed to a channel; None while that is asked."""
        self._pasted: PastedFiles | None = None
        self._refusal = ""

    @property
    def plain(self) -> str:
        return self.line.plain if self.line.display else ""

    def refresh(self, refusal: str) -> None:
        """Looks again at the address and the text; ``refusal``: why nothing can be sent, which is shown elsewhere."""
        self._refusal = refusal
        banner = None if refusal or self._pane.is_edit else next(self._found(), None)
        if banner == self.now:
            return
        self.now = banner
        self.line.display = banner is not None
        if banner is not None:
            key = key_of(keys_of(self._pane.host), "compose.remedy")
            hint = f"{key} {banner.remedy.value} " if banner.remedy is not None and key else ""
            self.line.show_pieces([(f" {banner.text}", "warn")], [(hint, "dim")])

    def _found(self) -> Iterator[Banner]:
        where = self._pane.writing.destination()[0]
        text = self._pane.text.text
        if self._pasted is not None and self._pasted.text in text:
            found = ", ".join(path.name for path in self._pasted.paths)
            yield Banner(f"{found}: upload in place of the path?", Remedy.UPLOAD, files=self._pasted)
        if isinstance(where, DirectDestination):
            yield from self._of_guests(where)
        elif isinstance(where, ChannelDestination):
            channel = self._pane.session.state.channels.get(where.channel_id)
            if channel is not None and text.strip():
                yield from self._of_mentions(channel, text)
                yield from self._of_channel(channel, where.topic)

    def _of_guests(self, where: DirectDestination) -> Iterator[Banner]:
        state = self._pane.session.state
        if not state.organization.flag("enable_guest_user_dm_warning", False):
            return
        guests = [
            user.full_name
            for user_id in sorted(where.user_ids)
            if (user := state.users.get(user_id)) is not None and user.role == Role.GUEST
        ]
        if len(guests) == 1:
            yield Banner(f"{guests[0]} is a guest in this organization.")
        elif guests:
            yield Banner(f"{', '.join(guests)} are guests in this organization.")

    def _of_mentions(self, channel: Channel, text: str) -> Iterator[Banner]:
        state = self._pane.session.state
        for found in _MENTION.finditer(text):
            user_id = int(found[2]) if found[2] else state.user_id(found[1])
            user = state.users.get(user_id) if user_id is not None else None
            if user is None or user.user_id == state.me or user.is_bot:
                continue
            if self._is_subscribed(user.user_id, channel.channel_id) is False:
                cannot = channel.invite_only or user.role == Role.GUEST
                what = "cannot read" if cannot else "is not subscribed to"
                yield Banner(
                    f"{user.full_name} {what} #{channel.name}.", Remedy.SUBSCRIBE_OTHER, user.user_id
                )

    def _is_subscribed(self, user_id: int, channel_id: int) -> bool | None:
        """None until the server has said so."""
        key = user_id, channel_id
        if key not in self._subscribed and self._pane.session.is_live:
            self._subscribed[key] = None
            app_of(self._pane.host).spawn(self._ask(user_id, channel_id), "look up a subscriber")
        return self._subscribed.get(key)

    async def _ask(self, user_id: int, channel_id: int) -> None:
        try:
            found = await self._pane.session.client.subscriptions.is_subscribed(
                user_id=user_id, channel_id=channel_id
            )
        except NarrowcastError:
            self._subscribed.pop((user_id, channel_id), None)
            return
        self._subscribed[user_id, channel_id] = found
        if self._pane.host.is_attached:
            self.refresh(self._refusal)

    def _of_channel(self, channel: Channel, topic: str) -> Iterator[Banner]:
        state = self._pane.session.state
        if channel.subscription is None:
            yield Banner("You are not subscribed to this channel.", Remedy.SUBSCRIBE)
        if is_resolved(topic):
            yield Banner("This topic is resolved.", Remedy.UNRESOLVE)
        elif topic and state.topics.is_loaded(channel.channel_id):
            known = {one.name.lower() for one in state.topics.of(channel.channel_id)}
            if topic.lower() not in known:
                yield Banner(f"New topic in #{channel.name}.")
        if who := permissions.posters(state, channel):
            yield Banner(f"#{channel.name} is moderated: only {who} can post in it.")

    def pasted(self, text: str) -> None:
        """Offers to upload files whose paths were pasted."""
        if paths_in(text) or _path_as_it_is(text):
            app_of(self._pane.host).spawn(self._offer_files(text.strip()), "look for a file")

    async def _offer_files(self, text: str) -> None:
        if (paths := await asyncio.to_thread(files_in, text)) and self._pane.host.is_attached:
            self._pasted = PastedFiles(text, paths)
            self.refresh(self._refusal)

    def done(self) -> None:
        """Looks again after the key has acted."""
        self._subscribed.clear()
        self._pasted = None
        if self._pane.host.is_attached:
            self.refresh(self._refusal)
