"""The child process that renders long texts: `computing.child` with lookups.

A job is a `Text` as JSON. What a rendering has to look up, the process asks the server in a frame
`{"name", "arguments"}`, whose answer is `{"found": ...}`. The last frame of a job is `{"rendered": ...}`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from narrowcast_server.computing.child import jobs, receive, send
from narrowcast_server.markdown.context import (
    AttachmentInfo,
    EmojiPicture,
    LinkedChannel,
    LinkPattern,
    LinkPreview,
    MentionedGroup,
    MentionedUser,
)
from narrowcast_server.markdown.render import render

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LongText:
    """A text to render, and what nearly every rendering needs of its context."""

    seconds: float
    source: str
    realm_url: str
    level: int
    empty_topic_name: str
    linkifiers: Sequence[LinkPattern]
    alert_words: Mapping[int, Sequence[str]]


class Asking:
    """A context that asks the server, once for each lookup."""

    def __init__(self, text: LongText) -> None:
        self.realm_url = text.realm_url
        self.level = text.level
        self.empty_topic_name = text.empty_topic_name
        self.linkifiers = text.linkifiers
        self.alert_words = text.alert_words
        self._found: dict[tuple[object, ...], object] = {}

    def highlighted(self, language: str, source: str) -> str | None:
        return self._one(str, "highlighted", language, source)

    def user_by_id(self, user_id: int) -> MentionedUser | None:
        return self._one(MentionedUser, "user_by_id", user_id)

    def users_by_name(self, full_name: str) -> Sequence[MentionedUser]:
        return msgspec.convert(self._ask("users_by_name", full_name), list[MentionedUser])

    def group_by_name(self, name: str) -> MentionedGroup | None:
        return self._one(MentionedGroup, "group_by_name", name)

    def channel_by_name(self, name: str) -> LinkedChannel | None:
        return self._one(LinkedChannel, "channel_by_name", name)

    def last_message_id(self, channel_id: int, topic: str) -> int | None:
        return self._one(int, "last_message_id", channel_id, topic)

    def custom_emoji(self, name: str) -> EmojiPicture | None:
        return self._one(EmojiPicture, "custom_emoji", name)

    def attachment(self, path_id: str) -> AttachmentInfo | None:
        return self._one(AttachmentInfo, "attachment", path_id)

    def link_preview(self, url: str) -> LinkPreview | None:
        return self._one(LinkPreview, "link_preview", url)

    def _one(self, kind: type[T], name: str, *arguments: str | int) -> T | None:
        found = self._ask(name, *arguments)
        return None if found is None else msgspec.convert(found, kind)

    def _ask(self, name: str, *arguments: str | int) -> object:
        key = (name, *arguments)
        if key not in self._found:
            send({"name": name, "arguments": arguments})
            answer = receive()
            if answer is None:
                raise SystemExit
            self._found[key] = answer["found"]
        return self._found[key]


def main() -> None:
    """Renders texts until the end of input."""
    for job in jobs():
        text = msgspec.convert(job, LongText, strict=False)
        send({"rendered": msgspec.to_builtins(render(text.source, Asking(text)))})


if __name__ == "__main__":
    main()
