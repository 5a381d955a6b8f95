"""Conversations as text: how the files of `narrowcast_assets/demo` are written and read.

    @@ engineering | gusts read too high | -2d 09:12 | unread=4
    @ greta
    Mast 3 says 31 m/s.
    %react eyes dario farid; tea chiyo
    @ farid +6 =spikes
    The raw samples have single spikes.

A line with `@@` begins a conversation: the channel and topic, or `dm` and the people; when it began; how many of
its last messages the newcomer has not read. A line with `@` begins a message: who, how many minutes after the one
before, and a name by which others can refer to it. Lines with `%` say what was done with the message. In the
text `{id:spikes}` is that message's id, `{file:a.png}` a link to a file, `{path:a.png}` its path alone, and
`{in:+3d 09:30}` a moment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

MINUTE: Final = 60
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
_MOMENT = re.compile(r"(?:([+-]\d+)d(?: (\d\d):(\d\d))?|-(\d+)([hm]))")
_SPEAKER = re.compile(r"@ (\w+)(?: \+(\d+))?(?: =(\w+))?")
_UNREAD = re.compile(r"unread=(\d+)")


class ScriptError(ValueError):
    """A syntax error in a script, with its line."""


@dataclass(frozen=True, slots=True)
class Action:
    """An action on a message: `kind` is react, vote or strike; `words` are its people and arguments."""

    kind: str
    words: tuple[str, ...]


@dataclass(slots=True)
class ScriptLine:
    """One message. `when` in UTC seconds."""

    speaker: str
    when: int
    text: str = ""
    name: str | None = None
    actions: list[Action] = field(default_factory=list)


@dataclass(slots=True)
class ScriptedConversation:
    """Messages in one place: `channel` and `topic`, or `people` of a direct conversation."""

    channel: str | None
    topic: str
    people: tuple[str, ...]
    unread: int = 0
    lines: list[ScriptLine] = field(default_factory=list)


def moment(text: str, now: int) -> int:
    """`-2d 09:12` (that day, UTC), `-3h`, `-40m` relative to `now`, in UTC seconds. Raises ScriptError."""
    match = _MOMENT.fullmatch(text)
    if match is None:
        raise ScriptError(f"no moment: {text!r}")
    if match[4]:
        return now - int(match[4]) * (HOUR if match[5] == "h" else MINUTE)
    return now - now % DAY + int(match[1]) * DAY + int(match[2] or 0) * HOUR + int(match[3] or 0) * MINUTE


def parse(text: str, now: int) -> Iterator[ScriptedConversation]:
    """The conversations of a file. No message is later than a minute before `now`. Raises ScriptError."""
    conversation: ScriptedConversation | None = None
    when = 0
    for number, row in enumerate(text.splitlines(), start=1):
        if row.startswith("@@ "):
            if conversation is not None:
                yield finished(conversation)
            conversation, when = parse_heading(row, now)
        elif conversation is None:
            raise ScriptError(f"line {number} belongs to no conversation")
        elif match := _SPEAKER.fullmatch(row):
            when = min(when + int(match[2] or 0) * MINUTE, now - MINUTE)
            conversation.lines.append(ScriptLine(match[1], when, name=match[3]))
        elif not conversation.lines:
            raise ScriptError(f"line {number} has no speaker")
        elif row.startswith("%"):
            conversation.lines[-1].actions += parse_actions(row)
        else:
            conversation.lines[-1].text += row + "\n"
    if conversation is not None:
        yield finished(conversation)


def parse_heading(row: str, now: int) -> tuple[ScriptedConversation, int]:
    """Parses a line with `@@`: a conversation and the time when it began."""
    parts = [part.strip() for part in row.removeprefix("@@ ").split("|")]
    unread = int(match[1]) if (match := _UNREAD.fullmatch(parts[-1])) else 0
    if parts[0].startswith("dm "):
        people = tuple(parts[0].split()[1:])
        return ScriptedConversation(None, "", people, unread), moment(parts[1], now)
    if len(parts) < 3:
        raise ScriptError(f"no topic and moment: {row!r}")
    return ScriptedConversation(parts[0], parts[1], (), unread), moment(parts[2], now)


def parse_actions(row: str) -> Iterator[Action]:
    """Parses `%react eyes dario farid; tea chiyo`."""
    kind, _, rest = row.removeprefix("%").partition(" ")
    for part in rest.split(";"):
        yield Action(kind, tuple(part.split()))


def finished(conversation: ScriptedConversation) -> ScriptedConversation:
    """Removes blank lines around the texts."""
    for line in conversation.lines:
        line.text = line.text.strip("\n")
        if not line.text:
            raise ScriptError(f"{line.speaker} says nothing in {conversation.topic!r}")
    return conversation


def read_all(folder: Path, now: int) -> list[ScriptedConversation]:
    """All conversations of a folder, in the order of its files."""
    conversations: list[ScriptedConversation] = []
    for path in sorted(folder.glob("*.txt")):
        conversations += parse(path.read_text(encoding="utf-8"), now)
    return conversations


def in_order(conversations: Sequence[ScriptedConversation]) -> list[tuple[ScriptedConversation, ScriptLine]]:
    """All messages in order of time; those of one conversation keep their order."""
    pairs = [(conversation, line) for conversation in conversations for line in conversation.lines]
    return sorted(pairs, key=lambda pair: pair[1].when)
